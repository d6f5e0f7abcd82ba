"""What is measured of rows of scores with softmax: formulas of every column.

Of a row: gaps Delta_j = s_t - s_j to the target's score, weights w_j = e^(-Delta_j) over the
target's. Fixed tokens are there once however long the context is, A is their sum, k = 1 + how many
they are; of the m others, the rest, there will be more, and wbar is their mean. The target keeps
the level while A + (N - k) wbar <= c = (1 - level)/level.
"""

import numpy as np

from .scores import Rows

STUDENT = 2.364624
"""0.975 quantile of Student's t with 7 degrees of freedom."""

RUNS = 8
LEAST_FOR_INTERVAL = RUNS**2
LEAST_FOR_CHECK = RUNS**3
LEAST_REST = 8
"""Rest tokens below which a row has no columns, no interval, no check."""

BELOW_BF16 = 45
"""Bits of float64's 52 that bfloat16's 7 leave out."""

MOST_STEPS = 200
"""Of Newton's method, which takes about ten."""


class Measured:
    """Sums over rows, (R,) each, from which the columns follow; weights are over the row's largest,
    so that none overflows."""

    def __init__(self, rows: Rows, level: float):
        self.rows, self.c = rows, (1 - level) / level
        self.of_target = rows.of_target[:, 0]
        self.top = rows.scores.max(1)
        self.weights = np.exp(rows.scores - self.top[:, None])
        self.target_weight = np.exp(self.of_target - self.top)
        self.n = rows.visible.sum(1)
        self.m = rows.rest.sum(1)
        self.k = self.n - self.m
        rest = np.where(rows.rest, self.weights, 0.0)
        self.rest_sum = rest.sum(1)
        self.rest_squares = np.einsum("rk,rk->r", rest, rest)
        with np.errstate(all="ignore"):
            fixed = np.where(rows.others & ~rows.rest, self.weights, 0.0).sum(1)
            self.fixed_sum = fixed / self.target_weight + rows.missing
            self.mean = self.rest_sum / self.m / self.target_weight

    def share_at(self, n: np.ndarray | float, log_factor: np.ndarray | float = 0.0) -> np.ndarray:
        """The target's weight among n tokens, the rest's mean times a factor."""
        return 1 / (1 + self.fixed_sum + (n - self.k) * self.mean * np.exp(log_factor))

    def run_means(self, m: np.ndarray, runs: int = RUNS) -> np.ndarray:
        """Means of the first m rest weights of each row in `runs` runs as equal as can be, (R,
        runs); of no use where m < runs."""
        flat = self.weights[self.rows.rest]
        starts = np.concatenate([[0], np.cumsum(self.m)[:-1]])[:, None]
        size, more = np.divmod(m, runs)
        k = np.arange(runs + 1)
        ends = k * size[:, None] + np.minimum(k, more[:, None])
        # What is summed from the last end on is not asked for.
        places = np.minimum(starts + ends, len(flat) - 1)
        sums = np.add.reduceat(flat, places.ravel()).reshape(places.shape)[:, :-1]
        last = starts[:, 0] + m == len(flat)
        sums[last, -1] = [flat[place:].sum() for place in places[last, -2]]
        return sums / np.diff(ends, axis=1)

    def spread(self, m: np.ndarray) -> np.ndarray:
        """Relative standard error of the mean of the first m rest weights, by eight runs."""
        mean = self.run_means(m, 1)[:, 0]
        return self.run_means(m).std(1, ddof=1) / (np.sqrt(RUNS) * mean)


def to_bf16(x: np.ndarray) -> np.ndarray:
    """float64 numbers rounded to bfloat16's digits, to nearest, ties to even."""
    bits = np.ascontiguousarray(x).view(np.int64)
    half = (1 << (BELOW_BF16 - 1)) - 1 + ((bits >> BELOW_BF16) & 1)
    return ((bits + half) & -(1 << BELOW_BF16)).view(np.float64)


def softmax_columns(rows: Rows, n: float | None, level: float) -> dict[str, np.ndarray]:
    """The columns of rows, (R,) each; those at N where one is given."""
    of = Measured(rows, level)
    with np.errstate(all="ignore"):
        found = _now(of) | _reach(of)
        if n is not None:
            found |= _at(of, n)
    for name, values in found.items():
        if name != "n":
            values[of.m < LEAST_REST] = np.nan
    return found


def _now(of: Measured) -> dict[str, np.ndarray]:
    rows, share = of.rows, of.share_at(of.n)
    below = np.where(rows.others, rows.scores, -np.inf)
    gaps = of.of_target[:, None] - rows.scores
    mean = np.where(rows.rest, gaps, 0.0).sum(1) / of.m
    away = np.where(rows.rest, gaps - mean[:, None], 0.0)
    total = of.weights.sum(1) + rows.missing * of.target_weight
    logs = np.where(of.weights > 0, rows.scores - of.top[:, None], 0.0)
    mean_log = np.einsum("rk,rk->r", of.weights, logs) / total
    rounded = to_bf16(rows.scores)
    rounded_target = np.take_along_axis(rounded, rows.labels["target"][:, None], 1)
    return {
        "n": of.n,
        "share": share,
        "gap": of.of_target - below.max(1),
        "louder": (below > of.of_target[:, None]).sum(1).astype(float),
        "mu": mean / np.sqrt(np.einsum("rk,rk->r", away, away) / of.m),
        "n_entropy": np.exp(np.log(total) - mean_log),
        "n_squares": total**2 / np.einsum("rk,rk->r", of.weights, of.weights),
        "sink": of.fixed_sum * share,
        "share_bf16": 1 / (np.exp(rounded - rounded_target).sum(1) + rows.missing),
    }


def _reach(of: Measured) -> dict[str, np.ndarray]:
    """The reach with its interval, and whether an eighth of the rest foretells all of it."""
    eighth = of.m // RUNS
    more = (of.c - of.fixed_sum) / of.mean
    reach = np.where(of.fixed_sum >= of.c, 0.0, of.k + more)
    off = STUDENT * of.spread(of.m) * np.sqrt(1 + of.m / more)
    off[(of.m < LEAST_FOR_INTERVAL) | (reach == 0)] = np.nan
    first = of.run_means(eighth, 1)[:, 0]
    drift = np.log(of.rest_sum / of.m / first)
    allowed = STUDENT * of.spread(eighth) * np.sqrt(1 - eighth / of.m)
    held_out = (np.abs(drift) <= allowed).astype(float)
    for values in (drift, held_out):
        values[of.m < LEAST_FOR_CHECK] = np.nan
    return {
        "reach": reach,
        "reach_low": of.k + more * np.exp(-off),
        "reach_high": of.k + more * np.exp(off),
        "n_rest": of.rest_sum**2 / of.rest_squares,
        "drift": drift,
        "held_out": held_out,
    }


def _at(of: Measured, n: float) -> dict[str, np.ndarray]:
    """The columns at N."""
    off = STUDENT * of.spread(of.m) * np.sqrt(1 + of.m / (n - of.k))
    off[of.m < LEAST_FOR_INTERVAL] = np.nan
    hottest, coldest = temperatures(of, n)
    weights = np.where(of.rows.rest, (of.rows.scores - of.top[:, None]), -np.inf)
    beta = np.where(hottest > 0, 1 / hottest, np.nan)
    weights = np.exp(weights * beta[:, None])
    return {
        "share_at_n": of.share_at(n),
        "share_low": of.share_at(n, off),
        "share_high": of.share_at(n, -off),
        "temperature": hottest,
        "coldest": coldest,
        "ssmax_s": np.where(hottest > 0, beta / np.log(n), np.nan),
        "n_rest_at_t": weights.sum(1) ** 2 / np.einsum("rk,rk->r", weights, weights),
    }


def temperatures(of: Measured, n: float) -> tuple[np.ndarray, np.ndarray]:
    """The hottest and the coldest T at which e^(s/T) keeps the level among n tokens: 0 and 0 where
    none does, inf where every hotter one does, coldest 0 where nothing is louder than the target.

    h(beta) = sum over F of e^(-beta Delta) + (n - k)/m sum over the rest has a convex logarithm, so
    Newton's method comes to the ends of {h <= c} from outside and never beyond them.
    """
    rows = of.rows
    louder = np.where(rows.others, rows.scores - of.of_target[:, None], -np.inf)
    logs = np.where(rows.rest, np.log((n - of.k) / of.m)[:, None], 0.0)
    # A sink that is no token has one weight, of a token that it would be.
    louder = np.column_stack([louder, np.log(rows.missing)])
    logs = np.column_stack([logs, np.zeros(len(logs))])
    goal, loudest = np.log(of.c), louder.max(1)
    # From here on what is loudest is too much alone.
    far = np.where(loudest > 0, (goal - logs.min(1)) / np.maximum(loudest, 1e-300), 0.0)
    low = _end(louder, logs, goal, np.zeros(len(logs)), 1)
    high = _end(louder, logs, goal, np.maximum(far, 0.0), -1)
    hottest = np.where(np.isnan(low), 0.0, 1 / low)
    return hottest, np.where((loudest > 0) & (hottest > 0), 1 / high, 0.0)


def _end(
    louder: np.ndarray, logs: np.ndarray, goal: float, beta: np.ndarray, direction: int
) -> np.ndarray:
    """Where log h comes to the goal from beta on, to the right or the left, (R,): beta itself where
    it is there already, NaN where it turns before."""
    for _ in range(MOST_STEPS):
        terms = np.where(louder > -np.inf, beta[:, None] * louder, -np.inf) + logs
        top = terms.max(1)
        weights = np.exp(terms - top[:, None])
        over = np.log(weights.sum(1)) + top - goal
        slope = np.where(weights > 0, weights * louder, 0.0).sum(1) / weights.sum(1)
        step = np.where(over > 0, -over / slope, 0.0)
        step[~np.isfinite(step) | (step * direction < 0)] = np.nan
        beta = beta + step
        if not (np.abs(step) > 1e-15 * beta).any():
            break
    return beta
