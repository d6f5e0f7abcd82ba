"""The sha256 of every file of results that carries no metadata of its own."""

import hashlib
import json
from pathlib import Path

from .files import AGAIN, write_text

NAME = "manifest.json"
ASIDE = (
    "logs",
    "benchmarks",
    "slices",
    "checkpoints",
    "report",
    "report.html",
    ".gitignore",
)
"""Files and folders below results that are no results."""

FOLDERS_OF_RESULTS = ("panels", "cells", "numbers", "figures", "tables")
"""Folders that make the one they lie in a folder of results of its own."""


def sha256(path: Path) -> str:
    """The sha256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def unlisted(folder: Path) -> list[Path]:
    """The files below a folder of results, but those that are ASIDE or lie in another folder of
    results below it."""
    other_folders = set()
    for name in FOLDERS_OF_RESULTS:
        other_folders |= {path.parent for path in folder.rglob(name)}
    other_folders.discard(folder)
    files = []
    for path in folder.rglob("*"):
        is_aside = any(part in ASIDE for part in path.relative_to(folder).parts)
        is_of_another = any(other in path.parents for other in other_folders)
        if path.is_file() and not is_aside and not is_of_another:
            files.append(path)
    return files


class ManifestError(ValueError):
    """A file is no manifest as it was written; the text names it and says what to do."""


def manifest(paths: list[Path], folder: Path) -> str:
    """The text of a manifest: JSON of each file's path below a folder and its sha256, in order of
    paths."""
    return _manifest_text({str(path.relative_to(folder)): sha256(path) for path in sorted(paths)})


def read_manifest(path: Path) -> dict[str, str] | None:
    """The sha256 of each file that a manifest lists; None where there is no manifest. ManifestError
    if it is damaged."""
    if not path.exists():
        return None
    try:
        text = path.read_text(encoding="utf-8")
        listed = json.loads(text)
        has_texts = all(isinstance(digest, str) for digest in listed.values())
        is_whole = text == _manifest_text(listed) and has_texts
    except (ValueError, AttributeError, RecursionError):
        is_whole = False
    if not is_whole:
        text = "damaged, so that pictures, csv and html are compared with nothing"
        raise ManifestError(f"{path}: {text}; {AGAIN}")
    return listed


def _manifest_text(listed: dict[str, str]) -> str:
    """The sha256 of each file, by path, as a manifest has them."""
    return json.dumps(listed, indent=1) + "\n"


def run(files: list[Path], output: Path) -> None:
    """Write the manifest of some files into the folder that they lie below."""
    write_text(output, manifest(files, output.parent))
