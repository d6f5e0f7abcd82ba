"""Figures of this study with their numbers: lines against n, one for each kernel, and maps of P
over a kernel's parameter and n. A user's own kernels have lines after the others."""

import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from matplotlib.figure import Figure

from ...any_attention.layers import LAYERS, Layer
from ...any_attention.least_values import known_least_weights, of_degrees
from ...any_attention.values import best_probabilities, separate
from ...any_attention.verdicts import exp_probabilities
from ...attention.kernel import Kernel
from ...attention.kernels import KERNELS, exponential
from ...attention.threshold_curves import LARGEST_N
from ...datasets import another_x
from ...looks.colors import MIDDLE_GRAY, PALE_BLUE
from ...looks.kernel_styles import kernel_lines, nested_kernel_lines
from ...looks.literal_text import literal_text
from ...pages.drawing import NOTE_SIZE, ON_MAP, as_grid, draw_map, save_with_numbers, sheet
from ...results.provenance import record
from ...results.tables import Row, finite_or_null, numpy_column, select_rows, table_from_rows
from ...settings.kernel_values import own_kernels
from ...settings.strict_model import MAX_VALUES, subsample
from .laws.margins import ANOTHER, WEIGHT_OF_ANOTHER_X
from .laws.predictions import critical_temperatures, least_degrees
from .settings import Data, KernelsJob

MOST_SIZES_OF_MAP = 56
"""Numbers of tokens of a map."""

MOST_OF_SYMBOL = 40
"""Characters of a formula that a legend shows."""

LAYER_FIELDS = [("model", pa.string()), ("attention_x", pa.string())]


def spaced_multiples(
    classes: int, count: int, least: float = 100, most: float = LARGEST_N
) -> list[int]:
    """About so many multiples of K from `least` to `most`, nearly geometric."""
    in_a_class = np.floor(np.geomspace(least, most, count) / classes + 1e-9)
    in_a_class = np.unique(np.maximum(in_a_class, 1))
    return (in_a_class.astype(np.int64) * classes).tolist()


def sizes_in_words(data: Data) -> str:
    """The sizes of the tokens' entries and of m, in words, for a figure's note."""
    return (
        f"a₀ = {data.a0:g}, a₁ = {data.a1:g}, b = {data.b:g}, c = {data.c:g}, K = {data.classes}, "
        f"m = max(⌊log(n/{data.delta:g})⌋, {data.at_least})"
    )


@dataclass(frozen=True)
class Lines:
    """A figure of lines, of about `count` n from `least`, if not K, to `most`."""

    title: str
    note: str
    label: str  # of the vertical axis
    axes: Mapping[str, Any]  # what else each panel is set to, as `Axes.set` takes it
    shown: tuple[str, ...]  # kernels
    columns: tuple[str, ...]  # names of the numbers, the drawn one first
    # A number for each n, by column.
    compute: Callable[[Kernel, Layer, Data, list[int]], dict[str, np.ndarray]]
    layers: tuple[Layer, ...] = LAYERS  # a panel for each
    count: int = 25
    least: int | None = 100
    most: int = LARGEST_N
    # A gray line that is no kernel's, (N,), and rows beside the kernels'.
    gray: Callable[[Layer, Data, list[int]], np.ndarray | None] | None = None
    more_rows: Callable[[Data, list[int]], list[Row]] | None = None
    # What labels have below formulas, by kernel.
    second_lines: Callable[[pa.Table], dict[str, str]] | None = None
    legend: str = ""  # what stands above the labels

    def at_most(self, points: int) -> "Lines":
        """The figure with about so many n at most."""
        return replace(self, count=min(self.count, points))

    def n(self, data: Data) -> list[int]:
        """The numbers of tokens of the figure."""
        return spaced_multiples(data.classes, self.count, self.least or data.classes, self.most)

    def numbers(self, data: Data, own: Mapping[str, Kernel]) -> pa.Table:
        """The table of the figure: a row per kernel, layer and n, a user's `own` kernels after the
        others; null where a number has no meaning, or float64 does not resolve it."""
        numbers = [(name, pa.float64()) for name in self.columns]
        schema = pa.schema([("kernel", pa.string()), *LAYER_FIELDS, ("n", pa.int64()), *numbers])
        n = self.n(data)
        kernels = [KERNELS[name] for name in self.shown]
        kernels += own.values()
        rows: list[Row] = []
        for layer, kernel in product(self.layers, kernels):
            columns = self.compute(kernel, layer, data, n)
            for k, size in enumerate(n):
                row: Row = {"kernel": kernel.name, "n": size, **layer.columns}
                for name, values in columns.items():
                    row[name] = finite_or_null(float(values[k]))
                rows.append(row)
        if self.more_rows is not None:
            rows += self.more_rows(data, n)
        return table_from_rows(rows, schema)

    def draw(self, table: pa.Table, data: Data, own: Mapping[str, Kernel]) -> Figure:
        """The figure of a table of its numbers, with a panel for each layer."""
        n = self.n(data)
        labels = {name: label_of(name, own) for name in (*self.shown, *own)}
        is_logarithmic = self.axes.get("yscale") == "log"
        # Probabilities meet at 1, and where no kernel separates.
        looks = kernel_lines(labels) if is_logarithmic else nested_kernel_lines(labels)
        height_of_label = 0.18
        if self.second_lines is not None:
            second_lines = self.second_lines(table)
            labels = {name: label + second_lines[name] for name, label in labels.items()}
            height_of_label *= 2
        cell = (3.1, max(4.2, 0.9 + height_of_label * len(labels)))
        note = self.note.format(sizes=sizes_in_words(data))
        panels_in_one_range = sheet(
            self.title, note, len(self.layers), cell, around=(2.2, 0.0), sharey=True
        )
        with panels_in_one_range as (figure, panels):
            for panel, layer in zip(panels, self.layers, strict=True):
                gray = None if self.gray is None else self.gray(layer, data, n)
                if gray is not None:
                    panel.plot(n, gray, color=MIDDLE_GRAY, linewidth=0.8)
                rows = select_rows(table, **layer.columns)
                for name, label in labels.items():
                    values = numpy_column(select_rows(rows, kernel=name), self.columns[0])
                    if is_logarithmic:
                        values = np.where(values > 0, values, np.nan)
                    panel.plot(n, values, label=label, **looks[name])
                panel.set(xscale="log", xlabel="tokens $n$", title=layer.words, **self.axes)
                panel.set_xlim(n[0], n[-1])
                panel.set_xticks(10.0 ** np.arange(2, math.log10(self.most) + 0.1, 2))
            panels[0].set_ylabel(self.label)
            handles = {line.get_label(): line for line in panels[0].lines}
            in_order = [handles[labels[name]] for name in self._from_above(table, labels)]
            figure.legend(
                handles=in_order,
                loc="outside right center",
                title=self.legend,
                alignment="left",
            )
        return figure

    def _from_above(self, table: pa.Table, names: Iterable[str]) -> list[str]:
        """The kernels in the order in which their lines end in the first panel, from above."""
        rows = select_rows(table, **self.layers[0].columns)

        def end(name: str) -> float:
            values = numpy_column(select_rows(rows, kernel=name), self.columns[0])
            known = values[np.isfinite(values)]
            return float(known[-1]) if len(known) else -math.inf

        return sorted(names, key=end, reverse=True)


def label_of(name: str, own: Mapping[str, Kernel]) -> str:
    """The name and formula of a kernel, for a legend. A formula of a user's `own` kernel is text,
    and cut where it is long."""
    if name not in own:
        formula = KERNELS[name].symbol
        return name if formula == name else f"{name}: {with_exponents(formula)}"
    symbol = own[name].symbol
    if len(symbol) > MOST_OF_SYMBOL:
        symbol = f"{symbol[: MOST_OF_SYMBOL - 1]}…"
    return f"{name}: {literal_text(symbol)}"


EXPONENT = re.compile(r"\^(?:\(((?:[^()]|\([^()]*\))*)\)|([\w√−]+))")
"""Of a formula: in brackets, or a word."""


def with_exponents(formula: str) -> str:
    """A formula with its exponents raised, as Matplotlib reads it: x^8 is x$^{8}$."""
    return EXPONENT.sub(lambda match: f"$^{{{match[1] or match[2]}}}$", formula)


def _p_best(kernel: Kernel, layer: Layer, data: Data, n: list[int]) -> dict[str, np.ndarray]:
    """The column `p_best`: a kernel's P at its best threshold, at each n."""
    return {"p_best": best_probabilities(kernel, layer, data, n)}


def _half_of_exp(layer: Layer, data: Data, n: list[int]) -> np.ndarray:
    """Half of exp's P at each n, above which a kernel separates."""
    return exp_probabilities(layer, data, tuple(n)) / 2


ACCURACY = Lines(
    title="Any attention: the probability that one network alone separates D1 from D0",
    note="At each kernel's best threshold; exact at each n, which lines join. Where lines lie over "
    "each other, a broader one is seen beneath. Gray: half of "
    "exp's, above which a kernel separates. Feature maps have Q = K.\n"
    "Data, X and V of the first paper, {sizes}; random sign weights.",
    label="P(separates D1 from D0)",
    axes={"ylim": (-0.02, 1.02)},
    shown=(
        "exp",
        "exp_half",
        "exp_sqrt_d",
        "power_8",
        "power_4",
        "linear",
        "linear_unnormalised",
        "elu_plus_one",
    ),
    columns=("p_best",),
    compute=_p_best,
    count=97,
    least=None,
    gray=_half_of_exp,
)


def _margins(kernel: Kernel, layer: Layer, data: Data, n: list[int]) -> dict[str, np.ndarray]:
    """The columns of margins at each n; NaN where float64 does not resolve one."""
    separation = separate(kernel, layer, data, n)
    return {
        "margin": np.where(separation.resolved, separation.margin, np.nan),
        "p_best": np.where(separation.resolved, separation.p_best, np.nan),
    }


def _margin_with_another_x(layer: Layer, data: Data, n: list[int]) -> np.ndarray | None:
    """The margin of linear attention with another X at each n, where it is the same; None in
    cross-attention."""
    if layer.model != ANOTHER.model:
        return None
    return np.full(len(n), another_x.margin(data, WEIGHT_OF_ANOTHER_X))


def _rows_with_another_x(data: Data, n: list[int]) -> list[Row]:
    """The rows of linear attention with another X, for the figure's table."""
    row = {
        "kernel": "linear",
        **ANOTHER.columns,
        "margin": another_x.margin(data, WEIGHT_OF_ANOTHER_X),
    }
    return [row | {"n": size} for size in n]


def _slopes_in_words(table: pa.Table) -> dict[str, str]:
    """For each kernel, in words, the power p of n with which its margin goes in the second half of
    each line."""
    words = {}
    for name in dict.fromkeys(table["kernel"].to_pylist()):
        slopes = []
        for layer in LAYERS:
            rows = select_rows(table, kernel=name, **layer.columns)
            n = numpy_column(rows, "n")
            margin = numpy_column(rows, "margin")
            middle = len(n) // 2
            slope = math.log(margin[-1] / margin[middle]) / math.log(n[-1] / n[middle])
            if math.isfinite(slope):
                slopes.append(f"{slope:z.2f}".replace("-", "−"))
            else:
                slopes.append("none")
        words[name] = f"\n   p = {' / '.join(slopes)}"
    return words


MARGINS = Lines(
    title="Any attention: how wide the gap is between the scores of D0 and D1",
    note="The largest 2ε in units of √log n, such that with half of the kernel's best probability "
    "all scores are at most θ − ε on D0 and one is above θ + ε on D1; exact.\n"
    "Data, X and V of the first paper, {sizes}.\n"
    "Gray: linear attention with another X, e_d e_dᵀ + g e₁e_kᵀ with g = 1, read by y = e_k, which "
    "is no sign vector; its gap is the same at every n.",
    label="gap 2ε / √log n",
    axes={"yscale": "log"},
    shown=(
        "exp",
        "exp_half",
        "exp_sqrt_d",
        "power_8",
        "power_4",
        "power_2",
        "linear",
        "elu_plus_one",
        "rbf",
        "sparsemax",
        "uniform",
    ),
    columns=("margin", "p_best"),
    compute=_margins,
    gray=_margin_with_another_x,
    more_rows=_rows_with_another_x,
    second_lines=_slopes_in_words,
    legend="p: the gap goes as nᵖ over the\nright half, in the three panels",
)


def _least_weight_column(
    kernel: Kernel, layer: Layer, data: Data, n: list[int]
) -> dict[str, np.ndarray]:
    """The column `weight`: the least weight g of X with which a kernel separates, at each n; NaN
    where none is known."""
    return {"weight": np.array(known_least_weights(kernel, layer, data, n), dtype=float)}


BUDGET = Lines(
    title="Any attention: the weight in X that a kernel needs to separate",
    note="The least g of X = I + g e₁e₁ᵀ at which the kernel's best probability is above half of "
    "exp's; exact. No line where X = I is enough, as for exp, or no g up to 10¹³ is, or a "
    "kernel of config.yaml overflows first.\nData and V of the first paper: {sizes}.",
    label="least g",
    axes={"yscale": "log", "ylim": (1e-2, 1e14)},
    shown=(
        "exp_half",
        "exp_sqrt_d",
        "power_8",
        "power_4",
        "power_2",
        "linear",
        "elu_plus_one",
        "exp_features",
    ),
    columns=("weight",),
    compute=_least_weight_column,
    layers=tuple(layer for layer in LAYERS if layer.attention_x == "identity"),
    count=11,
    most=10**9,
)


@dataclass(frozen=True)
class Map:
    """A family of kernels over n."""

    parameter: str  # name of the column
    values: np.ndarray  # of the parameter
    kernel: Callable[[np.ndarray], Kernel]  # of the parameter, (P, 1, 1)
    # At each n the parameter where the law says that kernels begin to separate.
    line: Callable[[Layer, Data, list[float]], np.ndarray]
    marks: dict[str, float]  # values to be marked, by their words
    label: str
    title: str
    note: str
    scale: str = "linear"
    most: int = MAX_VALUES  # of n, where it is less than MOST_SIZES_OF_MAP

    def at_most(self, points: int) -> "Map":
        """The map with at most so many values of the parameter, and of n."""
        values = np.array(subsample(self.values.tolist(), points))
        return replace(self, values=values, most=points)

    def numbers(self, data: Data) -> pa.Table:
        """The table of the map: P at the best threshold for each layer, value of the parameter, and
        n."""
        n = spaced_multiples(data.classes, min(MOST_SIZES_OF_MAP, self.most))
        values = np.repeat(self.values, len(n))
        sizes = n * len(self.values)
        kernel = self.kernel(values[:, None, None])
        rows = []
        for layer in LAYERS:
            probabilities = best_probabilities(kernel, layer, data, sizes)
            for value, size, p_best in zip(values, sizes, probabilities, strict=True):
                rows.append({**layer.columns, self.parameter: value, "n": size, "p_best": p_best})
        numbers = [(self.parameter, pa.float64()), ("n", pa.int64()), ("p_best", pa.float64())]
        return table_from_rows(rows, pa.schema([*LAYER_FIELDS, *numbers]))

    def draw(self, table: pa.Table, data: Data) -> Figure:
        """The figure of a table of its numbers: a map for each layer, with the law's line."""
        note = self.note.format(sizes=sizes_in_words(data))
        with sheet(self.title, note, len(LAYERS), (3.1, 4.2), (2.2, 0.0)) as (figure, panels):
            for panel, layer in zip(panels, LAYERS, strict=True):
                panel.set(xscale="log", xlabel="tokens $n$", title=layer.words, yscale=self.scale)
                rows = select_rows(table, **layer.columns)
                n, values, p_best = as_grid(
                    numpy_column(rows, "n"),
                    numpy_column(rows, self.parameter),
                    numpy_column(rows, "p_best"),
                )
                mesh = draw_map(panel, n, values, p_best)
                line = self.line(layer, data, n.tolist())
                panel.plot(n, line, **ON_MAP)
                for words, value in self.marks.items():
                    panel.axhline(value, color=PALE_BLUE, linewidth=1.0, linestyle="--")
                    panel.annotate(
                        words,
                        (n[-1], value),
                        xytext=(-3, 2),
                        textcoords="offset points",
                        ha="right",
                        fontsize=NOTE_SIZE,
                        color=PALE_BLUE,
                    )
                panel.set_ylim(values[0], values[-1])
            panels[0].set_ylabel(self.label)
            label = "P(separates D1 from D0)"
            figure.colorbar(mesh, ax=[*panels], label=label, pad=0.01, aspect=30)
        return figure


DEGREES = Map(
    parameter="degree",
    values=np.linspace(1, 16, 61),
    kernel=of_degrees,
    line=least_degrees,
    marks={},
    label="degree p of the kernel xᵖ",
    title="Any attention: polynomials separate up to about n = C rᵖ",
    note="P at the best threshold, exact. White with dark edges: the law's least degree, in "
    "self-attention p = log(n/C) / log r.\n"
    "Data, X and V of the first paper, {sizes}.",
)

TEMPERATURE = Map(
    parameter="temperature",
    values=np.geomspace(0.3, 16, 61),
    kernel=lambda t: exponential("e^(x/T)", "", lambda _: t, ""),
    line=critical_temperatures,
    marks={f"√{d}": d**0.5 for d in (22, 64, 128)},
    label="temperature T of softmax",
    title="Any attention: softmax separates below a temperature",
    note="P at the best threshold, exact. White with dark edges: the law's T* = γ₁ log n / "
    "(log n − log C). Dashed: T = √d for heads of 22, 64 and 128, at these data.\n"
    "Data, X and V of the first paper, {sizes}.",
    scale="log",
)

DRAWN: dict[str, Lines | Map] = {
    "kernels_accuracy": ACCURACY,
    "kernels_degrees": DEGREES,
    "kernels_temperature": TEMPERATURE,
    "kernels_margins": MARGINS,
    "kernels_budget": BUDGET,
}


def run(job: KernelsJob, figure: str, output: Path) -> None:
    lines_or_map = DRAWN[figure]
    if job.points is not None:
        lines_or_map = lines_or_map.at_most(job.points)
    if isinstance(lines_or_map, Map):
        table = lines_or_map.numbers(job.data)
        picture = lines_or_map.draw(table, job.data)
    else:
        own = own_kernels(job.kernels)
        table = lines_or_map.numbers(job.data, own)
        picture = lines_or_map.draw(table, job.data, own)
    save_with_numbers(picture, output, table, record(job.canonical(), __name__))
