"""Kernels of one's own: functions of scores, feature maps, functions of rows, and formulas."""

import inspect
import re
import sys
import time
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import Any

import numpy as np

from ..any_attention.exact.kernel_check import check_kernel
from ..any_attention.exact.layers import Layer
from ..any_attention.exact.values import score_columns
from ..attention.kernel import (
    ClassesApartError,
    Kernel,
    Normaliser,
    NotElementwiseError,
    RowSumError,
    TinyRowSumError,
)
from ..attention.kernel_names import UnknownKernelError, is_built_in, kernel_named
from ..datasets.dataset import FixedData
from ..own_kernels import build
from ..own_kernels.formula import FormulaError, parse_formula
from ..settings.warn_once import warn
from ..settings.words import short_repr

Given = str | Kernel | Callable[..., Any]
"""What `kernel_of` takes."""

GIVEN = "given"
"""The source of kernels of one's own."""

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.]*")

MOST_BYTES = 2 << 30
"""Of vectors and their products; more classes than fit are refused."""

LONG = 10.0
"""Seconds: what is estimated to take longer is said beforehand."""

BYTES_OF_A_FEATURE = 80
"""About how much a kernel of vectors takes for each pair of a class and a coordinate."""

IN_RANGE = (
    "where rows are divided, take the largest of a row off: np.exp(y - y.max(-1, keepdims=True)) "
    "for np.exp(y); a formula does so by itself"
)

HINTS: dict[type[ArithmeticError], str] = {
    ClassesApartError: "what is exact here needs weights of a query and a key that do not depend "
    "on their places, and that exchange with the classes, as with an element-wise phi, a softmax "
    "or a norm over all coordinates; simulate(..., method='dense', theta=...) needs neither",
    NotElementwiseError: "leave elementwise=True out",
    OverflowError: IN_RANGE,
    TinyRowSumError: IN_RANGE,
    RowSumError: "give weights that are positive, or normalised=False for rows as they are",
}
"""What can be done, by what is wrong."""


def scores(
    function: Callable[..., Any], *, name: str | None = None, normalised: bool = True
) -> Kernel:
    """The kernel whose weight of a token is a function of its score x = q . k.

    Parameters
    ----------
    function : array of scores (queries, keys) -> weights, in the same shape; arguments named n and
        d get the number of tokens and the dimension. NumPy, or PyTorch in float64
    name : in tables; the function's own if not given
    normalised : whether each row is divided by its sum
    """
    _require_function("scores", function)
    name = name or _name_of(function)
    weights = build.called(name, name, partial(_with_sizes, function), build.same_shape)
    return build.score_kernel(name, f"{name}(x)", weights, **_more(normalised))


def features(
    phi: Callable[[Any], Any], *, name: str | None = None, normalised: bool = True,
    elementwise: bool = False,
) -> Kernel:  # fmt: skip
    """The kernel phi(q) . phi(k): linear attention with a feature map.

    Parameters
    ----------
    phi : array (tokens, d) of vectors -> (tokens, features), element-wise or not, but treating all
        coordinates alike. NumPy, or PyTorch in float64: `torch.nn.functional.relu` plugs in
    elementwise : whether phi gives features of each coordinate by itself, as NumPy's functions do.
        Then it is called with the few distinct coordinates that there are, as vectors of one
        coordinate, and a large d takes no longer than a small one
    name, normalised : as of `scores`
    """
    _require_function("features", phi)
    name = name or _name_of(phi)
    return build.feature_kernel(
        name, f"φ = {name}(z)", _of_vectors(name, phi, elementwise), elementwise=elementwise,
        **_more(normalised),
    )  # fmt: skip


def pair(
    phi: Callable[[Any], Any], psi: Callable[[Any], Any], *, name: str | None = None,
    normalised: bool = True, elementwise: bool = False,
) -> Kernel:  # fmt: skip
    """The kernel phi(q) . psi(k), with a map for queries and one for keys; see `features`."""
    _require_function("pair", phi)
    _require_function("pair", psi)
    name = name or f"{_name_of(phi)}_{_name_of(psi)}"
    symbol = f"φ = {_name_of(phi)}(q), {_name_of(psi)}(k)"
    return build.feature_kernel(
        name, symbol, _of_vectors(name, phi, elementwise), _of_vectors(name, psi, elementwise),
        elementwise=elementwise, **_more(normalised),
    )  # fmt: skip


def rows(
    function: Callable[[Any, Any], Any], *, name: str | None = None, normalised: bool = False
) -> Kernel:
    """The kernel whose weights are a function of a whole row of scores, as sparsemax's are.

    Parameters
    ----------
    function : scores of the distinct keys of a row, (T,), and how many tokens each of them stands
        for, (T,) -> the weight of one token of each, (T,); n and d as of `scores`
    name, normalised : as of `scores`; rows are taken as they are given if nothing is said
    """
    _require_function("rows", function)
    name = name or _name_of(function)

    def of_row(x: np.ndarray, counts: np.ndarray, n: int, d: int) -> np.ndarray:
        of = _with_sizes(function, n, d)
        return build.checked_call(name, name, of, build.same_shape, x, counts)

    return build.row_kernel(name, f"{name}(row)", of_row, **_more(normalised))


def kernel_of(kernel: "str | Kernel | Callable[..., Any]") -> Kernel:
    """The kernel that is meant: a name, a formula in x such as "x**4", a function of scores, or
    what `scores`, `features`, `pair` and `rows` give.

    Raises
    ------
    UnknownKernelError
        If a text is neither a kernel's name nor a formula.
    TypeError
        If it is nothing of these.
    """
    if isinstance(kernel, Kernel):
        return kernel
    if isinstance(kernel, str):
        return _of_text(kernel)
    if callable(kernel):
        return scores(kernel)
    raise TypeError(
        f"{short_repr(kernel)} is no kernel; allowed: a name, a formula in x, a function of "
        "scores, features(phi), pair(phi, psi) or rows(function)"
    )


@lru_cache(maxsize=256)
def _of_text(text: str) -> Kernel:
    if NAME.fullmatch(text) and text not in ("x", "n", "d", "log_n"):
        return kernel_named(text)
    try:
        formula = parse_formula(text)
    except FormulaError as error:
        raise UnknownKernelError(
            f"{short_repr(text)} is no kernel and no formula: {error}"
        ) from error
    return build.formula_kernel(text, text, formula, words=short_repr(text), source=GIVEN)


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
    try:
        negative = check_kernel(kernel, layer, data, sizes)
    except ArithmeticError as error:
        hint = HINTS.get(type(error))
        if hint == IN_RANGE and not kernel.normalised:
            hint = None
        raise type(error)(f"{error}; {hint}" if hint else str(error)) from error
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
    if seconds > LONG:
        print(f"{kernel.name}: about {seconds:,.0f} s", file=sys.stderr, flush=True)


def _more(normalised: bool) -> dict[str, Any]:
    normaliser: Normaliser = "row sum" if normalised else "none"
    return {"normaliser": normaliser, "source": GIVEN}


def _name_of(function: Callable) -> str:
    name = getattr(function, "__name__", type(function).__name__)
    return "kernel" if name == "<lambda>" else name


def _require_function(maker: str, function: object) -> None:
    if not callable(function):
        raise TypeError(f"{maker}({short_repr(function)}); allowed: functions")


def unique_names(names: Sequence[str]) -> list[str]:
    """Names, those that come again numbered: "kernel" and "kernel (2)"."""
    before = [names[:k].count(name) for k, name in enumerate(names)]
    return [f"{name} ({k + 1})" if k else name for k, name in zip(before, names, strict=True)]


def _of_vectors(name: str, phi: Callable[[Any], Any], elementwise: bool) -> build.OfNumbers:
    def of_sizes(n: int, d: int) -> Callable[..., Any]:
        return _numpy_of(phi)

    if elementwise:
        return build.called_elementwise(name, name, of_sizes)
    return build.called(name, name, of_sizes, build.vectors)


def _with_sizes(function: Callable, n: int, d: int) -> Callable[..., np.ndarray]:
    """A function of arrays that gets n and d where it has arguments of these names."""
    try:
        asked = inspect.signature(function).parameters
    except (TypeError, ValueError):
        asked = {}
    more = {key: value for key, value in (("n", n), ("d", d)) if key in asked}
    return partial(_numpy_of(function), **more)


def _numpy_of(function: Callable) -> Callable[..., np.ndarray]:
    """A function of PyTorch's as one of arrays; one of arrays as it is."""

    def called(*arrays: np.ndarray, **more: int) -> Any:
        torch = sys.modules.get("torch")
        if torch is None:
            return function(*arrays, **more)
        if _is_of_torch(function, torch):
            return _of_tensors(function, arrays, more, torch)
        try:
            return _as_array(function(*arrays, **more), torch)
        except (TypeError, AttributeError) as of_arrays:
            # So functions of tensors answer arrays; one that answers tensors so too is at fault.
            try:
                return _of_tensors(function, arrays, more, torch)
            except (TypeError, AttributeError):
                raise of_arrays from None

    return called


def _of_tensors(
    function: Callable, arrays: Sequence[np.ndarray], more: dict[str, int], torch: Any
) -> Any:
    with torch.no_grad():
        # Of whole numbers, as counts are, PyTorch's functions give float32.
        tensors = [torch.from_numpy(np.ascontiguousarray(array, float)) for array in arrays]
        return _as_array(function(*tensors, **more), torch)


def _is_of_torch(function: Callable, torch: Any) -> bool:
    module = getattr(function, "__module__", None) or ""
    return isinstance(function, torch.nn.Module) or module.partition(".")[0] == "torch"


def _as_array(found: Any, torch: Any) -> Any:
    return found.detach().cpu().numpy() if isinstance(found, torch.Tensor) else found
