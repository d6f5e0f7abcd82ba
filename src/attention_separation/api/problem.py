"""What is asked of a kernel: a layer of the first paper, and the sizes of its data, checked."""

import math
import operator
from numbers import Real
from typing import Any, Literal

from attention_separation.any_attention.exact.layers import LAYERS, Layer
from attention_separation.attention.threshold_curves import LARGEST_N
from attention_separation.datasets import DATASETS
from attention_separation.datasets.data import FixedData
from attention_separation.settings.words import shown, suggestion

Model = Literal["self_attention", "cross_attention"]
AttentionX = Literal["identity", "ones"]
Theta = Literal["best", "paper"] | float

MOST_CLASSES = 20_000
"""More would take gigabytes for the states of a column alone."""

LARGEST = 1000.0
"""Size of an entry of the tokens."""


def layer_of(model: str, attention_x: str) -> Layer:
    """The layer of a model with X.

    Raises
    ------
    ValueError
        If there is none.
    """
    if not isinstance(model, str) or model not in DATASETS:
        raise ValueError(f"model={shown(model)} is unknown; {suggestion(str(model), [*DATASETS])}")
    found = {layer.attention_x: layer for layer in LAYERS if layer.model == model}
    if not isinstance(attention_x, str) or attention_x not in found:
        raise ValueError(
            f"attention_x={shown(attention_x)} with {model}; "
            f"{suggestion(str(attention_x), [*found])}"
        )
    return found[attention_x]


def data_of(
    layer: Layer, d: int | None, m: int | None, a0: float, a1: float, b: float, c: float
) -> FixedData:
    """The sizes of the data of a layer; None for d or m is the paper's.

    Raises
    ------
    ValueError
        If a number is not of its kind or out of range.
    """
    least = layer.of.other_columns + 1
    sizes = {
        "a0": _number("a0", a0, least=0.0),
        **{name: _number(name, x) for name, x in (("a1", a1), ("b", b), ("c", c))},
    }
    d = layer.d(FixedData.classes) if d is None else whole_number("d", d, least, MOST_CLASSES)
    columns = None if m is None else whole_number("m", m, 1, 10**6)
    return FixedData(**sizes, classes=d - layer.of.other_columns, columns=columns)


def tokens_of(layer: Layer, data: FixedData, n: int) -> int:
    """A number of tokens that stacks in the data's classes.

    Raises
    ------
    ValueError
        If it does not, or is out of range.
    """
    n = whole_number("n", n, 2, LARGEST_N)
    layer.of.check(n, layer.d(data.classes))
    return n


def theta_of(theta: Theta, layer: Layer, data: FixedData) -> float | None:
    """A threshold in units of s; None for the best."""
    if isinstance(theta, str) and theta in ("best", "paper"):
        return None if theta == "best" else layer.theta(data)
    found = real_number(theta)
    if not 0 < found < math.inf:
        raise ValueError(f"theta={shown(theta)}; allowed: 'best', 'paper' or a number above 0")
    return found


def whole_number(name: str, value: int, least: int, most: int) -> int:
    """A whole number of a parameter's range.

    Raises
    ------
    ValueError
        If it is none; the text names the parameter, the value and what is allowed.
    """
    whole = int(value) if isinstance(value, float) and value.is_integer() else value
    try:
        found = operator.index(whole)
    except TypeError:
        found = least - 1
    if isinstance(value, bool) or not least <= found <= most:
        words = f"allowed: whole numbers from {least} to {most:,}"
        raise ValueError(f"{name}={shown(value)}; {words}")
    return found


def real_number(value: Any) -> float:
    """A number of Python's or NumPy's; NaN for what is none, a text or a truth among them."""
    return float(value) if isinstance(value, Real) and not isinstance(value, bool) else math.nan


def _number(name: str, value: float, least: float | None = None) -> float:
    ends = "above 0" if least is None else f"from {least:g}"
    found = real_number(value)
    if not (found > 0 or found == least) or found > LARGEST:
        raise ValueError(f"{name}={shown(value)}; allowed: numbers {ends} to {LARGEST:g}")
    return found
