"""One sign column against the softmax-regression data, given its number of pluses.

A score exceeds tau if and only if sum_i w_i (y_i - tau) > 0, with w the entries u of A x over log n
under the linear kernel and n^u under the exponential one. Given p pluses and q minuses this is a
sum of independent terms (1 - tau) w and -(1 + tau) w: it needs no normaliser. Below, "sum" means
this sum over all coordinates but one or two, whose terms are the offsets. Over two-point data its
law is summed, over uniform data its characteristic function is inverted.
"""

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np

from ...attention.sign_columns import TIE_TOLERANCE, likely_heads
from ..models.regression import LOWER, SPECIAL, UPPER

COUNTS_AT_A_TIME = 16
"""Pairs of counts at a time: so few that their arrays stay in a core's cache."""


class Below(NamedTuple):
    """P(sum + offset <= 0), (counts, offsets), and its estimated error."""

    probability: np.ndarray
    error: float


class Both(NamedTuple):
    """The same of both sums and of each: P(linear and exponential sum + offset <= 0)."""

    both: np.ndarray
    linear: np.ndarray
    exponential: np.ndarray
    error: float


def weights(kernel: str, n: int, u: np.ndarray) -> np.ndarray:
    """Weights up to a factor, from the entries u of A x over log n."""
    return u if kernel == "linear" else float(n) ** (u - (LOWER + UPPER) / 2)


@dataclass(frozen=True)
class TwoPointSums:
    """Entries LOWER or UPPER, each with probability 1/2: exact sums over how many are UPPER."""

    n: int
    tau: float

    @property
    def entry(self) -> tuple[np.ndarray, np.ndarray]:
        """Values of one entry and their probabilities, (2,) each."""
        return np.array([LOWER, UPPER]), np.array([0.5, 0.5])

    def below(
        self, kernel: str, pluses: np.ndarray, minuses: np.ndarray, offsets: np.ndarray
    ) -> Below:
        """P(sum + offset <= 0) for each pair of counts (K,) and each offset (S,)."""
        low, high = self._weights(kernel)
        surely = low * ((1 - self.tau) * pluses - (1 + self.tau) * minuses)[:, None] + offsets
        fewest = (surely - TIE_TOLERANCE * self.n) / ((1 + self.tau) * (high - low))
        slope = (1 - self.tau) / (1 + self.tau)
        return Below(_enough_heads(pluses, minuses, slope, fewest), 0.0)

    def both(
        self, pluses: np.ndarray, minuses: np.ndarray, linear: np.ndarray, exponential: np.ndarray
    ) -> Both:
        """The joint law for offsets `linear` and `exponential`, (S,) each, of the two sums.

        Either sum is at most 0 from some number of UPPER among the minuses on, which grows alike
        with those among the pluses: of the two events one implies the other.
        """
        lin = self.below("linear", pluses, minuses, linear).probability
        exp = self.below("exp", pluses, minuses, exponential).probability
        return Both(np.minimum(lin, exp), lin, exp, 0.0)

    def zero_given_data(self, kernel: str, dataset: int) -> tuple[np.ndarray, np.ndarray]:
        """P(a column leaves a network zero) given how many entries are UPPER; their shares."""
        ordinary = self.n - dataset
        upper, share = likely_heads(ordinary)
        lower = ordinary - upper
        offsets = SPECIAL * (np.array([-1, 1]) - self.tau) if dataset else np.zeros(1)
        low, high = self._weights(kernel)
        # Zero where twice the weight of the pluses is at most this: where the minuses among the
        # LOWER are enough for the pluses among the UPPER.
        most = ((1 + self.tau) * (upper * high + lower * low))[:, None] - offsets
        fewest = lower[:, None] - (most + TIE_TOLERANCE * self.n) / (2 * low)
        return _enough_heads(upper, lower, high / low, fewest).mean(axis=1), share

    def _weights(self, kernel: str) -> np.ndarray:
        return weights(kernel, self.n, np.array([LOWER, UPPER]))


def _enough_heads(
    first: np.ndarray, second: np.ndarray, slope: float, fewest: np.ndarray
) -> np.ndarray:
    """P(heads of `second` fair coins >= slope * heads of `first` ones + fewest), (K, S).

    first, second : (K,)
    fewest : (K, S)
    """
    excess = ((slope * first - second) / 2)[:, None] + fewest
    # By Hoeffding's inequality, all but 1e-21 of a law lies this close to its mean.
    reach = 5 * np.sqrt(slope**2 * first + second)
    result = np.where(excess < 0, 1.0, 0.0)
    is_open = np.flatnonzero(np.abs(excess).min(axis=1) <= reach)
    for start in range(0, len(is_open), COUNTS_AT_A_TIME):
        rows = is_open[start : start + COUNTS_AT_A_TIME]
        heads, share = _heads(first[rows])
        others, other_share = _heads(second[rows])
        count, width = other_share.shape
        at_least = np.zeros((count, width + 1))
        np.cumsum(other_share[:, ::-1], axis=1, out=at_least[:, -2::-1])
        needed = (slope * heads)[:, None] + (fewest[rows] - others[:, :1])[:, :, None]
        index = np.ceil(needed).clip(0, width).astype(np.int64)
        index += (np.arange(count) * (width + 1))[:, None, None]
        result[rows] = np.einsum("ksh,kh->ks", at_least.take(index), share)
    return result


def _heads(coins: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Numbers of heads and their probabilities, (K, width) each: all that are likely."""
    laws = [likely_heads(count) for count in coins.tolist()]
    shares = np.zeros((len(laws), max(len(share) for _, share in laws)))
    for row, (_, share) in zip(shares, laws, strict=True):
        row[: len(share)] = share
    least = np.array([numbers[0] for numbers, _ in laws])
    return least[:, None] + np.arange(shares.shape[1]), shares


LONGEST_GRID = 400
"""Frequencies to each side of 0: reached only where n is small and characteristic functions
decay slowly; what it cuts off is in the stated error."""

NEGLIGIBLE_EXPONENT = -40.0

BAND = 8
"""Frequencies of the linear sum at a time: the transforms that count lie near a diagonal."""

OUTER = 0.8
"""Frequencies beyond this share of a grid estimate what lies outside of the grid."""


@lru_cache
def gauss_legendre(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Nodes and weights for means over the uniform law of an entry."""
    x, share = np.polynomial.legendre.leggauss(count)
    return (LOWER + UPPER) / 2 + (UPPER - LOWER) / 2 * x, share / 2


@lru_cache(maxsize=256)
def _weight_moments(kernel: str, n: int) -> tuple[float, float]:
    """Mean and standard deviation of an entry's weight."""
    u, share = gauss_legendre(32)
    w = weights(kernel, n, u)
    mean = share @ w
    return mean, math.sqrt(share @ (w - mean) ** 2)


def _waves(grid: np.ndarray, x: np.ndarray) -> np.ndarray:
    """exp(i grid x), (len(grid), len(x)), on frequencies (j + 1/2) h: products of a few waves."""
    count = math.isqrt(len(grid)) + 1
    first = np.exp(1j * np.outer(grid[:count], x))
    jumps = 2 * grid[0] * count * np.arange(-(-len(grid) // count))
    return (np.exp(1j * np.outer(jumps, x))[:, None] * first).reshape(-1, len(x))[: len(grid)]


def _power(x: np.ndarray, exponent: int) -> np.ndarray:
    """x^exponent, by squaring."""
    power = np.ones_like(x)
    while exponent:
        if exponent % 2:
            power *= x
        x, exponent = x * x, exponent // 2
    return power


def _powers(first, x: np.ndarray, exponents: np.ndarray) -> np.ndarray:
    """first x^exponents, (len(exponents), *x.shape), from a table of all up to the highest."""
    table = np.empty((exponents.max() + 1, *x.shape), dtype=x.dtype)
    table[0] = first
    known = 1
    while known < len(table):
        more = table[known : 2 * known]
        np.multiply(table[: len(more)], x, out=more)
        x, known = x * x, 2 * known
    return table[exponents]


def _with_negative(waves: np.ndarray) -> np.ndarray:
    """Waves at frequencies -b and b, in order, from those at b."""
    return np.concatenate([waves[::-1].conj(), waves])


@dataclass(frozen=True)
class UniformSums:
    """Entries uniform on [LOWER, UPPER]: Fourier inversion of the sums' characteristic functions.

    On frequencies (j + 1/2) h the inversion integral for sgn X becomes a square wave's Fourier
    series, right wherever |X| < 2 pi / h: the error is P(|X| >= 2 pi / h), bounded by Chernoff, and
    what lies beyond the last frequency.

    reach : values that the grid must tell apart, in standard deviations to each side
    cut : highest frequency, in units of one over a standard deviation
    nodes : values that stand for one coordinate's entry (Gauss-Legendre)
    """

    n: int
    tau: float
    reach: float = 7.0
    cut: float = 7.0
    nodes: int = 8

    @cached_property
    def entry(self) -> tuple[np.ndarray, np.ndarray]:
        """Values of one entry and their probabilities, (nodes,) each."""
        return gauss_legendre(self.nodes)

    def below(
        self, kernel: str, pluses: np.ndarray, minuses: np.ndarray, offsets: np.ndarray
    ) -> Below:
        """P(sum + offset <= 0) for each pair of counts (K,) and each offset (S,)."""
        centre, spread, is_open = self._open(kernel, pluses, minuses, offsets)
        result = np.repeat(np.where(centre < 0, 1.0, 0.0)[:, None], len(offsets), axis=1)
        error = self._beyond_reach(kernel, pluses, minuses)
        if is_open.any():
            p, q = pluses[is_open], minuses[is_open]
            grid = self._grid(kernel, p, q, spread, 1.0)
            u, share = self._nodes({kernel: grid})
            phases = np.outer(weights(kernel, self.n, u), grid)
            plus, minus = (share @ np.exp(1j * size * phases) for size in self._sizes)
            # By logarithms: products would add up as many rounding errors as there are terms.
            plus, minus = np.log(plus + 1e-300), np.log(minus + 1e-300)
            of = np.exp(p[:, None] * plus + q[:, None] * minus)
            order = np.arange(len(grid)) + 0.5
            signs = (of @ (_waves(grid, offsets) / order[:, None])).imag * 2 / np.pi
            result[is_open] = np.clip((1 - signs) / 2, 0, 1)
            outer = order > OUTER * len(grid)
            error += (np.abs(of[:, outer]) @ (1 / order[outer])).max() / np.pi
        return Below(result, error)

    def both(
        self, pluses: np.ndarray, minuses: np.ndarray, linear: np.ndarray, exponential: np.ndarray
    ) -> Both:
        """The joint law for offsets `linear` and `exponential`, (S,) each, of the two sums."""
        lin = self.below("linear", pluses, minuses, linear)
        exp = self.below("exp", pluses, minuses, exponential)
        result = lin.probability * exp.probability  # right where one of them is 0 or 1
        error = lin.error + exp.error
        _, lin_spread, lin_open = self._open("linear", pluses, minuses, linear)
        _, exp_spread, exp_open = self._open("exp", pluses, minuses, exponential)
        is_open = lin_open & exp_open
        if is_open.any():
            p, q = pluses[is_open], minuses[is_open]
            narrowing = math.sqrt(max(1 - self._correlation**2, 1e-12))
            a = self._grid("linear", p, q, lin_spread, narrowing)
            b = self._grid("exp", p, q, exp_spread, narrowing)
            signs, cut_off = self._inverted(p, q, a, b, linear, exponential)
            x, y = lin.probability[is_open], exp.probability[is_open]
            inverted = (2 * x + 2 * y - 1 + signs) / 4
            result[is_open] = np.clip(inverted, np.maximum(x + y - 1, 0), np.minimum(x, y))
            error += cut_off
        return Both(result, lin.probability, exp.probability, error)

    def _inverted(
        self, pluses: np.ndarray, minuses: np.ndarray, a: np.ndarray, b: np.ndarray,
        linear: np.ndarray, exponential: np.ndarray,
    ) -> tuple[np.ndarray, float]:  # fmt: skip
        """Means of the product of both sums' signs, (K, S), and what grids a and b cut off.

        Summed over frequencies a and +-b: terms at -a are conjugate to these.
        """
        # A sum's transform is a power of that of one plus times one of that of one minus.
        plus, minus = self._joint_transforms(a, b)
        i, j = (np.arange(len(grid)) + 0.5 for grid in (a, b))
        j = np.concatenate([-j[::-1], j])
        over = 1 / np.outer(i, j)
        p, q = pluses.min(), minuses.min()
        plus_size, minus_size = (np.log(np.abs(of) + 1e-300) for of in (plus, minus))
        kept = p * plus_size + q * minus_size > NEGLIGIBLE_EXPONENT
        outer = kept & (np.maximum.outer(i / len(a), np.abs(j) / len(b)) > OUTER)
        size = np.outer(pluses, plus_size[outer]) + np.outer(minuses, minus_size[outer])
        cut_off = (np.exp(size) @ np.abs(over[outer])).max(initial=0.0)
        least = np.zeros_like(plus)
        least[kept] = _power(plus[kept], p) * _power(minus[kept], q) * over[kept]
        linear_waves, exponential_waves = _waves(a, linear), _with_negative(_waves(b, exponential))
        signs = np.zeros((len(pluses), len(linear)))
        for start in range(0, len(a), BAND):
            rows = slice(start, start + BAND)
            columns = np.flatnonzero(kept[rows].any(axis=0))
            if len(columns):
                part = rows, slice(columns[0], columns[-1] + 1)
                of = _powers(least[part], plus[part], pluses - p)
                of *= _powers(1.0, minus[part], minuses - q)
                waves = of.reshape(-1, of.shape[-1]) @ exponential_waves[part[1]]
                waves = waves.reshape(*of.shape[:2], -1)
                signs -= np.einsum("kis,is->ks", waves, linear_waves[rows]).real
        return signs * 2 / np.pi**2, cut_off / (2 * np.pi**2)

    def _scale(self, pluses: np.ndarray, minuses: np.ndarray) -> np.ndarray:
        """Standard deviation of a sum over that of one weight."""
        return np.sqrt((1 - self.tau) ** 2 * pluses + (1 + self.tau) ** 2 * minuses)

    @cached_property
    def _correlation(self) -> float:
        u, share = gauss_legendre(32)
        (u_mean, u_sd), (w_mean, w_sd) = (_weight_moments(k, self.n) for k in ("linear", "exp"))
        return share @ ((u - u_mean) * (weights("exp", self.n, u) - w_mean)) / (u_sd * w_sd)

    def _open(self, kernel, pluses, minuses, offsets) -> tuple[np.ndarray, float, np.ndarray]:
        """Means of the sums, half the offsets' range, and where the sign is not as good as sure."""
        mean, sd = _weight_moments(kernel, self.n)
        middle, spread = (offsets.max() + offsets.min()) / 2, np.ptp(offsets) / 2
        centre = mean * ((1 - self.tau) * pluses - (1 + self.tau) * minuses) + middle
        reach = self.reach * sd * self._scale(pluses, minuses) + spread
        return centre, spread, np.abs(centre) <= reach

    def _grid(self, kernel, pluses, minuses, spread: float, narrowing: float) -> np.ndarray:
        """Positive frequencies for sums that are open, with offsets over `spread` to each side."""
        sd = _weight_moments(kernel, self.n)[1] * self._scale(pluses, minuses)
        step = 2 * np.pi / max(2 * (self.reach * sd.max() + spread), 1e-9)
        highest = self.cut / max(sd.min() * narrowing, 1e-9)
        return (np.arange(min(math.ceil(highest / step), LONGEST_GRID)) + 0.5) * step

    @property
    def _sizes(self) -> tuple[float, float]:
        """y - tau of a plus and of a minus."""
        return 1 - self.tau, -(1 + self.tau)

    def _nodes(self, grids: dict[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
        """Entries and shares, enough for means of waves in the kernels' weights on these grids."""
        ends = np.array([LOWER, UPPER])
        phases = (grid[-1] * np.ptp(weights(k, self.n, ends)) for k, grid in grids.items())
        return gauss_legendre(24 + math.ceil((1 + self.tau) * sum(phases) / 2))

    def _joint_transforms(self, a: np.ndarray, b: np.ndarray) -> list[np.ndarray]:
        """E exp(i (a X +- b Y)), (len(a), 2 len(b)), for one plus and for one minus."""
        u, share = self._nodes({"linear": a, "exp": b})
        w = weights("exp", self.n, u)
        return [
            (_waves(a, size * u) * share) @ _with_negative(_waves(b, size * w)).T
            for size in self._sizes
        ]

    def _beyond_reach(self, kernel: str, pluses: np.ndarray, minuses: np.ndarray) -> float:
        """Chernoff's bound on P(|sum - its mean| > reach standard deviations), at the worst."""
        u, share = gauss_legendre(32)
        mean, sd = _weight_moments(kernel, self.n)
        centred = weights(kernel, self.n, u) - mean
        spread = sd * self._scale(pluses, minuses)
        tilt = self.reach / np.maximum(spread, sd / 10)
        upwards = np.exp(np.multiply.outer(np.outer(self._sizes, tilt), centred))
        total = np.zeros(len(pluses))
        for tilted in (upwards, 1 / upwards):
            plus, minus = np.log(tilted @ share)
            total += np.exp(pluses * plus + minuses * minus - tilt * self.reach * spread)
        return float(total.max())
