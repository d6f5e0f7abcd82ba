"""Figure needle_features: accuracy of trained feature maps against how many features they have."""

import matplotlib as mpl
import numpy as np
import pyarrow as pa
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from attention_separation.pages.drawing import INK, RC, frame

from .accuracy import ARMS
from .style import SKY_BLUE, STYLES

REFERENCES = ("linear", "power_2", "exp", "bayes")
"""Lines that stand beside them."""

NOTE = (
    "Trained networks with the feature map elu + 1 of learned\nprojections: every run, and means. "
    "Horizontal: what is computed\nof kernels of the score."
)

Place = tuple[str, float, int]


def places_of(rows: list[dict]) -> list[Place]:
    """Arm, mu and n at which several numbers of features were trained, or else any."""
    numbers: dict[Place, set[int]] = {}
    for row in rows:
        numbers.setdefault((row["arm"], row["mu"], row["n"]), set()).add(row["features"])
    most = max(map(len, numbers.values()), default=0)
    return [place for place, found in sorted(numbers.items()) if len(found) >= most]


def draw(title: str, lines: pa.Table, cells: pa.Table) -> Figure:
    """The figure of tables of accuracies and of networks."""
    rows = [row for row in cells.to_pylist() if row["features"] and not row["control"]]
    shown = places_of(rows)[:3]
    with mpl.rc_context(RC):
        count = max(len(shown), 1)
        figure = Figure(figsize=(4.2 * count + 2.0, 3.9), layout="constrained")
        axes = figure.subplots(1, count, squeeze=False, sharey=True)[0]
        for ax, place in zip(axes, shown, strict=False):
            at = [row for row in rows if (row["arm"], row["mu"], row["n"]) == place]
            _draw_panel(ax, at, lines.to_pylist(), place)
            ax.label_outer()
        handles = [
            Line2D([], [], color=STYLES[name].color, linestyle=STYLES[name].dashes,
                   linewidth=STYLES[name].width, label=STYLES[name].words)
            for name in reversed(REFERENCES)
        ]  # fmt: skip
        handles.append(
            Line2D([], [], color=SKY_BLUE, marker="^", markeredgecolor=INK, label="trained elu + 1")
        )
        figure.legend(handles=handles, loc="outside right center", fontsize=8)
    frame(figure, title, NOTE)
    return figure


def _draw_panel(ax: Axes, rows: list[dict], lines: list[dict], place: Place) -> None:
    arm, mu, n = place
    for line in lines:
        if (line["mu"], line["n"]) == (mu, n) and line["kernel"] in REFERENCES:
            style = STYLES[line["kernel"]]
            look = {"color": style.color, "linestyle": style.dashes, "linewidth": style.width}
            ax.axhline(line["accuracy"], zorder=1.5 + (line["kernel"] != "bayes"), **look)
    numbers = sorted({row["features"] for row in rows})
    runs = [[row["accuracy"] for row in rows if row["features"] == r] for r in numbers]
    for r, own in zip(numbers, runs, strict=True):
        look = {"color": SKY_BLUE, "markeredgecolor": INK, "markeredgewidth": 0.5}
        ax.plot([r] * len(own), own, "^", markersize=4.5, zorder=4, **look)
    ax.plot(numbers, [np.mean(own) for own in runs], color=SKY_BLUE, zorder=3)
    ax.set_xscale("log", base=2)
    ax.set_xticks(numbers, [str(r) for r in numbers])
    ax.minorticks_off()
    ax.set_ylim(0.49, 1.01)
    ax.set_xlabel("features $r$")
    ax.set_ylabel("held-out accuracy")
    ax.set_title(f"{ARMS.get(arm, arm)}, $\\mu$ = {mu:g}, $n$ = {n}")
