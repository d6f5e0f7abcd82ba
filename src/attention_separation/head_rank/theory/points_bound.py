"""The lower bound for one layer on N > 2 points of D_N, which docs/rank-bound.md derives.

It is `bound` in the n = d - N + 1 dimensions of u = (x_1 - x_2) / sqrt(2), given all other points:
with e_l = N_l E s_l(a)^2, s_l(a) = E sgn(t) 1[|t| > a] P_l(t), all pairs together give

    error >= (N - 1)/2 sum over odd l of e_l max(0, 1 - D_l / N_l),

where heads reach D_l of the harmonics. For any V_h products of u with N - 1 fixed vectors enter.
"""

import math
from functools import cache

import numpy as np
from numpy.polynomial.hermite_e import hermegauss
from numpy.polynomial.legendre import leggauss
from scipy.special import ndtr
from scipy.stats import chi

from ..constructions.sphere import threshold_coefficients
from .bound import bound, log_harmonics, shares

DEGREES = 400
"""Those below are added one by one; of those beyond, as much is claimed as at the last."""

NODES, SMOOTH = 500, 80
"""Of means over a, which P_l^2 makes oscillate, and over what is smooth."""


def thresholds(n: int, points: int) -> tuple[np.ndarray, np.ndarray]:
    """Nodes of max(a, 0) below 1, and weights: what these lack to 1 is the probability of a >= 1.

    a = (sqrt(2) M - z) / R: z is standard normal, M the largest of N - 2 such, R the length of n.
    """
    (a, w), (unit, mass) = (((1 + x) / 2, w / 2) for x, w in map(leggauss, (NODES, SMOOTH)))
    low, high = max(0.0, math.sqrt(n) - 8), math.sqrt(n) + 8
    length = low + (high - low) * unit
    xi, smooth = hermegauss(SMOOTH // 2)
    smooth = smooth / math.sqrt(2 * math.pi)
    b = a[:, None] * length
    # The density of sqrt(2) M - z at b: M's own normal factor and z's are one, of variance 1/3.
    others = ndtr((math.sqrt(2) * b[..., None] + math.sqrt(3) * xi) / 3) ** (points - 3) @ smooth
    density = (points - 2) / math.sqrt(6 * math.pi) * np.exp(-(b**2) / 6) * others
    density = density @ (chi.pdf(length, n) * (high - low) * mass * length)
    never_above = smooth @ ndtr(xi / math.sqrt(2)) ** (points - 2)
    return np.append(0.0, a), np.append(never_above, density * w)


@cache
def energies(n: int, points: int) -> tuple[np.ndarray, np.ndarray]:
    """Odd degrees l below DEGREES, and e_l."""
    a, weights = thresholds(n, points)
    degree = np.arange(1.0, DEGREES, 2)
    squares = threshold_coefficients(n, a, DEGREES)[::2] ** 2 @ weights
    return degree, np.exp(log_harmonics(n, degree)) * squares


def points_bound(d: int, r: int, heads: int, points: int, any_value: bool = False) -> float:
    """No so many generalised heads of rank r have a smaller error on D_N; 0 where r > d - N.

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
    degree, e = energies(n, points)
    common, own = shares(n, r, degree, any_value, (points - 1) * any_value)
    left = np.maximum(0.0, 1 - common - heads * own)
    # Over odd l the energies add up to 2/N: x_1 or x_2 is the nearest so often.
    return float((points - 1) / 2 * (e @ left + (2 / points - e.sum()) * left[-1]))
