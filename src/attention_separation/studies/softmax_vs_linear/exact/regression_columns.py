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

from ....attention.sign_columns import TIE_TOLERANCE, likely_heads
from ....statistics.fourier import half_integers, square_wave
from ..models.regression import LOWER, SPECIAL_MULTIPLE, UPPER

COUNTS_AT_A_TIME = 16
"""Pairs of counts at a time: so few that their arrays stay in a core's cache."""


class Below(NamedTuple):
    """P(sum + offset <= 0), (counts, offsets), and its estimated error."""

    probability: np.ndarray
    error: float


class Both(NamedTuple):
    """P(sum + offset <= 0), (counts, offsets), of the linear and of the exponential sum, and that
    both are so; and the estimated error of all."""

    both: np.ndarray
    linear: np.ndarray
    exponential: np.ndarray
    error: float


def weights(kernel: str, n: int, u: np.ndarray) -> np.ndarray:
    """The weights w of a kernel up to a factor, from the entries u of A x over log n."""
    if kernel == "linear":
        return u
    return float(n) ** (u - (LOWER + UPPER) / 2)


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
        """P(sum + offset <= 0), (K, S), for each pair of counts (K,) and each offset (S,)."""
        low, high = self._weights(kernel)
        # With every entry LOWER. One that is UPPER instead adds (1 - tau) (high - low) where its
        # sign is plus, and takes off (1 + tau) (high - low) where it is minus.
        signs = (1 - self.tau) * pluses - (1 + self.tau) * minuses
        sum_of_lower = low * signs[:, None] + offsets
        fewest = (sum_of_lower - TIE_TOLERANCE * self.n) / ((1 + self.tau) * (high - low))
        slope = (1 - self.tau) / (1 + self.tau)
        return Below(_enough_heads(pluses, minuses, slope, fewest), 0.0)

    def both(
        self, pluses: np.ndarray, minuses: np.ndarray, linear: np.ndarray, exponential: np.ndarray
    ) -> Both:
        """The probabilities, (K, S) each, that both sums, and each of them, are at most 0, for each
        pair of counts (K,) and offsets `linear` and `exponential`, (S,) each.

        Either sum is at most 0 from some number of UPPER among the minuses on, which grows alike
        with those among the pluses: of the two events one implies the other.
        """
        p_linear = self.below("linear", pluses, minuses, linear).probability
        p_exp = self.below("exp", pluses, minuses, exponential).probability
        return Both(np.minimum(p_linear, p_exp), p_linear, p_exp, error=0.0)

    def zero_given_data(self, kernel: str, dataset: int) -> tuple[np.ndarray, np.ndarray]:
        """The probability that a column leaves a network zero given how many entries are UPPER, and
        the probabilities of these numbers, (U,) each."""
        ordinary = self.n - dataset
        upper, share = likely_heads(ordinary)
        lower = ordinary - upper
        offsets = np.zeros(1)
        if dataset == 1:
            offsets = SPECIAL_MULTIPLE * (np.array([-1, 1]) - self.tau)
        low, high = self._weights(kernel)
        # Zero where twice the weight of the pluses is at most this: where the minuses among the
        # LOWER are enough for the pluses among the UPPER.
        most = ((1 + self.tau) * (upper * high + lower * low))[:, None] - offsets
        fewest = lower[:, None] - (most + TIE_TOLERANCE * self.n) / (2 * low)
        return _enough_heads(upper, lower, high / low, fewest).mean(axis=1), share

    def _weights(self, kernel: str) -> np.ndarray:
        """The weights of a LOWER and of an UPPER entry, (2,)."""
        return weights(kernel, self.n, np.array([LOWER, UPPER]))


def _enough_heads(
    first: np.ndarray, second: np.ndarray, slope: float, fewest: np.ndarray
) -> np.ndarray:
    """The probability, (K, S), that `second` fair coins show at least `slope` times as many heads
    as `first` ones, plus `fewest`.

    first, second : (K,), numbers of coins
    fewest : (K, S)
    """
    excess = ((slope * first - second) / 2)[:, None] + fewest
    # By Hoeffding's inequality, all but 1e-21 of a law lies this close to its mean.
    reach = 5 * np.sqrt(slope**2 * first + second)
    result = np.where(excess < 0, 1.0, 0.0)
    is_open = np.flatnonzero(np.abs(excess).min(axis=1) <= reach)
    for start in range(0, len(is_open), COUNTS_AT_A_TIME):
        rows = is_open[start : start + COUNTS_AT_A_TIME]
        heads, share = _likely_heads_of_each(first[rows])
        others, other_share = _likely_heads_of_each(second[rows])
        count, width = other_share.shape
        at_least = np.zeros((count, width + 1))
        np.cumsum(other_share[:, ::-1], axis=1, out=at_least[:, -2::-1])
        needed = (slope * heads)[:, None] + (fewest[rows] - others[:, :1])[:, :, None]
        needed_heads = np.ceil(needed).clip(0, width).astype(np.int64)
        row_starts = np.arange(count) * (width + 1)
        enough = at_least.take(row_starts[:, None, None] + needed_heads)
        result[rows] = np.einsum("ksh,kh->ks", enough, share)
    return result


def _likely_heads_of_each(coins: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The likely numbers of heads of each of K numbers of fair coins, (K, width), each row of
    neighbours, and their probabilities, (K, width); a shorter row ends in probabilities of 0."""
    laws = [likely_heads(count) for count in coins.tolist()]
    width = max(len(probabilities) for _, probabilities in laws)
    heads = np.empty((len(laws), width), dtype=np.int64)
    probabilities_of_all = np.zeros((len(laws), width))
    for k, (likely, probabilities) in enumerate(laws):
        heads[k] = likely[0] + np.arange(width)
        probabilities_of_all[k, : len(probabilities)] = probabilities
    return heads, probabilities_of_all


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
    """The nodes and the weights, (count,) each, of Gauss-Legendre means over the uniform law of an
    entry."""
    x, share = np.polynomial.legendre.leggauss(count)
    return (LOWER + UPPER) / 2 + (UPPER - LOWER) / 2 * x, share / 2


@lru_cache(maxsize=256)
def _weight_moments(kernel: str, n: int) -> tuple[float, float]:
    """The mean and the standard deviation of the weight of an entry that is uniform on
    [LOWER, UPPER]."""
    u, share = gauss_legendre(32)
    w = weights(kernel, n, u)
    mean = share @ w
    return mean, math.sqrt(share @ (w - mean) ** 2)


def _waves(grid: np.ndarray, x: np.ndarray) -> np.ndarray:
    """The waves exp(i grid x), (len(grid), len(x)), on frequencies (j + 1/2) h, computed as
    products of a few of them."""
    count = math.isqrt(len(grid)) + 1
    first = np.exp(1j * np.outer(grid[:count], x))
    jumps = 2 * grid[0] * count * np.arange(-(-len(grid) // count))
    return (np.exp(1j * np.outer(jumps, x))[:, None] * first).reshape(-1, len(x))[: len(grid)]


def _power(x: np.ndarray, exponent: int) -> np.ndarray:
    """x to the power of a whole exponent, computed by squaring."""
    power = np.ones_like(x)
    while exponent:
        if exponent % 2:
            power *= x
        x = x * x
        exponent //= 2
    return power


def _powers(first: float | np.ndarray, x: np.ndarray, exponents: np.ndarray) -> np.ndarray:
    """`first` times x to the power of each of some whole exponents, (len(exponents), *x.shape),
    taken from a table of all powers up to the highest."""
    table = np.empty((exponents.max() + 1, *x.shape), dtype=x.dtype)
    table[0] = first
    filled = 1
    while filled < len(table):
        # Here x is its own power with exponent `filled`.
        following = table[filled : 2 * filled]
        np.multiply(table[: len(following)], x, out=following)
        x = x * x
        filled *= 2
    return table[exponents]


def _with_negative(waves: np.ndarray) -> np.ndarray:
    """Waves at frequencies -b and b, in order, from those at b."""
    return np.concatenate([waves[::-1].conj(), waves])


@dataclass(frozen=True)
class Ranges:
    """Where K sums lie, each with any of the offsets.

    centre : (K,) means of the sums, with the offset in the middle
    spread : half the offsets' range
    is_open : (K,) bool, whether the sums' signs are not as good as sure
    """

    centre: np.ndarray
    spread: float
    is_open: np.ndarray


@dataclass(frozen=True)
class UniformSums:
    """Entries uniform on [LOWER, UPPER]: Fourier inversion of the sums' characteristic functions.

    A mean sign is a sum over the frequencies (j + 1/2) h (see statistics.fourier), right wherever
    |X| < 2 pi / h: the error is P(|X| >= 2 pi / h), bounded by Chernoff, and what lies beyond the
    last frequency. A mean product of two sums' signs is such a sum over both.

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
        """P(sum + offset <= 0), (K, S), for each pair of counts (K,) and each offset (S,)."""
        ranges = self._ranges(kernel, pluses, minuses, offsets)
        if_sure = np.where(ranges.centre < 0, 1.0, 0.0)
        probability = np.repeat(if_sure[:, None], len(offsets), axis=1)
        error = self._beyond_reach(kernel, pluses, minuses)
        is_open = ranges.is_open
        if is_open.any():
            p = pluses[is_open]
            q = minuses[is_open]
            grid = self._grid(kernel, p, q, ranges.spread, narrowing=1.0)
            u, share = self._nodes({kernel: grid})
            phases = np.outer(weights(kernel, self.n, u), grid)
            plus_size, minus_size = self._sizes
            # By logarithms: products would add up as many rounding errors as there are terms.
            log_plus = np.log(share @ np.exp(1j * plus_size * phases) + 1e-300)
            log_minus = np.log(share @ np.exp(1j * minus_size * phases) + 1e-300)
            transforms = np.exp(p[:, None] * log_plus + q[:, None] * log_minus)
            series = square_wave(len(grid))
            waves = _waves(grid, offsets) * series[:, None]
            signs = (transforms @ waves).imag
            probability[is_open] = np.clip((1 - signs) / 2, 0, 1)
            outer = half_integers(len(grid)) > OUTER * len(grid)
            error += (np.abs(transforms[:, outer]) @ series[outer]).max() / 2
        return Below(probability, error)

    def both(
        self, pluses: np.ndarray, minuses: np.ndarray, linear: np.ndarray, exponential: np.ndarray
    ) -> Both:
        """The probabilities, (K, S) each, that both sums, and each of them, are at most 0, for each
        pair of counts (K,) and offsets `linear` and `exponential`, (S,) each."""
        linear_below = self.below("linear", pluses, minuses, linear)
        exp_below = self.below("exp", pluses, minuses, exponential)
        # Right where one of them is 0 or 1.
        both = linear_below.probability * exp_below.probability
        error = linear_below.error + exp_below.error
        linear_ranges = self._ranges("linear", pluses, minuses, linear)
        exp_ranges = self._ranges("exp", pluses, minuses, exponential)
        is_open = linear_ranges.is_open & exp_ranges.is_open
        if is_open.any():
            p = pluses[is_open]
            q = minuses[is_open]
            narrowing = math.sqrt(max(1 - self._correlation**2, 1e-12))
            a = self._grid("linear", p, q, linear_ranges.spread, narrowing)
            b = self._grid("exp", p, q, exp_ranges.spread, narrowing)
            signs, cut_off = self._mean_signs(p, q, a, b, linear, exponential)
            x = linear_below.probability[is_open]
            y = exp_below.probability[is_open]
            inverted = (2 * x + 2 * y - 1 + signs) / 4
            both[is_open] = np.clip(inverted, np.maximum(x + y - 1, 0), np.minimum(x, y))
            error += cut_off
        return Both(both, linear_below.probability, exp_below.probability, error)

    def _mean_signs(
        self,
        pluses: np.ndarray,
        minuses: np.ndarray,
        a: np.ndarray,
        b: np.ndarray,
        linear: np.ndarray,
        exponential: np.ndarray,
    ) -> tuple[np.ndarray, float]:
        """The mean of the product of both sums' signs, (K, S), and the error of what lies beyond
        the frequencies `a` of the linear and `b` of the exponential sum.

        Summed over frequencies a and +-b: terms at -a are conjugate to these.
        """
        # A sum's transform is a power of that of one plus times one of that of one minus.
        plus, minus = self._joint_transforms(a, b)
        square_wave_b = square_wave(len(b))
        both_sides = np.concatenate([-square_wave_b[::-1], square_wave_b])
        series = np.outer(square_wave(len(a)), both_sides)
        place_in_a = half_integers(len(a)) / len(a)
        place_in_b = half_integers(len(b)) / len(b)
        place_in_b = np.concatenate([place_in_b[::-1], place_in_b])
        p = pluses.min()
        q = minuses.min()
        log_plus = np.log(np.abs(plus) + 1e-300)
        log_minus = np.log(np.abs(minus) + 1e-300)
        counts = p * log_plus + q * log_minus > NEGLIGIBLE_EXPONENT
        outer = counts & (np.maximum.outer(place_in_a, place_in_b) > OUTER)
        log_size = np.outer(pluses, log_plus[outer]) + np.outer(minuses, log_minus[outer])
        cut_off = (np.exp(log_size) @ np.abs(series[outer])).max(initial=0.0)
        # The transforms of p pluses and q minuses, of which all sums have as many and more.
        fewest = np.zeros_like(plus)
        fewest[counts] = _power(plus[counts], p) * _power(minus[counts], q) * series[counts]
        linear_waves = _waves(a, linear)
        exponential_waves = _with_negative(_waves(b, exponential))
        signs = np.zeros((len(pluses), len(linear)))
        for start in range(0, len(a), BAND):
            rows = slice(start, start + BAND)
            counting = np.flatnonzero(counts[rows].any(axis=0))
            if len(counting):
                columns = slice(counting[0], counting[-1] + 1)
                transforms = _powers(fewest[rows, columns], plus[rows, columns], pluses - p)
                transforms *= _powers(1.0, minus[rows, columns], minuses - q)
                by_row = transforms.reshape(-1, transforms.shape[-1])
                waves = by_row @ exponential_waves[columns]
                waves = waves.reshape(*transforms.shape[:2], -1)
                signs -= np.einsum("kis,is->ks", waves, linear_waves[rows]).real
        return signs / 2, cut_off / 8

    def _scale(self, pluses: np.ndarray, minuses: np.ndarray) -> np.ndarray:
        """The standard deviation of a sum over that of one weight, for each pair of counts (K,)."""
        return np.sqrt((1 - self.tau) ** 2 * pluses + (1 + self.tau) ** 2 * minuses)

    @cached_property
    def _correlation(self) -> float:
        """The correlation of an entry's weights in the two sums."""
        u, share = gauss_legendre(32)
        u_mean, u_sd = _weight_moments("linear", self.n)
        w_mean, w_sd = _weight_moments("exp", self.n)
        centred = (u - u_mean) * (weights("exp", self.n, u) - w_mean)
        return np.dot(share, centred) / (u_sd * w_sd)

    def _ranges(
        self, kernel: str, pluses: np.ndarray, minuses: np.ndarray, offsets: np.ndarray
    ) -> Ranges:
        """The ranges in which the sums of a kernel lie, for each pair of counts."""
        mean, sd = _weight_moments(kernel, self.n)
        middle = (offsets.max() + offsets.min()) / 2
        spread = np.ptp(offsets) / 2
        centre = mean * ((1 - self.tau) * pluses - (1 + self.tau) * minuses) + middle
        reach = self.reach * sd * self._scale(pluses, minuses) + spread
        return Ranges(centre, spread, is_open=np.abs(centre) <= reach)

    def _grid(
        self,
        kernel: str,
        pluses: np.ndarray,
        minuses: np.ndarray,
        spread: float,
        narrowing: float,
    ) -> np.ndarray:
        """The positive frequencies (F,) at which the sums' transforms are inverted.

        The sums are those whose signs are not sure, with offsets of up to `spread` to each side;
        `narrowing` times their standard deviation decides the highest frequency.
        """
        _, weight_sd = _weight_moments(kernel, self.n)
        sd = weight_sd * self._scale(pluses, minuses)
        step = 2 * np.pi / max(2 * (self.reach * sd.max() + spread), 1e-9)
        highest = self.cut / max(sd.min() * narrowing, 1e-9)
        return half_integers(min(math.ceil(highest / step), LONGEST_GRID)) * step

    @property
    def _sizes(self) -> tuple[float, float]:
        """The factors y - tau of a weight whose sign y is a plus, and a minus."""
        return 1 - self.tau, -(1 + self.tau)

    def _nodes(self, grids: dict[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
        """Entries and their probabilities, (nodes,) each, that are enough for means of waves in the
        kernels' weights; `grids` are the frequencies by kernel."""
        ends = np.array([LOWER, UPPER])
        phase = 0.0
        for kernel, grid in grids.items():
            phase += grid[-1] * np.ptp(weights(kernel, self.n, ends))
        return gauss_legendre(24 + math.ceil((1 + self.tau) * phase / 2))

    def _joint_transforms(self, a: np.ndarray, b: np.ndarray) -> list[np.ndarray]:
        """E exp(i (a X +- b Y)), (len(a), 2 len(b)), of one coordinate's terms X and Y in the
        linear and the exponential sum: for a plus, then for a minus."""
        u, share = self._nodes({"linear": a, "exp": b})
        w = weights("exp", self.n, u)
        return [
            (_waves(a, size * u) * share) @ _with_negative(_waves(b, size * w)).T
            for size in self._sizes
        ]

    def _beyond_reach(self, kernel: str, pluses: np.ndarray, minuses: np.ndarray) -> float:
        """Chernoff's bound on the probability that a sum lies further from its mean than `reach`
        standard deviations: the largest over the pairs of counts."""
        u, share = gauss_legendre(32)
        mean, sd = _weight_moments(kernel, self.n)
        deviations = weights(kernel, self.n, u) - mean
        spread = sd * self._scale(pluses, minuses)
        # Chernoff: P(X >= x) <= E e^(tilt X) e^(-tilt x), X the sum less its mean, x = reach *
        # spread. This tilt is the best one if X is normal; sums of no terms have a finite one, too.
        tilt = self.reach / np.maximum(spread, sd / 10)
        # e^(tilt X) is a product over the terms: of such a factor for each plus and each minus.
        factors = np.exp(np.multiply.outer(np.outer(self._sizes, tilt), deviations))
        # P(X <= -x) is P(-X >= x): of -X, the factors are one over those of X.
        factors_of_negative = 1 / factors
        bound = np.zeros(len(pluses))
        for tail in (factors, factors_of_negative):
            log_plus, log_minus = np.log(tail @ share)
            log_mean = pluses * log_plus + minuses * log_minus
            bound += np.exp(log_mean - tilt * self.reach * spread)
        return float(bound.max())
