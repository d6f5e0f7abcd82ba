"""Answers as a notebook shows them: what was found, on what condition, and a picture to open."""

import io
from collections.abc import Callable
from html import escape
from typing import TYPE_CHECKING

from ..any_attention.layers import LAYERS
from ..messages.words import range_in_words

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class Answer:
    """What a question found, on what condition: in one line as Python shows it, and as a notebook
    does. The attributes are those of its kinds."""

    model: str
    attention_x: str
    n: int
    d: int
    m: int
    theta: float | tuple[float, float] | None

    def __repr__(self) -> str:
        """The answer and its condition in one line."""
        return f"<{type(self).__name__}: {self._answer}; {self._condition}>"

    def _repr_html_(self) -> str:
        """The answer and its condition as HTML, for notebooks."""
        return f"<p><strong>{escape(self._answer)}</strong><br>{escape(self._condition)}</p>"

    @property
    def _answer(self) -> str:
        """What was found."""
        raise NotImplementedError

    @property
    def _condition(self) -> str:
        """The condition of the answer in words: the layer, the sizes of the data, and the
        threshold, or the ends of the interval of best ones."""
        words_by_layer: dict[tuple[str, str], str] = {
            (layer.model, layer.attention_x): layer.words for layer in LAYERS
        }
        words = words_by_layer[self.model, self.attention_x]
        setting = f"{words}, n = {self.n:,}, d = {self.d}, m = {self.m}"
        if self.theta is None:
            return f"{setting}, at any threshold"
        if isinstance(self.theta, tuple):
            theta = range_in_words(*self.theta, digits=4)
        else:
            theta = f"{self.theta:.4g}"
        return f"{setting}, θ = {theta} √log n"


def picture_to_open(draw: "Callable[[], Axes]") -> str:
    """The HTML of a line that opens a picture below it; "" without Matplotlib."""
    try:
        picture = _as_svg(draw())
    except ImportError:
        return ""
    return f"<details><summary>picture</summary>{picture}</details>"


def _as_svg(axes: "Axes") -> str:
    """The SVG of the picture of some axes; the picture is closed."""
    from matplotlib import pyplot

    figure = axes.get_figure(root=True)
    assert figure is not None
    file = io.StringIO()
    figure.savefig(file, format="svg")
    pyplot.close(figure)
    # A page has one head: what stands before the picture's own element is left out.
    return file.getvalue()[file.getvalue().index("<svg") :]
