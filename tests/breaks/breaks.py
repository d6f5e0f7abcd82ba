"""What the tests notice: small breaks of the source, drawn at random, and the tests on each.

    python tests/breaks/breaks.py draw     # 120 breaks, one in each of 120 functions: breaks.csv
    python tests/breaks/breaks.py run      # those of breaks.csv that have no result yet
    python tests/breaks/breaks.py run --again

It works on a clone of the last commit, in a temporary folder. It needs `pip install coverage`, and
what `make test-rank` and `make test-explore` need. A break is first put to the tests that pass
its statement, those left are put together to all tests. A break is found by its function's name and
its statement, wherever that stands; else it is "gone": correct file, function, before and after.
"""

import ast
import copy
import csv
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import suppress
from itertools import accumulate
from pathlib import Path

ROOT = Path(__file__).parents[2]
LIST = Path(__file__).with_name("breaks.csv")
SOURCE = "src/attention_separation"
COUNT, SEED = 120, 1
COLUMNS = ("number", "file", "function", "kind", "before", "after", "result", "tests")
APART = ("tests/pytorch", "tests/explorer_app")
"""Tests that `make test` leaves out and that are run here too, each folder by itself."""

FIRST_TESTS = 10
SECONDS = 120
"""Of the tests that pass a statement, the fastest come first, and later ones up to this time."""

OTHER = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.And: ast.Or, ast.Or: ast.And,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult, ast.Mod: ast.FloorDiv, ast.Pow: ast.Mult,
}  # fmt: skip
"""The operator that takes another's place."""


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


class Watch:
    """A pytest plugin: which tests failed, how long each took, and which lines each has passed."""

    def __init__(self, coverage):
        self.coverage, self.failed, self.seconds = coverage, [], defaultdict(float)

    def pytest_collectreport(self, report):
        if report.failed:
            self.failed.append(report.nodeid)

    def pytest_runtest_logstart(self, nodeid):
        if self.coverage:
            self.coverage.switch_context(nodeid)

    def pytest_runtest_logreport(self, report):
        self.seconds[report.nodeid] += report.duration
        if report.failed and report.nodeid not in self.failed:
            self.failed.append(report.nodeid)


def watch(out: str, lines_too: str, *arguments: str) -> None:
    """Run pytest, and write what a Watch has seen. What a file of tests runs while it is loaded,
    all its tests have passed: for them stands the file."""
    import pytest

    coverage, lines = None, {}
    if lines_too:
        from coverage import Coverage

        coverage = Coverage(data_file=None, source=[SOURCE], messages=False)
        coverage.start()
        coverage.switch_context(arguments[0])
    seen = Watch(coverage)
    end = pytest.main([*arguments, "-p", "no:cacheprovider"], plugins=[seen])
    if coverage:
        coverage.stop()
        data = coverage.get_data()
        for path in data.measured_files():
            file = Path(path).relative_to(Path.cwd()).as_posix()
            lines[file] = data.contexts_by_lineno(path)
    if end and not seen.failed:
        seen.failed.append(f"pytest ended with {end}")
    found = {"failed": seen.failed, "seconds": seen.seconds, "lines": lines}
    Path(out).write_text(json.dumps(found), encoding="utf-8")


def run_pytest(root: Path, *arguments: str, seconds: float = 3600, lines_too: str = "") -> dict:
    """The same in a process of its own, of a clone. What takes longer, or ends before pytest does,
    has failed as a whole."""
    with tempfile.NamedTemporaryFile() as out:
        path = os.pathsep.join([str(root / "src"), os.environ.get("PYTHONPATH", "")])
        process = subprocess.Popen(
            [sys.executable, __file__, "watch", out.name, lines_too, *arguments],
            cwd=root, env=os.environ | {"PYTHONPATH": path}, start_new_session=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            return {"failed": [f"no end in {seconds:.0f} s"]}
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        text = Path(out.name).read_text(encoding="utf-8")
    return json.loads(text) if text else {"failed": [f"process ended with {process.returncode}"]}


class Tests:
    """The tests of a clone: `groups` of files that run together, and, of each test, the `seconds`;
    `through` has the tests that pass each line. Those that fail with no break are left out."""

    def __init__(self, root: Path):
        self.root, self.seconds, self.failing = root, {}, []
        self.through = defaultdict(lambda: defaultdict(set))
        settings = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
        together = settings["tool"]["pytest"]["testpaths"]
        self.groups = [
            [file.relative_to(root).as_posix() for part in parts for file in files(root / part)]
            for parts in (together, *([part] for part in APART))
        ]
        for file in [file for group in self.groups for file in group]:
            self.read(file)

    def read(self, file: str) -> None:
        """Run a file of tests by itself."""
        found = run_pytest(self.root, file, lines_too="yes")
        self.failing += found["failed"]
        self.seconds |= found["seconds"] | {file: sum(found["seconds"].values())}
        for path, lines in found["lines"].items():
            for line, tests in lines.items():
                self.through[path][int(line)].update({*tests} - {*found["failed"], ""})
        print(f"{file}: {self.seconds[file]:.0f} s, failed: {found['failed']}", flush=True)

    def passing(self, one: dict) -> list[str]:
        """The tests that pass a break's statement, the fastest first."""
        path, statement = find(self.root, one)
        lines = self.through[path.relative_to(self.root).as_posix()]
        tests = set().union(*(lines[line] for line in lines_of(statement)))
        return sorted(tests, key=lambda test: (self.seconds[test], test))

    def failed(self, breaks: list[dict], tests: list[str], *options: str) -> list[str]:
        """Which of some tests notice these breaks, made together."""
        left_out = [f"--deselect={test}" for test in self.failing]
        usual = sum(self.seconds[test] for test in tests)
        for one in breaks:
            apply(self.root, one)
        try:
            seconds = 60 + 10 * usual
            return run_pytest(self.root, *tests, *left_out, *options, seconds=seconds)["failed"]
        finally:
            subprocess.run(["git", "checkout", "--quiet", "."], cwd=self.root, check=True)

    def first_look(self, one: dict) -> tuple[str, str]:
        """A break's result after tests that pass it: `red`, by which, or `left`, and how many."""
        tests = self.passing(one)
        usual = accumulate(self.seconds[test] for test in tests)
        later = [test for test, so_far in zip(tests, usual, strict=True) if so_far < SECONDS]
        for some in (tests[:FIRST_TESTS], later[FIRST_TESTS:]):
            failed = self.failed([one], some, "--exitfirst") if some else []
            if failed:
                return "red", failed[0]
        return "left", str(len(tests))

    def culprit(self, breaks: list[dict], test: str) -> dict:
        """Of breaks that a test notices together, one that it notices."""
        while len(breaks) > 1:
            half = breaks[: len(breaks) // 2]
            breaks = half if self.failed(half, [test]) else breaks[len(half) :]
        return breaks[0]

    def last_look(self, breaks: list[dict]) -> Iterator[tuple[dict, str]]:
        """Which breaks all tests notice, and by which, the breaks made together."""
        groups = self.groups
        while breaks:
            failed = [test for tests in groups for test in self.failed(breaks, tests)]
            if failed:
                one = self.culprit(breaks, failed[0])
                yield one, failed[0]
                breaks = [other for other in breaks if other is not one]
            elif groups is self.groups:
                return
            groups = [failed] if failed else self.groups


def files(folder: Path) -> list[Path]:
    return sorted(folder.rglob("test_*.py"))


def read_list() -> list[dict]:
    with LIST.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def write_list(breaks: list[dict]) -> None:
    with LIST.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        table.writeheader()
        table.writerows(breaks)


def run(breaks: list[dict], root: Path) -> None:
    """Give each break that has none its result; the list is written after each."""
    subprocess.run(["git", "clone", "--quiet", ROOT, root], check=True)
    tests = Tests(root)
    for one in breaks:
        if not one["result"]:
            found = find(root, one)
            one["result"], one["tests"] = tests.first_look(one) if found else ("gone", "")
            write_list(breaks)
            print(one["number"], one["function"], one["result"], one["tests"], flush=True)
    left = [one for one in breaks if one["result"] == "left"]
    for one, test in tests.last_look(left):
        one["result"], one["tests"] = "red", test
        write_list(breaks)
    for one in left:
        if one["result"] == "left":
            one["result"] = "not covered" if one["tests"] == "0" else "survived"
    write_list(breaks)
    print(Counter(one["result"] for one in breaks))


def main(what: str, *arguments: str) -> None:
    if what == "watch":
        watch(*arguments)
    elif what == "draw":
        write_list(draw(ROOT, COUNT, SEED))
    elif what == "run":
        breaks = read_list()
        if "--again" in arguments:
            breaks = [one | {"result": "", "tests": ""} for one in breaks]
        with tempfile.TemporaryDirectory() as folder:
            run(breaks, Path(folder).resolve() / "clone")


if __name__ == "__main__":
    main(*sys.argv[1:])
