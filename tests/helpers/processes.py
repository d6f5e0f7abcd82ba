"""The Python processes of a run."""

import time
from pathlib import Path

import psutil


def processes(folder: Path, *words: str) -> list[int]:
    """Python processes in a folder whose command lines have parts that end in all these words."""
    found = []
    for process in psutil.process_iter():
        try:
            line = process.cmdline()
            # On macOS a framework's Python is called `Python`.
            if not line or "python" not in line[0].lower() or Path(process.cwd()) != folder:
                continue
        except (psutil.Error, OSError):
            continue
        if all(any(part.endswith(word) for part in line) for word in words):
            found.append(process.pid)
    return found


def wait_for(found, what: str, seconds: float = 300):
    """The first result of `found` that is not empty; AssertionError if none is in time."""
    end = time.monotonic() + seconds
    while not (result := found()):
        assert time.monotonic() < end, f"{what}: not within {seconds} s"
        time.sleep(0.02)
    return result
