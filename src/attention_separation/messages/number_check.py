"""Checks of numbers that a caller gives to a function: a faulty one is a ValueError that names the
parameter, its value and what is allowed."""

import math
import operator
from collections.abc import Callable
from contextlib import suppress
from numbers import Real
from typing import Any, cast

import numpy as np

from .words import short_repr, whole_range


def number(name: str, value: Any, allowed: str, is_allowed: Callable[[float], bool]) -> float:
    """A parameter's number, Python's or NumPy's, checked: a text or a bool is none."""
    x = math.nan
    if isinstance(value, Real) and not isinstance(value, bool):
        with suppress(OverflowError):
            x = float(value)
    if not is_allowed(x):
        raise ValueError(f"{name}={short_repr(value)}; allowed: {allowed}")
    return x


def whole_number(name: str, value: Any, least: int, most: int) -> int:
    """A parameter's whole number from `least` to `most`, 1e6 among them; ValueError if it is
    none."""
    whole = _whole(value)
    if whole is None or not least <= whole <= most:
        raise ValueError(f"{name}={short_repr(value)}; allowed: {whole_range(least, most)}")
    return whole


def _whole(value: Any) -> int | None:
    """The whole number that a value equals; None if it equals none."""
    # A truth value of NumPy before 2.3 is an index.
    if isinstance(value, bool | np.bool_):
        return None
    if not isinstance(value, Real):
        try:
            return operator.index(value)
        except TypeError:
            return None
    try:
        whole = int(cast(float, value))
    except (OverflowError, ValueError):  # infinity and NaN
        return None
    return whole if whole == value else None


def truth(name: str, value: Any) -> bool:
    """A parameter's truth value, of Python's or NumPy's; ValueError if it is another thing: a text
    such as "no" would count as true."""
    if not isinstance(value, bool | np.bool_):
        raise ValueError(f"{name}={short_repr(value)}; allowed: True or False")
    return bool(value)


def optional_text(name: str, value: Any) -> str | None:
    """A parameter's free text, or None; ValueError if it is another thing, or empty."""
    if value is None:
        return None
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"{name}={short_repr(value)}; allowed: a text that is not empty, or None")
    return value


def listed(name: str, values: Any) -> list[Any]:
    """What a parameter that takes several numbers holds; ValueError if it is none that can."""
    try:
        return list(values)
    except TypeError:
        raise ValueError(f"{name}={short_repr(values)}; allowed: a list of numbers") from None
