"""Figures of recall: accuracy against the number of pairs and against age, and how many pairs
against the numbers kept."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ...looks.colors import INK, MIDDLE_GRAY
from ...looks.kernel_styles import kernel_lines, kernel_marker, nested_kernel_lines
from ...pages.drawing import Look, draw_estimates, key, legend_beside, save_with_numbers, sheet
from ...results.provenance import record
from ...results.tables import array_of, read_parquet, select_rows
from ...settings.strict_model import Job
from .settings.titles import FIGURES_OF_RECALL
from .tables.cell_table import DOT, LINE, LINES_SCHEMA
from .tables.joined import CAPACITIES

LAYERS_IN_LEGEND = (
    "exp_sqrt_d",
    "ssmax",
    "sparsemax",
    "decay_exp_sqrt_d",
    "window_exp_sqrt_d",
    "power_4",
    "power_2",
    "taylor_2_sqrt_d",
    "least_squares",
    "delta_half",
    "delta_1",
    "gated_delta",
    "linear",
    "decay_linear",
    "elu_plus_one",
)
"""Layers of config.yaml from the best to the least, which is the order of a legend."""

SHOWN_AGAINST_PAIRS = (
    "exp_sqrt_d",
    "decay_exp_sqrt_d",
    "power_4",
    "power_2",
    "least_squares",
    "delta_half",
    "linear",
    "elu_plus_one",
)
SHOWN_AGAINST_AGE = (
    "exp_sqrt_d",
    "decay_exp_sqrt_d",
    "window_exp_sqrt_d",
    "power_2",
    "delta_1",
    "gated_delta",
    "linear",
    "decay_linear",
)
"""Layers of config.yaml that a figure of lines shows, as many as a reader tells apart; any layer of
a user's stands beside them, and all stand in the table."""

MARK_LOOK: Look = {"markeredgecolor": INK, "markeredgewidth": 0.5, "markersize": 4}
INTERVAL_LINE: Look = {"linewidth": 1}

LEVEL_LINE: Look = {"color": MIDDLE_GRAY, "linewidth": 0.8, "zorder": 1}

RECALL_CAPTION = (
    "n random pairs pass, then one key comes again: the accuracy is the probability that the "
    "output has the sign of its value; chance is 0.5. Lines: kernels of the score are exact, delta "
    "rules by the reduced law, elu_plus_one, sparsemax and least squares simulated by their "
    "definition. Marks: the literal layers of the others, with intervals of 95 %; a line has none "
    "where n is too large to draw all keys. Where lines lie over each other, a broader one is seen "
    "beneath. The table has more layers.\n"
    "elu_plus_one zigzags: it weighs all keys nearly alike, so that the output is nearly a vote of "
    "the values. A tie, which only an even n has, is broken by the pair whose key comes again."
)
AGES = (
    "The same at n = {ratio:g} d pairs, by the age of the pair whose key comes again, 0 for the "
    "latest. Linear attention blurs all alike; decays and delta rules forget the old. Lines and "
    "marks as in the figure of accuracies."
)
STATES = (
    "The largest n with a mean accuracy of {level:g} against the numbers that a layer keeps for "
    "each coordinate of a value, at d = {dimensions}, larger marks for larger d. Layers that keep "
    "all keys and values lie on the dotted line, n = numbers kept, and keep their keys beside. A "
    "triangle: at least so many, at the largest n that was simulated."
)


def layers_in_order(table: pa.Table) -> list[str]:
    """The layers of a table, in the order of a legend."""
    present = dict.fromkeys(table["layer"].to_pylist())
    known = [layer for layer in LAYERS_IN_LEGEND if layer in present]
    return [*known, *[layer for layer in present if layer not in LAYERS_IN_LEGEND]]


def dimensions_of(table: pa.Table) -> list[int]:
    """The dimensions of a table, rising."""
    return sorted(set(table["d"].to_pylist()))


def draw_accuracies(title: str, lines: pa.Table) -> Figure:
    """The figure of accuracy against n / d, a panel for each d."""
    mean = _of_shown(select_rows(lines, age=None), SHOWN_AGAINST_PAIRS)
    return _draw_panels(title, RECALL_CAPTION, mean, _pairs_over_d, "pairs over dimension, $n / d$")


def draw_ages(title: str, lines: pa.Table) -> Figure:
    """The figure of accuracy against age / d at one n / d, a panel for each d."""
    has_age = [age is not None for age in lines["age"].to_pylist()]
    by_age = _of_shown(lines.filter(array_of(has_age, pa.bool_())), SHOWN_AGAINST_AGE)
    ratio = 0.0
    if len(by_age):
        ratio = by_age["n"][0].as_py() / by_age["d"][0].as_py()
    note = AGES.format(ratio=ratio)
    return _draw_panels(title, note, by_age, _age_over_d, "age over dimension, $age / d$")


def _of_shown(table: pa.Table, shown: Sequence[str]) -> pa.Table:
    """The rows of the layers in `shown`, and of a user's, which config.yaml does not have."""
    left_out = set(LAYERS_IN_LEGEND) - set(shown)
    is_shown = [layer not in left_out for layer in table["layer"].to_pylist()]
    return table.filter(array_of(is_shown, pa.bool_()))


def _pairs_over_d(table: pa.Table) -> np.ndarray:
    """n / d of each row."""
    return np.array(table["n"].to_pylist()) / np.array(table["d"].to_pylist())


def _age_over_d(table: pa.Table) -> np.ndarray:
    """age / d of each row."""
    return np.array(table["age"].to_pylist()) / np.array(table["d"].to_pylist())


def _draw_panels(
    title: str,
    note: str,
    table: pa.Table,
    place_of: Callable[[pa.Table], np.ndarray],
    label: str,
) -> Figure:
    """The figure of lines and dots against the places that `place_of` gives of their rows, a panel
    for each d."""
    dimensions = dimensions_of(table)
    is_logarithmic = place_of is _pairs_over_d
    panels = max(len(dimensions), 1)
    # Layers that recall all lie over each other.
    looks = nested_kernel_lines(layers_in_order(table))
    with sheet(title, note, panels, (3.6, 4.0), (1.9, 0.0), sharey=True) as (figure, axes):
        for ax, d in zip(axes, dimensions, strict=False):
            at_d = select_rows(table, d=d)
            ax.axhline(0.9, **LEVEL_LINE)
            for layer, look in looks.items():
                _draw_layer(ax, select_rows(at_d, layer=layer), layer, look, place_of)
            if is_logarithmic:
                ax.set_xscale("log")
            ax.set(xlabel=label, ylabel="accuracy", title=f"$d$ = {d}", ylim=(0.47, 1.02))
            ax.label_outer()
        with_marks = set(select_rows(table, part=DOT)["layer"].to_pylist())
        marked = [
            key(layer, marker=kernel_marker(layer), **look)
            for layer, look in looks.items()
            if layer in with_marks
        ]
        legend_beside(figure, marked)
    return figure


def _draw_layer(
    ax: Axes,
    rows: pa.Table,
    layer: str,
    look: Look,
    place_of: Callable[[pa.Table], np.ndarray],
) -> None:
    """Draw a layer's line, and its dots with their intervals."""
    line = select_rows(rows, part=LINE)
    if len(line):
        places = place_of(line)
        order = np.argsort(places, kind="stable")
        accuracies = np.array(line["accuracy"].to_pylist())
        ax.plot(places[order], accuracies[order], label=layer, **look)
    dots = select_rows(rows, part=DOT)
    if len(dots):
        accuracies = np.array(dots["accuracy"].to_pylist())
        errors = np.array(dots["error"].to_pylist())
        draw_estimates(
            ax,
            place_of(dots),
            accuracies,
            accuracies - errors,
            accuracies + errors,
            look["color"],
            kernel_marker(layer),
            mark=MARK_LOOK,
            interval=INTERVAL_LINE,
        )


MARK_SIZES = (4.0, 6.0, 8.0)

MOST_PAIRS_SHOWN = 1e12


def draw_states(title: str, capacity: pa.Table) -> Figure:
    """The figure of the largest n against the numbers kept, a line through the dimensions of each
    layer."""
    dimensions = dimensions_of(capacity)
    level = capacity["level"][0].as_py()
    words = ", ".join(map(str, dimensions))
    note = STATES.format(level=level, dimensions=words)
    with sheet(title, note, 1, (6.6, 5.6), (2.0, 0.0)) as (figure, (ax,)):
        for layer, look in kernel_lines(layers_in_order(capacity)).items():
            rows = select_rows(capacity, layer=layer).to_pylist()
            points = [point for point in map(state_point, rows) if point is not None]
            if points:
                _draw_states_of(ax, points, layer, look)
        ax.set(xscale="log", yscale="log")
        low, high = ax.get_xlim()
        ends = np.array([max(low, 1.0), high])
        ax.plot(ends, ends, color=INK, linestyle=":", linewidth=1, zorder=1)
        ax.set_xlabel("numbers kept for each coordinate of a value")
        ax.set_ylabel("largest $n$")
        legend_beside(figure)
    return figure


class StatePoint(NamedTuple):
    """How many numbers a layer keeps, and the largest n, which may be only a lower end of it."""

    state: float
    n: float
    is_least: bool


def state_point(row: dict[str, Any]) -> StatePoint | None:
    """The point of a row of capacities; None where it has no n in the figure's range."""
    largest = row["largest_n"]
    if row["state"] is None:
        return None
    if largest is not None and 1 < largest < MOST_PAIRS_SHOWN:
        return StatePoint(row["state"], largest, is_least=False)
    if largest is None and row["low"] is not None and 1 < row["low"] < MOST_PAIRS_SHOWN:
        return StatePoint(row["state"], row["low"], is_least=True)
    return None


def _draw_states_of(ax: Axes, points: Sequence[StatePoint], layer: str, look: Look) -> None:
    """Draw the points of a layer, one a dimension, larger for each further one, and a line."""
    states = [point.state for point in points]
    largest = [point.n for point in points]
    ax.plot(states, largest, label=layer, **look | {"linewidth": 1.0})
    for k, point in enumerate(points):
        marker = "^" if point.is_least else "o"
        mark_look = MARK_LOOK | {"markersize": MARK_SIZES[min(k, len(MARK_SIZES) - 1)]}
        ax.plot(
            point.state, point.n, marker, color=look["color"], zorder=4, alpha=0.85, **mark_look
        )


DRAWN_OF_RECALL: dict[str, tuple[pa.Schema, Callable[[str, pa.Table], Figure]]] = {
    "recall_accuracy": (LINES_SCHEMA, draw_accuracies),
    "recall_age": (LINES_SCHEMA, draw_ages),
    "recall_state": (CAPACITIES, draw_states),
}
"""The columns of the table that a figure shows, and what draws it."""


def run(job: Job, figure: str, table: Path, output: Path) -> None:
    columns, draw = DRAWN_OF_RECALL[figure]
    numbers = read_parquet(table, columns)
    picture = draw(FIGURES_OF_RECALL[figure], numbers)
    save_with_numbers(picture, output, numbers, record(job.canonical(), __name__))
