"""The panels of a run: what their exact values, their trials and their pictures depend on.

A panel sweeps one or two parameters of a model; a figure of the configuration shows some panels. A
*scale* is a size of the whole run, such as "smoke".
"""

from functools import cached_property
from typing import Any

from ..models import MODELS
from .panels import Panel
from .section import SoftmaxVsLinearSection
from .sweeps import Sweep


class RunPanels:
    """The panels of a section at its scale, by name and in its order."""

    def __init__(self, section: SoftmaxVsLinearSection, seed: int) -> None:
        self.section = section
        self.seed = seed

    @property
    def scale(self) -> Any:
        """Of the section's scales, that which is in force."""
        return self.section.scales[self.section.scale]

    @cached_property
    def exact(self) -> dict[str, Panel]:
        """The panels by name, each with all that its exact values depend on and nothing else."""
        return {
            name: entry.panel(name, most_values=self.scale.points)
            for name, entry in self.section.panels.items()
        }

    @cached_property
    def simulated(self) -> dict[str, Panel]:
        """The panels by name, each with all that its trials depend on."""
        section = self.section
        simulated = {}
        for name, panel in self.exact.items():
            own_trials = section.panels[name].trials
            trials_of_scale = getattr(self.scale.trials, panel.model)
            trials = section.trials or trials_of_scale or own_trials
            simulated[name] = panel.with_more(trials=trials, seed=self.seed, engine=section.engine)
        return simulated

    @cached_property
    def marked(self) -> dict[str, Panel]:
        """The panels by name, each with what the paper does not state of it."""
        return {
            name: self.with_notes(self.section.panels[name], panel)
            for name, panel in self.exact.items()
        }

    def with_notes(self, entry: Sweep, panel: Panel) -> Panel:
        """A panel with its model's notes, and with the names of its parameters that are
        reconstructed; `entry` is what the configuration says of it."""
        notes = getattr(self.section.models, panel.model).notes
        return panel.with_more(reconstructed=entry.reconstructed, notes=notes)

    @cached_property
    def figure_of(self) -> dict[str, str]:
        """The first figure that shows each panel, by the panel's name; a panel in no figure is one
        of its own."""
        shown = {name: name for name in self.section.panels}
        for figure, entry in reversed(self.section.figures.items()):
            shown |= dict.fromkeys(entry.panels, figure)
        return shown

    def panels_of_figure(self, figure: str) -> list[str]:
        """The panels that the configuration lists for a figure; none where it has no such one."""
        return self.section.figures[figure].panels if figure in self.section.figures else []

    def panels_first_shown_in(self, figure: str) -> list[str]:
        """The names of a figure's panels that no figure before it lists; a panel in no figure is
        one of its own."""
        return [panel for panel, first in self.figure_of.items() if first == figure]

    @property
    def figures_of_run(self) -> list[str]:
        """The figures that a whole run draws: the configuration's, and panels in none of them."""
        alone = [panel for panel, first in self.figure_of.items() if panel == first]
        return [*self.section.figures, *alone]

    def title_of(self, figure: str) -> str:
        """The title above a figure of this name, or above the panel of this name alone."""
        if figure in self.section.figures:
            return self.section.figures[figure].title
        return f"{figure}: {MODELS[self.exact[figure].model].words}"
