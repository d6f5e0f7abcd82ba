"""Figures kernels_degrees and kernels_temperature: maps of P over a kernel's parameter and n."""

from collections.abc import Callable
from dataclasses import dataclass

import matplotlib as mpl
import numpy as np
import pyarrow as pa
from matplotlib.figure import Figure

from attention_separation.attention.kernel import Kernel
from attention_separation.attention.kernels import exponential
from attention_separation.datasets.dataset import Data
from attention_separation.pages.drawing import PALE_BLUE, RC, VERMILION
from attention_separation.results.tables import array_of, numpy_column, select_rows

from ..exact.layers import LAYERS, Layer
from ..exact.values import best_probabilities
from ..laws.predictions import critical_temperatures, least_degrees
from .accuracy import sizes_in_words
from .style import multiples, sheet

SIZES = 56


@dataclass(frozen=True)
class Map:
    """A family of kernels over n.

    Attributes
    ----------
    parameter : name of the column
    values : of the parameter
    kernels : the parameter, (P, 1, 1) -> a kernel
    line : a layer, data and n -> the parameter where the law says that kernels begin to separate
    marks : values to be marked, with their words
    """

    parameter: str
    values: np.ndarray
    kernel: Callable[[np.ndarray], Kernel]
    line: Callable[[Layer, Data, np.ndarray], np.ndarray]
    marks: dict[str, float]
    label: str
    title: str
    note: str
    is_logarithmic: bool = False


def schema(of: Map) -> pa.Schema:
    """A row per layer, value of the parameter, and n."""
    return pa.schema(
        [
            ("model", pa.string()),
            ("attention_x", pa.string()),
            (of.parameter, pa.float64()),
            ("n", pa.int64()),
            ("p_best", pa.float64()),
        ]
    )


def numbers(of: Map, data: Data) -> pa.Table:
    """P at the own best threshold over the map."""
    n = np.array(multiples(data.classes, SIZES))
    values, sizes = (part.ravel() for part in np.meshgrid(of.values, n, indexing="ij"))
    kernel = of.kernel(values[:, None, None])
    tables = []
    for layer in LAYERS:
        p = best_probabilities(kernel, layer, data, sizes.tolist())
        columns = ([layer.model] * len(p), [layer.attention_x] * len(p), values, sizes, p)
        arrays = [
            array_of(column, field.type) for field, column in zip(schema(of), columns, strict=True)
        ]
        tables.append(pa.Table.from_arrays(arrays, schema=schema(of)))
    return pa.concat_tables(tables)


def draw(of: Map, table: pa.Table, data: Data) -> Figure:
    """The maps, a panel for each layer, with the law's line."""
    figure, panels = sheet(LAYERS, of.title, of.note.format(sizes=sizes_in_words(data)))
    with mpl.rc_context(RC):
        for panel, layer in zip(panels, LAYERS, strict=True):
            own = select_rows(table, model=layer.model, attention_x=layer.attention_x)
            n = np.unique(numpy_column(own, "n"))
            p = numpy_column(own, "p_best").reshape(len(of.values), len(n))
            shown = panel.pcolormesh(
                n, of.values, p, vmin=0, vmax=1, shading="nearest", rasterized=True
            )
            panel.plot(n, of.line(layer, data, n), color=VERMILION, linewidth=1.6)
            for words, value in of.marks.items():
                panel.axhline(value, color=PALE_BLUE, linewidth=1.0, linestyle="--")
                panel.annotate(
                    words, (n[-1], value), xytext=(-3, 2), textcoords="offset points",
                    ha="right", fontsize=7, color=PALE_BLUE,
                )  # fmt: skip
            panel.set_xscale("log")
            if of.is_logarithmic:
                panel.set_yscale("log")
            panel.set_ylim(of.values[0], of.values[-1])
            panel.grid(visible=False)
            panel.set_xlabel("tokens $n$")
        panels[0].set_ylabel(of.label)
        figure.colorbar(
            shown, ax=list(panels), label="P(separates D1 from D0)", pad=0.01, aspect=30
        )
    return figure


def _power(p: np.ndarray) -> Kernel:
    """x^p with a degree for each point."""
    return Kernel("x^p", "xᵖ", "score", lambda seen: p * np.log(seen.scores), logarithmic=True)


DEGREES = Map(
    parameter="degree",
    values=np.linspace(1, 16, 61),
    kernel=_power,
    line=least_degrees,
    marks={},
    label="degree p of the kernel xᵖ",
    title="Any attention: polynomials separate up to about n = C rᵖ",
    note="P at the own best threshold, exact. Red: the law's least degree, in "
    "self-attention p = log(n/C) / log r. "
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
    note="P at the own best threshold, exact. Red: the law's T* = γ₁ log n / (log n − log C). "
    "Dashed: T = √d for heads of 22, 64 and 128, at these data.\n"
    "Data, X and V of the first paper, {sizes}.",
    is_logarithmic=True,
)
