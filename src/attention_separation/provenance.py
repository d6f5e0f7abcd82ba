"""What an output depends on: digests of settings and code, versions of packages."""

import ast
import hashlib
import importlib
import json
import sys
from collections.abc import Collection
from functools import cache
from pathlib import Path

from attention_separation import __version__
from attention_separation.files import replacing

PACKAGE = __name__.partition(".")[0]
ROOT = Path(__file__).parent
DIGEST_LENGTH = 16
RECORDED_PACKAGES = ("numpy", "scipy", "pyarrow")
"""Packages that numbers depend on."""


def canonical_json(value) -> str:
    """One text for equal values: keys sorted, no spaces, no NaN."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def digest(text: str) -> str:
    """A short sha256 of a text."""
    return hashlib.sha256(text.encode()).hexdigest()[:DIGEST_LENGTH]


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
    _remember()
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
    """Digest of a module's syntax tree without docstrings, and the modules of ours it imports."""
    path = _source(name)
    if path is None:
        raise ModuleNotFoundError(f"{name!r} is not a module of {PACKAGE}", name=name)
    source = path.read_bytes()
    key = hashlib.sha256(source).hexdigest()
    if key not in _remembered():
        tree = ast.parse(source, filename=str(path))
        imported = _imports(name, tree)
        _remembered()[key] = [digest(ast.dump(_without_docstrings(tree))), imported]
        _fresh.add(key)
    tree_digest, imported = _remembered()[key]
    # Whether a name of a package is a module depends on other files.
    return tree_digest, tuple(module for module in imported if _source(module))


@cache
def _remembered() -> dict[str, list]:
    """Digests of syntax trees, and what they import, by the sha256 of the source: parsing takes a
    short job a third of its time. A memory that cannot be read is empty."""
    try:
        found = json.loads(_memory().read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _remember() -> None:
    """Keep what has been parsed beside the bytecode, as Python keeps that; or not, if it cannot."""
    if not _fresh or sys.dont_write_bytecode:
        return
    try:
        _memory().parent.mkdir(exist_ok=True)
        with replacing(_memory()) as part:
            part.write_text(json.dumps(_remembered()), encoding="utf-8")
    except OSError:
        pass
    _fresh.clear()


@cache
def _own_digest() -> str:
    return digest(Path(__file__).read_text(encoding="utf-8"))


def _memory() -> Path:
    """Of this Python and this module: another may read syntax trees otherwise."""
    return ROOT / "__pycache__" / f"syntax-{sys.implementation.cache_tag}-{_own_digest()}.json"


_fresh: set[str] = set()


def _imports(name: str, tree: ast.Module) -> list[str]:
    """Names in this package that a module imports, wherever in it the import stands."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            if node.level:
                raise ImportError(f"{name} imports relatively; write the full name")
            # `from package import name`: the name may be a module or something in one.
            found += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    return [module for module in found if module.partition(".")[0] == PACKAGE]


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
