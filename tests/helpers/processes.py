"""The Python processes of a run, found in /proc."""

import time
from pathlib import Path


def processes(folder: Path, *words: str) -> list[int]:
    """Python processes in a folder whose command lines have parts that end in all these words."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            line = (path / "cmdline").read_bytes().decode(errors="replace").split("\0")
            here = (path / "cwd").readlink() == folder
        except OSError:
            continue
        if here and "python" in line[0] and all(any(p.endswith(w) for p in line) for w in words):
            found.append(int(path.name))
    return found


def wait_for(found, what: str, seconds: float = 300):
    """The first result of `found` that is not empty; AssertionError if none is in time."""
    end = time.monotonic() + seconds
    while not (result := found()):
        assert time.monotonic() < end, f"{what}: not within {seconds} s"
        time.sleep(0.02)
    return result
