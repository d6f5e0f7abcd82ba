"""Rank-1 hardmax heads with the best weights: how near a sum of them comes to the target.

A head (q, k), unit vectors, gives the x_i of two orthogonal points with the larger <x_i, k><q, y>.
The model is the sum of a_h x_{i_h}. Its error on D_2 is 1 - 2 b.a + a.C a with
C(h, h') = E<x_{i_h}, x_{i_h'}> = P(both give the same point) and b(h) = E<x_{i_h}, f>, so the least
error is 1 - b.C^-1 b. Both kernels have closed forms.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.linalg import cho_factor, solve_triangular

from ....statistics.seeding import stream
from .data import unit_vectors
from .sphere import harmonics, odd_series, sign_coefficient, sign_energy

SERIES_DEGREES = 50
"""Degrees of the series of b, as published; its tail is below 1e-9 at d >= 8, 3e-7 at d = 3."""

KERNEL_ROWS = 512
"""Rows of C that are computed at a time."""


@dataclass(frozen=True)
class Heads:
    """H heads: q and k (H, d), unit vectors."""

    q: np.ndarray
    k: np.ndarray

    @property
    def cosines(self) -> np.ndarray:
        """t = q.k of every head, (H,)."""
        return np.clip(np.sum(self.q * self.k, axis=1), -1.0, 1.0)


def independent_heads(count: int, d: int, seed: int, *names: str) -> Heads:
    """So many heads whose q and k are independent and uniform."""
    q = unit_vectors(stream(seed, *names, "q"), count, d)
    k = unit_vectors(stream(seed, *names, "k"), count, d)
    return Heads(q, k)


def compromise_heads(
    count: int, d: int, seed: int, *names: str, renormalised: bool = True
) -> Heads:
    """So many heads with q uniform, the cosine t of q and k uniform on (-1, 1), and k uniform among
    the vectors with this cosine.

    k = t q + sqrt(1 - t^2) e with e a uniform vector made orthogonal to q, and so shorter than 1;
    without `renormalised`, as in the published computation, it stays so and k is no unit vector.
    """
    q = unit_vectors(stream(seed, *names, "q"), count, d)
    e = unit_vectors(stream(seed, *names, "k"), count, d)
    t = stream(seed, *names, "t").uniform(-1, 1, (count, 1))
    e -= np.sum(q * e, axis=1, keepdims=True) * q
    if renormalised:
        e /= np.linalg.norm(e, axis=1, keepdims=True)
    return Heads(q, t * q + np.sqrt(1 - t * t) * e)


HEAD_LAWS: dict[str, Callable[..., Heads]] = {
    "compromise": compromise_heads,
    "independent": independent_heads,
}
"""How q and k of a head are drawn; streams hold heads in order, fewer heads are the first ones."""


def head_vs_target(d: int, t: np.ndarray, terms: int = SERIES_DEGREES) -> np.ndarray:
    """b of heads whose q and k have the cosine t: 1/2 + 1/2 of the sum of N_l s_l^3 P_l(t)."""

    def weight(d: int, degree: int) -> float:
        """N_l s_l^3."""
        return harmonics(d, degree) * sign_coefficient(d, degree) ** 3

    return 0.5 + 0.5 * odd_series(d, t, terms, weight)


def representing_weight(
    d: int, t: np.ndarray, terms: int = SERIES_DEGREES, published: bool = False
) -> np.ndarray:
    """u(t) with E_{q,k}[u(q.k) sgn(x.k) sgn(q.y)] = sgn(x.y) up to degree `terms`, q, k uniform.

    A head's sign function has the coefficient s_l twice (Funk-Hecke), so u has N_l / s_l at P_l.
    The `published` plot multiplies N_l / s_l by the L2-normalised polynomial sqrt(N_l) P_l.
    """

    def weight(d: int, degree: int) -> float:
        """The coefficient of P_l."""
        count = harmonics(d, degree)
        exact = count / sign_coefficient(d, degree)
        return exact * math.sqrt(count) if published else exact

    return odd_series(d, t, terms, weight)


def head_vs_head(qq: np.ndarray, kk: np.ndarray) -> np.ndarray:
    """C = 1/2 + 2/pi^2 asin(q.q') asin(k.k') of pairs of heads with these products, both within
    [-1, 1]; works in place on both."""
    for products in (qq, kk):
        np.clip(products, -1.0, 1.0, out=products)
        np.arcsin(products, out=products)
    kernel = qq
    kernel *= kk
    kernel *= 2 / np.pi**2
    kernel += 0.5
    return kernel


class KernelBlock(NamedTuple):
    """Rows start..stop of C, up to column stop."""

    start: int
    stop: int
    rows: np.ndarray


def kernel_blocks(heads: Heads) -> Iterator[KernelBlock]:
    """The matrix C of all pairs of heads, in bands of KERNEL_ROWS rows, each up to its diagonal."""
    count = len(heads.q)
    for start in range(0, count, KERNEL_ROWS):
        stop = min(start + KERNEL_ROWS, count)
        qq = heads.q[start:stop] @ heads.q[:stop].T
        kk = heads.k[start:stop] @ heads.k[:stop].T
        yield KernelBlock(start, stop, head_vs_head(qq, kk))


class NestedErrors(NamedTuple):
    """The least error with the first 1, 2, .. H heads, (H,), and the smallest pivot of C."""

    errors: np.ndarray
    smallest_pivot: float


def best_errors(heads: Heads) -> NestedErrors:
    """The least errors of the first 1, 2, .. H heads, each with the best weights.

    One Cholesky factor L L^T = C serves all: the error with h heads is 1 less the first h squares
    of L^-1 b. A pivot is the squared distance of a head from the span of those before it: while
    they stay well above 1e-16 the errors are exact to rounding, and nothing is added to C.
    ArithmeticError if C is singular to working precision.
    """
    count, d = heads.q.shape
    # Column-major, so that the factor takes the place of C: 2 GiB for 16,384 heads.
    c = np.empty((count, count), order="F")
    for start, stop, rows in kernel_blocks(heads):
        c[start:stop, :stop] = rows
    try:
        factor, _ = cho_factor(c, lower=True, overwrite_a=True, check_finite=False)
    except np.linalg.LinAlgError as error:
        raise ArithmeticError(f"heads are linearly dependent at d = {d}: {error}") from error
    b = head_vs_target(d, heads.cosines)
    z = solve_triangular(factor, b, lower=True, check_finite=False)
    return NestedErrors(1 - np.cumsum(z * z), float(np.diagonal(factor).min() ** 2))


def errors_of_weights(heads: Heads, weights: list[np.ndarray]) -> np.ndarray:
    """The error 1 - 2 b.a + a.C a for each a of `weights`, those of the first len(a) heads."""
    b = head_vs_target(heads.q.shape[1], heads.cosines)
    errors = np.array([1 - 2 * (b[: len(a)] @ a) for a in weights])
    for start, stop, rows in kernel_blocks(heads):
        for index, a in enumerate(weights):
            weights_of_rows = a[start:stop]
            count = len(weights_of_rows)
            if count:
                left_of_block = rows[:count, :start]
                diagonal_block = rows[:count, start : start + count]
                # A pair of heads left of the diagonal block stands for its mirror image too.
                products = 2 * left_of_block @ a[:start] + diagonal_block @ weights_of_rows
                errors[index] += weights_of_rows @ products
    return errors


def error_beyond_degree(d: int, degree: int) -> float:
    """The error with every degree up to `degree` captured: half of what the other degrees hold."""
    captured = sum(sign_energy(d, odd) for odd in range(1, degree + 1, 2))
    return 0.5 * (1 - captured)
