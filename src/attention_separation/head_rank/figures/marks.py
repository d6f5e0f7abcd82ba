"""What the figures of trained transformers have in common: marks, words and axes."""

from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from attention_separation.pages.drawing import INK
from attention_separation.pages.prose import counted

from ..training import published_values
from ..training.cell_table import DEAD as DEAD_SHARE
from ..training.runs import listed, values

ERROR = "held-out error"
DEAD = f"dead run: {100 * DEAD_SHARE:g} % or more of\nuniform attention's error"
THEIRS = "published"

WIDE = 10.0
"""Ratio of the ends of an axis from which 1, 2 and 5 of each decade are enough ticks."""


def mark(marker: str, name: str, fill: str = INK, size: float = 6) -> Line2D:
    """A marker of a legend."""
    return Line2D(
        [], [], linewidth=0, marker=marker, markersize=size, color=INK, markerfacecolor=fill,
        label=name,
    )  # fmt: skip


def draw_run(ax: Axes, x: float, row: dict, colour: str) -> None:
    """A run's error, dead or alive: crosses stay crosses where many lie on each other."""
    dead = row["dead"]
    ax.plot(
        x, row["test_error"], "x" if dead else "o", color=colour, markersize=4.5 if dead else 3.5,
        markeredgewidth=1.1 if dead else 0.6, alpha=0.9 if dead else 0.6, zorder=4,
    )  # fmt: skip


def error_axis(axis: Axis) -> None:
    """Errors on a scale of logarithms, with numbers that a person reads; after they are drawn."""
    axis.axes.set(**{f"{axis.axis_name}scale": "log"})
    low, high = axis.get_view_interval()
    few = (1, 2, 5) if high / low > WIDE else (1, 1.5, 2, 3, 4, 5, 6, 8)
    axis.set_major_locator(LogLocator(subs=few))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_locator(NullLocator())


def is_size(rows: list[dict], size: dict[str, int]) -> bool:
    """Whether published values may stand beside the runs."""
    return all(row[key] == value for row in rows for key, value in size.items())


def recipe(rows: list[dict]) -> str:
    """What the runs have in common, in words."""
    parts = [f"$d$ = {listed(rows, 'd')}", f"$N$ = {listed(rows, 'n')}"]
    parts += [f"{listed(rows, 'steps')} steps of {listed(rows, 'batch')} sets", _runs(rows)]
    return ", ".join(parts)


def _runs(rows: list[dict]) -> str:
    """How many runs a cell has."""
    runs = {(row["cell"], row["run"]) for row in rows}
    cells = [cell for cell, _ in runs]
    fewest, most = (f({cell: cells.count(cell) for cell in cells}.values()) for f in (min, max))
    return counted(most, "run") if fewest == most else f"{fewest} to {most} runs a cell"


def published(figure: str) -> str:
    """What a figure's published values are, beside runs of this reproduction."""
    apart = ""
    if figure == "rank_fig3":
        # The runs without an encoding are Figure 1's.
        apart = f" ({published_values.STEPS['rank_fig1']:,} without an encoding)"
    return (
        f"Published: {published_values.STEPS[figure]:,} steps of {published_values.BATCH}{apart}, "
        "least training loss of five runs on repeated batches."
    )


def panel_title(rows: list[dict], layers: int) -> str:
    """The number of layers; with the steps where panels differ in them."""
    own = [row for row in rows if row["layers"] == layers]
    apart = len(values(rows, "steps")) > 1 and len(values(rows, "layers")) > 1
    return counted(layers, "layer") + f", {listed(own, 'steps')} steps" * apart
