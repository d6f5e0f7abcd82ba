"""Figures of trained transformers, from the tables of their cells: Figures 1 to 4 of the paper,
errors in training beside those on new data, and what networks do along their training."""

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
from matplotlib.figure import Figure

from ....pages.drawing import save_with_numbers
from ....results.provenance import record
from ....results.tables import chosen, read_schema, table_from_rows
from ....settings.strict_model import Job
from ....statistics.contrasts import Run
from ..training import runs
from ..training.cell_table import OF_CURVES, OF_HEADS, OF_SHARES, RUNS, entry_table
from .collapse_figure import figure_collapse
from .curve_figures import figure_by_heart, figure_crossing, figure_memory
from .error_figures import figure_1, figure_3, figure_4, figure_dimension
from .fresh_figure import figure_fresh
from .head_figure import figure_2

TRAINED_FIGURES: dict[str, Callable[[list[Run]], Figure]] = {
    "rank_fig1": figure_1,
    "rank_fig2": figure_2,
    "rank_fig3": figure_3,
    "rank_fig4": figure_4,
    "rank_fresh": figure_fresh,
    "rank_collapse": figure_collapse,
    "rank_memory": figure_memory,
    "rank_by_heart": figure_by_heart,
    "rank_crossing": figure_crossing,
    "rank_dimension": figure_dimension,
}

WITH_FACT_1 = RUNS.append(pa.field("fact_1_error", pa.float64()))
"""A table with a row per run. `fact_1_error`: of a run of one layer with one head of full rank, the
error that Fact 1's head -cI with V = I has at the run's learned c, simulated; null of others."""

ENTRY_COLUMNS = {
    "rank_fig2": OF_HEADS,
    "rank_collapse": OF_SHARES,
    "rank_memory": OF_CURVES,
    "rank_by_heart": OF_CURVES,
    "rank_crossing": OF_CURVES,
}
"""Columns with several entries per run, of figures that show a row per entry."""


def runs_shown(figure: str, rows: list[Run], seed: int) -> list[Run]:
    """The runs, as `runs.read_runs` reads them, with what a figure shows beside them; `seed` is the
    root of what is simulated."""
    if figure != "rank_fig1":
        return rows
    one_head = chosen(rows, layers=1, total_heads=1, encoding="none")
    single_heads = [row for row in one_head if runs.is_full_rank(row)]
    errors = {
        (row["cell"], row["run"]): row["fact_1_error"]
        for row in runs.with_fact_1(single_heads, seed)
    }
    return [row | {"fact_1_error": errors.get((row["cell"], row["run"]))} for row in rows]


def numbers_table(figure: str, rows: list[Run]) -> pa.Table:
    """The table of what a figure shows: a row per run or, of ENTRY_COLUMNS, per entry."""
    if figure in ENTRY_COLUMNS:
        return entry_table(rows, ENTRY_COLUMNS[figure])
    return table_from_rows(rows, WITH_FACT_1 if figure == "rank_fig1" else RUNS)


def run(job: Job, figure: str, tables: list[Path], output: Path) -> None:
    # The root of the random streams of the cells.
    seed = int(read_schema(tables[0]).metadata[b"seed"])
    rows = runs_shown(figure, runs.read_runs(tables).to_pylist(), seed)
    provenance = record(job.canonical(), __name__)
    picture = TRAINED_FIGURES[figure](rows)
    save_with_numbers(picture, output, numbers_table(figure, rows), provenance)
