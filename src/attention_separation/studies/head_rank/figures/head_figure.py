"""Figure 2: what heads of full rank have learned, the angle and the size of K Q^T."""

from dataclasses import replace

import numpy as np
from matplotlib.figure import Figure

from ....looks.colors import INK, PALETTE
from ....messages.words import counted
from ....statistics.contrasts import Run
from ..settings.titles import TRAINED_TITLES
from ..training import published_values, runs
from .panels import BOLD, Axis, Mark, Panel, Scale, draw_panels, points
from .trained_parts import has_size, mark_key, panel_title, recipe

ANGLE_AXIS = Axis(
    "angle of 𝐾𝑄ᵀ to 𝐼, degrees",
    names={degrees: str(degrees) for degrees in (0, 45, 90, 135, 180)},
    ends=(0, 185),
)
NORM_AXIS = Axis("‖𝐾𝑄ᵀ‖ / √𝑑", Scale.READABLE_LOG)


def box(place: int, numbers: list[float]) -> Mark:
    """The box of the quartiles, median and extremes of some numbers, at a place of the x axis."""
    return lambda ax: ax.boxplot(
        [numbers],
        positions=[place],
        widths=0.5,
        whis=(0, 100),
        showcaps=False,
        medianprops={"color": PALETTE[1], "linewidth": 1.6},
    )


def figure_2(rows: list[Run]) -> Figure:
    """Figure 2: the angle to the identity and the norm of K Q^T of heads of full rank, a column of
    two panels for each number of layers."""
    rows = [row for row in rows if runs.is_full_rank(row) and row["encoding"] == "none"]
    layers = runs.values(rows, "layers")
    is_compared = has_size(rows, published_values.SIZE_1)
    angle_panels = []
    norm_panels = []
    angle_axis = ANGLE_AXIS
    norm_axis = NORM_AXIS
    for count, rows_of_panel in runs.groups(rows, "layers").items():
        published_angles = {}
        published_norms = {}
        if count == 1 and is_compared:
            for width, (angle, norm) in published_values.FIGURE_2.items():
                published_angles[width] = angle
                published_norms[width] = norm
        widths = runs.values(rows_of_panel, "width")
        x = Axis(
            "heads 𝐻 of full rank",
            names={place: str(width) for place, width in enumerate(widths)},
            ends=(-0.5, len(widths) - 0.5),
        )
        angles = _marks_of_heads(rows_of_panel, "angle", published_angles)
        norms = _marks_of_heads(rows_of_panel, "norm", published_norms)
        title = panel_title(rows, count)
        angle_panels.append(Panel(title, angles, x, angle_axis, BOLD, is_alone=True))
        norm_panels.append(Panel("", norms, x, norm_axis, is_alone=True))
        # The panels of a row share it.
        angle_axis = replace(angle_axis, label="")
        norm_axis = replace(norm_axis, label="")
    legend = [mark_key(".", "a head", PALETTE[0])]
    if is_compared:
        legend.append(mark_key("D", "published\nmedian", "none", 8))
    return draw_panels(
        TRAINED_TITLES["rank_fig2"],
        "\n".join(_notes(rows, is_compared)),
        angle_panels + norm_panels,
        legend,
        cell=(3.6, 2.9),
        around=(1.0, 0.0),
        columns=len(layers),
        sharey="row",
    )


def _marks_of_heads(rows: list[Run], name: str, published: dict[int, float]) -> list[Mark]:
    """The marks of a quantity of all heads of runs, by the number of heads in a layer, with the
    published medians by the same number."""
    marks = []
    for place, (width, group) in enumerate(runs.groups(rows, "width").items()):
        heads = _quantities(group, name)
        size = 9
        places = np.full(len(heads), float(place))
        # A box of a single head is a line that hides it.
        if len(heads) > 1:
            size = 3
            places = place + np.linspace(-0.18, 0.18, len(heads))
            marks.append(box(place, heads))
        marks.append(points(places, heads, ".", PALETTE[0], size))
        if width in published:
            # The largest may lie on the axes' edge.
            median = [published[width]]
            marks.append(
                points([place], median, "D", INK, 8, markerfacecolor="none", clip_on=False)
            )
    return marks


def _quantities(rows: list[Run], name: str) -> list[float]:
    """The values of a quantity of all heads of some runs, without those that are no number."""
    quantities: list[float] = []
    for row in rows:
        quantities += [value for value in row[name] if value is not None]
    return quantities


def _notes(rows: list[Run], is_compared: bool) -> list[str]:
    """The sentences below the figure: what is shown, and how a norm leads to the c of Fact 1's
    head."""
    ranks = runs.values(rows, "rank")
    root = f"; here √𝑟 = {ranks[0] ** 0.5:.3g}" if len(ranks) == 1 else ""
    notes = [
        f"{recipe(rows)}.",
        "180 degrees: a negative multiple of the identity, Fact 1's head for the farthest point.",
        "The norm is the paper's, ‖·‖ of Frobenius over √𝑑, without the 1/√𝑟 of the logits: a head "
        f"−𝑐𝐼 has 𝑐 = value/√𝑟{root}.",
    ]
    if is_compared:
        steps = published_values.STEPS["rank_fig2"]
        notes.append(
            f"Published: medians after {steps:,} steps of {published_values.BATCH}, on repeated "
            "batches."
        )
    more_layers = [counted(count, "layer") for count in runs.values(rows, "layers") if count > 1]
    if more_layers:
        notes.append(f"Not in the paper's figure: {', '.join(more_layers)}.")
    return notes
