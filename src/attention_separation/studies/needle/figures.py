"""Figures of the needle: accuracy limits of kernels, with trained networks as dots where there are
any, and trained networks beside these limits."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patheffects import withStroke

from ...looks.colors import DARK_GRAY, INK, MIDDLE_GRAY, PALETTE
from ...looks.kernel_styles import KERNEL_STYLES, kernel_line, kernel_marker
from ...needle.accuracy import CRITICAL
from ...pages.drawing import (
    Look,
    key,
    legend_beside,
    save_with_numbers,
    sheet,
    sorted_columns,
    ticks_at,
)
from ...results.provenance import record
from ...results.tables import numpy_column, read_parquet, select_rows
from ...settings.strict_model import Job
from . import accuracy_limits
from .claims.runs import ARM_WORDS, trained_crossings
from .settings.titles import FIGURES_OF_NEEDLE, FIGURES_OF_NETWORKS
from .training.cells_table import SCHEMA as CELLS

WORDS = {
    "bayes": "best possible (Bayes)",
    "exp": "softmax: the largest token",
    "power_4": "power_4: one ratio",
    "power_3": "power_3: one ratio",
    "power_2": "power_2: one ratio",
    "linear": "linear: a bound",
    "uniform": "uniform: a bound",
}
"""Kernels from the best to the least, which is the order of a legend."""


@dataclass(frozen=True)
class LineLabel:
    """What is written at a line, right of the place where it has an accuracy."""

    words: str
    accuracy: float


LABELS = {
    "bayes": LineLabel("best possible", 0.87),
    "exp": LineLabel("softmax", 0.79),
    "power_4": LineLabel("x⁴", 0.63),
    "power_3": LineLabel("x³", 0.66),
    "power_2": LineLabel("x²", 0.69),
    "linear": LineLabel("linear", 0.58),
    "uniform": LineLabel("uniform", 0.535),
}
"""Of each line, at places where lines are far from each other."""

OUTLINE = [withStroke(linewidth=2.5, foreground="white")]

Run = dict[str, Any]
"""A run of a trained network, a row of the table of cells."""

POINT_LOOK: Look = {
    "linestyle": "",
    "markeredgecolor": INK,
    "markeredgewidth": 0.5,
    "markersize": 4.5,
    "zorder": 4,
}
Map = tuple[str | None, str, int | None]
"""An attention map by its kernel, what it is divided by, and features."""

MAPS: dict[Map, tuple[str, str]] = {
    ("linear", "sum", None): ("s", "trained linear, by row sums"),
    ("linear_unnormalised", "rms", None): ("D", "trained linear, RMSNorm"),
}
"""Marker and words of maps whose kernel has a limit and that are not drawn as its own."""

OTHER_COLOURS = (DARK_GRAY, MIDDLE_GRAY)
OTHER_MARKERS = "^vPX*<>"
"""Of maps whose kernel figures do not know, taken in turn."""

ARMS = {arm: ARM_WORDS[arm] for arm in ("query_given", "query_learned")}
"""Arms that are shown, in words."""

ACCURACIES_CAPTION = (
    "One query over n tokens with noise of standard deviation 1, one of which has μ more on D1; "
    "chance is 0.5, and an n is critical at 0.75.\nOf uniform and linear, no layer of heads that "
    "sum score times value, linear in a token and the same at every place, passes its limit; "
    "powers and softmax have one threshold on one ratio, or on the largest token: references, not "
    "bounds. Nothing passes the broad gray line. Computed, not simulated."
)
DOTS = (
    "\nMarks: trained networks, every run, on held-out sequences; one beneath its limit has not "
    "learned it in these steps. Query given: it is the needle's direction, drawn for each "
    "sequence. Query learned: the first paper's D1 against D0; classes separate these tokens, so "
    "that the bounds are not theirs."
)


@dataclass(frozen=True)
class AccuracyPanel:
    """A panel of accuracies against n: of limits at one mu, and of the runs of an arm at this mu,
    None where there are no networks."""

    arm: str | None
    mu: float
    title: str


def draw_accuracies(title: str, limits: pa.Table, cells: pa.Table | None = None) -> Figure:
    """The best accuracy of each kernel against n, a panel for each mu; or for each arm and mu of
    trained networks, with a dot for each run but those of controls."""
    runs = [run for run in runs_of(cells) if run["arm"] in ARMS]
    looks = looks_of(map_of(run) for run in runs)
    panels = _panels_of_runs(runs) if runs else _panels_of_limits(limits)
    note = ACCURACIES_CAPTION + DOTS if runs else ACCURACIES_CAPTION
    beside = (1.9 if runs else 0.0, 0.0)
    with sheet(title, note, len(panels), (3.5, 4.1), beside, sharey=True) as (figure, axes):
        for ax, panel in zip(axes, panels, strict=True):
            limits_at_mu = select_rows(limits, mu=panel.mu)
            ax.axhline(CRITICAL, color=DARK_GRAY, linewidth=0.8)
            _draw_limits(ax, limits_at_mu)
            for run in runs:
                if (run["arm"], run["mu"]) == (panel.arm, panel.mu):
                    look = POINT_LOOK | looks[map_of(run)]
                    look |= {"clip_on": False, "label": None}
                    ax.plot(run["n"], run["accuracy"], **look)
            ax.set(xscale="log", xlabel="tokens $n$", ylabel="accuracy", title=panel.title)
            sizes = limits_at_mu["n"].to_pylist()
            if min(sizes) < max(sizes):
                ax.set_xlim(min(sizes), max(sizes))
            ax.set_ylim(0.49, 1.01)
            ax.label_outer()
        if runs:
            legend_beside(figure, _keys_of(looks.values()))
    return figure


def _panels_of_runs(runs: Sequence[Run]) -> list[AccuracyPanel]:
    """A panel for each arm and mu of some runs."""
    places = sorted({(run["arm"], run["mu"]) for run in runs})
    return [AccuracyPanel(arm, mu, f"{ARMS[arm]}, $\\mu$ = {mu:g}") for arm, mu in places]


def _panels_of_limits(limits: pa.Table) -> list[AccuracyPanel]:
    """A panel for each mu of a table of limits."""
    words = "signal-to-noise ratio of the needle $\\mu$"
    mus = dict.fromkeys(limits["mu"].to_pylist())
    return [AccuracyPanel(None, mu, f"{words} = {mu:g}") for mu in mus]


def _draw_limits(ax: Axes, limits: pa.Table) -> None:
    """The accuracy limit of each kernel against n, with its name at the line."""
    for kernel, label in LABELS.items():
        n, accuracy = sorted_columns(select_rows(limits, kernel=kernel), "n", "accuracy")
        ax.plot(n, accuracy, **kernel_line(kernel))
        nearest = np.argmin(np.abs(accuracy - label.accuracy))
        ax.annotate(
            label.words,
            (n[nearest], accuracy[nearest]),
            xytext=(5, 2),
            textcoords="offset points",
            ha="left",
            va="center",
            fontsize=8,
            color=DARK_GRAY if kernel == "bayes" else kernel_line(kernel)["color"],
            path_effects=OUTLINE,
            zorder=5,
        )


def _keys_of(looks: Iterable[Look]) -> list[Line2D]:
    """The entries of a legend, one for each distinct label of some looks."""
    look_by_label = {look["label"]: look for look in looks}
    return [key(**POINT_LOOK | look) for look in look_by_label.values()]


def runs_of(cells: pa.Table | None) -> list[Run]:
    """The runs of trained networks that are no controls."""
    if cells is None:
        return []
    return [row for row in cells.to_pylist() if not row["control"]]


def map_of(run: Run) -> Map:
    """The attention map of a run."""
    return run["kernel"], run["divided_by"], run["features"]


def looks_of(maps: Iterable[Map]) -> dict[Map, Look]:
    """Colour, marker and label of the dots of each attention map.

    A kernel that figures know has its own; others take the next that are free. Maps that differ in
    the number of features alone look alike.
    """
    colours = cycle(OTHER_COLOURS)
    markers = cycle(OTHER_MARKERS)
    looks = {}
    look_by_kernel: dict[str | None, Look] = {}
    for attention_map in dict.fromkeys(maps):
        kernel = attention_map[0]
        if kernel is not None and attention_map in MAPS:
            marker, label = MAPS[attention_map]
            color = kernel_line(kernel)["color"]
            looks[attention_map] = {"color": color, "marker": marker, "label": label}
            continue
        if kernel not in look_by_kernel:
            color, marker = look_of(kernel) or (next(colours), next(markers))
            look_by_kernel[kernel] = {
                "color": color,
                "marker": marker,
                "label": f"trained {_name_of(kernel)}",
            }
        looks[attention_map] = look_by_kernel[kernel]
    return looks


def look_of(kernel: str | None) -> tuple[str, str] | None:
    """Colour and marker of a kernel that figures know; None for another."""
    if kernel is None or kernel not in KERNEL_STYLES:
        return None
    return kernel_line(kernel)["color"], kernel_marker(kernel)


def _name_of(kernel: str | None) -> str:
    """A kernel as its line is named, if it has one."""
    if kernel is None:
        return "without attention"
    return LABELS[kernel].words if kernel in LABELS else kernel


SLOPES = {"uniform": 2, "linear": 4, "power_2": 6, "power_3": 8, "power_4": 10}
"""Of log n* against log mu, in theory, for large mu."""

LEFT_OUT = 3e6
"""Left, exp and bayes are drawn up to so many tokens: else they would press the others together."""

TRIANGLE = (0.93, 1.05)
"""From where to where a slope's triangle reaches, beside the last but one mu."""

BENEATH = 1.35
"""Factor by which it stands beneath its limit."""

CRITICAL_N = (
    "The n at which the best accuracy of one query is 0.75; computed. Left, triangles have the "
    "slope that is named, 2k where sums of degree k are seen: p + 1 for a score to the power p. "
    "Right, against μ², the dotted line is 0.7 e^(μ²/2). Bounds for uniform and linear, "
    "references for powers and softmax. Left, softmax leaves the panel."
)
CROSSINGS = (
    "\nDots: where the mean accuracy of trained networks crosses 0.75 within the grid of n, "
    "interpolated in log n; the query given."
)


def draw_critical(title: str, critical: pa.Table, cells: pa.Table | None = None) -> Figure:
    """The n at which each kernel's accuracy is .75, against mu and its square, with dots where
    trained networks cross it."""
    crossings = list(trained_crossings(runs_of(cells)))
    note = CRITICAL_N + CROSSINGS if crossings else CRITICAL_N
    with sheet(title, note, 2, (4.8, 4.6)) as (figure, (left, right)):
        for kernel, (mu, n) in critical_points(critical).items():
            look = kernel_line(kernel) | {"marker": None if kernel == "bayes" else "."}
            is_near = n < (math.inf if kernel in SLOPES else LEFT_OUT)
            left.plot(mu[is_near], n[is_near], label=WORDS[kernel], **look)
            right.plot(mu**2, n, **look)
            if kernel in SLOPES and len(mu) > 1:
                _draw_triangle(left, mu, n, SLOPES[kernel])
        all_mu = np.unique(numpy_column(critical, "mu"))
        reference = 0.7 * np.exp(all_mu**2 / 2)
        right.plot(all_mu**2, reference, color=INK, linestyle=":", linewidth=1)
        for kernel, at_mu, crossing in crossings:
            color = kernel_line(kernel)["color"]
            left.plot(at_mu, crossing.n, "o", color=color, **POINT_LOOK)
            right.plot(at_mu**2, crossing.n, "o", color=color, **POINT_LOOK)
        whole_mu = all_mu[all_mu % 1 == 0]
        ticks = (whole_mu if len(whole_mu) else all_mu).tolist()
        ticks_at(left.xaxis, ticks)
        right.set_xticks([mu**2 for mu in ticks], [f"{mu:g}²" for mu in ticks])
        left.set_yscale("log")
        right.set_yscale("log")
        left.set_xlabel("signal-to-noise ratio $\\mu$ of the needle, logarithmic")
        right.set_xlabel("$\\mu^2$")
        left.set_ylabel("critical $n$")
        left.set_title("Scores to a power: straight against log μ")
        right.set_title("Softmax: straight against μ²")
        legend_beside(figure, [key("trained", marker="o", **POINT_LOOK)] if crossings else [])
    return figure


def critical_points(critical: pa.Table) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """The mu and the critical n of each kernel, where this n is above 0 and finite."""
    points = {}
    for kernel in WORDS:
        mu, n = sorted_columns(select_rows(critical, kernel=kernel), "mu", "n_critical")
        is_known = (n > 0) & (n < math.inf)
        if is_known.any():
            points[kernel] = mu[is_known], n[is_known]
    return points


def _draw_triangle(ax: Axes, mu: np.ndarray, n: np.ndarray, slope: int) -> None:
    """A triangle with a slope beneath a line of critical n, and the slope beside it."""
    low = TRIANGLE[0] * mu[-2]
    high = TRIANGLE[1] * mu[-2]
    log_n_at_low = np.interp(math.log(low), np.log(mu), np.log(n))
    bottom = float(np.exp(log_n_at_low)) / BENEATH
    top = bottom * (high / low) ** slope
    ax.plot([low, high, high, low], [bottom, bottom, top, bottom], color=INK, linewidth=0.7)
    ax.annotate(
        f"{slope}",
        (high, math.sqrt(bottom * top)),
        xytext=(2, 0),
        textcoords="offset points",
        fontsize=7.5,
        va="center",
    )


SINK = (
    "Softmax of scores μz with one more answer, the sink; a needle is detected where the sink's "
    "weight is below ½. Its logit, log n₀ + μ²/2, is right for n₀ tokens and used at n; that of "
    "softmax-one is 0. Numbers: the last n with an accuracy of 0.75. Computed, not simulated."
)


def draw_sinks(title: str, sinks: pa.Table, cells: pa.Table | None = None) -> Figure:
    """Accuracy against n, a panel for each mu: of sinks that are right for one n, and of the one
    that is right at every n."""
    mus = dict.fromkeys(sinks["mu"].to_pylist())
    with sheet(title, SINK, len(mus), (3.9, 4.1), (2.3, 0.0), sharey=True) as (figure, axes):
        for ax, mu in zip(axes, mus, strict=True):
            at_mu = select_rows(sinks, mu=mu)
            colours = cycle(PALETTE)
            ax.axhline(CRITICAL, color=DARK_GRAY, linewidth=0.8)
            n, right_accuracy = sorted_columns(at_mu, "n", "right_sink")
            ax.plot(n, right_accuracy, label="right at every n (Bayes)", **kernel_line("bayes"))
            for right_at in dict.fromkeys(at_mu["right_at"].to_pylist()):
                of_sink = select_rows(at_mu, right_at=right_at)
                if right_at:
                    look: Look = {"color": next(colours), "marker": "."}
                    _draw_sink(ax, of_sink, f"right at n₀ = {right_at:,}", look)
                else:
                    _draw_sink(ax, of_sink, "softmax-one", {"color": INK, "marker": ","})
            ax.set(xscale="log", xlabel="tokens $n$", title=f"$\\mu$ = {mu:g}", ylabel="accuracy")
            ax.label_outer()
        legend_beside(figure)
    return figure


def _draw_sink(ax: Axes, sink: pa.Table, label: str, look: Look) -> None:
    """Accuracy of a sink against n, and the last n at which it is .75."""
    n, accuracy = sorted_columns(sink, "n", "accuracy")
    ax.plot(n, accuracy, label=label, **look)
    reached = n[accuracy >= CRITICAL]
    if len(reached):
        last = reached[-1]
        ax.plot(last, CRITICAL, "o", color=look["color"], **POINT_LOOK)
        ax.annotate(
            f"{last:,}",
            (last, CRITICAL),
            xytext=(-3, -5),
            rotation=90,
            textcoords="offset points",
            fontsize=7.5,
            ha="right",
            va="top",
        )


REFERENCES = ("bayes", "exp", "power_2", "linear")
"""Limits that stand beside feature maps."""

FEATURES = (
    "Trained networks with the feature map elu + 1 of learned projections: every run, and means. "
    "Horizontal: what is computed of kernels of the score."
)

Place = tuple[str, float, int]


def draw_features(title: str, limits: pa.Table, cells: pa.Table) -> Figure:
    """Accuracy of trained feature maps against how many features they have."""
    runs = [run for run in runs_of(cells) if run["features"]]
    places = places_of(runs)[:3]
    columns = max(len(places), 1)
    look = {
        "color": kernel_line("elu_plus_one")["color"],
        "marker": kernel_marker("elu_plus_one"),
    }
    with sheet(
        title, FEATURES, columns, (4.2, 3.9), (2.0, 0.0), sharey=True
    ) as (figure, axes):  # fmt: skip
        for ax, place in zip(axes, places, strict=False):
            arm, mu, n = place
            for kernel in REFERENCES:
                reference = select_rows(limits, kernel=kernel, mu=mu, n=n)
                for limit in reference["accuracy"].to_pylist():
                    ax.axhline(limit, label=WORDS[kernel], **kernel_line(kernel))
            runs_here = [run for run in runs if place_of(run) == place]
            accuracies = _accuracies_by(lambda run: run["features"], runs_here)
            for features, values in accuracies.items():
                ax.plot([features] * len(values), values, **POINT_LOOK | look)
            numbers = sorted(accuracies)
            means = [np.mean(accuracies[features]) for features in numbers]
            ax.plot(numbers, means, color=look["color"])
            ticks_at(ax.xaxis, numbers)
            ax.set_xlabel("features $r$")
            ax.set_title(f"{ARMS.get(arm, arm)}, $\\mu$ = {mu:g}, $n$ = {n}")
            _accuracy_axis(ax)
        legend_beside(figure, [key("trained elu + 1", **POINT_LOOK | look | {"linestyle": "-"})])
    return figure


def place_of(run: Run) -> Place:
    """Arm, mu and n of a run."""
    return run["arm"], run["mu"], run["n"]


def places_of(runs: Iterable[Run]) -> list[Place]:
    """The arms, mu and n at which the most different numbers of features were trained."""
    numbers: dict[Place, set[int]] = {}
    for run in runs:
        numbers.setdefault(place_of(run), set()).add(run["features"])
    most = max((len(features) for features in numbers.values()), default=0)
    return [place for place in sorted(numbers) if len(numbers[place]) >= most]


def _accuracies_by(group: Callable[[Run], Any], runs: Iterable[Run]) -> dict[Any, list[float]]:
    """The accuracies of runs by the group that each is in, groups in the order of their first
    run."""
    accuracies: dict[Any, list[float]] = {}
    for run in runs:
        accuracies.setdefault(group(run), []).append(run["accuracy"])
    return accuracies


NETWORK = (
    "All weights trained, X from the identity; ReLU neurons on every token, standardised, pooled "
    "by the largest. Bars: means of runs; dots: every run, on held-out sequences.\nWith linear "
    "attention a token's query can copy the token; row sums vary from token to token: there 0.5 is "
    "a failed training, for weights set by hand have 0.60 at μ = 5 and n = 512."
)
BARS = {
    (None, "sum"): "no\nattention",
    ("linear", "n"): "linear,\nby $n$",
    ("linear_unnormalised", "rms"): "linear,\nRMSNorm",
    ("linear", "sum"): "linear, by\nrow sums",
    ("exp", "sum"): "softmax",
}


def draw_paper_network(title: str, limits: pa.Table, cells: pa.Table) -> Figure:
    """The figure of the first paper's network, trained, every token a query: a bar for each map."""
    runs = [run for run in runs_of(cells) if run["arm"] == "self_attention"]
    places = sorted({(run["mu"], run["n"]) for run in runs})
    columns = max(len(places), 1)
    with sheet(
        title, NETWORK, columns, (3.9, 3.9), (2.0, 0.0), sharey=True
    ) as (figure, axes):  # fmt: skip
        for ax, (mu, n) in zip(axes, places, strict=False):
            best = select_rows(limits, kernel="bayes", mu=mu, n=n)
            for accuracy in best["accuracy"].to_pylist():
                ax.axhline(accuracy, label=WORDS["bayes"], zorder=1, **kernel_line("bayes"))
            runs_here = [run for run in runs if (run["mu"], run["n"]) == (mu, n)]
            accuracies = _accuracies_by(lambda run: (run["kernel"], run["divided_by"]), runs_here)
            for position, ((kernel, _), values) in enumerate(accuracies.items()):
                _draw_bar(ax, position, kernel, values)
            names = [BARS.get(bar, f"{bar[0]},\nby {bar[1]}") for bar in accuracies]
            ax.set_xticks(range(len(names)), names)
            ax.set_title(f"$\\mu$ = {mu:g}, $n$ = {n}")
            _accuracy_axis(ax)
        legend_beside(figure)
    return figure


def _draw_bar(ax: Axes, position: int, kernel: str | None, accuracies: Sequence[float]) -> None:
    """The mean accuracy of some runs as a bar, with a dot for each, and a line across where they
    have no attention."""
    mean = float(np.mean(accuracies))
    if kernel is None:
        color = MIDDLE_GRAY
    else:
        color = kernel_line(kernel)["color"]
    ax.bar(position, mean - 0.5, bottom=0.5, width=0.6, color=color, alpha=0.6)
    ax.plot([position] * len(accuracies), accuracies, "o", color=color, **POINT_LOOK)
    if kernel is None:
        look: Look = {"color": INK, "linestyle": "--", "linewidth": 1, "zorder": 1}
        ax.axhline(mean, label="without attention", **look)


def _accuracy_axis(ax: Axes) -> None:
    """Have a panel's axis of accuracy go from chance to 1, named on the first panel alone."""
    ax.set_ylim(0.49, 1.01)
    ax.set_ylabel("held-out accuracy")
    ax.label_outer()


DRAWN_OF_NEEDLE: dict[str, tuple[pa.Schema, Callable[..., Figure]]] = {
    "needle_accuracy": (accuracy_limits.ACCURACY_SCHEMA, draw_accuracies),
    "needle_critical": (accuracy_limits.CRITICAL_SCHEMA, draw_critical),
    "needle_sink": (accuracy_limits.SINK_SCHEMA, draw_sinks),
    "needle_features": (accuracy_limits.ACCURACY_SCHEMA, draw_features),
    "needle_paper_network": (accuracy_limits.ACCURACY_SCHEMA, draw_paper_network),
}
"""The columns of the table of limits that a figure shows, and what draws it and networks."""


def run(job: Job, figure: str, table: Path, output: Path, cells: Path | None = None) -> None:
    schema, draw = DRAWN_OF_NEEDLE[figure]
    limits = read_parquet(table, schema)
    networks = read_parquet(cells, CELLS) if cells else None
    numbers = networks if figure in FIGURES_OF_NETWORKS else limits
    picture = draw(FIGURES_OF_NEEDLE[figure], limits, networks)
    save_with_numbers(picture, output, numbers, record(job.canonical(), __name__))
