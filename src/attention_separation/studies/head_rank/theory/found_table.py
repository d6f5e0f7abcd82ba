"""Heads of low rank on D_2 whose errors are known: random, chosen, optimised, and soft ones.

Hardmax heads are those of `projected_heads`, of rank 1 optimised too (`optimised_heads`).

Softmax heads of low rank at a small temperature: a bilinear form in the limit. One with K Q^T = cA
and V = aI gives the x_i weights whose difference is tanh(c<u, Ay> / sqrt(2)): for small c and large
a, a multiple of <u, Ay>. Heads with weights of both signs keep the sum of their a at 1, and H heads
of rank r add up to any <u, By> with B of rank Hr.
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path

import numpy as np

from ....messages.progress import Progress
from ....pages.table_page import write_result
from ....rank_bound.bound import bound
from ....results.provenance import record
from ....results.tables import Row, schema, table_from_rows
from ....statistics.means import mean_of
from ....statistics.seeding import stream
from ..constructions.data import unit_vectors
from ..constructions.full_rank_head import fact_1_exact
from ..constructions.rank_1_heads import Heads, best_errors, compromise_heads, head_vs_head
from ..constructions.sphere import sign_energy
from ..settings.jobs import FoundJob
from ..settings.titles import NUMBERED
from .bound_table import heads_by_budget, ranks_of_dimension
from .optimised_heads import error_of_best_weights, locally_best_heads
from .projected_heads import (
    HeadMeans,
    best_beside_linear_part,
    best_signed_heads,
    errors_given_y,
    head_means,
    orthogonal_ranges,
    random_ranges,
    target_mean,
)


class HeadKind(StrEnum):
    """How heads are found: as ABOUT says."""

    RANDOM = "random"
    ORTHOGONAL = "orthogonal"
    OPTIMISED = "optimised"
    LINEAR = "linear"
    MIXED = "mixed"
    FULL_RANK = "full_rank"


SCHEMA = schema(
    d=int,
    rank=int,
    heads=int,
    budget=str,
    kind=str,
    temperature=float,
    heads_used=int,
    error=float,
    ci_low=float,
    ci_high=float,
    bound=float,
    bound_any_value=float,
)
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


@dataclass(frozen=True)
class FoundHeads:
    """At most `heads` heads of one d and rank, and their error: columns of the table."""

    heads: int
    kind: HeadKind
    heads_used: int
    error: float
    ci_low: float | None = None
    ci_high: float | None = None
    temperature: float | None = None


def found_rows(job: FoundJob) -> Iterator[Row]:
    """The rows of the table of heads found: of each d, rank, number of heads and kind."""
    sizes = []
    for d in job.dimensions:
        sizes += [(d, r) for r in ranks_of_dimension(d)]
    progress = Progress("rank-found", len(sizes), "ranks")
    for d, r in sizes:
        budgets = {heads: name for name, heads in heads_by_budget(d, r).items()}
        for found_heads in _heads_of_size(job, d, r, sorted(budgets)):
            heads = found_heads.heads
            yield {
                "d": d,
                "rank": r,
                "budget": budgets[heads],
                **asdict(found_heads),
                "bound": float(bound(d, r, heads)),
                "bound_any_value": float(bound(d, r, heads, any_value=True)),
            }
        progress.advance()


def _heads_of_size(job: FoundJob, d: int, r: int, counts: list[int]) -> Iterator[FoundHeads]:
    """Heads of all kinds of one d and rank, for each number of heads."""
    if r == d:
        yield from _full_rank_heads(job, d, counts)
        return
    for heads in counts:
        if heads > 1:
            yield FoundHeads(
                heads, HeadKind.LINEAR, heads_used=heads, error=linear_limit(d, r, heads)
            )
    if r == 1:
        yield from _heads_of_rank_1(job, d, counts)
    else:
        yield from _heads_of_higher_rank(job, d, r, counts)


def _full_rank_heads(job: FoundJob, d: int, counts: list[int]) -> Iterator[FoundHeads]:
    """One softmax head of full rank at each temperature, beside each number of heads."""
    for c in job.temperatures:
        error = fact_1_exact(d, "orthogonal", c)
        for heads in counts:
            yield FoundHeads(heads, HeadKind.FULL_RANK, heads_used=1, error=error, temperature=c)


def linear_limit(d: int, r: int, heads: int) -> float:
    """The error that two or more softmax heads of rank r come as near to as one likes on D_2; one
    has V = I, and no weight is large.

    <u, By> with B a multiple of a projection on Hr dimensions is so much of the part of degree 1.
    """
    return 0.5 * (1 - sign_energy(d, 1) * min(1.0, heads * r / d))


def _heads_of_rank_1(job: FoundJob, d: int, counts: list[int]) -> Iterator[FoundHeads]:
    """The random, orthogonal and optimised heads of rank 1, for each number of heads; all errors
    are exact, for both kernels are closed."""
    names = ("head_rank", "theory", f"d={d}")
    errors, _ = best_errors(compromise_heads(max(counts), d, job.seed, *names))
    for heads in counts:
        yield FoundHeads(heads, HeadKind.RANDOM, heads_used=heads, error=float(errors[heads - 1]))
    most_used = min(max(counts), job.most_optimised)
    rng = stream(job.seed, *names, "rank=1", "bases")
    directions = orthogonal_ranges(rng, d, 1, most_used)[:, :, 0]
    for heads in counts:
        k = directions[:heads]
        used = len(k)
        gram = 2 * head_vs_head(k @ k.T, k @ k.T) - 1
        orthogonal = best_signed_heads(gram, np.full(used, target_mean(d, 1)))
        yield FoundHeads(heads, HeadKind.ORTHOGONAL, heads_used=used, error=orthogonal.error)
        # A head with -P_h has q = -k.
        optimised_heads = locally_best_heads(Heads(orthogonal.signs[:, None] * k, k), job.steps)
        error = min(orthogonal.error, error_of_best_weights(optimised_heads))
        yield FoundHeads(heads, HeadKind.OPTIMISED, heads_used=used, error=error)


def _heads_of_higher_rank(job: FoundJob, d: int, r: int, counts: list[int]) -> Iterator[FoundHeads]:
    """The random, orthogonal and mixed heads of a rank above 1, for each number of heads: weights
    are fitted to some draws of y, and scored on others."""
    names = ("head_rank", "theory", f"d={d}", f"rank={r}")
    fitted = unit_vectors(stream(job.seed, *names, "fit"), job.draws, d)
    scoring = unit_vectors(stream(job.seed, *names, "score"), job.draws, d)
    most_used = min(max(counts), job.most_heads)
    random = random_ranges(stream(job.seed, *names, "random"), d, r, most_used)
    yield from _hardmax_heads(HeadKind.RANDOM, counts, random, head_means(random, fitted), scoring)
    orthogonal = orthogonal_ranges(stream(job.seed, *names, "orthogonal"), d, r, most_used)
    orthogonal_means = head_means(orthogonal, fitted)
    yield from _hardmax_heads(HeadKind.ORTHOGONAL, counts, orthogonal, orthogonal_means, scoring)
    yield from _mixed_heads(counts, orthogonal, orthogonal_means, scoring)


def _hardmax_heads(
    kind: HeadKind, counts: list[int], ranges: np.ndarray, means: HeadMeans, scoring: np.ndarray
) -> Iterator[FoundHeads]:
    """For each number of heads, those with the first of these ranges (H, d, r): signs and value
    maps are fitted to the means, and the error is the mean over other draws of y, `scoring` (n,
    d)."""
    for heads in counts:
        used = min(heads, len(ranges))
        means_of_used = means.of_first(used)
        fitted_heads = best_signed_heads(means_of_used.gram, means_of_used.target)
        errors = errors_given_y(
            ranges[:used],
            scoring,
            signed_value_maps=fitted_heads.signed_value_maps,
            linear=0.0,
            value_map_sum=fitted_heads.value_maps.sum(),
        )
        yield _with_mean_error(heads, kind, used, errors)


def _mixed_heads(
    counts: list[int], ranges: np.ndarray, means: HeadMeans, scoring: np.ndarray
) -> Iterator[FoundHeads]:
    """For each number of heads, d/r softmax heads of a small temperature with hardmax heads as the
    others."""
    most_used, d, r = ranges.shape
    softmax_heads = d // r
    for heads in counts:
        hardmax_heads = min(heads - softmax_heads, most_used)
        if hardmax_heads > 0:
            beside = best_beside_linear_part(d, means.of_first(hardmax_heads))
            # The linear part's value maps, large ones of both signs, make the sum 1.
            errors = errors_given_y(
                ranges[:hardmax_heads],
                scoring,
                signed_value_maps=beside.signed_value_maps,
                linear=beside.multiple,
                value_map_sum=1.0,
            )
            yield _with_mean_error(heads, HeadKind.MIXED, hardmax_heads + softmax_heads, errors)


def _with_mean_error(heads: int, kind: HeadKind, heads_used: int, errors: np.ndarray) -> FoundHeads:
    """Heads whose error is the mean of errors over draws, with its 95 % interval."""
    mean = mean_of(errors)
    return FoundHeads(heads, kind, heads_used, mean.value, mean.low, mean.high)


def run(job: FoundJob, output: Path) -> None:
    table = table_from_rows(found_rows(job), SCHEMA)
    write_result(table, output, record(job.canonical(), __name__), NUMBERED["rank_found"], ABOUT)
