"""One coordinate of a uniform point of the sphere: its density, and expectations by quadrature.

The coordinate is t = sin(phi) with phi in (-pi/2, pi/2) of density proportional to cos(phi)^(d-2):
smooth for every d >= 2, where the density of t itself is not.
"""

import math
from collections.abc import Iterable

import numpy as np
from numpy.polynomial.legendre import leggauss
from scipy.special import gammaln

NODES = 24
"""Gauss-Legendre nodes per panel; panels double in width, so integrands are smooth on each."""

FINEST = -3
"""The narrowest panels at a centre have 2**FINEST times the width of the layer there."""


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
        steps = math.ceil(math.log2(math.pi / width))
        offsets = width * 2.0 ** np.arange(FINEST, max(steps, FINEST) + 1)
        breaks |= {centre, *(centre + offsets), *(centre - offsets)}
    edges = np.array(sorted(b for b in breaks if abs(b) <= math.pi / 2))
    edges = edges[np.diff(edges, prepend=-np.inf) > 1e-14]
    x, w = leggauss(NODES)
    half = np.diff(edges)[:, None] / 2
    phi = (edges[:-1, None] + half * (1 + x)).ravel()
    weights = (half * w).ravel() * np.cos(phi) ** (d - 2)
    return phi, weights / weights.sum()
