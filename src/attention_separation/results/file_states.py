"""Whether the files of a folder of results are those of this code and config, by their digests.

Parquet files carry digests of what they depend on. Pictures, csv and html have those of the parquet
file beside them, and a sha256 in manifest.json.
"""

import json
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from .declaration import Current
from .files import PART
from .manifest import NAME, sha256, unlisted

CURRENT = "current"
MISSING = "missing"


def states(folder: Path, expected: dict[str, Current]) -> dict[str, str]:
    """What is to be said of each file below a folder, and of each that is missing.

    `expected` are parquet files by their path below the folder.
    """
    found = {path: _parquet_state(folder / path, now) for path, now in expected.items()}
    manifest = folder / NAME
    listed = json.loads(manifest.read_text(encoding="utf-8")) if manifest.exists() else {}
    for path in sorted(unlisted(folder)):
        relative = str(path.relative_to(folder))
        if path.suffix == ".parquet":
            found.setdefault(relative, "not of this config")
        elif relative != NAME:
            found[relative] = _other_state(path, relative, listed, found)
    for relative in listed.keys() - found.keys():
        found[relative] = MISSING
    return {
        path: state
        for path, state in found.items()
        if state != MISSING or path not in expected or expected[path].in_default_run
    }


def check_folder(folder: Path) -> None:
    """Raise ValueError unless there is such a folder."""
    if not folder.is_dir():
        raise ValueError(f"{folder}: no such folder")


def print_states(found: dict[str, str]) -> int:
    """Print how many files are in each state, and name those not current; return their number."""
    for state, number in Counter(found.values()).most_common():
        print(f"{number:5} {state}")
    wrong = {path: state for path, state in found.items() if state != CURRENT}
    for path, state in sorted(wrong.items()):
        print(f"{path}: {state}")
    return len(wrong)


def _parquet_state(path: Path, now: Current) -> str:
    if not path.exists():
        return MISSING
    try:
        metadata = pq.read_schema(path).metadata or {}
    except (pa.ArrowException, OSError):
        return "no parquet file that can be read"
    if metadata.get(b"settings", b"").decode() != now.settings:
        return "of other settings"
    if metadata.get(b"code", b"").decode() != now.code:
        return "of other code"
    return CURRENT


def _other_state(path: Path, relative: str, listed: dict[str, str], found: dict[str, str]) -> str:
    if path.suffix == PART:
        return "left by a killed job, or being written"
    if relative not in listed:
        return f"not listed in {NAME}"
    if sha256(path) != listed[relative]:
        return f"other bytes than {NAME} lists"
    if path.suffix == ".txt":
        return CURRENT
    beside = str(Path(relative).with_suffix(".parquet"))
    return found.get(beside, "without a parquet file beside it")
