"""How far heads still find their tokens: a row for each query with a target, or for each head."""

import math
import warnings
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from ..api.build import Given
from ..api.validation import number
from .columns import softmax_columns
from .other_kernels import kernel_columns
from .rows import LEAST_REST
from .scores import AXES, blocks

LEVEL = 0.5

SINK_SHARE = 0.3
"""Share of the first token from which on it looks like a sink."""

TRUSTED = 0.85
"""Mean of `held_out` of a head from which on its context foretells a longer one, by simulation."""

MEDIANS = ("share", "n_entropy", "sink", "reach", "share_at_n", "temperature", "drift")
"""Columns of which a summary has the median, where there are any."""


def measure(
    scores: Any, target: Any, *, fixed: Sequence[int] = (), mask: Any = None,
    weights: bool = False, n: float | None = None, level: float = LEVEL, kernel: Given = "exp",
) -> pd.DataFrame:  # fmt: skip
    """Up to how many tokens each query still finds its target.

    Parameters
    ----------
    scores : ([layer,] [sequence,] [head,] queries, keys) as softmax gets them, or one row, or a
        list of layers; -inf, or less than -9000, is masked. Tensors too
    target : the key that is to be found, or one for each query, (..., queries), -1 for none
    fixed : keys that are there once however long the context is, such as a sink at 0
    mask : True where a key is visible
    weights : whether the scores are attention weights, of which the logarithm is taken
    n : a number of tokens N to foretell
    level : the share of the weight that finds the target
    kernel : another one on the same scores, by name, formula or function: what they would give,
        no head trained so; without intervals and temperatures

    Returns
    -------
    A row for each query with a target: layer, sequence, head of those there are, query, target,
    and the columns that docs/head.md explains; NaN where fewer than 8 others are visible.

    Raises
    ------
    ValueError
        If something given is not as above; the text names it, the value and what is allowed.
    ArithmeticError
        If a kernel gives weights that are negative or no numbers.
    """
    level = number("level", level, "numbers between 0 and 1", lambda x: 0 < x < 1)
    is_exp = isinstance(kernel, str) and kernel == "exp"
    if weights and not is_exp:
        raise ValueError(
            f"weights=True with kernel={kernel!r}; allowed: exp, for weights have lost what other "
            "kernels need of scores"
        )
    if n is not None:
        least = np.size(fixed) + 2
        number("n", n, f"numbers from {least}, the fixed tokens, the target and one more",
               lambda x: least <= x < math.inf)  # fmt: skip
    parts, first = [], []
    for rows in blocks(scores, target, fixed, mask, weights):
        of = softmax_columns(rows, n, level) if is_exp else kernel_columns(rows, n, level, kernel)
        of = pd.DataFrame(of)
        of[rows.m < LEAST_REST] = math.nan
        parts.append(pd.DataFrame(rows.labels | {"n": rows.n}).join(of))
        if is_exp and not np.size(fixed):
            first.append(np.where(rows.is_target[:, 0], 0.0, rows.weights[:, 0]))
    found = pd.concat(parts, ignore_index=True)
    found.attrs = {} if n is None else {"N": n}
    if found["share"].isna().all():
        raise ValueError(f"every row has fewer than {LEAST_REST} tokens beside its target")
    if first and (np.concatenate(first) > SINK_SHARE).mean() > 0.5:
        warnings.warn(
            f"token 0 has over {SINK_SHARE:g} of most rows, as a sink; where it is there once, "
            "however long the context is, say fixed=[0]",
            stacklevel=2,
        )
    return found


def summary(rows: pd.DataFrame) -> pd.DataFrame:
    """A row for each layer and head of what `measure` gives.

    `held_out` comes first: the mean over rows of whether an eighth of the context foretold all of
    it. Under 0.85 this context does not foretell a longer one. Then `rows`, how many have 8 tokens
    or more beside the target and what is fixed, medians over these of share,
    n_entropy, sink, reach, share_at_n, temperature and drift, the quartiles of the reach, and
    `found_at_n`, the fraction of rows whose reach is at least N, where an N was given.
    """
    if "N" in rows.attrs:
        found = (rows["reach"] >= rows.attrs["N"]).astype(float)
        rows = rows.assign(found_at_n=found.where(rows["reach"].notna()))
    named = {name: (name, "median") for name in MEDIANS if name in rows}
    named |= {f"reach_q{q}": ("reach", lambda x, q=q: x.quantile(q / 100)) for q in (25, 75)}
    named |= {"found_at_n": ("found_at_n", "mean")} if "found_at_n" in rows else {}
    by = [name for name in ("layer", "head") if name in rows]
    groups = rows.reindex(columns=[*rows, *{"held_out"} - {*rows}]).groupby(by or (lambda _: 0))
    found = groups.agg(held_out=("held_out", "mean"), rows=("share", "count"), **named)
    return found.reset_index(drop=not by)


def trust(held_out: float) -> str:
    """What a mean of `held_out` says of longer contexts, in a sentence."""
    if np.isnan(held_out):
        return "held_out: not known, as it is of softmax on 512 tokens or more"
    if held_out < TRUSTED:
        return f"held_out {held_out:.2f}, under {TRUSTED}: this context does not foretell more"
    return f"held_out {held_out:.2f}: an eighth of the context foretells all of it"


def share(scores: Any, target: Any, n: Iterable[float], **given: Any) -> pd.DataFrame:
    """The target's share among each of the numbers of tokens n, with its interval: a row for each
    query and n, with columns n, share, low, high after the labels; arguments as of `measure`."""
    parts = [measure(scores, target, n=each, **given).assign(n=float(each)) for each in n]
    if not parts:
        raise ValueError("n is empty; allowed: at least one number of tokens")
    found = pd.concat(parts, ignore_index=True)
    labels = [name for name in (*AXES, "query", "target", "n") if name in found]
    named = {"share_at_n": "share", "share_low": "low", "share_high": "high"}
    return found.reindex(columns=[*labels, *named]).rename(columns=named)


def counting(
    scores: Any, target: Any, gaps: Iterable[float], *, fixed: Sequence[int] = (), mask: Any = None
) -> pd.DataFrame:
    """How many of the rest have scores within each gap of the target's, or above it: a row for each
    query and gap, with columns gap and count after the labels; arguments as of `measure`."""
    parts, gaps = [], [*gaps]
    if not gaps:
        raise ValueError("gaps is empty; allowed: at least one gap")
    for rows in blocks(scores, target, fixed, mask, weights=False):
        own = rows.scores[rows.is_target][:, None] - np.where(rows.rest, rows.scores, -np.inf)
        parts += [
            pd.DataFrame(rows.labels | {"gap": float(gap), "count": (own <= gap).sum(1)})
            for gap in gaps
        ]
    return pd.concat(parts, ignore_index=True)
