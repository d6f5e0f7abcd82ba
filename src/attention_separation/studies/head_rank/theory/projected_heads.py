"""Hardmax heads of rank r on D_2 by orthogonal projections, with the best weights.

Head h has K Q^T = P_h, an orthogonal projection of rank r, or its negative: it gives the x_i with
the larger, or smaller, <P_h x_i, y>. The range of P_h is what it projects on, stored as an
orthonormal basis (d, r). With u = (x_1 - x_2) / sqrt(2) the head's output is (v + g_h u) / sqrt(2)
with g_h = sgn<u, P_h y>. For a fixed y and uniform u, sgn<u, a> and sgn<u, b> have the mean product
(2/pi) asin(cos of the angle of a and b). So

    c_h = E g_h sgn<u, y> = (2/pi) E asin |P_h y|,
    G_hk = E g_h g_k = (2/pi) E asin(<P_h y, P_k y> / (|P_h y| |P_k y|)),

expectations over y: the first by quadrature, |P y|^2 being Beta(r/2, (d - r)/2); the second has a
closed form for r = 1 (q = k in `rank_1_heads`) and for orthogonal ranges (0), and is a mean over
draws of y else. The error of weights a is (1 - sum of a)^2 / 2 + (1 - 2 c.a + a.G a) / 2; a head
with -P_h and the weight -a_h changes its first part alone.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.polynomial.legendre import leggauss
from scipy.special import betaln

from ..constructions.sphere import PANEL_NODES, sign_coefficient

DRAWS_TOGETHER = 100
"""Draws of y that are held at a time."""


@dataclass(frozen=True)
class HeadMeans:
    """Of H heads, means over draws of y: G (H, H), c (H,) and E|P_h y| (H,)."""

    gram: np.ndarray
    target: np.ndarray
    length: np.ndarray

    def of_first(self, count: int) -> "HeadMeans":
        """The means of the first so many heads."""
        return HeadMeans(self.gram[:count, :count], self.target[:count], self.length[:count])


def target_mean(d: int, r: int) -> float:
    """c of a head of rank r < d: (2/pi) E asin |P y|."""
    # |P y| = sin(phi) with the density proportional to sin^(r-1) cos^(d-r-1).
    x, weights = leggauss(8 * PANEL_NODES)
    phi = math.pi / 4 * (1 + x)
    log_density = (r - 1) * np.log(np.sin(phi)) + (d - r - 1) * np.log(np.cos(phi))
    log_norm = betaln(r / 2, (d - r) / 2)
    density = np.exp(log_density + math.log(2) - log_norm) * weights * math.pi / 4
    return float(2 / math.pi * (density @ phi))


def random_ranges(rng: np.random.Generator, d: int, r: int, count: int) -> np.ndarray:
    """Orthonormal bases (count, d, r) of independent uniform subspaces."""
    return np.linalg.qr(rng.standard_normal((count, d, r)))[0]


def orthogonal_ranges(rng: np.random.Generator, d: int, r: int, count: int) -> np.ndarray:
    """Orthonormal bases (count, d, r) of subspaces that are orthogonal d // r at a time, taken from
    one orthonormal basis each."""
    ranges_per_basis = d // r
    bases = math.ceil(count / ranges_per_basis)
    q, _ = np.linalg.qr(rng.standard_normal((bases, d, d)))
    columns = q[:, :, : ranges_per_basis * r].reshape(bases, d, ranges_per_basis, r)
    ranges = columns.swapaxes(1, 2).reshape(-1, d, r)
    return ranges[:count]


class Projections(NamedTuple):
    """P_h y / |P_h y| (n, H, d), and |P_h y| (n, H)."""

    directions: np.ndarray
    lengths: np.ndarray


def projections(ranges: np.ndarray, y: np.ndarray) -> Projections:
    """The projections of y (n, d) on the ranges (H, d, r), as directions and lengths."""
    count, d, r = ranges.shape
    coordinates = (y @ ranges.swapaxes(0, 1).reshape(d, -1)).reshape(len(y), count, r)
    lengths = np.linalg.norm(coordinates, axis=2)
    coordinates /= lengths[..., None]
    directions = np.matmul(ranges, coordinates.transpose(1, 2, 0)).transpose(2, 0, 1)
    return Projections(directions, np.minimum(lengths, 1.0))


def _pair_angles(directions: np.ndarray) -> np.ndarray:
    """asin of the cosines of pairs of directions (H, d): (H, H)."""
    return np.arcsin(np.clip(directions @ directions.T, -1.0, 1.0))


def head_means(ranges: np.ndarray, y: np.ndarray) -> HeadMeans:
    """The means over y (n, d) of some heads, u being integrated out."""
    count = len(ranges)
    gram = np.zeros((count, count))
    target = np.zeros(count)
    length = np.zeros(count)
    for start in range(0, len(y), DRAWS_TOGETHER):
        directions, lengths = projections(ranges, y[start : start + DRAWS_TOGETHER])
        for directions_of_draw in directions:
            gram += _pair_angles(directions_of_draw)
        target += np.arcsin(lengths).sum(axis=0)
        length += lengths.sum(axis=0)
    return HeadMeans(2 / math.pi * gram / len(y), 2 / math.pi * target / len(y), length / len(y))


def errors_given_y(
    ranges: np.ndarray,
    y: np.ndarray,
    signed_value_maps: np.ndarray,
    linear: float,
    value_map_sum: float,
) -> np.ndarray:
    """The expected error of a layer given each y (n,): its mean over y is the layer's error.

    `signed_value_maps` (H,) are a_h of heads with P_h and -a_h of heads with -P_h; `linear` is a
    factor of <u, y> that the layer adds to its part along u. `value_map_sum` is that of all a_h,
    which is the layer's factor of the mean of both points: other than 1 it adds to the error.
    """
    d = ranges.shape[1]
    s = sign_coefficient(d, 1)
    a = signed_value_maps
    errors = []
    for start in range(0, len(y), DRAWS_TOGETHER):
        directions, lengths = projections(ranges, y[start : start + DRAWS_TOGETHER])
        quadratic = np.array([a @ _pair_angles(each_draw) @ a for each_draw in directions])
        along = 2 / math.pi * (quadratic - 2 * np.arcsin(lengths) @ a)
        # E<u, y> sgn<u, a> = s cos of the angle of y and a; E<u, y>^2 = 1/d.
        cross = 2 * linear * s * (lengths @ a - 1) + linear**2 / d
        errors.append(0.5 * (1 + along + cross))
    return np.concatenate(errors) + 0.5 * (1 - value_map_sum) ** 2


def balanced_signs(weights: np.ndarray) -> np.ndarray:
    """A sign for each of some weights (H,), with which their sum comes near 1: chosen greedily,
    the largest first."""
    signs = np.ones(len(weights))
    total = 0.0
    for index in np.argsort(-np.abs(weights), kind="stable"):
        signs[index] = 1.0 if total <= 1 else -1.0
        total += signs[index] * abs(weights[index])
    return signs


class WeightedHeads(NamedTuple):
    """Value maps a_h I of heads, (H,), and the error that they have."""

    value_maps: np.ndarray
    error: float


def best_weights(gram: np.ndarray, target: np.ndarray) -> WeightedHeads:
    """The value maps a_h I with the least error for heads with these G and c, and that error."""
    b = 0.5 * (1 + target)
    c = 0.5 * (1 + gram)
    weights, *_ = np.linalg.lstsq(c, b, rcond=1e-12)
    # Of any weights, so that what rounding does to them does not make the error too small.
    return WeightedHeads(weights, float(1 - 2 * b @ weights + weights @ c @ weights))


def best_signs(gram: np.ndarray, target: np.ndarray) -> np.ndarray:
    """The sign of each head, (H,), -1 where it is to have -P_h, for G and c of heads that all have
    P_h."""
    free_weights, *_ = np.linalg.lstsq(gram, target, rcond=1e-12)
    return balanced_signs(free_weights) * np.where(free_weights < 0, -1.0, 1.0)


@dataclass(frozen=True)
class SignedHeads:
    """Heads of which some have -P_h: their signs (H,), value maps a_h (H,), and their error."""

    signs: np.ndarray
    value_maps: np.ndarray
    error: float

    @property
    def signed_value_maps(self) -> np.ndarray:
        """a_h of heads with P_h, -a_h of heads with -P_h, (H,)."""
        return self.signs * self.value_maps


def best_signed_heads(gram: np.ndarray, target: np.ndarray) -> SignedHeads:
    """Heads with good signs and then the best value maps, for G and c of heads with P_h."""
    signs = best_signs(gram, target)
    value_maps, error = best_weights(gram * np.outer(signs, signs), target * signs)
    return SignedHeads(signs, value_maps, error)


class BesideLinearPart(NamedTuple):
    """Signed value maps (H,) beside a multiple of <u, y>."""

    signed_value_maps: np.ndarray
    multiple: float


def best_beside_linear_part(d: int, means: HeadMeans) -> BesideLinearPart:
    """The signed value maps of heads with these means, and the multiple of <u, y> beside them, with
    the least error."""
    s = sign_coefficient(d, 1)
    shared = s * means.length
    gram = means.gram - d * np.outer(shared, shared)
    weights, *_ = np.linalg.lstsq(gram, means.target - d * s * shared, rcond=1e-8)
    return BesideLinearPart(weights, float(d * (s - shared @ weights)))
