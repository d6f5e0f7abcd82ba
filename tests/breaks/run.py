"""Which tests notice the breaks of breaks.csv.

    python tests/breaks/run.py             # those that have no result yet
    python tests/breaks/run.py --again     # all

It works on a clone of the last commit, in a temporary folder, and needs `pip install coverage`, and
what `make test-rank` and `make test-explore` need. A break is first put to tests that reach its
statement; those left are made together and put to all tests, so that those too are asked which run
the package in other processes. Results: `red`, and by which test; `survived`, and how many tests
reach it, or if none is seen to, `not covered`; `gone`, if its statement is not found or is found
twice: then correct its file, function, before and after, and run again.
"""

import json
import os
import pickle
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

sys.path.insert(0, str(Path(__file__).parents[1]))

from breaks.draw import ROOT, SOURCE, apply, find, lines_of, read_list, write_list

APART = ("tests/pytorch", "tests/explorer_app")
"""Tests that `make test` leaves out and that are run here too, each folder by itself."""

FIRST_TESTS = 10
SECONDS = 120
"""Of the tests that reach a statement, the fastest come first, and later ones up to this time."""


class Watch:
    """A pytest plugin: which tests failed, how long each took, and which lines each has reached.
    What a file runs while it is loaded is reached by all its tests: for them stands the file."""

    def __init__(self, file: str = ""):
        self.failed, self.seconds, self.coverage = [], defaultdict(float), None
        if file:
            from coverage import Coverage

            self.coverage = Coverage(data_file=None, source=[SOURCE], messages=False)
            self.coverage.start()
            self.coverage.switch_context(file)

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

    def lines(self) -> dict[str, dict[int, list[str]]]:
        """The tests that have reached each line of each file of the source."""
        if not self.coverage:
            return {}
        self.coverage.stop()
        data = self.coverage.get_data()
        return {
            Path(path).relative_to(Path.cwd()).as_posix(): data.contexts_by_lineno(path)
            for path in data.measured_files()
        }


def watch(out: str, file: str, *arguments: str) -> None:
    """Run pytest, and write what a Watch has seen; lines if a file of tests is run by itself."""
    import pytest

    seen = Watch(file)
    end = pytest.main([*arguments, "-p", "no:cacheprovider"], plugins=[seen])
    failed = seen.failed or ([f"pytest ended with {end}"] if end else [])
    found = {"failed": failed, "seconds": seen.seconds, "lines": seen.lines()}
    Path(out).write_text(json.dumps(found), encoding="utf-8")


def run_pytest(root: Path, arguments: list[str], seconds: float = 3600, file: str = "") -> dict:
    """The same in a process of its own, of a clone. What takes longer, or ends before pytest does,
    has failed as a whole."""
    with tempfile.NamedTemporaryFile() as out:
        path = os.pathsep.join([str(root / "src"), os.environ.get("PYTHONPATH", "")])
        process = subprocess.Popen(
            [sys.executable, __file__, "watch", out.name, file, *arguments],
            cwd=root, env=os.environ | {"PYTHONPATH": path}, start_new_session=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        failed = []
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            failed = [f"no end in {seconds:.0f} s"]
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        end = process.wait()
        text = Path(out.name).read_text(encoding="utf-8")
    if text:
        return json.loads(text)
    return {"failed": failed or [f"process ended with {end}"], "seconds": {}, "lines": {}}


class Tests:
    """The tests of a clone: `groups` of files that run together, the `seconds` of each test, and
    those that reach each line; `failing`, those that fail with no break, are left out."""

    def __init__(self, root: Path):
        self.root, self.seconds, self.failing = root, {}, []
        self.reaching = defaultdict(set)
        settings = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
        together = settings["tool"]["pytest"]["testpaths"]
        self.groups = [
            [path.relative_to(root).as_posix() for part in parts for path in files(root / part)]
            for parts in (together, *([part] for part in APART))
        ]
        for file in [file for group in self.groups for file in group]:
            self.measure(file)

    def measure(self, file: str) -> None:
        """Run a file of tests by itself; SystemExit if none of them can be run."""
        found = run_pytest(self.root, [file], file=file)
        if not found["seconds"]:
            raise SystemExit(f"{file}: {found['failed']}")
        self.failing += found["failed"]
        self.seconds |= found["seconds"] | {file: sum(found["seconds"].values())}
        for path, lines in found["lines"].items():
            for line, tests in lines.items():
                self.reaching[path, int(line)] |= {*tests} - {*found["failed"], ""}
        print(f"{file}: {self.seconds[file]:.0f} s, failed: {found['failed']}", flush=True)

    def failed(self, breaks: list[dict], tests: list[str], *options: str) -> list[str]:
        """Which of some tests notice these breaks, made together; SystemExit if it is no test that
        failed, and the same happens without breaks."""
        options += tuple(f"--deselect={test}" for test in self.failing)
        seconds = 60 + 10 * sum(self.seconds[test] for test in tests)
        for one in breaks:
            apply(self.root, one)
        try:
            failed = run_pytest(self.root, [*tests, *options], seconds)["failed"]
        finally:
            subprocess.run(["git", "checkout", "--quiet", "."], cwd=self.root, check=True)
        if failed and failed[0] not in self.seconds and (not breaks or self.failed([], tests[:1])):
            raise SystemExit(f"with no break: {failed[0]}")
        return failed

    def first_look(self, one: dict) -> tuple[str, str]:
        """A break's result after tests that reach it: `red`, by which, or `left`, and how many."""
        found = find(self.root, one)
        if not found:
            return "gone", ""
        path, statement = found
        file = path.relative_to(self.root).as_posix()
        reaching = set().union(*(self.reaching[file, line] for line in lines_of(statement)))
        tests = sorted(reaching, key=lambda test: (self.seconds[test], test))
        so_far = accumulate(self.seconds[test] for test in tests)
        quick = [test for test, seconds in zip(tests, so_far, strict=True) if seconds < SECONDS]
        for some in (tests[:FIRST_TESTS], quick[FIRST_TESTS:]):
            failed = self.failed([one], some, "--exitfirst") if some else []
            if failed:
                return "red", failed[0]
        return "left", str(len(tests))

    def last_look(self, breaks: list[dict]) -> Iterator[tuple[dict, str]]:
        """Which breaks all tests notice, and by which, the breaks made together."""
        groups = self.groups
        while breaks:
            failed = [test for tests in groups for test in self.failed(breaks, tests)]
            if failed:
                if failed[0] not in self.seconds:
                    raise SystemExit(f"all tests together: {failed[0]}")
                one = self.culprit(breaks, failed[0])
                yield one, failed[0]
                breaks = [other for other in breaks if other is not one]
            elif groups is self.groups:
                return
            groups = [failed] if failed else self.groups

    def culprit(self, breaks: list[dict], test: str) -> dict:
        """Of breaks that a test notices together, one that it notices."""
        while len(breaks) > 1:
            half = breaks[: len(breaks) // 2]
            breaks = half if self.failed(half, [test]) else breaks[len(half) :]
        return breaks[0]


def files(folder: Path) -> list[Path]:
    return sorted(folder.rglob("test_*.py"))


def run(breaks: list[dict], root: Path) -> None:
    """Give each break that has none its result; the list is written after each. What is measured of
    the tests is kept for as long as the commit is the last."""
    subprocess.run(["git", "clone", "--quiet", ROOT, root], check=True)
    git = subprocess.run(["git", "rev-parse", "HEAD"], cwd=root, check=True, stdout=subprocess.PIPE)
    commit = git.stdout.decode().strip()
    kept = ROOT / ".cache" / f"breaks-{commit}.pickle"
    tests = pickle.loads(kept.read_bytes()) if kept.exists() else Tests(root)
    tests.root = root
    kept.parent.mkdir(exist_ok=True)
    kept.write_bytes(pickle.dumps(tests))
    for one in breaks:
        if one["result"] in ("", "gone", "left"):
            one["result"], one["tests"] = tests.first_look(one)
            write_list(breaks)
            print(one["number"], one["function"], one["result"], one["tests"], flush=True)
    left = [one for one in breaks if one["result"] == "left"]
    for one, test in tests.last_look(left):
        one["result"], one["tests"] = "red", test
        write_list(breaks)
        print(one["number"], one["function"], "red", test, flush=True)
    for one in left:
        if one["result"] == "left":
            one["result"] = "survived" if int(one["tests"]) else "not covered"
    write_list(breaks)
    print(Counter(one["result"] for one in breaks))


def main(*arguments: str) -> None:
    if arguments[:1] == ("watch",):
        watch(*arguments[1:])
        return
    breaks = read_list()
    if arguments == ("--again",):
        breaks = [one | {"result": "", "tests": ""} for one in breaks]
    with tempfile.TemporaryDirectory() as folder:
        run(breaks, Path(folder).resolve() / "clone")


if __name__ == "__main__":
    main(*sys.argv[1:])
