"""Sums of a sign column over uniform data, by inverting their characteristic functions.

See regression_columns for what a sum is.
"""

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from attention_separation.softmax_vs_linear.models.regression import LOWER, UPPER
from attention_separation.softmax_vs_linear.regression_columns import Below, Both, weights

LONGEST_GRID = 400
"""Frequencies to each side of 0: reached only where n is small and characteristic functions
decay slowly; what it cuts off is in the stated error."""

NEGLIGIBLE_EXPONENT = -40.0

OUTER = 0.8
"""Frequencies beyond this share of a grid estimate what lies outside of the grid."""


@lru_cache
def gauss_legendre(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Nodes and weights for means over the uniform law of an entry."""
    x, share = np.polynomial.legendre.leggauss(count)
    return (LOWER + UPPER) / 2 + (UPPER - LOWER) / 2 * x, share / 2


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
        scale = self._scale(pluses, minuses)
        centre, spread, is_open = self._open(kernel, pluses, minuses, offsets)
        result = np.repeat(np.where(centre < 0, 1.0, 0.0)[:, None], len(offsets), axis=1)
        error = self._beyond_reach(kernel, pluses, minuses)
        if is_open.any():
            _, sd = self._moments(kernel)
            grid = self._grid(sd * scale[is_open], spread, 1.0)
            zero = np.zeros(1)
            pair = (grid, zero) if kernel == "linear" else (zero, grid)
            plus, minus = (log.ravel() for log in self._log_transforms(*pair))
            of = np.exp(pluses[is_open, None] * plus + minuses[is_open, None] * minus)
            order = np.arange(len(grid)) + 0.5
            signs = (of @ (np.exp(1j * np.outer(grid, offsets)) / order[:, None])).imag * 2 / np.pi
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
        rows = np.flatnonzero(lin_open & exp_open)
        if not len(rows):
            return Both(result, lin.probability, exp.probability, error)
        scale = self._scale(pluses[rows], minuses[rows])
        narrowing = math.sqrt(max(1 - self._correlation**2, 1e-12))
        a = self._grid(self._moments("linear")[1] * scale, lin_spread, narrowing)
        b = self._grid(self._moments("exp")[1] * scale, exp_spread, narrowing)
        i, j = np.arange(len(a)) + 0.5, np.arange(-len(b), len(b)) + 0.5
        b = np.concatenate([-b[::-1], b])
        plus, minus = self._log_transforms(a, b)
        over = 1 / (i[:, None] * j)
        outer = (i[:, None] > OUTER * len(i)) | (np.abs(j) > OUTER * len(j) / 2)
        outer = np.abs(over) * outer
        linear_waves = np.exp(1j * np.outer(a, linear))
        exponential_waves = np.exp(1j * np.outer(b, exponential))
        cut_off = 0.0
        for row in rows:
            exponent = pluses[row] * plus + minuses[row] * minus
            of = np.zeros_like(exponent)
            np.exp(exponent, out=of, where=exponent.real > NEGLIGIBLE_EXPONENT)
            waves = ((of * over) @ exponential_waves) * linear_waves
            signs = -waves.real.sum(axis=0) * 2 / np.pi**2
            x, y = lin.probability[row], exp.probability[row]
            inverted = (2 * x + 2 * y - 1 + signs) / 4
            result[row] = np.clip(inverted, np.maximum(x + y - 1, 0), np.minimum(x, y))
            cut_off = max(cut_off, (np.abs(of) * outer).sum() / (2 * np.pi**2))
        return Both(result, lin.probability, exp.probability, error + cut_off)

    def _scale(self, pluses: np.ndarray, minuses: np.ndarray) -> np.ndarray:
        """Standard deviation of a sum over that of one weight."""
        return np.sqrt((1 - self.tau) ** 2 * pluses + (1 + self.tau) ** 2 * minuses)

    def _moments(self, kernel: str) -> tuple[float, float]:
        u, share = gauss_legendre(32)
        w = weights(kernel, self.n, u)
        mean = share @ w
        return mean, math.sqrt(share @ (w - mean) ** 2)

    @cached_property
    def _correlation(self) -> float:
        u, share = gauss_legendre(32)
        (u_mean, u_sd), (w_mean, w_sd) = self._moments("linear"), self._moments("exp")
        return share @ ((u - u_mean) * (weights("exp", self.n, u) - w_mean)) / (u_sd * w_sd)

    def _open(self, kernel, pluses, minuses, offsets) -> tuple[np.ndarray, float, np.ndarray]:
        """Means of the sums, half the offsets' range, and where the sign is not as good as sure."""
        mean, sd = self._moments(kernel)
        middle, spread = (offsets.max() + offsets.min()) / 2, np.ptp(offsets) / 2
        centre = mean * ((1 - self.tau) * pluses - (1 + self.tau) * minuses) + middle
        reach = self.reach * sd * self._scale(pluses, minuses) + spread
        return centre, spread, np.abs(centre) <= reach

    def _grid(self, sd: np.ndarray, spread: float, narrowing: float) -> np.ndarray:
        """Positive frequencies for sums with standard deviations sd within reach of 0."""
        step = 2 * np.pi / max(2 * (self.reach * sd.max() + spread), 1e-9)
        highest = self.cut / max(sd.min() * narrowing, 1e-9)
        return (np.arange(min(math.ceil(highest / step), LONGEST_GRID)) + 0.5) * step

    def _log_transforms(self, a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Logarithms of E exp(i (a X + b Y)), (len(a), len(b)), for one plus and for one minus."""
        ends = weights("exp", self.n, np.array([LOWER, UPPER]))
        phase = (1 + self.tau) * (a.max() * (UPPER - LOWER) + b.max() * np.ptp(ends)) / 2
        u, share = gauss_legendre(24 + math.ceil(phase))
        w = weights("exp", self.n, u)
        logs = []
        for size in (1 - self.tau, -(1 + self.tau)):
            waves = np.exp(1j * size * np.outer(a, u)) * share
            transform = waves @ np.exp(1j * size * np.outer(w, b))
            logs.append(np.log(transform + 1e-300))
        return logs[0], logs[1]

    def _beyond_reach(self, kernel: str, pluses: np.ndarray, minuses: np.ndarray) -> float:
        """Chernoff's bound on P(|sum - its mean| > reach standard deviations), at the worst."""
        u, share = gauss_legendre(32)
        mean, sd = self._moments(kernel)
        centred = weights(kernel, self.n, u) - mean
        spread = sd * self._scale(pluses, minuses)
        largest = self.reach / np.maximum(spread, sd / 10)
        total = np.zeros(len(pluses))
        for tilt in (largest, -largest):
            log_mgf = [
                np.log(np.exp(size * np.outer(tilt, centred)) @ share)
                for size in (1 - self.tau, -(1 + self.tau))
            ]
            total += np.exp(
                pluses * log_mgf[0] + minuses * log_mgf[1] - largest * self.reach * spread
            )
        return float(total.max())
