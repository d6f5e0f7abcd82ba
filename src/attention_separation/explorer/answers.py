"""The one number that is asked for, its sentence, and what is wrong where there is none."""

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass

from attention_separation.api.separating import Separation

from .setting import Setting

FAULTS = (ValueError, TypeError, ArithmeticError, MemoryError)
"""What questions that cannot be answered raise; the text says why."""


@dataclass(frozen=True)
class Answer:
    """A kernel's answer at a setting.

    Attributes
    ----------
    number : the probability in four digits; "" where there is none
    sentence : what it means, or why there is none
    notes : what else is to be known
    """

    number: str
    sentence: str
    notes: tuple[str, ...] = ()

    @property
    def is_fault(self) -> bool:
        return not self.number


def answer(kernel: str, setting: Setting, wanted_n: int | None = None) -> Answer:
    """What `separate` says of a kernel, in words; `wanted_n` is the n that was asked for before it
    was made to stack."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            found = setting.of(kernel)
        except FAULTS as error:
            return Answer("", str(error))
    notes = [f"{each.message}." for each in said]
    if wanted_n not in (None, setting.n):
        classes = setting.data.classes
        notes.append(
            f"n = {setting.n:,} is the multiple of K = {classes} nearest to {wanted_n:,}: tokens "
            "stack in K classes of one size."
        )
    return Answer(in_digits(found.probability), _sentence(found, setting), tuple(notes))


def usable(kernels: Sequence[str], setting: Setting) -> tuple[list[str], list[str]]:
    """The kernels that have an answer here, each once, and sentences on those that have none."""
    good, faults = [], []
    for kernel in dict.fromkeys(kernels):
        found = answer(kernel, setting)
        (faults if found.is_fault else good).append(found.sentence if found.is_fault else kernel)
    return good, faults


def in_digits(probability: float) -> str:
    """Four digits; what is not quite 0 or 1 is not said to be."""
    if 0 < probability < 0.00005:
        return "< 0.0001"
    if 0.99995 <= probability < 1:
        return "> 0.9999"
    return f"{probability:.4f}"


def in_words(ratio: float) -> str:
    """How many times as much, in four digits: 76,830 times; what is divided by 0 is no number."""
    if not math.isfinite(ratio):
        return "infinitely many times" if ratio > 0 else "no number of times"
    if not 1000 <= abs(ratio) < 1e15:
        return f"{ratio:.4g} times"
    return f"{int(float(f'{ratio:.4g}')):,} times"


def _sentence(found: Separation, setting: Setting) -> str:
    where = f"{setting.layer.words}, n = {found.n:,}, d = {found.d}, m = {found.m}"
    if found.theta is None:
        of_theta = "at any threshold: none separates them"
    elif isinstance(found.theta, tuple):
        low, high = found.theta
        of_theta = f"at its best threshold, {low:.4g} to {high:.4g} times √log n"
    else:
        of_theta = f"at the threshold {found.theta:g} √log n"
    return (
        f"is the probability that {found.kernel} alone separates D1 from D0 {of_theta}. The "
        f"special token's weight in its own row on D1 is {found.share:.3g}. {where}."
    )
