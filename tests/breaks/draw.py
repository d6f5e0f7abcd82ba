"""Small breaks of the source, one in each of 120 functions drawn at random; run.py has the tests.

`python tests/breaks/draw.py` draws them into breaks.csv. A break is named by its function and its
statement, without layout, and found wherever they stand. Where a statement went, a break drawn with
the seed 7 took its place.
"""

import ast
import copy
import csv
import hashlib
import random
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
LIST = Path(__file__).with_name("breaks.csv")
SOURCE = "src/attention_separation"
COUNT, SEED = 120, 2
COLUMNS = ("number", "file", "function", "kind", "before", "after", "result", "tests")

OTHER = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.And: ast.Or, ast.Or: ast.And,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult, ast.Mod: ast.FloorDiv, ast.Pow: ast.Mult,
}  # fmt: skip
"""The operator that takes another's place."""


def digest_of_files(root: Path, *folders: str) -> str:
    """Of what people write in some folders: draws by it are others after any change."""
    digest = hashlib.sha256()
    for folder in folders:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in {".py", ".smk", ".j2", ".md"}:
                digest.update(path.read_bytes())
    return digest.hexdigest()


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


def changes(node: ast.AST) -> Iterator[tuple[str, ast.AST, ast.AST]]:
    """Kinds of break of a node: what is replaced, and by what."""
    if isinstance(node, ast.Compare):
        for k, operator in enumerate(node.ops):
            operators = [*node.ops[:k], OTHER[type(operator)](), *node.ops[k + 1 :]]
            yield "comparison", node, ast.Compare(node.left, operators, node.comparators)
    elif isinstance(node, ast.BoolOp | ast.BinOp | ast.AugAssign) and type(node.op) in OTHER:
        if not any(is_text(child) for child in ast.iter_child_nodes(node)):
            changed = copy.copy(node)
            changed.op = OTHER[type(node.op)]()
            yield "and, or" if isinstance(node, ast.BoolOp) else "arithmetic", node, changed
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub):
        yield "not" if isinstance(node.op, ast.Not) else "sign", node, node.operand
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield "constant", node, ast.Constant(not node.value)
    elif isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        yield "constant", node, ast.Constant(node.value + 1)
    for test in getattr(node, "ifs", []) or [getattr(node, "test", None)]:
        if isinstance(node, ast.If | ast.IfExp | ast.comprehension) and test:
            yield "condition", test, negated(test)


def unread_parts(statement: ast.stmt) -> list[ast.AST]:
    annotation = [statement.annotation] if isinstance(statement, ast.AnnAssign) else []
    keywords = [node for node in ast.walk(statement) if isinstance(node, ast.keyword)]
    return annotation + [keyword for keyword in keywords if keyword.arg == "strict"]


class Replaced(ast.NodeTransformer):
    def __init__(self, old: ast.AST, new: ast.AST):
        self.old, self.new = old, new

    def visit(self, node: ast.AST) -> ast.AST:
        return self.new if node is self.old else self.generic_visit(node)


def breaks_of(statement: ast.stmt, branch: bool) -> dict[str, str]:
    """All breaks of a statement: its text after, and the kind. None of messages, nor of `strict` of
    zip, which is a check itself."""
    before = ast.unparse(head(statement))
    if isinstance(statement, ast.Raise) or "TYPE_CHECKING" in before or ".warn(" in before:
        return {}
    found = {"pass": "return"} if branch and isinstance(statement, ast.Return) else {}
    alone = copy.deepcopy(head(statement))
    unread = {id(node) for part in unread_parts(alone) for node in ast.walk(part)}
    for node in [node for node in ast.walk(alone) if id(node) not in unread]:
        for kind, old, new in changes(node):
            after = ast.unparse(Replaced(old, new).visit(alone))
            alone = Replaced(new, old).visit(alone)
            if after != before:
                found.setdefault(after, kind)
    return found


def texts_of(path: Path) -> Iterator[tuple[str, str, ast.stmt, bool]]:
    """All statements in functions of a file: the function's name, and the statement's text."""
    for name, function in functions(ast.parse(path.read_text(encoding="utf-8"))):
        for statement, branch in statements(function):
            yield name, ast.unparse(head(statement)), statement, branch


def draw(root: Path, count: int, seed: int) -> list[dict]:
    """Breaks in as many functions, of which each has the same chance; each break of one too."""
    found = defaultdict(list)
    for path in sorted((root / SOURCE).rglob("*.py")):
        file = path.relative_to(root).as_posix()
        whole = [*texts_of(path)]
        times = Counter((name, before) for name, before, *_ in whole)
        for name, before, statement, branch in whole:
            for after, kind in breaks_of(statement, branch).items():
                if times[name, before] == 1:
                    found[file, name].append({"kind": kind, "before": before, "after": after})
    numbers = random.Random(seed)
    chosen = numbers.sample(sorted(found), count)
    return [
        {"number": k, "file": file, "function": name, **numbers.choice(found[file, name])}
        for k, (file, name) in enumerate(chosen, 1)
    ]


def find(root: Path, one: dict) -> tuple[Path, ast.stmt] | None:
    """The statement of a break: in its file, or if it is not there, anywhere; None if it is gone,
    or if there are several."""
    for paths in ([root / one["file"]], sorted((root / SOURCE).rglob("*.py"))):
        found = [
            (path, statement)
            for path in paths
            if path.exists()
            for name, before, statement, _ in texts_of(path)
            if (name, before) == (one["function"], one["before"])
        ]
        if found:
            return found[0] if len(found) == 1 else None
    return None


def lines_of(statement: ast.stmt) -> range:
    """The lines of a statement, numbered from 1, without the block that it heads."""
    block = getattr(statement, "body", None) or getattr(statement, "cases", None)
    if isinstance(block, list):
        inner = [node.lineno for node in ast.walk(block[0]) if hasattr(node, "lineno")]
        return range(statement.lineno, min(inner))
    return range(statement.lineno, statement.end_lineno + 1)


def apply(root: Path, one: dict) -> None:
    """Put a break into the source, in which it is found."""
    path, statement = find(root, one)
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    own = lines_of(statement)
    first = lines[own.start - 1]
    other_branch = "el" if first.lstrip().startswith("elif") else ""
    changed = f"{first[: statement.col_offset]}{other_branch}{one['after']}\n"
    text = "".join([*lines[: own.start - 1], changed, *lines[own.stop - 1 :]])
    path.write_text(text, encoding="utf-8")


def read_list() -> list[dict]:
    with LIST.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def write_list(breaks: list[dict]) -> None:
    with LIST.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        table.writeheader()
        table.writerows(breaks)


if __name__ == "__main__":
    write_list(draw(ROOT, COUNT, SEED))
