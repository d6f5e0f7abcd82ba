"""Verb `needle-claims`: what is claimed of the needle, judged. Claims on trained networks join the
rows of `exact_claims` here."""

import argparse
from pathlib import Path

import pyarrow as pa

from attention_separation.needle.claims.exact_claims import exact_rows
from attention_separation.needle.claims.outcomes import SCHEMA
from attention_separation.needle.exact.line_table import CRITICAL
from attention_separation.needle.settings.jobs import ClaimsJob
from attention_separation.pages.table_page import write_result
from attention_separation.results.provenance import record
from attention_separation.results.tables import read_parquet, table_from_rows

TITLE = "Claims on the needle"
ABOUT = (
    "A claim agrees if every one of its comparisons does: if the interval from low to high, that "
    "the value is known to, lies between least and most. It differs if one lies outside, and is "
    "undecided otherwise. Computed values have the interval of their numerical error. The value is "
    "that of the comparison that decides: of those with the claim's verdict the one that is "
    "furthest from agreeing. Rules are this study's own."
)


def claims_table(job: ClaimsJob, critical: pa.Table) -> pa.Table:
    """The table of all claims."""
    return table_from_rows(exact_rows(critical.to_pylist(), job.data, job.another_x), SCHEMA)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--settings", required=True, help="what claims depend on, as JSON")
    parser.add_argument("--critical", required=True, type=Path, help="table of critical n")
    parser.add_argument(
        "--output", required=True, type=Path, help="parquet to write, the rest beside"
    )


def run(arguments: argparse.Namespace) -> None:
    job = ClaimsJob.model_validate_json(arguments.settings)
    table = claims_table(job, read_parquet(arguments.critical, CRITICAL, job.lines))
    provenance = record(arguments.settings, __name__)
    write_result(table, arguments.output.with_suffix(""), provenance, TITLE, ABOUT)
