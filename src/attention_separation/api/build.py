"""Whether a kernel of one's own can be answered on exactly, and how long that takes; the kernels
that people give are made in `own_kernels.given`."""

import sys
import time
from collections.abc import Sequence

from ..any_attention.kernel_check import check_kernel
from ..any_attention.layers import Layer
from ..any_attention.state_check import require_same_again
from ..any_attention.values import score_columns
from ..attention.kernel import (
    ClassesApartError,
    Kernel,
    NotElementwiseError,
    RowSumError,
    TinyRowSumError,
)
from ..attention.kernel_names import is_built_in
from ..datasets.dataset import FixedData
from ..messages.question import warn
from ..own_kernels.given import Given, features, kernel_of, pair, rows, scores

__all__ = (
    "Given",
    "features",
    "kernel_of",
    "pair",
    "require_usable",
    "rows",
    "say_how_long",
    "scores",
    "unique_names",
)

MOST_BYTES = 2 << 30
"""Of vectors and their products; more classes than fit are refused."""

LONG_SECONDS = 10.0
"""Seconds: what is estimated to take longer is said beforehand."""

BYTES_OF_A_FEATURE = 80
"""About how much a kernel of vectors takes for each pair of a class and a coordinate."""

IN_RANGE = (
    "where rows are divided, take the largest of a row off: np.exp(y - y.max(-1, keepdims=True)) "
    "for np.exp(y); a formula does so by itself"
)

HINTS_OF_ERRORS: dict[type[ArithmeticError], str] = {
    ClassesApartError: "what is exact here needs weights of a query and a key that do not depend "
    "on their places, and that exchange with the classes, as with an element-wise phi, a softmax "
    "or a norm over all coordinates; simulate(..., method='dense', theta=...) needs neither",
    NotElementwiseError: "leave elementwise=True out",
    OverflowError: IN_RANGE,
    TinyRowSumError: IN_RANGE,
    RowSumError: "give weights that are positive, or normalised=False for rows as they are",
}
"""What can be done, by what is wrong."""


def require_usable(kernel: Kernel, layer: Layer, data: FixedData, sizes: Sequence[int]) -> None:
    """Raise ArithmeticError where a kernel of one's own breaks what is exact here at one of the
    numbers of tokens, and warn where it has negative weights; built-in kernels are not tried.

    Nothing is remembered: what a function gives may change, as a trained module's answers do.

    Raises
    ------
    MemoryError
        If vectors of so many classes would take more than 2 GiB.
    """
    needed = BYTES_OF_A_FEATURE * data.classes**2
    shown_in_full = kernel.kind == "features" and kernel.vectors_seen != "orbits"
    if shown_in_full and needed > MOST_BYTES:
        raise MemoryError(
            f"{kernel.name}: vectors at d={layer.d(data.classes)} take about "
            f"{needed / 2**30:.1f} GiB; allowed: {MOST_BYTES >> 30}; a map that acts on each "
            "coordinate by itself needs few numbers as features(phi, elementwise=True)"
        )
    if is_built_in(getattr(kernel.weigh, "divides", kernel)):
        return
    require_same_again(kernel, layer, data, sizes[0])
    try:
        negative = check_kernel(kernel, layer, data, sizes)
    except ArithmeticError as error:
        hint = HINTS_OF_ERRORS.get(type(error))
        if hint == IN_RANGE and not kernel.normalised:
            hint = None
        raise type(error)(f"{error}; {hint}" if hint else str(error)) from error.__cause__
    if negative:
        warn(f"{kernel.name}: some weights are negative; rows are averages no longer")


def say_how_long(kernel: Kernel, layer: Layer, data: FixedData, n: int, answers: int) -> None:
    """Print about how long so many answers take of a kernel of one's own, as long as one at n does,
    if that is long. Built-in ones say how far they are, where they take long."""
    if is_built_in(getattr(kernel.weigh, "divides", kernel)):
        return
    start = time.perf_counter()
    score_columns(kernel, layer, data, [n])
    seconds = answers * (time.perf_counter() - start)
    if seconds > LONG_SECONDS:
        print(f"{kernel.name}: about {seconds:,.0f} s", file=sys.stderr, flush=True)


def unique_names(names: Sequence[str]) -> list[str]:
    """Names, those that come again numbered: "kernel" and "kernel (2)"."""
    numbered = []
    for k, name in enumerate(names):
        before = names[:k].count(name)
        numbered.append(f"{name} ({before + 1})" if before else name)
    return numbered
