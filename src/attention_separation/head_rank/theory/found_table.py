"""The error of heads of low rank that are random, chosen or optimised."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa

from attention_separation.pages.table_page import write_result
from attention_separation.results.progress import Progress
from attention_separation.results.provenance import record
from attention_separation.results.tables import table_from_rows
from attention_separation.statistics.means import mean_of
from attention_separation.statistics.seeding import stream

from ..constructions.data import unit_vectors
from ..constructions.full_rank_head import fact_1_exact
from ..constructions.random_features import Heads, best_errors, compromise_heads, head_vs_head
from ..settings.jobs import FoundJob
from . import found_heads
from .bound import bound
from .bound_table import budget_heads, ranks
from .found_heads import linear_limit

SCHEMA = pa.schema(
    [
        ("d", pa.int64()),
        ("rank", pa.int64()),
        ("heads", pa.int64()),
        ("budget", pa.string()),
        ("kind", pa.string()),
        ("temperature", pa.float64()),
        ("heads_used", pa.int64()),
        ("error", pa.float64()),
        ("ci_low", pa.float64()),
        ("ci_high", pa.float64()),
        ("bound", pa.float64()),
        ("bound_any_value", pa.float64()),
    ]
)
TITLE = "What layers of low-rank heads do"
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
        for heads, kind, temperature, used, error, low, high in _found(job, d, r, sorted(budgets)):
            yield {
                "d": d,
                "rank": r,
                "heads": heads,
                "budget": budgets[heads],
                "kind": kind,
                "temperature": temperature,
                "heads_used": used,
                "error": error,
                "ci_low": low,
                "ci_high": high,
                "bound": float(bound(d, r, heads)),
                "bound_any_value": float(bound(d, r, heads, any_value=True)),
            }
        progress.advance()


def _found(job: FoundJob, d: int, r: int, counts: list[int]) -> Iterator[tuple]:
    """(heads, kind, temperature, heads used, error, low, high)."""
    if r == d:
        for c in job.temperatures:
            error = fact_1_exact(d, "orthogonal", c)
            yield from ((heads, "full_rank", c, 1, error, None, None) for heads in counts)
        return
    yield from (
        (heads, "linear", None, heads, linear_limit(d, r, heads), None, None)
        for heads in counts
        if heads > 1
    )
    yield from _of_rank_1(job, d, counts) if r == 1 else _of_rank(job, d, r, counts)


def _of_rank_1(job: FoundJob, d: int, counts: list[int]) -> Iterator[tuple]:
    """All exact: both kernels are closed."""
    names = (job.seed, "head_rank", "theory", f"d={d}")
    errors, _ = best_errors(compromise_heads(max(counts), d, *names))
    for heads in counts:
        yield heads, "random", None, heads, float(errors[heads - 1]), None, None
    used = min(max(counts), job.most_optimised)
    q = found_heads.orthogonal_ranges(stream(*names, "rank=1", "bases"), d, 1, used)[:, :, 0]
    for heads in counts:
        k = q[: min(heads, used)]
        gram = 2 * head_vs_head(k @ k.T, k @ k.T) - 1
        target = np.full(len(k), found_heads.target_mean(d, 1))
        signs = found_heads.best_signs(gram, target)
        _, error = found_heads.best_weights(gram * np.outer(signs, signs), target * signs)
        yield heads, "orthogonal", None, len(k), error, None, None
        better = found_heads.optimised(Heads(signs[:, None] * k, k), job.steps)
        error = min(error, found_heads.least_error(better))
        yield heads, "optimised", None, len(k), error, None, None


def _of_rank(job: FoundJob, d: int, r: int, counts: list[int]) -> Iterator[tuple]:
    """With weights fitted to some draws of y, and scored on others."""
    names = ("head_rank", "theory", f"d={d}", f"rank={r}")
    fitted, scoring = (
        unit_vectors(stream(job.seed, *names, name), job.draws, d) for name in ("fit", "score")
    )

    def scored(kind: str, heads: int, ranges: np.ndarray, *layer) -> tuple:
        used = len(ranges) + (d // r if kind == "mixed" else 0)
        estimate = mean_of(found_heads.errors_given_y(ranges, scoring, *layer))
        return heads, kind, None, used, *estimate

    used = min(max(counts), job.most_heads)
    for kind, drawn in (
        ("random", found_heads.random_ranges), ("orthogonal", found_heads.orthogonal_ranges)
    ):  # fmt: skip
        ranges = drawn(stream(job.seed, *names, kind), d, r, used)
        found = found_heads.means(ranges, fitted)
        for heads in counts:
            own = found.of_first(min(heads, used))
            signs = found_heads.best_signs(own.gram, own.target)
            both = np.outer(signs, signs)
            a, _ = found_heads.best_weights(own.gram * both, own.target * signs)
            yield scored(kind, heads, ranges[: len(a)], signs * a, 0.0, a.sum())
    for heads in counts:
        hard = min(heads - d // r, used)
        if hard > 0:
            # The linear part's value maps, large ones of both signs, make the sum 1.
            a, linear = found_heads.with_linear_part(d, found.of_first(hard))
            yield scored("mixed", heads, ranges[:hard], a, linear, 1.0)


def run(job: FoundJob, output: Path) -> None:
    table = table_from_rows(list(found_rows(job)), SCHEMA)
    stem = output.with_suffix("")
    write_result(table, stem, record(job.canonical(), __name__), TITLE, ABOUT)
