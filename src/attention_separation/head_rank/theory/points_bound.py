"""The lower bound for one layer on N > 2 points of D_N: `bound`, given all but one direction.

Take x_3, .., x_N and v = (x_1 + x_2) / sqrt(2) as given. u = (x_1 - x_2) / sqrt(2) is uniform on
the sphere of what is orthogonal to them, of n = d - N + 1 dimensions; with V = aI a head has a
function of (K^T u, y) along u. With t the cosine of u and y's part there, the target has
sgn(t) / sqrt(2) along u where |t| > a, and nothing elsewhere:

    a = (sqrt(2) max over i > 2 of <x_i, y> - <v, y>) / (length of that part of y).

So the argument of `bound` holds in n dimensions, with e_l = N_l E s_l(a)^2 and
s_l(a) = E sgn(t) 1[|t| > a] P_l(t): over odd l these energies add up to 2/N, for x_1 or x_2 is the
nearest so often. Every pair has this bound, and the squares along all pairs' directions are N/2
times the square in the span of the differences:

    error >= (N - 1)/2 sum over odd l of e_l max(0, 1 - D_l / N_l).

For any V_h there are N - 1 fixed vectors, the parts of V_h v and V_h x_i, whose product with u
enters. docs/rank-bound.md derives it.
"""

import math
from functools import cache

import numpy as np
from numpy.polynomial.hermite_e import hermegauss
from numpy.polynomial.legendre import leggauss
from scipy.special import ndtr

from ..constructions.sphere import lengths, threshold_coefficients
from .bound import bound, log_harmonics, shares

DEGREES = 400
"""Those below are added one by one; of those beyond, as much is claimed as at the last."""

NODES, SMOOTH = 500, 40
"""Of means over a, which P_l^2 makes oscillate, and over what is smooth."""


def thresholds(n: int, points: int) -> tuple[np.ndarray, np.ndarray]:
    """Nodes of max(a, 0) below 1, and weights: what these lack to 1 is the probability of a >= 1.

    The products of y with orthonormal vectors are standard normals over their length:
    a = (sqrt(2) M - z) / R, M the largest of N - 2 of them, R the length of n.
    """
    x, w = leggauss(NODES)
    a, w = (1 + x) / 2, w / 2
    xi, smooth = hermegauss(SMOOTH)
    smooth = smooth / math.sqrt(2 * math.pi)
    rho, mass = lengths(n)
    b = a[:, None] * rho
    # The density of sqrt(2) M - z at b: M's own normal factor and z's are one, of variance 1/3.
    others = ndtr((math.sqrt(2) * b[..., None] + math.sqrt(3) * xi) / 3) ** (points - 3) @ smooth
    density = (points - 2) / math.sqrt(6 * math.pi) * np.exp(-(b**2) / 6) * others
    never_above = smooth @ ndtr(xi / math.sqrt(2)) ** (points - 2)
    return np.append(0.0, a), np.append(never_above, density @ (mass * rho) * w)


@cache
def energies(n: int, points: int) -> tuple[np.ndarray, np.ndarray]:
    """Odd degrees l below DEGREES, and e_l."""
    a, weights = thresholds(n, points)
    degree = np.arange(1.0, DEGREES, 2)
    squares = threshold_coefficients(n, a, DEGREES)[::2] ** 2 @ weights
    return degree, np.exp(log_harmonics(n, degree)) * squares


def points_bound(
    d: int, r: int, heads: np.ndarray | int, points: int, any_value: bool = False
) -> np.ndarray:
    """No so many generalised heads of rank r have a smaller error on D_N; 0 for r > d - N.

    Parameters
    ----------
    d, r : 1 <= r <= d
    heads : numbers H of any shape
    points : N, from 2 to d
    any_value : for any value maps V_h; else for V_h = a_h I

    Raises
    ------
    ValueError
        If a size is out of range.
    """
    if points == 2:
        return bound(d, r, heads, any_value)
    h = np.asarray(heads, dtype=float)
    if not (3 <= points <= d and 1 <= r <= d and np.all(h >= 1)):
        raise ValueError(
            f"d is {d}, r is {r}, N is {points}, heads from {h.min():g}; allowed: r from 1 to d, "
            "N from 2 to d, heads from 1"
        )
    n = d - points + 1
    if r >= n:
        return np.zeros(h.shape)
    degree, e = energies(n, points)
    common, own = shares(n, r, degree, any_value, (points - 1) * any_value)
    left = np.maximum(0.0, 1 - common - h[..., None] * own)
    return (points - 1) / 2 * (left @ e + (2 / points - e.sum()) * left[..., -1])
