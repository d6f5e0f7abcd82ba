"""Curves read off the paper's figures: judged, beside ours, and which readings they leave."""

import csv
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa

from ...pages.drawing import save_with_numbers
from ...pages.house_style import INK
from ...pages.table_page import write_result
from ...results.provenance import record
from ...results.tables import Row, array_of, numpy_column, schema, table_from_rows
from ...settings.words import short_repr
from ...statistics.claims import DIFFERS, UNDECIDED
from ...statistics.goodness_of_fit import PanelPoints, log_likelihood
from ...statistics.panel_agreement import judge
from ..exact.compute import compute_exact, references
from ..figures import panel_figure, verdicts
from ..models.panel_tables import read_joined
from ..settings.panels import Panel, PanelsJob, PublishedJob
from ..settings.published_files import PUBLISHED
from .choices import effect_of
from .open_choices import CHOICES

COLUMNS = ["value", "success_rate", "reading_error", "source"]
SCHEMA = schema(
    panel=str,
    choice=str,
    reading=str,
    mean_difference=float,
    log_likelihood=float,
    is_best=bool,
    outcome=str,
)

DRAWN = "Published (black) and ours"
TITLE = "Verdicts: points read off the paper's figures"
ABOUT = (
    f"In place of simulated trials: rates read off the paper's figures ({PUBLISHED}), as successes "
    "in its own trials, each off by its reading error at most, as fits best.\n"
)
READINGS_TITLE = "Which reading of each open choice the published points leave"
READINGS_ABOUT = (
    "Each open choice, its default first, all others at theirs. A reading is excluded if the panel "
    "differs from its exact or reference values, by the rule of tables/published, or if it has no "
    "point where one is published; selected if no other is left; else undecided. Best is the most "
    "likely, reading errors evenly spread; that alone excludes none. Where all are excluded, this "
    "choice alone does not explain the points."
)


def read_curves(job: PublishedJob) -> list[pa.Table]:
    """The curve of each file; ValueError where there is none, or a file is no curve of a panel."""
    for name, reason in (job.unreadable or {}).items():
        raise ValueError(f"{PUBLISHED}/{name}.csv: cannot be read: {reason}")
    if not job.files:
        raise ValueError(f"{PUBLISHED}: no curves there; its README.md says how to add PANEL.csv")
    panels = {panel.name: panel for panel in job.panels}
    curves = []
    for name, text in job.files.items():
        rows = csv.DictReader(text.splitlines(), restval="")
        try:
            if rows.fieldnames != COLUMNS:
                raise ValueError(f"columns are {rows.fieldnames}; allowed: {COLUMNS}")
            if name not in panels:
                raise ValueError(f"config.yaml has no panel {name} that sweeps one parameter")
            curves.append(_curve(panels[name], rows))
        except (ValueError, csv.Error) as error:
            raise ValueError(f"{PUBLISHED}/{name}.csv, line {rows.line_num}: {error}") from None
    return curves


def _curve(panel: Panel, rows: "csv.DictReader[str]") -> pa.Table:
    """Exact values at the published points, and rates as successes in the paper's trials."""
    (swept,) = panel.sweep
    rates_and_errors: dict[float, tuple[float, float]] = {}
    grid = {point.swept[0] for point in panel.points()}
    for row in rows:
        if None in row:
            raise ValueError(f"more than {len(COLUMNS)} cells; allowed: {COLUMNS}")
        value = _number(row, "value")
        rate = _number(row, "success_rate")
        error = _number(row, "reading_error")
        if value not in grid or value in rates_and_errors:
            raise ValueError(f"value {value:g}; allowed: values of the panel's grid, each once")
        if not (0 <= rate <= 1 and 0 <= error <= 1):
            raise ValueError(
                "success_rate and reading_error; allowed: numbers from 0 to 1, "
                f"not {rate:g} and {error:g}"
            )
        rates_and_errors[value] = (rate, error)
    if not rates_and_errors:
        raise ValueError("no points; allowed: at least one line beneath the first")
    rates, errors = np.array([*rates_and_errors.values()]).T
    columns = {
        "trials": np.full(len(rates), panel.trials),
        "successes": np.rint(rates * panel.trials).astype(np.int64),
        "misread": np.floor(errors * panel.trials + 0.5).astype(np.int64),
        "p_hat": rates,
        "reading_error": errors,
    }
    table = compute_exact(panel.with_more(sweep={swept: [*rates_and_errors]}))
    for name, column in columns.items():
        values = array_of(column.tolist(), pa.from_numpy_dtype(column.dtype))
        table = table.append_column(name, values)
    return table


def _number(row: dict[str, str], column: str) -> float:
    """The number in a cell; ValueError, with the column's name, if it is none."""
    cell = row[column]
    try:
        # Python reads 1_0 as 10.
        return float(cell.replace("_", "?"))
    except ValueError:
        text = f"{column} is {short_repr(cell)}; allowed: a number such as 0.25"
        raise ValueError(text) from None


def reading_rows(job: PublishedJob, panel: Panel, curve: pa.Table) -> Iterator[Row]:
    """The rows of SCHEMA of a panel: of each choice that has other readings there."""
    points = panel.points()
    by_value = {point.swept[0]: point for point in points}
    published = [by_value[value] for value in curve["value"].to_pylist()]
    default = verdicts.points_of(panel.name, curve)
    for choice in CHOICES:
        readings: dict[str, PanelPoints | None] = {choice.default: default}
        for alternative in choice.alternatives:
            if alternative.apply is None or alternative.values is not None:
                continue
            effect = effect_of(choice, alternative, panel, points)
            if effect is None:
                continue
            changed = dict(zip(effect.before, effect.after, strict=True))
            allowed = [changed[point] for point in published if point in changed]
            if len(allowed) == len(published):
                values = references(effect.model, allowed)
                readings[alternative.name] = replace(
                    default,
                    reference=np.array([value.success for value in values]),
                    error=np.array([value.error for value in values]),
                )
            elif allowed:
                readings[alternative.name] = None
        if len(readings) > 1:
            for row in _compared(job, readings):
                yield {"panel": panel.name, "choice": choice.name, **row}


def _compared(job: PublishedJob, readings: dict[str, PanelPoints | None]) -> Iterator[Row]:
    """What is found of the readings of a choice; None is one that lacks a point."""
    level = job.level / len(job.panels)
    likelihoods = {}
    left = []
    for name, points in readings.items():
        if points is not None:
            likelihoods[name] = round(log_likelihood(points), 6)
            (judged,) = judge([points], job.panel_margins[:1], level)
            if judged.verdict != DIFFERS:
                left.append(name)
    for name, points in readings.items():
        row: Row = {
            "reading": name,
            "mean_difference": None,
            "log_likelihood": None,
            "is_best": False,
            "outcome": "excluded",
        }
        if points is not None:
            difference = points.successes / points.trials - points.reference
            row["mean_difference"] = np.abs(difference).mean()
            row["log_likelihood"] = likelihoods[name]
            row["is_best"] = likelihoods[name] == max(likelihoods.values())
        if name in left:
            row["outcome"] = "selected" if len(left) == 1 else UNDECIDED
        yield row


def run(
    job: PublishedJob,
    figure: Path,
    table: Path,
    readings: Path,
    tables: list[Path] | None = None,
    exact: list[Path] | None = None,
) -> None:
    curves = read_curves(job)
    ours = read_joined(tables or [], exact or [], [panel.contest for panel in job.panels])
    shown = [
        panel.with_more(trials=table["trials"][0].as_py())
        for panel, table in zip(job.panels, ours, strict=True)
    ]
    drawn = panel_figure.draw(PanelsJob(title=DRAWN, panels=shown), ours)
    rows: list[Row] = []
    # Axes of colour bars follow.
    for ax, panel, curve in zip(drawn.axes, job.panels, curves, strict=False):
        ax.errorbar(
            x=numpy_column(curve, "value"),
            y=numpy_column(curve, "p_hat"),
            yerr=numpy_column(curve, "reading_error"),
            fmt="x",
            color=INK,
            linewidth=0.8,
            markersize=3,
            zorder=4,
        )
        ax.set_xlabel(f"{panel.name}: {ax.get_xlabel()}")
        rows += reading_rows(job, panel, curve)
    by_panel, by_point = verdicts.verdict_tables(job, curves)
    errors = np.concatenate([numpy_column(curve, "reading_error") for curve in curves])
    by_point = by_point.append_column("reading_error", array_of(errors.tolist(), pa.float64()))
    provenance = record(job.canonical(), __name__)
    save_with_numbers(drawn, figure, by_point, provenance)
    about = ABOUT + verdicts.about(job, points=len(by_point))
    write_result(by_panel, table, provenance, TITLE, about)
    compared = table_from_rows(rows, SCHEMA)
    write_result(compared, readings, provenance, READINGS_TITLE, READINGS_ABOUT)
