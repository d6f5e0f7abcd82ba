"""The cosine between a fixed direction and a key that is uniform on the unit sphere of R^d.

A *rule* is a set of cosines, the nodes, with the share of keys that each stands for.
"""

import math
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

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


FEWEST_NODES = 8
"""Of a piece between two jumps."""

EVEN = 20_000
"""Angles, equally far apart, by which a function of the cosine is looked over; pi / 2 is none."""


@lru_cache(maxsize=64)
def cosines(d: int, nodes: int, jumps: tuple[float, ...] = ()) -> Cosines:
    """The rule with so many nodes on each side of t = 0, where kernels may have a kink.

    It is Gauss and Legendre's in the angle, in which the density is sin^(d - 2): smooth for all d.

    Parameters
    ----------
    jumps : further angles, between 0 and pi, that no piece of the rule has inside
    """
    nearest = _nearest(d)
    if jumps:
        return _by_pieces(d, nodes, [nearest, *sorted({*jumps, math.pi / 2}), math.pi - nearest])
    unit_nodes, weights = roots_legendre(nodes)
    half_width = (math.pi / 2 - nearest) / 2
    angles = nearest + half_width * (unit_nodes + 1)
    shares = weights * np.sin(angles) ** (d - 2)
    shares = np.concatenate([shares, shares[::-1]])
    upper = np.cos(angles)
    values = np.concatenate([upper, -upper[::-1]])
    return Cosines(values, shares / shares.sum())


@lru_cache(maxsize=8)
def even_cosines(d: int) -> Cosines:
    """The rule of EVEN nodes at equal steps of the angle, for kernels that may be rough
    anywhere."""
    nearest = _nearest(d)
    step = (math.pi - 2 * nearest) / EVEN
    angles = nearest + step * (np.arange(EVEN) + 0.5)
    shares = np.sin(angles) ** (d - 2)
    return Cosines(np.cos(angles), shares / shares.sum())


def _nearest(d: int) -> float:
    """The least angle to a pole at which the density of keys is not negligible."""
    return math.asin(LEAST_SHARE ** (1 / (d - 2))) if d > 2 else 0.0


def _by_pieces(d: int, nodes: int, edges: list[float]) -> Cosines:
    """The rule of Gauss and Legendre in each piece between edges; a wider piece has more nodes."""
    whole = edges[-1] - edges[0]
    angles = []
    shares = []
    for start, end in pairwise(edges):
        half_width = (end - start) / 2
        if half_width <= 0:
            continue
        count = max(math.ceil(4 * nodes * half_width / whole), FEWEST_NODES)
        unit_nodes, weights = roots_legendre(count)
        angles_of_piece = start + half_width * (unit_nodes + 1)
        angles.append(angles_of_piece)
        shares.append(half_width * weights * np.sin(angles_of_piece) ** (d - 2))
    density = np.concatenate(shares)
    return Cosines(np.cos(np.concatenate(angles)), density / density.sum())
