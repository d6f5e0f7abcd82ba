"""What all functions that people ask with have in common: they give each sentence of warning once,
at the line of code that asks, and handle NumPy's errors as NumPy does by itself."""

import functools
import os
import sys
import warnings
from collections.abc import Callable
from contextvars import ContextVar
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import numpy as np

P = ParamSpec("P")
Answer = TypeVar("Answer")

PACKAGE_FOLDER = f"{Path(__file__).resolve().parents[1]}{os.sep}"

_SAID: ContextVar[set[str] | None] = ContextVar("said", default=None)
"""What the question that is being answered has said; None outside of questions."""


NUMPYS_OWN: dict[str, Any] = {
    "divide": "warn",
    "over": "warn",
    "under": "ignore",
    "invalid": "warn",
}
"""What NumPy does with errors of floating point where nobody has called `np.seterr`."""


def question(function: Callable[P, Answer]) -> Callable[P, Answer]:
    """A function that people call; whatever it calls says each sentence once, and answers the same
    whatever the caller's `np.seterr` is."""

    @functools.wraps(function)
    def asked(*args: P.args, **kwargs: P.kwargs) -> Answer:
        if _SAID.get() is not None:
            return function(*args, **kwargs)
        token = _SAID.set(set())
        try:
            with np.errstate(**NUMPYS_OWN):
                return function(*args, **kwargs)
        finally:
            _SAID.reset(token)

    return asked


def warn(text: str) -> None:
    """Warn with a UserWarning, unless the question that is being answered has given this sentence
    before."""
    given_sentences = _SAID.get()
    if given_sentences is not None and text in given_sentences:
        return
    if given_sentences is not None:
        given_sentences.add(text)
    warnings.warn(text, stacklevel=_levels_to_caller())


def _levels_to_caller() -> int:
    """The number of calls from `warn` up to the first line outside of the package."""
    levels = 1
    frame = sys._getframe(1)
    while frame.f_back and frame.f_code.co_filename.startswith(PACKAGE_FOLDER):
        levels += 1
        frame = frame.f_back
    return levels
