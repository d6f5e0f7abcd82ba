"""How far each open choice moves the panels."""

from dataclasses import dataclass
from itertools import cycle
from pathlib import Path

import numpy as np
import pyarrow as pa
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ...pages.drawing import key, save_with_numbers, sheet
from ...pages.house_style import GRAY, PALETTE
from ...pages.table_page import write_result
from ...results.provenance import record
from ...results.tables import schema, table_from_rows
from ...statistics.counts import clopper_pearson
from ...statistics.seeding import BlockStreams
from ..exact.compute import references
from ..models import MODELS
from ..models.model import Model, Point
from ..models.panel_tables import DECIMALS
from ..settings.panels import COLUMN, KEY, MARK, Panel, PanelsJob
from ..simulation.random_values import positive_with
from .open_choices import CHOICES, Alternative, Choice

SCHEMA = schema(
    rank=int, choice=str, default=str, alternative=str, panel=str, points=int,
    mean_change=float, largest_change=float, at_value=float, signed_change=float,
    trials=int, ci_low=float, ci_high=float, note=str, reconstructed=str,
)  # fmt: skip
"""One row per alternative and panel that it touches; one row for a choice without alternatives.

Changes are the mean and the largest absolute one over the panel's `points` that the alternative
allows, and the mean with its sign, with its Clopper-Pearson interval where it is simulated."""

TITLE = "Open choices: how far each moves the success rates"
ABOUT = (
    "Where the paper's text leaves a choice open, the default is what config.yaml takes. Each "
    "alternative is evaluated at the points of every panel that it touches, by exact values; in "
    "softmax regression by reference values, at 24 points evenly spread over each panel. A random "
    "V is simulated, at one point of a panel: its change has a 95 % interval. Changes are of "
    "P(E_success). Rank 1 moves some panel the most on average, among the alternatives that are "
    "measured here: another one may move more. A bound and V have no rank. " + COLUMN
)
BOUND = "a bound, on average over y"
NO_EFFECT = "touches no panel"
TRIALS = 3000  # of a simulated point, in one block: 95 % intervals reach 0.02 to either side

Known = dict[tuple[Model, Point], float]
"""P(E_success) of models at points."""


@dataclass(frozen=True)
class Effect:
    """An alternative at those points of a panel that it allows, before and with it."""

    choice: Choice
    alternative: Alternative
    panel: Panel
    before: list[Point]
    after: list[Point] | None

    @property
    def model(self) -> Model:
        """The model with the alternative."""
        return self.alternative.model or MODELS[self.panel.model]


def choices_table(job: PanelsJob) -> pa.Table:
    """The effect of every alternative on every panel that it touches."""
    panels = []
    for panel in job.panels:
        # At most as many points as alternatives are evaluated at.
        bounds = panel.most_values, MODELS[panel.model].most_alternatives
        panels.append(panel.with_more(most_values=min(filter(None, bounds), default=None)))
    points = {panel.name: panel.points() for panel in panels}
    effects = {
        (choice, other): [
            effect
            for panel in panels
            if other and (effect := effect_of(choice, other, panel, points[panel.name]))
        ]
        for choice in CHOICES
        for other in choice.alternatives or (None,)
    }
    known = _probabilities([effect for found in effects.values() for effect in found])
    rows = []
    for of, found in effects.items():
        rows += [_row(effect, known, len(points[effect.panel.name])) for effect in found]
        rows += [] if found else [_without_effect(*of)]
    return table_from_rows(ranked(rows), SCHEMA)


def effect_of(
    choice: Choice, alternative: Alternative, panel: Panel, of_panel: list[Point]
) -> Effect | None:
    """An alternative at the points of a panel that it allows; None where it allows none."""
    if alternative.apply is None:
        return Effect(choice, alternative, panel, of_panel, None)
    other = alternative.apply(panel, of_panel)
    allowed = [k for k, changed in enumerate(other or []) if changed]
    if not allowed:
        return None
    before, after = ([part[k] for k in allowed] for part in (of_panel, other))
    return Effect(choice, alternative, panel, before, after)


def _probabilities(effects: list[Effect]) -> Known:
    """P(E_success) of all points that effects speak of, each computed once, many together."""
    wanted: dict[Model, dict[Point, None]] = {}
    for effect in effects:
        wanted.setdefault(MODELS[effect.panel.model], {}).update(dict.fromkeys(effect.before))
        wanted.setdefault(effect.model, {}).update(dict.fromkeys(effect.after or []))
    return {
        (model, point): reference.success
        for model, of in wanted.items()
        for point, reference in zip(of, references(model, list(of)), strict=True)
    }


def _row(effect: Effect, known: Known, of_all: int) -> dict[str, object]:
    panel, choice, interval = effect.panel, effect.choice, {}
    before = np.array([known[MODELS[panel.model], point] for point in effect.before])
    if effect.after is None:
        change, note = effect.alternative.expected_change(before), BOUND
        signed = None
    else:
        after = np.array([known[effect.model, point] for point in effect.after])
        if effect.alternative.values:
            after, *ends = _simulated(effect)
            low, high = (float(end - before[0]) for end in ends)
            interval = {"trials": TRIALS, "ci_low": low, "ci_high": high}
        difference = np.round(after - before, DECIMALS)
        change, signed, note = np.abs(difference), float(difference.mean()), choice.note
        if not note and len(before) < of_all:
            note = f"at {len(before)} of the {of_all} points; the others have no such point"
    worst = int(change.argmax())
    return {
        "choice": choice.name,
        "default": choice.default,
        "alternative": effect.alternative.name,
        "panel": panel.name,
        "points": len(change),
        "mean_change": float(change.mean()),
        "largest_change": float(change[worst]),
        "at_value": effect.before[worst].swept[0] if change[worst] else None,
        "signed_change": signed,
        **interval,
        "note": note,
        "reconstructed": panel.reconstruction,
    }


def _simulated(effect: Effect) -> tuple[float, float, float]:
    """P(E_success) at the effect's one point with its V, and the ends of its 95 % interval."""
    panel, (point,) = effect.panel, effect.after
    streams = BlockStreams(panel.seed, panel.name, point.name, block=0)
    positive = positive_with(effect.alternative.values, effect.model, point, streams, TRIALS)
    successes = int(point.contest.event_flags(positive).all(axis=1).sum())
    return successes / TRIALS, *clopper_pearson(successes, TRIALS)


def _without_effect(choice: Choice, alternative: Alternative | None) -> dict[str, object]:
    note = (alternative and alternative.note) or choice.note or NO_EFFECT
    row = {"choice": choice.name, "default": choice.default, "note": note}
    return row | {"alternative": alternative and alternative.name}


def ranked(rows: list[dict[str, object]]) -> list[dict[str, object]]:
    """The rows by rank of their choice; then bounds and V, then choices without effect."""
    most: dict[str, float] = {}
    for row in rows:
        if row.get("signed_change") is not None and not row.get("trials"):
            most[row["choice"]] = max(most.get(row["choice"], 0.0), row["mean_change"])
    order = sorted(most, key=most.get, reverse=True)
    ranks = {name: position + 1 for position, name in enumerate(order)}
    ranked = [row | {"rank": ranks.get(row["choice"])} for row in rows]
    last = len(rows)
    return sorted(ranked, key=lambda row: row["rank"] or last + ("mean_change" not in row))


def draw(table: pa.Table, figure_of: dict[str, str]) -> Figure:
    """A line for each alternative: dots for the panels' mean changes, thin lines to the largest.

    `figure_of` names the figure of each panel: it has a colour.
    """
    rows = [row for row in table.to_pylist() if row["panel"] is not None]
    lines: dict[tuple[str, str], list[dict]] = {}
    for row in rows:
        lines.setdefault((row["choice"], row["alternative"]), []).append(row)
    colours = dict(zip(sorted({figure_of[row["panel"]] for row in rows}), cycle(PALETTE)))
    marked = {figure_of[row["panel"]] for row in rows if row["reconstructed"]}
    note = (
        "Exact; in softmax regression reference values, at 24 points of a panel at most. A random "
        "V is simulated at one point of a panel, to within 0.02. Ranks are among the "
        "other alternatives that are measured here."
    )
    with sheet(
        "Which open choice moves the figures most", f"{note}\n{KEY}" if marked else note, 1,
        cell=(11.7, 0.27 * len(lines) + 1.5),
    ) as (figure, (ax,)):  # fmt: skip
        labels, above = [], None
        for y, ((choice, alternative), own) in enumerate(lines.items()):
            _draw_line(ax, y, own, figure_of, colours)
            rank = f"{own[0]['rank']}. " if own[0]["rank"] else ""
            labels.append(f"{rank}{choice}:  {alternative}" if choice != above else alternative)
            if above not in (None, choice):
                ax.axhline(y - 0.5, color=GRAY, linewidth=0.6)
            above = choice
        ax.set_yticks(range(len(lines)), labels)
        ax.set_ylim(len(lines) - 0.5, -0.5)
        ax.set_xlim(0, 1)
        ax.set_xlabel(
            "change of success rates: dot, a panel's mean (hollow: a bound); line, to its largest"
        )
        ax.grid(axis="y", visible=False)
        ax.tick_params(axis="y", length=0)
        handles = [
            key(name + MARK * (name in marked), colour, marker="o", markersize=4)
            for name, colour in colours.items()
        ]
        ax.legend(handles=handles, loc="lower right")
    return figure


def _draw_line(
    ax: Axes, y: int, rows: list[dict], figure_of: dict[str, str], colours: dict[str, str]
) -> None:
    names = sorted({figure_of[row["panel"]] for row in rows})
    for row in rows:
        name = figure_of[row["panel"]]
        place = y + 0.6 * ((names.index(name) + 0.5) / len(names) - 0.5)
        mean, colour = row["mean_change"], colours[name]
        ax.plot([mean, row["largest_change"]], [place, place], color=colour, lw=0.7, alpha=0.6)
        fill = colour if row["signed_change"] is not None else "white"
        ax.plot(mean, place, "o", color=colour, markerfacecolor=fill, markersize=3.5)


def run(job: PanelsJob, table: Path, figure: Path) -> None:
    found = choices_table(job)
    provenance = record(job.canonical(), __name__)
    write_result(found, table, provenance, TITLE, ABOUT)
    drawn = draw(found, {panel.name: panel.figure for panel in job.panels})
    save_with_numbers(drawn, figure, found, provenance)
