"""Trained runs that the documentation keeps, and figures of them: they take hours, and a clone has
none of them.

A folder of docs/ holds, of the cells of a scale, tables of the runs, of their heads of full rank,
of their curves and of recorded shares, and a json of what made each cell.
"""

import csv
import json
from collections.abc import Callable, Iterator
from itertools import chain
from operator import itemgetter
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv

from ...messages.words import counted
from ...pages.drawing import save
from ...pages.keeping import DIGITS
from ...results.environment import processor
from ...results.files import write_text
from ...results.tables import chosen, read_schema, rounded, schema, table_from_rows, write_csv
from ...statistics.contrasts import Run
from .claims.claim import SCHEMA as CLAIMS
from .claims.claim import Evidence
from .claims.one_run_claims import one_run_rows
from .figures.training_figures import FIGURES as DRAWN
from .figures.training_figures import shown
from .settings.cells import MOST_POINTS, TEXT_RATE, Architecture
from .training import published_values
from .training.cell_table import ADDED, OF_CURVES, OF_HEADS, OF_SHARES, RUNS, entries, read_cell
from .training.runs import (
    CONTROL_INITIAL,
    cells_of,
    held_out_error,
    initial_words,
    is_full_rank,
    over_rank_0,
    values,
)

AS_PUBLISHED = "as_published_first_run"
NEW_SETS = "as_published_new_sets"

SCALES = ("paper_size", "reference", "crossing", AS_PUBLISHED, NEW_SETS)
"""Scales of which runs are kept, the quick one first."""

MADE_WITH = "made_with.json"
KEPT_METADATA = ("settings", "code", "seed", "torch", "device", "versions")

LISTS = {"heads": OF_HEADS, "curves": OF_CURVES, "shares": OF_SHARES}
"""Tables with a row per entry of these lists of a cell's table."""


PUBLISHED = schema(
    figure=int, layers=int, width=int, encoding=str, n=int, rank=int, error=float, top=float
)
"""`error` is the least of five runs, `top` the largest where it can be read."""

COMPARED = schema(
    figure=int, layers=int, width=int, encoding=str, n=int, rank=int, steps=int, lr=float,
    regime=str, schedule=str, runs=int, dead=int, error=float, over_rank_0=float,
    least_train=float, published=float, top=float, in_band=str, core_hours=float,
)  # fmt: skip
"""A row per cell of the paper's size: the mean error over its runs, also over that of uniform
attention, and the published value; that of another width with two layers. `least_train`: the least
training loss of any epoch and run, which is what the paper shows; `in_band`: whether it is inside
the published five runs, from `published` to `top` of the same model, or above or below them, null
where no `top` can be read. `core_hours`: what one run by the authors' recipe would take, by what
its steps took here; null where that is not known."""

COMPARED_HEADS = schema(
    width=int, steps=int, runs=int, heads=int, quantity=str, q1=float, median=float, q3=float,
    published_q1=float, published_median=float, published_q3=float,
)  # fmt: skip
"""Figure 2, of heads of full rank in one layer: quartiles over heads and runs of a cell, of the
`angle` in degrees and of the `norm`, and of the published boxes where they can be read."""

COMPARED_SETTINGS = ("layers", "width", "n", "rank", "steps", "lr", "regime", "schedule")
CROSSING_SETTINGS = ("layers", "width", "rank", "encoding", "regime", "schedule")
"""Columns of COMPARED, and of CROSSING, that are settings of a cell."""

LEARNS = 0.99
"""Error on new sets below which a run of the crossing learns: 1 is that of predicting zero."""

CROSSING = schema(
    layers=int, width=int, rank=int, encoding=str, regime=str, schedule=str, steps=int, runs=int,
    learning=int, by_heart=int, error=float, least=float, largest=float, train_error=float,
    core_minutes=float,
)  # fmt: skip
"""A row per cell of the crossing of batches and warm-ups, after the `steps` that were run.
`learning`: runs with an error on new sets below LEARNS; `by_heart`: the others with such a training
loss. `error`, `train_error`: means over runs, of new sets and of the last epoch's training losses;
`least` and `largest` of the errors. `core_minutes`: of all runs; null where not known."""

COSTS = schema(layers=int, width=int, runs=int, operations=float, core_hours=float)
"""What Figure 1 takes by the published configurations, a row per number of layers and width: its
`runs`, seven ranks and five seeds, their floating-point `operations`, and the hours of a core that
reaches GIGAFLOPS."""

GIGAFLOPS = 70.0
"""10^9 operations per second of one core at d = 64 and N = 16 in batches of 256, about the least
that was measured there."""

SEEDS = 5
"""Runs of each published point."""


def keep_runs(results: Path, folder: Path) -> int:
    """Put the cells of a folder of results into the tables of a folder of docs/, in place of those
    that have their names there. Returns how many there were; TableError if a file is no table of a
    cell.
    """
    paths = sorted((results / "cells").glob("*.parquet"))
    if not paths:
        return 0
    rows: list[Run] = []
    for path in paths:
        rows += read_cell(path).to_pylist()
    new_cells = {row["cell"] for row in rows}
    rows += [row for row in read_kept(folder) if row["cell"] not in new_cells]
    rows.sort(key=lambda row: (row["cell"], row["run"]))
    made_with = read_made_with(folder) | {path.stem: _made_with(path, results) for path in paths}
    for name, table in kept_tables(rows).items():
        write_csv(rounded(table, DIGITS), folder / f"{name}.csv")
    write_text(folder / MADE_WITH, json.dumps(made_with, indent=1, sort_keys=True) + "\n")
    return len(paths)


def kept_tables(rows: list[Run]) -> dict[str, pa.Table]:
    """The tables that are kept, of rows of cells' tables."""
    tables = {"runs": table_from_rows(rows, RUNS)}
    for name, lists in LISTS.items():
        most = MOST_POINTS if name == "curves" else None
        table = entries(rows, lists, run_columns=("cell", "run"), most=most)
        tables[name] = table.rename_columns(_short_names(table.schema))
    return tables


def _short_names(schema: pa.Schema) -> list[str]:
    return [name.removeprefix("curve_").removeprefix("share_") for name in schema.names]


def read_kept(folder: Path) -> list[Run]:
    """The runs that are kept, as rows of cells' tables are; none where there is no such folder."""
    if not (folder / "runs.csv").exists():
        return []
    empty_tables = kept_tables([])

    def read(name: str) -> list[dict[str, Any]]:
        types = pyarrow.csv.ConvertOptions(column_types=empty_tables[name].schema)
        return pyarrow.csv.read_csv(folder / f"{name}.csv", convert_options=types).to_pylist()

    rows: dict[tuple[str, int], Run] = {}
    for row in read("runs"):
        empty_lists: Run = {name: [] for name in chain(*LISTS.values())}
        rows[row["cell"], row["run"]] = ADDED | row | empty_lists
    for table, names in LISTS.items():
        # Behind `cell` and `run`.
        columns = empty_tables[table].column_names[2:]
        for entry in read(table):
            row = rows[entry["cell"], entry["run"]]
            for name, column in zip(names, columns, strict=True):
                row[name].append(entry.get(column))
    return list(rows.values())


def write_published(path: Path) -> None:
    """Write the values of the paper's Figures 1, 3 and 4 as a table."""
    rows = []
    for line, errors in published_values.LINES.items():
        for rank, error in errors.items():
            top = published_values.top(line, rank)
            rows.append(line._asdict() | {"rank": rank, "error": error, "top": top})
    write_csv(table_from_rows(rows, PUBLISHED), path)


def cost_rows() -> list[dict[str, Any]]:
    """Rows of COSTS."""
    sets = SEEDS * published_values.BATCH * published_values.STEPS["rank_fig1"]
    rows = []
    for layers, width in published_values.FIGURE_1:
        operations = 0
        for rank in published_values.RANKS:
            network = Architecture(
                layers=layers,
                width=width,
                heads=published_values.SIZE_1["d"] // rank,
                d=published_values.SIZE_1["d"],
                n=published_values.SIZE_1["n"],
                feed_forward=published_values.SIZE_1["feed_forward"],
            )
            # Backward counts twice forward.
            operations += 3 * sets * network.flops()
        rows.append(
            {
                "layers": layers,
                "width": width,
                "runs": SEEDS * len(published_values.RANKS),
                "operations": float(operations),
                "core_hours": operations / (GIGAFLOPS * 1e9 * 3600),
            }
        )
    return rows


def compared(rows: list[Run], made_with: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows of COMPARED, of the runs of one scale and what made them."""
    compared_rows = []
    for cell in cells_of(rows):
        row = cell[0]
        figure = figure_of(row)
        if figure is None:
            continue
        losses = [run["min_train"] for run in cell if run["min_train"] is not None]
        least = min(losses, default=None)
        encoding = row["encoding"]
        if encoding == "additive":
            encoding += f" from {initial_words(row)}"
        settings = {name: row[name] for name in COMPARED_SETTINGS}
        measured = {
            "figure": figure,
            "encoding": encoding,
            "runs": len(cell),
            "dead": sum(run["dead"] for run in cell),
            "least_train": least,
            "error": mean(map(held_out_error, cell)),
            "over_rank_0": mean(map(over_rank_0, cell)),
            "core_hours": _core_hours(row, len(cell), made_with[row["cell"]]["core_seconds"]),
        }
        compared_rows.append(settings | measured | _published(figure, row, least))
    return compared_rows


def crossing_rows(rows: list[Run], made_with: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows of CROSSING, of the runs of one scale that stop before the end of their schedule."""
    crossing = []
    for cell in cells_of([row for row in rows if FIGURES["rank_crossing"](row)]):
        row = cell[0]
        errors = [held_out_error(run) for run in cell]
        losses = [1.0 if run["train_error"] is None else run["train_error"] for run in cell]
        losses_of_others = [
            loss for loss, error in zip(losses, errors, strict=True) if error >= LEARNS
        ]
        seconds = made_with[row["cell"]]["core_seconds"]
        settings = {name: row[name] for name in CROSSING_SETTINGS}
        measured = {
            "steps": row["stop_after"],
            "runs": len(cell),
            "learning": len(cell) - len(losses_of_others),
            "by_heart": sum(loss < LEARNS for loss in losses_of_others),
            "error": mean(errors),
            "least": min(errors),
            "largest": max(errors),
            "train_error": mean(losses),
            "core_minutes": None if seconds is None else seconds / 60,
        }
        crossing.append(settings | measured)
    return crossing


def compared_heads(rows: list[Run]) -> list[dict[str, Any]]:
    """Rows of COMPARED_HEADS, of the runs of one scale."""
    compared_rows = []
    for cell in cells_of([row for row in rows if FIGURES["rank_fig2"](row)], layers=1):
        width = cell[0]["width"]
        medians = published_values.FIGURE_2.get(width, (None, None))
        boxes = published_values.QUARTILES_2.get(width, ((None, None), (None, None)))
        for name, median, box in zip(("angle", "norm"), medians, boxes, strict=True):
            heads = [number for number in chain(*(row[name] for row in cell)) if number is not None]
            quartiles = np.quantile(heads, (0.25, 0.5, 0.75))
            compared_rows.append(
                {
                    "width": width,
                    "steps": cell[0]["steps"],
                    "runs": len(cell),
                    "heads": len(heads),
                    "quantity": name,
                    "q1": quartiles[0],
                    "median": quartiles[1],
                    "q3": quartiles[2],
                    "published_q1": box[0],
                    "published_median": median,
                    "published_q3": box[1],
                }
            )
    return compared_rows


def _core_hours(row: Run, runs: int, seconds: float | None) -> float | None:
    """Of one run by the authors' recipe, by the seconds of so many runs like this one."""
    if seconds is None:
        return None
    sets = published_values.STEPS[f"rank_fig{figure_of(row)}"] * published_values.BATCH
    return seconds / 3600 / runs * sets / (row["steps"] * row["batch"])


def _published(figure: int, row: Run, least: float | None) -> dict[str, float | str | None]:
    """What the paper's figure shows for the model of a run, and where the least training loss of
    its cell is beside it; empty where it has none."""
    if row["additive_sd"] == CONTROL_INITIAL["additive_sd"]:
        return {}
    line = published_values.Line(figure, row["layers"], row["width"], row["encoding"], row["n"])
    errors = published_values.line(
        figure,
        line.layers,
        width=None if figure == 4 else line.width,
        encoding=line.encoding,
        n=line.n,
    )
    if row["rank"] not in errors:
        return {}
    low = errors[row["rank"]]
    high = published_values.top(line, row["rank"])
    is_same = figure != 4 or line.width == published_values.WIDTH_4
    place = _place(least, low, high) if is_same else None
    return {"published": low, "top": high, "in_band": place}


def _place(loss: float | None, low: float, high: float | None) -> str | None:
    """Where a loss is beside the published runs, from `low` to `high`."""
    if loss is None or high is None:
        return None
    if loss < low:
        return "below"
    return "above" if loss > high else "inside"


def figure_of(row: Run) -> int | None:
    """The paper's figure that a run is of: 1, 3 or 4; None of what was tried beside them."""
    is_text_rate = row["lr"] == TEXT_RATE
    is_tried = row["warm_start"] or (row["share"] and is_text_rate)
    is_beginning = row["stop_after"] is not None
    if row["d"] != published_values.SIZE_1["d"] or is_tried or is_beginning:
        return None
    if row["layers"] == 2:
        return 4
    return 1 if row["encoding"] == "none" and is_text_rate else 3


def read_made_with(folder: Path) -> dict[str, dict[str, Any]]:
    """What made each cell that is kept, by its name."""
    path = folder / MADE_WITH
    if not path.exists():
        return {}
    return json.loads(path.read_text(encoding="utf-8"))


def _made_with(path: Path, results: Path) -> dict[str, object]:
    """What a cell's file says of itself; the processor is that of the machine that keeps it. Of a
    cell trained on a GPU neither that nor the core's time says anything, and both are null."""
    metadata = read_schema(path, is_sealed=False).metadata or {}
    kept = {name: metadata[name.encode()].decode() for name in KEPT_METADATA}
    if kept["device"] == "cuda":
        return {**kept, "processor": None, "core_seconds": None}
    return {
        **kept,
        "processor": processor(),
        "core_seconds": _core_seconds(path.stem, results),
    }


def _core_seconds(cell: str, results: Path) -> float | None:
    """Of the job, or of its last attempt where it was stopped and went on; None if not known."""
    path = results / f"benchmarks/rank_train_{cell}.tsv"
    if not path.exists():
        return None
    lines = path.read_text(encoding="utf-8").splitlines()
    return float(next(csv.DictReader(lines, delimiter="\t"))["cpu_time"])


RATE_3 = {1: 0.005, 3: TEXT_RATE}
"""Of the runs that are drawn in Figure 3, by their layers."""


def _is_of_figure_3(row: Run) -> bool:
    # Those of three layers without an encoding are Figure 1's too.
    is_model = figure_of(row) in (1, 3) and row["width"] == published_values.WIDTH_3
    return is_model and row["lr"] == RATE_3.get(row["layers"])


FIGURES: dict[str, Callable[[Run], bool]] = {
    "rank_fig1": lambda row: figure_of(row) == 1,
    "rank_fig2": lambda row: figure_of(row) == 1 and is_full_rank(row),
    "rank_fig3": _is_of_figure_3,
    "rank_fig4": lambda row: figure_of(row) == 4 and row["lr"] == TEXT_RATE,
    "rank_collapse": lambda row: bool(row["share"]),
    "rank_memory": lambda row: row["d"] != published_values.SIZE_1["d"],
    "rank_crossing": lambda row: row["stop_after"] is not None,
}
"""The runs that each figure is of."""


def figures_of(rows: list[Run]) -> dict[str, list[Run]]:
    """The runs of each figure that has any; one on encodings is of more than those without."""
    figures = {}
    for name, belongs in FIGURES.items():
        rows_of_figure = [row for row in rows if belongs(row)]
        has_enough = name != "rank_fig3" or len(values(rows_of_figure, "encoding")) > 1
        if rows_of_figure and has_enough:
            figures[name] = rows_of_figure
    return figures


BY_HEART = "rank_by_heart"
"""The figure of runs of two scales, kept with those on the published batches."""


def by_heart_rows(rows_by_scale: dict[str, list[Run]]) -> list[Run]:
    """Runs of three layers without an encoding by the authors' recipe, on the published batches and
    beside them on new ones; none where the former have no runs."""
    published = _three_layers(rows_by_scale[AS_PUBLISHED])
    ranks = values(published, "rank")
    new = [row for row in _three_layers(rows_by_scale[NEW_SETS]) if row["rank"] in ranks]
    return published + new


def _three_layers(rows: list[Run]) -> list[Run]:
    return [row for row in chosen(rows, layers=3) if figure_of(row) == 1]


def keep_paper_size(results: Path, docs: Path, margin: float, level: float) -> Iterator[str]:
    """Keep what a folder of results has of SCALES, draw all that is kept, and judge what single
    runs by the authors' recipe say, by the section's margin and level; a sentence on each scale."""
    folder = docs / "head_rank"
    write_published(folder / "published.csv")
    rows_by_scale: dict[str, list[Run]] = {}
    rows_compared: list[dict[str, Any]] = []
    rows_of_heads: list[dict[str, Any]] = []
    rows_of_crossing: list[dict[str, Any]] = []
    for scale in SCALES:
        folder_of_scale = folder / scale
        count = keep_runs(results / scale, folder_of_scale)
        rows = read_kept(folder_of_scale)
        rows_by_scale[scale] = rows
        made_with = read_made_with(folder_of_scale)
        for name, rows_of_figure in figures_of(rows).items():
            seed = int(made_with[rows_of_figure[0]["cell"]]["seed"])
            figure = DRAWN[name](shown(name, rows_of_figure, seed))
            save(figure, folder_of_scale / name, ("svg",))
        rows_compared += compared(rows, made_with)
        rows_of_heads += compared_heads(rows)
        rows_of_crossing += crossing_rows(rows, made_with)
        cells = counted(count, "cell")
        yield f"{scale}: {cells} put into {folder_of_scale}, which has {len(rows)} runs"
    by_recipe = rows_by_scale[AS_PUBLISHED] + rows_by_scale[NEW_SETS]
    by_heart = by_heart_rows(rows_by_scale)
    if by_heart:
        save(DRAWN[BY_HEART](by_heart), folder / AS_PUBLISHED / BY_HEART, ("svg",))
    # No claim of these simulates anything: there is no seed.
    evidence = Evidence(margin=margin, level=level, seed=0, runs=by_recipe)
    _write_rounded(one_run_rows(evidence), CLAIMS, folder / "one_run_claims.csv")
    models = ("figure", "layers", "width", "encoding", "n", "lr", "steps", "rank")
    rows_compared.sort(key=itemgetter(*models))
    rows_of_heads.sort(key=itemgetter("quantity", "width", "steps"))
    rows_of_crossing.sort(key=itemgetter("layers", "encoding", "schedule", "regime"))
    _write_rounded(rows_compared, COMPARED, folder / "compared.csv")
    _write_rounded(rows_of_heads, COMPARED_HEADS, folder / "compared_heads.csv")
    _write_rounded(rows_of_crossing, CROSSING, folder / "crossing.csv")
    _write_rounded(cost_rows(), COSTS, folder / "costs.csv")


def _write_rounded(rows: list[dict[str, Any]], columns: pa.Schema, path: Path) -> None:
    write_csv(rounded(table_from_rows(rows, columns), DIGITS), path)
