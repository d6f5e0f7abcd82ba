"""Public names of a package that are imported when they are first asked for.

Jobs of the workflow need none of them, and some take half a second to import.
"""

import importlib
from collections.abc import Callable, Mapping
from typing import Any


def lazy_names(
    package: str, module_by_name: Mapping[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Returns a package's `__getattr__`, `__dir__` and `__all__`, of its name and the modules that
    its public names stand in; a name that is a module itself stands in "" ."""

    def attribute(name: str) -> Any:
        if name not in module_by_name:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module = module_by_name[name]
        if module == "":
            return importlib.import_module(f"{package}.{name}")
        return getattr(importlib.import_module(f"{package}.{module}"), name)

    names = sorted(module_by_name)
    return attribute, lambda: [*names], names
