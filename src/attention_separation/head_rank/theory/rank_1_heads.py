"""Hardmax heads of rank 1 with the best weights, and their directions optimised.

Both kernels are closed (`random_features`), so the least error over the weights, 1 - b.C^-1 b, is
exact, and so is its gradient in q and k.
"""

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.optimize import minimize

from ..constructions.gegenbauer import harmonics, polynomials, sign_coefficient
from ..constructions.random_features import TERMS, Heads, head_vs_head, head_vs_target

STEPS = 200
"""Of L-BFGS, at most."""

RIDGE = 1e-10
"""On the diagonal of C while directions are sought, where heads may coincide."""

NEAREST = 1e-9
"""The least 1 - t^2 in the slope of asin(t), which has a pole where heads coincide."""


def target_slope(d: int, t: np.ndarray) -> np.ndarray:
    """d/dt of `head_vs_target`: P_l' is l (l + d - 2) / (d - 1) times P_(l-1) of d + 2."""
    total = np.zeros_like(t)
    for below, value in polynomials(d + 2, t, TERMS - 1):
        degree = below + 1
        if degree % 2:
            weight = harmonics(d, degree) * sign_coefficient(d, degree) ** 3
            total += weight * degree * (degree + d - 2) / (d - 1) * value
    return 0.5 * total


def least_error(heads: Heads) -> float:
    """The least error over the weights; heads may depend on each other."""
    c = head_vs_head(heads.q @ heads.q.T, heads.k @ heads.k.T)
    b = head_vs_target(heads.q.shape[1], heads.cosines)
    a = np.linalg.lstsq(c, b, rcond=1e-12)[0]
    # Of any weights, so that what rounding does to them does not make the error too small.
    return float(1 - 2 * b @ a + a @ c @ a)


def error_and_gradient(x: np.ndarray, d: int) -> tuple[float, np.ndarray]:
    """1 - b.(C + RIDGE I)^-1 b for q and k of any length, x = (q, k), and its gradient."""
    q, k = x.reshape(2, -1, d)
    lengths = [np.linalg.norm(v, axis=1, keepdims=True) for v in (q, k)]
    q, k = q / lengths[0], k / lengths[1]
    products = [np.clip(v @ v.T, -1.0, 1.0) for v in (q, k)]
    angles = [np.arcsin(p) for p in products]
    c = 0.5 + 2 / np.pi**2 * angles[0] * angles[1]
    # asin magnifies the rounding of 1, which would drown the slopes.
    np.fill_diagonal(c, 1 + RIDGE)
    t = np.clip(np.sum(q * k, axis=1), -1.0, 1.0)
    b = head_vs_target(d, t)
    a = cho_solve(cho_factor(c, check_finite=False), b, check_finite=False)
    slope = -2 * a * target_slope(d, t)
    parts = []
    for v, other, p, angle, length in (
        (q, k, products[0], angles[1], lengths[0]), (k, q, products[1], angles[0], lengths[1])
    ):  # fmt: skip
        pairs = 2 / np.pi**2 * np.outer(a, a) * angle / np.sqrt(np.maximum(1 - p * p, NEAREST))
        np.fill_diagonal(pairs, 0.0)
        gradient = 2 * pairs @ v + slope[:, None] * other
        parts.append((gradient - np.sum(gradient * v, axis=1, keepdims=True) * v) / length)
    return float(1 - b @ a), np.concatenate([part.ravel() for part in parts])


def optimised(start: Heads, steps: int = STEPS) -> Heads:
    """Heads with a smaller error, if L-BFGS finds any from here."""
    d = start.q.shape[1]
    found = minimize(
        error_and_gradient, np.concatenate([start.q.ravel(), start.k.ravel()]), args=(d,),
        jac=True, method="L-BFGS-B", options={"maxiter": steps},
    )  # fmt: skip
    q, k = found.x.reshape(2, -1, d)
    return Heads(*(v / np.linalg.norm(v, axis=1, keepdims=True) for v in (q, k)))
