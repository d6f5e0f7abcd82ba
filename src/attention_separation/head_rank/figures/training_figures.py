"""Figures 1 to 4 of the paper, and errors in training beside those on new data, from the tables of
trained cells."""

from pathlib import Path

import matplotlib
import pyarrow as pa
from matplotlib.figure import Figure

from attention_separation.pages.drawing import RC, save_with_numbers
from attention_separation.results.provenance import record
from attention_separation.results.tables import table_from_rows
from attention_separation.settings.jobs import Job

from ..claims.learned_claims import fact_1_errors
from ..claims.runs import read_runs, read_seed
from ..training.cell_table import HEADS, OF_HEADS, RUNS
from .error_figures import figure_1, figure_3, figure_4
from .fresh_figure import figure_fresh
from .heads_figure import figure_2

FIGURES = {
    "rank_fig1": figure_1,
    "rank_fig2": figure_2,
    "rank_fig3": figure_3,
    "rank_fig4": figure_4,
    "rank_fresh": figure_fresh,
}

WITH_FACT_1 = RUNS.append(pa.field("fact_1_error", pa.float64()))
"""A table with a row per run. `fact_1_error`: of a run of one layer with one head of full rank, the
error that Fact 1's head -cI with V = I has at the run's learned c, simulated; null of others."""

NUMBERS = dict.fromkeys(FIGURES, RUNS) | {"rank_fig1": WITH_FACT_1, "rank_fig2": HEADS}
"""The columns of what each figure shows: a row per run; in Figure 2 one per head of full rank."""


def shown(figure: str, rows: list[dict], seed: int) -> list[dict]:
    """The runs, as `runs.read_runs` reads them, with what a figure shows beside them; `seed` is the
    root of what is simulated."""
    if figure != "rank_fig1":
        return rows
    found = fact_1_errors(rows, seed)
    return [row | {"fact_1_error": found.get((row["cell"], row["run"]))} for row in rows]


def draw(figure: str, rows: list[dict]) -> Figure:
    """A figure of such rows."""
    with matplotlib.rc_context(RC):
        return FIGURES[figure](rows)


def numbers(figure: str, rows: list[dict]) -> pa.Table:
    """What it shows, as a table."""
    if figure == "rank_fig2":
        rows = [
            row | dict(zip(OF_HEADS, head, strict=True))
            for row in rows
            for head in zip(*(row[name] for name in OF_HEADS), strict=True)
        ]
    return table_from_rows(rows, NUMBERS[figure])


def run(job: Job, figure: str, tables: list[Path], output: Path) -> None:
    runs = read_runs(tables).to_pylist()
    rows = shown(figure, runs, read_seed(tables[0]))
    provenance = record(job.canonical(), __name__)
    stem = output.with_suffix("")
    save_with_numbers(draw(figure, rows), stem, numbers(figure, rows), provenance)
