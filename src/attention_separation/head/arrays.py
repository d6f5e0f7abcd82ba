"""Numbers that people have, as arrays: of NumPy, of tensors, and of what becomes an array."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..settings.words import short_repr


@dataclass(frozen=True)
class NumberKind:
    """Which numbers an array may have: NumPy's letters of their types, and words for people."""

    letters: str
    words: str


REAL = NumberKind("iuf", "real numbers")
WHOLE = NumberKind("iu", "whole numbers")
TRUTH = NumberKind("biu", "true or false, or 0 and 1")


def as_array(name: str, values: Any, kind: NumberKind = REAL) -> np.ndarray:
    """Returns values as an array of a kind of numbers. A tensor is fetched from wherever it is,
    in single precision. ValueError if they are of another kind, or hide some of them."""
    if isinstance(values, np.ma.MaskedArray):
        raise ValueError(
            f"{name} is a masked array, whose mask would be lost; allowed: its .data, with "
            "mask=~array.mask"
        )
    try:
        array = np.asarray(_fetched(values))
    except (ValueError, TypeError, OverflowError) as error:
        reason = _one_line(error)
        raise ValueError(f"{name} is no array: {reason}; allowed: {kind.words}") from error
    if array.dtype.kind not in kind.letters:
        shown = _one_line(short_repr(values))
        raise ValueError(
            f"{name} has type {array.dtype}: {shown}; allowed: {kind.words}"
            f"{_remedy(array.dtype, kind)}"
        )
    return array


def stacked(name: str, values: Any, kind: NumberKind = REAL) -> np.ndarray:
    """Returns values as `as_array` does, of a list of layers too, each an array or a tensor."""
    if isinstance(values, list | tuple) and all(getattr(part, "ndim", 0) > 0 for part in values):
        return as_array(name, [as_array(name, part, kind) for part in values], kind)
    return as_array(name, values, kind)


def _fetched(values: Any) -> Any:
    """Returns the array of a tensor, anything else as it is."""
    if not hasattr(values, "detach"):
        return values
    tensor = values.detach()
    if tensor.is_floating_point():
        tensor = tensor.float()
    return tensor.cpu().numpy()


def _one_line(value: object) -> str:
    return " ".join(str(value).split())


def _remedy(dtype: np.dtype, kind: NumberKind) -> str:
    """Returns what to do with numbers of a wrong type, where that is known."""
    if dtype.kind == "b" and kind is REAL:
        return "; what a query sees is said by mask="
    if dtype.kind == "V":
        return "; bfloat16 has to be given as float32"
    if dtype.kind == "f" and kind is TRUTH:
        return "; of a mask that is added to scores, say mask == 0"
    return ""


def broadcast(name: str, array: np.ndarray, shape: Sequence[int]) -> np.ndarray:
    """Returns an array at a shape; ValueError if it has another."""
    try:
        return np.broadcast_to(array, shape)
    except ValueError:
        raise ValueError(f"{name} has shape {array.shape}; allowed: {tuple(shape)}") from None


def key_indices(name: str, values: Any, keys: int, *, least: int) -> np.ndarray:
    """Returns indices of keys, from `least` on; ValueError if one is out of range."""
    array = as_array(name, values, WHOLE)
    is_wrong = (array < least) | (array >= keys)
    if is_wrong.any():
        none = ", -1 for none" if least < 0 else ""
        raise ValueError(f"{name} has {array[is_wrong][0]}; allowed: from 0 to {keys - 1}{none}")
    return array.astype(np.int64)


def truths(name: str, values: Any) -> np.ndarray:
    """Returns true or false where numbers are 1 or 0. ValueError if there are others."""
    array = as_array(name, values, TRUTH)
    if array.dtype.kind == "b":
        return array
    is_wrong = (array != 0) & (array != 1)
    if is_wrong.any():
        raise ValueError(f"{name} has {array[is_wrong][0]}; allowed: {TRUTH.words}")
    return array.astype(bool)
