"""What a run refuses before its first job: what is in the way of files, and no room for them."""

import os
import resource
import tempfile
from collections.abc import Iterable
from pathlib import Path

from .declaration import Study
from .job_files import SETTINGS_FOLDER

FOLDER_OF_SNAKEMAKE = ".snakemake"
RECORDS = [f"{FOLDER_OF_SNAKEMAKE}/{name}" for name in ("incomplete", "metadata")]
FOLDERS_OF_SNAKEMAKE = [
    *RECORDS,
    str(SETTINGS_FOLDER),
    f"{FOLDER_OF_SNAKEMAKE}/auxiliary",
    f"{FOLDER_OF_SNAKEMAKE}/conda",
    f"{FOLDER_OF_SNAKEMAKE}/conda-archive",
    f"{FOLDER_OF_SNAKEMAKE}/iocache",
    f"{FOLDER_OF_SNAKEMAKE}/locks",
    f"{FOLDER_OF_SNAKEMAKE}/shadow",
    f"{FOLDER_OF_SNAKEMAKE}/singularity",
]
"""Its own, and that of jobs' settings; it makes do without that of its log."""

ROOM = 2**20
"""Bytes that a run's own files may take before its first job."""


def folders_of_run(studies: Iterable[Study], files: Iterable[str]) -> set[str]:
    """All folders that a run of some studies makes for their files, and for its own."""
    folders = {str(Path(file).parent) for file in files}
    for study in studies:
        folders |= {f"{study.folder}/logs", f"{study.folder}/benchmarks"}
    return folders.union(FOLDERS_OF_SNAKEMAKE)


def check_places(folders: Iterable[str], files: Iterable[str]) -> None:
    """Refuse what stands in the place of folders or above them and is none, or in that of files and
    is a folder; the text of the OSError names it."""
    above = {path for folder in folders for path in (Path(folder), *Path(folder).parents)}
    for path in sorted(above):
        if os.path.lexists(path) and not path.is_dir():
            what = "a file" if path.exists() else "a link that leads nowhere"
            raise OSError(
                f"{path}: {what} stands where a folder must be; move it away, then the same command"
            )
    for path in map(Path, files):
        if path.is_dir():
            raise OSError(
                f"{path}: a folder stands where a file must be; move it away, then the same command"
            )


def check_snakemake_can_write() -> None:
    """Refuse a folder of Snakemake's in which there is no room, or that cannot be written; the text
    of the OSError names it and the cause."""
    check_room(FOLDER_OF_SNAKEMAKE)
    for folder in (*RECORDS, str(SETTINGS_FOLDER)):
        check_writable(folder)


def check_room(folder: str | os.PathLike) -> None:
    """Refuse a folder, there or to be made, in which no file of ROOM bytes can be made, or none as
    large as `ulimit -f` allows; the text of the OSError names the folder and the cause."""
    limit, _ = resource.getrlimit(resource.RLIMIT_FSIZE)
    size = ROOM if limit == resource.RLIM_INFINITY else min(ROOM, limit)
    try:
        with tempfile.TemporaryFile(dir=_nearest(folder)) as file:
            file.write(bytes(size))
            file.flush()
    except OSError as error:
        text = f"{folder}: no file of {size:,} bytes can be made in this folder"
        raise OSError(f"{text}: {error.strerror or error}") from error


def check_writable(folder: str | os.PathLike) -> None:
    """Refuse a folder, there or to be made, in which or in whose folders no file can be made; the
    text of the OSError names the folder and the cause."""
    folder = Path(folder)
    nearest = _nearest(folder)
    folders = [nearest]
    if nearest == folder:
        folders += [path for path in folder.glob("*") if path.is_dir()]
    for path in folders:
        try:
            tempfile.TemporaryFile(dir=path).close()
        except OSError as error:
            if path != nearest and not path.exists():
                continue  # another run has moved it away
            text = f"{path}: no file can be made in this folder: {error.strerror or error}"
            raise OSError(text) from error


def _nearest(folder: str | os.PathLike) -> Path:
    """The folder itself where it is there, else the nearest above it that is."""
    path = Path(folder)
    return next(above for above in (path, *path.absolute().parents) if above.exists())
