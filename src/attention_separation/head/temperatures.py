"""The temperatures at which softmax keeps a share among N tokens.

At a temperature T = 1/beta the target's share is 1/(1 + h(beta)), with
h(beta) = sum over fixed tokens of e^(beta (s_j - s_t)) + (N - k)/m times that over the rest. log h
is convex, so {beta : h <= c} is an interval, and Newton's method comes to its ends from outside and
never beyond them.
"""

import numpy as np

from .rows import Rows

MOST_STEPS = 200  # about ten are enough


def temperatures(rows: Rows, n: float, c: float) -> tuple[np.ndarray, np.ndarray]:
    """The hottest and the coldest T at which e^(s/T) keeps the level among n tokens, (R,) each.

    0 and 0 where none does; the hottest inf where every hotter one does; the coldest 0 where every
    colder one does.
    """
    has_weight = (rows.scores > -np.inf) & ~rows.is_target
    rest_count = np.log((n - rows.k) / rows.m)
    log_counts = np.where(rows.is_rest, rest_count[:, None], 0.0)
    log_counts[~has_weight] = -np.inf
    above = np.where(has_weight, rows.above_target, 0.0)
    loudest = np.max(above, axis=1, initial=-np.inf, where=has_weight)
    target_has_weight = rows.target_score > -np.inf
    is_open = has_weight.any(axis=1) & target_has_weight

    # Where nothing else has weight, every temperature does: beta from 0 on.
    end = _end(np.zeros(len(rows)), +1, above[is_open], log_counts[is_open], is_open, c)
    hottest = np.where(np.isnan(end), 0.0, 1 / end)
    hottest[~target_has_weight] = 0.0

    # From here on what is loudest is too much alone.
    least_count = np.minimum(rest_count, 0.0)
    far = np.where(loudest > 0, (np.log(c) - least_count) / loudest, 0.0)
    end = _end(far, -1, above[is_open], log_counts[is_open], is_open, c)
    has_coldest = (loudest > 0) & (hottest > 0) & is_open
    return hottest, np.where(has_coldest, 1 / end, 0.0)


def _end(
    start: np.ndarray,
    direction: int,
    above: np.ndarray,
    log_counts: np.ndarray,
    is_open: np.ndarray,
    c: float,
) -> np.ndarray:
    """Where log h comes to log c from a beta on, to the right or the left, (R,): that beta itself
    where it is there already, NaN where it turns before. Other rows than open ones stay."""
    ends = start.copy()
    beta = start[is_open]
    for _ in range(MOST_STEPS):
        terms = beta[:, None] * above + log_counts
        top = terms.max(axis=1)
        weights = np.exp(terms - top[:, None])
        total = weights.sum(axis=1)
        slope = np.einsum("rk,rk->r", weights, above)
        over = np.log(total) + top - np.log(c)
        step = np.where(over <= 0, 0.0, -over * total / slope)
        turns = ~np.isfinite(step) | (step * direction < 0)
        step[turns] = np.nan
        beta = beta + step
        if not (np.abs(step) > 1e-15 * beta).any():
            break
    ends[is_open] = beta
    return ends
