"""What can be moved, and as Python: a layer, the sizes of its data, a threshold, a temperature."""

import math
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from attention_separation.any_attention.exact.layers import Layer
from attention_separation.api.comparing import Given, at_temperature
from attention_separation.api.problem import AttentionX, Model, Theta, data_of, layer_of
from attention_separation.api.separating import Separation, separate
from attention_separation.attention.threshold_curves import LARGEST_N
from attention_separation.datasets.dataset import FixedData


@dataclass(frozen=True)
class Setting:
    """Parameters of `separate`, with its defaults but for n, and the temperature T that divides all
    scores."""

    model: Model = "self_attention"
    attention_x: AttentionX = "identity"
    n: int = 2_000
    d: int | None = None
    m: int | None = None
    a1: float = 1.2
    b: float = 0.2
    c: float = 0.8
    theta: Theta = "best"
    temperature: float = 1.0

    @property
    def layer(self) -> Layer:
        """The layer; ValueError if there is none."""
        return layer_of(self.model, self.attention_x)

    @property
    def data(self) -> FixedData:
        """The sizes of the data, checked: ValueError if one is out of range."""
        asked = {"b": None, "c": None} | self._asked()
        entries = FixedData.a0, self.a1, asked["b"], asked["c"]
        return data_of(self.layer, self.d, self.m, *entries)

    def of(self, kernel: Given) -> Separation:
        """What a kernel's network alone can do here, as `separate` says; it raises what that
        raises."""
        asked = {name: x for name, x in self._asked().items() if name != "temperature"}
        return separate(at_temperature(kernel, self.temperature), **asked)

    def _asked(self) -> dict[str, Any]:
        """All but b and c in cross-attention, whose tokens have neither."""
        without = ("b", "c") if self.model == "cross_attention" else ()
        return {
            each.name: getattr(self, each.name) for each in fields(self) if each.name not in without
        }

    def stacking(self) -> "Setting":
        """The same with the multiple of K that is nearest to n."""
        return replace(self, n=nearest_multiple(self.n, self.data.classes))

    def with_value(self, parameter: str, value: float) -> "Setting":
        """The same with another value of a parameter, and the nearest n that stacks."""
        return replace(self, **{parameter: value}).stacking()

    def written(self, *without: str) -> dict[str, Any]:
        """What must be said of it: n, and what is not the default."""
        asked = self._asked()
        return {
            each.name: asked[each.name]
            for each in fields(self)
            if each.name in asked.keys() - without
            and (each.name == "n" or asked[each.name] != each.default)
        }


def nearest_multiple(n: float, classes: int) -> int:
    """The multiple of K nearest to n from 2 to 10^12; of two, the larger."""
    least, most = math.ceil(2 / classes), LARGEST_N // classes
    return classes * min(max(math.floor(n / classes + 0.5), least), most)


@dataclass(frozen=True)
class Parameter:
    """A parameter of a `Setting` that a curve can be drawn against.

    Attributes
    ----------
    name : in `Setting` and in Python
    words : on an axis
    steps : the values that a slider has
    curve : setting -> the values that a curve is drawn through; None where they are the steps
    logarithmic : its axis
    """

    name: str
    words: str
    steps: tuple[float, ...]
    curve: Callable[[Setting], list[float]] | None = None
    logarithmic: bool = False

    def values(self, setting: Setting) -> list[float]:
        """The values that a curve is drawn through."""
        return self.curve(setting) if self.curve else [*self.steps]


def _nice(low: int, high: int) -> tuple[float, ...]:
    """Ten numbers of two digits in each power of ten from 10^low, to 10^high."""
    digits = (10, 12, 15, 20, 25, 30, 40, 50, 60, 80)
    return (*(x * 10.0 ** (k - 1) for k in range(low, high) for x in digits), 10.0**high)


def _evenly(low: float, high: float, step: float) -> tuple[float, ...]:
    return tuple(round(low + k * step, 10) for k in range(round((high - low) / step) + 1))


SIZES = tuple(int(n) for n in _nice(1, 12))
DIMENSIONS = tuple(range(4, 67))
CLASSES = tuple(range(2, 65))
SIGN_COLUMNS = tuple(range(1, 101))
ENTRIES = _evenly(0.05, 2, 0.05)
TEMPERATURES = tuple(round(t, 6) for t in _nice(-1, 2))


def _sizes(setting: Setting) -> list[float]:
    classes = setting.data.classes
    ends = math.log10(max(2 * classes, 10)), 12
    wanted = {round(n / classes) * classes for n in np.logspace(*ends, 56)}
    return sorted(n for n in wanted if 2 <= n <= 10**12)


def _few(steps: tuple[int, ...]) -> list[float]:
    """About 20 of whole numbers, further apart where they are large."""
    ends = math.log10(steps[0]), math.log10(steps[-1])
    return sorted({round(x) for x in np.logspace(*ends, 24)})


PARAMETERS = {
    each.name: each
    for each in (
        Parameter("n", "tokens n", SIZES, _sizes, logarithmic=True),
        Parameter("d", "dimension d", DIMENSIONS, lambda _: _few(DIMENSIONS)),
        Parameter("m", "sign columns m", SIGN_COLUMNS, lambda _: _few(SIGN_COLUMNS)),
        Parameter("a1", "special entry a₁ / √log n", _evenly(0.05, 3, 0.05)),
        Parameter("b", "class entry b / √log n", ENTRIES),
        Parameter("c", "last entry c / √log n", ENTRIES),
        Parameter("theta", "threshold θ / √log n", _evenly(0.01, 2, 0.01)),
        Parameter("temperature", "temperature T", TEMPERATURES, logarithmic=True),
    )
}
"""By name, in the order of their controls."""

ONLY_SELF_ATTENTION = ("b", "c")
"""Cross-attention's tokens have neither."""


def called(function: str, *positional: Any, **named: Any) -> str:
    """A call as it is written."""
    words = [*map(repr, positional), *(f"{name}={value!r}" for name, value in named.items())]
    return f"{function}({', '.join(words)})"


def number_lines(kernel: str, setting: Setting) -> str:
    """What prints the probability of a kernel, which is a name or a formula."""
    asked = setting.written("temperature")
    if setting.temperature == 1:
        return f"from attention_separation import separate\n\n{_printed(repr(kernel), asked)}"
    cooled = called("at_temperature", kernel, setting.temperature)
    return f"from attention_separation import at_temperature, separate\n\n{_printed(cooled, asked)}"


def picture_lines(function: str, *positional: Any, **named: Any) -> str:
    """What writes a picture of the explorer's to a file."""
    return (
        f"from attention_separation.explorer import {function}\n\n"
        f'{called(function, *positional, **named)}.savefig("{function}.svg")'
    )


def _printed(kernel: str, asked: dict[str, Any]) -> str:
    words = [kernel, *(f"{name}={value!r}" for name, value in asked.items())]
    return f"print(separate({', '.join(words)}).probability)"
