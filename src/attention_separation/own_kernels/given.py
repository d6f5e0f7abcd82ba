"""Kernels that people give to a question: names, formulas, functions of scores, feature maps, and
functions of rows.

A kernel is *normalised* if each row of its weights is divided by the row's sum.
"""

import contextlib
import inspect
import math
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any

import numpy as np

from ..attention.kernel import Kernel
from ..attention.kernel_names import UnknownKernelError, kernel_named
from ..messages.number_check import optional_text, truth
from ..messages.question import warn
from ..messages.words import short_repr
from . import build
from .formula import FormulaError, parse_formula

Given = str | Kernel | Callable[..., Any]
"""What `kernel_of` takes."""

GIVEN = "given"
"""The source of kernels of one's own."""

DOTTED_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.]*")


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
    _require_no_default_size(function)
    name = optional_text("name", name) or _name_of(function)
    weights = build.called(name, name, _with_sizes(function), build.same_shape)
    return build.score_kernel(name, f"{name}(x)", weights, **_options(normalised))


def features(
    phi: Callable[[Any], Any],
    *,
    name: str | None = None,
    normalised: bool = True,
    elementwise: bool = False,
) -> Kernel:
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
    name = optional_text("name", name) or _name_of(phi)
    elementwise = truth("elementwise", elementwise)
    return build.feature_kernel(
        name,
        f"φ = {name}(z)",
        _feature_map(name, phi, elementwise),
        elementwise=elementwise,
        **_options(normalised),
    )


def pair(
    phi: Callable[[Any], Any],
    psi: Callable[[Any], Any],
    *,
    name: str | None = None,
    normalised: bool = True,
    elementwise: bool = False,
) -> Kernel:
    """The kernel phi(q) . psi(k), with a map for queries and one for keys; see `features`."""
    _require_function("pair", phi)
    _require_function("pair", psi)
    name = optional_text("name", name) or f"{_name_of(phi)}_{_name_of(psi)}"
    elementwise = truth("elementwise", elementwise)
    symbol = f"φ = {_name_of(phi)}(q), {_name_of(psi)}(k)"
    return build.feature_kernel(
        name,
        symbol,
        _feature_map(name, phi, elementwise),
        _feature_map(name, psi, elementwise),
        elementwise=elementwise,
        **_options(normalised),
    )


def rows(
    function: Callable[[Any, Any], Any],
    *,
    name: str | None = None,
    normalised: bool | None = None,
) -> Kernel:
    """The kernel whose weights are a function of a whole row of scores, as sparsemax's are.

    Parameters
    ----------
    function : scores of the distinct keys of a row, (T,), and how many tokens each of them stands
        for, (T,) -> the weight of one token of each, (T,); n and d as of `scores`
    name : as of `scores`
    normalised : whether each row is divided by its sum. Rows are if nothing is said; a warning says
        so where a row did not sum to 1
    """
    _require_function("rows", function)
    _require_no_default_size(function)
    name = optional_text("name", name) or _name_of(function)
    is_divided_unasked = normalised is None
    options = _options(True if normalised is None else normalised)
    of_sizes = _with_sizes(function)

    def row_weights(x: np.ndarray, counts: np.ndarray, n: int, d: int) -> np.ndarray:
        weights = build.checked_call(name, name, of_sizes(n, d), build.same_shape, x, counts)
        if is_divided_unasked:
            _say_if_not_1(name, weights, counts)
        return weights

    return build.row_kernel(name, f"{name}(row)", row_weights, **options)


ROUNDING_OF_A_ROW = 1e-6
"""How far from 1 the sum of a row that divides itself may be, in float32 too."""


def _say_if_not_1(name: str, weights: np.ndarray, counts: np.ndarray) -> None:
    """Warn that rows are divided by their sums where this one's, over all tokens, is not 1."""
    row_sum = float((weights * counts).sum())
    # One that is no number is an error later.
    if math.isfinite(row_sum) and abs(row_sum - 1) > ROUNDING_OF_A_ROW:
        warn(
            f"{name}: a row does not sum to 1, and is divided by its sum; rows(f, "
            "normalised=False) takes rows as they are, and normalised=True divides them unsaid"
        )


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
    """The kernel that a text names, or whose formula it is; UnknownKernelError if it is neither."""
    if DOTTED_NAME.fullmatch(text) and text not in ("x", "n", "d", "log_n"):
        return kernel_named(text)
    try:
        formula = parse_formula(text)
    except FormulaError as error:
        raise UnknownKernelError(
            f"{short_repr(text)} is no kernel and no formula: {error}"
        ) from None
    return build.formula_kernel(text, text, formula, words=short_repr(text), source=GIVEN)


def _options(normalised: bool) -> build.OwnKernelOptions:
    """The options of a kernel from a user's function: its normaliser, and that it was given by the
    user; ValueError if `normalised` is no truth value."""
    is_divided = truth("normalised", normalised)
    return {"normaliser": "row sum" if is_divided else "none", "source": GIVEN}


def _name_of(function: Callable[..., Any]) -> str:
    """A function's name, or its type's if it has none; "kernel" for a lambda."""
    name = getattr(function, "__name__", type(function).__name__)
    return "kernel" if name == "<lambda>" else name


def _require_function(maker: str, function: object) -> None:
    """Raise TypeError if what `maker`, such as `features`, was called with is no function."""
    if not callable(function):
        raise TypeError(f"{maker}({short_repr(function)}); allowed: functions")


def _require_no_default_size(function: Callable[..., Any]) -> None:
    """Raise ValueError where an argument n or d has a number as its default. It would be called
    with the number of tokens or the dimension, and a user may have meant the default."""
    for name, meaning in (("n", "number of tokens"), ("d", "dimension")):
        parameter = _parameters(function).get(name)
        if parameter is not None and isinstance(parameter.default, int | float):
            raise ValueError(
                f"{_name_of(function)}: its argument {name} = {parameter.default!r} would get the "
                f"{meaning}; allowed: {name} without a default, or another name"
            )


def _feature_map(name: str, phi: Callable[[Any], Any], elementwise: bool) -> build.OfNumbers:
    """The checked function that maps queries or keys to their features by a user's phi."""

    def of_sizes(n: int, d: int) -> Callable[..., Any]:
        return numpy_of(phi)

    if elementwise:
        return build.called_elementwise(name, name, of_sizes)
    return build.called(name, name, of_sizes, build.vectors)


def _with_sizes(
    function: Callable[..., Any],
) -> Callable[[int, int], Callable[..., np.ndarray]]:
    """For an n and a d, a function of arrays that calls the given one with n and d too, where it
    has arguments of these names."""
    # Read once: it takes longer than most functions do.
    arguments = _parameters(function)
    of_arrays = numpy_of(function)

    def of_sizes(n: int, d: int) -> Callable[..., np.ndarray]:
        sizes = {}
        if "n" in arguments:
            sizes["n"] = n
        if "d" in arguments:
            sizes["d"] = d
        return partial(of_arrays, **sizes)

    return of_sizes


def _parameters(function: Callable[..., Any]) -> Mapping[str, inspect.Parameter]:
    """The arguments of a function by name; none of a function written in C, which has no
    signature."""
    try:
        return inspect.signature(function).parameters
    except (TypeError, ValueError):
        return {}


def numpy_of(function: Callable[..., Any]) -> Callable[..., np.ndarray]:
    """A function of arrays that calls the given function, with tensors in their place where it is
    PyTorch's."""

    def called(*arrays: np.ndarray, **sizes: int) -> Any:
        torch = sys.modules.get("torch")
        if torch is None:
            return function(*arrays, **sizes)
        with _float64_by_default(torch):
            return _call_beside_torch(function, arrays, sizes, torch)

    return called


@contextlib.contextmanager
def _float64_by_default(torch: Any) -> Iterator[None]:
    """While it is open, PyTorch makes float64 tensors from whole numbers such as counts."""
    previous_dtype = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        yield
    finally:
        torch.set_default_dtype(previous_dtype)


def _call_beside_torch(
    function: Callable[..., Any], arrays: Sequence[np.ndarray], sizes: dict[str, int], torch: Any
) -> Any:
    """The array that a function gives where PyTorch is loaded. It is called with arrays, and with
    tensors if it is PyTorch's or raises an error on arrays."""
    if _is_of_torch(function, torch):
        return _call_with_tensors(function, arrays, sizes, torch)
    try:
        return _as_array(function(*arrays, **sizes), torch)
    except (TypeError, AttributeError) as error_with_arrays:
        # So functions of tensors answer arrays; one that answers tensors so too is at fault.
        try:
            return _call_with_tensors(function, arrays, sizes, torch)
        except Exception as error_with_tensors:
            wants_tensors = "ndarray" in str(error_with_arrays)
            raise error_with_tensors if wants_tensors else error_with_arrays from None


def _call_with_tensors(
    function: Callable[..., Any], arrays: Sequence[np.ndarray], sizes: dict[str, int], torch: Any
) -> Any:
    """The array that a function of tensors gives, without derivatives."""
    with torch.no_grad():
        # Of whole numbers, as counts are, PyTorch's functions give float32.
        tensors = [torch.from_numpy(np.ascontiguousarray(array, float)) for array in arrays]
        return _as_array(function(*tensors, **sizes), torch)


def _is_of_torch(function: Callable[..., Any], torch: Any) -> bool:
    """Whether a function is a PyTorch module or defined in PyTorch."""
    module = getattr(function, "__module__", None) or ""
    return isinstance(function, torch.nn.Module) or module.partition(".")[0] == "torch"


def _as_array(values: Any, torch: Any) -> Any:
    """A tensor as an array, in float64 with a warning if NumPy lacks its type; anything else as it
    is."""
    if not isinstance(values, torch.Tensor):
        return values
    tensor = values.detach().cpu()
    if tensor.is_floating_point() and tensor.dtype not in _dtypes_of_numpy(torch):
        warn(f"a function of PyTorch's gave numbers of {tensor.dtype}; answers need float64")
        tensor = tensor.double()
    return tensor.numpy()


def _dtypes_of_numpy(torch: Any) -> tuple[Any, ...]:
    """PyTorch's types of floating-point numbers that NumPy has too."""
    return (torch.float16, torch.float32, torch.float64)
