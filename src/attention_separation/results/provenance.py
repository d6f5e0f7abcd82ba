"""What an output depends on: digests of settings and code, versions of packages.

A digest of code is taken of a module and of all modules of this package that it imports, directly
or through others: their *closure*.
"""

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
    """The digest of the code of some modules of this package and of all modules of it that they
    import, directly or through others.

    Taken over the syntax trees without docstrings: comments, layout, documentation and what is
    there for type checkers alone do not count. ModuleNotFoundError if one of `modules` is not a
    module of this package.
    """
    texts = closure(*modules)
    return digest("\n".join(f"{name}\n{texts[name]}" for name in sorted(texts)))


def closure(*modules: str) -> dict[str, str]:
    """The text of the syntax tree of each module that some modules of this package are or import,
    directly or through others, by its name."""
    texts: dict[str, str] = {}
    waiting = list(modules)
    while waiting:
        name = waiting.pop()
        if name in texts:
            continue
        texts[name], imported = _text_and_imports(name)
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
def _text_and_imports(name: str) -> tuple[str, tuple[str, ...]]:
    """A module's syntax tree without docstrings, as text, and the modules of ours it imports."""
    path = _source(name)
    if path is None:
        raise ModuleNotFoundError(f"{name!r} is not a module of {PACKAGE}", name=name)
    imports: list[ast.Import | ast.ImportFrom] = []
    tree = ast.parse(path.read_text(encoding="utf-8"), filename=str(path))
    text = _tree_text(tree, imports)
    return text, tuple(_imported_modules(name, imports))


def _tree_text(node: ast.AST, imports: list[ast.Import | ast.ImportFrom]) -> str:
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
            parts.append(_tree_text(value, imports))
        elif isinstance(value, list):
            items = []
            for item in value:
                if _is_string_statement(item) or _is_for_types(item):
                    continue
                if isinstance(item, ast.AST):
                    items.append(_tree_text(item, imports))
                else:
                    items.append(repr(item))
            parts.append(f"[{','.join(items)}]")
        else:
            parts.append(repr(value))
    return f"{type(node).__name__}({','.join(parts)})"


def _imported_modules(name: str, imports: list[ast.Import | ast.ImportFrom]) -> list[str]:
    """The modules of this package that the module `name` imports, by its import statements."""
    modules = []
    for node in imports:
        if isinstance(node, ast.Import):
            modules += [alias.name for alias in node.names]
        else:
            # `from package import name`: the name may be a module or something in one.
            package = _absolute_name(name, node)
            modules.append(package)
            modules += [f"{package}.{alias.name}" for alias in node.names]
    return [module for module in modules if _source(module)]


def _absolute_name(name: str, node: ast.ImportFrom) -> str:
    """The absolute name of the module after `from` in an import of the module `name`, such as
    "package.part" of `from .part import thing`."""
    if not node.level:
        return node.module or ""
    path = _source(name)
    levels_up = node.level
    if path is not None and path.name == "__init__.py":
        levels_up -= 1
    package = name.rsplit(".", levels_up)[0] if levels_up else name
    return f"{package}.{node.module}" if node.module else package


def _is_string_statement(node: object) -> bool:
    """Whether a node is a string that stands as a statement, as a docstring does."""
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def _is_for_types(node: object) -> bool:
    """Whether a node is `if TYPE_CHECKING:`, which never runs."""
    return (
        isinstance(node, ast.If)
        and isinstance(node.test, ast.Name)
        and node.test.id == "TYPE_CHECKING"
        and not node.orelse
    )
