"""Each panel's simulation held against its exact or reference values.

A panel is a grid of points, and its verdict is "agrees", "differs" or "undecided".
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa

from ....pages.table_page import write_result
from ....results.provenance import record
from ....results.tables import (
    Row,
    all_finite,
    array_of,
    numpy_column,
    schema,
    table_from_rows,
    write_csv,
    write_parquet,
)
from ....statistics.claims import Verdict
from ....statistics.goodness_of_fit import PanelPoints
from ....statistics.panel_agreement import PANEL_TESTS, PanelVerdict, judge
from ..models.panel_tables import read_joined
from ..settings.panels import COLUMN, Panel, VerdictsJob

SCHEMA = schema(
    panel=str,
    verdict=str,
    points=int,
    trials=int,
    mean_p_hat=float,
    mean_p_exact=float,
    mean_difference=float,
    difference_low=float,
    difference_high=float,
    margin=float,
    smallest_point_p=float,
    pooled_p=float,
    shape_p=float,
    trials_to_decide=int,
    detectable_bias=float,
    largest_p_error=float,
    reconstructed=str,
)
"""One row per panel. p-values are adjusted for all tests; `trials_to_decide` is null where the
panel is decided already, or where no number of trials would decide it. `mean_p_exact` is of exact
values where `largest_p_error`, the largest estimated error of a point, is 0, and else of reference
values."""

VERDICT_POINTS_SCHEMA = schema(
    panel=str,
    parameter=str,
    value=float,
    trials=int,
    p_hat=float,
    p_exact=float,
    p_error=float,
    p_value=float,
)

MAY_BE_NULL = ("d", "a0", "a1", "b", "c", "delta", "attention_x")
"""Columns of parameters that a model may lack; every point has all others."""

TITLE = "Verdicts: simulation against exact or reference values"
ABOUT = (
    "A panel agrees if no point, nor the sum of its successes, nor its shape is rejected at a "
    "family-wise level of {level:g} over all {tests:,} tests, and the simultaneous "
    "interval of its mean difference, from difference low to difference high, lies within the "
    "margin ({margin:g} at the panel's own trials, less with more). It differs if any of them is "
    "rejected; else it is undecided.\n"
    "Points and sums have exact binomial tests, shapes a test of "
    "goodness of fit: the squared deviations of the points, each in units of its variance, added "
    "up; all are adjusted by Holm's method.\n"
    "Detectable bias is the mean bias of a panel's success "
    "rate that the test of the sum would find with probability 0.9, approximately.\n"
    "Where largest p error is 0, mean p exact is of exact values; else it is of "
    "reference values with an estimated error, and the hypothesis tested is that a point is off by "
    "no more than that.\n{reconstructed}"
)


def verdict_tables(job: VerdictsJob, tables: list[pa.Table]) -> tuple[pa.Table, pa.Table]:
    """The table of verdicts by panel, as SCHEMA, and that of the points, as VERDICT_POINTS_SCHEMA.

    `tables` : each panel's simulated points with their exact values, as `join_exact` gives them
    """
    measured = [
        points_of(panel.name, table) for panel, table in zip(job.panels, tables, strict=True)
    ]
    verdicts = judge(measured, job.panel_margins, job.level)
    rows = [
        _row(panel, points, verdict)
        for panel, points, verdict in zip(job.panels, measured, verdicts, strict=True)
    ]
    names = VERDICT_POINTS_SCHEMA.names[:-1]
    by_point = pa.concat_tables(table.replace_schema_metadata().select(names) for table in tables)
    p_values = np.concatenate([verdict.point_p for verdict in verdicts]).tolist()
    column = array_of(p_values, pa.float64())
    by_point = by_point.append_column(VERDICT_POINTS_SCHEMA.field("p_value"), column)
    return table_from_rows(rows, SCHEMA), by_point


def points_of(name: str, table: pa.Table) -> PanelPoints:
    """The counts and references of a panel's points, from its joined table. ValueError if a cell
    has no number."""
    for column in table.column_names:
        if column in MAY_BE_NULL:
            continue
        if table[column].null_count or not all_finite(table[column]):
            raise ValueError(f"{name}: column {column} has a cell without a number")
    try:
        return PanelPoints(
            successes=numpy_column(table, "successes"),
            trials=numpy_column(table, "trials"),
            reference=numpy_column(table, "p_exact"),
            error=numpy_column(table, "p_error"),
        )
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from error


def _row(panel: Panel, points: PanelPoints, verdict: PanelVerdict) -> Row:
    """The row of SCHEMA of a panel."""
    # `point_p` is no column, so the table leaves it out.
    return vars(verdict) | {
        "panel": panel.name,
        "points": len(points.trials),
        "trials": int(points.trials[0]),
        "mean_difference": verdict.mean_p_hat - verdict.mean_p_exact,
        "smallest_point_p": float(verdict.point_p.min()),
        "largest_p_error": float(points.error.max()),
        "reconstructed": panel.reconstruction,
    }


def agreement(rows: Sequence[Row]) -> str:
    """How many panels agree, and which do not, in words, from the rows of the table of verdicts."""
    not_agreeing = [
        f"{row['panel']} {row['verdict']}" for row in rows if row["verdict"] != Verdict.AGREES
    ]
    agreeing = len(rows) - len(not_agreeing)
    return "; ".join(
        [f"trials agree with computed values at {agreeing} of {len(rows)} panels", *not_agreeing]
    )


def about(job: VerdictsJob, points: int) -> str:
    """The text above the table of verdicts, whose panels have so many points in all."""
    tests = points + PANEL_TESTS * len(job.panels)
    return ABOUT.format(level=job.level, tests=tests, margin=job.margin, reconstructed=COLUMN)


def run(job: VerdictsJob, tables: list[Path], exact: list[Path], output: Path) -> None:
    """Write the verdicts on the panels, and the table of their points beside it."""
    joined = read_joined(tables, exact, [panel.contest for panel in job.panels])
    by_panel, by_point = verdict_tables(job, joined)
    provenance = record(job.canonical(), __name__)
    write_csv(by_point, output.with_name(f"{output.stem}_points.csv"))
    write_parquet(by_point, output.with_name(f"{output.stem}_points.parquet"), provenance)
    write_result(by_panel, output, provenance, TITLE, about(job, points=len(by_point)))
