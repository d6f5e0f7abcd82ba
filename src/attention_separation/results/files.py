"""Files that are whole or absent."""

import fcntl
import glob
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

PART_SUFFIX = ".part"
"""How the name of a file ends that is being written, or that a killed job has left."""

AGAIN = "remove the file and run again"
"""What to do with a damaged file."""


@contextmanager
def replacing(path: str | os.PathLike) -> Iterator[Path]:
    """Yield a new file beside `path` to write to; it takes the name only once written in full.

    The name it has meanwhile is its own, so that two writers never share a file. What killed
    writers of the same path have left is removed. If it cannot be written, the text of the OSError
    names the path and the cause.
    """
    path = Path(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _remove_left(path)
        handle, part = _new(path)
        try:
            yield part
            umask = os.umask(0)
            os.umask(umask)
            part.chmod(0o666 & ~umask)
            os.fsync(handle)
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)
            os.close(handle)
    except OSError as error:
        raise OSError(f"{path}: cannot be written: {error.strerror or error}") from error


def write_text(path: Path, text: str) -> None:
    """Write a file of text at once; OSError as `replacing`."""
    with replacing(path) as part:
        part.write_text(text, encoding="utf-8")


def _new(path: Path) -> tuple[int, Path]:
    """A new file, locked while its handle is open: so others know that its writer lives."""
    while True:
        handle, name = tempfile.mkstemp(
            prefix=f".{path.name}.", suffix=PART_SUFFIX, dir=path.parent
        )
        # Not every file system has locks; without them nothing is ever taken for left.
        with suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_EX)
        if os.fstat(handle).st_nlink:
            return handle, Path(name)
        os.close(handle)  # taken for left before it was locked


def _remove_left(path: Path) -> None:
    """Remove the parts of `path` that nobody writes any more."""
    for left in path.parent.glob(f".{glob.escape(path.name)}.*{PART_SUFFIX}"):
        with suppress(OSError), left.open("rb+") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            left.unlink()
