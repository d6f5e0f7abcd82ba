"""What is claimed of the needle, judged, on computed numbers and on trained networks."""

from pathlib import Path

import pyarrow as pa

from attention_separation.pages.table_page import write_result
from attention_separation.results.provenance import record
from attention_separation.results.tables import read_parquet, table_from_rows

from ..exact.line_table import ACCURACIES, CRITICAL
from ..settings.exact import ClaimsJob
from ..training.cells_table import SCHEMA as CELLS
from .exact_claims import exact_rows
from .outcomes import SCHEMA, TRAINED
from .trained_claims import trained_rows

TITLE = "Claims on the needle"
ABOUT = (
    "A claim agrees if every one of its comparisons does: if the interval from low to high, that "
    "the value is known to, lies between least and most. It differs if one lies outside, and is "
    "undecided otherwise. Computed values have the interval of their numerical error. The value is "
    "that of the comparison that decides: of those with the claim's verdict the one that is "
    "furthest from agreeing. Rules are this study's own."
)
ABOUT_TRAINED = (
    " Means of trained networks have Student's interval over runs, each of which has initial "
    "values, data and held-out sequences of its own; a run's variance is no less than its binomial "
    "error's. The setting `level` is over all claims on them, in equal shares. Within a claim all "
    "comparisons must agree, each at the claim's level; one that differs is enough, each at its "
    "share of it, by a wider interval. A mean beneath its line says that it was not learned in "
    "these steps."
)


def claims_table(
    job: ClaimsJob, lines: pa.Table, critical: pa.Table, cells: pa.Table | None = None
) -> pa.Table:
    """The table of all claims; of those on trained networks if there are any."""
    found = list(exact_rows(critical.to_pylist(), job.data, job.another_x))
    if cells is not None:
        tables = (each.to_pylist() for each in (cells, lines, critical))
        found += trained_rows(*tables, job.level)
    return table_from_rows(found, SCHEMA)


def about(table: pa.Table) -> str:
    """What the table of claims is, in words."""
    return ABOUT + (ABOUT_TRAINED if TRAINED in table["kind"].to_pylist() else "")


def run(
    job: ClaimsJob, lines: Path, critical: Path, output: Path, cells: Path | None = None
) -> None:
    table = claims_table(
        job,
        read_parquet(lines, ACCURACIES),
        read_parquet(critical, CRITICAL),
        read_parquet(cells, CELLS) if cells else None,
    )
    provenance = record(job.canonical(), __name__)
    write_result(table, output.with_suffix(""), provenance, TITLE, about(table))
