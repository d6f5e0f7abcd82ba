"""The sha256 of every file of results that carries no metadata of its own."""

import hashlib
import json
from pathlib import Path

from .files import write_text

NAME = "manifest.json"
ASIDE = (
    "logs", "benchmarks", "slices", "checkpoints", "report", "report.html", ".gitignore",
)  # fmt: skip
"""Files and folders below results that are no results."""

PARTS = ("panels", "cells", "numbers", "figures", "tables")
"""Folders that make the one they lie in a folder of results of its own."""


def sha256(path: Path) -> str:
    """The sha256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def unlisted(folder: Path) -> list[Path]:
    """All files below a folder of results, but what is ASIDE or lies in another such folder."""
    others = {path.parent for name in PARTS for path in folder.rglob(name)} - {folder}
    return [
        path
        for path in folder.rglob("*")
        if path.is_file()
        and not {*path.relative_to(folder).parts} & {*ASIDE}
        and not any(other in path.parents for other in others)
    ]


def manifest(paths: list[Path], folder: Path) -> str:
    """JSON of each file's path below a folder and its sha256, in order."""
    listed = {str(path.relative_to(folder)): sha256(path) for path in sorted(paths)}
    return json.dumps(listed, indent=1) + "\n"


def run(files: list[Path], output: Path) -> None:
    write_text(output, manifest(files, output.parent))
