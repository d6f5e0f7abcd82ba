"""Figures of lines against n, one for each kernel: kernels_accuracy, kernels_margins and
kernels_budget."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
import pyarrow as pa
from matplotlib.figure import Figure

from attention_separation.attention.kernel import Kernel
from attention_separation.attention.kernels import KERNELS
from attention_separation.attention.threshold_curves import LARGEST_N
from attention_separation.datasets import another_x
from attention_separation.datasets.dataset import Data
from attention_separation.pages.drawing import legend_beside, sheet
from attention_separation.pages.house_style import INK, MIDDLE_GRAY, kernel_line
from attention_separation.results.tables import (
    finite_or_null,
    numpy_column,
    select_rows,
    table_from_rows,
)

from ..exact.layers import LAYERS, Layer
from ..exact.limits import exp_probabilities, known_least_weights
from ..exact.values import best_probabilities, separate
from ..laws.margins import ANOTHER, WEIGHT


@dataclass(frozen=True)
class Lines:
    """A figure of lines.

    Attributes
    ----------
    label : of the vertical axis
    axes : what else each panel is set to, as `Axes.set` takes it
    shown : kernels
    columns : names of the numbers, the drawn one first
    compute : a kernel, layer, data and n -> the columns, each with a number for each n
    layers : a panel for each
    count : about how many n there are, from `least`, if not K, to `most`
    gray : layer, data and n -> a line that is no kernel's, or None
    more : data and n -> rows of the table beside the kernels'
    words : the table -> what a kernel's label has below its formula
    legend : what stands above the labels
    """

    title: str
    note: str
    label: str
    axes: Mapping[str, Any]
    shown: tuple[str, ...]
    columns: tuple[str, ...]
    compute: Callable[[Kernel, Layer, Data, list[int]], tuple[Sequence[float | None], ...]]
    layers: tuple[Layer, ...] = LAYERS
    count: int = 25
    least: int | None = 100
    most: int = LARGEST_N
    gray: Callable[[Layer, Data, list[int]], Any] = lambda *_: None
    more: Callable[[Data, list[int]], list[dict]] = lambda *_: []
    words: Callable[[pa.Table], Mapping[str, str]] = lambda _: {}
    legend: str = ""

    def n(self, data: Data) -> list[int]:
        """The numbers of tokens."""
        return multiples(data.classes, self.count, self.least or data.classes, self.most)


def multiples(classes: int, count: int, least: float = 100, most: float = LARGEST_N) -> list[int]:
    """About so many multiples of K from `least` to `most`, nearly geometric."""
    whole = np.geomspace(least, most, count) / classes
    return (np.unique(np.maximum(np.floor(whole + 1e-9), 1)).astype(np.int64) * classes).tolist()


OWN_COLORS = (INK, MIDDLE_GRAY)
OWN_DASHES = ("-", "--", "-.", (0, (6, 1, 1, 1, 1, 1)))
"""Of a user's kernels: all dashes in one colour, then in the next, then again."""

NO_KERNELS: Mapping[str, Kernel] = MappingProxyType({})

MOST_OF_SYMBOL = 40
"""Characters of a formula that a legend shows."""


def label_of(name: str, own: Mapping[str, Kernel] = NO_KERNELS) -> str:
    """A kernel's name and formula, for a legend; `own` are a user's."""
    symbol = (KERNELS | dict(own))[name].symbol
    cut = len(symbol) > MOST_OF_SYMBOL
    return f"{name}: {f'{symbol[: MOST_OF_SYMBOL - 1]}…' if cut else symbol}"


def _look(name: str, own: Mapping[str, Kernel]) -> dict[str, Any]:
    if name not in own:
        return kernel_line(name)
    color, dashes = divmod([*own].index(name), len(OWN_DASHES))
    return {"color": OWN_COLORS[color % len(OWN_COLORS)], "linestyle": OWN_DASHES[dashes]}


def numbers(of: Lines, data: Data, own: Mapping[str, Kernel] = NO_KERNELS) -> pa.Table:
    """A row per kernel, layer and n, a user's `own` kernels after the others; null where a number
    has no meaning, or float64 does not resolve it."""
    schema = pa.schema(
        [
            *((name, pa.string()) for name in ("kernel", "model", "attention_x")),
            ("n", pa.int64()),
            *((name, pa.float64()) for name in of.columns),
        ]
    )
    n = of.n(data)
    rows = []
    for layer in of.layers:
        for kernel in (*(KERNELS[name] for name in of.shown), *own.values()):
            at = {"kernel": kernel.name, "model": layer.model, "attention_x": layer.attention_x}
            for size, *found in zip(n, *of.compute(kernel, layer, data, n), strict=True):
                rows.append(at | {"n": size} | dict(zip(of.columns, found, strict=True)))
    return table_from_rows([*rows, *of.more(data, n)], schema)


def sizes_in_words(data: Data) -> str:
    """The sizes of the tokens and of m."""
    return (
        f"a₀ = {data.a0:g}, a₁ = {data.a1:g}, b = {data.b:g}, c = {data.c:g}, K = {data.classes}, "
        f"m = max(⌊log(n/{data.delta:g})⌋, {data.at_least})"
    )


def draw(of: Lines, table: pa.Table, data: Data, own: Mapping[str, Kernel] = NO_KERNELS) -> Figure:
    """The figure of its numbers: a panel for each layer."""
    words, n = of.words(table), of.n(data)
    names = (*of.shown, *own)
    height = max(4.2, 0.9 + 0.18 * len(names) * (2 if words else 1))
    note = of.note.format(sizes=sizes_in_words(data))
    with sheet(of.title, note, len(of.layers), (3.1, height), (2.2, 0.0)) as (figure, panels):
        for panel, layer in zip(panels, of.layers, strict=True):
            gray = of.gray(layer, data, n)
            if gray is not None:
                panel.plot(n, gray, color=MIDDLE_GRAY, linewidth=0.8)
            own_rows = select_rows(table, model=layer.model, attention_x=layer.attention_x)
            for name in names:
                values = numpy_column(select_rows(own_rows, kernel=name), of.columns[0])
                if of.axes.get("yscale") == "log":
                    values = np.where(values > 0, values, np.nan)
                label = label_of(name, own) + words.get(name, "")
                panel.plot(n, values, label=label, **_look(name, own))
            panel.set(xscale="log", xlabel="tokens $n$", title=layer.words, **of.axes)
            panel.set_xlim(n[0], n[-1])
            panel.set_xticks(10.0 ** np.arange(2, math.log10(of.most) + 0.1, 2))
        panels[0].set_ylabel(of.label)
        legend_beside(figure, title=of.legend)
    return figure


def _accuracies(kernel: Kernel, layer: Layer, data: Data, n: list[int]) -> tuple[list, ...]:
    return ([*map(finite_or_null, best_probabilities(kernel, layer, data, n).tolist())],)


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
    compute=_accuracies,
    count=97,
    least=None,
    gray=lambda layer, data, n: exp_probabilities(layer, data, tuple(n)) / 2,
)  # fmt: skip


def _margins(kernel: Kernel, layer: Layer, data: Data, n: list[int]) -> tuple[list, ...]:
    found = separate(kernel, layer, data, n, exp_probabilities(layer, data, tuple(n)))
    known = (np.where(found.resolved, of, np.nan) for of in (found.margin, found.p_best))
    return tuple([*map(finite_or_null, of.tolist())] for of in known)


def _another_x(data: Data, n: list[int]) -> list[dict]:
    """Linear attention with another X."""
    of = {"kernel": "linear", "model": ANOTHER.model, "attention_x": ANOTHER.attention_x}
    return [of | {"n": size, "margin": another_x.margin(data, WEIGHT)} for size in n]


def _slopes(table: pa.Table) -> dict[str, str]:
    """For each kernel the powers of n that its lines go with from their middle to their end."""
    words = {}
    for name in dict.fromkeys(table["kernel"].to_pylist()):
        each = []
        for layer in LAYERS:
            at = {"kernel": name, "model": layer.model, "attention_x": layer.attention_x}
            own = select_rows(table, **at)
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


def _weights(kernel: Kernel, layer: Layer, data: Data, n: list[int]) -> tuple[list, ...]:
    found = known_least_weights(kernel, layer, data, n)
    return ([None if g is None else finite_or_null(g) for g in found],)


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
    compute=_weights,
    layers=tuple(layer for layer in LAYERS if layer.attention_x == "identity"),
    count=11,
    most=10**9,
)  # fmt: skip
