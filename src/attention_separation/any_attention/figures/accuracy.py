"""Figure kernels_accuracy: what each kernel can do at its own best threshold, against n."""

from collections.abc import Mapping

import matplotlib as mpl
import numpy as np
import pyarrow as pa
from matplotlib.figure import Figure

from attention_separation.attention.kernel import Kernel
from attention_separation.attention.kernels import KERNELS
from attention_separation.datasets.dataset import Data
from attention_separation.pages.drawing import MIDDLE_GRAY, RC
from attention_separation.results.tables import (
    finite_or_null,
    numpy_column,
    select_rows,
    table_from_rows,
)

from ..exact.layers import LAYERS
from ..exact.limits import exp_probabilities
from ..exact.values import best_probabilities
from .style import NO_KERNELS, draw_lines, legend_beside, multiples, sheet

SHOWN = (
    "exp", "exp_half", "exp_sqrt_d", "power_8", "power_4", "power_2", "linear", "elu_plus_one",
    "exp_features", "hedgehog", "sparsemax", "rbf", "uniform",
)  # fmt: skip
SIZES = 97

TITLE = "Any attention: the probability that one network alone separates D1 from D0"
NOTE = (
    "At each kernel's own best threshold, exact. Gray: half of exp's; a kernel is said to separate "
    "where it is above. Feature maps with Q = K.\nData, X and V of the first paper, {sizes}; "
    "random sign weights."
)

SCHEMA = pa.schema(
    [
        ("kernel", pa.string()),
        ("model", pa.string()),
        ("attention_x", pa.string()),
        ("n", pa.int64()),
        ("p_best", pa.float64()),
    ]
)


def numbers(data: Data, own: Mapping[str, Kernel] = NO_KERNELS) -> pa.Table:
    """A row per kernel, layer and n, a user's `own` kernels after the others; null where float64
    does not tell the number."""
    kernels = [*(KERNELS[name] for name in SHOWN), *own.values()]
    n = multiples(data.classes, SIZES, least=data.classes)
    return table_from_rows(
        [
            {
                "kernel": kernel.name, "model": layer.model, "attention_x": layer.attention_x,
                "n": size, "p_best": finite_or_null(p),
            }
            for layer in LAYERS
            for kernel in kernels
            for size, p in zip(
                n, best_probabilities(kernel, layer, data, n).tolist(), strict=True
            )
        ],
        SCHEMA,
    )  # fmt: skip


def sizes_in_words(data: Data) -> str:
    """The sizes of the tokens and of m."""
    return (
        f"a₀ = {data.a0:g}, a₁ = {data.a1:g}, b = {data.b:g}, c = {data.c:g}, K = {data.classes}, "
        f"m = max(⌊log(n/{data.delta:g})⌋, {data.at_least})"
    )


def draw(table: pa.Table, data: Data, own: Mapping[str, Kernel] = NO_KERNELS) -> Figure:
    """The figure of its numbers."""
    lines = len(SHOWN) + len(own)
    figure, panels = sheet(LAYERS, TITLE, NOTE.format(sizes=sizes_in_words(data)), lines)
    with mpl.rc_context(RC):
        for panel, layer in zip(panels, LAYERS, strict=True):
            rows = select_rows(table, model=layer.model, attention_x=layer.attention_x)
            lines = [(name, select_rows(rows, kernel=name)) for name in (*SHOWN, *own)]
            n = numpy_column(lines[0][1], "n")
            half = exp_probabilities(layer, data, tuple(n.tolist())) / 2
            panel.plot(n, half, color=MIDDLE_GRAY, linewidth=0.8)
            each = [(name, numpy_column(part, "p_best")) for name, part in lines]
            draw_lines(panel, n, each, own)
            panel.set_ylim(-0.02, 1.02)
            panel.set_xlim(n[0], n[-1])
            panel.set_xticks(10.0 ** np.arange(2, 13, 2))
        panels[0].set_ylabel("P(separates D1 from D0)")
        legend_beside(figure, panels[0])
    return figure
