"""Parts of libraries that are imported when they are first asked for."""

import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import LazyLoader
from types import ModuleType

IMPORTED_IN_VAIN = frozenset({"numpy.f2py", "numpy.ma", "numpy.polynomial", "numpy.testing"})
"""What SciPy imports with NumPy's names, of which no job asks anything: a tenth of a short one."""


class LazyFinder:
    """Finds modules of some names, and puts off their import until an attribute is asked for.

    Not a subclass of `importlib.abc.MetaPathFinder`, whose import reads modules of the folder that
    the process is started from.
    """

    def __init__(self, names: frozenset[str]) -> None:
        self.names = names

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The module's place, for its import; None where it is not one of the names."""
        if fullname not in self.names:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and spec.loader is not None:
            spec.loader = LazyLoader(spec.loader)
        return spec


def import_lazily(names: frozenset[str] = IMPORTED_IN_VAIN) -> None:
    """Put off the import of modules of some names that are not imported yet."""
    sys.meta_path.insert(0, LazyFinder(names))
