"""A panel: a model, what is swept and what is held fixed; the points that this makes, and what jobs
on panels depend on."""

import itertools
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Self

from pydantic import AfterValidator, Field

from ....settings.strict_model import Count, Job, Range, Seed, StrictModel, grid_values, subsample
from ..models import MODELS, ModelName
from ..models.contest import Contest
from ..models.model import ABSENT, SWEEPABLE, Engine, MRule, Point, Trials

MARK = "*"
KEY = f"{MARK} reconstructed: the paper's text does not state it."
COLUMN = (
    "Reconstructed lists what the paper's text does not state of a panel, and is read or chosen "
    "here."
)
"""How pages, tables and pictures mark what the paper's text does not state; the last stands in the
words on a table with a column `reconstructed`."""

OF_SHAPE = ("n", "d", "m", "delta")
"""Parameters on which a point's n, d and m depend."""

ORDER = (*SWEEPABLE, *(name for model in MODELS.values() for name in model.parameters.model_fields))
"""Of parameters, wherever they are listed."""


def _ordered(values: dict[str, Any]) -> dict[str, Any]:
    """Values of parameters, by name, in the order that all lists of parameters have."""
    return {name: values[name] for name in ORDER if name in values}


class Panel(StrictModel):
    """A panel, or a map, as jobs hold it: all that its points depend on, and of the rest what the
    job's own result depends on."""

    name: str
    model: ModelName
    sweep: Annotated[dict[str, Range | list[int | float]], AfterValidator(_ordered)]
    """The grid of each swept parameter."""
    fixed: Annotated[dict[str, MRule | int | float | str], AfterValidator(_ordered)]
    contest: Contest
    most_values: Count | None = None
    """At most so many values of each swept parameter."""
    trials: Trials = ABSENT
    seed: Seed = ABSENT
    engine: Engine = ABSENT
    """Of a panel that is simulated."""
    figure: str | None = None
    """Name or title of the figure that shows it first."""
    reconstructed: list[str] = Field(default=[])
    """Parameters whose value the paper does not state."""
    notes: list[str] = Field(default=[])
    """What figures say of its model; a mark at the end is on what the paper does not state."""

    def with_more(self, **values: Any) -> Self:
        """The same with more of what a result depends on."""
        return self.model_copy(update=values)

    def points(self) -> list[Point]:
        """The panel's points, in the order of its grid."""
        grids = {
            name: subsample(grid_values(grid), self.most_values)
            for name, grid in self.sweep.items()
        }
        return self._points(grids)

    def shapes(self) -> list[Point]:
        """One point, the first in the grid's order, for each n, d and m that the panel's points
        have."""
        grids = {name: grid_values(grid) for name, grid in self.sweep.items()}
        for name in grids.keys() - OF_SHAPE:
            grids[name] = grids[name][:1]
        return self._points(grids)

    def _points(self, grids: Mapping[str, Sequence[float]]) -> list[Point]:
        """The points that all combinations of the swept parameters' values make; `grids` are these
        values, by parameter."""
        values = []
        for name, grid in grids.items():
            number = int if name in ("n", "d", "m") else float
            values.append([number(value) for value in grid])
        points = []
        for combination in itertools.product(*values):
            swept = dict(zip(grids, combination, strict=True))
            points.append(self._point(swept))
        return points

    def _point(self, swept: dict[str, float]) -> Point:
        """The point with these values of the swept parameters, and the panel's of all others."""
        values: dict[str, Any] = self.fixed | swept
        if isinstance(values["m"], MRule):
            values["m"] = values["m"].m(values["n"], values.get("delta", ABSENT))
        theta = values.pop("tau") if "tau" in values else values.pop("theta")
        if isinstance(theta, str):
            # As in "c + 0.1".
            theta = values["c"] + float(theta.partition("+")[2])
        # The shortest texts that read back as the numbers, by name: one text for one point.
        name = ",".join(f"{key}={swept[key]!r}" for key in sorted(swept))
        return Point(
            name=name,
            swept=tuple(float(value) for value in swept.values()),
            theta=theta,
            s=MODELS[self.model].scale(values["n"]),
            contest=self.contest,
            **values,
        )

    @property
    def marked_notes(self) -> list[str]:
        """The notes, in words, on what else of the panel's model the paper does not state."""
        return [note.removesuffix(MARK) for note in self.notes if note.endswith(MARK)]

    @property
    def reconstruction(self) -> str:
        """All of the panel that is reconstructed, as one text: names of parameters, then notes."""
        settings = [", ".join(self.reconstructed)] if self.reconstructed else []
        return "; ".join([*settings, *self.marked_notes])


class PanelsJob(Job):
    """Some panels, and what stands above them if they make a figure."""

    title: str | None = None
    panels: list[Panel]


class VerdictsJob(PanelsJob):
    """All that the verdicts depend on beside the panels' tables."""

    level: float
    margin: float
    """At a panel's own trials."""
    panel_margins: list[float]
    """Of each panel, at the trials of this run."""


class PhaseJob(PanelsJob):
    """Maps over two swept parameters, and the panels whose points are marked on them."""

    marked: list[Panel]


class IndexJob(Job):
    """What the page of all results says beside what it reads."""

    scale: str
    engine: Engine
    titles: dict[str, str]
    """Of each figure and table, by its name."""
    panels: dict[str, list[str]]
    """The panels of each figure that has any, by its name."""
    beside: dict[str, dict[str, list[str]]]
    """Files of the same job, by what they are, of each figure and table that has any."""
