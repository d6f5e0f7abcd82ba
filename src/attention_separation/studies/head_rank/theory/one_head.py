"""P(one head of rank 1 with a random direction is right), of N points, by integrals.

A head with the direction g votes for the point with the largest <x_i, g><g, y>; it is right if that
is the nearest, with the largest <x_i, y>. As g and -g vote alike, g may be taken on y's side.

Independent points: given the angle of y and g, pairs (<x_i, y>, <x_i, g>) are independent. The
first point is right if no other one has more of either, so the chance is N E F(U, V)^(N-1), with F
the distribution function of a pair and (U, V) one.

Orthogonal points: their products with y and g are coordinates of two independent uniform vectors,
which may be taken normal: only order counts, and the sign of S, the sum of all products u_k v_k.
P = 1/N + N E[1 sgn S], where 1 says that the first of N coordinates is the largest in both; E[1
exp(i omega S)] is a power of one integral.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.polynomial.legendre import leggauss, legvander
from scipy.special import betainc

from ....statistics.fourier import over_log_frequencies
from ..settings.jobs import Distribution

LEAST_DIMENSION = 4
"""Below, densities have poles or characteristic functions fall slowly."""

REACH_IN_SD = 8.0
"""Standard deviations of a coordinate, to both sides."""

LOG_OMEGA_ENDS = (-12.0, 4.0)
"""Between these the integrand over log omega is not negligible: it falls as omega below, and as a
power of omega, at least the number of points, above."""

OMEGA_STEPS = (64, 96)
COORDINATE_NODES = (112, 144)
PAIR_NODES = (40, 56)
"""Of log omega, of a normal coordinate and of each of a pair's: the error is by how much the
first of each differ from the second."""


class Chance(NamedTuple):
    """A probability, and its estimated numerical error."""

    value: float
    error: float


def chance_right(distribution: Distribution, d: int, points: int) -> Chance:
    """P(one head is right) among N points of dimension d.

    Parameters
    ----------
    distribution : uniform, for independent points of the sphere, or orthogonal, for N <= d
    d : at least LEAST_DIMENSION
    points : N, at least 2

    Raises
    ------
    ValueError
        If d is smaller.
    """
    if d < LEAST_DIMENSION:
        raise ValueError(f"d={d}; allowed: whole numbers from {LEAST_DIMENSION}")
    if distribution == "uniform":
        coarse, fine = [_chance_of_independent(d, points, nodes) for nodes in PAIR_NODES]
    else:
        coarse, fine = [
            _chance_of_orthogonal(d, points, nodes, steps)
            for nodes, steps in zip(COORDINATE_NODES, OMEGA_STEPS, strict=True)
        ]
    return Chance(fine, abs(fine - coarse))


def _chance_of_independent(d: int, points: int, nodes: int) -> float:
    """The chance that the head is right among independent points, N E F(U, V)^(N-1), over the angle
    of y and g too."""
    phi, shares = _angle_nodes(d, nodes, least=0.0)
    given_angle = [_chance_at_cosine(math.sin(angle), d, points, nodes) for angle in phi]
    return float(shares @ given_angle)


def _chance_at_cosine(cosine: float, d: int, points: int, nodes: int) -> float:
    """The chance that the head is right among independent points, at a given cosine of y and g.

    A pair is U = sin(phi) and V = cosine U + sine cos(phi) T, with T a coordinate of a uniform
    point of one dimension less.
    """
    sine = math.sqrt(1 - cosine**2)
    phi, share_of_phi = _angle_nodes(d, nodes)
    psi, share_of_psi = _angle_nodes(d - 1, nodes)
    v = cosine * np.sin(phi)[:, None] + sine * np.outer(np.cos(phi), np.sin(psi))
    below = _pair_distribution(phi, v, cosine, d, nodes)
    return points * float(share_of_phi @ below ** (points - 1) @ share_of_psi)


def _largest_angle(d: int) -> float:
    """The largest phi whose density cos(phi)^(d-2) is not negligible."""
    return min(REACH_IN_SD / math.sqrt(d), math.pi / 2)


def _angle_nodes(d: int, nodes: int, least: float | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Nodes of phi, where sin(phi) is a coordinate of a uniform point, and their shares; of those
    above the least, if one is given."""
    most = _largest_angle(d)
    if least is None:
        least = -most
    x, weights = leggauss(nodes)
    phi = (least + most) / 2 + (most - least) / 2 * x
    shares = weights * np.cos(phi) ** (d - 2)
    return phi, shares / shares.sum()


def _pair_distribution(
    phi: np.ndarray, v: np.ndarray, cosine: float, d: int, nodes: int
) -> np.ndarray:
    """The distribution function of a pair, F(sin(phi), v), (K, J), at K angles phi and J values v
    of each, (K, J)."""
    sine = math.sqrt(1 - cosine**2)
    lowest = -_largest_angle(d)
    x, weights = leggauss(nodes)
    # For each angle, those of another pair's below it.
    half = (phi - lowest)[:, None] / 2
    lower = lowest + half * (1 + x)
    shares = half * weights * np.cos(lower) ** (d - 2)
    everything = math.sqrt(math.pi) * math.exp(math.lgamma((d - 1) / 2) - math.lgamma(d / 2))
    room = sine * np.cos(lower)
    t = (v[:, :, None] - cosine * np.sin(lower)[:, None, :]) / room[:, None, :]
    half_dimension = (d - 2) / 2
    below = betainc(half_dimension, half_dimension, (1 + np.clip(t, -1, 1)) / 2)
    return np.asarray((below * shares[:, None, :]).sum(axis=2) / everything)


def _chance_of_orthogonal(d: int, points: int, nodes: int, steps: int) -> float:
    """The chance that the head is right among orthogonal points, 1/N + N E[1 sgn S]."""
    x, weights = leggauss(nodes)
    values = REACH_IN_SD * x
    density = np.exp(-np.square(values) / 2) / math.sqrt(2 * math.pi)
    up_to = _integrals_up_to(x, weights) * REACH_IN_SD
    log_omega, step = np.linspace(*LOG_OMEGA_ENDS, steps, retstep=True)
    product = np.outer(values, values)
    densities = np.outer(density, density)
    ends = REACH_IN_SD * weights
    imaginary = np.empty(steps)
    for k, omega in enumerate(np.exp(log_omega)):
        kernel = densities * np.exp(1j * omega * product)
        both_less = up_to @ kernel @ up_to.T
        free = (1 + omega**2) ** (-(d - points) / 2)
        imaginary[k] = (ends @ (kernel * both_less ** (points - 1)) @ ends).imag * free
    mean = 2 / math.pi * over_log_frequencies(imaginary, float(step))
    return 1 / points + points * mean


def _integrals_up_to(x: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The matrix (K, K) by which values at the Gauss-Legendre nodes x become integrals from -1 to
    each node."""
    count = len(x)
    polynomials = legvander(x, count)
    degrees = np.arange(count)
    to_coefficients = (degrees + 0.5)[:, None] * (polynomials[:, :count] * weights[:, None]).T
    # The integral of P_k from -1 is (P_(k+1) - P_(k-1)) / (2 k + 1), and 1 + x for k = 0.
    integrals = np.empty((count, count))
    integrals[:, 0] = 1 + x
    integrals[:, 1:] = (polynomials[:, 2:] - polynomials[:, : count - 1]) / (2 * degrees[1:] + 1)
    return integrals @ to_coefficients
