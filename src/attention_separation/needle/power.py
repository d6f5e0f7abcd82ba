"""A score to the power p: the best threshold on sum h(z) z / sum h(z), with h = (z + delta)^p.

On D0 all n tokens z are noise, N(0, 1); on D1 one of them, the needle, has mu added. A *reading* is
a shift delta of the scores with a threshold t on the ratio.

The ratio passes t where S, the sum of g(z) = (z + delta)^p (z - t), is above 0; S is what is read,
for odd p too, where sum h may be negative. Its law is one characteristic function to the power n,
inverted along a path of z on which exp(i omega g) falls, in equal steps of log omega.
"""

import itertools
import math
from dataclasses import dataclass

import numpy as np
from numpy.polynomial.hermite_e import hermegauss
from scipy.optimize import minimize

from ..statistics.fourier import over_log_frequencies
from .accuracy import Accuracy, of_events, of_one_token

NOISE_REACH = 8.5
"""Standard deviations of a token, and of the needle, to both sides."""

OFF = 0.3
"""How far the path of z leaves the real line."""


@dataclass(frozen=True)
class Grid:
    """Points in z and in log omega, and the size of the integrand that is left out. Of fewer than
    FEW_TOKENS tokens phi^n falls slowly and oscillates: `few` times the points in omega."""

    z: int
    omega: int
    least: float
    few: int


FEW_TOKENS = 64

SOUGHT = Grid(220, 160, 1e-7, few=2)
"""Where delta and t are sought."""

STATED = Grid(400, 240, 1e-11, few=8)
FINER_GRID = Grid(600, 400, 1e-12, few=8)
"""What is stated, and what its error is measured by."""

WIDE_LOG_OMEGA = np.linspace(-45.0, 45.0, 91)
"""Log omega where the integrand is looked for."""

MARGIN = 1.5
"""In log omega: how far a reading's integrand may reach beyond that of the first one tried."""

READINGS_TRIED = tuple(
    itertools.product((0.7, 1.2, 2.2, 5.0, 15.0), (0.0, 0.1, 0.5, 1.0, 2.0, 3.5))
)
"""From the best of these readings Nelder and Mead start, or from one that is given."""

SIMPLEX_STEPS = (0.2, 0.1)
"""First in log delta and the shift; then again from where they end, for a simplex may collapse."""

CORNERS = np.array([[0, 0], [1, 0], [0, 1]])

TOLERANCE = 1e-8
"""Of the accuracy, where delta and t are sought."""

SOUGHT_TO = 5e-8
"""How far searches from different starts differ at most: a part of the stated error."""

Point = np.ndarray[tuple[int], np.dtype[np.float64]]
"""Log delta and the shift, (2,)."""

HERMITE_NODES, HERMITE_WEIGHTS = hermegauss(24)
HERMITE_WEIGHTS = HERMITE_WEIGHTS / math.sqrt(2 * math.pi)


@dataclass(frozen=True)
class Reading:
    """delta, and how far t lies above the mean ratio on D0: in standard deviations of S there."""

    delta: float
    shift: float

    def threshold(self, p: int, n: int) -> float:
        """The threshold t on the ratio, for scores to the power p of n tokens."""
        h = (HERMITE_NODES + self.delta) ** p
        mean = float(HERMITE_WEIGHTS @ h)
        t = float(HERMITE_WEIGHTS @ (h * HERMITE_NODES)) / mean
        spread = math.sqrt(float(HERMITE_WEIGHTS @ (h * (HERMITE_NODES - t)) ** 2) / n)
        return t + self.shift * spread / mean


def best_accuracy(p: int, mu: float, n: int) -> Accuracy:
    """The accuracy at the best delta and t that are found."""
    accuracy, _ = accuracy_and_reading(p, mu, n)
    return accuracy


def accuracy_and_reading(
    p: int, mu: float, n: int, near: Reading | None = None
) -> tuple[Accuracy, Reading]:
    """The accuracy at the best reading that is found, and this reading; the search starts at
    `near`, one that was best at another n, if it is given."""
    if n == 1:
        return Accuracy(of_one_token(mu), 0.0), Reading(1.0, 0.0)
    reading = sought_reading(p, mu, n, near)
    # Of two or three tokens the inversion may pass 1 by its error.
    value = min(accuracy_of(p, mu, n, reading, STATED), 1.0)
    finer = min(accuracy_of(p, mu, n, reading, FINER_GRID), 1.0)
    return Accuracy(value, SOUGHT_TO + abs(value - finer)), reading


FARTHEST_LOG_DELTA = 4
FARTHEST_SHIFT = 6
"""Readings farther out are not tried."""


def sought_reading(p: int, mu: float, n: int, near: Reading | None = None) -> Reading:
    """The best delta and t by Nelder and Mead, in log delta and the shift, from the best of
    READINGS_TRIED or from a reading near by."""
    starts = [near] if near else [Reading(delta, shift) for delta, shift in READINGS_TRIED]
    best = max(starts, key=lambda start: accuracy_of(p, mu, n, start, SOUGHT))
    low, high = _path(p, mu, n, best, SOUGHT).seen_range(n, SOUGHT.least)
    seen = (low - MARGIN, high + MARGIN)

    def loss(point: Point) -> float:
        """Minus the accuracy of the reading at a point; 0 of points that are not tried."""
        log_delta, shift = point
        # Far out the integrand oscillates more than a grid resolves, and no best reading lies.
        if abs(log_delta) > FARTHEST_LOG_DELTA or abs(shift) > FARTHEST_SHIFT:
            return 0.0
        return -accuracy_of(p, mu, n, Reading(math.exp(log_delta), shift), SOUGHT, seen)

    point: Point = np.array([math.log(best.delta), best.shift])
    for step in SIMPLEX_STEPS:
        search = minimize(
            loss,
            point,
            method="Nelder-Mead",
            options={
                "initial_simplex": point + step * CORNERS,
                "xatol": 3e-3,
                "fatol": TOLERANCE,
            },
        )
        point = search.x
    return Reading(math.exp(point[0]), float(point[1]))


def accuracy_of(
    p: int,
    mu: float,
    n: int,
    reading: Reading,
    grid: Grid = STATED,
    seen: tuple[float, float] | None = None,
) -> float:
    """The accuracy of one reading; `seen` is the range of log omega to integrate over, if it is
    known."""
    path = _path(p, mu, n, reading, grid)
    low, high = seen or path.seen_range(n, grid.least)
    points = grid.omega * (grid.few if n < FEW_TOKENS else 1)
    log_omega, step = np.linspace(low, high, points, retstep=True)
    of_token, of_needle = path.characteristic(np.exp(log_omega))
    values = _integrand(n, of_token, of_needle).imag
    return of_events(over_log_frequencies(values, step) / math.pi, 0.0)


def _path(p: int, mu: float, n: int, reading: Reading, grid: Grid) -> "_Path":
    """The path of z for a reading's polynomial g, with the grid's number of points."""
    return _Path(p, mu, reading.delta, reading.threshold(p, n), grid.z)


def _integrand(n: int, of_token: np.ndarray, of_needle: np.ndarray) -> np.ndarray:
    """The integrand phi^(n-1) (phi_needle - phi) at each omega, of the characteristic functions of
    a token and of the needle.

    The integral of its imaginary part over d log omega / pi is P(S > 0) on D1 less that on D0.
    """
    return of_token ** (n - 1) * (of_needle - of_token)


class _Path:
    """A path of z for one polynomial g, and the weights of the two normal densities on it."""

    def __init__(self, p: int, mu: float, delta: float, t: float, points: int):
        x, step = np.linspace(-NOISE_REACH, mu + NOISE_REACH, points, retstep=True)
        # g' = (z + delta)^(p-1) ((p + 1) z + delta - p t): on both sides of its zeros g' has the
        # sign of the path's imaginary part.
        bend = np.tanh(x + delta)
        turn = np.tanh(x - (p * t - delta) / (p + 1))
        off = bend ** (p - 1) * turn
        slope = (p - 1) * bend ** (p - 2) * (1 - bend**2) * turn + bend ** (p - 1) * (1 - turn**2)
        z = x + 1j * OFF * off
        weight = (1 + 1j * OFF * slope) * (step / math.sqrt(2 * math.pi))
        self._g = (z + delta) ** p * (z - t)
        self._weights = np.stack([np.exp(-(z**2) / 2), np.exp(-((z - mu) ** 2) / 2)], axis=1)
        self._weights *= weight[:, None]

    def characteristic(self, omega: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """E exp(i omega g) of a token, and of the needle, at each omega."""
        means = np.exp(1j * omega[:, None] * self._g) @ self._weights
        return means[:, 0], means[:, 1]

    def seen_range(self, n: int, least: float) -> tuple[float, float]:
        """The range (from, to) of log omega to integrate over. On its right the integrand is
        smaller than `least`. On its left it is smaller than the root of that: it is odd in omega,
        so that there it is a straight line up to an error of its square."""
        of_token, of_needle = self.characteristic(np.exp(WIDE_LOG_OMEGA))
        size = np.abs(_integrand(n, of_token, of_needle))
        from_where = WIDE_LOG_OMEGA[size > math.sqrt(least)]
        to_where = WIDE_LOG_OMEGA[size > least]
        if not len(from_where):
            return -1.0, 1.0
        return from_where[0] - 1.0, to_where[-1] + 1.0
