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
    """sm of each column of scores (..., N, M)."""
    weights = np.exp(scores - scores.max(axis=-2, keepdims=True))
    return weights / weights.sum(axis=-2, keepdims=True)


def hardmax(scores: np.ndarray) -> np.ndarray:
    """hm of each column of scores (..., N, M): 1 at the largest, the first of equals, else 0."""
    winner = np.argmax(scores, axis=-2)[..., None, :]
    return (np.arange(scores.shape[-2])[:, None] == winner).astype(float)


def full_rank_head(
    x: np.ndarray, y: np.ndarray, temperature: float | None, bias: np.ndarray | float = 0.0
) -> np.ndarray:
    """Facts 1 and 3: X sm(c (X^T y + bias)), one head with V = I and K Q^T = cI; (..., d).

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
    """E||f - head||^2 for N = 2 at temperature c.

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

    On D_N the gap of y's two largest coordinates among N has at 0 the density N (N-1) E[g] where,
    for Gaussian coordinates, g = phi(v)^2 Phi(v)^(N-2) integrated over v; the length of the
    Gaussian vector, independent of the direction, is divided out. On the sphere, given y, the
    scores are independent coordinates v, and the mean of ||x_1 - x_2||^2 is 2 (1 - v^2). For N = 2
    both are 2 f_d(0) E||x_1 - x_2|| (ln 2 - 1/2) / c.
    """
    pairs = n * (n - 1)
    if distribution == "orthogonal":
        gap = pairs * quad(lambda v: math.exp(-v * v + (n - 2) * log_ndtr(v)), -12, 12)[0]
        gap /= 2 * math.pi
        inverse_length = math.exp(gammaln((d - 1) / 2) - gammaln(d / 2)) / math.sqrt(2)
        return 2 * gap / inverse_length * SOFTMAX_TAIL / c
    phi, weights = angle_rule(d)
    v = np.sin(phi)
    below = np.where(v < 0, 1.0, -1.0) * betainc((d - 1) / 2, 0.5, np.cos(phi) ** 2) / 2
    below = np.where(v < 0, below, 1.0 + below)
    # The density of v is that of phi over cos(phi): f(v) dv = weight, and f(v) = f(0) cos^(d-3).
    density = density_at_zero(d) * np.cos(phi) ** (d - 3)
    integral = weights @ (density * below ** (n - 2) * 2 * np.cos(phi) ** 2)
    return float(pairs * integral * SOFTMAX_TAIL / c)


def fact_3_exact(d: int, bias: tuple[float, float], head: tuple[float, float], c: float) -> float:
    """E||f_b - head||^2 on D_2 for a head that adds head_i to the score of x_i; c may be infinite.

    f_b is x_1 where sqrt(2) t > (b_1 - b_2) / 2, t a coordinate of a uniform point (Equation 8);
    the head gives x_1 the weight 1 / (1 + exp(-c (sqrt(2) t + head_1 - head_2))).
    """
    root = math.sqrt(2)
    at_target, at_head = (bias[0] - bias[1]) / 2 / root, (head[1] - head[0]) / root
    width = 1e-6 if math.isinf(c) else min(1 / c, 1.0)
    angles = [math.asin(max(-1.0, min(1.0, at))) for at in (at_target, at_head)]
    phi, weights = angle_rule(d, [(angle, width) for angle in angles])
    t = np.sin(phi)
    wanted = t > at_target
    given = t > at_head if math.isinf(c) else expit(c * root * (t - at_head))
    return 2 * float(weights @ (wanted - 1.0 * given) ** 2)


def fact_3_asymptote(d: int, bias: tuple[float, float], c: float) -> float:
    """The limit law of the right head's error on D_2: the density of the gap at 0, times 2 / c."""
    at = (bias[0] - bias[1]) / 2 / math.sqrt(2)
    if abs(at) >= 1:
        return 0.0
    density = density_at_zero(d) * (1 - at * at) ** ((d - 3) / 2) / math.sqrt(2)
    return 2 * density * 2 * SOFTMAX_TAIL / c
