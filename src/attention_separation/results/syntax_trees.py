"""Syntax trees of source texts: a digest of what is run, and the imports.

To take them of all that a job imports takes as long as a short job does. They are kept beside
Python's bytecode, by the digest of the source: what is kept is right whoever has kept it.
"""

import ast
import hashlib
import json
import os
import sys
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

MOST_KEPT = 4_000
"""Trees that one file keeps; more, of sources that have long been changed, are forgotten."""


@dataclass(frozen=True)
class Import:
    """An import statement: of `from ..room import name` the module "room", the level 2 and "name";
    of `import room` the names alone."""

    module: str | None
    level: int
    names: tuple[str, ...]


@dataclass(frozen=True)
class SyntaxTree:
    """The digest of a source's syntax tree without docstrings, and its import statements."""

    digest: str
    imports: tuple[Import, ...]


@dataclass
class KeptTrees:
    """Syntax trees by the sha256 of their sources, read from a file and written to it."""

    path: Path
    trees: dict[str, SyntaxTree] = field(default_factory=dict)
    is_changed: bool = False

    def tree_of(self, source: bytes) -> SyntaxTree:
        """The syntax tree of a source, taken now where it is not kept."""
        key = hashlib.sha256(source).hexdigest()
        if key not in self.trees:
            self.trees[key] = syntax_tree(source)
            self.is_changed = True
        return self.trees[key]

    def write(self) -> None:
        """Keep what has been added, unless Python is to write no bytecode or cannot."""
        if not self.is_changed or sys.dont_write_bytecode:
            return
        kept = dict(list(self.trees.items())[-MOST_KEPT:])
        part = self.path.with_name(f"{self.path.name}.{os.getpid()}")
        with suppress(OSError):
            self.path.parent.mkdir(exist_ok=True)
            part.write_text(json.dumps({key: _as_list(tree) for key, tree in kept.items()}))
            part.replace(self.path)
        self.is_changed = False


def kept_trees(folder: Path) -> KeptTrees:
    """The trees that are kept in a folder, of this Python and of this module's own text; none where
    there is no such file, or it is damaged."""
    this_module = hashlib.sha256(Path(__file__).read_bytes()).hexdigest()[:16]
    path = folder / f"syntax_trees.{sys.implementation.cache_tag}.{this_module}.json"
    try:
        kept = json.loads(path.read_text())
        trees = {key: _from_list(values) for key, values in kept.items()}
    except (OSError, ValueError, TypeError, AttributeError):
        trees = {}
    return KeptTrees(path, trees)


def _as_list(tree: SyntaxTree) -> list[object]:
    """A tree as JSON holds it: its digest, then the parts of each import."""
    imports = [[each.module, each.level, list(each.names)] for each in tree.imports]
    return [tree.digest, imports]


def _from_list(values: list) -> SyntaxTree:
    """The tree that JSON holds; ValueError or TypeError if it is none."""
    digest, imports = values
    parts = [Import(module, level, tuple(names)) for module, level, names in imports]
    return SyntaxTree(str(digest), tuple(parts))


def syntax_tree(source: bytes) -> SyntaxTree:
    """The digest and the imports of a source. Comments, layout, docstrings and what is there for
    type checkers alone do not count."""
    imports: list[Import] = []
    text = _tree_text(ast.parse(source), imports)
    return SyntaxTree(hashlib.sha256(text.encode()).hexdigest(), tuple(imports))


def _tree_text(node: ast.AST, imports: list[Import]) -> str:
    """A syntax tree as text, less strings that stand as statements; adds its imports to a list.

    One walk of our own takes half as long as the three that `ast` would need.
    """
    if isinstance(node, ast.Import):
        imports.append(Import(None, 0, tuple(alias.name for alias in node.names)))
    elif isinstance(node, ast.ImportFrom):
        imports.append(Import(node.module, node.level, tuple(alias.name for alias in node.names)))
    parts = []
    for name in node._fields:
        value = getattr(node, name)
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
