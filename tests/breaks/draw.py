"""Small breaks of the source, each of one statement, drawn at random; run.py has the tests."""

import ast
import copy
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCE = "src/attention_separation"

OTHER = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.And: ast.Or, ast.Or: ast.And,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult, ast.Mod: ast.FloorDiv, ast.Pow: ast.Mult,
}  # fmt: skip
"""The operator that takes another's place."""


@dataclass(frozen=True)
class Break:
    """A statement of a function, and the text that takes its place."""

    file: str
    function: str
    statement: ast.stmt
    after: str

    @property
    def before(self) -> str:
        """The statement's text, without layout and without the block that it heads."""
        return ast.unparse(head(self.statement))

    def __str__(self) -> str:
        place = f"{self.file.removeprefix(SOURCE + '/')}:{self.statement.lineno}"
        return f"{place} {self.function}: {self.before} -> {self.after}"


def functions(tree: ast.AST, outer: str = "") -> Iterator[tuple[str, ast.FunctionDef]]:
    """All functions with their qualified names, inner ones after those that they stand in."""
    for node in ast.iter_child_nodes(tree):
        name = f"{outer}{node.name}" if hasattr(node, "name") else outer
        if isinstance(node, ast.FunctionDef):
            yield name, node
            yield from functions(node, f"{name}.")
        else:
            yield from functions(node, f"{name}." if isinstance(node, ast.ClassDef) else outer)


def statements(node: ast.AST, branch: bool = False) -> Iterator[tuple[ast.stmt, bool]]:
    """A function's own statements, and whether each stands in a branch."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.ClassDef):
            continue
        if isinstance(child, ast.stmt):
            yield child, branch
        if isinstance(child, ast.stmt | ast.ExceptHandler | ast.match_case):
            yield from statements(child, branch or isinstance(child, ast.If))


def head(statement: ast.stmt) -> ast.stmt:
    """A statement without the block that it heads."""
    alone = copy.copy(statement)
    for field in {"body", "orelse", "handlers", "finalbody", "cases"} & {*alone._fields}:
        setattr(alone, field, [])
    return alone


def negated(test: ast.expr) -> ast.expr:
    """The opposite of a condition."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return test.operand
    return ast.UnaryOp(ast.Not(), test)


def is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.JoinedStr | ast.List | ast.ListComp | ast.Tuple) or (
        isinstance(node, ast.Constant) and isinstance(node.value, str)
    )


def changes(node: ast.AST) -> Iterator[tuple[ast.AST, ast.AST]]:
    """What is replaced in a break of a node, and by what."""
    if isinstance(node, ast.Compare):
        for k, operator in enumerate(node.ops):
            operators = [*node.ops[:k], OTHER[type(operator)](), *node.ops[k + 1 :]]
            yield node, ast.Compare(node.left, operators, node.comparators)
    elif isinstance(node, ast.BoolOp | ast.BinOp | ast.AugAssign) and type(node.op) in OTHER:
        if not any(is_text(child) for child in ast.iter_child_nodes(node)):
            changed = copy.copy(node)
            changed.op = OTHER[type(node.op)]()
            yield node, changed
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub):
        yield node, node.operand
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield node, ast.Constant(not node.value)
    elif isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        yield node, ast.Constant(node.value + 1)
    for test in getattr(node, "ifs", []) or [getattr(node, "test", None)]:
        if isinstance(node, ast.If | ast.IfExp | ast.comprehension) and test:
            yield test, negated(test)


def unread_parts(statement: ast.stmt) -> list[ast.AST]:
    annotation = [statement.annotation] if isinstance(statement, ast.AnnAssign) else []
    keywords = [node for node in ast.walk(statement) if isinstance(node, ast.keyword)]
    return annotation + [keyword for keyword in keywords if keyword.arg == "strict"]


class Replaced(ast.NodeTransformer):
    def __init__(self, old: ast.AST, new: ast.AST):
        self.old, self.new = old, new

    def visit(self, node: ast.AST) -> ast.AST:
        return self.new if node is self.old else self.generic_visit(node)


def breaks_of(statement: ast.stmt, branch: bool) -> list[str]:
    """The texts of all breaks of a statement, each once. None of messages, nor of `strict` of zip,
    which is a check itself."""
    before = ast.unparse(head(statement))
    if isinstance(statement, ast.Raise) or "TYPE_CHECKING" in before or ".warn(" in before:
        return []
    found = {"pass"} if branch and isinstance(statement, ast.Return) else set()
    alone = copy.deepcopy(head(statement))
    unread = {id(node) for part in unread_parts(alone) for node in ast.walk(part)}
    for node in [node for node in ast.walk(alone) if id(node) not in unread]:
        for old, new in changes(node):
            found.add(ast.unparse(Replaced(old, new).visit(alone)))
            alone = Replaced(new, old).visit(alone)
    return sorted(found - {before})


def draw(root: Path, count: int, seed: int) -> list[Break]:
    """Breaks of as many statements, of which each has the same chance; each break of one too."""
    found = []
    for path in sorted((root / SOURCE).rglob("*.py")):
        file = path.relative_to(root).as_posix()
        for name, function in functions(ast.parse(path.read_text(encoding="utf-8"))):
            for statement, branch in statements(function):
                texts = breaks_of(statement, branch)
                if texts:
                    found.append((file, name, statement, texts))
    numbers = random.Random(seed)
    return [
        Break(file, name, statement, numbers.choice(texts))
        for file, name, statement, texts in numbers.sample(found, count)
    ]


def lines_of(statement: ast.stmt) -> range:
    """The lines of a statement, numbered from 1, without the block that it heads."""
    block = getattr(statement, "body", None) or getattr(statement, "cases", None)
    if isinstance(block, list):
        inner = [node.lineno for node in ast.walk(block[0]) if hasattr(node, "lineno")]
        return range(statement.lineno, min(inner))
    return range(statement.lineno, statement.end_lineno + 1)


def apply(root: Path, one: Break) -> None:
    """Put a break into the source that it was drawn from."""
    path = root / one.file
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    own = lines_of(one.statement)
    first = lines[own.start - 1]
    other_branch = "el" if first.lstrip().startswith("elif") else ""
    changed = f"{first[: one.statement.col_offset]}{other_branch}{one.after}\n"
    text = "".join([*lines[: own.start - 1], changed, *lines[own.stop - 1 :]])
    path.write_text(text, encoding="utf-8")
