"""All laws of which kernels separate, each prediction beside its exact value, and at other data."""

import math
from collections.abc import Collection
from pathlib import Path

import pyarrow as pa

from attention_separation.attention.kernel import Kernel
from attention_separation.datasets.dataset import Data
from attention_separation.own_kernels.values import own_kernels
from attention_separation.pages.table_page import write_result
from attention_separation.results.provenance import record
from attention_separation.results.tables import table_from_rows
from attention_separation.statistics.verdict_words import count_verdicts

from ..settings.jobs import KernelsJob
from .margins import ANOTHER_X_LAW, MARGIN_LAW
from .probability import PROBABILITY_LAWS, ROW_LAWS
from .reach import BOUNDED_LAWS, REACH_LAWS, WEIGHT_LAW, own_law
from .verdicts import Law
from .words import WORDS

LAWS: tuple[Law, ...] = (
    *REACH_LAWS, *PROBABILITY_LAWS, *BOUNDED_LAWS, *ROW_LAWS, MARGIN_LAW, WEIGHT_LAW, ANOTHER_X_LAW,
)  # fmt: skip


def laws_with(own: Collection[Kernel]) -> tuple[Law, ...]:
    """All laws, that of a user's own kernels the last one where there are such."""
    return (*LAWS, own_law(own)) if own else LAWS


def judge_laws(data: Data, own: Collection[Kernel] = ()) -> list[dict[str, str | float | None]]:
    """A row for each claim of each law.

    Columns: law, kind (`verdicts.KINDS`), kernel, model, attention_x, at (n, or None), quantity,
    predicted, measured (by exact values; NaN where not resolved), relative_difference, tolerance,
    tolerance_kind ("relative" or "absolute"), verdict, and the law's statement, condition and error
    term.
    A statement is 0 where it is false and 1 where it is true, or P where it says that two are the
    same.
    """
    return [row for law in laws_with(own) for row in law.rows(data)]


SCHEMA = pa.schema(
    [
        ("law", pa.string()),
        ("kind", pa.string()),
        ("kernel", pa.string()),
        ("model", pa.string()),
        ("attention_x", pa.string()),
        ("at", pa.float64()),
        ("quantity", pa.string()),
        ("predicted", pa.float64()),
        ("measured", pa.float64()),
        ("relative_difference", pa.float64()),
        ("tolerance", pa.float64()),
        ("tolerance_kind", pa.string()),
        ("verdict", pa.string()),
        ("statement", pa.string()),
        ("condition", pa.string()),
        ("error_term", pa.string()),
    ]
)
"""A row per law, kernel, layer and n (`at`), what it predicts, null where no law is known, and what
exact values say, null where float64 does not tell; inf has a meaning in both, such as a largest n
that was not reached, or an error term without bound. The law's statement, condition and error term
stand in each of its rows."""

ABOVE = ("statement", "condition", "error_term")
"""Columns that the page has above its table, once for each law."""

ENDLESS = ("predicted", "measured", "relative_difference", "tolerance")

TITLE = "Any attention: laws of which kernels separate, judged"
SCOPE = (
    "A number agrees if it differs from the exact value by no more than the law's own error term, "
    "the tolerance, which is relative. Statements are 1 where they are true and 0 where not; that "
    "a kernel has exactly the P of uniform attention is an identity, of both P. What is only "
    "measured has no prediction. A claim is not applicable where its law's conditions are not met. "
    "The data are the first paper's, X and V as well, the weights random signs. "
    f"{' '.join(WORDS)}"
)


def law_table(job: KernelsJob) -> pa.Table:
    """All laws, judged at the job's data and its own kernels."""
    own = own_kernels(job.kernels).values()
    rows = [
        {key: None if isinstance(x, float) and math.isnan(x) else x for key, x in row.items()}
        for row in judge_laws(job.data, own)
    ]
    return table_from_rows(rows, SCHEMA)


def about(table: pa.Table) -> str:
    """A line for each law: its statement, condition and error term, and how many claims agree."""
    verdicts: dict[tuple[str, ...], list[str]] = {}
    for row in table.select(["law", *ABOVE, "verdict"]).to_pylist():
        verdicts.setdefault((row["law"], *(row[name] for name in ABOVE)), []).append(row["verdict"])
    lines = [
        f"{law} ({count_verdicts(found)}): {text} Needs: {condition} Error term: {error_term}"
        for (law, text, condition, error_term), found in verdicts.items()
    ]
    return "\n".join([SCOPE, *lines])


def run(job: KernelsJob, output: Path) -> None:
    table = law_table(job)
    provenance = record(job.canonical(), __name__)
    stem = output.with_suffix("")
    shown = table.drop_columns(list(ABOVE))
    write_result(table, stem, provenance, TITLE, about(table), shown, endless=ENDLESS)
