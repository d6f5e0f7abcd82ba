"""The least error of H generalised heads of rank r on D_2: a lower bound without a constant.

docs/rank-bound.md derives it. With u = (x_1 - x_2) / sqrt(2) the target differs from what all heads
know by sgn(<u, y>) u / sqrt(2), whose share of degree l in u, e_l = N_l s_l^2, lies evenly on the
N_l harmonics of that degree. A head that sees the points through K (d x r) reaches M(r, l) of them,
those that the rotations about the range of K leave alone, and two heads have at least M(2r - d, l)
of these in common. So

    error >= 1/2 sum over odd l of e_l max(0, 1 - (H M(r, l) - (H - 1) M(2r - d, l)) / N_l)

for value maps a_h I; for any V_h a head reaches M(r, l - 2) + M(r, l) + M(r, l + 2) at degree l.
Where its values see an encoding it reaches M(r, l - 1) more; for any V_h, M(r, l) + M(r, l - 1).

Here e_l is the energy of degree l, and the share of its harmonics that heads reach, at most, is
their reached share. Degrees are floats: the harmonics of high degrees have no whole number.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.polynomial.legendre import leggauss
from scipy.special import betaln

from ..statistics.bisection import halved, halvings

LISTED = 2048
"""Odd degrees that are added one by one, beside 4 d; those beyond are one integral."""

CAP_NODES = 40
"""Of that integral."""

FARTHEST = 200.0
"""log2 of the farthest degree looked at: the tail from there on is below 1e-50."""

BOUND_DIGITS = 6
"""Of numbers of heads above 10^BOUND_DIGITS: double precision has not all of their digits."""

MOST_HEADS = 1000
"""log2 of the most heads that are looked for."""

DEGREE_HALVINGS = 40
"""Of log2 of the degree where something begins to be left."""

HEADS_PRECISION = 1e-9
"""Relative, of a number of heads that is looked for: no finer where it is no whole number."""


def log_dimension(r: int, degree: np.ndarray) -> np.ndarray:
    """log M(r, l) at each degree l, M(r, l) = C(r + l - 1, l), for any real l; -inf for r < 1 or
    l < 0."""
    if r < 1:
        return np.full(np.shape(degree), -np.inf)
    total = np.where(degree < 0, -np.inf, 0.0)
    degree = np.maximum(degree, 0.0)
    for i in range(1, r):
        total += np.log1p(degree / i)
    return total


def log_harmonics(d: int, degree: np.ndarray) -> np.ndarray:
    """log N_l, of the number of harmonics of each degree l in R^d:
    log M(d - 1, l) + log((2l + d - 2) / (l + d - 2))."""
    return log_dimension(d - 1, degree) + np.log((2 * degree + d - 2) / (degree + d - 2))


def energy(d: int, degree: np.ndarray) -> np.ndarray:
    """The energy e_l = N_l s_l^2 of each odd degree l, with |s_l| = B(l/2, d/2) / pi."""
    log_coefficient = betaln(degree / 2, d / 2) - np.log(np.pi)
    return np.exp(log_harmonics(d, degree) + 2 * log_coefficient)


def reached_shares(
    d: int, r: int, degree: np.ndarray, any_value: bool, vectors: int = 0
) -> tuple[np.ndarray, np.ndarray]:
    """The shares (common, per head) at each degree: of its harmonics H heads reach at most the
    share common + H per head.

    Of heads of full rank all is common. `vectors`: how many fixed vectors w, an encoding among
    them, a head's values have, so that its part along u has <u, w> times functions of K^T u.
    """
    if r == d:
        return np.ones(np.shape(degree)), np.zeros(np.shape(degree))
    # A head reaches M(r, l + step) harmonics of degree l for each step.
    steps = [-2, 0, 2] if any_value else [0]
    steps += [-1] * vectors
    if any_value and vectors:
        steps.append(0)
    harmonics = log_harmonics(d, degree)
    of_one_head = sum(np.exp(log_dimension(r, degree + step) - harmonics) for step in steps)
    # Of any value maps nothing is claimed to be common.
    common_rank = 0 if any_value else 2 * r - d
    common = np.exp(log_dimension(common_rank, degree) - harmonics)
    return common, of_one_head - common


@dataclass(frozen=True)
class Degrees:
    """Energies (degrees,) of some degrees, and the shares of them that heads reach."""

    energies: np.ndarray
    common: np.ndarray
    per_head: np.ndarray

    def reached(self, heads: np.ndarray) -> np.ndarray:
        """The share of each degree that heads (n, 1) reach at most: (n, degrees), above 1 too."""
        return self.common + heads * self.per_head

    def left(self, heads: np.ndarray) -> np.ndarray:
        """The share of each degree that heads (n, 1) leave at least: (n, degrees)."""
        return np.maximum(0.0, 1 - self.common - heads * self.per_head)


@cache
def listed_degrees(d: int, r: int, any_value: bool, encoded: bool) -> Degrees:
    """The degrees that are added one by one, for heads of rank r."""
    degree = np.arange(1.0, 2 * (LISTED + 4 * d), 2)
    common, per_head = reached_shares(d, r, degree, any_value, vectors=int(encoded))
    return Degrees(energy(d, degree), common, per_head)


def bound(
    d: int, r: int, heads: np.ndarray | int, any_value: bool = False, encoded: bool = False
) -> np.ndarray:
    """The lower bound on the error of so many generalised heads of rank r, of the shape of `heads`:
    on D_2, and on two independent uniform points. ValueError if a size is out of range.

    Parameters
    ----------
    d, r : 1 <= r <= d, d >= 2
    heads : numbers H of any shape, at most 2^1000
    any_value : for any value maps V_h; else for V_h = a_h I
    encoded : of heads whose values see an encoding of positions, V_h x_i + w_(h,i), with any
        vectors w; else encodings, if any, enter their scores alone
    """
    if not (d >= 2 and 1 <= r <= d):
        raise ValueError(f"d is {d} and r is {r}; allowed: d from 2, r from 1 to d")
    counts = np.asarray(heads, dtype=float)
    if counts.size and counts.min() < 1:
        raise ValueError(f"{counts.min():g} heads; allowed: at least 1")
    column = counts.reshape(-1, 1)
    degrees = listed_degrees(d, r, any_value=any_value, encoded=encoded)
    listed = degrees.left(column) @ degrees.energies
    beyond = _energy_left_beyond(d, r, column, any_value, encoded)
    return 0.5 * (listed + beyond).reshape(counts.shape)


def _energy_left_beyond(
    d: int, r: int, heads: np.ndarray, any_value: bool, encoded: bool
) -> np.ndarray:
    """The energy that heads (n, 1) leave at least of all degrees beyond the listed ones: (n,).

    The sum over all degrees from some first one on, without the maximum, never exceeds the sum
    with it: where it starts need not be exact.
    """

    def left(degree: np.ndarray) -> np.ndarray:
        """The share of each degree that heads leave, below 0 where they reach more than all."""
        common, per_head = reached_shares(d, r, degree, any_value, vectors=int(encoded))
        return 1 - common - heads * per_head

    def energy_left(degree: np.ndarray) -> np.ndarray:
        """The energy of each degree that heads leave."""
        return energy(d, degree) * left(degree)

    first = 2.0 * (LISTED + 4 * d) + 1
    nothing_left = left(np.full(heads.shape, first)) <= 0
    # What is left grows with the degree; where nothing is at `first`, seek where it begins to be.
    low = np.full(heads.shape, np.log2(first))
    high = np.where(nothing_left, FARTHEST, low)
    if nothing_left.any():

        def is_nothing_left(log2_degree: np.ndarray) -> np.ndarray:
            """Whether heads leave nothing of each degree, given by its log2."""
            return ~(left(2.0**log2_degree) > 0)

        _, high = halvings(low, high, is_nothing_left, DEGREE_HALVINGS)
    start = np.where(nothing_left, 2.0**high, first)
    return np.maximum(0.0, _sum_from(start, energy_left))


def _sum_from(start: np.ndarray, term: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """The sum of term(l) over l = start, start + 2, ... by Euler and Maclaurin; start (n, 1).

    Terms are powers of 1/l times a power series in it, at least the second: with l = start / t^2
    the integral has a smooth integrand.
    """
    t, weights = unit_rule(CAP_NODES)
    integral = (term(start / t**2) * 2 * start / t**3) @ weights
    slope = (term(start + 1) - term(start - 1)) / 2
    return integral / 2 + (term(start) / 2 - slope / 6)[:, 0]


def unit_rule(nodes: int) -> tuple[np.ndarray, np.ndarray]:
    """Nodes and weights of Gauss and Legendre's rule from 0 to 1."""
    x, weights = leggauss(nodes)
    return (1 + x) / 2, weights / 2


def correlation(d: int, r: int, heads: np.ndarray, degree: int) -> np.ndarray:
    """The largest squared correlation with the target, along u, of any layer of so many heads with
    V = aI.

    Equation 11's, for this target, summed over the odd Gegenbauer degrees up to one: the bound is
    half of what all of them lack to 1. heads (n, 1), and (n,).
    """
    degrees = listed_degrees(d, r, any_value=False, encoded=False)
    count = (degree + 1) // 2
    return np.minimum(1.0, degrees.reached(heads))[:, :count] @ degrees.energies[:count]


def heads_needed(d: int, r: int, errors: list[float], any_value: bool = False) -> list[int]:
    """The fewest heads that the bound leaves possible for each error in (0, 1/2).

    With fewer the error is surely larger. Numbers above 10^BOUND_DIGITS are rounded down to so many
    digits. ArithmeticError if more than 2^MOST_HEADS are needed.
    """
    wanted = np.array(errors)
    doublings = 2.0 ** np.arange(MOST_HEADS + 1)
    is_enough = bound(d, r, doublings, any_value)[:, None] <= wanted
    if not is_enough[-1].all():
        raise ArithmeticError(f"d = {d}, r = {r}: more than 2^{MOST_HEADS} heads")
    first_enough = is_enough.argmax(axis=0)
    # The bound at `low` is above the error, or low is 0; at `high` it is not.
    high = doublings[first_enough]
    low = np.where(first_enough > 0, doublings[np.maximum(first_enough - 1, 0)], 0.0)
    while ((high - low > 1) & (high - low > HEADS_PRECISION * high)).any():
        middle = np.maximum(np.floor((low + high) / 2), 1.0)
        fits = bound(d, r, middle, any_value) <= wanted
        low, high = halved(low, high, middle, ~fits)
    return [_rounded_down(int(heads)) for heads in high]


def _rounded_down(heads: int) -> int:
    """A number to BOUND_DIGITS digits, where it is above 10^BOUND_DIGITS."""
    if heads <= 10**BOUND_DIGITS:
        return heads
    unit = 10 ** (len(str(heads)) - BOUND_DIGITS)
    return heads // unit * unit
