"""Scores of attention heads: what people have of them, as blocks of rows."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ..settings.words import short_repr
from .rows import Rows

AXES = ("layer", "sequence", "head")
"""Leading axes of scores, read from the right; of a list the first is of layers."""

KINDS = {"biuf": "real numbers", "iu": "whole numbers", "b": "true or false"}
"""Types of arrays, as NumPy's letters and in words."""

MASKED = -9000.0
"""Scores below it are masked: additive masks have -10^4 or the least number of their type."""

BLOCK = 2**18
"""Scores that are looked at together: 2 MiB in float64."""

LEAST_SUM, MOST_SUM = 0.98, 1.02
"""Of a row of weights: below, a sink that is no token has the rest; above, they are no weights."""


def as_array(
    name: str, given: Any, kinds: str = "biuf", shape: tuple[int, ...] | None = None
) -> np.ndarray:
    """Numbers as an array, of a shape if one is given; a tensor's from wherever it is, bfloat16
    too."""
    if hasattr(given, "detach"):
        given = given.detach()
        given = (given.float() if given.is_floating_point() else given).cpu().numpy()
    found = np.asarray(given)
    if found.dtype.kind not in kinds:
        shown = " ".join(short_repr(given).split())
        raise ValueError(f"{name} has type {found.dtype}: {shown}; allowed: {KINDS[kinds]}")
    try:
        return np.broadcast_to(found, found.shape if shape is None else shape)
    except ValueError:
        raise ValueError(f"{name} has shape {found.shape}; allowed: {shape}") from None


def _keys(name: str, given: Any, keys: int, least: int, shape: Any = None) -> np.ndarray:
    """Indices of keys, from `least` on."""
    found = as_array(name, given, "iu", shape).astype(int)
    if wrong := found[(found < least) | (found >= keys)].tolist():
        none = ", -1 for none" if least < 0 else ""
        raise ValueError(f"{name} has {wrong[0]}; allowed: from 0 to {keys - 1}{none}")
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
    is_layers = isinstance(scores, list | tuple) and len(scores) > 0 and np.ndim(scores[0]) > 1
    layers = [np.atleast_2d(as_array("scores", x)) for x in (scores if is_layers else [scores])]
    if len(shapes := {each.shape for each in layers}) > 1:
        raise ValueError(f"layers have shapes {sorted(shapes)}; allowed: one shape")
    shape = (len(layers),) * is_layers + layers[0].shape
    *lead, queries, keys = shape
    if len(lead) > len(AXES) or 0 in shape:
        axes = ", ".join([*AXES, "queries", "keys"])
        raise ValueError(f"scores have shape {shape}; allowed: the last axes of ({axes})")
    names = AXES[:is_layers] + AXES[len(AXES) - len(lead) + is_layers :]
    targets = _keys("target", target, keys, -1 if np.ndim(target) else 0, shape[:-1])
    mask = None if mask is None else as_array("mask", mask, "b", shape)
    fixed = _keys("fixed", fixed if np.size(fixed) else np.empty(0, int), keys, 0)
    is_fixed = np.isin(np.arange(keys), fixed)
    found = 0
    for place in np.ndindex(*lead):
        own = layers[place[0]][place[1:]] if is_layers else layers[0][place]
        chosen = np.flatnonzero(targets[place] >= 0)
        for at in np.split(chosen, range(0, len(chosen), max(1, BLOCK // keys))[1:]):
            labels = {name: np.full(len(at), k) for name, k in zip(names, place, strict=True)}
            labels |= {"query": at, "target": targets[place][at]}
            # Above the diagonal of weights 0 is a mask; elsewhere it is a weight.
            there = np.ones((len(at), keys), bool) if mask is None else mask[place][at]
            if weights and mask is None and queries == keys:
                there = (own[at] > 0) | (np.arange(keys) <= at[:, None])
            rows = _rows(own[at].astype(float), labels, there, is_fixed, weights)
            found += len(rows.scores)
            yield rows
    if not found:
        raise ValueError("no query has a target and visible keys; allowed: at least one")


def _rows(
    values: np.ndarray, labels: dict[str, np.ndarray], there: np.ndarray, is_fixed: np.ndarray,
    weights: bool,
) -> Rows:  # fmt: skip
    """Rows of some queries of one head, with their keys that are there."""

    def place(row: int) -> str:
        return ", ".join(f"{name} {each[row]}" for name, each in labels.items() if name != "target")

    for row, key in np.argwhere(np.isnan(values) | (values == np.inf) | (weights & (values < 0))):
        what, allowed = ("weights", "not negative") if weights else ("scores", "-inf where masked")
        where = f"{place(row)}, key {key}"
        raise ValueError(f"{what} have {values[row, key]} at {where}; allowed: numbers, {allowed}")
    scores = np.full((len(values), len(is_fixed) + 1), -np.inf)
    if weights:
        total = values.sum(1)
        for row in np.flatnonzero(total > MOST_SUM):
            raise ValueError(
                f"weights sum to {total[row]:.4g} at {place(row)}; allowed: up to 1, as of a model "
                "without dropout, in model.eval()"
            )
        with np.errstate(divide="ignore"):
            values = np.log(values)
            scores[:, -1] = np.log(np.where(total < LEAST_SUM, 1 - total, 0.0))
    else:
        there = there & (values >= MASKED)
    np.copyto(scores[:, :-1], values, where=there)
    target, kept = labels["target"], there.any(1)
    refused = is_fixed[target] | ~there[np.arange(len(target)), target]
    for row in np.flatnonzero(kept & refused):
        why = "fixed" if is_fixed[target[row]] else "masked"
        raise ValueError(
            f"target {target[row]} is {why} at {place(row)}; allowed: a visible key that is not "
            "fixed"
        )
    there = np.column_stack([there, np.zeros(len(there), bool)])
    labels = {name: each[kept] for name, each in labels.items()}
    return Rows(labels, scores[kept], there[kept], np.append(is_fixed, True))


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
    q, k = (np.true_divide(as_array(name, x), 1) for name, x in (("q", q), ("k", k)))
    groups = k.shape[-3] if k.ndim > 2 else 0
    same = (q.shape[-1:], q.shape[:-3]) == (k.shape[-1:], k.shape[:-3])
    if q.ndim < 3 or not groups or q.shape[-3] % groups or not same:
        shapes = "(..., H, queries, d) and (..., G, keys, d), G dividing H"
        raise ValueError(f"q and k have shapes {q.shape} and {k.shape}; allowed: {shapes}")
    k = np.repeat(k, q.shape[-3] // groups, axis=-3)
    found = q @ k.swapaxes(-1, -2) * q.dtype.type(q.shape[-1] ** -0.5 if scale is None else scale)
    if causal:
        queries, keys = found.shape[-2:]
        found[..., ~np.tri(queries, keys, keys - queries, dtype=bool)] = -np.inf
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
