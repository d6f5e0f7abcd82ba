"""Functions on the sphere S^(d-1), d >= 2: of one coordinate t of a uniform point.

The coordinate is t = sin(phi) with phi in (-pi/2, pi/2) of density proportional to cos(phi)^(d-2):
smooth for every d >= 2, where the density of t itself is not.

The Gegenbauer polynomials have P_l(1) = 1. Over t, P_l has E[P_l^2] = 1 / N_l with N_l the number
of spherical harmonics of degree l: the L2-normalised polynomial is sqrt(N_l) P_l.
"""

import math
from collections.abc import Callable, Iterable, Iterator

import numpy as np
from numpy.polynomial.legendre import leggauss
from scipy.special import gammaln

PANEL_NODES = 24
"""Gauss-Legendre nodes per panel; panels double in width, so integrands are smooth on each."""

FINEST_DOUBLING = -3
"""The narrowest panels at a centre have 2**FINEST_DOUBLING times the width of the layer there."""


def density_at_zero(d: int) -> float:
    """f_d(0) = Gamma(d/2) / (sqrt(pi) Gamma((d-1)/2)), the density of t at 0."""
    return math.exp(gammaln(d / 2) - gammaln((d - 1) / 2)) / math.sqrt(math.pi)


def angle_rule(d: int, layers: Iterable[tuple[float, float]] = ()) -> tuple[np.ndarray, np.ndarray]:
    """Nodes phi and weights of the expectation over phi; the weights sum to 1.

    Parameters
    ----------
    d : dimension, at least 2
    layers : (centre, width) of places in phi where the integrand changes fast, or has a kink
    """
    breaks = {-math.pi / 2, math.pi / 2}
    for centre, width in [*layers, (0.0, 1 / math.sqrt(d))]:
        # Edges of panels whose distance from the centre doubles.
        doublings = math.ceil(math.log2(math.pi / width))
        offsets = width * 2.0 ** np.arange(FINEST_DOUBLING, max(doublings, FINEST_DOUBLING) + 1)
        breaks.add(centre)
        breaks.update(centre + offsets)
        breaks.update(centre - offsets)
    edges = np.array(sorted(place for place in breaks if abs(place) <= math.pi / 2))
    edges = edges[np.diff(edges, prepend=-np.inf) > 1e-14]
    x, panel_weights = leggauss(PANEL_NODES)
    half_widths = np.diff(edges)[:, None] / 2
    phi = (edges[:-1, None] + half_widths * (1 + x)).ravel()
    weights = (half_widths * panel_weights).ravel() * np.cos(phi) ** (d - 2)
    return phi, weights / weights.sum()


def harmonics(d: int, degree: int) -> float:
    """The number of spherical harmonics of a degree l >= 1 in R^d:
    N_l = (2l + d - 2) (l + d - 3)! / (l! (d - 2)!)."""
    return float((2 * degree + d - 2) * math.comb(degree + d - 3, degree - 1) // degree)


def sign_coefficient(d: int, degree: int) -> float:
    """The coefficient s_l of sgn at degree l, E[sgn(t) P_l(t)]; 0 for even l.

    For l = 2m + 1: (-1)^m (2m)! Gamma(d/2) / (4^m m! sqrt(pi) Gamma(m + (d + 1)/2)).
    """
    if degree % 2 == 0:
        return 0.0
    m = (degree - 1) // 2
    log_numerator = gammaln(2 * m + 1) + gammaln(d / 2)
    log_size = (
        log_numerator
        - m * np.log(4)
        - gammaln(m + 1)
        - np.log(np.pi) / 2
        - gammaln(m + (d + 1) / 2)
    )
    return float((-1) ** m * np.exp(log_size))


def sign_energy(d: int, degree: int) -> float:
    """N_l E[sgn(t) P_l(t)]^2: the share of degree l in sgn; the shares of all degrees sum to 1."""
    return harmonics(d, degree) * sign_coefficient(d, degree) ** 2


def polynomials(d: int, t: np.ndarray, terms: int) -> Iterator[tuple[int, np.ndarray]]:
    """(l, P_l(t)) for l = 0 .. terms - 1, by the three-term recurrence."""
    before = np.zeros_like(t)
    current = np.ones_like(t)
    for degree in range(terms):
        yield degree, current
        if degree == 0:
            # d = 2 is 0/0 in the general rule: P_1 = t for every d.
            after = t
        else:
            after = (2 * degree + d - 2) * t * current - degree * before
            after = after / (degree + d - 2)
        before = current
        current = after


def threshold_coefficients(d: int, a: np.ndarray, degrees: int) -> np.ndarray:
    """The coefficients of sgn(t + a), E[sgn(t + a) P_l(t)], for l = 1 .. degrees - 1:
    (degrees - 1, len(a)).

    2 f(0) (1 - a^2)^((d-1)/2) P_l'(-a) / (l (l + d - 2)) for |a| < 1, and 0 beyond.
    """
    inside = np.clip(a, -1.0, 1.0)
    # P_l' = l (l + d - 2) / (d - 1) times P_(l-1) of d + 2 dimensions.
    factor = 2 * density_at_zero(d) * (1 - inside**2) ** ((d - 1) / 2) / (d - 1)
    return np.array([factor * value for _, value in polynomials(d + 2, -inside, degrees - 1)])


def odd_series(
    d: int, t: np.ndarray, terms: int, weight: Callable[[int, int], float]
) -> np.ndarray:
    """The sum over odd l < terms of weight(d, l) P_l(t)."""
    total = np.zeros_like(t)
    for degree, value in polynomials(d, t, terms):
        if degree % 2:
            total += weight(d, degree) * value
    return total
