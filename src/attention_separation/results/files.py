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
        _remove_abandoned_parts(path)
        handle, part = _new_part(path)
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


def _new_part(path: Path) -> tuple[int, Path]:
    """The handle and the path of a new file beside `path`, locked while the handle is open: so
    other writers know that this one lives."""
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


def _remove_abandoned_parts(path: Path) -> None:
    """Remove the unfinished files of `path` that killed writers have left."""
    for part in path.parent.glob(f".{glob.escape(path.name)}.*{PART_SUFFIX}"):
        # A living writer has its file locked, which raises OSError here.
        with suppress(OSError), part.open("rb+") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            part.unlink()
