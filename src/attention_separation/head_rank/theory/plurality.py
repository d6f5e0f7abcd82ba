"""Theorem 7's vote among more than two points: the plurality of random rank-1 heads.

A head with the direction g votes for the x_i with the largest <x_i, g><g, y>; the point with most
votes wins. For two points it is the majority vote of `constructions.majority_vote`. A transformer
that counts votes takes labels for N points, and so depends on N: this is what such a one could do.

More heads do not make it exact: the vote tends to the point with the largest probability of being
the farthest in the direction of a g that leans to y, and among independent points that is often one
that stands apart from the others. Orthogonal points stand apart equally.

Rank 0 is uniform attention with a skip connection, a y + b sum_i x_i with the best a and b. Of
independent points, y stands to the nearest of N as -y to the farthest: it is section 7's error with
N + 1 points. On D_N E t.y = E max_i x_i.y and E t.sum_i x_i = 1, and the error is
1 - (E max_i x_i.y)^2 - 1/N.
"""

import math
from collections.abc import Sequence

import numpy as np
from scipy.integrate import quad
from scipy.special import gammaln, log_ndtr

from ..constructions.uniform_attention import least_error


def winners(x: np.ndarray, y: np.ndarray, g: np.ndarray, heads: Sequence[int]) -> np.ndarray:
    """Which column of X (d, N) wins with the first `heads` rows of g (H, d) each; of equals, the
    first."""
    picks = np.argmax((g @ x) * (g @ y)[:, None], axis=1)
    counts = [np.bincount(picks[:h], minlength=x.shape[1]) for h in heads]
    return np.argmax(counts, axis=1)


def rank_0(distribution: str, d: int, n: int) -> float:
    """The least error of uniform attention with a skip connection."""
    if distribution == "uniform":
        return least_error(d, n + 1)
    # The largest of n normals, over the length of d of them, which is independent of the direction.
    largest = quad(
        lambda v: n * v * math.exp(-v * v / 2 + (n - 1) * log_ndtr(v)), -12, 12, limit=200
    )[0] / math.sqrt(2 * math.pi)
    length = math.sqrt(2) * math.exp(gammaln((d + 1) / 2) - gammaln(d / 2))
    return 1 - (largest / length) ** 2 - 1 / n


def heads_for(heads: np.ndarray, errors: np.ndarray, error: float) -> float | None:
    """Where errors that fall with the heads first reach this one, between heads on a logarithmic
    scale; None where they do not, or have it with the fewest already."""
    below = np.flatnonzero(errors <= error)
    if not len(below) or below[0] == 0:
        return None
    last = below[0]
    high, low = errors[last - 1], errors[last]
    share = (high - error) / (high - low)
    return float(heads[last - 1] * (heads[last] / heads[last - 1]) ** share)
