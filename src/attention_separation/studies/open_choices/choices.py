"""How far each open choice moves the panels.

The *effect* of an alternative on a panel is how it changes P(E_success), the probability that all
events of the panel's contest occur, at the panel's points.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np
import pyarrow as pa

from ...pages.drawing import save
from ...pages.table_page import write_result
from ...results.provenance import record
from ...results.tables import Row, schema, table_from_rows
from ...statistics.counts import clopper_pearson
from ...statistics.seeding import BlockStreams
from ..softmax_vs_linear.exact.compute import references
from ..softmax_vs_linear.models import MODELS
from ..softmax_vs_linear.models.model import AttentionModel, Model, Point
from ..softmax_vs_linear.models.panel_tables import DECIMALS
from ..softmax_vs_linear.settings.panels import COLUMN, Panel, PanelsJob
from ..softmax_vs_linear.simulation.random_values import Values, positive_with
from .alternatives import ALTERNATIVES, Alternative, Choice
from .choices_figure import choices_figure

SCHEMA = schema(
    rank=int,
    choice=str,
    default=str,
    alternative=str,
    panel=str,
    points=int,
    mean_change=float,
    largest_change=float,
    at_value=float,
    signed_change=float,
    trials=int,
    ci_low=float,
    ci_high=float,
    note=str,
    reconstructed=str,
)
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
    "measured here: another one may move more. A bound has no rank. " + COLUMN
)
NOTE_OF_BOUND = "a bound, on average over y"
NO_EFFECT = "touches no panel"
TRIALS = 3000  # of a simulated point, in one block: 95 % intervals reach 0.02 to either side

Known = dict[tuple[Model, Point], float]
"""P(E_success) of models at points."""


@dataclass(frozen=True)
class Effect:
    """An alternative at those points of a panel that it allows, before and with it; without points
    `after` where it is bounded and not computed. `points` is how many the panel has."""

    choice: Choice
    alternative: Alternative
    panel: Panel
    before: list[Point]
    after: list[Point]
    points: int

    @property
    def model(self) -> Model:
        """The model that the effect's points with the alternative are computed for."""
        return self.alternative.model or MODELS[self.panel.model]


def choices_table(job: PanelsJob) -> pa.Table:
    """The table of the effects of every alternative on every panel that it touches, as SCHEMA."""
    panels = []
    for panel in job.panels:
        # At most as many points as alternatives are evaluated at.
        bounds = (panel.most_values, MODELS[panel.model].most_alternatives)
        most_values = min((bound for bound in bounds if bound is not None), default=None)
        panels.append(panel.with_more(most_values=most_values))
    effects = _effects(panels)
    known = _probabilities(chain.from_iterable(effects.values()))
    rows = []
    for (choice, alternative), on_panels in effects.items():
        rows += [_row(effect, known) for effect in on_panels]
        if not on_panels:
            rows.append(_row_without_effect(choice, alternative))
    return table_from_rows(ranked(rows), SCHEMA)


def _effects(panels: list[Panel]) -> dict[tuple[Choice, Alternative | None], list[Effect]]:
    """The effects of each alternative on the panels that it touches, by choice and alternative; a
    choice without alternatives has None for the alternative, and no effects."""
    points_by_panel = [(panel, panel.points()) for panel in panels]
    effects: dict[tuple[Choice, Alternative | None], list[Effect]] = {}
    for choice in ALTERNATIVES:
        if not choice.alternatives:
            effects[choice, None] = []
        for alternative in choice.alternatives:
            effects[choice, alternative] = []
            for panel, points in points_by_panel:
                effect = effect_of(choice, alternative, panel, points)
                if effect is not None:
                    effects[choice, alternative].append(effect)
    return effects


def effect_of(
    choice: Choice, alternative: Alternative, panel: Panel, points: list[Point]
) -> Effect | None:
    """The effect of an alternative on a panel, at the points that it allows; None where it does not
    touch the panel, or allows none."""
    if alternative.apply is None:
        return Effect(choice, alternative, panel, points, after=[], points=len(points))
    before = []
    after = []
    changed_points = alternative.apply(panel, points) or []
    for point, changed in zip(points, changed_points, strict=False):
        if changed is not None:
            before.append(point)
            after.append(changed)
    if not after:
        return None
    return Effect(choice, alternative, panel, before, after, points=len(points))


def _probabilities(effects: Iterable[Effect]) -> Known:
    """P(E_success) at all points of some effects, before and after, by model and point; each is
    computed once, many together."""
    # Dictionaries as ordered sets.
    points_by_model: dict[Model, dict[Point, None]] = {}
    for effect in effects:
        model_before = MODELS[effect.panel.model]
        points_by_model.setdefault(model_before, {}).update(dict.fromkeys(effect.before))
        points_by_model.setdefault(effect.model, {}).update(dict.fromkeys(effect.after))
    known: Known = {}
    for model, points in points_by_model.items():
        for point, reference in zip(points, references(model, list(points)), strict=True):
            known[model, point] = reference.success
    return known


def _row(effect: Effect, known: Known) -> Row:
    """The row of SCHEMA of an effect on a panel."""
    panel = effect.panel
    alternative = effect.alternative
    row: Row = {
        "choice": effect.choice.name,
        "default": effect.choice.default,
        "alternative": alternative.name,
        "panel": panel.name,
        "points": len(effect.before),
        "note": effect.choice.note,
        "reconstructed": panel.reconstruction,
    }
    before = np.array([known[MODELS[panel.model], point] for point in effect.before])
    if alternative.expected_change is not None:
        change = alternative.expected_change(before)
        row["note"] = NOTE_OF_BOUND
    else:
        after = np.array([known[effect.model, point] for point in effect.after])
        if alternative.values is not None:
            successes = _successes(effect, alternative.values)
            low, high = clopper_pearson(successes, TRIALS)
            after = np.array([successes / TRIALS])
            row |= {"trials": TRIALS, "ci_low": low - before[0], "ci_high": high - before[0]}
        difference = np.round(after - before, DECIMALS)
        change = np.abs(difference)
        row["signed_change"] = float(difference.mean())
        if not row["note"] and len(before) < effect.points:
            row["note"] = (
                f"at {len(before)} of the {effect.points} points; the others have no such point"
            )
    worst = int(change.argmax())
    row["mean_change"] = float(change.mean())
    row["largest_change"] = float(change[worst])
    if change[worst] > 0:
        row["at_value"] = effect.before[worst].swept[0]
    return row


def _successes(effect: Effect, values: Values) -> int:
    """How many of TRIALS succeed at the one point of an effect, simulated with random V by
    `values`."""
    panel = effect.panel
    (point,) = effect.after
    # A random V is of attention alone.
    assert isinstance(effect.model, AttentionModel)
    streams = BlockStreams(panel.seed, panel.name, point.name, block=0)
    positive = positive_with(values, effect.model, point, streams, TRIALS)
    return int(point.contest.event_flags(positive).all(axis=1).sum())


def _row_without_effect(choice: Choice, alternative: Alternative | None) -> Row:
    """The row of SCHEMA of an alternative that touches no panel, or of a choice without any."""
    row = {
        "choice": choice.name,
        "default": choice.default,
        "note": choice.note or NO_EFFECT,
    }
    if alternative is not None:
        row["alternative"] = alternative.name
        row["note"] = alternative.note or row["note"]
    return row


def ranked(rows: list[Row]) -> list[Row]:
    """The rows with their `rank`, in order of it: choices by their largest mean change, then
    bounds, then choices without effect."""
    largest: dict[str, float] = {}
    for row in rows:
        if row.get("signed_change") is not None:
            choice = row["choice"]
            largest[choice] = max(largest.get(choice, 0.0), row["mean_change"])
    order = sorted(largest, key=lambda choice: largest[choice], reverse=True)
    ranks = {choice: place + 1 for place, choice in enumerate(order)}

    def place_in_table(row: Row) -> int:
        """A row's rank; for a bound one place behind all ranks, without an effect two."""
        if row["choice"] in ranks:
            return ranks[row["choice"]]
        return len(rows) if "mean_change" in row else len(rows) + 1

    ordered = sorted(rows, key=place_in_table)
    return [row | {"rank": ranks.get(row["choice"])} for row in ordered]


def run(job: PanelsJob, table: Path, figure: Path) -> None:
    """Write the table of what each open choice changes, and its figure."""
    choices = choices_table(job)
    provenance = record(job.canonical(), __name__)
    figure_by_panel = {panel.name: panel.figure or panel.name for panel in job.panels}
    save(choices_figure(choices, figure_by_panel), figure.with_suffix(""))
    write_result(choices, table, provenance, TITLE, ABOUT)
