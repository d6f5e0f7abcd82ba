"""Which tests notice the breaks of breaks.csv.

    python tests/breaks/run.py             # those that have no result yet
    python tests/breaks/run.py --again     # all
    python tests/breaks/run.py --twelve    # of those that were red, against the test that noticed

The twelve are drawn by the digest of `src`: another source has others. The run fails if one of them
is not noticed; .ci/run has it.

It works on a clone of the last commit, in a temporary folder, and needs what
`make setup WITH="test rank explore"` installs. A break is first put to the test that noticed it
before, then to the tests of its part of the package; those left are made together and put to all
tests. Results: `red`, and by which test; `left`, where the tests of its part have not noticed it
and all have not been asked; `survived`; `gone`, if its statement is not found or is found twice:
then correct its file, function, before and after, and run again.
"""

import os
import random
import re
import subprocess
import sys
import tempfile
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from breaks.draw import ROOT, SOURCE, apply, digest_of_files, find, read_list, write_list

APART = ("tests/pytorch", "tests/explorer_app")
"""Tests that `make test` and `make test-slow` leave out, for they need more than these install."""

FAILED = re.compile(r"^(?:FAILED|ERROR) (\S+?::.*?|\S+)(?: - .*)?$", re.M)
SECONDS = 1800


def failing(root: Path, breaks: list[dict], *arguments: str) -> list[str]:
    """Tests of a clone that fail with some breaks in it; pytest's own end, if none can be named."""
    for one in breaks:
        apply(root, one)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments]
    path = os.pathsep.join([str(root / "src"), os.environ.get("PYTHONPATH", "")])
    environment = os.environ | {"PYTHONPATH": path}
    # Of code without a break.
    environment.pop("MADE_ONCE", None)
    try:
        done = subprocess.run(
            command, cwd=root, env=environment, timeout=SECONDS, text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return [f"no end in {SECONDS} s"]
    finally:
        subprocess.run(["git", "checkout", "--quiet", "."], cwd=root, check=True)
    if done.returncode in (0, 5):  # 5: none of them is such a test
        return []
    return FAILED.findall(done.stdout) or [f"pytest ended with {done.returncode}"]


def tests_of(root: Path, file: str) -> list[str]:
    """Folders of the tests of the part of the package that a file is in, the closest first."""
    parts = Path(file).relative_to(SOURCE).parent.parts
    folders = ["/".join(("tests", *parts[:k])) for k in range(len(parts), 0, -1)]
    return [folder for folder in folders if (root / folder).is_dir()] or ["tests/repository"]


def first_look(root: Path, one: dict) -> tuple[str, str]:
    """A break's result after the tests that are closest to it: `red`, by which, or `left`."""
    found = find(root, one)
    if not found:
        return "gone", ""
    file, _, name = one["tests"].partition("::")
    known = [one["tests"]] if name and name.partition("[")[0] in text_of(root / file) else []
    for tests in (*known, *tests_of(root, found[0].relative_to(root).as_posix())):
        failed = failing(root, [one], tests, "--exitfirst")
        if failed:
            return "red", failed[0]
    return "left", ""


def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def last_look(root: Path, breaks: list[dict]) -> Iterator[tuple[dict, str]]:
    """Which breaks all tests notice, made together, and by which test."""
    settings = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    tests = every = [*settings["tool"]["pytest"]["testpaths"], *APART]
    while breaks:
        failed = failing(root, breaks, *tests)
        if failed and "::" not in failed[0]:
            sys.exit(f"{failed[0]}: no test has noticed anything; those left stay so")
        if failed:
            one = culprit(root, breaks, failed[0])
            yield one, failed[0]
            breaks = [other for other in breaks if other is not one]
        elif tests is every:
            return
        tests = failed or every


def culprit(root: Path, breaks: list[dict], test: str) -> dict:
    """Of breaks that a test notices together, one that it notices."""
    while len(breaks) > 1:
        half = breaks[: len(breaks) // 2]
        breaks = half if failing(root, half, test) else breaks[len(half) :]
    return breaks[0]


def run(breaks: list[dict], root: Path) -> None:
    """Give each break that has none its result; the list is written after each."""
    subprocess.run(["git", "clone", "--quiet", ROOT, root], check=True)
    for one in breaks:
        if one["result"] in ("", "gone", "left"):
            one["result"], one["tests"] = first_look(root, one)
            write_list(breaks)
            print(one["number"], one["function"], one["result"], one["tests"], flush=True)
    left = [one for one in breaks if one["result"] == "left"]
    for one, test in last_look(root, left):
        one["result"], one["tests"] = "red", test
        write_list(breaks)
        print(one["number"], one["function"], "red", test, flush=True)
    for one in left:
        one["result"] = one["result"].replace("left", "survived")
    write_list(breaks)
    print(Counter(one["result"] for one in breaks))


TWELVE = 12


def drawn_breaks(root: Path, breaks: list[dict]) -> list[dict]:
    """Twelve of the breaks that were red and can still be made, by the digest of a clone's source.

    Raises
    ------
    SystemExit
        If there are fewer: then the list is to be drawn anew.
    """
    candidates = [
        one
        for one in breaks
        if one["result"] == "red" and "::" in one["tests"] and not one["tests"].startswith(APART)
    ]
    random.Random(digest_of_files(root, SOURCE)).shuffle(candidates)
    drawn: list[dict] = []
    for one in candidates:
        if len(drawn) < TWELVE and find(root, one):
            drawn.append(one)
    if len(drawn) < TWELVE:
        sys.exit(f"breaks.csv has {len(drawn)} breaks that can still be made; draw it anew")
    return drawn


def make_twelve(breaks: list[dict], root: Path) -> None:
    """Make twelve breaks, each against the test that noticed it; SystemExit if one does not."""
    subprocess.run(["git", "clone", "--quiet", ROOT, root], check=True)
    unnoticed = []
    for one in drawn_breaks(root, breaks):
        failed = failing(root, [one], one["tests"], "--exitfirst")
        # Where pytest itself fails, no test has noticed anything: it may be gone.
        is_noticed = "::" in "".join(failed)
        print(one["number"], one["function"], "red" if is_noticed else failed, one["tests"])
        if not is_noticed:
            unnoticed.append(one["number"])
    if unnoticed:
        sys.exit(f"not noticed any more: breaks {', '.join(unnoticed)} of breaks.csv")


if __name__ == "__main__":
    listed = read_list()
    with tempfile.TemporaryDirectory() as folder:
        clone = Path(folder) / "clone"
        if sys.argv[1:] == ["--twelve"]:
            make_twelve(listed, clone)
        else:
            again = sys.argv[1:] == ["--again"]
            run([one | {"result": ""} if again else one for one in listed], clone)
