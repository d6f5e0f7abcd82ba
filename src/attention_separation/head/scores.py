"""Scores of attention heads: what people have of them, as blocks of rows."""

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..settings.words import short_repr

AXES = ("layer", "sequence", "head")
"""Leading axes of scores, read from the right."""

MASKED = -9000.0
"""Scores below it are masked: additive masks have -10^4 or the least number of their type."""

BLOCK = 2**18
"""Scores that are looked at together: 2 MiB in float64."""

LEAST_SUM, MOST_SUM = 0.98, 1.02
"""Of a row of weights: below, a sink that is no token has the rest; above, they are no weights."""

SINK_SHARE = 0.3
"""Share of the first token from which on it looks like a sink."""


@dataclass(frozen=True)
class Rows:
    """R queries, each with its scores of K keys and the key that it should find.

    Attributes
    ----------
    labels : layer, sequence, head of those there are, query and target, (R,) each
    scores : (R, K) in float64, as softmax gets them, -inf where masked
    visible, rest : (R, K) whether a key is there; whether it is neither the target nor fixed
    missing : (R,) weight over the target's of a sink that is no token
    """

    labels: dict[str, np.ndarray]
    scores: np.ndarray
    visible: np.ndarray
    rest: np.ndarray
    missing: np.ndarray

    @property
    def others(self) -> np.ndarray:
        """Whether a key is there and not the target, (R, K)."""
        return self.visible & (np.arange(self.scores.shape[1]) != self.labels["target"][:, None])

    @property
    def of_target(self) -> np.ndarray:
        """Scores of the targets, (R, 1)."""
        return np.take_along_axis(self.scores, self.labels["target"][:, None], 1)


def as_array(name: str, given: Any, kinds: str = "biuf") -> np.ndarray:
    """Numbers as an array; a tensor's from wherever it is, bfloat16 too."""
    if hasattr(given, "detach"):
        given = given.detach()
        given = (given.float() if given.is_floating_point() else given).cpu().numpy()
    found = np.asarray(given)
    if found.dtype.kind not in kinds:
        kind = (
            "real numbers" if "f" in kinds else "true or false" if kinds == "b" else "whole numbers"
        )
        shown = " ".join(short_repr(given).split())
        raise ValueError(f"{name} has type {found.dtype}: {shown}; allowed: {kind}")
    return found


def blocks(
    scores: Any, target: Any, fixed: Sequence[int], mask: Any, weights: bool
) -> Iterator[Rows]:
    """Rows with a target and visible keys, some at a time; ValueError where what is given cannot be
    measured."""
    if isinstance(scores, tuple) and not scores:
        raise ValueError(
            "scores is an empty tuple, as models with attention sdpa give; allowed: those of a "
            'model loaded with attn_implementation="eager"'
        )
    is_layers = isinstance(scores, list | tuple) and np.ndim(scores[0]) > 1
    layers = [as_array("scores", each) for each in scores] if is_layers else [
        np.atleast_2d(as_array("scores", scores))
    ]  # fmt: skip
    if len(shapes := {each.shape for each in layers}) > 1:
        raise ValueError(f"layers have shapes {sorted(shapes)}; allowed: one shape")
    whole = (len(layers),) * is_layers + layers[0].shape
    *lead, queries, keys = whole
    if len(lead) > len(AXES) or not np.prod(whole):
        names = ", ".join([*AXES, "queries", "keys"])
        raise ValueError(f"scores have shape {whole}; allowed: the last axes of ({names})")
    wanted = _targets(target, (*lead, queries), keys)
    seen = None if mask is None else _broadcast("mask", as_array("mask", mask, "b"), whole)
    is_fixed = np.isin(np.arange(keys), _keys("fixed", fixed, 0, keys))
    found = 0
    for place in np.ndindex(*lead):
        own = layers[place[0]][place[1:]] if is_layers else layers[0][place]
        chosen = np.flatnonzero(wanted[place] >= 0)
        for at in np.split(chosen, range(0, len(chosen), max(1, BLOCK // keys))[1:]):
            labels = dict(zip(AXES[len(AXES) - len(lead) :], place, strict=True))
            labels = {name: np.full(len(at), k) for name, k in labels.items()}
            labels |= {"query": at, "target": wanted[place][at]}
            there = None if seen is None else seen[place][at]
            rows = _rows(own[at].astype(float), labels, there, is_fixed, weights, queries == keys)
            found += len(rows.scores)
            yield rows
    if not found:
        raise ValueError("no query has a target and visible keys; allowed: at least one")


def _rows(
    values: np.ndarray, labels: dict[str, np.ndarray], there: np.ndarray | None,
    is_fixed: np.ndarray, weights: bool, is_square: bool,
) -> Rows:  # fmt: skip
    """Rows of some queries of one head."""
    what = "weights" if weights else "scores"
    wrong = np.isnan(values) | (values == np.inf) | (weights & (values < 0))
    for row, key in np.argwhere(wrong)[:1]:
        raise ValueError(
            f"{what} have {values[row, key]} at {_place(labels, row)}, key {key}; allowed: numbers"
            f"{', not negative' if weights else ', -inf where masked'}"
        )
    missing = np.zeros(len(values))
    if weights:
        total = values.sum(1)
        for row in np.flatnonzero(total > MOST_SUM)[:1]:
            raise ValueError(
                f"weights sum to {total[row]:.4g} at {_place(labels, row)}; allowed: up to 1, as "
                "of a model without dropout, in model.eval()"
            )
        # Above the diagonal no weight is a mask; elsewhere it is a weight.
        later = np.arange(values.shape[1]) > labels["query"][:, None]
        hidden = later & (values == 0) & (there is None and is_square)
        missing = np.where(total < LEAST_SUM, 1 - total, 0.0)
        with np.errstate(divide="ignore"):
            values = np.log(values)
    else:
        hidden = values < MASKED
    there = ~hidden if there is None else there & ~hidden
    values[~there] = -np.inf
    kept = there.any(1)
    labels = {name: each[kept] for name, each in labels.items()}
    values, there, missing = values[kept], there[kept], missing[kept]
    target = labels["target"]
    for row in np.flatnonzero(~there[np.arange(len(target)), target] | is_fixed[target])[:1]:
        why = "fixed" if is_fixed[target[row]] else "masked"
        raise ValueError(
            f"target {target[row]} is {why} at {_place(labels, row)}; allowed: a visible key "
            "that is not fixed"
        )
    rest = there & ~is_fixed & (np.arange(values.shape[1]) != target[:, None])
    with np.errstate(divide="ignore", over="ignore"):
        over_target = np.exp(np.log(missing) - values[np.arange(len(target)), target])
    return Rows(labels, values, there, rest, over_target)


def _place(labels: dict[str, np.ndarray], row: int) -> str:
    return ", ".join(f"{name} {each[row]}" for name, each in labels.items() if name != "target")


def _keys(name: str, given: Any, least: int, keys: int) -> np.ndarray:
    """Indices of keys."""
    found = as_array(name, np.empty(0, int) if np.size(given) == 0 else given, "iu").astype(int)
    if wrong := found[(found < least) | (found >= keys)].tolist():
        none = ", -1 for none" if least < 0 else ""
        raise ValueError(f"{name} has {wrong[0]}; allowed: from 0 to {keys - 1}{none}")
    return found


def _targets(given: Any, shape: tuple[int, ...], keys: int) -> np.ndarray:
    """The target of each query, -1 for none."""
    least = 0 if np.ndim(given) == 0 else -1
    return _broadcast("target", _keys("target", given, least, keys), shape)


def _broadcast(name: str, found: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    try:
        return np.broadcast_to(found, shape)
    except ValueError:
        raise ValueError(f"{name} has shape {found.shape}; allowed: {shape}") from None


def warn_of_sink(first: np.ndarray) -> None:
    """Warn where the first token has much of most rows, and is not said to be fixed."""
    if (first > SINK_SHARE).mean() > 0.5:
        warnings.warn(
            f"token 0 has over {SINK_SHARE:g} of most rows, as a sink; where it is there once, "
            "however long the context is, say fixed=[0]",
            stacklevel=3,
        )


def scores_of(q: Any, k: Any, scale: float | None = None, causal: bool = False) -> np.ndarray:
    """Scores of queries and keys after rotary embedding and norms.

    Parameters
    ----------
    q : (..., H, queries, d)
    k : (..., G, keys, d); each of G key heads serves H/G query heads that follow each other
    scale : of the products; 1/sqrt(d) if not given
    causal : whether later keys are masked; the last query sees all keys

    Returns
    -------
    (..., H, queries, keys)
    """
    q, k = as_array("q", q), as_array("k", k)
    groups = k.shape[-3] if k.ndim > 2 else 0
    same = (q.shape[-1:], q.shape[:-3]) == (k.shape[-1:], k.shape[:-3])
    if q.ndim < 3 or not groups or q.shape[-3] % groups or not same:
        shapes = "(..., H, queries, d) and (..., G, keys, d), G dividing H"
        raise ValueError(f"q and k have shapes {q.shape} and {k.shape}; allowed: {shapes}")
    k = np.repeat(k, q.shape[-3] // groups, axis=-3)
    found = q @ k.swapaxes(-1, -2) * q.dtype.type(scale or q.shape[-1] ** -0.5)
    if causal:
        queries, keys = found.shape[-2:]
        later = np.arange(keys) > np.arange(keys - queries, keys)[:, None]
        found[..., later] = -np.inf
    return found


def induction_targets(tokens: Any) -> np.ndarray:
    """The key after the last earlier token that equals the query's, -1 for none, (..., n), of
    whole numbers (..., n)."""
    tokens = np.atleast_1d(as_array("tokens", tokens, "iu"))
    found = np.full(tokens.shape, -1)
    for place in np.ndindex(*tokens.shape[:-1]):
        after: dict[int, int] = {}
        for k, token in enumerate(tokens[place].tolist()):
            found[(*place, k)] = after.get(token, -1)
            after[token] = k + 1
    return found
