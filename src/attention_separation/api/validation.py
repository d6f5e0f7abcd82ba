"""What is asked of a kernel: a layer of the first paper, and the sizes of its data, checked."""

import math
from dataclasses import replace
from typing import Any, Literal, TypedDict

from ..any_attention.layers import LAYERS, ONE_COORDINATE, Layer
from ..attention.threshold_curves import LARGEST_N
from ..datasets.dataset import FixedData
from ..messages.number_check import number, whole_number
from ..messages.words import short_repr, suggestion

Model = Literal["self_attention", "cross_attention"]
AttentionX = Literal["identity", "ones"]
Theta = Literal["best", "paper"] | float
Split = Literal["one_coordinate"] | float

MOST_CLASSES = 20_000
"""More would take gigabytes for the states of a column alone."""

LARGEST_NUMBER = 1000.0
"""Size of an entry of the tokens."""


def layer_of(model: str, attention_x: str) -> Layer:
    """The layer of a model with X as named; ValueError if there is none."""
    models = dict.fromkeys(layer.model for layer in LAYERS)
    if not isinstance(model, str) or model not in models:
        name = model if isinstance(model, str) else ""
        raise ValueError(f"model={short_repr(model)} is unknown; {suggestion(name, [*models])}")
    layers = {layer.attention_x: layer for layer in LAYERS if layer.model == model}
    if not isinstance(attention_x, str) or attention_x not in layers:
        name = attention_x if isinstance(attention_x, str) else ""
        raise ValueError(
            f"attention_x={short_repr(attention_x)} with {model}; {suggestion(name, [*layers])}"
        )
    return layers[attention_x]


class Options(TypedDict, total=False):
    """The sizes of the data and the split of X, as of `separate`."""

    d: int | None
    m: int | None
    a0: float
    a1: float
    b: float | None
    c: float | None
    split: Split


def setting_of(
    model: str,
    attention_x: str,
    d: int | None = None,
    m: int | None = None,
    a0: float = 0.01,
    a1: float = 1.2,
    b: float | None = None,
    c: float | None = None,
    split: Split = 1.0,
    **unknown: object,
) -> tuple[Layer, FixedData]:
    """A layer and the sizes of its data; None for d, m, b or c is the paper's. ValueError if there
    is no such layer, a number is not of its kind or out of range, or b or c is given in
    cross-attention, whose tokens have neither. TypeError if another parameter is given."""
    for name, x in unknown.items():
        allowed = suggestion(name, [*Options.__annotations__])
        raise TypeError(f"{name}={short_repr(x)} is no parameter; {allowed}")
    layer = _with_split(layer_of(model, attention_x), split)
    least = layer.dataset.other_columns + 1
    from_0 = f"numbers from 0 to {LARGEST_NUMBER:g}"
    sizes: dict[str, Any] = {
        "a0": number("a0", a0, from_0, lambda x: 0 <= x <= LARGEST_NUMBER),
        "a1": _size("a1", a1),
    }
    for name, x in (("b", b), ("c", c)):
        if x is not None and layer.model == "cross_attention":
            raise ValueError(
                f"{name}={short_repr(x)} with cross_attention, whose tokens have no {name}"
            )
        if x is not None:
            sizes[name] = _size(name, x)
    most = layer.d(MOST_CLASSES)
    d = layer.d(FixedData.classes) if d is None else whole_number("d", d, least, most)
    columns = None if m is None else whole_number("m", m, 1, 10**6)
    return layer, FixedData(**sizes, classes=d - layer.dataset.other_columns, columns=columns)


def _with_split(layer: Layer, split: Split) -> Layer:
    """The layer with a split of its X into Q and K; ValueError if the split is none of those
    allowed."""
    if layer.attention_x == "ones" and isinstance(split, str) and split == ONE_COORDINATE:
        return replace(layer, split=split)
    allowed = f"numbers from 0.001 to 1000, with X all ones also {ONE_COORDINATE!r}"
    return replace(layer, split=number("split", split, allowed, lambda x: 1e-3 <= x <= 1e3))


def tokens_of(layer: Layer, data: FixedData, n: int) -> int:
    """The number n of tokens, checked: ValueError if it is out of range, or not a multiple of the
    number of classes."""
    n = whole_number("n", n, 2, LARGEST_N)
    layer.dataset.check(n, layer.d(data.classes))
    return n


def theta_of(theta: Theta, layer: Layer, data: FixedData) -> float | None:
    """The threshold in units of s = sqrt(log n); None stands for the best one."""
    if isinstance(theta, str) and theta in ("best", "paper"):
        return None if theta == "best" else layer.theta(data)
    allowed = "'best', 'paper' or a number above 0"
    return number("theta", theta, allowed, lambda x: 0 < x < math.inf)


def level_of(level: float | None) -> float | None:
    """The probability that is asked for, checked, or None."""
    allowed = "numbers above 0, to 1"
    return None if level is None else number("level", level, allowed, lambda x: 0 < x <= 1)


def _size(name: str, value: float) -> float:
    """The size of an entry of the tokens; ValueError if it is out of range."""
    allowed = f"numbers above 0 to {LARGEST_NUMBER:g}"
    return number(name, value, allowed, lambda x: 0 < x <= LARGEST_NUMBER)
