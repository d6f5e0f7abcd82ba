"""The laws at other data than the tables': how many of their claims have each verdict."""

from collections import Counter
from pathlib import Path

import pyarrow as pa

from ...pages.table_page import write_result
from ...results.provenance import record
from ...results.tables import schema, table_from_rows
from ...statistics.claims import NOT_APPLICABLE, VERDICTS
from ..settings import Data, KernelsJob
from .law_table import judge_laws

TITLE = "Any attention: the laws at other data"
ABOUT = "All else as in the tables; `classes` is K and `at_least` the least m."

CHANGES: tuple[dict[str, float], ...] = (
    {"a0": 0.1},
    {"a1": 1.5},
    {"b": 0.3},
    {"a1": 1.0, "b": 0.3, "c": 0.7},
    {"classes": 7},
    {"classes": 40},
    {"classes": 62},
    {"at_least": 40},
    {"a0": 0.05, "a1": 1.4, "b": 0.15, "c": 1.0, "classes": 12, "delta": 0.05},
)
"""What is other than in the data of the tables."""

COUNTS = (*VERDICTS, NOT_APPLICABLE)

ELSEWHERE = schema(data=str, law=str, kind=str, **dict.fromkeys(COUNTS, int))
"""A row for each change of the data, law and kind of claim: how many have each verdict."""


def elsewhere_table(data: Data) -> pa.Table:
    """The laws at data with each of `CHANGES`."""
    rows = []
    for change in CHANGES:
        words = ", ".join(f"{name} = {value:g}" for name, value in change.items())
        found = judge_laws(data.model_copy(update=change))
        counts = Counter((row["law"], row["kind"], row["verdict"]) for row in found)
        rows += [
            {"data": words, "law": law, "kind": kind}
            | {verdict: counts[law, kind, verdict] for verdict in COUNTS}
            for law, kind in dict.fromkeys((row["law"], row["kind"]) for row in found)
        ]
    return table_from_rows(rows, ELSEWHERE)


def run(job: KernelsJob, output: Path) -> None:
    table = elsewhere_table(job.data)
    provenance = record(job.canonical(), __name__)
    write_result(table, output.with_suffix(""), provenance, TITLE, ABOUT)
