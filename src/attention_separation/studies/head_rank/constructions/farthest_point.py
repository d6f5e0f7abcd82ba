"""Section 7's task, the farthest point: by uniform attention at best, and by the head of full rank.

Rank 0: the best that uniform attention, which does not look at the points, gives linearly.
Section 7's target of x_i is x_j with the smallest product x_i.x_j. Uniform attention gives the mean
of all points, so a layer with a skip connection gives f_i = -a x_i + b sum_j x_j. Its least error
over a and b is what a linear combination reaches without attention to content; a network's
nonlinear functions of the same two vectors may do a little better.

Let points be uniform on the sphere, and z_j = x_i.x_j for j != i: N-1 independent coordinates u of
a uniform point. With m their minimum, the target t = x_j of it, and R the sum of the x_j with
j != i, f_i is a combination of x_i and R, and

- E x_i.R = 0 and E |R|^2 = N-1, for distinct points are independent with mean 0;
- E t.x_i = E m;
- E t.R = 1 + (N-2) E[m E(u | u > m)]: given the z_j, what is orthogonal to x_i has mean 0 and is
  independent from point to point, and each of the N-2 other coordinates is one above m.

So the best coefficients are E m and E t.R / (N-1), each alone, and the least error is
1 - (E m)^2 - (E t.R)^2 / (N-1). With S(m) = P(u > m) and u's density f(u) = f(0)(1-u^2)^((d-3)/2),
whose integral of u f(u) over u > m is f(0)(1-m^2)^((d-1)/2) / (d-1),

- E m = (N-1) E[u S(u)^(N-2)];
- E[m E(u | u > m)] = (N-1) f(0) / (d-1) E[u (1-u^2)^((d-1)/2) S(u)^(N-3)].

For N = 2 the error is 0: the farthest point is sum_j x_j - x_i.

The head of full rank that section 7 says is learned is softmax(-c x_i.x_j).
"""

import math
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple, Self

import numpy as np
from scipy.special import betainc

from ....statistics.seeding import blocks, stream
from .data import farthest, squared_error, unit_vectors
from .full_rank_head import softmax
from .sphere import angle_rule, density_at_zero


@cache
def least_error(d: int, n: int) -> float:
    """The least E|target_i - f_i|^2 over a and b, for n points in d dimensions, both at least 2.

    Predicting zero has 1.
    """
    if n == 2:
        return 0.0
    # The minimum of many coordinates crowds at -1.
    phi, weights = angle_rule(d, [(-math.pi / 2, 1 / n)])
    u = np.sin(phi)
    # S(u), the probability that another coordinate is above.
    above = betainc((d - 1) / 2, (d - 1) / 2, (1 - u) / 2)
    mean_minimum = (n - 1) * float(weights @ (u * above ** (n - 2)))
    integrand = u * np.cos(phi) ** (d - 1) * above ** (n - 3)
    integral = float(weights @ integrand)
    # E[m E(u | u > m)].
    minimum_times_others = (n - 1) * density_at_zero(d) / (d - 1) * integral
    product_with_sum = 1 + (n - 2) * minimum_times_others
    return 1 - mean_minimum**2 - product_with_sum**2 / (n - 1)


SIMULATED_SETS = 16_384
"""Sets that an error is the mean over: its standard error is about 0.001."""

SETS_PER_STREAM = 1024
"""Sets per stream. Fixed: fewer sets are the first of more."""


def opposite_head(x: np.ndarray, c: float) -> np.ndarray:
    """The head's output for every x_i of X (..., d, N): sum_j w_j x_j with w = softmax(-c x_i.x_j)
    over all j, i too."""
    return x @ softmax(-c * (np.swapaxes(x, -1, -2) @ x))


class SimulatedError(NamedTuple):
    """The mean error of a head over sets, and its standard error."""

    error: float
    standard_error: float

    @classmethod
    def of(cls, errors: np.ndarray) -> Self:
        """The mean of the errors of sets (sets,), with its standard error."""
        return cls(float(errors.mean()), float(errors.std(ddof=1) / np.sqrt(len(errors))))


def simulated_errors(
    d: int, n: int, temperatures: Sequence[float], seed: int, sets: int = SIMULATED_SETS
) -> list[SimulatedError]:
    """The head's error on the farthest point, for each c.

    Sets are uniform on the sphere, the same for every c; the error of a set is the mean over its
    points.
    """
    errors_by_temperature: list[list[np.ndarray]] = [[] for _ in temperatures]
    for block, count in blocks(sets, SETS_PER_STREAM):
        rng = stream(seed, "head_rank", "opposite-head", f"d={d},n={n}", f"block={block}")
        # A block is drawn whole, so that a shorter last one is the first of it.
        x = np.swapaxes(unit_vectors(rng, SETS_PER_STREAM, n, d), -1, -2)[:count]
        targets = farthest(x)
        for c, errors_at_c in zip(temperatures, errors_by_temperature, strict=True):
            errors_at_c.append(_errors_of_sets(targets, opposite_head(x, c)))
    return [SimulatedError.of(np.concatenate(parts)) for parts in errors_by_temperature]


def _errors_of_sets(targets: np.ndarray, outputs: np.ndarray) -> np.ndarray:
    """Mean squared errors (sets,) of outputs at points, both (sets, d, N)."""
    errors = squared_error(np.swapaxes(targets, -1, -2), np.swapaxes(outputs, -1, -2))
    return errors.mean(axis=-1)
