"""What can be moved: a parameter's name, its words, and the values it is shown at."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .setting import Setting


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
