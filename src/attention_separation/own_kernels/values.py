"""The kernels of config.yaml as values: formulas and Python functions."""

import importlib
from collections.abc import Callable, Mapping, Sequence

from attention_separation.attention.kernel import Kernel
from attention_separation.attention.kernel_names import kernel_named
from attention_separation.attention.kernels import KERNELS
from attention_separation.settings.words import suggestion

from .formula import parse_formula
from .given import (
    OfNumbers,
    called,
    evaluated,
    feature_kernel,
    formula_needs,
    in_a_line,
    same_shape,
    score_kernel,
    vectors,
)
from .modules import add_own_folder
from .section import FeatureKernel, OwnKernel, PythonKernel, ScoreKernel

SOURCE = "config.yaml"


def own_kernels(settings: Mapping[str, OwnKernel] | None) -> dict[str, Kernel]:
    """The kernels of settings, by name.

    Raises
    ------
    ValueError
        If a Python function cannot be loaded.
    """
    return {name: own_kernel(name, setting) for name, setting in (settings or {}).items()}


def asked_kernels(
    only: Sequence[str] | None, own: Mapping[str, OwnKernel] | None
) -> list[Kernel]:  # fmt: skip
    """All kernels of a table: built-in ones, or `only` some of them, then own ones."""
    built_in = [kernel_named(name) for name in only or KERNELS]
    return [*built_in, *own_kernels(own).values()]


def kernel_of(name: str, own: OwnKernel | None) -> Kernel:
    """A user's own kernel, or the built-in one of this name.

    Raises
    ------
    UnknownKernelError
        If there is none.
    ValueError
        If a Python function cannot be loaded.
    """
    return own_kernel(name, own) if own else kernel_named(name)


def own_kernel(name: str, setting: OwnKernel) -> Kernel:
    """One kernel; its weights are as they are given, no logarithms."""
    more = {"normaliser": "row sum" if setting.normalised else "none", "source": SOURCE}
    match setting:
        case ScoreKernel(score=text):
            formula = parse_formula(text)
            of = _in_one_thread(evaluated(name, formula))
            return score_kernel(name, text, of, also=formula_needs(formula), **more)
        case FeatureKernel(feature_map=text):
            formula = parse_formula(text)
            of = _in_one_thread(evaluated(name, formula))
            return feature_kernel(name, f"φ = {text}", of, also=formula_needs(formula), **more)
        case PythonKernel(python=path, of="score"):
            return score_kernel(
                name, path, called(name, path, load_function(path), same_shape), **more
            )
        case PythonKernel(python=path):
            of = called(name, path, load_function(path), vectors)
            return feature_kernel(name, f"φ = {path}", of, **more)


def _in_one_thread(of: OfNumbers) -> OfNumbers:
    """The same; jobs have a core each. numexpr knows no other way than for the whole process, which
    is a job's own."""
    import numexpr

    numexpr.set_num_threads(1)
    return of


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


def _is_function(name: str, value: object) -> bool:
    return callable(value) and not isinstance(value, type) and not name.startswith("_")
