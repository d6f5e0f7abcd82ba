"""Figure kernels_margins: the gap between the two datasets' scores, against n."""

import math
from collections.abc import Mapping

import matplotlib as mpl
import numpy as np
import pyarrow as pa
from matplotlib.figure import Figure

from attention_separation.attention.kernel import Kernel
from attention_separation.attention.kernels import KERNELS
from attention_separation.datasets import another_x
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
from ..exact.values import separate
from ..laws.margins import ANOTHER, WEIGHT
from .accuracy import sizes_in_words
from .style import NO_KERNELS, draw_lines, label_of, legend_beside, multiples, sheet

SHOWN = (
    "exp", "exp_half", "exp_sqrt_d", "power_8", "power_4", "power_2", "linear", "elu_plus_one",
    "rbf", "sparsemax", "uniform",
)  # fmt: skip
SIZES = 25

TITLE = "Any attention: how wide the gap is between the scores of D0 and D1"
NOTE = (
    "The largest 2ε in units of √log n, such that with half of the kernel's own best probability "
    "all scores are at most θ − ε on D0 and one is above θ + ε on D1; exact.\n"
    "Data, X and V of the first paper, {sizes}.\n"
    "Gray: linear attention with another X, e_d e_dᵀ + g e₁e_kᵀ with g = 1, read by y = e_k, which "
    "is no sign vector; its gap is the same at every n."
)
ANOTHER_LABEL = "linear: x, another X"

SCHEMA = pa.schema(
    [
        ("kernel", pa.string()),
        ("model", pa.string()),
        ("attention_x", pa.string()),
        ("n", pa.int64()),
        ("margin", pa.float64()),
        ("p_best", pa.float64()),
    ]
)


def numbers(data: Data, own: Mapping[str, Kernel] = NO_KERNELS) -> pa.Table:
    """A row per kernel, layer and n, a user's `own` kernels after the others; no margin where the
    kernel tells nothing, and no numbers where float64 does not tell them. Linear attention with
    another X comes last."""
    n = multiples(data.classes, SIZES)
    kernels = [*(KERNELS[name] for name in SHOWN), *own.values()]
    rows = []
    for layer in LAYERS:
        of_exp = exp_probabilities(layer, data, tuple(n))
        for kernel in kernels:
            found = separate(kernel, layer, data, n, of_exp)
            known = [np.where(found.resolved, of, np.nan) for of in (found.margin, found.p_best)]
            rows += [
                {
                    "kernel": kernel.name, "model": layer.model,
                    "attention_x": layer.attention_x, "n": size,
                    "margin": finite_or_null(margin), "p_best": finite_or_null(p),
                }
                for size, margin, p in zip(n, *(of.tolist() for of in known), strict=True)
            ]  # fmt: skip
    gap = another_x.margin(data, WEIGHT)
    rows += [
        {
            "kernel": "linear", "model": ANOTHER.model, "attention_x": ANOTHER.attention_x,
            "n": size, "margin": gap, "p_best": None,
        }
        for size in n
    ]  # fmt: skip
    return table_from_rows(rows, SCHEMA)


def draw(table: pa.Table, data: Data, own: Mapping[str, Kernel] = NO_KERNELS) -> Figure:
    """The figure of its numbers, slopes named in the legend."""
    lines = 2 * (len(SHOWN) + len(own)) + 3
    figure, panels = sheet(LAYERS, TITLE, NOTE.format(sizes=sizes_in_words(data)), lines)
    slopes: dict[str, list[str]] = {name: [] for name in (*SHOWN, *own)}
    with mpl.rc_context(RC):
        for panel, layer in zip(panels, LAYERS, strict=True):
            rows = select_rows(table, model=layer.model, attention_x=layer.attention_x)
            lines = {name: select_rows(rows, kernel=name) for name in slopes}
            n = numpy_column(lines[SHOWN[0]], "n")
            margins = {name: numpy_column(part, "margin") for name, part in lines.items()}
            draw_lines(panel, n, margins.items(), own)
            for name, margin in margins.items():
                slopes[name].append(_slope(n, margin))
            if layer.model == ANOTHER.model:
                other = select_rows(table, attention_x=ANOTHER.attention_x)
                gap = numpy_column(other, "margin")
                panel.plot(n, gap, color=MIDDLE_GRAY, label=ANOTHER_LABEL)
            panel.set_yscale("log")
            panel.set_xlim(n[0], n[-1])
            panel.set_xticks(10.0 ** np.arange(2, 13, 2))
        panels[0].set_ylabel("gap 2ε / √log n")
        more = {label_of(name, own): f"   p = {' / '.join(each)}" for name, each in slopes.items()}
        more[ANOTHER_LABEL] = "   p = 0"
        legend_beside(figure, panels[0], more, "∝ nᵖ over the right half, in the three panels")
    return figure


def _slope(n: np.ndarray, margin: np.ndarray) -> str:
    """The power of n that a line goes with from its middle to its end; "none" where it has none."""
    middle = len(n) // 2
    slope = math.log(margin[-1] / margin[middle]) / math.log(n[-1] / n[middle])
    return f"{slope:z.2f}".replace("-", "−") if math.isfinite(slope) else "none"
