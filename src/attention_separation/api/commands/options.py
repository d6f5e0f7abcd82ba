"""Options that the commands on kernels share, and how they answer."""

import argparse
import contextlib
import dataclasses
import json
import math
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..comparing import largest_n
from ..listing import as_text


def whole(text: str) -> int:
    """A whole number, such as 200, 2_000 or 1e6."""
    value = float(text)
    if not value.is_integer():
        raise argparse.ArgumentTypeError(f"{text!r}; allowed: whole numbers")
    return int(value)


SIZES = {"d": whole, "m": whole, "a0": float, "a1": float, "b": float, "c": float}
"""Parameters of `separate` that are left at their defaults where nothing is said."""


def add_layer(parser: argparse.ArgumentParser) -> None:
    """The layer and the sizes of its data, as of `separate`."""
    parser.add_argument("--model", default="self_attention", help="or cross_attention")
    parser.add_argument("--attention-x", default="identity", help="X: identity or ones")
    for name, kind in SIZES.items():
        parser.add_argument(f"--{name}", type=kind, help=f"{name} of the data")
    parser.add_argument("--level", type=float, help="a probability to reach, for largest n")
    parser.add_argument("--json", action="store_true", help="answer for programs")


def layer_options(arguments: argparse.Namespace) -> dict[str, Any]:
    """What `add_layer` read, as parameters."""
    sizes = {name: getattr(arguments, name) for name in SIZES}
    given = {name: value for name, value in sizes.items() if value is not None}
    return {"model": arguments.model, "attention_x": arguments.attention_x} | given


@contextlib.contextmanager
def warnings_in_a_line(command: str) -> Iterator[None]:
    """What is warned of, at once, once and without lines of code, on standard error."""
    said = set()

    def say(message: Warning, *_: Any, **__: Any) -> None:
        if str(message) not in said:
            said.add(str(message))
            print(f"{command}: warning: {message}", file=sys.stderr, flush=True)

    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = say
        yield


def reach_of(kernel: str, level: float | None, options: Mapping[str, Any]) -> float | str | None:
    """`largest_n`, or the sentence that says why there is none."""
    try:
        return largest_n(kernel, level=level, **options)
    except ArithmeticError as error:
        return str(error)


def public(found: Any) -> dict[str, Any]:
    """The fields of an answer that are for people."""
    fields = (field.name for field in dataclasses.fields(found) if field.repr)
    return {name: getattr(found, name) for name in fields}


def print_json(value: Any) -> None:
    """As JSON; numbers that are none, or have no end, are null or "inf"."""
    print(json.dumps(_plain(value), ensure_ascii=False, indent=1))


def print_table(rows: Sequence[Mapping[str, Any]]) -> None:
    """As a table, numbers shortened."""
    head = tuple(rows[0])
    print(as_text(head, [tuple(_cell(row[name]) for name in head) for row in rows]))


def _cell(value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, tuple):
        return " to ".join(map(_cell, value))
    return str(value)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else "inf"
    return value
