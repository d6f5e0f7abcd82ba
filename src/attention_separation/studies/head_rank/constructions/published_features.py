"""The published computation of random rank-1 heads, and what its image shows.

It has an error that is not the one of its heads and weights: the error reported, and the error
attained.
"""

from typing import NamedTuple

import numpy as np
from scipy.sparse.linalg import cg

from .rank_1_heads import Heads, errors_of_weights, head_vs_target, kernel_blocks


class PublishedErrors(NamedTuple):
    """What the published computation reports with some numbers of heads, and the true errors of the
    heads and weights that it has."""

    reported: np.ndarray
    attained: np.ndarray


def published_errors(heads: Heads, counts: list[int]) -> PublishedErrors:
    """The reported and the true errors with the first `count` heads, for each of `counts`.

    `heads` are those of `compromise_heads` without `renormalised`. Their k are shorter than 1, but
    C and b are computed as if they were unit vectors; b is rounded to 16 bits; the weights come
    from conjugate gradients at the default tolerance. A head is the same for k of any length, so
    the model's true error is that of the normalised k with the same weights.
    """
    largest = max(counts)
    q = heads.q[:largest]
    k = heads.k[:largest]
    reported, weights = _published_solution(Heads(q, k), counts)
    unit_heads = Heads(q, k / np.linalg.norm(k, axis=1, keepdims=True))
    return PublishedErrors(np.array(reported), errors_of_weights(unit_heads, weights))


def _published_solution(heads: Heads, counts: list[int]) -> tuple[list[float], list[np.ndarray]]:
    """The error 1 - 2 b.a + a.C a that the published computation reports, and its weights a, with
    the first `count` heads each."""
    whole_c = _whole_kernel(heads)
    whole_b = head_vs_target(heads.q.shape[1], heads.cosines).astype(np.float16)
    reported = []
    weights = []
    for count in counts:
        c = whole_c[:count, :count]
        b = whole_b[:count]
        a, _ = cg(c, b)
        reported.append(1 - 2 * (b @ a) + a @ (c @ a))
        weights.append(a)
    return reported, weights


def _whole_kernel(heads: Heads) -> np.ndarray:
    """The whole symmetric matrix C of the heads, (H, H)."""
    count = len(heads.q)
    c = np.empty((count, count))
    for start, stop, rows in kernel_blocks(heads):
        c[start:stop, :stop] = rows
        c[:start, start:stop] = rows[:, :start].T
    return c


RANDOM_FEATURES = {
    8: (
        0.6847, 0.5967, 0.5933, 0.4915, 0.4159, 0.3495, 0.2828, 0.2268, 0.1908, 0.1753, 0.1660,
        0.1599, 0.1530, 0.1428, 0.1298,
    ),
    16: (
        0.7394, 0.6431, 0.5789, 0.5323, 0.4832, 0.4275, 0.3763, 0.3096, 0.2511, 0.2142, 0.1930,
        0.1825, 0.1776, 0.1747, 0.1721,
    ),
    32: (
        0.7544, 0.6549, 0.5892, 0.5445, 0.5037, 0.4691, 0.4318, 0.3826, 0.3194, 0.2668, 0.2261,
        0.2012, 0.1888, 0.1829, 0.1798,
    ),
    64: (
        0.7225, 0.6396, 0.6004, 0.5512, 0.5279, 0.4921, 0.4655, 0.4312, 0.3810, 0.3271, 0.2739,
        0.2320, 0.2066, 0.1924, 0.1853,
    ),
}  # fmt: skip
"""By d, the mean reported error at 1, 2, 4, .. 16,384 heads: the middle of the line in the image
`random_features.png` of 3200 x 2400 pixels, good to about 0.001 (a pixel is 0.0004, a line 8)."""
