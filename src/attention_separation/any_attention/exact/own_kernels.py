"""A user's own kernels as values: formulas, which numexpr evaluates, and Python functions."""

import importlib
from collections.abc import Callable, Mapping

import numpy as np

from attention_separation.any_attention.settings.formula import Formula, parse_formula
from attention_separation.any_attention.settings.own_kernels import (
    FeatureKernel,
    OwnKernel,
    PythonKernel,
    ScoreKernel,
)
from attention_separation.any_attention.settings.own_modules import add_own_folder
from attention_separation.attention.kernels import Kernel
from attention_separation.attention.seen import Seen
from attention_separation.settings.faults import suggestion

SOURCE = "config.yaml"
MOST_OF_ERROR = 200
"""Characters of an error of a user's own code that are repeated."""

OfNumbers = Callable[[np.ndarray, Seen], np.ndarray]
"""Scores to weights, or vectors to features, with what else is seen."""


def own_kernels(settings: Mapping[str, OwnKernel] | None) -> dict[str, Kernel]:
    """The kernels of settings, by name.

    Raises
    ------
    ValueError
        If a Python function cannot be loaded.
    """
    return {name: own_kernel(name, setting) for name, setting in (settings or {}).items()}


def own_kernel(name: str, setting: OwnKernel) -> Kernel:
    """One kernel; its weights are as they are given, no logarithms."""
    match setting:
        case ScoreKernel(score=text):
            formula = parse_formula(text)
            symbol, also, kind = text, _also(formula), "score"
            weigh = _of_scores(_evaluated(name, formula))
        case FeatureKernel(feature_map=text):
            formula = parse_formula(text)
            symbol, also, kind = f"φ = {text}", _also(formula), "features"
            weigh = _of_features(_evaluated(name, formula))
        case PythonKernel(python=path, of="score"):
            symbol, also, kind = path, (), "score"
            weigh = _of_scores(_called(name, path, load_function(path), _same_shape))
        case PythonKernel(python=path):
            symbol, also, kind = f"φ = {path}", (), "features"
            weigh = _of_features(_called(name, path, load_function(path), _vectors))
    normaliser = "row sum" if setting.normalised else "none"
    return Kernel(name, symbol, kind, weigh, normaliser=normaliser, also=also, source=SOURCE)


def load_function(path: str) -> Callable:
    """The function `package.module.name` of an installed module, or of one in this folder.

    Raises
    ------
    ValueError
        If there is none, or its module raises something.
    """
    add_own_folder()
    module, _, name = path.rpartition(".")
    try:
        imported = importlib.import_module(module)
    # A module may call sys.exit.
    except (Exception, SystemExit) as error:
        raise ValueError(f"{module} cannot be imported: {in_a_line(error)}") from error
    if not hasattr(imported, name):
        functions = [key for key, value in vars(imported).items() if _is_function(key, value)]
        raise ValueError(f"{module} has no {name}; {suggestion(name, functions[:20])}")
    found = getattr(imported, name)
    if not callable(found):
        raise ValueError(f"{path} is of type {type(found).__name__}; allowed: functions")
    return found


def in_a_line(error: BaseException) -> str:
    """An error's type and what it says, on one line."""
    text = " ".join(f"{type(error).__name__}: {error}".split())
    return text if len(text) <= MOST_OF_ERROR else f"{text[: MOST_OF_ERROR - 3]}..."


def _is_function(name: str, value: object) -> bool:
    return callable(value) and not isinstance(value, type) and not name.startswith("_")


def _also(formula: Formula) -> tuple[str, ...]:
    """What else than x a formula knows, as `Kernel.also` names it."""
    of_n = ("n",) if {"n", "log_n"} & {*formula.names} else ()
    return of_n + (("d",) if "d" in formula.names else ())


def _of_scores(function: OfNumbers) -> Callable[[Seen], np.ndarray]:
    return lambda seen: function(seen.scores, seen)


def _of_features(phi: OfNumbers) -> Callable[[Seen], np.ndarray]:
    def weigh(seen: Seen) -> np.ndarray:
        of_queries, of_keys = phi(seen.queries, seen), phi(seen.keys, seen)
        with np.errstate(all="ignore"):
            return (of_queries[..., :, None, :] * of_keys[..., None, :, :]).sum(axis=-1)

    return weigh


def _evaluated(name: str, formula: Formula) -> OfNumbers:
    # Only those who have a formula wait for it to load.
    import numexpr

    numexpr.set_num_threads(1)

    def function(x: np.ndarray, seen: Seen) -> np.ndarray:
        known = {"x": x, "n": seen.n, "d": seen.d, "log_n": seen.log_n}
        values = {key: np.asarray(known[key], dtype=float) for key in formula.names}
        try:
            with np.errstate(all="ignore"):
                found = numexpr.evaluate(formula.expression, local_dict=values, global_dict={})
        except Exception as error:
            raise ArithmeticError(f"{name}: it cannot be evaluated: {in_a_line(error)}") from error
        return np.broadcast_to(found, x.shape)

    return function


def _called(
    name: str, path: str, function: Callable, shape_fault: Callable[[tuple, tuple], str]
) -> OfNumbers:
    """A user's function on a copy of numbers, what it gives checked."""

    def checked(x: np.ndarray, seen: Seen) -> np.ndarray:
        try:
            with np.errstate(all="ignore"):
                found = np.asarray(function(np.array(x)))
        except (Exception, SystemExit) as error:
            raise ArithmeticError(f"{name}: {path} raised {in_a_line(error)}") from error
        fault = shape_fault(x.shape, found.shape)
        if found.dtype.kind not in "biuf":
            fault = f"numbers of type {found.dtype}; allowed: real numbers"
        if fault:
            raise ArithmeticError(f"{name}: {path} gave {fault}")
        return found.astype(float)

    return checked


def _same_shape(given: tuple, found: tuple) -> str:
    if found == given:
        return ""
    return f"an array of shape {found} for scores of shape {given}; allowed: the same shape"


def _vectors(given: tuple, found: tuple) -> str:
    if len(found) == len(given) and found[:-1] == given[:-1]:
        return ""
    wanted = ", ".join(map(str, given[:-1]))
    return f"an array of shape {found} for vectors of shape {given}; allowed: ({wanted}, features)"
