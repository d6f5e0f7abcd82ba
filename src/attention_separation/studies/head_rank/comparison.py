"""Kept runs beside the values that the paper's figures show, and what those figures cost."""

from itertools import chain
from statistics import mean
from typing import Any

import numpy as np

from ...results.tables import schema
from ...statistics.contrasts import Run
from .kept_figures import RUNS_OF_FIGURES, paper_figure
from .settings.cells import Architecture
from .training import published_values
from .training.runs import CONTROL_INITIAL, cells_of, held_out_error, initial_words, over_rank_0

PUBLISHED_SCHEMA = schema(
    figure=int, layers=int, width=int, encoding=str, n=int, rank=int, error=float, top=float
)
"""`error` is the least of five runs, `top` the largest where it can be read."""

COMPARED_SCHEMA = schema(
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

HEADS_SCHEMA = schema(
    width=int, steps=int, runs=int, heads=int, quantity=str, q1=float, median=float, q3=float,
    published_q1=float, published_median=float, published_q3=float,
)  # fmt: skip
"""Figure 2, of heads of full rank in one layer: quartiles over heads and runs of a cell, of the
`angle` in degrees and of the `norm`, and of the published boxes where they can be read."""

COMPARED_SETTINGS = ("layers", "width", "n", "rank", "steps", "lr", "regime", "schedule")
CROSSING_SETTINGS = ("layers", "width", "rank", "encoding", "regime", "schedule")
"""Columns of COMPARED_SCHEMA, and of CROSSING_SCHEMA, that are settings of a cell."""

LEARNING_ERROR = 0.99
"""Error on new sets below which a run of the crossing learns: 1 is that of predicting zero."""

CROSSING_SCHEMA = schema(
    layers=int, width=int, rank=int, encoding=str, regime=str, schedule=str, steps=int, runs=int,
    learning=int, by_heart=int, error=float, least=float, largest=float, train_error=float,
    core_minutes=float,
)  # fmt: skip
"""A row per cell of the crossing of batches and warm-ups, after the `steps` that were run.
`learning`: runs with an error on new sets below LEARNING_ERROR; `by_heart`: the others with such a
training loss. `error`, `train_error`: means over runs, of new sets and of the last epoch's training
losses; `least` and `largest` of the errors. `core_minutes`: of all runs; null where not known."""

COSTS_SCHEMA = schema(layers=int, width=int, runs=int, operations=float, core_hours=float)
"""What Figure 1 takes by the published configurations, a row per number of layers and width: its
`runs`, seven ranks and five seeds, their floating-point `operations`, and the hours of a core that
reaches GIGAFLOPS."""

GIGAFLOPS = 70.0
"""10^9 operations per second of one core at d = 64 and N = 16 in batches of 256, about the least
that was measured there."""

PUBLISHED_SEEDS = 5
"""Runs of each published point."""


def published_rows() -> list[dict[str, Any]]:
    """Rows of PUBLISHED_SCHEMA: the values of the paper's Figures 1, 3 and 4."""
    rows = []
    for line, errors in published_values.ERRORS_BY_LINE.items():
        for rank, error in errors.items():
            top = published_values.largest_error(line, rank)
            rows.append(line._asdict() | {"rank": rank, "error": error, "top": top})
    return rows


def cost_rows() -> list[dict[str, Any]]:
    """Rows of COSTS_SCHEMA: what Figure 1 takes at each number of layers and width."""
    sets = PUBLISHED_SEEDS * published_values.BATCH * published_values.STEPS["rank_fig1"]
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
                "runs": PUBLISHED_SEEDS * len(published_values.RANKS),
                "operations": float(operations),
                "core_hours": operations / (GIGAFLOPS * 1e9 * 3600),
            }
        )
    return rows


def compared_rows(rows: list[Run], made_with: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows of COMPARED_SCHEMA, of the runs of one scale and what made them."""
    rows_of_cells = []
    for cell in cells_of(rows):
        row = cell[0]
        figure = paper_figure(row)
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
        rows_of_cells.append(settings | measured | _published(figure, row, least))
    return rows_of_cells


def crossing_rows(rows: list[Run], made_with: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows of CROSSING_SCHEMA, of a scale's runs that stop before the end of their schedule."""
    crossing = []
    for cell in cells_of([row for row in rows if RUNS_OF_FIGURES["rank_crossing"](row)]):
        row = cell[0]
        errors = [held_out_error(run) for run in cell]
        losses = [1.0 if run["train_error"] is None else run["train_error"] for run in cell]
        losses_of_others = [
            loss for loss, error in zip(losses, errors, strict=True) if error >= LEARNING_ERROR
        ]
        seconds = made_with[row["cell"]]["core_seconds"]
        settings = {name: row[name] for name in CROSSING_SETTINGS}
        measured = {
            "steps": row["stop_after"],
            "runs": len(cell),
            "learning": len(cell) - len(losses_of_others),
            "by_heart": sum(loss < LEARNING_ERROR for loss in losses_of_others),
            "error": mean(errors),
            "least": min(errors),
            "largest": max(errors),
            "train_error": mean(losses),
            "core_minutes": None if seconds is None else seconds / 60,
        }
        crossing.append(settings | measured)
    return crossing


def head_rows(rows: list[Run]) -> list[dict[str, Any]]:
    """Rows of HEADS_SCHEMA, of the runs of one scale."""
    rows_of_cells = []
    for cell in cells_of([row for row in rows if RUNS_OF_FIGURES["rank_fig2"](row)], layers=1):
        width = cell[0]["width"]
        medians = published_values.FIGURE_2.get(width, (None, None))
        boxes = published_values.QUARTILES_2.get(width, ((None, None), (None, None)))
        for name, median, box in zip(("angle", "norm"), medians, boxes, strict=True):
            numbers = chain.from_iterable(row[name] for row in cell)
            heads = [number for number in numbers if number is not None]
            quartiles = np.quantile(heads, (0.25, 0.5, 0.75))
            rows_of_cells.append(
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
    return rows_of_cells


def _core_hours(row: Run, runs: int, seconds: float | None) -> float | None:
    """The hours of a core that one run by the authors' recipe takes, by the seconds that so many
    runs like this one took; None if these are not known."""
    if seconds is None:
        return None
    sets = published_values.STEPS[f"rank_fig{paper_figure(row)}"] * published_values.BATCH
    return seconds / 3600 / runs * sets / (row["steps"] * row["batch"])


def _published(figure: int, row: Run, least: float | None) -> dict[str, float | str | None]:
    """The columns on the paper's figure for the model of a run: its published errors, and where the
    least training loss of its cell is beside them; empty where there are none."""
    if row["additive_sd"] == CONTROL_INITIAL["additive_sd"]:
        return {}
    line = published_values.PublishedLine(
        figure, row["layers"], row["width"], row["encoding"], row["n"]
    )
    errors = published_values.errors_by_rank(
        figure,
        line.layers,
        width=None if figure == 4 else line.width,
        encoding=line.encoding,
        n=line.n,
    )
    if row["rank"] not in errors:
        return {}
    low = errors[row["rank"]]
    high = published_values.largest_error(line, row["rank"])
    is_same = figure != 4 or line.width == published_values.WIDTH_4
    place = _place(least, low, high) if is_same else None
    return {"published": low, "top": high, "in_band": place}


def _place(loss: float | None, low: float, high: float | None) -> str | None:
    """Where a loss is beside the published runs, from `low` to `high`: "below", "inside" or
    "above"; None where it, or `high`, is not known."""
    if loss is None or high is None:
        return None
    if loss < low:
        return "below"
    return "above" if loss > high else "inside"
