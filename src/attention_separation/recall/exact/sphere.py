"""The cosine between a fixed direction and a key that is uniform on the unit sphere of R^d."""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.special import roots_legendre

LEAST_SHARE = 1e-30
"""Density, over the largest, below which cosines are left out."""


@dataclass(frozen=True)
class Cosines:
    """A rule of Gauss for means over the cosine t, whose density is (1 - t^2)^((d - 3) / 2).

    Attributes
    ----------
    values : (M,) cosines, from the largest to the least
    shares : (M,) weights of the rule, of sum 1
    """

    values: np.ndarray
    shares: np.ndarray


@lru_cache(maxsize=64)
def cosines(d: int, nodes: int) -> Cosines:
    """The rule with so many nodes on each side of t = 0, where kernels may have a kink.

    It is Gauss and Legendre's in the angle, in which the density is sin^(d - 2): smooth for all d.
    """
    nearest = 0.0
    if d > 2:
        nearest = math.asin(LEAST_SHARE ** (1 / (d - 2)))
    of_unit, weights = roots_legendre(nodes)
    half_width = (math.pi / 2 - nearest) / 2
    angles = nearest + half_width * (of_unit + 1)
    shares = weights * np.sin(angles) ** (d - 2)
    shares = np.concatenate([shares, shares[::-1]])
    upper = np.cos(angles)
    values = np.concatenate([upper, -upper[::-1]])
    return Cosines(values, shares / shares.sum())
