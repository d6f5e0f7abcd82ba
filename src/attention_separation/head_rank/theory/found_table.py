"""Heads of low rank on D_2 whose errors are known: random, chosen, optimised, and soft ones.

Hardmax heads of rank r by orthogonal projections, with the best weights. Head h has K Q^T = P_h, an
orthogonal projection of rank r, or its negative: it gives the x_i with the larger, or smaller,
<P_h x_i, y>. With u = (x_1 - x_2) / sqrt(2) its output is (v + g_h u) / sqrt(2) with
g_h = sgn<u, P_h y>. For a fixed y and uniform u, sgn<u, a> and sgn<u, b> have the mean product
(2/pi) asin(cos of the angle of a and b). So

    c_h = E g_h sgn<u, y> = (2/pi) E asin |P_h y|,
    G_hk = E g_h g_k = (2/pi) E asin(<P_h y, P_k y> / (|P_h y| |P_k y|)),

expectations over y: the first by quadrature, |P y|^2 being Beta(r/2, (d - r)/2); the second has a
closed form for r = 1 (q = k in `features`) and for orthogonal ranges (0), and is a mean over
draws of y else. The error of weights a is (1 - sum of a)^2 / 2 + (1 - 2 c.a + a.G a) / 2; a head
with -P_h and the weight -a_h changes its first part alone.

Hardmax heads of rank 1 with the best weights, and their directions optimised. Both kernels are
closed (`features`), so the least error over the weights, 1 - b.C^-1 b, is exact, and so is
its gradient in q and k.

Softmax heads of low rank at a small temperature: a bilinear form in the limit. One with K Q^T = cA
and V = aI gives the x_i weights whose difference is tanh(c<u, Ay> / sqrt(2)): for small c and large
a, a multiple of <u, Ay>. Heads with weights of both signs keep the sum of their a at 1, and H heads
of rank r add up to any <u, By> with B of rank Hr.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.optimize import minimize
from scipy.special import betaln

from ...pages.table_page import write_result
from ...results.progress import Progress
from ...results.provenance import record
from ...results.tables import schema, table_from_rows
from ...statistics.means import mean_of
from ...statistics.seeding import stream
from ..constructions import features
from ..constructions.data import unit_vectors
from ..constructions.full_rank_head import fact_1_exact
from ..constructions.sphere import NODES, harmonics, polynomials, sign_coefficient, sign_energy
from ..settings.jobs import FoundJob
from ..settings.titles import NUMBERED
from .bound import bound
from .bound_table import budget_heads, ranks


def linear_limit(d: int, r: int, heads: int) -> float:
    """What two or more softmax heads of rank r come as near to as one likes on D_2; one has V = I,
    and no weight is large.

    <u, By> with B a multiple of a projection on Hr dimensions is so much of the part of degree 1.
    """
    return 0.5 * (1 - sign_energy(d, 1) * min(1.0, heads * r / d))


BLOCK = 100
"""Draws of y that are held at a time."""


@dataclass(frozen=True)
class Means:
    """Of some heads, over draws of y: G (H, H), c (H,) and E|P_h y| (H,)."""

    gram: np.ndarray
    target: np.ndarray
    length: np.ndarray

    def of_first(self, count: int) -> "Means":
        """Those of the first heads."""
        return Means(self.gram[:count, :count], self.target[:count], self.length[:count])


def target_mean(d: int, r: int) -> float:
    """c of a head of rank r < d: (2/pi) E asin |P y|."""
    # |P y| = sin(phi) with the density proportional to sin^(r-1) cos^(d-r-1).
    x, w = np.polynomial.legendre.leggauss(8 * NODES)
    phi = math.pi / 4 * (1 + x)
    log = (r - 1) * np.log(np.sin(phi)) + (d - r - 1) * np.log(np.cos(phi))
    density = np.exp(log + math.log(2) - betaln(r / 2, (d - r) / 2)) * w * math.pi / 4
    return float(2 / math.pi * (density @ phi))


def random_ranges(rng: np.random.Generator, d: int, r: int, count: int) -> np.ndarray:
    """Orthonormal bases (count, d, r) of independent uniform subspaces."""
    return np.linalg.qr(rng.standard_normal((count, d, r)))[0]


def orthogonal_ranges(rng: np.random.Generator, d: int, r: int, count: int) -> np.ndarray:
    """The same, taken d // r at a time from one orthonormal basis: those are orthogonal."""
    per, bases = d // r, -(-count // (d // r))
    q = np.linalg.qr(rng.standard_normal((bases, d, d)))[0][:, :, : per * r]
    return q.reshape(bases, d, per, r).swapaxes(1, 2).reshape(-1, d, r)[:count]


def projections(ranges: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """P_h y / |P_h y| (n, H, d), and |P_h y| (n, H)."""
    count, d, r = ranges.shape
    inner = (y @ ranges.swapaxes(0, 1).reshape(d, -1)).reshape(len(y), count, r)
    lengths = np.linalg.norm(inner, axis=2)
    inner /= lengths[..., None]
    return np.matmul(ranges, inner.transpose(1, 2, 0)).transpose(2, 0, 1), np.minimum(lengths, 1.0)


def means(ranges: np.ndarray, y: np.ndarray) -> Means:
    """The means over y (n, d) of some heads, u being integrated out."""
    count = len(ranges)
    gram, target, length = np.zeros((count, count)), np.zeros(count), np.zeros(count)
    for start in range(0, len(y), BLOCK):
        unit, lengths = projections(ranges, y[start : start + BLOCK])
        for own in unit:
            gram += np.arcsin(np.clip(own @ own.T, -1.0, 1.0))
        target += np.arcsin(lengths).sum(axis=0)
        length += lengths.sum(axis=0)
    return Means(2 / math.pi * gram / len(y), 2 / math.pi * target / len(y), length / len(y))


def errors_given_y(
    ranges: np.ndarray, y: np.ndarray, weights: np.ndarray, linear: float, total: float
) -> np.ndarray:
    """The expected error of a layer given each y (n,): its mean over y is the layer's error.

    `weights` are the value maps of heads with P_h, or less those of heads with -P_h; `linear` is a
    factor of <u, y> that the layer adds to its part along u, and `total` the sum of value maps.
    """
    d = ranges.shape[1]
    s = sign_coefficient(d, 1)
    errors = []
    for start in range(0, len(y), BLOCK):
        unit, lengths = projections(ranges, y[start : start + BLOCK])
        quadratic = np.array(
            [weights @ np.arcsin(np.clip(own @ own.T, -1.0, 1.0)) @ weights for own in unit]
        )
        along = 2 / math.pi * (quadratic - 2 * np.arcsin(lengths) @ weights)
        # E<u, y> sgn<u, a> = s cos of the angle of y and a; E<u, y>^2 = 1/d.
        cross = 2 * linear * s * (lengths @ weights - 1) + linear**2 / d
        errors.append(0.5 * (1 + along + cross))
    return np.concatenate(errors) + 0.5 * (1 - total) ** 2


def balanced_signs(weights: np.ndarray) -> np.ndarray:
    """Signs of value maps, greedily, with which their sum comes near 1: the largest first."""
    signs, total = np.ones(len(weights)), 0.0
    for index in np.argsort(-np.abs(weights), kind="stable"):
        signs[index] = 1.0 if total <= 1 else -1.0
        total += signs[index] * abs(weights[index])
    return signs


def best_weights(gram: np.ndarray, target: np.ndarray) -> tuple[np.ndarray, float]:
    """The value maps a_h I with the least error for heads with these G and c, and that error."""
    b, c = 0.5 * (1 + target), 0.5 * (1 + gram)
    a = np.linalg.lstsq(c, b, rcond=1e-12)[0]
    # Of any weights, so that what rounding does to them does not make the error too small.
    return a, float(1 - 2 * b @ a + a @ c @ a)


def best_signs(gram: np.ndarray, target: np.ndarray) -> np.ndarray:
    """Which of the heads are to have -P_h, for G and c of heads that all have P_h."""
    free = np.linalg.lstsq(gram, target, rcond=1e-12)[0]
    return balanced_signs(free) * np.where(free < 0, -1.0, 1.0)


def with_linear_part(d: int, found: Means) -> tuple[np.ndarray, float]:
    """The best weights beside a free multiple of <u, y>, and the multiple."""
    s = sign_coefficient(d, 1)
    shared = s * found.length
    gram = found.gram - d * np.outer(shared, shared)
    a = np.linalg.lstsq(gram, found.target - d * s * shared, rcond=1e-8)[0]
    return a, float(d * (s - shared @ a))


STEPS = 200
"""Of L-BFGS, at most."""

RIDGE = 1e-10
"""On the diagonal of C while directions are sought, where heads may coincide."""

NEAREST = 1e-9
"""The least 1 - t^2 in the slope of asin(t), which has a pole where heads coincide."""


def target_slope(d: int, t: np.ndarray) -> np.ndarray:
    """d/dt of `head_vs_target`: P_l' is l (l + d - 2) / (d - 1) times P_(l-1) of d + 2."""
    total = np.zeros_like(t)
    for below, value in polynomials(d + 2, t, features.TERMS - 1):
        degree = below + 1
        if degree % 2:
            weight = harmonics(d, degree) * sign_coefficient(d, degree) ** 3
            total += weight * degree * (degree + d - 2) / (d - 1) * value
    return 0.5 * total


def least_error(heads: features.Heads) -> float:
    """The least error over the weights; heads may depend on each other."""
    c = features.head_vs_head(heads.q @ heads.q.T, heads.k @ heads.k.T)
    b = features.head_vs_target(heads.q.shape[1], heads.cosines)
    return best_weights(2 * c - 1, 2 * b - 1)[1]


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
    b = features.head_vs_target(d, t)
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


def optimised(start: features.Heads, steps: int = STEPS) -> features.Heads:
    """Heads with a smaller error, if L-BFGS finds any from here."""
    d = start.q.shape[1]
    found = minimize(
        error_and_gradient, np.concatenate([start.q.ravel(), start.k.ravel()]), args=(d,),
        jac=True, method="L-BFGS-B", options={"maxiter": steps},
    )  # fmt: skip
    q, k = found.x.reshape(2, -1, d)
    return features.Heads(*(v / np.linalg.norm(v, axis=1, keepdims=True) for v in (q, k)))


SCHEMA = schema(
    d=int, rank=int, heads=int, budget=str, kind=str, temperature=float, heads_used=int,
    error=float, ci_low=float, ci_high=float, bound=float, bound_any_value=float,
)  # fmt: skip
ABOUT = (
    "Mean squared errors on two orthogonal points and a uniform query: each is one that heads of "
    "this rank have, so that the least error of so many is no larger. Value maps are multiples of "
    "the identity, the best ones. random: hardmax heads drawn at random (rank 1: with uniform "
    "cosines of q and k; more: by projections on random subspaces, some of the heads with the "
    "negative). orthogonal: the same, but as many subspaces as fit are orthogonal. optimised: of "
    "rank 1, from there by L-BFGS over q and k. linear: what softmax heads of a small temperature "
    "come as near to as one likes, a bilinear form. mixed: d/r such heads, and orthogonal hardmax "
    "heads. full_rank: one softmax head with K Q^T = cI, c its temperature. Errors without an "
    "interval are exact; the others are means over draws of y that the weights were not fitted to, "
    "with 95 % intervals. heads_used is how many of the heads have a weight other than zero, at "
    "most."
)


def found_rows(job: FoundJob) -> Iterator[dict]:
    """The table's rows."""
    sizes = [(d, r) for d in job.dimensions for r in ranks(d)]
    progress = Progress("rank-found", len(sizes), "ranks")
    for d, r in sizes:
        budgets = {heads: name for name, heads in budget_heads(d, r).items()}
        for found in _found(job, d, r, sorted(budgets)):
            row = dict(zip(FOUND, found, strict=True))
            yield {"d": d, "rank": r, "budget": budgets[row["heads"]], **row} | {
                "bound": float(bound(d, r, row["heads"])),
                "bound_any_value": float(bound(d, r, row["heads"], any_value=True)),
            }
        progress.advance()


FOUND = ("heads", "kind", "temperature", "heads_used", "error", "ci_low", "ci_high")
"""Columns of what is found of each d and rank."""


def _found(job: FoundJob, d: int, r: int, counts: list[int]) -> Iterator[tuple]:
    """Values of FOUND."""
    if r == d:
        for c in job.temperatures:
            error = fact_1_exact(d, "orthogonal", c)
            yield from ((heads, "full_rank", c, 1, error, None, None) for heads in counts)
        return
    for heads in counts:
        if heads > 1:
            yield heads, "linear", None, heads, linear_limit(d, r, heads), None, None
    yield from _of_rank_1(job, d, counts) if r == 1 else _of_rank(job, d, r, counts)


def _of_rank_1(job: FoundJob, d: int, counts: list[int]) -> Iterator[tuple]:
    """All exact: both kernels are closed."""
    names = (job.seed, "head_rank", "theory", f"d={d}")
    errors, _ = features.best_errors(features.compromise_heads(max(counts), d, *names))
    for heads in counts:
        yield heads, "random", None, heads, float(errors[heads - 1]), None, None
    used = min(max(counts), job.most_optimised)
    q = orthogonal_ranges(stream(*names, "rank=1", "bases"), d, 1, used)[:, :, 0]
    for heads in counts:
        k = q[: min(heads, used)]
        gram = 2 * features.head_vs_head(k @ k.T, k @ k.T) - 1
        target = np.full(len(k), target_mean(d, 1))
        signs = best_signs(gram, target)
        _, error = best_weights(gram * np.outer(signs, signs), target * signs)
        yield heads, "orthogonal", None, len(k), error, None, None
        better = optimised(features.Heads(signs[:, None] * k, k), job.steps)
        error = min(error, least_error(better))
        yield heads, "optimised", None, len(k), error, None, None


def _of_rank(job: FoundJob, d: int, r: int, counts: list[int]) -> Iterator[tuple]:
    """With weights fitted to some draws of y, and scored on others."""
    names = ("head_rank", "theory", f"d={d}", f"rank={r}")
    fitted, scoring = (
        unit_vectors(stream(job.seed, *names, name), job.draws, d) for name in ("fit", "score")
    )

    def scored(kind: str, heads: int, ranges: np.ndarray, *layer) -> tuple:
        used = len(ranges) + (d // r if kind == "mixed" else 0)
        estimate = mean_of(errors_given_y(ranges, scoring, *layer))
        return heads, kind, None, used, *estimate

    used = min(max(counts), job.most_heads)
    for kind, drawn in (
        ("random", random_ranges), ("orthogonal", orthogonal_ranges)
    ):  # fmt: skip
        ranges = drawn(stream(job.seed, *names, kind), d, r, used)
        found = means(ranges, fitted)
        for heads in counts:
            own = found.of_first(min(heads, used))
            signs = best_signs(own.gram, own.target)
            both = np.outer(signs, signs)
            a, _ = best_weights(own.gram * both, own.target * signs)
            yield scored(kind, heads, ranges[: len(a)], signs * a, 0.0, a.sum())
    for heads in counts:
        hard = min(heads - d // r, used)
        if hard > 0:
            # The linear part's value maps, large ones of both signs, make the sum 1.
            a, linear = with_linear_part(d, found.of_first(hard))
            yield scored("mixed", heads, ranges[:hard], a, linear, 1.0)


def run(job: FoundJob, output: Path) -> None:
    table = table_from_rows(found_rows(job), SCHEMA)
    write_result(table, output, record(job.canonical(), __name__), NUMBERED["rank_found"], ABOUT)
