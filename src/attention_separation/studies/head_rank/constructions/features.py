"""The table of random features: errors of random rank-1 heads with the best weights, against their
number, and of the published computation of such."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import pyarrow as pa

from ....messages.progress import Progress
from ....results.provenance import record
from ....results.tables import Row, schema, table_from_rows, write_parquet
from ..settings.jobs import FeaturesJob
from .published_features import RANDOM_FEATURES, published_errors
from .rank_1_heads import HEAD_LAWS, best_errors, compromise_heads


class Quantity(StrEnum):
    """Which error a row has."""

    BEST = "best"
    """The least with these heads."""
    REPORTED = "reported"
    """What the published computation gives."""
    ATTAINED = "attained"
    """The true error of the published computation's heads and weights."""
    READ = "read"
    """The published mean, of no draw of ours."""


SCHEMA = schema(
    law=str,
    quantity=str,
    d=int,
    draw=int,
    heads=int,
    error=float,
    smallest_pivot=float,
)
"""`law` says how heads are drawn. `quantity` is a `Quantity`, for the law "published" any but the
best. Rows of one draw have nested heads. `smallest_pivot` is that of the Cholesky factor of all
heads of the draw, null if there is none."""


@dataclass(frozen=True)
class Curve:
    """The errors of one draw with more and more of its heads: one `quantity` of the table."""

    quantity: Quantity
    errors: list[float]
    smallest_pivot: float | None = None


def _curves(seed: int, law: str, d: int, draw: int, counts: list[int]) -> list[Curve]:
    """The curves of one draw of heads: errors with its first heads, for each number in `counts`."""
    names = ("head_rank", "features", f"d={d}", str(draw))
    most = max(counts)
    if law == "published":
        heads = compromise_heads(most, d, seed, *names, renormalised=False)
        reported, attained = published_errors(heads, counts)
        return [
            Curve(Quantity.REPORTED, reported.tolist()),
            Curve(Quantity.ATTAINED, attained.tolist()),
        ]
    errors, smallest_pivot = best_errors(HEAD_LAWS[law](most, d, seed, *names))
    return [Curve(Quantity.BEST, [float(errors[count - 1]) for count in counts], smallest_pivot)]


def features_table(job: FeaturesJob) -> pa.Table:
    """The table of a job, and what was published of the same dimensions and numbers of heads."""
    most_heads = job.most_heads()
    pairs_of_heads = sum(most**2 for most in most_heads.values())
    progress = Progress("rank-features", pairs_of_heads, "pairs of heads")
    rows: list[Row] = []
    for (law, d, draw), most in most_heads.items():
        counts = [2**k for k in range(most.bit_length())]
        for curve in _curves(job.seed, law, d, draw, counts):
            for heads, error in zip(counts, curve.errors, strict=True):
                rows.append(
                    {
                        "law": law,
                        "quantity": curve.quantity,
                        "d": d,
                        "draw": draw,
                        "heads": heads,
                        "error": error,
                        "smallest_pivot": curve.smallest_pivot,
                    }
                )
        progress.advance(most**2)
    rows += _published_rows(most_heads)
    return table_from_rows(rows, SCHEMA)


def _published_rows(most_heads: dict[tuple[str, int, int], int]) -> Iterator[Row]:
    """The rows of the errors that the published image shows, up to as many heads as the published
    computation has here."""
    most_by_dimension: dict[int, int] = {}
    for (law, d, _), most in most_heads.items():
        if law == "published":
            most_by_dimension[d] = max(most, most_by_dimension.get(d, 0))
    for d, most in most_by_dimension.items():
        for k, error in enumerate(RANDOM_FEATURES.get(d, ())):
            if 2**k <= most:
                yield {
                    "law": "published",
                    "quantity": Quantity.READ,
                    "d": d,
                    "heads": 2**k,
                    "error": error,
                }


def run(job: FeaturesJob, output: Path) -> None:
    write_parquet(features_table(job), output, record(job.canonical(), __name__))
