"""Figures needle_features and needle_paper_network: trained networks beside accuracy limits."""

import numpy as np
import pyarrow as pa
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from attention_separation.pages.drawing import key, legend_beside, sheet, ticks_at
from attention_separation.pages.house_style import INK, MIDDLE_GRAY, VERMILION, kernel_line
from attention_separation.results.tables import select_rows

from .accuracy_limits import ARMS, DOT, SKY_BLUE, WORDS, runs_of

REFERENCES = ("bayes", "exp", "power_2", "linear")
"""Limits that stand beside feature maps."""

FEATURES = (
    "Trained networks with the feature map elu + 1 of learned projections: every run, and means. "
    "Horizontal: what is computed of kernels of the score."
)

Place = tuple[str, float, int]


def draw_features(title: str, limits: pa.Table, cells: pa.Table) -> Figure:
    """Accuracy of trained feature maps against how many features they have."""
    rows = [row for row in runs_of(cells) if row["features"]]
    shown = places_of(rows)[:3]
    with sheet(
        title, FEATURES, max(len(shown), 1), (4.2, 3.9), (2.0, 0.0), sharey=True
    ) as (figure, axes):  # fmt: skip
        for ax, (arm, mu, n) in zip(axes, shown, strict=False):
            for kernel in REFERENCES:
                for limit in select_rows(limits, kernel=kernel, mu=mu, n=n)["accuracy"].to_pylist():
                    ax.axhline(limit, label=WORDS[kernel], **kernel_line(kernel))
            runs: dict[int, list[float]] = {}
            for row in rows:
                if (row["arm"], row["mu"], row["n"]) == (arm, mu, n):
                    runs.setdefault(row["features"], []).append(row["accuracy"])
            for r, own in runs.items():
                ax.plot([r] * len(own), own, "^", color=SKY_BLUE, **DOT)
            numbers = sorted(runs)
            ax.plot(numbers, [np.mean(runs[r]) for r in numbers], color=SKY_BLUE)
            ticks_at(ax.xaxis, numbers)
            ax.set_xlabel("features $r$")
            ax.set_title(f"{ARMS.get(arm, arm)}, $\\mu$ = {mu:g}, $n$ = {n}")
            _accuracy_axis(ax)
        legend_beside(
            figure, [key("trained elu + 1", SKY_BLUE, **DOT | {"linestyle": "-", "marker": "^"})]
        )
    return figure


def places_of(rows: list[dict]) -> list[Place]:
    """Arm, mu and n at which several numbers of features were trained, or else any."""
    numbers: dict[Place, set[int]] = {}
    for row in rows:
        numbers.setdefault((row["arm"], row["mu"], row["n"]), set()).add(row["features"])
    most = max(map(len, numbers.values()), default=0)
    return [place for place, found in sorted(numbers.items()) if len(found) >= most]


NETWORK = (
    "All weights trained, X from the identity; ReLU neurons on every token, standardised, pooled "
    "by the largest. Bars: means of runs; dots: every run, on held-out sequences.\nWith linear "
    "attention a token's query can copy the token; row sums vary from token to token: there 0.5 is "
    "a failed training, for weights set by hand have 0.60 at μ = 5 and n = 512."
)
MAPS = {
    (None, "sum"): "no\nattention",
    ("linear", "n"): "linear,\nby $n$",
    ("linear_unnormalised", "rms"): "linear,\nRMSNorm",
    ("linear", "sum"): "linear, by\nrow sums",
    ("exp", "sum"): "softmax",
}


def draw_paper_network(title: str, limits: pa.Table, cells: pa.Table) -> Figure:
    """The first paper's network trained, every token a query."""
    rows = [row for row in runs_of(cells) if row["arm"] == "self_attention"]
    places = sorted({(row["mu"], row["n"]) for row in rows})
    with sheet(
        title, NETWORK, max(len(places), 1), (3.9, 3.9), (2.0, 0.0), sharey=True
    ) as (figure, axes):  # fmt: skip
        for ax, (mu, n) in zip(axes, places, strict=False):
            for best in select_rows(limits, kernel="bayes", mu=mu, n=n)["accuracy"].to_pylist():
                ax.axhline(best, label=WORDS["bayes"], zorder=1, **kernel_line("bayes"))
            runs: dict[tuple, list[float]] = {}
            for row in rows:
                if (row["mu"], row["n"]) == (mu, n):
                    of_map = runs.setdefault((row["kernel"], row["divided_by"]), [])
                    of_map.append(row["accuracy"])
            for at, ((kernel, _), own) in enumerate(runs.items()):
                mean = float(np.mean(own))
                known = kernel_line(kernel)["color"] if kernel in WORDS else VERMILION
                color = MIDDLE_GRAY if kernel is None else known
                ax.bar(at, mean - 0.5, bottom=0.5, width=0.6, color=color, alpha=0.6)
                ax.plot([at] * len(own), own, "o", color=color, **DOT)
                if kernel is None:
                    ax.axhline(
                        mean, label="without attention", color=INK, linestyle="--", linewidth=1,
                        zorder=1,
                    )  # fmt: skip
            names = [MAPS.get(each, f"{each[0]},\nby {each[1]}") for each in runs]
            ax.set_xticks(range(len(runs)), names)
            ax.set_title(f"$\\mu$ = {mu:g}, $n$ = {n}")
            _accuracy_axis(ax)
        legend_beside(figure)
    return figure


def _accuracy_axis(ax: Axes) -> None:
    ax.set_ylim(0.49, 1.01)
    ax.set_ylabel("held-out accuracy")
    ax.label_outer()
