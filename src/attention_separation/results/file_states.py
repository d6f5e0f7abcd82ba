"""Whether the files of a folder of results are those of this code and config, by their digests.

Parquet files carry digests of what they depend on, and a seal of their bytes. Pictures, csv and
html have those of the parquet file beside them, and a sha256 in manifest.json.
"""

from collections import Counter
from pathlib import Path

from .declaration import TABLE, Current
from .files import AGAIN, PART_SUFFIX
from .manifest import NAME, ManifestError, read_manifest, sha256, unlisted
from .tables import TableError, read_schema

CURRENT = "current"
MISSING = "missing; run again"
OTHER_SETTINGS = "of other settings; run again"
OTHER_CODE = "of other code; run again"
NOT_OF_CONFIG = "not of this config; remove the file"
OF_A_TABLE = (CURRENT, OTHER_SETTINGS, OTHER_CODE, NOT_OF_CONFIG)
"""States of a table that are those of the files beside it too."""


def states(folder: Path, expected: dict[str, Current]) -> dict[str, str]:
    """The state of each file below a folder of results, and of each that is missing, by its path
    below the folder.

    `expected` : the parquet files of a run, by such paths, with the digests that each must carry
    """
    states = {path: _parquet_state(folder / path, current) for path, current in expected.items()}
    try:
        listed = read_manifest(folder / NAME)
    except ManifestError as error:
        listed = None
        states[NAME] = _without_path(error, folder / NAME)
    for path in sorted(unlisted(folder)):
        relative = str(path.relative_to(folder))
        if path.suffix == ".parquet":
            states.setdefault(relative, NOT_OF_CONFIG)
        elif path.suffix == PART_SUFFIX:
            states[relative] = "left by a killed job, or being written"
        elif relative != NAME and listed is not None:
            states[relative] = _other_state(path, relative, listed, states)
    for relative in listed or {}:
        states.setdefault(relative, MISSING)
    for name, current in expected.items():
        if states[name] == MISSING and not current.in_default_run:
            del states[name]
    return states


def check_folder(folder: Path) -> None:
    """Raise ValueError unless there is such a folder."""
    if not folder.is_dir():
        raise ValueError(f"{folder}: no such folder")


def print_states(states: dict[str, str]) -> int:
    """Print how many files are in each state, and name those not current; return their number."""
    for state, number in Counter(states.values()).most_common():
        print(f"{number:5} {state}")
    wrong = {path: state for path, state in states.items() if state != CURRENT}
    for path, state in sorted(wrong.items()):
        print(f"{path}: {state}")
    return len(wrong)


def _parquet_state(path: Path, current: Current) -> str:
    """The state of a parquet file, by the digests that it carries and those of `current`."""
    if not path.exists():
        return MISSING
    try:
        metadata = read_schema(path).metadata or {}
    except TableError as error:
        return _without_path(error, path)
    if metadata.get(b"settings", b"").decode() != current.settings:
        return OTHER_SETTINGS
    if metadata.get(b"code", b"").decode() != current.code:
        return OTHER_CODE
    return CURRENT


def _without_path(error: ValueError, path: Path) -> str:
    """An error's text without the path that it begins with."""
    return str(error).removeprefix(f"{path}: ")


def _other_state(path: Path, relative: str, listed: dict[str, str], states: dict[str, str]) -> str:
    """The state of a file that is no parquet file.

    relative : its path below the folder of results
    listed : the sha256 of each file that the manifest lists
    states : of the parquet files, whose digests hold for the pictures and texts beside them
    """
    if relative not in listed:
        return f"not listed in {NAME}; if a run made it, remove {NAME} and run again"
    if sha256(path) != listed[relative]:
        return f"other bytes than {NAME} lists; {AGAIN}"
    # A sentence, and the page in the folder itself, are of no one table.
    if path.suffix == ".txt" or path.name == relative:
        return CURRENT
    table_beside = Path(relative).with_suffix(".parquet")
    # The numbers of some pictures are a table alone.
    for table in (table_beside, Path(TABLE.folder) / table_beside.name):
        state_of_table = states.get(str(table))
        if state_of_table in OF_A_TABLE:
            return state_of_table
    return "without a parquet file beside it, or with a damaged one; remove both and run again"
