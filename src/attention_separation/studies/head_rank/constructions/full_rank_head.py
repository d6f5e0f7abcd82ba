"""The full-rank head of Facts 1 and 3; its error, exact where two points compete and as c grows.

Fact 1, V = I and K Q^T = cI. Only the two best points matter for large c: with a gap z between
their scores the head gives the second the weight 1 / (1 + exp(cz)), so the error tends to
||x_1 - x_2||^2 times the integral of (1 + exp(cz))^-2 over z, times the density of the gap at 0.
"""

import math

import numpy as np
from scipy.integrate import quad
from scipy.special import betainc, expit, gammaln, log_ndtr

from .sphere import angle_rule, density_at_zero


def softmax(scores: np.ndarray) -> np.ndarray:
    """The softmax of each column of scores (..., N, M), over its N entries."""
    weights = np.exp(scores - scores.max(axis=-2, keepdims=True))
    return weights / weights.sum(axis=-2, keepdims=True)


def hardmax(scores: np.ndarray) -> np.ndarray:
    """The hardmax of each column of scores (..., N, M): 1 at the largest, the first of equals, else
    0."""
    winner = np.argmax(scores, axis=-2)[..., None, :]
    return (np.arange(scores.shape[-2])[:, None] == winner).astype(float)


def full_rank_head(
    x: np.ndarray, y: np.ndarray, temperature: float | None, bias: np.ndarray | float = 0.0
) -> np.ndarray:
    """The output (..., d) of the head of Facts 1 and 3, X sm(c (X^T y + bias)): V = I, K Q^T = cI.

    `temperature` is c, None the hardmax head. The bias comes from a concatenated encoding:
    bias = -b/2 gives Equation 8 in the limit, the text's +b does not.
    """
    scores = (np.swapaxes(x, -1, -2) @ y[..., None])[..., 0] + bias
    scores = scores[..., None]
    weights = hardmax(scores) if temperature is None else softmax(temperature * scores)
    return (x @ weights)[..., 0]


SOFTMAX_TAIL = math.log(2) - 0.5
"""The integral of (1 + e^s)^-2 over s > 0."""


def fact_1_exact(d: int, distribution: str, c: float) -> float:
    """The error of Fact 1's head, E||f - head||^2 with f the nearest point, for N = 2 at inverse
    temperature c.

    The head misses x_1 or x_2, whichever is nearer, by ||x|| / (1 + exp(c |x.y|)), x = x_1 - x_2,
    and x.y = ||x|| t with t a coordinate of a uniform point. On D_2 ||x||^2 = 2; on the sphere it
    is 2 - 2u with u another such coordinate.
    """
    phi, weights = angle_rule(d, [(0.0, 1 / (2 * c))])
    t = np.abs(np.sin(phi))
    if distribution == "orthogonal":
        return 2 * float(weights @ expit(-c * math.sqrt(2) * t) ** 2)
    outer, outer_weights = angle_rule(d, [(math.pi / 2, 1 / c)])
    squared = 2 - 2 * np.sin(outer)
    inner = expit(-c * np.sqrt(squared)[:, None] * t) ** 2 @ weights
    return float(outer_weights @ (squared * inner))


def fact_1_asymptote(d: int, n: int, distribution: str, c: float) -> float:
    """The limit law of E||f - head||^2 for large c, a constant over c.

    For N = 2 it is 2 f_d(0) E||x_1 - x_2|| (ln 2 - 1/2) / c, on the sphere as on D_2.
    """
    if distribution == "orthogonal":
        gap_density = _orthogonal_gap_density(d, n)
        return 2 * gap_density * SOFTMAX_TAIL / c
    return float(n * (n - 1) * _uniform_gap_integral(d, n) * SOFTMAX_TAIL / c)


def _orthogonal_gap_density(d: int, n: int) -> float:
    """The density at 0 of the gap of y's two largest coordinates among N, on D_N.

    It is N (N-1) E[g] where, for Gaussian coordinates, g = phi(v)^2 Phi(v)^(N-2) integrated over v;
    the length of the Gaussian vector, independent of the direction, is divided out.
    """

    def term(v: float) -> float:
        """The integrand at v."""
        return math.exp(-v * v + (n - 2) * log_ndtr(v))

    integral, _ = quad(term, -12, 12)
    gaussian_density = n * (n - 1) * integral / (2 * math.pi)
    inverse_length = math.exp(gammaln((d - 1) / 2) - gammaln(d / 2)) / math.sqrt(2)
    return float(gaussian_density / inverse_length)


def _uniform_gap_integral(d: int, n: int) -> float:
    """The density at 0 of the gap between the scores of two given points on the sphere that are the
    two nearest to y, in this order, times ||x_1 - x_2||^2.

    Given y, the scores are independent coordinates v, and the mean of ||x_1 - x_2||^2 is
    2 (1 - v^2).
    """
    phi, weights = angle_rule(d)
    v = np.sin(phi)
    beyond = betainc((d - 1) / 2, 0.5, np.cos(phi) ** 2) / 2
    # P(another coordinate < v).
    below = np.where(v < 0, beyond, 1.0 - beyond)
    # The density of v is that of phi over cos(phi): f(v) dv = weight, and f(v) = f(0) cos^(d-3).
    density = density_at_zero(d) * np.cos(phi) ** (d - 3)
    return float(weights @ (density * below ** (n - 2) * 2 * np.cos(phi) ** 2))


def fact_3_exact(d: int, bias: tuple[float, float], head: tuple[float, float], c: float) -> float:
    """E||f_b - head||^2 on D_2 for a head that adds head_i to the score of x_i; c may be infinite.

    f_b is x_1 where sqrt(2) t > (b_1 - b_2) / 2, t a coordinate of a uniform point (Equation 8);
    the head gives x_1 the weight 1 / (1 + exp(-c (sqrt(2) t + head_1 - head_2))).
    """
    root = math.sqrt(2)
    target_threshold = (bias[0] - bias[1]) / 2 / root
    head_threshold = (head[1] - head[0]) / root
    width = 1e-6 if math.isinf(c) else min(1 / c, 1.0)
    layers = [
        (math.asin(max(-1.0, min(1.0, threshold))), width)
        for threshold in (target_threshold, head_threshold)
    ]
    phi, weights = angle_rule(d, layers)
    t = np.sin(phi)
    is_first = (t > target_threshold).astype(float)
    if math.isinf(c):
        weight_of_first = (t > head_threshold).astype(float)
    else:
        weight_of_first = expit(c * root * (t - head_threshold))
    return 2 * float(weights @ (is_first - weight_of_first) ** 2)


def fact_3_asymptote(d: int, bias: tuple[float, float], c: float) -> float:
    """The limit law of the right head's error on D_2: the density of the gap at 0, times 2 / c."""
    threshold = (bias[0] - bias[1]) / 2 / math.sqrt(2)
    if abs(threshold) >= 1:
        return 0.0
    density = density_at_zero(d) * (1 - threshold * threshold) ** ((d - 3) / 2) / math.sqrt(2)
    return 2 * density * 2 * SOFTMAX_TAIL / c
