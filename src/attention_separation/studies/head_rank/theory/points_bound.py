"""The lower bound for one layer on N > 2 points of D_N, which docs/rank-bound.md derives.

It is `bound` in the n = d - N + 1 dimensions of u = (x_1 - x_2) / sqrt(2), given all other points:
with e_l = N_l E s_l(a)^2, s_l(a) = E sgn(t) 1[|t| > a] P_l(t), all pairs together give

    error >= (N - 1)/2 sum over odd l of e_l max(0, 1 - D_l / N_l),

where heads reach D_l of the harmonics. For any V_h products of u with N - 1 fixed vectors enter.
"""

import math
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.polynomial.hermite_e import hermegauss
from scipy.special import ndtr
from scipy.stats import chi

from ....rank_bound.bound import Degrees, bound, log_harmonics, reached_shares, unit_rule
from ..constructions.sphere import threshold_coefficients

DEGREE_LIMIT = 400
"""Those below are added one by one; of those beyond, as much is claimed as at the last."""

THRESHOLD_NODES = 500
"""Of means over a, which P_l^2 makes oscillate."""

SMOOTH_NODES = 80
"""Of means over what is smooth."""


def threshold_rule(n: int, points: int) -> tuple[np.ndarray, np.ndarray]:
    """Nodes and weights of a rule for means over max(a, 0) below 1; what the weights lack to 1 is
    the probability of a >= 1.

    a = (sqrt(2) M - z) / R: z is standard normal, M the largest of N - 2 such, R the length of n.
    """
    a, a_weights = unit_rule(THRESHOLD_NODES)
    unit, unit_weights = unit_rule(SMOOTH_NODES)
    low = max(0.0, math.sqrt(n) - 8)
    high = math.sqrt(n) + 8
    length = low + (high - low) * unit
    normal, normal_weights = hermegauss(SMOOTH_NODES // 2)
    normal_weights = normal_weights / math.sqrt(2 * math.pi)
    b = a[:, None] * length
    # The density of sqrt(2) M - z at b: M's own normal factor and z's are one, of variance 1/3.
    below = ndtr((math.sqrt(2) * b[..., None] + math.sqrt(3) * normal) / 3)
    others = below ** (points - 3) @ normal_weights
    density_of_b = (points - 2) / math.sqrt(6 * math.pi) * np.exp(-(b**2) / 6) * others
    length_weights = chi.pdf(length, n) * (high - low) * unit_weights
    # b = a R: the density of a is the mean over R of R times the density at b.
    density = density_of_b @ (length_weights * length)
    never_above = normal_weights @ ndtr(normal / math.sqrt(2)) ** (points - 2)
    return np.append(0.0, a), np.append(never_above, density * a_weights)


class DegreeEnergies(NamedTuple):
    """Odd degrees l below DEGREE_LIMIT, and e_l."""

    degrees: np.ndarray
    energies: np.ndarray


@cache
def degree_energies(n: int, points: int) -> DegreeEnergies:
    """The energies of the odd degrees for n dimensions of u and so many points."""
    a, weights = threshold_rule(n, points)
    degree = np.arange(1.0, DEGREE_LIMIT, 2)
    # Every other coefficient from l = 1 on: those of odd degrees.
    coefficients = threshold_coefficients(n, a, DEGREE_LIMIT)[::2]
    squares = coefficients**2 @ weights
    return DegreeEnergies(degree, np.exp(log_harmonics(n, degree)) * squares)


def points_bound(d: int, r: int, heads: int, points: int, any_value: bool = False) -> float:
    """The lower bound on the error of so many generalised heads of rank r on D_N; 0 where
    r > d - N.

    Sizes and `any_value` are those of `bound`, and `points` is N, from 2 to d; ValueError for
    others.
    """
    if not (2 <= points <= d and 1 <= r <= d and heads >= 1):
        raise ValueError(
            f"d is {d}, r is {r}, N is {points}, with {heads} heads; allowed: r from 1 to d, N "
            "from 2 to d, at least 1 head"
        )
    n = d - points + 1
    if points == 2:
        return float(bound(d, r, heads, any_value))
    if r >= n:
        return 0.0
    degree, energy = degree_energies(n, points)
    vectors = points - 1 if any_value else 0
    common, per_head = reached_shares(n, r, degree, any_value, vectors)
    left = Degrees(energy, common, per_head).left(np.array(heads))
    # Over odd l the energies add up to 2/N: x_1 or x_2 is the nearest so often.
    energy_beyond = 2 / points - energy.sum()
    return float((points - 1) / 2 * (energy @ left + energy_beyond * left[-1]))
