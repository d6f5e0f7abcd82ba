"""What an output depends on: digests of settings and code, versions of packages."""

import ast
import importlib
import json
from collections.abc import Collection
from functools import cache
from pathlib import Path

from attention_separation import __version__
from attention_separation.settings.canonical import digest

PACKAGE = __name__.partition(".")[0]
ROOT = Path(__file__).parent.parent
RECORDED_PACKAGES = ("numpy", "scipy", "pyarrow")
"""Packages that numbers depend on."""


def code_digest(*modules: str, without: Collection[str] = ()) -> str:
    """Digest of modules of this package and of all modules of it that they import, transitively.

    Taken over the syntax trees without docstrings: comments, layout and documentation do not count.
    Nor do the modules in `without`, and what they alone import.

    Raises
    ------
    ModuleNotFoundError
        If one of `modules` is not a module of this package.
    """
    closure: dict[str, str] = {}
    waiting = list(modules)
    while waiting:
        name = waiting.pop()
        if name not in closure and name not in without:
            closure[name], imported = _parsed(name)
            waiting += [*imported, *filter(None, [name.rpartition(".")[0]])]
    return digest("\n".join(f"{name}\n{closure[name]}" for name in sorted(closure)))


def versions() -> dict[str, str]:
    """Versions of this package and of RECORDED_PACKAGES."""
    found = {name: importlib.import_module(name).__version__ for name in RECORDED_PACKAGES}
    return {PACKAGE: __version__} | found


def record(settings: str, *modules: str, without: Collection[str] = ()) -> dict[str, str]:
    """What an output comes from: digests of its settings and of its modules' code, and versions."""
    return {
        "settings": digest(settings),
        "code": code_digest(*modules, without=without),
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
def _parsed(name: str) -> tuple[str, tuple[str, ...]]:
    """A module's syntax tree without docstrings, as text, and the modules of ours it imports."""
    path = _source(name)
    if path is None:
        raise ModuleNotFoundError(f"{name!r} is not a module of {PACKAGE}", name=name)
    tree = ast.parse(path.read_text(encoding="utf-8"), filename=str(path))
    imported = tuple(_imports(name, tree))
    return ast.dump(_without_docstrings(tree)), imported


def _imports(name: str, tree: ast.Module) -> list[str]:
    """Modules of this package that a module imports, wherever in it the import stands."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            if node.level:
                raise ImportError(f"{name} imports relatively; write the full name")
            # `from package import name`: the name may be a module or something in one.
            found += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    return [module for module in found if _source(module)]


def _without_docstrings(tree: ast.Module) -> ast.Module:
    """The tree less every string that stands as a statement of its own."""
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            node.body = [part for part in body if not _is_text(part)]
    return tree


def _is_text(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )
