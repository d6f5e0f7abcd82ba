"""Theorem 4's biased target by the same argument: a lower bound for every bias, and at bias 0.

Data of Theorem 4: x_i of length sqrt(d) and orthogonal, y standard normal. Divided by sqrt(d) the
target is v / sqrt(2) + sgn(<u, y> + tau) u / sqrt(2), tau = (b_2 - b_1) / (2 sqrt(2d)). Given the
length rho of y it is a function of the cosine t of u and y, sgn(t + tau / rho), whose part of
degree l is again a multiple of the identity between the harmonics of u and of y: with

    s_l(a) = E sgn(t + a) P_l(t) = 2 f(0) (1 - a^2)^((d-1)/2) P'_l(-a) / (l (l + d - 2)), |a| < 1,

0 for |a| >= 1, the energies are e_l = N_l E s_l(tau / rho)^2, of even degrees too. The degree 0 is
reached by every head. No norm of a value map enters.

At tau = 0 it is `bound.bound`: the errors that Theorem 4 speaks of, above 1/20 where f_b has square
d, are above 1/(20 d) of it.
"""

import math

import numpy as np
from scipy.special import betainc

from attention_separation.rank_bound.bound import log_harmonics, reached_shares
from attention_separation.studies.head_rank.constructions.sphere import threshold_coefficients

DEGREES = 400
"""Degrees that are added one by one: of those beyond, as much is claimed as at the last."""


LENGTHS = 400
"""Nodes of the mean over the length of a normal vector."""

REACH = 8.0
"""Standard deviations, 1/sqrt(2), of that length that the nodes span to both sides of its mean."""


def lengths(d: int) -> tuple[np.ndarray, np.ndarray]:
    """Nodes rho and weights of the mean over the length of d standard normals."""
    x, w = np.polynomial.legendre.leggauss(LENGTHS)
    low, high = max(0.0, math.sqrt(d) - REACH), math.sqrt(d) + REACH
    rho = low + (high - low) / 2 * (1 + x)
    log = (d - 1) * np.log(rho) - rho**2 / 2
    weights = np.exp(log - log.max()) * w
    return rho, weights / weights.sum()


def energies(d: int, tau: float) -> np.ndarray:
    """e_l for l = 1 .. DEGREES - 1; what is missing to 1 is of degree 0 and of higher degrees."""
    rho, weights = lengths(d)
    squares = threshold_coefficients(d, tau / rho, DEGREES) ** 2 @ weights
    return np.exp(log_harmonics(d, np.arange(1.0, DEGREES))) * squares


def constant_energy(d: int, tau: float) -> float:
    """e_0: the mean of (E sgn(t + tau / rho))^2."""
    rho, weights = lengths(d)
    a = np.minimum(np.abs(tau) / rho, 1.0)
    return float(betainc(0.5, (d - 1) / 2, a**2) ** 2 @ weights)


def biased_bound(d: int, r: int, heads: float, tau: float, any_value: bool = False) -> float:
    """No so many generalised heads of rank r have a smaller error over E|f_b|^2 = d.

    Of any norm; for value maps a_h I, or any.
    """
    degree = np.arange(1.0, DEGREES)
    common, own = reached_shares(d, r, degree, any_value)
    left = np.maximum(0.0, 1 - common - heads * own)
    e = energies(d, tau)
    beyond = max(0.0, 1 - constant_energy(d, tau) - e.sum())
    return float(0.5 * (e @ left + beyond * left[-1]))
