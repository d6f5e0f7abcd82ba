"""Hardmax heads of rank 1 on D_2 with the best weights, and their directions optimised.

Both kernels are closed (`constructions.rank_1_heads`), so the least error over the weights,
1 - b.C^-1 b, is exact, and so is its gradient in q and k.
"""

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.optimize import minimize

from ..constructions import rank_1_heads
from ..constructions.sphere import harmonics, polynomials, sign_coefficient
from .projected_heads import best_weights

LBFGS_STEPS = 200
"""Of L-BFGS, at most."""

RIDGE = 1e-10
"""On the diagonal of C while directions are sought, where heads may coincide."""

NEAREST = 1e-9
"""The least 1 - t^2 in the slope of asin(t), which has a pole where heads coincide."""


def target_slope(d: int, t: np.ndarray) -> np.ndarray:
    """The derivative of `head_vs_target` by the cosines t: P_l' is l (l + d - 2) / (d - 1) times
    P_(l-1) of d + 2."""
    total = np.zeros_like(t)
    for below, value in polynomials(d + 2, t, rank_1_heads.SERIES_DEGREES - 1):
        degree = below + 1
        if degree % 2:
            weight = harmonics(d, degree) * sign_coefficient(d, degree) ** 3
            total += weight * degree * (degree + d - 2) / (d - 1) * value
    return 0.5 * total


def error_of_best_weights(heads: rank_1_heads.Heads) -> float:
    """The least error over the weights; heads may depend on each other."""
    c = rank_1_heads.head_vs_head(heads.q @ heads.q.T, heads.k @ heads.k.T)
    b = rank_1_heads.head_vs_target(heads.q.shape[1], heads.cosines)
    return best_weights(2 * c - 1, 2 * b - 1).error


def error_and_gradient(x: np.ndarray, d: int) -> tuple[float, np.ndarray]:
    """The least error 1 - b.(C + RIDGE I)^-1 b for q and k of any length, x = (q, k), and its
    gradient.

    With weights a = C^-1 b the gradient is a.dC a - 2 a.db, where a pair has
    C = 1/2 + 2/pi^2 asin(q.q') asin(k.k') and a head has b(t), t = q.k.
    """
    q_of_any_length, k_of_any_length = x.reshape(2, -1, d)
    q_lengths = np.linalg.norm(q_of_any_length, axis=1, keepdims=True)
    k_lengths = np.linalg.norm(k_of_any_length, axis=1, keepdims=True)
    q = q_of_any_length / q_lengths
    k = k_of_any_length / k_lengths
    q_cosines = np.clip(q @ q.T, -1.0, 1.0)
    k_cosines = np.clip(k @ k.T, -1.0, 1.0)
    q_angles = np.arcsin(q_cosines)
    k_angles = np.arcsin(k_cosines)
    c = 0.5 + 2 / np.pi**2 * q_angles * k_angles
    # asin magnifies the rounding of 1, which would drown the slopes.
    np.fill_diagonal(c, 1 + RIDGE)
    t = np.clip(np.sum(q * k, axis=1), -1.0, 1.0)
    b = rank_1_heads.head_vs_target(d, t)
    a = cho_solve(cho_factor(c, check_finite=False), b, check_finite=False)
    b_slopes = -2 * a * target_slope(d, t)
    q_gradient = 2 * _pair_slopes(a, q_cosines, k_angles) @ q + b_slopes[:, None] * k
    k_gradient = 2 * _pair_slopes(a, k_cosines, q_angles) @ k + b_slopes[:, None] * q
    gradients = [
        _of_any_length(q_gradient, q, q_lengths),
        _of_any_length(k_gradient, k, k_lengths),
    ]
    return float(1 - b @ a), np.concatenate([gradient.ravel() for gradient in gradients])


def _pair_slopes(a: np.ndarray, cosines: np.ndarray, other_angles: np.ndarray) -> np.ndarray:
    """The derivatives of a.C a in the cosines of q of pairs of heads, or of k: (H, H)."""
    slopes = 2 / np.pi**2 * np.outer(a, a) * other_angles
    slopes = slopes / np.sqrt(np.maximum(1 - cosines * cosines, NEAREST))
    np.fill_diagonal(slopes, 0.0)
    return slopes


def _of_any_length(gradient: np.ndarray, unit: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """The gradient in vectors (H, d) of any length, from that in their directions."""
    radial = np.sum(gradient * unit, axis=1, keepdims=True) * unit
    return (gradient - radial) / lengths


def locally_best_heads(start: rank_1_heads.Heads, steps: int = LBFGS_STEPS) -> rank_1_heads.Heads:
    """The heads that L-BFGS comes to from `start`, seeking the least error of the best weights."""
    d = start.q.shape[1]
    result = minimize(
        error_and_gradient,
        np.concatenate([start.q.ravel(), start.k.ravel()]),
        args=(d,),
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": steps},
    )
    q, k = result.x.reshape(2, -1, d)
    return rank_1_heads.Heads(
        q / np.linalg.norm(q, axis=1, keepdims=True), k / np.linalg.norm(k, axis=1, keepdims=True)
    )
