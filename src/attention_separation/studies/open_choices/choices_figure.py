"""How far each open choice moves the panels, drawn on a page: a row for each alternative beneath
its choice, a column for each figure, in it a dot for each panel."""

from enum import Enum, auto
from itertools import count, cycle
from typing import NamedTuple

import pyarrow as pa
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ...looks.colors import GRAY, PALETTE
from ...pages.drawing import Look, sheet
from ...results.tables import Row
from ..softmax_vs_linear.figures.figure_text import marked
from ..softmax_vs_linear.settings.panels import KEY
from .success_figures import SMALLEST

LEAST_DRAWN = 0.1
"""Of an alternative, the least of its largest changes with which it has a row."""

ROW_INCHES = 0.19
COLUMN_INCHES = 1.1
LABELS_INCHES = 2.6


class Kind(Enum):
    """What an effect's mean change is."""

    MEAN = auto()
    BOUND = auto()
    ONE_POINT = auto()


EFFECT_MARKERS = {Kind.MEAN: "o", Kind.BOUND: "<", Kind.ONE_POINT: "D"}
EFFECT_LOOK: Look = {"markersize": 4, "markerfacecolor": "white"}
"""Hollow, so that marks that lie over each other are seen."""


def kind_of(effect: Row) -> Kind:
    """What the mean change of a row of the table is."""
    if effect["points"] == 1:
        return Kind.ONE_POINT
    return Kind.MEAN if effect["signed_change"] is not None else Kind.BOUND


class Alternative(NamedTuple):
    """An alternative and its rows of the table, one for each panel that it touches."""

    choice: str
    name: str
    effects: list[Row]

    @property
    def largest_change(self) -> float:
        return max(effect["largest_change"] for effect in self.effects)


def alternatives_of(table: pa.Table) -> list[Alternative]:
    """The alternatives that touch some panel, each with its rows, in the order of the table."""
    effects: dict[tuple[str, str], list[Row]] = {}
    for row in table.to_pylist():
        if row["panel"] is not None:
            effects.setdefault((row["choice"], row["alternative"]), []).append(row)
    return [Alternative(choice, name, rows) for (choice, name), rows in effects.items()]


def choices_figure(table: pa.Table, figure_of: dict[str, str]) -> Figure:
    """The figure of the open choices: a row for each alternative that moves some point by
    LEAST_DRAWN, a column for each of the paper's figures. Each panel has a mark at its mean change
    and a line from there to its largest.

    `figure_of` names the figure of each panel.
    """
    alternatives = alternatives_of(table)
    drawn = [
        alternative for alternative in alternatives if alternative.largest_change >= LEAST_DRAWN
    ]
    figures = set()
    reconstructed = set()
    for alternative in alternatives:
        for effect in alternative.effects:
            name = figure_of[effect["panel"]]
            figures.add(name)
            if effect["reconstructed"]:
                reconstructed.add(name)
    note = (
        "Change of success rates, a mark for each panel: ○ mean over its points; ◁ a bound of this "
        "mean; ◇ one point alone, simulated to within 0.02. Line: to the panel's largest change. "
        "Exact; in softmax regression reference values, at 24 points of a panel at most. "
        f"{len(alternatives) - len(drawn)} more alternatives move no point by {LEAST_DRAWN:g}; the "
        "table has all, panel by panel."
    )
    if reconstructed:
        note = f"{note}\n{KEY}"
    # A row for each alternative, and one for each choice's heading.
    rows = len(drawn) + len({alternative.choice for alternative in drawn})
    changes = sheet(
        "Which open choice moves the figures most",
        note,
        panels=len(figures),
        cell=(COLUMN_INCHES, ROW_INCHES * rows + 0.4),
        around=(LABELS_INCHES, 1.3),
        note_size=SMALLEST,
        sharey=True,
        parse_math=False,
    )
    with changes as (figure, axes):
        for ax, name, colour in zip(axes, sorted(figures), cycle(PALETTE), strict=False):
            ax.set_title(marked(name, name in reconstructed), fontsize=SMALLEST)
            panels = {panel for panel, its_figure in figure_of.items() if its_figure == name}
            _draw_column(ax, drawn, panels, colour)
        _write_labels(axes[0], drawn)
    return figure


def _draw_column(ax: Axes, drawn: list[Alternative], panels: set[str], colour: str) -> None:
    """Draw a column: the effects of the drawn alternatives on some panels, row by row."""
    for row, alternative in _rows(drawn):
        if alternative is None:
            ax.axhline(row - 0.5, color=GRAY, linewidth=0.6)
            continue
        for effect in alternative.effects:
            if effect["panel"] in panels:
                _draw_effect(ax, row, effect, colour)
    ax.set_xlim(-0.04, 1.04)
    ax.set_xticks([0, 0.5, 1], ["0", "½", "1"])
    ax.grid(axis="y", visible=False)
    ax.tick_params(axis="y", length=0)


def _draw_effect(ax: Axes, row: int, effect: Row, colour: str) -> None:
    """Draw a mark at an effect's mean change, and a line with an end to its largest."""
    mean, largest = effect["mean_change"], effect["largest_change"]
    kind = kind_of(effect)
    if kind is not Kind.ONE_POINT:
        ax.plot([mean, largest], [row, row], color=colour, linewidth=1, zorder=1.5)
        ax.plot(largest, row, "|", color=colour, markersize=5, zorder=1.5)
    ax.plot(mean, row, EFFECT_MARKERS[kind], color=colour, **EFFECT_LOOK)


def _rows(drawn: list[Alternative]) -> list[tuple[int, Alternative | None]]:
    """The figure's rows from above, each with its number: an alternative, or None for the row of a
    choice's heading, which stands above its alternatives."""
    rows: list[Alternative | None] = []
    choice_above = None
    for alternative in drawn:
        if alternative.choice != choice_above:
            rows.append(None)
            choice_above = alternative.choice
        rows.append(alternative)
    return list(enumerate(rows))


def _write_labels(ax: Axes, drawn: list[Alternative]) -> None:
    """Write the labels of the rows: each choice in bold above the names of its alternatives, which
    are numbered through."""
    rows = _rows(drawn)
    headings = iter(dict.fromkeys(alternative.choice for alternative in drawn))
    numbers = count(1)
    labels = []
    for _, alternative in rows:
        if alternative is None:
            labels.append(next(headings))
        else:
            labels.append(f"{alternative.name}   {next(numbers)}")
    ax.set_yticks([row for row, _ in rows], labels, fontsize=SMALLEST)
    for label, (_, alternative) in zip(ax.get_yticklabels(), rows, strict=True):
        label.set_fontweight("normal" if alternative else "bold")
    ax.set_ylim(len(rows) - 0.4, -0.6)
