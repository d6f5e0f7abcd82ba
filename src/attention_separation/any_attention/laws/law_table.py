"""Verb `kernels-laws`: each law's predictions beside exact values, with verdicts."""

import argparse
import math
from collections import Counter
from pathlib import Path

import pyarrow as pa

from attention_separation.any_attention.laws.laws import LAWS, judge_laws
from attention_separation.any_attention.settings.jobs import DataJob
from attention_separation.pages.table_page import write_result
from attention_separation.results.provenance import record
from attention_separation.results.tables import table_from_rows

SCHEMA = pa.schema(
    [
        ("law", pa.string()),
        ("kernel", pa.string()),
        ("model", pa.string()),
        ("attention_x", pa.string()),
        ("at", pa.float64()),
        ("quantity", pa.string()),
        ("predicted", pa.float64()),
        ("measured", pa.float64()),
        ("relative_difference", pa.float64()),
        ("tolerance", pa.float64()),
        ("verdict", pa.string()),
    ]
)
"""A row per law, kernel, layer and n (`at`), what it predicts and what exact values say, null where
float64 does not tell; inf has a meaning in both, such as a largest n that was not reached."""

ENDLESS = ("predicted", "measured", "relative_difference")

TITLE = "Any attention: laws of which kernels separate, judged"
SCOPE = (
    "A prediction agrees if it differs from the exact value by no more than the stated tolerance, "
    "relatively, and absolutely where that value is 0: of a largest n below 2,000 the tolerance is "
    "two steps of K. Statements are 1 where they are true and 0 where not. The data are the first "
    "paper's, X and V as well, the weights random signs."
)


def law_table(job: DataJob) -> pa.Table:
    """All laws, judged at the job's data."""
    rows = [
        {key: None if isinstance(x, float) and math.isnan(x) else x for key, x in row.items()}
        for row in judge_laws(job.data)
    ]
    return table_from_rows(rows, SCHEMA)


def about(table: pa.Table) -> str:
    """A line for each law: its statement, where it ends, and how many of its claims agree."""
    verdicts = {law.name: Counter() for law in LAWS}
    for row in table.select(["law", "verdict"]).to_pylist():
        verdicts[row["law"]][row["verdict"]] += 1
    lines = [
        f"{law.name} ({', '.join(f'{count} {word}' for word, count in verdicts[law.name].items())})"
        f": {law.statement} {law.ends}".strip()
        for law in LAWS
    ]
    return "\n".join([SCOPE, *lines])


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--settings", required=True, help="the data, as JSON")
    parser.add_argument("--output", required=True, type=Path, help="parquet, the rest beside")


def run(arguments: argparse.Namespace) -> None:
    table = law_table(DataJob.model_validate_json(arguments.settings))
    provenance = record(arguments.settings, __name__)
    stem = arguments.output.with_suffix("")
    write_result(table, stem, provenance, TITLE, about(table), endless=ENDLESS)
