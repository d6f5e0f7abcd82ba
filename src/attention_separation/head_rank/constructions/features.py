"""The error of random rank-1 heads against their number."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import pyarrow as pa

from attention_separation.results.progress import Progress
from attention_separation.results.provenance import record
from attention_separation.results.tables import table_from_rows, write_parquet

from ..settings.jobs import FeaturesJob
from . import random_features

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
