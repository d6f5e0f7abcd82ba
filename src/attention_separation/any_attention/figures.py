"""Figures of this study with their numbers: lines against n, one for each kernel, and maps of P
over a kernel's parameter and n."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from matplotlib.figure import Figure

from ..attention.kernel import Kernel
from ..attention.kernels import KERNELS, exponential
from ..attention.threshold_curves import LARGEST_N
from ..datasets import another_x
from ..datasets.dataset import Data
from ..own_kernels.values import own_kernels
from ..pages import house_style
from ..pages.drawing import as_grid, draw_map, legend_beside, save_with_numbers, sheet
from ..results.provenance import record
from ..results.tables import finite_or_null, numpy_column, select_rows, table_from_rows
from ..settings.strict_model import MAX_VALUES, subsample
from .exact.layers import LAYERS, Layer
from .exact.limits import exp_probabilities, known_least_weights, of_degrees
from .exact.values import best_probabilities, separate
from .laws.margins import ANOTHER, WEIGHT
from .laws.predictions import critical_temperatures, least_degrees
from .settings import WITH_OWN_KERNELS, KernelsJob

SIZES = 56
"""Numbers of tokens of a map."""

OWN_COLORS = (house_style.INK, house_style.MIDDLE_GRAY)
OWN_DASHES = ("-", "--", "-.", (0, (6, 1, 1, 1, 1, 1)))
"""Of a user's kernels: all dashes in one colour, then in the next, then again."""

MOST_OF_SYMBOL = 40
"""Characters of a formula that a legend shows."""

LAYER_FIELDS = [("model", pa.string()), ("attention_x", pa.string())]


def multiples(classes: int, count: int, least: float = 100, most: float = LARGEST_N) -> list[int]:
    """About so many multiples of K from `least` to `most`, nearly geometric."""
    whole = np.geomspace(least, most, count) / classes
    return (np.unique(np.maximum(np.floor(whole + 1e-9), 1)).astype(np.int64) * classes).tolist()


def sizes_in_words(data: Data) -> str:
    """The sizes of the tokens and of m."""
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
    # The columns, each with a number for each n.
    compute: Callable[[Kernel, Layer, Data, list[int]], tuple[np.ndarray, ...]]
    layers: tuple[Layer, ...] = LAYERS  # a panel for each
    count: int = 25
    least: int | None = 100
    most: int = LARGEST_N
    gray: Callable[[Layer, Data, list[int]], Any] = lambda *_: None  # a line that is no kernel's
    more: Callable[[Data, list[int]], list[dict]] = lambda *_: []  # rows beside the kernels'
    words: Callable[[pa.Table], Mapping[str, str]] = lambda _: {}  # what labels have below formulas
    legend: str = ""  # what stands above the labels

    def at_most(self, points: int) -> "Lines":
        """The same with about so many n at most."""
        return replace(self, count=min(self.count, points))

    def n(self, data: Data) -> list[int]:
        """The numbers of tokens."""
        return multiples(data.classes, self.count, self.least or data.classes, self.most)

    def numbers(self, data: Data, own: Mapping[str, Kernel]) -> pa.Table:
        """A row per kernel, layer and n, a user's `own` kernels after the others; null where a
        number has no meaning, or float64 does not resolve it."""
        numbers = [(name, pa.float64()) for name in self.columns]
        schema = pa.schema([("kernel", pa.string()), *LAYER_FIELDS, ("n", pa.int64()), *numbers])
        n, rows = self.n(data), []
        for layer in self.layers:
            for kernel in (*(KERNELS[name] for name in self.shown), *own.values()):
                columns = (part.tolist() for part in self.compute(kernel, layer, data, n))
                for size, *found in zip(n, *columns, strict=True):
                    named = zip(self.columns, map(finite_or_null, found), strict=True)
                    rows.append({"kernel": kernel.name, "n": size, **layer.columns, **dict(named)})
        return table_from_rows([*rows, *self.more(data, n)], schema)

    def draw(self, table: pa.Table, data: Data, own: Mapping[str, Kernel]) -> Figure:
        """The figure of its numbers: a panel for each layer."""
        words, n = self.words(table), self.n(data)
        names = (*self.shown, *own)
        height = max(4.2, 0.9 + 0.18 * len(names) * (2 if words else 1))
        note, cell = self.note.format(sizes=sizes_in_words(data)), (3.1, height)
        with sheet(self.title, note, len(self.layers), cell, (2.2, 0.0)) as (figure, panels):
            for panel, layer in zip(panels, self.layers, strict=True):
                gray = self.gray(layer, data, n)
                if gray is not None:
                    panel.plot(n, gray, color=house_style.MIDDLE_GRAY, linewidth=0.8)
                rows = select_rows(table, **layer.columns)
                for name in names:
                    values = numpy_column(select_rows(rows, kernel=name), self.columns[0])
                    if self.axes.get("yscale") == "log":
                        values = np.where(values > 0, values, np.nan)
                    label = label_of(name, own) + words.get(name, "")
                    panel.plot(n, values, label=label, **_look(name, own))
                panel.set(xscale="log", xlabel="tokens $n$", title=layer.words, **self.axes)
                panel.set_xlim(n[0], n[-1])
                panel.set_xticks(10.0 ** np.arange(2, math.log10(self.most) + 0.1, 2))
            panels[0].set_ylabel(self.label)
            legend_beside(figure, title=self.legend)
        return figure


def label_of(name: str, own: Mapping[str, Kernel]) -> str:
    """A kernel's name and formula, for a legend; `own` are a user's."""
    symbol = (KERNELS | dict(own))[name].symbol
    cut = len(symbol) > MOST_OF_SYMBOL
    return f"{name}: {f'{symbol[: MOST_OF_SYMBOL - 1]}…' if cut else symbol}"


def _look(name: str, own: Mapping[str, Kernel]) -> dict[str, Any]:
    if name not in own:
        return house_style.kernel_line(name)
    color, dashes = divmod([*own].index(name), len(OWN_DASHES))
    return {"color": OWN_COLORS[color % len(OWN_COLORS)], "linestyle": OWN_DASHES[dashes]}


ACCURACY = Lines(
    title="Any attention: the probability that one network alone separates D1 from D0",
    note="At each kernel's best threshold, exact. Gray: half of exp's; a kernel is said to "
    "separate where it is above. Feature maps with Q = K.\n"
    "Data, X and V of the first paper, {sizes}; random sign weights.",
    label="P(separates D1 from D0)",
    axes={"ylim": (-0.02, 1.02)},
    shown=(
        "exp", "exp_half", "exp_sqrt_d", "power_8", "power_4", "power_2", "linear", "elu_plus_one",
        "exp_features", "hedgehog", "sparsemax", "rbf", "uniform",
    ),
    columns=("p_best",),
    compute=lambda *of: (best_probabilities(*of),),
    count=97,
    least=None,
    gray=lambda layer, data, n: exp_probabilities(layer, data, tuple(n)) / 2,
)  # fmt: skip


def _margins(kernel: Kernel, layer: Layer, data: Data, n: list[int]) -> tuple[np.ndarray, ...]:
    found = separate(kernel, layer, data, n)
    return tuple(np.where(found.resolved, of, np.nan) for of in (found.margin, found.p_best))


def _another_x(data: Data, n: list[int]) -> list[dict]:
    """Linear attention with another X."""
    of = {"kernel": "linear", **ANOTHER.columns, "margin": another_x.margin(data, WEIGHT)}
    return [of | {"n": size} for size in n]


def _slopes(table: pa.Table) -> dict[str, str]:
    """For each kernel the powers of n that its lines go with from their middle to their end."""
    words = {}
    for name in dict.fromkeys(table["kernel"].to_pylist()):
        each = []
        for layer in LAYERS:
            own = select_rows(table, kernel=name, **layer.columns)
            n, margin = (numpy_column(own, column) for column in ("n", "margin"))
            middle = len(n) // 2
            slope = math.log(margin[-1] / margin[middle]) / math.log(n[-1] / n[middle])
            text = f"{slope:z.2f}".replace("-", "−")
            each.append(text if math.isfinite(slope) else "none")
        words[name] = f"\n   p = {' / '.join(each)}"
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
        "exp", "exp_half", "exp_sqrt_d", "power_8", "power_4", "power_2", "linear", "elu_plus_one",
        "rbf", "sparsemax", "uniform",
    ),
    columns=("margin", "p_best"),
    compute=_margins,
    gray=lambda layer, data, n: (
        [another_x.margin(data, WEIGHT)] * len(n) if layer.model == ANOTHER.model else None
    ),
    more=_another_x,
    words=_slopes,
    legend="∝ nᵖ over the right half, in the three panels",
)  # fmt: skip


BUDGET = Lines(
    title="Any attention: the weight in X that a kernel needs to separate",
    note="The least g of X = I + g e₁e₁ᵀ at which the kernel's best probability is above half of "
    "exp's; exact. No line where X = I is enough, as for exp, or no g up to 10¹³ is, or a "
    "kernel of config.yaml overflows first.\nData and V of the first paper: {sizes}.",
    label="least g",
    axes={"yscale": "log", "ylim": (1e-2, 1e14)},
    shown=(
        "exp_half", "exp_sqrt_d", "power_8", "power_4", "power_2", "linear", "elu_plus_one",
        "exp_features",
    ),
    columns=("weight",),
    compute=lambda *of: (np.array(known_least_weights(*of), dtype=float),),
    layers=tuple(layer for layer in LAYERS if layer.attention_x == "identity"),
    count=11,
    most=10**9,
)  # fmt: skip


@dataclass(frozen=True)
class Map:
    """A family of kernels over n."""

    parameter: str  # name of the column
    values: np.ndarray  # of the parameter
    kernel: Callable[[np.ndarray], Kernel]  # of the parameter, (P, 1, 1)
    # At each n the parameter where the law says that kernels begin to separate.
    line: Callable[[Layer, Data, np.ndarray], np.ndarray]
    marks: dict[str, float]  # values to be marked, by their words
    label: str
    title: str
    note: str
    scale: str = "linear"
    most: int = MAX_VALUES  # of n, where it is less than SIZES

    def at_most(self, points: int) -> "Map":
        """The same with so many values of the parameter, and n, at most."""
        values = np.array(subsample(self.values.tolist(), points))
        return replace(self, values=values, most=points)

    def numbers(self, data: Data) -> pa.Table:
        """P at the best threshold: a row per layer, value of the parameter, and n."""
        n = np.array(multiples(data.classes, min(SIZES, self.most)))
        values, sizes = (part.ravel() for part in np.meshgrid(self.values, n, indexing="ij"))
        kernel, sizes = self.kernel(values[:, None, None]), sizes.tolist()
        numbers = [(self.parameter, pa.float64()), ("n", pa.int64()), ("p_best", pa.float64())]
        rows = [
            {**layer.columns, self.parameter: value, "n": size, "p_best": p}
            for layer in LAYERS
            for value, size, p in zip(
                values, sizes, best_probabilities(kernel, layer, data, sizes), strict=True
            )
        ]
        return table_from_rows(rows, pa.schema([*LAYER_FIELDS, *numbers]))

    def draw(self, table: pa.Table, data: Data) -> Figure:
        """The maps, a panel for each layer, with the law's line."""
        note = self.note.format(sizes=sizes_in_words(data))
        with sheet(self.title, note, len(LAYERS), (3.1, 4.2), (2.2, 0.0)) as (figure, panels):
            for panel, layer in zip(panels, LAYERS, strict=True):
                panel.set(xscale="log", xlabel="tokens $n$", title=layer.words, yscale=self.scale)
                rows = select_rows(table, **layer.columns)
                columns = (numpy_column(rows, name) for name in ("n", self.parameter, "p_best"))
                n, values, p = as_grid(*columns)
                shown = draw_map(panel, n, values, p)
                panel.plot(n, self.line(layer, data, n), color=house_style.VERMILION, linewidth=1.6)
                for words, value in self.marks.items():
                    panel.axhline(value, color=house_style.PALE_BLUE, linewidth=1.0, linestyle="--")
                    panel.annotate(
                        words, (n[-1], value), xytext=(-3, 2), textcoords="offset points",
                        ha="right", fontsize=7, color=house_style.PALE_BLUE,
                    )  # fmt: skip
                panel.set_ylim(values[0], values[-1])
            panels[0].set_ylabel(self.label)
            label = "P(separates D1 from D0)"
            figure.colorbar(shown, ax=[*panels], label=label, pad=0.01, aspect=30)
        return figure


DEGREES = Map(
    parameter="degree",
    values=np.linspace(1, 16, 61),
    kernel=of_degrees,
    line=least_degrees,
    marks={},
    label="degree p of the kernel xᵖ",
    title="Any attention: polynomials separate up to about n = C rᵖ",
    note="P at the best threshold, exact. Red: the law's least degree, in "
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
    note="P at the best threshold, exact. Red: the law's T* = γ₁ log n / (log n − log C). "
    "Dashed: T = √d for heads of 22, 64 and 128, at these data.\n"
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
    drawn = DRAWN[figure]
    if job.points is not None:
        drawn = drawn.at_most(job.points)
    own = (own_kernels(job.kernels),) if figure in WITH_OWN_KERNELS else ()
    table = drawn.numbers(job.data, *own)
    picture = drawn.draw(table, job.data, *own)
    save_with_numbers(picture, output, table, record(job.canonical(), __name__))
