"""What is measured of rows of scores with softmax: formulas of every column.

In the words of `rows`: the target keeps the level while A + (N - k) wbar <= c = (1 - level)/level,
k being the number of fixed tokens and one. What is not known is NaN, and so is what follows.
"""

import numpy as np
from scipy.special import entr

from .rows import RUNS, Rows
from .temperatures import temperatures

STUDENT = 2.364624
"""0.975 quantile of Student's t with 7 degrees of freedom."""

LEAST_FOR_INTERVAL = RUNS**2
"""Rest tokens below which a row has no interval."""

LEAST_FOR_CHECK = RUNS**3
"""Rest tokens below which a row has no check."""

Columns = dict[str, np.ndarray]


def to_bf16(x: np.ndarray) -> np.ndarray:
    """float64 numbers rounded to bfloat16's digits, to nearest, ties to even."""
    dropped = 45  # 7 bits are left of 52
    bits = np.ascontiguousarray(x).view(np.int64)
    is_odd = (bits >> dropped) & 1
    half = (1 << (dropped - 1)) - 1 + is_odd
    kept = (bits + half) & -(1 << dropped)
    return kept.view(np.float64)


def softmax_columns(rows: Rows, n: float | None, level: float) -> Columns:
    """The columns of rows, (R,) each; those at N where one is given."""
    c = (1 - level) / level
    with np.errstate(all="ignore"):
        columns = _present(rows) | _reach(rows, c) | _check(rows)
        if n is not None:
            columns |= columns_at(rows, n) | _temperature(rows, n, c)
    return columns


def columns_at(rows: Rows, n: float) -> Columns:
    """The target's share among N tokens and its interval, (R,) each."""
    rest_count = n - rows.k
    with np.errstate(all="ignore"):
        rest_weight = rest_count * rows.rest_mean
        log_error = _log_error_of_mean(rows, rest_count)
        return {
            "share_at_n": 1 / (1 + rows.fixed_weight + rest_weight),
            "share_low": 1 / (1 + rows.fixed_weight + rest_weight * np.exp(log_error)),
            "share_high": 1 / (1 + rows.fixed_weight + rest_weight * np.exp(-log_error)),
        }


def _present(rows: Rows) -> Columns:
    """Columns of the tokens that are there."""
    above = rows.above_target
    is_other = rows.is_seen & ~rows.is_target
    token_weights = rows.weights[:, :-1]
    return {
        "share": rows.share,
        "gap": -np.max(above, axis=1, initial=-np.inf, where=is_other),
        "louder": ((above > 0) & is_other).sum(axis=1).astype(float),
        "mu": _mean_over_deviation(-above, rows.is_rest),
        "n_entropy": np.exp(entr(token_weights).sum(axis=1)),
        "n_squares": 1 / np.einsum("rk,rk->r", token_weights, token_weights),
        "sink": rows.sink_share,
        "share_bf16": _share_in_bf16(rows),
    }


def _mean_over_deviation(x: np.ndarray, is_counted: np.ndarray) -> np.ndarray:
    """Of the counted numbers of each row (R, K), (R,)."""
    count = is_counted.sum(axis=1)
    mean = np.where(is_counted, x, 0.0).sum(axis=1) / count
    away = np.where(is_counted, x - mean[:, None], 0.0)
    return mean / np.sqrt(np.einsum("rk,rk->r", away, away) / count)


def _share_in_bf16(rows: Rows) -> np.ndarray:
    """The target's weight after rounding scores, (R,)."""
    rounded = to_bf16(rows.scores)
    target = rounded[rows.is_target]
    share = 1 / np.exp(rounded - target[:, None]).sum(axis=1)
    return np.where(target == -np.inf, 0.0, share)


def _effective_number(weights: np.ndarray) -> np.ndarray:
    """How many of weights (R, K) count, (R,): (sum w)^2 / sum w^2."""
    return weights.sum(axis=1) ** 2 / np.einsum("rk,rk->r", weights, weights)


def _log_error_of_mean(rows: Rows, rest_count: np.ndarray) -> np.ndarray:
    """The error of log wbar as that of the mean of so many rest tokens, (R,): with 95 % their mean
    is from wbar e^-error to wbar e^error. NaN where the interval is not known."""
    _, relative_error = rows.mean_and_error(rows.m)
    log_error = STUDENT * relative_error * np.sqrt(1 + rows.m / rest_count)
    has_interval = (rows.m >= LEAST_FOR_INTERVAL) & ~(rest_count <= 0)
    return np.where(has_interval, log_error, np.nan)


def _reach(rows: Rows, c: float) -> Columns:
    """The reach, which is the largest N at which the target keeps the level, with its interval, and
    how many tokens it rests on."""
    # As many rest tokens as keep A + (N - k) wbar <= c.
    rest_count = (c - rows.fixed_weight) / rows.rest_mean
    log_error = _log_error_of_mean(rows, rest_count)
    return {
        "reach": np.where(rows.fixed_weight >= c, 0.0, rows.k + rest_count),
        "reach_low": rows.k + rest_count * np.exp(-log_error),
        "reach_high": rows.k + rest_count * np.exp(log_error),
        "n_rest": _effective_number(rows.rest_weights),
    }


def _check(rows: Rows) -> Columns:
    """Whether the first eighth of the rest foretells all of it: not known where either has no
    weight."""
    eighth = rows.m // RUNS
    mean, _ = rows.mean_and_error(rows.m)
    first_mean, first_error = rows.mean_and_error(eighth)
    drift = np.log(mean / first_mean)
    allowed = STUDENT * first_error * np.sqrt(1 - eighth / rows.m)
    is_known = (rows.m >= LEAST_FOR_CHECK) & np.isfinite(drift) & np.isfinite(allowed)
    return {
        "drift": np.where(is_known, drift, np.nan),
        "held_out": np.where(is_known, np.abs(drift) <= allowed, np.nan),
    }


def _temperature(rows: Rows, n: float, c: float) -> Columns:
    """The temperatures that keep the level at N. The s of SSMax and n_rest are at the hottest one:
    NaN where there is none."""
    hottest, coldest = temperatures(rows, n, c)
    beta = np.where(hottest > 0, 1 / hottest, np.nan)
    scaled = np.where(rows.is_rest, rows.above_target, -np.inf) * beta[:, None]
    has_weight = rows.is_rest & (rows.scores > -np.inf)
    return {
        "temperature": hottest,
        "coldest": coldest,
        "ssmax_s": beta / np.log(n),
        "n_rest_at_t": _effective_number(np.where(has_weight, np.exp(scaled), 0.0)),
    }
