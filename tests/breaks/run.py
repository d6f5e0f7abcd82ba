"""How many small breaks of the source the tests notice: `make test-release` draws a hundred.

    python tests/breaks/run.py --count 100 --seed 1

works on a clone of the last commit, in a temporary folder. Each break is put to the tests of its
own room; if they pass, to all others of `make test`; if these pass, to those with PyTorch and with
the explorer. It prints which test failed, how many breaks were noticed in each room, and those that
were not: each of these is a gap in the tests, or changes nothing that they should hold.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

sys.path.insert(0, str(Path(__file__).parents[1]))

from breaks.draw import ROOT, SOURCE, Break, apply, draw

APART = ("tests/pytorch", "tests/explorer_app")
"""Tests that `make test` leaves out, for they need more than it installs."""

PARALLEL = ("--numprocesses", "logical", "--maxprocesses", "4", "--dist", "worksteal")
FAILED = re.compile(r"^(?:FAILED|ERROR) (\S+?::.*?|\S+)(?: - .*)?$", re.M)
SECONDS = 1800


def failing(root: Path, *arguments: str) -> str:
    """The test that fails first in a clone, or how pytest itself ended; empty if all pass."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--exitfirst"]
    path = os.pathsep.join([str(root / "src"), os.environ.get("PYTHONPATH", "")])
    try:
        done = subprocess.run(
            [*command, *PARALLEL, *arguments], cwd=root, env=os.environ | {"PYTHONPATH": path},
            timeout=SECONDS, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return f"no end in {SECONDS} s"
    if done.returncode == 0:
        return ""
    return next(iter(FAILED.findall(done.stdout)), f"pytest ended with {done.returncode}")


def room_of(root: Path, file: str) -> str:
    """The folder of tests that is closest to a file of the source; empty if there is none."""
    folder = PurePosixPath("tests") / PurePosixPath(file).relative_to(SOURCE).parent
    while folder != PurePosixPath("tests"):
        if (root / folder).is_dir():
            return str(folder)
        folder = folder.parent
    return ""


def stages(room: str) -> Iterator[tuple[str, ...]]:
    """What a break is put to, one after another, as arguments of pytest."""
    if room:
        yield (room,)
        yield (f"--ignore={room}",)
    else:
        yield ()
    yield APART


def notices(root: Path, one: Break) -> str:
    """The test that notices a break; empty if none does."""
    apply(root, one)
    try:
        found = (failing(root, *stage) for stage in stages(room_of(root, one.file)))
        return next(filter(None, found), "")
    finally:
        subprocess.run(["git", "checkout", "--quiet", "."], cwd=root, check=True)


def run(root: Path, count: int, seed: int) -> None:
    """Draw breaks, and say who notices each; SystemExit if tests fail without a break."""
    subprocess.run(["git", "clone", "--quiet", ROOT, root], check=True)
    for stage in stages(""):
        if failed := failing(root, *stage):
            sys.exit(f"without a break: {failed}")
    drawn, noticed = Counter[str](), Counter[str]()
    survivors = []
    for number, one in enumerate(draw(root, count, seed), 1):
        test = notices(root, one)
        print(f"{number}: {one}: {test or 'SURVIVED'}", flush=True)
        room = one.file.removeprefix(f"{SOURCE}/").rpartition("/")[0] or "the package itself"
        drawn[room] += 1
        noticed[room] += bool(test)
        if not test:
            survivors.append(one)
    for room in sorted(drawn):
        print(f"{noticed[room]} of {drawn[room]}: {room}")
    print(f"{noticed.total()} of {count} breaks of seed {seed} were noticed")
    print(*survivors, sep="\n")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        run(Path(folder) / "clone", arguments.count, arguments.seed)
