"""All laws of which kernels separate, each prediction beside its exact value, and at other data."""

import math
from collections import Counter
from pathlib import Path

import pyarrow as pa

from ....datasets.dataset import Data
from ....messages.progress import Progress
from ....pages.table_page import write_result
from ....results.provenance import record
from ....results.tables import rows_by, schema, table_from_rows
from ....statistics.claims import NOT_APPLICABLE, VERDICTS, count_verdicts
from ..settings import Data as DataSettings
from ..settings import KernelsJob
from .law import LAW_COLUMNS, Law, Row
from .margins import ANOTHER_X_LAW, MARGIN_LAW
from .probability import PROBABILITY_LAWS, ROW_LAWS
from .reach import BOUNDED_LAWS, REACH_LAWS, WEIGHT_LAW

LAWS: tuple[Law, ...] = (
    *REACH_LAWS, *PROBABILITY_LAWS, *BOUNDED_LAWS, *ROW_LAWS, MARGIN_LAW, WEIGHT_LAW, ANOTHER_X_LAW,
)  # fmt: skip


def judge_laws(data: Data, most: int | None = None) -> list[Row]:
    """A row for each claim of each law, the first `most` of a law if not None: the columns of
    SCHEMA, with NaN where exact values do not resolve what is measured."""
    progress = Progress("kernels-laws", len(LAWS), "laws")
    rows = []
    for law in LAWS:
        rows += law.rows(data, most)
        progress.advance()
    return rows


ENDLESS_OF_LAWS = ("predicted", "measured", "relative_difference", "tolerance")
"""Columns in which inf has a meaning."""

SCHEMA = schema(
    law=str, kind=str, kernel=str, model=str, attention_x=str, at=float, quantity=str,
    **dict.fromkeys(ENDLESS_OF_LAWS, float), tolerance_kind=str, verdict=str,
    **dict.fromkeys(LAW_COLUMNS, str),
)  # fmt: skip
"""A row per law, kernel, layer and n (`at`): null where float64 does not tell; inf as for a
largest n that was not reached, or an error term without bound."""

TITLE = "Any attention: laws of which kernels separate, judged"
SCOPE_OF_LAWS = (
    "A number agrees if it differs from the exact value by no more than the law's own error term, "
    "the tolerance, which is relative. Statements are 1 where they are true and 0 where not; that "
    "a kernel has exactly the P of uniform attention is an identity, of both P. A claim is not "
    "applicable where its law's conditions are not met. The data are the first paper's, X and V as "
    "well, the weights random signs. docs/kernels.md defines what stands in the laws, and says "
    "what all laws of P and of n need and leave out."
)


def law_table(job: KernelsJob) -> pa.Table:
    """The table of all laws at the job's data, with at most as many claims of each as the job has
    points."""
    rows = [_with_nulls(row) for row in judge_laws(job.data, job.points)]
    return table_from_rows(rows, SCHEMA)


def _with_nulls(row: Row) -> Row:
    """The row with null in place of NaN."""
    return {
        column: None if isinstance(value, float) and math.isnan(value) else value
        for column, value in row.items()
    }


def about(table: pa.Table) -> str:
    """The text about a table of laws: for each law its statement, condition and error term, and how
    many claims agree."""
    lines = [SCOPE_OF_LAWS]
    for law, claims in rows_by(table.to_pylist(), "law").items():
        first = claims[0]
        counts = count_verdicts(claim["verdict"] for claim in claims)
        lines.append(
            f"{law} ({counts}): {first['statement']} Needs: {first['condition']} "
            f"Error term: {first['error_term']}"
        )
    return "\n".join(lines)


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

TITLE_ELSEWHERE = "Any attention: the laws at other data"
ABOUT_ELSEWHERE = "All else as in the tables; `classes` is K and `at_least` the least m."


def elsewhere_table(data: DataSettings) -> pa.Table:
    """The table of how many claims of all laws have each verdict, at data with each of
    `CHANGES`."""
    rows = []
    for change in CHANGES:
        words = ", ".join(f"{name} = {value:g}" for name, value in change.items())
        claims = judge_laws(data.model_copy(update=change))
        counts = Counter((claim["law"], claim["kind"], claim["verdict"]) for claim in claims)
        # In the order in which they come first.
        kinds = dict.fromkeys((claim["law"], claim["kind"]) for claim in claims)
        for law, kind in kinds:
            row = {"data": words, "law": law, "kind": kind}
            row |= {verdict: counts[law, kind, verdict] for verdict in COUNTS}
            rows.append(row)
    return table_from_rows(rows, ELSEWHERE)


def run(job: KernelsJob, output: Path | None = None, elsewhere: Path | None = None) -> None:
    provenance = record(job.canonical(), __name__)
    if output:
        table = law_table(job)
        shown = table.drop_columns(list(LAW_COLUMNS))
        path = output.with_suffix("")
        write_result(table, path, provenance, TITLE, about(table), shown, endless=ENDLESS_OF_LAWS)
    if elsewhere:
        table = elsewhere_table(job.data)
        write_result(table, elsewhere.with_suffix(""), provenance, TITLE_ELSEWHERE, ABOUT_ELSEWHERE)
