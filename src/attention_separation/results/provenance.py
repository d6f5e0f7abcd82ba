"""What an output depends on: digests of settings and code, versions of packages.

A digest of code is taken of a module and of all modules of this package that it imports, directly
or through others: their *closure*.
"""

import importlib
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from attention_separation import __version__

from ..settings.strict_model import digest
from .syntax_trees import Import, KeptTrees, kept_trees

PACKAGE = __name__.partition(".")[0]
ROOT = Path(__file__).parent.parent
RECORDED_PACKAGES = ("numpy", "scipy", "pyarrow")
"""Packages that numbers depend on."""


def code_digest(*modules: str) -> str:
    """The digest of the code of some modules of this package and of all modules of it that they
    import, directly or through others.

    Taken over the syntax trees without docstrings: comments, layout, documentation and what is
    there for type checkers alone do not count. ModuleNotFoundError if one of `modules` is not a
    module of this package.
    """
    digests = closure(*modules)
    return digest("\n".join(f"{name}\n{digests[name]}" for name in sorted(digests)))


def closure(*modules: str) -> dict[str, str]:
    """The digest of the syntax tree of each module that some modules of this package are or import,
    directly or through others, by its name."""
    digests: dict[str, str] = {}
    waiting = list(modules)
    while waiting:
        name = waiting.pop()
        if name in digests:
            continue
        digests[name], imported = _digest_and_imports(name)
        waiting += imported
        package = name.rpartition(".")[0]
        if package:
            waiting.append(package)
    _trees().write()
    return digests


def versions() -> dict[str, str]:
    """Versions of this package and of RECORDED_PACKAGES."""
    others = {name: importlib.import_module(name).__version__ for name in RECORDED_PACKAGES}
    return {PACKAGE: __version__} | others


def record(settings: str, *modules: str) -> dict[str, str]:
    """What an output comes from: digests of its settings and of its modules' code, and versions."""
    return {
        "settings": digest(settings),
        "code": code_digest(*modules),
        "versions": json.dumps(versions(), sort_keys=True),
    }


def _source(name: str) -> Path | None:
    """The file of a module of this package; None where there is no such module."""
    if name.partition(".")[0] != PACKAGE:
        return None
    stem = ROOT.joinpath(*name.split(".")[1:])
    for path in (stem / "__init__.py", stem.with_suffix(".py")):
        if path.is_file():
            return path
    return None


@cache
def _trees() -> KeptTrees:
    """The syntax trees that this process has read or taken."""
    return kept_trees(ROOT / "__pycache__")


@cache
def _digest_and_imports(name: str) -> tuple[str, tuple[str, ...]]:
    """The digest of a module's syntax tree without docstrings, and the modules of ours that it
    imports."""
    path = _source(name)
    if path is None:
        raise ModuleNotFoundError(f"{name!r} is not a module of {PACKAGE}", name=name)
    tree = _trees().tree_of(path.read_bytes())
    return tree.digest, tuple(_imported_modules(name, path, tree.imports))


def _imported_modules(name: str, path: Path, imports: tuple[Import, ...]) -> Iterator[str]:
    """The modules of this package that the module `name` imports, by its import statements."""
    for statement in imports:
        package = _absolute_name(name, path, statement)
        # `from package import name`: the name may be a module or something in one.
        modules = [".".join(filter(None, (package, imported))) for imported in statement.names]
        if package:
            modules.append(package)
        yield from filter(_source, modules)


def _absolute_name(name: str, path: Path, statement: Import) -> str:
    """The absolute name of the module after `from` in an import of the module `name`, such as
    "package.part" of `from .part import thing`; "" where there is none."""
    if not statement.level:
        return statement.module or ""
    levels_up = statement.level
    if path.name == "__init__.py":
        levels_up -= 1
    package = name.rsplit(".", levels_up)[0] if levels_up else name
    return f"{package}.{statement.module}" if statement.module else package
