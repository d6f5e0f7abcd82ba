"""Figures of the needle: accuracy limits of kernels, with trained networks as dots where there are
any, and trained networks beside these limits."""

import math
from collections.abc import Iterable
from itertools import cycle
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ..pages.drawing import key, legend_beside, save_with_numbers, sheet, sorted_columns, ticks_at
from ..pages.house_style import DARK_GRAY, INK, MIDDLE_GRAY, PALETTE, VERMILION, kernel_line
from ..results.provenance import record
from ..results.tables import numpy_column, read_parquet, select_rows
from ..settings.strict_model import Job
from .claims.runs import QUERIES, trained_crossings
from .exact import accuracy_limits
from .exact.accuracy import CRITICAL
from .settings.titles import FIGURES, FIGURES_OF_NETWORKS
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

DOT = {
    "linestyle": "", "markeredgecolor": INK, "markeredgewidth": 0.5, "markersize": 4.5, "zorder": 4,
}  # fmt: skip
TRAINED = "trained: every run"

Map = tuple[str | None, str, int | None]
"""An attention map by its kernel, what it is divided by, and features."""

MAPS = {
    ("linear", "sum", None): (VERMILION, "s", "trained linear, by row sums"),
    ("linear_unnormalised", "rms", None): (VERMILION, "D", "trained linear, RMSNorm"),
}
"""Colour, marker and words of maps whose kernel has a limit and that are not drawn as its own."""

SKY_BLUE = PALETTE[5]
OTHERS = (SKY_BLUE, DARK_GRAY, MIDDLE_GRAY), "^vPX*<>"
"""Colours and markers of maps whose kernel has no limit."""

ARMS = {arm: QUERIES[arm] for arm in ("query_given", "query_learned")}
"""Arms that are shown, in words."""

ACCURACIES = (
    "One query over n tokens with noise of standard deviation 1, one of which has μ more on D1; "
    "chance is 0.5, and an n is critical at 0.75.\nOf uniform and linear, no layer of heads whose "
    "queries do not see the tokens, with scores and values linear in them, passes its limit; "
    "powers and softmax have one threshold on one ratio, or on the largest token: references, not "
    "bounds. Nothing passes the gray line. Computed, not simulated."
)
DOTS = (
    "\nDots: trained networks, every run, on held-out sequences; one beneath its limit has not "
    "learned it in these steps. Query given: it is the needle's direction, drawn for each "
    "sequence. Query learned: the first paper's D1 against D0; classes separate these tokens, so "
    "that the bounds are not theirs."
)


def draw_accuracies(title: str, limits: pa.Table, cells: pa.Table | None = None) -> Figure:
    """The best accuracy of each kernel against n, a panel for each mu; or for each arm and mu of
    trained networks, with a dot for each run but those of controls."""
    rows = [row for row in runs_of(cells) if row["arm"] in ARMS]
    marks = marks_of(map_of(row) for row in rows)
    panels = {
        (arm, mu): f"{ARMS[arm]}, $\\mu$ = {mu:g}"
        for arm, mu in sorted({(row["arm"], row["mu"]) for row in rows})
    } or {
        (None, mu): f"signal-to-noise ratio of the needle $\\mu$ = {mu:g}"
        for mu in dict.fromkeys(limits["mu"].to_pylist())
    }
    note = ACCURACIES + (DOTS if rows else "")
    with sheet(title, note, len(panels), (3.5, 4.1), (2.3, 0.0), sharey=True) as (figure, axes):
        for ax, ((arm, mu), words) in zip(axes, panels.items(), strict=True):
            own = select_rows(limits, mu=mu)
            ax.axhline(CRITICAL, color=DARK_GRAY, linewidth=0.8)
            for kernel, label in WORDS.items():
                of_kernel = select_rows(own, kernel=kernel)
                n, accuracy = sorted_columns(of_kernel, "n", "accuracy")
                ax.plot(n, accuracy, label=label, **kernel_line(kernel))
            for row in rows:
                if (row["arm"], row["mu"]) == (arm, mu):
                    look = marks[map_of(row)] | {"clip_on": False, "label": None}
                    ax.plot(row["n"], row["accuracy"], **DOT | look)
            ax.set(xscale="log", xlabel="tokens $n$", ylabel="accuracy", title=words)
            n = own["n"].to_pylist()
            if min(n) < max(n):
                ax.set_xlim(min(n), max(n))
            ax.set_ylim(0.49, 1.01)
            ax.label_outer()
        # One entry for all dots in the colour of their limit.
        labels = {look["label"]: look for look in marks.values()}
        if TRAINED in labels:
            labels[TRAINED] = labels[TRAINED] | {"color": INK}
        legend_beside(figure, [key(**DOT | look) for look in labels.values()])
    return figure


def runs_of(cells: pa.Table | None) -> list[dict]:
    """The runs of trained networks that are no controls."""
    return [row for row in cells.to_pylist() if not row["control"]] if cells else []


def map_of(row: dict) -> Map:
    """The attention map of a run."""
    return row["kernel"], row["divided_by"], row["features"]


def marks_of(maps: Iterable[Map]) -> dict[Map, dict[str, Any]]:
    """How dots of each map are drawn: of one with a limit in its colour, others apart."""
    found = {}
    others = zip(*map(cycle, OTHERS), strict=False)
    for each in dict.fromkeys(maps):
        kernel, _, features = each
        if each in MAPS:
            look = MAPS[each]
        elif kernel in WORDS and features is None:
            look = (kernel_line(kernel)["color"], "o", TRAINED)
        else:
            words = f"trained {kernel or 'without attention'}"
            look = (*next(others), words + (f", {features} features" if features else ""))
        found[each] = dict(zip(("color", "marker", "label"), look, strict=True))
    return found


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
    """The n at which each kernel's accuracy is .75, against mu and its square, with those at which
    trained networks cross it."""
    dots = list(trained_crossings(runs_of(cells)))
    note = CRITICAL_N + (CROSSINGS if dots else "")
    with sheet(title, note, 2, (4.8, 4.6)) as (figure, (left, right)):
        for kernel, (mu, n) in critical_points(critical).items():
            look = kernel_line(kernel) | {"marker": "." if kernel != "bayes" else None}
            near = n < (LEFT_OUT if kernel not in SLOPES else math.inf)
            left.plot(mu[near], n[near], label=WORDS[kernel], **look)
            right.plot(mu**2, n, **look)
            if kernel in SLOPES and len(mu) > 1:
                _draw_triangle(left, mu, n, SLOPES[kernel])
        every = np.unique(numpy_column(critical, "mu"))
        right.plot(every**2, 0.7 * np.exp(every**2 / 2), color=INK, linestyle=":", linewidth=1)
        for kernel, mu, n in dots:
            for ax, x in ((left, mu), (right, mu**2)):
                ax.plot(x, n, "o", color=kernel_line(kernel)["color"], **DOT)
        whole = [mu for mu in every if mu.is_integer()] or every
        ticks_at(left.xaxis, whole)
        left.set_yscale("log")
        right.set_yscale("log")
        right.set_xticks([mu**2 for mu in whole], [f"{mu:g}²" for mu in whole])
        left.set_xlabel("signal-to-noise ratio $\\mu$ of the needle, logarithmic")
        right.set_xlabel("$\\mu^2$")
        left.set_ylabel("critical $n$")
        left.set_title("Scores to a power: straight against log μ")
        right.set_title("Softmax: straight against μ²")
        legend_beside(figure, [key("trained", marker="o", **DOT)] if dots else [])
    return figure


def critical_points(critical: pa.Table) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """mu and n* of each kernel, where there is one."""
    found = {}
    for kernel in WORDS:
        mu, n = sorted_columns(select_rows(critical, kernel=kernel), "mu", "n_critical")
        known = (n > 0) & (n < math.inf)
        if known.any():
            found[kernel] = mu[known], n[known]
    return found


def _draw_triangle(ax: Axes, mu: np.ndarray, n: np.ndarray, slope: int) -> None:
    low, high = (share * mu[-2] for share in TRIANGLE)
    bottom = float(np.exp(np.interp(math.log(low), np.log(mu), np.log(n)))) / BENEATH
    top = bottom * (high / low) ** slope
    ax.plot([low, high, high, low], [bottom, bottom, top, bottom], color=INK, linewidth=0.7)
    ax.annotate(
        f"{slope}", (high, math.sqrt(bottom * top)), xytext=(2, 0), textcoords="offset points",
        fontsize=7.5, va="center",
    )  # fmt: skip


SINK = (
    "Softmax of scores μz with one more answer, the sink; a needle is detected where the sink's "
    "weight is below ½. Its logit, log n₀ + μ²/2, is right for n₀ tokens and used at n; that of "
    "softmax-one is 0. Numbers: the last n with an accuracy of 0.75. Computed, not simulated."
)


def draw_sinks(title: str, sinks: pa.Table, cells: pa.Table | None = None) -> Figure:
    """Accuracy against n, a panel for each mu: of sinks that are right for one n, and right."""
    mus = dict.fromkeys(sinks["mu"].to_pylist())
    with sheet(title, SINK, len(mus), (3.9, 4.1), (2.3, 0.0), sharey=True) as (figure, axes):
        for ax, mu in zip(axes, mus, strict=True):
            own, colours = select_rows(sinks, mu=mu), cycle(PALETTE)
            ax.axhline(CRITICAL, color=DARK_GRAY, linewidth=0.8)
            right = sorted_columns(own, "n", "right_sink")
            ax.plot(*right, label="right at every n (Bayes)", **kernel_line("bayes"))
            for right_at in dict.fromkeys(own["right_at"].to_pylist()):
                n, accuracy = sorted_columns(select_rows(own, right_at=right_at), "n", "accuracy")
                name = f"right at n₀ = {right_at:,}" if right_at else "softmax-one"
                color = next(colours) if right_at else INK
                ax.plot(n, accuracy, label=name, color=color, marker="." if right_at else ",")
                for last in n[accuracy >= CRITICAL][-1:]:
                    ax.plot(last, CRITICAL, "o", color=color, **DOT)
                    ax.annotate(
                        f"{last:,}", (last, CRITICAL), xytext=(-3, -5), rotation=90,
                        textcoords="offset points", fontsize=7.5, ha="right", va="top",
                    )  # fmt: skip
            ax.set(xscale="log", xlabel="tokens $n$", title=f"$\\mu$ = {mu:g}", ylabel="accuracy")
            ax.label_outer()
        legend_beside(figure)
    return figure


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
BARS = {
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
            names = [BARS.get(each, f"{each[0]},\nby {each[1]}") for each in runs]
            ax.set_xticks(range(len(runs)), names)
            ax.set_title(f"$\\mu$ = {mu:g}, $n$ = {n}")
            _accuracy_axis(ax)
        legend_beside(figure)
    return figure


def _accuracy_axis(ax: Axes) -> None:
    ax.set_ylim(0.49, 1.01)
    ax.set_ylabel("held-out accuracy")
    ax.label_outer()


DRAWN = {
    "needle_accuracy": (accuracy_limits.ACCURACIES, draw_accuracies),
    "needle_critical": (accuracy_limits.CRITICAL, draw_critical),
    "needle_sink": (accuracy_limits.SINKS, draw_sinks),
    "needle_features": (accuracy_limits.ACCURACIES, draw_features),
    "needle_paper_network": (accuracy_limits.ACCURACIES, draw_paper_network),
}
"""The columns of the table of limits that a figure shows, and what draws it and networks."""


def run(job: Job, figure: str, table: Path, output: Path, cells: Path | None = None) -> None:
    schema, draw = DRAWN[figure]
    limits = read_parquet(table, schema)
    networks = read_parquet(cells, CELLS) if cells else None
    numbers = networks if figure in FIGURES_OF_NETWORKS else limits
    picture = draw(FIGURES[figure], limits, networks)
    save_with_numbers(picture, output, numbers, record(job.canonical(), __name__))
