"""Sums of a sign column over uniform data, by inverting their characteristic functions.

See regression_columns for what a sum is.
"""

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from ..models.regression import LOWER, UPPER
from .regression_columns import Below, Both, weights

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
