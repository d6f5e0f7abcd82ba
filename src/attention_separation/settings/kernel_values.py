"""The kernels of config.yaml as values: formulas and Python functions."""

import importlib
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..attention.kernel import Kernel, Normaliser
from ..attention.kernel_names import kernel_named
from ..attention.kernels import KERNELS
from ..messages.words import suggestion
from ..own_kernels import build
from ..own_kernels.formula import parse_formula
from .kernel_section import FeatureKernel, OwnKernel, PythonKernel

SOURCE = "config.yaml"


def own_kernels(settings: Mapping[str, OwnKernel] | None) -> dict[str, Kernel]:
    """The kernels of settings, by name; ValueError if a Python function cannot be loaded."""
    return {name: own_kernel(name, setting) for name, setting in (settings or {}).items()}


def asked_kernels(only: Sequence[str] | None, own: Mapping[str, OwnKernel] | None) -> list[Kernel]:
    """The kernels of a table: the built-in ones, or those in `only`, then the user's own."""
    built_in = [kernel_named(name) for name in only or KERNELS]
    return [*built_in, *own_kernels(own).values()]


def kernel_of(name: str, own: OwnKernel | None) -> Kernel:
    """A user's own kernel, or the built-in one of this name; UnknownKernelError if there is none,
    ValueError if a Python function cannot be loaded."""
    return own_kernel(name, own) if own else kernel_named(name)


def own_kernel(name: str, setting: OwnKernel) -> Kernel:
    """A user's own kernel from its settings."""
    normaliser: Normaliser = "row sum" if setting.normalised else "none"
    if isinstance(setting, PythonKernel):
        return _python_kernel(name, setting, normaliser)
    import numexpr

    # Jobs have a core each, and numexpr knows no other way than for the whole process.
    numexpr.set_num_threads(1)
    if isinstance(setting, FeatureKernel):
        text = setting.feature_map
        symbol = f"φ = {text}"
    else:
        text = setting.score
        symbol = text
    return build.formula_kernel(
        name,
        symbol,
        parse_formula(text),
        words=name,
        source=SOURCE,
        normaliser=normaliser,
        of_vectors=isinstance(setting, FeatureKernel),
    )


def _python_kernel(name: str, setting: PythonKernel, normaliser: Normaliser) -> Kernel:
    """The kernel that a user's Python function gives: of scores, or of features."""
    path = setting.python
    function = load_function(path)
    options: build.OwnKernelOptions = {"normaliser": normaliser, "source": SOURCE}
    if setting.of == "features":
        phi = build.called(name, path, lambda n, d: function, build.vectors)
        return build.feature_kernel(name, f"φ = {path}", phi, **options)
    weights = build.called(name, path, lambda n, d: function, build.same_shape)
    return build.score_kernel(name, path, weights, **options)


def load_function(path: str) -> Callable[..., Any]:
    """The function `package.module.name` of an installed module, or of one in this folder;
    ValueError if there is none, or its module raises something."""
    folder = str(Path.cwd())
    if folder not in sys.path:
        sys.path.insert(0, folder)
    module, _, name = path.rpartition(".")
    try:
        imported = importlib.import_module(module)
    # A module may call sys.exit.
    except (Exception, SystemExit) as error:
        raise ValueError(f"{module} cannot be imported: {build.in_a_line(error)}") from error
    if not hasattr(imported, name):
        functions = [key for key, value in vars(imported).items() if _is_function(key, value)]
        raise ValueError(f"{module} has no {name}; {suggestion(name, functions[:20])}")
    function = getattr(imported, name)
    if not callable(function):
        raise ValueError(f"{path} is of type {type(function).__name__}; allowed: functions")
    return function


def _is_function(name: str, value: object) -> bool:
    """Whether a member of a module is a function that a user may mean: no type, and not private."""
    return callable(value) and not isinstance(value, type) and not name.startswith("_")
