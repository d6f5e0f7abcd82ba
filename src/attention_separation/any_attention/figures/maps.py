"""Figures kernels_degrees and kernels_temperature: maps of P over a kernel's parameter and n."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from matplotlib.figure import Figure

from attention_separation.attention.kernel import Kernel
from attention_separation.attention.kernels import exponential
from attention_separation.datasets.dataset import Data
from attention_separation.pages.drawing import as_grid, draw_map, sheet
from attention_separation.pages.house_style import PALE_BLUE, VERMILION
from attention_separation.results.tables import numpy_column, select_rows, table_from_columns

from ..exact.layers import LAYERS, Layer
from ..exact.values import best_probabilities
from ..laws.predictions import critical_temperatures, least_degrees
from .lines import multiples, sizes_in_words

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
    scale: str = "linear"


def numbers(of: Map, data: Data) -> pa.Table:
    """P at the best threshold: a row per layer, value of the parameter, and n."""
    n = np.array(multiples(data.classes, SIZES))
    values, sizes = (part.ravel() for part in np.meshgrid(of.values, n, indexing="ij"))
    kernel = of.kernel(values[:, None, None])
    schema = pa.schema(
        [
            ("model", pa.string()),
            ("attention_x", pa.string()),
            (of.parameter, pa.float64()),
            ("n", pa.int64()),
            ("p_best", pa.float64()),
        ]
    )
    tables = []
    for layer in LAYERS:
        p = best_probabilities(kernel, layer, data, sizes.tolist())
        columns = ([layer.model] * len(p), [layer.attention_x] * len(p), values, sizes, p)
        named = dict(zip(schema.names, columns, strict=True))
        tables.append(table_from_columns(named, schema))
    return pa.concat_tables(tables)


def draw(of: Map, table: pa.Table, data: Data) -> Figure:
    """The maps, a panel for each layer, with the law's line."""
    note = of.note.format(sizes=sizes_in_words(data))
    with sheet(of.title, note, len(LAYERS), (3.1, 4.2), (2.2, 0.0)) as (figure, panels):
        for panel, layer in zip(panels, LAYERS, strict=True):
            panel.set(xscale="log", xlabel="tokens $n$", title=layer.words, yscale=of.scale)
            own = select_rows(table, model=layer.model, attention_x=layer.attention_x)
            columns = (numpy_column(own, name) for name in ("n", of.parameter, "p_best"))
            n, values, p = as_grid(*columns)
            shown = draw_map(panel, n, values, p)
            panel.plot(n, of.line(layer, data, n), color=VERMILION, linewidth=1.6)
            for words, value in of.marks.items():
                panel.axhline(value, color=PALE_BLUE, linewidth=1.0, linestyle="--")
                panel.annotate(
                    words, (n[-1], value), xytext=(-3, 2), textcoords="offset points",
                    ha="right", fontsize=7, color=PALE_BLUE,
                )  # fmt: skip
            panel.set_ylim(values[0], values[-1])
        panels[0].set_ylabel(of.label)
        label = "P(separates D1 from D0)"
        figure.colorbar(shown, ax=[*panels], label=label, pad=0.01, aspect=30)
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
