"""What is measured of rows of scores with softmax: formulas of every column.

Of a row: gaps Delta_j = s_t - s_j to the target's score, weights w_j = e^(-Delta_j) over the
target's. A is the sum over fixed tokens, k = 1 + how many they are; of the m others, the rest, wbar
is the mean. The target keeps the level while A + (N - k) wbar <= c = (1 - level)/level.
"""

import numpy as np
from scipy.special import entr

from .rows import RUNS, Rows

STUDENT = 2.364624
"""0.975 quantile of Student's t with 7 degrees of freedom."""

LEAST_FOR_INTERVAL, LEAST_FOR_CHECK = RUNS**2, RUNS**3
"""Rest tokens below which a row has no interval, no check."""


def to_bf16(x: np.ndarray) -> np.ndarray:
    """float64 numbers rounded to bfloat16's digits, to nearest, ties to even."""
    bits, below = np.ascontiguousarray(x).view(np.int64), 45  # 7 bits are left of 52
    half = (1 << (below - 1)) - 1 + ((bits >> below) & 1)
    return ((bits + half) & -(1 << below)).view(np.float64)


def softmax_columns(rows: Rows, n: float | None, level: float) -> dict[str, np.ndarray]:
    """The columns of rows, (R,) each; those at N where one is given."""
    c = (1 - level) / level
    with np.errstate(all="ignore"):
        found = _now(rows) | _reach(rows, c)
        return found if n is None else found | _at(rows, n, c)


def _now(rows: Rows) -> dict[str, np.ndarray]:
    target, weights = rows.scores[rows.is_target][:, None], rows.weights[:, :-1]
    others = np.where(rows.visible & ~rows.is_target, rows.scores, -np.inf)
    mean = np.where(rows.rest, target - rows.scores, 0.0).sum(1) / rows.m
    away = np.where(rows.rest, target - rows.scores - mean[:, None], 0.0)
    rounded = to_bf16(rows.scores)
    return {
        "share": rows.share,
        "gap": target[:, 0] - others.max(1),
        "louder": (others > target).sum(1).astype(float),
        "mu": mean / np.sqrt(np.einsum("rk,rk->r", away, away) / rows.m),
        "n_entropy": np.exp(entr(weights).sum(1)),
        "n_squares": 1 / np.einsum("rk,rk->r", weights, weights),
        "sink": rows.fixed * rows.share,
        "share_bf16": 1 / np.exp(rounded - rounded[rows.is_target][:, None]).sum(1),
    }


def _effective(weights: np.ndarray) -> np.ndarray:
    """How many of weights (R, K) count: (sum w)^2 / sum w^2."""
    return weights.sum(1) ** 2 / np.einsum("rk,rk->r", weights, weights)


def _off(rows: Rows, more: np.ndarray) -> np.ndarray:
    """How far the logarithm of the mean of `more` other tokens is off, with 95 %, (R,)."""
    off = STUDENT * rows.error * np.sqrt(1 + rows.m / more)
    return np.where((rows.m < LEAST_FOR_INTERVAL) | (more <= 0), np.nan, off)


def _reach(rows: Rows, c: float) -> dict[str, np.ndarray]:
    """The reach with its interval, and whether an eighth of the rest foretells all of it."""
    more = (c - rows.fixed) / rows.mean
    off = _off(rows, more)
    eighth = rows.m // RUNS
    first, error = rows.mean_and_error(eighth)
    drift = np.log(rows.mean * rows.share / first)
    held_out = np.abs(drift) <= STUDENT * error * np.sqrt(1 - eighth / rows.m)
    is_long = rows.m >= LEAST_FOR_CHECK
    return {
        "reach": np.where(rows.fixed >= c, 0.0, rows.k + more),
        "reach_low": rows.k + more * np.exp(-off),
        "reach_high": rows.k + more * np.exp(off),
        "n_rest": _effective(np.where(rows.rest, rows.weights, 0.0)),
        "drift": np.where(is_long, drift, np.nan),
        "held_out": np.where(is_long, held_out, np.nan),
    }


def _at(rows: Rows, n: float, c: float) -> dict[str, np.ndarray]:
    """The columns at N."""
    more = n - rows.k
    off = _off(rows, more)
    above = rows.scores - rows.scores[rows.is_target][:, None]
    hottest, coldest = temperatures(rows, above, n, c)
    beta = np.where(hottest > 0, 1 / hottest, np.nan)
    return {
        "share_at_n": 1 / (1 + rows.fixed + more * rows.mean),
        "share_low": 1 / (1 + rows.fixed + more * rows.mean * np.exp(off)),
        "share_high": 1 / (1 + rows.fixed + more * rows.mean * np.exp(-off)),
        "temperature": hottest,
        "coldest": coldest,
        "ssmax_s": beta / np.log(n),
        "n_rest_at_t": _effective(np.where(rows.rest, np.exp(above * beta[:, None]), 0.0)),
    }


def temperatures(
    rows: Rows, above: np.ndarray, n: float, c: float
) -> tuple[np.ndarray, np.ndarray]:
    """The hottest and the coldest T at which e^(s/T) keeps the level among n tokens, of scores
    above the target's: 0 and 0 where none does, inf where every hotter one does, coldest 0 where
    nothing is louder than the target.

    h(beta) = sum over F of e^(-beta Delta) + (n - k)/m sum over the rest has a convex logarithm, so
    Newton's method comes to the ends of {h <= c} from outside and never beyond them.
    """
    counted = (above > -np.inf) & ~rows.is_target
    logs = np.where(rows.rest, np.log((n - rows.k) / rows.m)[:, None], 0.0)
    logs, above = np.where(counted, logs, -np.inf), np.where(counted, above, 0.0)
    loudest = above.max(1)

    def end(beta: np.ndarray, direction: int) -> np.ndarray:
        """Where log h comes to log c from beta on, to the right or the left, (R,): beta itself
        where it is there already, NaN where it turns before."""
        for _ in range(200):  # about ten are enough
            terms = beta[:, None] * above + logs
            top = terms.max(1)
            weights = np.exp(terms - top[:, None])
            total, slope = weights.sum(1), np.einsum("rk,rk->r", weights, above)
            over = np.log(total) + top - np.log(c)
            step = np.where(over <= 0, 0.0, -over * total / slope)
            step[~np.isfinite(step) | (step * direction < 0)] = np.nan
            beta = beta + step
            if not (np.abs(step) > 1e-15 * beta).any():
                break
        return beta

    low = end(np.zeros(len(loudest)), 1)
    hottest = np.where(np.isnan(low), 0.0, 1 / low)
    # From here on what is loudest is too much alone.
    least = np.minimum(np.log((n - rows.k) / rows.m), 0.0)
    far = np.where(loudest > 0, (np.log(c) - least) / loudest, 0.0)
    return hottest, np.where((loudest > 0) & (hottest > 0), 1 / end(far, -1), 0.0)
