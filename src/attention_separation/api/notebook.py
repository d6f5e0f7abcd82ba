"""Answers as a notebook shows them: what was found, on what condition, and a picture to open."""

import io
from collections.abc import Callable
from html import escape
from typing import TYPE_CHECKING

import numpy as np

from ..any_attention.exact.layers import LAYERS

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def setting_in_words(model: str, attention_x: str, n: int, d: int, m: int) -> str:
    """The layer and the sizes of a question."""
    words = next(
        layer.words for layer in LAYERS if (layer.model, layer.attention_x) == (model, attention_x)
    )
    return f"{words}, n = {n:,}, d = {d}, m = {m}"


def threshold_in_words(theta: float | tuple[float, float] | None) -> str:
    """A threshold, or the ends of the interval of best ones."""
    if theta is None:
        return "at any threshold"
    ends = " to ".join(f"{end:.4g}" for end in np.atleast_1d(np.asarray(theta)))
    return f"θ = {ends} √log n"


def as_html(answer: str, condition: str, draw: "Callable[[], Axes] | None" = None) -> str:
    """An answer, its condition, and its picture below a line that opens it; without Matplotlib, or
    where there is nothing to draw, without the picture."""
    text = f"<p><strong>{escape(answer)}</strong><br>{escape(condition)}</p>"
    if draw is None:
        return text
    try:
        picture = _as_svg(draw())
    except ImportError:
        return text
    return f"{text}<details><summary>picture</summary>{picture}</details>"


def _as_svg(axes: "Axes") -> str:
    """The picture of some axes, which is closed."""
    from matplotlib import pyplot

    figure = axes.get_figure(root=True)
    assert figure is not None
    file = io.StringIO()
    figure.savefig(file, format="svg")
    pyplot.close(figure)
    # A page has one head: what stands before the picture's own element is left out.
    return file.getvalue()[file.getvalue().index("<svg") :]
