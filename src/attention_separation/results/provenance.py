"""What an output depends on: digests of settings and code, versions of packages."""

import ast
import importlib
import json
from functools import cache
from pathlib import Path

from attention_separation import __version__

from ..settings.strict_model import digest

PACKAGE = __name__.partition(".")[0]
ROOT = Path(__file__).parent.parent
RECORDED_PACKAGES = ("numpy", "scipy", "pyarrow")
"""Packages that numbers depend on."""


def code_digest(*modules: str) -> str:
    """Digest of modules of this package and of all modules of it that they import, transitively.

    Taken over the syntax trees without docstrings: comments, layout, documentation and what is
    there for type checkers alone do not count. ModuleNotFoundError if one of `modules` is not a
    module of this package.
    """
    texts = closure(*modules)
    return digest("\n".join(f"{name}\n{texts[name]}" for name in sorted(texts)))


def closure(*modules: str) -> dict[str, str]:
    """Modules of this package and all that they import, each with the text of its syntax tree."""
    texts: dict[str, str] = {}
    waiting = list(modules)
    while waiting:
        name = waiting.pop()
        if name in texts:
            continue
        texts[name], imported = _parsed(name)
        waiting += imported
        package = name.rpartition(".")[0]
        if package:
            waiting.append(package)
    return texts


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
def _parsed(name: str) -> tuple[str, tuple[str, ...]]:
    """A module's syntax tree without docstrings, as text, and the modules of ours it imports."""
    path = _source(name)
    if path is None:
        raise ModuleNotFoundError(f"{name!r} is not a module of {PACKAGE}", name=name)
    imports: list[ast.Import | ast.ImportFrom] = []
    text = _text(ast.parse(path.read_text(encoding="utf-8"), filename=str(path)), imports)
    return text, tuple(_ours(name, imports))


def _text(node: ast.AST, imports: list[ast.Import | ast.ImportFrom]) -> str:
    """A syntax tree as text, less strings that stand as statements; adds its imports to a list.

    One walk of our own takes half as long as the three that `ast` would need, and every run of
    Snakemake waits for it.
    """
    if isinstance(node, ast.Import | ast.ImportFrom):
        imports.append(node)
    parts = []
    for field in node._fields:
        value = getattr(node, field)
        if isinstance(value, ast.AST):
            parts.append(_text(value, imports))
        elif isinstance(value, list):
            inner = [
                _text(item, imports) if isinstance(item, ast.AST) else repr(item)
                for item in value
                if not (_is_text(item) or _is_for_types(item))
            ]
            parts.append(f"[{','.join(inner)}]")
        else:
            parts.append(repr(value))
    return f"{type(node).__name__}({','.join(parts)})"


def _ours(name: str, imports: list[ast.Import | ast.ImportFrom]) -> list[str]:
    """Modules of this package among what a module imports, wherever in it the imports stand."""
    modules = []
    for node in imports:
        if isinstance(node, ast.Import):
            modules += [alias.name for alias in node.names]
        else:
            # `from package import name`: the name may be a module or something in one.
            package = _absolute(name, node)
            modules.append(package)
            modules += [f"{package}.{alias.name}" for alias in node.names]
    return [module for module in modules if _source(module)]


def _absolute(name: str, node: ast.ImportFrom) -> str:
    """The module that an import in a module is from."""
    if not node.level:
        return node.module or ""
    path = _source(name)
    up = node.level
    if path is not None and path.name == "__init__.py":
        up -= 1
    package = name.rsplit(".", up)[0] if up else name
    return f"{package}.{node.module}" if node.module else package


def _is_text(node: object) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def _is_for_types(node: object) -> bool:
    """Whether it is `if TYPE_CHECKING:`, which never runs."""
    return (
        isinstance(node, ast.If)
        and isinstance(node.test, ast.Name)
        and node.test.id == "TYPE_CHECKING"
        and not node.orelse
    )
