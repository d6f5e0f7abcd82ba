"""Figure kernels_budget: the least weight in X with which a kernel separates, against n."""

import math
from collections.abc import Mapping

import matplotlib as mpl
import numpy as np
import pyarrow as pa
from matplotlib.figure import Figure

from attention_separation.attention.kernel import Kernel
from attention_separation.attention.kernels import KERNELS
from attention_separation.datasets.dataset import Data
from attention_separation.pages.drawing import RC
from attention_separation.results.tables import numpy_column, select_rows, table_from_rows

from ..exact.layers import LAYERS
from ..exact.limits import known_least_weights
from .accuracy import sizes_in_words
from .style import NO_KERNELS, draw_lines, legend_beside, multiples, sheet

SHOWN = (
    "exp_half", "exp_sqrt_d", "power_8", "power_4", "power_2", "linear", "elu_plus_one",
    "exp_features",
)  # fmt: skip
SIZES = 11
MOST = 10**9
WEIGHED = tuple(layer for layer in LAYERS if layer.attention_x == "identity")

TITLE = "Any attention: the weight in X that a kernel needs to separate"
NOTE = (
    "The least g of X = I + g e₁e₁ᵀ at which the kernel's own best probability is above half of "
    "exp's; exact.\nNo line where X = I is enough, as for exp, or no g up to 10¹³ is, or a "
    "kernel of config.yaml overflows first.\nData and V of the first paper: {sizes}."
)

SCHEMA = pa.schema(
    [
        ("kernel", pa.string()),
        ("model", pa.string()),
        ("n", pa.int64()),
        ("weight", pa.float64()),
    ]
)


def numbers(data: Data, own: Mapping[str, Kernel] = NO_KERNELS) -> pa.Table:
    """A row per kernel, layer with X = I and n, a user's `own` kernels after the others; 0 where
    X = I is enough, null where no g is."""
    n = multiples(data.classes, SIZES, most=MOST)
    kernels = [*(KERNELS[name] for name in SHOWN), *own.values()]
    return table_from_rows(
        [
            {
                "kernel": kernel.name, "model": layer.model, "n": size,
                "weight": g if g is not None and math.isfinite(g) else None,
            }
            for layer in WEIGHED
            for kernel in kernels
            for size, g in zip(n, known_least_weights(kernel, layer, data, n), strict=True)
        ],
        SCHEMA,
    )  # fmt: skip


def draw(table: pa.Table, data: Data, own: Mapping[str, Kernel] = NO_KERNELS) -> Figure:
    """The figure of its numbers."""
    lines = len(SHOWN) + len(own)
    figure, panels = sheet(WEIGHED, TITLE, NOTE.format(sizes=sizes_in_words(data)), lines)
    with mpl.rc_context(RC):
        for panel, layer in zip(panels, WEIGHED, strict=True):
            rows = select_rows(table, model=layer.model)
            lines = [(name, select_rows(rows, kernel=name)) for name in (*SHOWN, *own)]
            n = numpy_column(lines[0][1], "n")
            weights = [(name, numpy_column(part, "weight")) for name, part in lines]
            needed = [(name, np.where(g > 0, g, np.nan)) for name, g in weights]
            draw_lines(panel, n, needed, own)
            panel.set_yscale("log")
            panel.set_xlim(n[0], n[-1])
            panel.set_ylim(1e-2, 1e14)
        panels[0].set_ylabel("least g")
        legend_beside(figure, panels[0])
    return figure
