"""Kernels that people give: formulas, which numexpr evaluates, and functions of their own.

In the functions of a kernel `seen` is its `KernelInputs`: the scores, vectors and multiplicities
that it may know. A *normaliser* is what a row of weights is divided by.
"""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypedDict, Unpack

import numpy as np

from ..attention.kernel import LEAST_SUM, Kernel, KernelInputs, Normaliser, over_features
from ..messages.question import warn
from .formula import FUNCTIONS, Formula
from .wide_numbers import WideNumbers, evaluate, inner_products, row_weights

MOST_OF_ERROR = 200
"""Characters of an error of a user's own code that are repeated."""

OfNumbers = Callable[[np.ndarray, KernelInputs], np.ndarray]
"""Scores to weights, or vectors to features, with what else is seen."""

ShapeFault = Callable[[tuple[int, ...], tuple[int, ...]], str]
"""The shapes that a function was given and gave -> what is wrong with them; "" if nothing is."""


class OwnKernelOptions(TypedDict, total=False):
    """Attributes of `Kernel` that all forms of one's own kernels may set."""

    normaliser: Normaliser
    also: tuple[str, ...]
    source: str


def score_kernel(
    name: str, symbol: str, weights: OfNumbers, **options: Unpack[OwnKernelOptions]
) -> Kernel:
    """The kernel whose weights are a given function of the scores; the scores are taken as they
    are."""
    return Kernel(name, symbol, "score", lambda seen: weights(seen.scores, seen), **options)


def feature_kernel(
    name: str,
    symbol: str,
    phi: OfNumbers,
    psi: OfNumbers | None = None,
    *,
    elementwise: bool = False,
    **options: Unpack[OwnKernelOptions],
) -> Kernel:
    """The kernel with weights phi(q) . phi(k), or phi(q) . psi(k) where keys have a map `psi` of
    their own.

    An element-wise map is called with equal coordinates once; it returns the features of one
    coordinate after those of another.
    """
    map_of_keys = phi if psi is None else psi

    def weigh(seen: KernelInputs) -> np.ndarray:
        queries, keys = seen.vectors
        phi_q = phi(queries, seen)
        psi_k = map_of_keys(keys, seen)
        features = psi_k.shape[-1]
        if phi_q.shape[-1] != features:
            raise ArithmeticError(
                f"{name}: {phi_q.shape[-1]} features of queries and {features} of keys; "
                "allowed: as many"
            )
        counts = seen.coordinate_counts
        if counts is not None:
            features_of_a_coordinate = features // counts.shape[-1]
            psi_k = np.repeat(counts, features_of_a_coordinate, axis=-1) * psi_k
        with np.errstate(all="ignore"):
            return over_features(_product_sum, phi_q, psi_k)

    return Kernel(
        name,
        symbol,
        "features",
        weigh,
        vectors_seen="orbits" if elementwise else "few classes",
        **options,
    )


def _product_sum(phi_q: np.ndarray, psi_k: np.ndarray) -> np.ndarray:
    """The inner products (..., R, T) of features of queries (..., R, F) and of keys (..., T, F)."""
    return (phi_q[..., :, None, :] * psi_k[..., None, :, :]).sum(axis=-1)


def row_kernel(
    name: str,
    symbol: str,
    row_weights: Callable[[np.ndarray, np.ndarray, int, int], np.ndarray],
    **options: Unpack[OwnKernelOptions],
) -> Kernel:
    """The kernel whose weights are computed from a whole row at once.

    `row_weights` takes the scores of the row's distinct keys, (T,), how many tokens each key stands
    for, (T,), n and d; it returns the weight of one token of each key, (T,).
    """

    def weigh(seen: KernelInputs) -> np.ndarray:
        scores = seen.scores
        counts = np.broadcast_to(seen.multiplicities, scores.shape)
        n = np.broadcast_to(seen.n, (*scores.shape[:-1], 1))
        d = np.broadcast_to(seen.d, n.shape)
        weights = np.zeros(scores.shape)
        for row in np.ndindex(scores.shape[:-1]):
            exists = counts[row] > 0
            weights[row][exists] = row_weights(
                scores[row][exists], counts[row][exists], int(n[row][0]), int(d[row][0])
            )
        return weights

    return Kernel(name, symbol, "row", weigh, may_subtract=True, **options)


def formula_kernel(
    name: str,
    symbol: str,
    formula: Formula,
    *,
    words: str,
    source: str,
    normaliser: Normaliser = "row sum",
    of_vectors: bool = False,
) -> Kernel:
    """The kernel whose weights are a formula of the score x; with `of_vectors` they are phi(q) .
    phi(k), where the formula is phi of one coordinate. Errors call the formula `words`.

    Where a row is divided by its sum, weights beyond float64's range are computed over a common
    power of e.
    """
    plain = evaluated(words, formula)

    def wide_weights(seen: KernelInputs) -> WideNumbers:
        if not of_vectors:
            return _wide_values(formula, seen.scores, seen)
        queries, keys = seen.vectors
        phi_q = _wide_values(formula, queries, seen)
        phi_k = _wide_values(formula, keys, seen)
        if seen.coordinate_counts is not None:
            phi_k = phi_k.times(seen.coordinate_counts)
        return inner_products(phi_q, phi_k)

    options: OwnKernelOptions = {
        "also": formula_needs(formula),
        "source": source,
        "normaliser": normaliser,
    }
    if of_vectors:
        kernel = feature_kernel(name, symbol, plain, elementwise=True, **options)
    else:
        kernel = score_kernel(name, symbol, plain, **options)
    kernel = replace(kernel, is_formula=True)
    if formula.steps:
        kernel = replace(kernel, steps_of=_steps_of(formula))
    if normaliser == "none":
        return kernel
    return replace(kernel, weigh=_in_range(kernel.weigh, wide_weights))


def _steps_of(formula: Formula) -> Callable[[np.ndarray, int], np.ndarray]:
    """The function of n (P,) and d that returns the values (P, parts) of those parts of a formula
    that jump at some n, as floor(n / 8192) does."""

    def steps_of(n: np.ndarray, d: int) -> np.ndarray:
        known = {"n": n.astype(float), "d": float(d), "log_n": np.log(n)}
        with np.errstate(all="ignore"):
            parts = [_evaluated_by_numpy(step, known) for step in formula.steps]
        return np.stack([np.broadcast_to(part, n.shape).astype(float) for part in parts], axis=1)

    return steps_of


def _wide_values(formula: Formula, x: np.ndarray, seen: KernelInputs) -> WideNumbers:
    """The formula's values at x as numbers that may lie beyond float64's range."""
    return evaluate(formula.expression, _values_of_names(x, seen))


def _values_of_names(x: np.ndarray, seen: KernelInputs) -> dict[str, Any]:
    """The value of each name that a formula may use: x, n, d and log_n."""
    return {"x": x, "n": seen.n, "d": seen.d, "log_n": seen.log_n}


Weigh = Callable[[KernelInputs], np.ndarray]


def _in_range(plain: Weigh, wide_weights: Callable[[KernelInputs], WideNumbers]) -> Weigh:
    """A function of a kernel's inputs that returns weights of rows that are divided by their sum,
    all of them within float64's range.

    A row keeps the `plain` weights where float64 holds them. Elsewhere, where a weight is 0 or not
    finite or their sum is out of range, the row has the wide weights over a common power of e.
    """

    def weigh(seen: KernelInputs) -> np.ndarray:
        # Tensors of networks in training have no wide numbers.
        if not isinstance(seen.keys if seen.scores is None else seen.scores, np.ndarray):
            return plain(seen)
        exists = seen.multiplicities > 0
        try:
            weights = plain(seen)
        except OverflowError:
            weights = np.full(exists.shape, np.nan)
        with np.errstate(all="ignore"):
            sizes = np.where(exists, np.abs(weights) * seen.multiplicities, 0.0)
            total = sizes.sum(axis=-1, keepdims=True)
            # 0 may be what a formula gives, or a number that is too small.
            is_0 = exists & ~(sizes > 0)
            is_in_range = np.isfinite(total) & (total > LEAST_SUM)
            is_in_range &= ~is_0.any(axis=-1, keepdims=True)
            if is_in_range.all():
                return weights
            return np.where(is_in_range, weights, row_weights(wide_weights(seen), exists))

    return weigh


def evaluated(name: str, formula: Formula) -> OfNumbers:
    """The function of x that a formula is; it raises ArithmeticError where the formula cannot be
    evaluated."""
    try:
        # Only those who have a formula wait for it to load; in a browser there is none.
        import numexpr
    except ModuleNotFoundError:
        numexpr = None

    def function(x: np.ndarray, seen: KernelInputs) -> np.ndarray:
        values_of_names = _values_of_names(x, seen)
        if not isinstance(x, np.ndarray):
            return _evaluated_by_numpy(formula.expression, values_of_names)
        arrays = {key: np.asarray(values_of_names[key], dtype=float) for key in formula.names}
        try:
            with np.errstate(all="ignore"):
                if numexpr is None:
                    values = _evaluated_by_numpy(formula.expression, arrays)
                else:
                    values = numexpr.evaluate(formula.expression, local_dict=arrays, global_dict={})
        except OverflowError as error:
            raise OverflowError(f"{name}: it cannot be evaluated: {in_a_line(error)}") from error
        except Exception as error:
            raise ArithmeticError(f"{name}: it cannot be evaluated: {in_a_line(error)}") from error
        if np.iscomplexobj(values):
            raise ArithmeticError(f"{name}: it gives complex numbers; allowed: real numbers")
        return np.broadcast_to(values, x.shape)

    return function


def _evaluated_by_numpy(expression: str, values_of_names: dict[str, Any]) -> Any:
    """The value of an expression by NumPy instead of numexpr: for tensors, whose derivatives are
    kept, and for arrays where numexpr is not installed."""
    functions = {name: getattr(np, name) for name in FUNCTIONS}
    # The expression has been written anew from the few nodes that are allowed.
    return eval(expression, functions | {"__builtins__": {}}, values_of_names)


def formula_needs(formula: Formula) -> tuple[str, ...]:
    """The names beside x that a formula depends on, "n" and "d", as `Kernel.also` has them."""
    needs = []
    if "n" in formula.names or "log_n" in formula.names:
        needs.append("n")
    if "d" in formula.names:
        needs.append("d")
    return tuple(needs)


def each_point(function: Callable[[np.ndarray, int, int], np.ndarray]) -> OfNumbers:
    """A function of the arrays (P, R, T) of P points, which calls the given function of (R, T), n
    and d once for each point.

    A user's function may subtract the largest number of its array, to keep exp from overflowing: so
    no point may see another's numbers.
    """

    def of_points(x: np.ndarray, seen: KernelInputs) -> np.ndarray:
        if x.ndim == 2 or not isinstance(x, np.ndarray):
            return function(x, int(seen.n), int(seen.d))
        n = np.broadcast_to(seen.n, (len(x), 1, 1)).ravel().tolist()
        d = np.broadcast_to(seen.d, (len(x), 1, 1)).ravel().tolist()
        return np.stack([function(x[k], n[k], d[k]) for k in range(len(x))])

    return of_points


def called(
    name: str,
    words: str,
    of_sizes: Callable[[int, int], Callable[..., Any]],
    shape_fault: ShapeFault,
) -> OfNumbers:
    """The checked values of a user's function at each point; `of_sizes` returns the function for an
    n and a d, `words` name it in errors."""
    return each_point(lambda x, n, d: checked_call(name, words, of_sizes(n, d), shape_fault, x))


def called_elementwise(
    name: str, words: str, of_sizes: Callable[[int, int], Callable[..., Any]]
) -> OfNumbers:
    """The checked values of a user's element-wise map of vectors. Where equal coordinates come
    once, it is called with vectors of one coordinate each."""
    of_vectors = called(name, words, of_sizes, vectors)

    def of_numbers(x: np.ndarray, seen: KernelInputs) -> np.ndarray:
        if seen.coordinate_counts is None:
            return of_vectors(x, seen)
        *points, tokens, coordinates = x.shape
        one_coordinate_vectors = x.reshape(*points, tokens * coordinates, 1)
        return of_vectors(one_coordinate_vectors, seen).reshape(*points, tokens, -1)

    return of_numbers


def checked_call(
    name: str,
    words: str,
    function: Callable[..., Any],
    shape_fault: ShapeFault,
    x: np.ndarray,
    *counts: np.ndarray,
) -> np.ndarray:
    """What a user's function returns for a copy of x, as float64 numbers; a tensor's values stay as
    they are. ArithmeticError, which calls the function `words`, where it raises an error or returns
    no numbers of the right shape."""
    is_array = isinstance(x, np.ndarray)
    try:
        with np.errstate(all="ignore"):
            if is_array:
                values = np.asarray(function(np.array(x), *counts))
            else:
                values = function(x, *counts)
    except (Exception, SystemExit) as error:
        text = f"{name}: {words} raised {in_a_line(error)}{hint_on(error)}"
        raise ArithmeticError(text) from error
    fault = shape_fault(tuple(x.shape), tuple(getattr(values, "shape", ())))
    if is_array and values.dtype.kind not in "biuf":
        fault = f"numbers of type {values.dtype}; allowed: real numbers"
    if fault:
        raise ArithmeticError(f"{name}: {words} gave {fault}")
    if not is_array:
        return values
    if values.dtype.kind == "f" and values.dtype.itemsize < 8:
        warn(
            f"{name}: {words} gave {values.dtype} numbers; answers need float64, for what is "
            "asked may hang on digits that these have lost"
        )
    return values.astype(float)


def same_shape(x_shape: tuple[int, ...], shape: tuple[int, ...]) -> str:
    """The fault in the shape of weights, which should be that of their scores; "" if there is
    none."""
    if shape == x_shape:
        return ""
    return f"an array of shape {shape} for scores of shape {x_shape}; allowed: the same shape"


def vectors(x_shape: tuple[int, ...], shape: tuple[int, ...]) -> str:
    """The fault in the shape of features, which should be that of their vectors but for the last
    axis; "" if there is none."""
    if len(shape) == len(x_shape) and shape[:-1] == x_shape[:-1]:
        return ""
    wanted = ", ".join(map(str, x_shape[:-1]))
    return (
        f"an array of shape {shape} for vectors of shape {x_shape}; allowed: ({wanted}, features)"
    )


HINTS = {
    "could not be broadcast together": (
        "it gets scores (queries, keys) or vectors (tokens, d); sums over an axis need "
        "keepdims=True, and rows(f) takes an f(x, counts) of a whole row"
    ),
    # What NumPy says of one number wanted, and what PyTorch does.
    "converted to Python scalars|converted to a scalar|converted to Scalar": (
        "it gets arrays, so np.exp for math.exp"
    ),
    "truth value of an array|Boolean value of Tensor": (
        "it gets arrays, so np.where(x > 0, x, 0) for x if x > 0 else 0, np.maximum for max"
    ),
    "Float and Double|Double and Float|Double but found Float|Double but got Float": (
        "it gets float64, so module.double()"
    ),
    "Float but found Double|Float but got Double|Double and BFloat16|BFloat16 and Double": (
        "it gets float64, so module.double()"
    ),
}
"""What to write instead, by what an error says."""


def hint_on(error: BaseException) -> str:
    """The hint for an error of a function that takes single numbers, or float32, where it gets
    arrays of float64; "" for other errors."""
    for message_pattern, hint in HINTS.items():
        if re.search(message_pattern, str(error)):
            return f"; {hint}"
    return ""


def in_a_line(error: BaseException) -> str:
    """An error's type and message on one line, cut where it is long."""
    text = " ".join(f"{type(error).__name__}: {error}".split())
    if len(text) <= MOST_OF_ERROR:
        return text
    return f"{text[: MOST_OF_ERROR - 3]}..."
