"""Kernels that people give: formulas, which numexpr evaluates, and functions of their own."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from ..attention.kernel import LEAST_SUM, Kernel, KernelInputs, Normaliser, over_features
from ..settings.warn_once import warn
from .formula import FUNCTIONS, Formula
from .wide_numbers import WideNumbers, evaluate, inner_products, row_weights

MOST_OF_ERROR = 200
"""Characters of an error of a user's own code that are repeated."""

OfNumbers = Callable[[np.ndarray, KernelInputs], np.ndarray]
"""Scores to weights, or vectors to features, with what else is seen."""

ShapeFault = Callable[[tuple, tuple], str]
"""The shapes that a function was given and gave -> what is wrong with them; "" if nothing is."""


def score_kernel(name: str, symbol: str, weights: OfNumbers, **more) -> Kernel:
    """The kernel whose weights are a function of scores, taken as they are given."""
    return Kernel(name, symbol, "score", lambda seen: weights(seen.scores, seen), **more)


def feature_kernel(
    name: str, symbol: str, phi: OfNumbers, of_keys: OfNumbers | None = None, *,
    elementwise: bool = False, **more
) -> Kernel:  # fmt: skip
    """The kernel phi(q) . phi(k), with another map of keys if there is one.

    Where maps are element-wise, equal coordinates come once: then they give the features of one
    coordinate after those of another.
    """

    def weigh(seen: KernelInputs) -> np.ndarray:
        of_queries, keys = phi(seen.queries, seen), (of_keys or phi)(seen.keys, seen)
        if of_queries.shape[-1] != keys.shape[-1]:
            raise ArithmeticError(
                f"{name}: {of_queries.shape[-1]} features of queries and {keys.shape[-1]} of keys; "
                "allowed: as many"
            )
        counts = seen.coordinate_counts
        if counts is not None:
            of_a_coordinate = keys.shape[-1] // counts.shape[-1]
            keys = np.repeat(counts, of_a_coordinate, axis=-1) * keys
        with np.errstate(all="ignore"):
            return over_features(_product_sum, of_queries, keys)

    vectors_seen = "orbits" if elementwise else "few classes"
    return Kernel(name, symbol, "features", weigh, vectors_seen=vectors_seen, **more)


def _product_sum(of_queries: np.ndarray, of_keys: np.ndarray) -> np.ndarray:
    return (of_queries[..., :, None, :] * of_keys[..., None, :, :]).sum(axis=-1)


def row_kernel(
    name: str, symbol: str, of_row: Callable[[np.ndarray, np.ndarray, int, int], np.ndarray], **more
) -> Kernel:
    """The kernel that takes the scores of a row's distinct keys, (T,), how many tokens each stands
    for, n and d to the weights of one token each."""

    def weigh(seen: KernelInputs) -> np.ndarray:
        counts = np.broadcast_to(seen.multiplicities, seen.scores.shape)
        found = np.zeros(seen.scores.shape)
        n, d = (np.broadcast_to(of, (*counts.shape[:-1], 1))[..., 0] for of in (seen.n, seen.d))
        for index in np.ndindex(seen.scores.shape[:-1]):
            there = counts[index] > 0
            of = seen.scores[index][there], counts[index][there]
            found[index][there] = of_row(*of, int(n[index]), int(d[index]))
        return found

    return Kernel(name, symbol, "row", weigh, may_subtract=True, **more)


def formula_kernel(
    name: str, symbol: str, formula: Formula, *, words: str, source: str,
    normaliser: Normaliser = "row sum", of_vectors: bool = False,
) -> Kernel:  # fmt: skip
    """The kernel whose weights are a formula of scores or, of vectors, phi(q) . phi(k), phi the
    formula of each coordinate; `words` stands for it in errors.

    Of rows that are divided no weight is out of float64's range: they are taken over a power of e
    where they have to be.
    """
    plain = evaluated(words, formula)

    def wide_weights(seen: KernelInputs) -> WideNumbers:
        if not of_vectors:
            return _widely(formula, seen.scores, seen)
        queries = _widely(formula, seen.queries, seen)
        keys = _widely(formula, seen.keys, seen)
        if seen.coordinate_counts is not None:
            keys = keys.times(seen.coordinate_counts)
        return inner_products(queries, keys)

    more = {"also": formula_needs(formula), "source": source, "normaliser": normaliser}
    if of_vectors:
        kernel = feature_kernel(name, symbol, plain, elementwise=True, **more)
    else:
        kernel = score_kernel(name, symbol, plain, **more)
    if normaliser == "none":
        return kernel
    return replace(kernel, weigh=_in_range(kernel.weigh, wide_weights))


def _widely(formula: Formula, x: np.ndarray, seen: KernelInputs) -> WideNumbers:
    return evaluate(formula.expression, _known(x, seen))


def _known(x: np.ndarray, seen: KernelInputs) -> dict[str, Any]:
    """What the names of a formula stand for."""
    return {"x": x, "n": seen.n, "d": seen.d, "log_n": seen.log_n}


Weigh = Callable[[KernelInputs], np.ndarray]


def _in_range(plain: Weigh, wide_weights: Callable[[KernelInputs], WideNumbers]) -> Weigh:
    """Weights of rows that are divided: plain ones, and where a row has one that is 0 or no finite
    number, or a sum out of range, wide ones over a power of e that the row shares."""

    def weigh(seen: KernelInputs) -> np.ndarray:
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
            is_plain = (sizes > 0) | ~exists
            is_plain = is_plain.all(axis=-1, keepdims=True) & np.isfinite(total)
            is_plain &= total > LEAST_SUM
            if is_plain.all():
                return weights
            return np.where(is_plain, weights, row_weights(wide_weights(seen), exists))

    return weigh


def evaluated(name: str, formula: Formula) -> OfNumbers:
    """A formula as a function; ArithmeticError where it cannot be evaluated."""
    try:
        # Only those who have a formula wait for it to load; in a browser there is none.
        import numexpr
    except ModuleNotFoundError:
        numexpr = None

    def function(x: np.ndarray, seen: KernelInputs) -> np.ndarray:
        known = _known(x, seen)
        if not isinstance(x, np.ndarray):
            return _by_numpys_functions(formula, known)
        values = {key: np.asarray(known[key], dtype=float) for key in formula.names}
        try:
            with np.errstate(all="ignore"):
                if numexpr is None:
                    found = _by_numpys_functions(formula, values)
                else:
                    found = numexpr.evaluate(formula.expression, local_dict=values, global_dict={})
        except Exception as error:
            kind = OverflowError if isinstance(error, OverflowError) else ArithmeticError
            raise kind(f"{name}: it cannot be evaluated: {in_a_line(error)}") from error
        if np.iscomplexobj(found):
            raise ArithmeticError(f"{name}: it gives complex numbers; allowed: real numbers")
        return np.broadcast_to(found, x.shape)

    return function


def _by_numpys_functions(formula: Formula, known: dict[str, Any]) -> Any:
    """By NumPy: of a tensor, which its functions take as an array, with its derivatives; and of
    arrays where there is no numexpr."""
    names = {name: getattr(np, name) for name in FUNCTIONS} | {"__builtins__": {}}
    # The expression has been written anew from the few nodes that are allowed.
    return eval(formula.expression, names, known)


def formula_needs(formula: Formula) -> tuple[str, ...]:
    """What else than x a formula knows, as `Kernel.also` names it."""
    of_n = ("n",) if {"n", "log_n"} & {*formula.names} else ()
    return of_n + (("d",) if "d" in formula.names else ())


def each_point(function: Callable[[np.ndarray, int, int], np.ndarray]) -> OfNumbers:
    """A function of the numbers (R, T), n and d of one attention, called for each of several,
    (P, R, T): where it knows the largest number of its array, as what keeps exp from overflowing
    does, it must not depend on what else is asked at once."""

    def of_points(x: np.ndarray, seen: KernelInputs) -> np.ndarray:
        if x.ndim == 2 or not isinstance(x, np.ndarray):
            return function(x, int(seen.n), int(seen.d))
        sizes = (np.broadcast_to(of, (len(x), 1, 1)).ravel().tolist() for of in (seen.n, seen.d))
        return np.stack([function(*point) for point in zip(x, *sizes, strict=True)])

    return of_points


def called(name: str, words: str, of_sizes: Callable, shape_fault: ShapeFault) -> OfNumbers:
    """`checked_call` of a user's function of n and d, at each point."""
    return each_point(lambda x, n, d: checked_call(name, words, of_sizes(n, d), shape_fault, x))


def called_elementwise(
    name: str, words: str, of_sizes: Callable[[int, int], Callable[..., Any]]
) -> OfNumbers:
    """`called` of an element-wise map: of whole vectors where each coordinate stands for itself,
    else of vectors that have one coordinate each."""
    of_vectors = called(name, words, of_sizes, vectors)

    def of_numbers(x: np.ndarray, seen: KernelInputs) -> np.ndarray:
        if seen.coordinate_counts is None:
            return of_vectors(x, seen)
        *points, tokens, coordinates = x.shape
        single = x.reshape(*points, tokens * coordinates, 1)
        return of_vectors(single, seen).reshape(*points, tokens, -1)

    return of_numbers


def checked_call(
    name: str, words: str, function: Callable, shape_fault: ShapeFault, x: np.ndarray, *more
) -> np.ndarray:
    """What a user's function gives of a copy of numbers, as floats; ArithmeticError, with `words`
    for the function, where it raises something or gives no numbers of the right shape."""
    is_array = isinstance(x, np.ndarray)
    try:
        with np.errstate(all="ignore"):
            found = np.asarray(function(np.array(x), *more)) if is_array else function(x, *more)
    except (Exception, SystemExit) as error:
        raise ArithmeticError(f"{name}: {words} raised {in_a_line(error)}") from error
    fault = shape_fault(tuple(x.shape), tuple(getattr(found, "shape", ())))
    if not is_array and not fault:
        return found
    if is_array and found.dtype.kind not in "biuf":
        fault = f"numbers of type {found.dtype}; allowed: real numbers"
    if fault:
        raise ArithmeticError(f"{name}: {words} gave {fault}")
    if found.dtype.kind == "f" and found.dtype.itemsize < 8:
        warn(
            f"{name}: {words} gave {found.dtype} numbers; answers need float64, for what is "
            "asked may hang on digits that these have lost"
        )
    return found.astype(float)


def same_shape(given: tuple, found: tuple) -> str:
    """What is wrong with weights of scores."""
    if found == given:
        return ""
    return f"an array of shape {found} for scores of shape {given}; allowed: the same shape"


def vectors(given: tuple, found: tuple) -> str:
    """What is wrong with features of vectors."""
    if len(found) == len(given) and found[:-1] == given[:-1]:
        return ""
    wanted = ", ".join(map(str, given[:-1]))
    return f"an array of shape {found} for vectors of shape {given}; allowed: ({wanted}, features)"


def in_a_line(error: BaseException) -> str:
    """An error's type and what it says, on one line."""
    text = " ".join(f"{type(error).__name__}: {error}".split())
    return text if len(text) <= MOST_OF_ERROR else f"{text[: MOST_OF_ERROR - 3]}..."
