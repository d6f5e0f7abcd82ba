"""Random rank-1 hardmax heads with the best weights: how near a sum of them comes to the target.

A head (q, k), unit vectors, gives the x_i of two orthogonal points with the larger <x_i, k><q, y>.
The model is the sum of a_h x_{i_h}. Its error on D_2 is 1 - 2 b.a + a.C a with
C(h, h') = E<x_{i_h}, x_{i_h'}> = P(both give the same point) and b(h) = E<x_{i_h}, f>, so the least
error is 1 - b.C^-1 b. Both kernels have closed forms.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
from scipy.linalg import cho_factor, solve_triangular
from scipy.sparse.linalg import cg

from ...results.progress import Progress
from ...results.provenance import record
from ...results.tables import schema, table_from_rows, write_parquet
from ...statistics.seeding import stream
from ..settings.jobs import FeaturesJob
from .data import unit_vectors
from .sphere import harmonics, odd_series, sign_coefficient, sign_energy

TERMS = 50
"""Degrees of the series of b, as published; its tail is below 1e-9 at d >= 8, 3e-7 at d = 3."""

BLOCK = 512
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
    """q and k independent and uniform."""
    return Heads(*(unit_vectors(stream(seed, *names, name), count, d) for name in "qk"))


def compromise_heads(
    count: int, d: int, seed: int, *names: str, renormalised: bool = True
) -> Heads:
    """q uniform, the cosine t of q and k uniform on (-1, 1), k uniform among the vectors with it.

    k = t q + sqrt(1 - t^2) e with e a uniform vector made orthogonal to q, and so shorter than 1;
    without `renormalised`, as in the published computation, it stays so and k is no unit vector.
    """
    q, e = (unit_vectors(stream(seed, *names, name), count, d) for name in "qk")
    t = stream(seed, *names, "t").uniform(-1, 1, (count, 1))
    e -= np.sum(q * e, axis=1, keepdims=True) * q
    if renormalised:
        e /= np.linalg.norm(e, axis=1, keepdims=True)
    return Heads(q, t * q + np.sqrt(1 - t * t) * e)


LAWS = {"compromise": compromise_heads, "independent": independent_heads}
"""How q and k of a head are drawn; streams hold heads in order, fewer heads are the first ones."""


def head_vs_target(d: int, t: np.ndarray, terms: int = TERMS) -> np.ndarray:
    """b of heads whose q and k have the cosine t: 1/2 + 1/2 of the sum of N_l s_l^3 P_l(t)."""
    return 0.5 + 0.5 * odd_series(
        d, t, terms, lambda d, degree: harmonics(d, degree) * sign_coefficient(d, degree) ** 3
    )


def representing_weight(
    d: int, t: np.ndarray, terms: int = TERMS, published: bool = False
) -> np.ndarray:
    """u(t) with E_{q,k}[u(q.k) sgn(x.k) sgn(q.y)] = sgn(x.y) up to degree `terms`, q, k uniform.

    A head's sign function has the coefficient s_l twice (Funk-Hecke), so u has N_l / s_l at P_l.
    The `published` plot multiplies N_l / s_l by the L2-normalised polynomial sqrt(N_l) P_l.
    """

    def weight(d: int, degree: int) -> float:
        count = harmonics(d, degree)
        return count / sign_coefficient(d, degree) * (math.sqrt(count) if published else 1.0)

    return odd_series(d, t, terms, weight)


def head_vs_head(qq: np.ndarray, kk: np.ndarray) -> np.ndarray:
    """C of pairs of heads with q.q' and k.k', both within [-1, 1]; works in place on both."""
    for products in (qq, kk):
        np.clip(products, -1.0, 1.0, out=products)
        np.arcsin(products, out=products)
    qq *= kk
    qq *= 2 / np.pi**2
    qq += 0.5
    return qq


def kernel_blocks(heads: Heads) -> Iterator[tuple[int, int, np.ndarray]]:
    """C on and below its diagonal: (start, stop, rows start..stop up to column stop)."""
    count = len(heads.q)
    for start in range(0, count, BLOCK):
        stop = min(start + BLOCK, count)
        qq, kk = (v[start:stop] @ v[:stop].T for v in (heads.q, heads.k))
        yield start, stop, head_vs_head(qq, kk)


def best_errors(heads: Heads) -> tuple[np.ndarray, float]:
    """The least error with the first 1, 2, .. H heads, (H,), and the smallest pivot.

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
    return 1 - np.cumsum(z * z), float(np.diagonal(factor).min() ** 2)


def published(heads: Heads, counts: list[int]) -> tuple[np.ndarray, np.ndarray]:
    """What the published computation reports with the first `count` heads each, and the true error
    of the heads and weights it has: (len(counts),) both.

    `heads` are those of `compromise_heads` without `renormalised`. Their k are shorter than 1, but
    C and b are computed as if they were unit vectors; b is rounded to 16 bits; the weights come
    from conjugate gradients at the default tolerance. A head is the same for k of any length, so
    the model's true error is that of the normalised k with the same weights.
    """
    count, d = max(counts), heads.q.shape[1]
    c = np.empty((count, count))
    for start, stop, rows in kernel_blocks(Heads(heads.q[:count], heads.k[:count])):
        c[start:stop, :stop] = rows
        c[:start, start:stop] = rows[:, :start].T
    b = head_vs_target(d, heads.cosines[:count]).astype(np.float16)
    reported, weights = [], []
    for h in counts:
        a, _ = cg(c[:h, :h], b[:h])
        reported.append(1 - 2 * (b[:h] @ a) + a @ (c[:h, :h] @ a))
        weights.append(a)
    del c
    k = heads.k[:count] / np.linalg.norm(heads.k[:count], axis=1, keepdims=True)
    return np.array(reported), errors_of_weights(Heads(heads.q[:count], k), weights)


def errors_of_weights(heads: Heads, weights: list[np.ndarray]) -> np.ndarray:
    """1 - 2 b.a + a.C a for each a, weights of the first len(a) heads."""
    b = head_vs_target(heads.q.shape[1], heads.cosines)
    errors = np.array([1 - 2 * (b[: len(a)] @ a) for a in weights])
    for start, stop, rows in kernel_blocks(heads):
        for index, a in enumerate(weights):
            own = a[start:stop]
            if len(own):
                lower, square = rows[: len(own), :start], rows[: len(own), start : start + len(own)]
                # A pair of heads left of the diagonal block stands for its mirror image too.
                errors[index] += own @ (2 * lower @ a[:start] + square @ own)
    return errors


def floor(d: int, degree: int) -> float:
    """Error with every degree up to `degree` captured: half of what the other degrees hold."""
    return 0.5 * (1 - sum(sign_energy(d, odd) for odd in range(1, degree + 1, 2)))


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


SCHEMA = schema(
    law=str, quantity=str, d=int, draw=int, heads=int, error=float, smallest_pivot=float
)  # fmt: skip
"""`law` says how heads are drawn. `quantity` is "best", the least error with these heads, or, for
the law "published", "reported", what the published computation gives, and "attained", the true
error of its heads and weights; "read" is the published mean, of no draw of ours. Rows of one draw
have nested heads. `smallest_pivot` is that of the Cholesky factor of all heads of the draw, null if
there is none."""


def curves(seed: int, law: str, d: int, draw: int, most: int) -> Iterator[tuple]:
    """(quantity, heads, error, smallest pivot) of one draw."""
    names = ("head_rank", "features", f"d={d}", str(draw))
    counts = [2**k for k in range(most.bit_length())]
    if law == "published":
        heads = compromise_heads(most, d, seed, *names, renormalised=False)
        for quantity, errors in zip(
            ("reported", "attained"), published(heads, counts), strict=True
        ):
            for count, error in zip(counts, errors, strict=True):
                yield quantity, count, float(error), None
    else:
        errors, pivot = best_errors(LAWS[law](most, d, seed, *names))
        for count in counts:
            yield "best", count, float(errors[count - 1]), pivot


def features_table(job: FeaturesJob) -> pa.Table:
    """The table of a job, and what was published of the same dimensions and numbers of heads."""
    every = job.most_heads()
    progress = Progress("rank-features", sum(most**2 for most in every.values()), "pairs of heads")
    rows = []
    for (law, d, draw), most in every.items():
        for quantity, *found in curves(job.seed, law, d, draw, most):
            rows.append((law, quantity, d, draw, *found))
        progress.advance(most**2)
    published_most: dict[int, int] = {}
    for (law, d, _), most in every.items():
        if law == "published":
            published_most[d] = max(most, published_most.get(d, 0))
    for d, most in published_most.items():
        read = enumerate(RANDOM_FEATURES.get(d, ()))
        rows += [("published", "read", d, None, 2**k, x, None) for k, x in read if 2**k <= most]
    return table_from_rows((dict(zip(SCHEMA.names, row, strict=True)) for row in rows), SCHEMA)


def run(job: FeaturesJob, output: Path) -> None:
    write_parquet(features_table(job), output, record(job.canonical(), __name__))
