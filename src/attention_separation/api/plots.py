"""Pictures, where people would rather look; matplotlib is needed here alone."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from .separating import Separation


def draw_curve(found: "Separation", axes: "Axes | None" = None) -> "Axes":
    """The probability against the threshold, the best thresholds marked."""
    axes = axes or _new_axes()
    curve = found.curve
    axes.stairs(curve.probability, curve.edges, baseline=None, label=found.kernel)
    if isinstance(found.theta, tuple):
        axes.axvspan(*found.theta, alpha=0.2, linewidth=0)
    else:
        axes.axvline(found.theta, linestyle=":")
    axes.set(
        xlim=(0, curve.edges[-2] * 1.05), ylim=(0, 1.02),
        xlabel="threshold θ / √log n", ylabel="P(separates D1 from D0)",
        title=f"{found.kernel}, n = {found.n:,}",
    )  # fmt: skip
    return axes


def plot(
    kernels: Iterable[Any], n: Sequence[int] | None = None, axes: "Axes | None" = None, **more: Any
) -> "Axes":
    """Draw what each kernel can do against n, at its own best threshold; needs matplotlib.

    `n` is nearly geometric from 100 to 10^9 if not given; `more` as of `compare`.
    """
    from .comparing import compare
    from .problem import data_of, layer_of

    layer = layer_of(more.get("model", "self_attention"), more.get("attention_x", "identity"))
    classes = data_of(layer, more.get("d"), None, 0.01, 1.2, None, None).classes
    if n is None:
        n = sorted({max(int(size) // classes, 1) * classes for size in np.geomspace(100, 1e9, 57)})
        n = [size for size in n if size >= 2]
    table = compare(kernels, n, **more)
    axes = axes or _new_axes()
    for kernel, part in table.groupby("kernel", sort=False):
        axes.plot(part["n"], part["probability"], label=kernel)
    axes.set(xscale="log", ylim=(0, 1.02), xlabel="tokens n", ylabel="P(separates D1 from D0)")
    axes.set_title(layer.words)
    axes.legend()
    return axes


def _new_axes() -> "Axes":
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError(
            "pictures need matplotlib: pip install 'attention-separation[workflow]'"
        ) from error
    return pyplot.subplots()[1]
