"""The weight u(q, k) that represents the target by rank-1 heads, beside the published one."""

from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from ....looks.colors import BLUE, VERMILION
from ....pages.drawing import save_with_numbers
from ....results.provenance import record
from ....results.tables import schema, table_from_columns
from ....settings.strict_model import Job
from ..constructions.rank_1_heads import SERIES_DEGREES, representing_weight
from ..settings.titles import FIGURE_TITLES
from .panels import Axis, Panel, Scale, curve, draw_panels

WEIGHT_DIMENSIONS = (4, 6, 8)
THETA = np.linspace(-np.pi, np.pi, 720)
"""As published; none of these angles is right, where both weights are 0."""

SCHEMA = schema(d=int, theta=float, published=float, representing=float)
"""Both weights at each angle of q and k, with their signs."""

WEIGHT_NOTE = (
    f"Exact: sums over the odd degrees $l$ below {SERIES_DEGREES}. With $N_l/s_l$ times "
    "$P_l(\\cos\\theta)$ the mean of $u(q, k)$ times a head's sign function, over independent $q$ "
    "and $k$, is the target's up to that degree. The published plot has $\\sqrt{N_l}P_l$, the "
    "L2-normalised polynomial, in its place, which gives high degrees more weight. Neither series "
    "converges."
)


def weights(d: int) -> dict[str, np.ndarray]:
    """The published and the representing weight at each angle of THETA, by name."""
    cosines = np.cos(THETA)
    return {
        "published": representing_weight(d, cosines, published=True),
        "representing": representing_weight(d, cosines, published=False),
    }


def draw_weight() -> Figure:
    """The figure of both weights against the angle of q and k, a panel for each d."""
    x = Axis("angle θ of 𝑞 and 𝑘", names={-np.pi: "−π", 0: "0", np.pi: "π"})
    y = Axis("$|u|$", Scale.LOG)
    panels = []
    for d in WEIGHT_DIMENSIONS:
        both = weights(d)
        curves = [
            curve(THETA, np.abs(both["published"]), color=VERMILION, label="as published"),
            curve(THETA, np.abs(both["representing"]), color=BLUE, label="represents\nthe target"),
        ]
        panels.append(Panel(f"$d$ = {d}", curves, x, y))
    return draw_panels(
        FIGURE_TITLES["rank_weight"],
        WEIGHT_NOTE,
        panels,
        legend=(),
        cell=(3.1, 2.9),
        around=(1.8, 0.9),
        sharey=True,
    )


def run(job: Job, output: Path) -> None:
    parts = []
    for d in WEIGHT_DIMENSIONS:
        angles = {"d": np.full(len(THETA), d), "theta": THETA}
        parts.append(angles | weights(d))
    columns = {name: np.concatenate([part[name] for part in parts]) for name in SCHEMA.names}
    table = table_from_columns(columns, SCHEMA)
    save_with_numbers(draw_weight(), output, table, record(job.canonical(), __name__))
