"""What is measured of rows of scores with softmax: formulas of every column.

In the words of `rows`: the target keeps the level while A + S + (N - k) wbar <= c, with
c = (1 - level)/level, k being the number of tokens that are there once: the target, fixed and near
ones. What is not known is NaN, and so is what follows.
"""

import numpy as np
from scipy.special import entr

from .rows import LEAST_REST, Rows
from .temperatures import temperatures
from .tokens_in_order import RUNS

STUDENT = 2.364624
"""0.975 quantile of Student's t with 7 degrees of freedom."""

WELCH = 2.167
"""That with 12.5 degrees of freedom: Welch's, of two means of eight runs whose variances are as
1 to 2."""

LEAST_FOR_INTERVAL = RUNS**2
"""Far tokens below which a row has no interval."""

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
        columns = _known(rows, _present(rows), rows.m)
        columns |= _known(rows, _reach(rows, c) | _check(rows), rows.m_far)
        if n is not None:
            columns |= columns_at(rows, n)
            columns |= _known(rows, _temperature(rows, n, c), rows.m_far)
    return columns


def _known(rows: Rows, columns: Columns, count: np.ndarray) -> Columns:
    """Columns (R,), NaN where a row has too few of the tokens that they rest on, (R,)."""
    is_known = count >= LEAST_REST
    return {name: np.where(is_known, values, np.nan) for name, values in columns.items()}


def columns_at(rows: Rows, n: float) -> Columns:
    """The target's share among N tokens and its interval, (R,) each; NaN where the tokens that are
    there once are more than N."""
    far_count = far_count_at(rows, n)
    with np.errstate(all="ignore"):
        far_weight = far_count * rows.far_mean
        log_error = _log_error_of_mean(rows, far_count)
        columns = {
            "share_at_n": 1 / (1 + rows.once_weight + far_weight),
            "share_low": 1 / (1 + rows.once_weight + far_weight * np.exp(log_error)),
            "share_high": 1 / (1 + rows.once_weight + far_weight * np.exp(-log_error)),
        }
    return _known(rows, columns, rows.m_far)


def far_count_at(rows: Rows, n: float) -> np.ndarray:
    """How many far tokens there are among N, (R,): as many as now where nothing comes in as the
    context grows, NaN where the tokens that are there once are more than N."""
    count = n - rows.k
    count = np.where(count >= 0, count, np.nan)
    return np.where(rows.order.is_whole, rows.m_far, count)


def _present(rows: Rows) -> Columns:
    """Columns of the tokens that are there."""
    above = rows.above_target
    is_other = rows.is_seen & ~rows.is_target
    token_weights = rows.weights[:, :-1]
    return {
        "share": rows.share,
        "gap": -np.max(above, axis=1, initial=-np.inf, where=is_other),
        "louder": ((above > 0) & is_other).sum(axis=1).astype(float),
        "mu": (rows.target_score - rows.rest_by_key.mean_score) / rows.rest_by_key.deviation,
        "n_entropy": np.exp(entr(token_weights).sum(axis=1)),
        "n_squares": 1 / np.einsum("rk,rk->r", token_weights, token_weights),
        "sink": rows.sink_share,
        "share_bf16": _share_in_bf16(rows),
    }


def _share_in_bf16(rows: Rows) -> np.ndarray:
    """The target's weight after rounding scores, (R,)."""
    rounded = to_bf16(rows.scores)
    target = rounded[rows.is_target]
    share = 1 / np.exp(rounded - target[:, None]).sum(axis=1)
    return np.where(target == -np.inf, 0.0, share)


def _log_error_of_mean(rows: Rows, far_count: np.ndarray) -> np.ndarray:
    """The error of log wbar as that of the mean of so many far tokens, (R,): with 95 % their mean
    is from wbar e^-error to wbar e^error. NaN where the interval is not known.

    Where some of the rest are near, the far tokens that are there stay, and others come in: the
    interval is closed at the number that there is. Else all are others."""
    ratio = rows.m_far / far_count
    spread = 1 + ratio if rows.order.near == 0 else np.abs(1 - ratio)
    log_error = STUDENT * rows.far.relative_error * np.sqrt(spread)
    has_interval = (rows.m_far >= LEAST_FOR_INTERVAL) & ~(far_count <= 0)
    return np.where(has_interval, log_error, np.nan)


def _reach(rows: Rows, c: float) -> Columns:
    """The reach, which is the largest N at which the target keeps the level, with its interval, and
    how many tokens it rests on. It is 0 where what is there once takes too much."""
    # As many far tokens as keep A + S + (N - k) wbar <= c.
    far_count = (c - rows.once_weight) / rows.far_mean
    log_error = _log_error_of_mean(rows, far_count)
    reach = np.where(rows.once_weight >= c, 0.0, rows.k + far_count)
    low = rows.k + far_count * np.exp(-log_error)
    high = rows.k + far_count * np.exp(log_error)
    if rows.order.near != 0:
        # The tokens that are there say whether the level is kept among them.
        low = np.where(reach >= rows.n, np.maximum(low, rows.n), low)
        high = np.where(reach < rows.n, np.minimum(high, rows.n), high)
    # Where nothing comes in, what is kept now is kept at every N.
    is_whole = rows.order.is_whole
    is_kept_now = rows.once_weight + rows.m_far * rows.far_mean <= c
    reach_of_whole = np.where(is_kept_now, np.inf, 0.0)
    end_of_whole = np.where(is_kept_now, np.inf, np.nan)
    return {
        "reach": np.where(is_whole, reach_of_whole, reach),
        "reach_low": np.where(is_whole, end_of_whole, low),
        "reach_high": np.where(is_whole, end_of_whole, high),
        "n_rest": rows.far.effective_number,
    }


def _check(rows: Rows) -> Columns:
    """Whether one part of the context foretells another: not known where either has no weight.

    Where keys are in order, of the rest, the nearest first: the quarter from a fourth to a half of
    it, what its nearer half would take as far, foretells the farther half. Else the first eighth
    foretells all of it."""
    if rows.order.is_known:
        half = rows.m // 2
        foretelling = rows.rest_by_distance.part(rows.m // 4, half)
        foretold = rows.rest_by_distance.part(half, rows.m)
        both_errors = np.hypot(foretelling.relative_error, foretold.relative_error)
        allowed = WELCH * both_errors
    else:
        eighth = rows.m // RUNS
        foretelling = rows.rest_by_key.part(np.zeros_like(eighth), eighth)
        foretold = rows.rest_by_key
        allowed = STUDENT * foretelling.relative_error * np.sqrt(1 - eighth / rows.m)
    drift = foretold.log_mean - foretelling.log_mean
    is_known = (rows.m >= LEAST_FOR_CHECK) & np.isfinite(drift) & np.isfinite(allowed)
    return {
        "drift": np.where(is_known, drift, np.nan),
        "held_out": np.where(is_known, np.abs(drift) <= allowed, np.nan),
    }


def _temperature(rows: Rows, n: float, c: float) -> Columns:
    """The temperatures that keep the level at N. The s of SSMax and n_rest are at the hottest one:
    NaN where there is none."""
    hottest, coldest = temperatures(rows, far_count_at(rows, n), c)
    is_kept_at_some = hottest > 0
    hottest_beta = np.where(is_kept_at_some, 1 / hottest, np.nan)
    far_at_hottest = rows.far.at_inverse_temperature(hottest_beta)
    return {
        "temperature": hottest,
        "coldest": coldest,
        # SSMax multiplies scores by s log n, as a temperature of 1/beta does by beta.
        "ssmax_s": hottest_beta / np.log(n),
        "n_rest_at_t": far_at_hottest.effective_number,
    }
