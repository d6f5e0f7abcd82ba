"""Pictures of attention, light enough to be drawn while a slider moves; a figure's label says what
it shows. Of kernels they take what `separate` takes, and a temperature; they raise what it raises.

In these functions the *setting* is the other parameters of `separate`, by name.
"""

import io
from collections.abc import Iterable, Mapping
from functools import lru_cache
from numbers import Real
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from .. import recall
from ..api.build import Given, kernel_of, unique_names
from ..api.separating import Separation, separate
from ..api.temperature import at_temperature
from ..attention.distinct_rows import OWN, SAME, SPECIAL
from ..attention.sign_columns import binomial_half_pmf, none_of
from ..attention.threshold_curves import LARGEST_N
from ..datasets.dataset import FixedData
from ..looks.colors import BLUE, GRAY, MIDDLE_GRAY, PALETTE, VERMILION
from ..looks.kernel_styles import kernel_line, kernel_lines, kernel_marker
from ..looks.literal_text import literal_text
from ..messages.number_check import number, whole_number
from ..messages.words import short_repr, suggestion
from ..pages.house_style import house_rc
from ..rank_bound.bound import bound

PICTURE_INCHES = (5.2, 3.5)  # inches: what is small enough for a phone is enlarged on a wide screen
RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
POWERS_OF_TEN = {10**k: "10" + str(k).translate(RAISED) for k in range(3, 13)}
"""Powers of ten as axes have them."""

TEN = (10, 12, 15, 20, 25, 30, 40, 50, 60, 80)
"""Values between two powers of ten, times a tenth of the lower one."""

AXES: dict[str, tuple[str, tuple[float, ...]]] = {
    "n": ("tokens n", (*(x * 10**k for k in range(11) for x in TEN[::2]), 10**12)),
    "d": ("dimension d", (*range(4, 12), 13, 15, 17, 19, 22, 24, 28, 31, 35, 40, 46, 52, 58, 66)),
    "m": ("sign columns m", (*range(1, 10), *TEN, 100)),
    "a1": ("special entry a₁ / √log n", tuple(k / 20 for k in range(1, 61))),
    "b": ("class entry b / √log n", tuple(k / 20 for k in range(1, 41))),
    "c": ("last entry c / √log n", tuple(k / 20 for k in range(1, 41))),
    "theta": ("threshold θ / √log n", tuple(k / 100 for k in range(1, 201))),
    "temperature": ("temperature T", (*(x / by for by in (100, 10, 1) for x in TEN), 100.0)),
}
"""What a curve can be drawn against: its words, and the values that it is drawn through."""

NEEDLE_KERNELS = ("bayes", "exp", "power_4", "power_3", "power_2", "linear", "uniform")
MUS = tuple(3 + k / 2 for k in range(11))
TOKENS = tuple(2**k for k in range(3, 21))
NEEDLE_LIMITS_FILE = Path(__file__).with_name("needle_limits.csv")
"""Their accuracy limits, which take longer than a slider may: tests/helpers/needle_table.py
writes them."""


def separation(
    kernel: Given, n: int = 2_000, temperature: float = 1.0, **setting: Any
) -> Separation:
    """The `separate` of a kernel whose scores are divided by a temperature."""
    return separate(at_temperature(kernel, temperature), n=n, **setting)


def nearest_multiple(n: float, classes: int) -> int:
    """The multiple of K nearest to n, to 10^12."""
    return classes * max(min(round(n / classes), LARGEST_N // classes), 1)


def in_digits(probability: float) -> str:
    """A probability with four digits, of which none but 0 reads as 0, and none but 1 as 1."""
    if 0 < probability < 0.00005:
        return "< 0.0001"
    return "> 0.9999" if 0.99995 <= probability < 1 else f"{probability:z.4f}"


def draw_curve(kernels: str | Iterable[Given], against: str = "n", **setting: Any) -> Figure:
    """P(a kernel's network alone separates D1 from D0) against a parameter of AXES, exact, with a
    dot at the setting. n is the nearest that stacks; a line has a gap where there is no answer."""
    if not isinstance(against, str) or against not in AXES:
        raise ValueError(f"against={short_repr(against)}; {suggestion(str(against), [*AXES])}")
    axes = panel()
    named = _named(kernels)
    looks = kernel_lines(name for _, name in named)
    for kernel, name in named:
        look = looks[name]
        result = separation(kernel, **setting)
        values, probabilities = _curve(kernel, against, **_setting_without(setting, against))
        axes.plot(values, probabilities, label=name, **look)
        value_here = _value_of(result, against, setting)
        if value_here is not None:
            marker = kernel_marker(name)
            axes.plot([value_here], [result.probability], marker, color=look["color"], markersize=5)
            axes.axvline(value_here, color=MIDDLE_GRAY, linewidth=0.8, zorder=1)
    axes.set_ylim(-0.02, 1.02)
    along = AXES[against][0]
    theta = "each" if against == "theta" else setting.get("theta", "best")
    words = f"Exact, against {along}. Threshold / √log n: {theta}. Dots are at the chosen values."
    is_logarithmic = against in ("n", "temperature")
    return finished(axes, along, "P(separates D1 from D0)", words, is_logarithmic)


def _value_of(result: Separation, against: str, setting: Mapping[str, Any]) -> float | None:
    """The value of a parameter in a setting; None for the best thresholds, which are an interval or
    none."""
    if hasattr(result, against):
        value = getattr(result, against)
    else:
        value = setting.get(against, getattr(FixedData, against, 1.0))
    return None if isinstance(value, tuple) else value


def _setting_without(setting: Mapping[str, Any], against: str) -> dict[str, Any]:
    """The setting less the parameter that a curve is drawn against, on which it does not depend. n
    stacks for one d alone, so d stays."""
    if against == "d":
        return dict(setting)
    return {name: value for name, value in setting.items() if name != against}


# While a slider moves that a curve is drawn against, its line stays.
@lru_cache(maxsize=64)
def _curve(kernel: Given, against: str, **setting: Any) -> tuple[np.ndarray, np.ndarray]:
    """The values of a parameter, (P,), and the probability at each, NaN where there is none."""
    result = separation(kernel, **setting)
    values = np.array(AXES[against][1])
    if against == "theta":
        return values, result.curve.at(values)
    coordinates_beside_classes = result.d - int(result.scored.rows[0].classes[0])
    sizes = []
    probabilities = []
    for value in AXES[against][1]:
        varied = setting | {"n": result.n, "d": result.d} | {against: value}
        varied["n"] = nearest_multiple(varied["n"], varied["d"] - coordinates_beside_classes)
        sizes.append(varied[against])
        try:
            probabilities.append(separation(kernel, **varied).probability)
        except ArithmeticError:
            probabilities.append(np.nan)
    return np.array(sizes, dtype=float), np.array(probabilities)


def draw_scores(kernel: Given, **setting: Any) -> Figure:
    """The law of the network's largest score, D1's upwards and D0's downwards, with the threshold
    or the interval of the best ones; tails below 1/1000 of the likeliest score are left out."""
    result = separation(kernel, **setting)
    thetas = np.array([] if result.theta is None else result.theta, ndmin=1)
    laws = [score_law(result, dataset) for dataset in (0, 1)]
    likely = [values[chances > chances.max() / 1000] for values, chances in laws]
    edges = np.histogram_bin_edges(np.concatenate([*likely, thetas]), 120)
    edges = np.unique([*edges, *thetas])
    axes = panel()
    for dataset, color, direction in ((1, BLUE, 1), (0, VERMILION, -1)):
        values, chances = laws[dataset]
        heights, _ = np.histogram(values, edges, weights=chances)
        label = f"largest score on D{dataset}"
        axes.stairs(direction * heights, edges, fill=True, color=color, label=label)
    axes.axhline(0, color=MIDDLE_GRAY, linewidth=0.8)
    axes.yaxis.set_major_formatter(lambda y, _: f"{abs(y):g}")
    words = f"No threshold of {result.kernel} separates D1 from D0."
    if len(thetas):
        label = "best thresholds" if len(thetas) == 2 else "threshold"
        axes.axvspan(thetas[0], thetas[-1], color=GRAY, linewidth=1.5, label=label, zorder=0.5)
        above_d0, above_d1 = [_chance_above(law, thetas[0]) for law in laws]
        words = (
            f"The largest score over all tokens and sign columns is above {thetas[0]:.4g} √log n "
            f"with probability {in_digits(above_d1)} on D1, {in_digits(above_d0)} on D0."
        )
    return finished(axes, "score / √log n", "probability: D0 below, D1 above", words)


def score_law(result: Separation, dataset: int) -> tuple[np.ndarray, np.ndarray]:
    """The law on D0 or D1 of the largest score over all tokens and sign columns: its values in
    order, in units of sqrt(log n), and the chance of each. A value is the score less its tolerance,
    so that it is above a threshold exactly if the score exceeds it."""
    scored = result.scored.d1 if dataset else result.scored.d0
    states = scored.over(result.scored.s).tie_limit[0]
    *types, counts = states.shape
    chances = binomial_half_pmf(counts - 1) / np.prod(types)
    values, places = np.unique(states, return_inverse=True)
    chance_of_value = np.bincount(places.ravel(), np.broadcast_to(chances, states.shape).ravel())
    downwards = np.cumsum(chance_of_value[:0:-1])
    chance_above = np.append(downwards[::-1], 0.0)
    return values, np.diff(none_of(chance_above, result.m), prepend=0.0)


def _chance_above(law: tuple[np.ndarray, np.ndarray], theta: float) -> float:
    """The chance that a score with a law is above a threshold."""
    values, chances = law
    return float(chances[values > theta].sum())


def draw_row(kernels: str | Iterable[Given], **setting: Any) -> Figure:
    """The special token's attention row, on D1 and D0: the shares of the special token, of the
    others of its class, and of all other classes; negative weights are hatched."""
    named = _named(kernels)
    names = []
    rows = []
    for kernel, name in named:
        result = separation(kernel, **setting)
        for dataset in (1, 0):
            names.append(f"{name}, D{dataset}")
            rows.append(row_weights(result, dataset))
    weights = np.array(rows)
    shares = weights / np.maximum(np.abs(weights).sum(axis=1, keepdims=True), 1e-300)
    # The two bars of a kernel stand together.
    places = [k + 0.4 * (k // 2) for k in range(len(names))]
    axes = panel()
    left = np.zeros(len(names))
    groups = ((BLUE, "special token"), ("#9CC7E3", "others of its class"), (GRAY, "other classes"))
    for (color, label), share in zip(groups, shares.T, strict=True):
        hatch = ["////" if part < 0 else "" for part in share]
        axes.barh(
            places,
            np.abs(share),
            left=left,
            height=0.85,
            hatch=hatch,
            color=color,
            label=label,
            edgecolor="white",
            linewidth=0,
        )
        left = left + np.abs(share)
    special_shares = shares[:, 0]
    labels = [
        f"{name}: {100 * share:.2g} %" for name, share in zip(names, special_shares, strict=True)
    ]
    axes.set_yticks(places, labels)
    axes.set(xlim=(0, 1), ylim=axes.get_ylim()[::-1])
    words = "Beside each bar stands the special token's share, of the sizes of all weights."
    return finished(axes, "share of the special token's row", "", words)


def row_weights(result: Separation, dataset: int) -> np.ndarray:
    """The special token's row on D0 or D1: weights of the special token, of all others of its class
    and of all other classes, (3,)."""
    rows = result.scored.rows[dataset]
    t = result.n // int(rows.classes[0])
    weights = rows.weights[0, 0][[SPECIAL, SAME, OWN]]
    return weights * (1, t - 1, result.n - t)


def draw_needle(mu: float = 5.0, n: int = 512) -> Figure:
    """Accuracy limits against the number of tokens, a line for each kernel: dots are tabled, lines
    only join them; the legend has the limits at n, a power of 2, and at a signal-to-noise ratio mu.
    ValueError if the table does not have them."""
    if not _is_in(MUS, mu) or not _is_in(TOKENS, n):
        given = f"mu={short_repr(mu)} and n={short_repr(n)}"
        allowed = f"mu in {MUS} and n in {TOKENS}; attention_separation.needle.limit has any other"
        raise ValueError(f"{given} are not in the table; allowed: {allowed}")
    limits = pd.read_csv(NEEDLE_LIMITS_FILE, index_col=["mu", "kernel"]).loc[mu]
    axes = panel()
    for kernel in NEEDLE_KERNELS:
        accuracies = limits.loc[kernel, [*map(str, TOKENS)]]
        label = f"{kernel}: {accuracies[str(n)]:.3f}"
        look = kernel_line(kernel)
        # The best possible is a broad line, below the others.
        look["zorder"] = 2 if kernel == "bayes" else 3
        axes.plot(
            TOKENS, accuracies, marker=kernel_marker(kernel), markersize=3, label=label, **look
        )
    axes.axvline(n, color=MIDDLE_GRAY, linewidth=0.8, zorder=1)
    axes.axhline(0.75, color=MIDDLE_GRAY, linewidth=0.8, linestyle=":", zorder=1)
    axes.set_ylim(0.49, 1.01)
    last_n = limits["last_n"]
    words = (
        f"Every token is noisy. The legend has the best accuracy of one query among n = {n:,} "
        f"tokens, at a signal-to-noise ratio μ = {mu:g}. Softmax (exp) is read by its largest "
        "token, bayes is any detector, guessing has 0.5. The accuracy is 0.75 or more up to n = "
        f"{last_n['linear']:,} for linear attention, {last_n['power_2']:,} for x² and "
        f"{last_n['exp']:,} for softmax. Dots are tabled values; lines only join them."
    )
    return finished(axes, f"tokens n, at μ = {mu:g}", "accuracy limit", words, is_logarithmic=True)


LARGEST_PICTURE_D = 10_000
MOST_PICTURE_HEADS = 10**15


def _is_in(values: Iterable[float], x: object) -> bool:
    """Whether a number is among some; a truth value, a text and an array are no numbers."""
    return isinstance(x, Real) and not isinstance(x, bool) and x in tuple(values)


def draw_rank_bound(d: int = 64, rank: int = 32, heads: int = 2) -> Figure:
    """The error that no one layer of `heads` heads goes below, against their rank from 1 to d, with
    a dot at `rank`, or at d if it is more. ValueError if a size is out of range."""
    d = whole_number("d", d, 2, LARGEST_PICTURE_D)
    heads = whole_number("heads", heads, 1, MOST_PICTURE_HEADS)
    rank = min(whole_number("rank", rank, 1, LARGEST_PICTURE_D), d)
    # At no more than ten ranks: each takes some milliseconds.
    spread = {round(r) for r in np.linspace(1, d, min(d, 9))}
    ranks = sorted(spread | {rank})
    axes = panel()
    bounds_at_rank = []
    for k, label in enumerate(("value maps a I", "any value maps")):
        color = PALETTE[k]
        line_style = "-" if k == 0 else "--"
        bounds = [float(bound(d, r, heads, any_value=k == 1)) for r in ranks]
        bound_at_rank = bounds[ranks.index(rank)]
        bounds_at_rank.append(bound_at_rank)
        axes.plot(ranks, bounds, ".", color=color, linestyle=line_style, label=label)
        axes.plot([rank], [bound_at_rank], "o", color=color)
    axes.axvline(rank, color=MIDDLE_GRAY, linewidth=0.8, zorder=1)
    axes.set_ylim(bottom=0)
    with_scalars, with_any = bounds_at_rank
    words = (
        f"One layer of {heads:,} heads of rank {rank} at d = {d} is to predict which of two "
        "orthogonal points is nearer (second paper). Its mean squared error is at least "
        f"{with_scalars:.4f} if value maps are a I, and {with_any:.4f} with any. Predicting their "
        "mean has 0.5, predicting zero 1. At full rank the bound is 0."
    )
    return finished(axes, f"rank r of {heads:,} heads, d = {d}", "lower bound on the error", words)


PAIRS = tuple(2**k for k in range(1, 13))
DECAYS = (0.9, 0.95, 0.98, 0.99, 0.995, 0.998, 0.999, 1.0)
MOST_PAIRS_OF_DELTA = 512
DELTA_TRIALS = 2_000
"""Of the law of a delta rule, which is simulated: what a slider has time for."""


RECALL_WORDS = {
    "exp_sqrt_d": "softmax, 1/√d",
    "power_2": "square",
    "linear": "linear",
    "delta_half": "delta, β = ½",
}
"""Layers in a legend."""


@lru_cache(maxsize=8)
def recall_lines(d: int, decay: float) -> dict[str, np.ndarray]:
    """The accuracy of recall with some layers, by the names that figures have for them, at the
    first of PAIRS, (P,)."""
    layers: dict[str, Any] = {
        "exp_sqrt_d": "exp_sqrt_d",
        "power_2": "power_2",
        "linear": "linear",
        "decay_linear": recall.decay("linear", decay),
    }
    lines = {}
    for name, layer in layers.items():
        recalled = [recall.accuracy(layer, n, d) for n in PAIRS]
        lines[name] = np.array([answer.value for answer in recalled])
    rule = recall.delta(0.5)
    few = [n for n in PAIRS if n <= MOST_PAIRS_OF_DELTA]
    simulated = [recall.accuracy(rule, n, d, trials=DELTA_TRIALS) for n in few]
    lines["delta_half"] = np.array([answer.value for answer in simulated])
    return lines


def draw_recall(d: int = 64, n: int = 64, decay: float = 0.99) -> Figure:
    """The accuracy with which one head gives back the value of a key among n random pairs, against
    n; the legend has it at n. ValueError if n is not among PAIRS."""
    d = whole_number("d", d, 2, LARGEST_PICTURE_D)
    decay = number("decay", decay, "numbers from 0.001 to 1", lambda x: 0.001 <= x <= 1)
    if not _is_in(PAIRS, n):
        raise ValueError(f"n={short_repr(n)}; allowed: {PAIRS}; recall.accuracy has any other")
    axes = panel()
    place = PAIRS.index(n)
    words_of = RECALL_WORDS | {"decay_linear": f"linear, decay {decay:g}"}
    for name, accuracies in recall_lines(d, decay).items():
        label = words_of[name]
        if place < len(accuracies):
            label = f"{label}: {in_digits(accuracies[place])}"
        pairs = PAIRS[: len(accuracies)]
        marker = kernel_marker(name)
        axes.plot(pairs, accuracies, label=label, marker=marker, markersize=4, **kernel_line(name))
    axes.axvline(n, color=MIDDLE_GRAY, linewidth=0.8, zorder=1)
    axes.axhline(0.9, color=MIDDLE_GRAY, linewidth=0.8, linestyle=":", zorder=1)
    axes.set_ylim(0.49, 1.01)
    words = (
        f"n pairs of a random key and a value pass one head of dimension {d}, and one key comes "
        "again. The legend has the chance that a coordinate of its value has the right sign, at "
        f"n = {n:,}; a guess has 0.5. Lines are exact, but for the delta rule's: "
        f"{DELTA_TRIALS:,} trials of its law, within 0.02, up to n = {MOST_PAIRS_OF_DELTA}."
    )
    return finished(axes, f"pairs n, at d = {d}", "accuracy of recall", words, is_logarithmic=True)


def as_svg(figure: Figure) -> str:
    """The picture as SVG; the same figure gives the same bytes."""
    text = io.StringIO()
    with house_rc():
        figure.savefig(text, format="svg", metadata={"Date": None})
    return text.getvalue()


def panel() -> Axes:
    """The one panel of a new figure."""
    with house_rc():
        return Figure(figsize=PICTURE_INCHES, layout="constrained").subplots()


def finished(axes: Axes, along: str, up: str, words: str, is_logarithmic: bool = False) -> Figure:
    """The figure of a panel with words: of its axes, of its lines above it, and its label."""
    axes.set(xlabel=along, ylabel=up)
    if is_logarithmic:
        axes.set_xscale("log")
        axes.minorticks_off()
        # Plain text is drawn in half the time of mathematics.
        axes.xaxis.set_major_formatter(lambda x, _: POWERS_OF_TEN.get(round(x), f"{x:g}"))
    figure = axes.get_figure(root=True)
    assert figure is not None
    with house_rc():
        figure.legend(
            loc="outside upper left", ncols=3, fontsize=8, columnspacing=1.1, handlelength=1.7
        )
    figure.set_label(words)
    return figure


def _named(kernels: str | Iterable[Given]) -> list[tuple[Given, str]]:
    """Kernels, each with a short name for a legend."""
    try:
        listed = [kernels] if isinstance(kernels, str) else list(kernels)
    except TypeError:
        listed = []
    if not listed:
        raise ValueError(f"kernels={short_repr(kernels)}; allowed: a list of kernels, one at least")
    names = unique_names([kernel_of(kernel).name for kernel in listed])
    short_names = [literal_text(f"{name:.26}") for name in names]
    return list(zip(listed, short_names, strict=True))
