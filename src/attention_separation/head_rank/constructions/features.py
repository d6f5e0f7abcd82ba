"""The error of random rank-1 heads against their number."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import pyarrow as pa

from attention_separation.results.progress import Progress
from attention_separation.results.provenance import record
from attention_separation.results.tables import table_from_rows, write_parquet

from ..settings.jobs import FeaturesJob
from . import random_features
from .published_curve import RANDOM_FEATURES

SCHEMA = pa.schema(
    [
        ("law", pa.string()),
        ("quantity", pa.string()),
        ("d", pa.int64()),
        ("draw", pa.int64()),
        ("heads", pa.int64()),
        ("error", pa.float64()),
        ("floor_1", pa.float64()),
        ("floor_3", pa.float64()),
        ("any_heads", pa.float64()),
        ("smallest_pivot", pa.float64()),
    ]
)
"""`law` says how heads are drawn. `quantity` is "best", the least error with these heads, or, for
the law "published", "reported", what the published computation gives, and "attained", the true
error of its heads and weights; "read" is the published mean, of no draw of ours. Rows of one draw
have nested heads. `floor_l` is the error with all degrees up to l captured, `any_heads` a bound
below which no such number of rank-1 heads with value maps a I comes, `smallest_pivot` that of the
Cholesky factor of all heads of the draw, null if there is none."""


def curves(seed: int, law: str, d: int, draw: int, most: int) -> Iterator[tuple]:
    """(quantity, heads, error, smallest pivot) of one draw."""
    names = ("head_rank", "features", f"d={d}", str(draw))
    counts = [2**k for k in range(most.bit_length())]
    if law == "published":
        heads = random_features.compromise_heads(most, d, seed, *names, renormalised=False)
        for quantity, errors in zip(
            ("reported", "attained"), random_features.published(heads, counts), strict=True
        ):
            for count, error in zip(counts, errors, strict=True):
                yield quantity, count, float(error), None
    else:
        heads = random_features.LAWS[law](most, d, seed, *names)
        errors, pivot = random_features.best_errors(heads)
        for count in counts:
            yield "best", count, float(errors[count - 1]), pivot


def rows_of(law: str, d: int, draw: int | None, found: Iterable[tuple]) -> Iterator[dict]:
    """The table's rows for some (quantity, heads, error, smallest pivot)."""
    for quantity, count, error, pivot in found:
        yield {
            "law": law,
            "quantity": quantity,
            "d": d,
            "draw": draw,
            "heads": count,
            "error": error,
            "floor_1": random_features.floor(d, 1),
            "floor_3": random_features.floor(d, 3),
            "any_heads": random_features.least_of_any_heads(d, count),
            "smallest_pivot": pivot,
        }


def features_table(job: FeaturesJob) -> pa.Table:
    """The table of a job, and what was published of the same dimensions and numbers of heads."""
    every = job.most_heads()
    progress = Progress("rank-features", sum(most**2 for most in every.values()), "pairs of heads")
    rows = []
    for (law, d, draw), most in every.items():
        rows += rows_of(law, d, draw, curves(job.seed, law, d, draw, most))
        progress.advance(most**2)
    published: dict[int, int] = {}
    for (law, d, _), most in every.items():
        if law == "published":
            published[d] = max(most, published.get(d, 0))
    for d, most in published.items():
        read = enumerate(RANDOM_FEATURES.get(d, ()))
        rows += rows_of(
            "published", d, None, [("read", 2**k, value, None) for k, value in read if 2**k <= most]
        )
    return table_from_rows(rows, SCHEMA)


def run(job: FeaturesJob, output: Path) -> None:
    write_parquet(features_table(job), output, record(job.canonical(), __name__))
