"""Several kernels at several n: `compare` and `plot`."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from ..any_attention.layers import Layer
from ..any_attention.values import batches, score_columns
from ..attention.kernel import Kernel
from ..attention.separation import require_memory, widest_margins
from ..datasets.dataset import FixedData
from ..looks.kernel_styles import kernel_lines
from ..looks.literal_text import literal_text
from ..messages.number_check import truth
from ..messages.progress import Progress
from ..messages.question import question
from . import validation
from .build import Given, kernel_of, require_usable, unique_names
from .separating import axes_to_draw_in

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

COMPARED_N = (200, 2_000, 20_000, 1_000_000)


@question
def compare(
    kernels: Iterable[Given],
    n: Sequence[int] = COMPARED_N,
    model: validation.Model = "self_attention",
    attention_x: validation.AttentionX = "identity",
    *,
    margin: bool = False,
    **options: Unpack[validation.Options],
) -> "pd.DataFrame":
    """What each kernel can do at each n, at its own best threshold; parameters as of `separate`.

    Returns
    -------
    pandas.DataFrame
        A row for each kernel and n: kernel, model, attention_x, n, d, m, probability, theta_low and
        theta_high (the best thresholds), share, and with `margin` the margin; no number where
        float64 does not tell it. Of kernels with the same name the second is "NAME (2)".
    """
    import pandas as pd

    margin = truth("margin", margin)
    layer, data = validation.setting_of(model, attention_x, **options)
    sizes = [validation.tokens_of(layer, data, size) for size in _several(n)]
    usable_kernels = [kernel_of(kernel) for kernel in _several(kernels)]
    names = unique_names([kernel.name for kernel in usable_kernels])
    if margin:
        require_memory(layer.d(data.classes))
    # Margins take long one by one, and all else takes memory together.
    if margin:
        parts = [slice(k, k + 1) for k in range(len(sizes))]
    else:
        parts = batches(data, len(sizes))
    progress = Progress("compare", len(usable_kernels) * len(parts), "parts")
    tables = []
    for kernel, name in zip(usable_kernels, names, strict=True):
        require_usable(kernel, layer, data, sizes)
        for part in parts:
            columns = {"kernel": name, "model": layer.model, "attention_x": layer.attention_x}
            columns |= _measured(kernel, layer, data, sizes[part], margin)
            tables.append(pd.DataFrame(columns))
            progress.advance()
    return pd.concat(tables, ignore_index=True)


def _measured(
    kernel: Kernel, layer: Layer, data: FixedData, sizes: list[int], margin: bool
) -> dict[str, Any]:
    """The columns of the table of `compare` for one kernel at some n."""
    scored = score_columns(kernel, layer, data, sizes)
    curves = scored.curves()
    best, low, high = curves.best()
    best = np.where(curves.resolved, best, np.nan)
    # NaN is not above 0.
    has_threshold = best > 0
    columns = {
        "n": sizes,
        "d": layer.d(data.classes),
        "m": scored.m,
        "probability": best,
        "theta_low": np.where(has_threshold, low, np.nan),
        "theta_high": np.where(has_threshold, high, np.nan),
        "share": scored.rows[1].share[:, 0],
    }
    if margin:
        half = np.where(has_threshold, best / 2, 2.0)
        columns["margin"] = widest_margins(scored.ranked(), half[:, None])[:, 0]
    return columns


@question
def plot(
    kernels: Iterable[Any], n: Sequence[int] | None = None, axes: "Axes | None" = None, **more: Any
) -> "Axes":
    """Draw what each kernel can do against n, at its own best threshold; needs matplotlib.

    `n` is nearly geometric from 100 to 10^9 if not given; `more` as of `compare`.
    """
    model = more.get("model", "self_attention")
    attention_x = more.get("attention_x", "identity")
    layer, data = validation.setting_of(model, attention_x, more.get("d"))
    if n is None:
        sizes = np.geomspace(100, 1e9, 57) // data.classes
        n = [size for size in np.unique(sizes.clip(1)).astype(int) * data.classes if size >= 2]
    axes = axes_to_draw_in(axes)
    table = compare(kernels, n, **more)
    for kernel, look in kernel_lines(table["kernel"].unique()).items():
        part = table[table["kernel"] == kernel]
        axes.plot(part["n"], part["probability"], label=literal_text(kernel), **look)
    axes.set(xscale="log", ylim=(0, 1.02), xlabel="tokens n", ylabel="P(separates D1 from D0)")
    axes.set_title(layer.words)
    axes.legend()
    return axes


def _several(values: Any) -> list[Any]:
    """The values as a list; a single kernel or size is a list of one. ValueError if there are
    none."""
    if isinstance(values, str | Kernel) or callable(values) or not isinstance(values, Iterable):
        return [values]
    listed = list(values)
    if not listed:
        raise ValueError("nothing to compare; allowed: at least one kernel and one n")
    return listed
