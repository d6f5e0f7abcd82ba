"""Whether the files of a folder of results are those of this code and config, by their digests.

Parquet files carry digests of what they depend on, and a seal of their bytes. Pictures, csv and
html have those of the parquet file beside them, and a sha256 in manifest.json.
"""

import shlex
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from .declaration import TABLE, Current, Study
from .files import AGAIN, PART_SUFFIX
from .manifest import NAME, ManifestError, read_manifest, sha256, unlisted
from .tables import TableError, metadata_of, read_schema

MOST_NAMED = 5
"""Files that a run names of those that it makes again for the same reason."""


class Remedy(Enum):
    """What makes all of a folder current, with a file in some state: a value is in words."""

    NONE = ""
    RUN = "run again"
    REMOVE_AND_RUN = AGAIN
    REMOVE = "remove the file"


@dataclass(frozen=True)
class State:
    """What is to be said of a file, and what to do."""

    text: str
    remedy: Remedy = Remedy.RUN

    def __str__(self) -> str:
        return f"{self.text}; {self.remedy.value}" if self.remedy.value else self.text

    def of_no_run(self) -> "State":
        """The same of a file that no whole run makes."""
        if self.remedy not in (Remedy.RUN, Remedy.REMOVE_AND_RUN):
            return self
        return State(f"{self.text}, and no whole run makes it", Remedy.REMOVE)


CURRENT = State("current", Remedy.NONE)
MISSING = State("missing")
OTHER_SETTINGS = State("of other settings")
OTHER_CODE = State("of other code")
UNRECORDED = State("of settings or code that nothing tells")
NOT_OF_CONFIG = State("not of this config", Remedy.REMOVE)
OF_A_TABLE = (CURRENT, OTHER_SETTINGS, OTHER_CODE, NOT_OF_CONFIG)
"""States of a table that are those of the files beside it too."""


def states(folder: Path, studies: Iterable[Study]) -> dict[str, State]:
    """What is to be said of each file of studies below a folder, and of each that is missing, by
    its path below the folder."""
    states: dict[str, State] = {}
    files_of_run = {NAME}
    for study in studies:
        files_of_run |= {*study.paths_of_run()}
        for table, current in study.expected_tables().items():
            state = table_state(folder / table, current)
            if current.in_default_run or state != MISSING:
                states[table] = state
    listed: dict[str, str] | None = None
    try:
        listed = read_manifest(folder / NAME)
    except ManifestError as error:
        states[NAME] = _of_error(error, folder / NAME)
    else:
        if listed is None:
            states[NAME] = MISSING
    for path in sorted(unlisted(folder)):
        relative = str(path.relative_to(folder))
        if path.suffix == ".parquet":
            states.setdefault(relative, NOT_OF_CONFIG)
        elif path.suffix == PART_SUFFIX:
            states[relative] = State("left by a killed job, or being written", Remedy.REMOVE)
        elif relative != NAME:
            states[relative] = _other_state(path, relative, listed, states)
    for relative in listed or {}:
        if relative in files_of_run:
            states.setdefault(relative, MISSING)
        elif relative not in states:
            text = f"lists {relative}, which is missing, and which no whole run makes"
            states[NAME] = State(text, Remedy.REMOVE_AND_RUN)
    return {
        path: state if path in files_of_run else state.of_no_run() for path, state in states.items()
    }


def check_folder(folder: Path) -> None:
    """Raise ValueError unless there is such a folder."""
    if not folder.is_dir():
        raise ValueError(f"{folder}: no such folder")


def print_states(states: Mapping[str, State]) -> int:
    """Print how many files are in each state, and name those not current; return their number."""
    for state, number in Counter(states.values()).most_common():
        print(f"{number:5} {state}")
    wrong = {path: state for path, state in states.items() if state != CURRENT}
    for path, state in sorted(wrong.items()):
        print(f"{path}: {state}")
    return len(wrong)


def healing_commands(states: Mapping[str, State], folder: Path, run: str) -> list[str]:
    """The lines of a shell after which all files of a folder are current; none where they are.

    `run` is the command of a whole run.
    """
    paths_by_remedy: dict[Remedy, list[str]] = {remedy: [] for remedy in Remedy}
    for path, state in sorted(states.items()):
        paths_by_remedy[state.remedy].append(str(folder / path))
    of_no_run = paths_by_remedy[Remedy.REMOVE]
    of_run = paths_by_remedy[Remedy.REMOVE_AND_RUN]
    commands = []
    if of_no_run:
        commands.append(f"rm {shlex.join(of_no_run)}  # made by no whole run")
    if of_run:
        commands.append(f"rm {shlex.join(of_run)}")
    if of_run or paths_by_remedy[Remedy.RUN]:
        commands.append(run)
    return commands


def said_of_states(states: Mapping[str, State]) -> list[str]:
    """Why a run makes some files again: a sentence for each reason."""
    paths_by_text: dict[str, list[str]] = {}
    for path, state in sorted(states.items()):
        paths_by_text.setdefault(state.text, []).append(path)
    return [f"{text}, so made again: {_named(paths)}" for text, paths in paths_by_text.items()]


def _named(paths: Sequence[str]) -> str:
    named = ", ".join(paths[:MOST_NAMED])
    more = len(paths) - MOST_NAMED
    return f"{named} and {more} more" if more > 0 else named


def table_state(path: Path, current: Current) -> State:
    """The state of a parquet file: whether it is there, whole, and of these digests."""
    if not path.exists():
        return MISSING
    try:
        metadata = metadata_of(read_schema(path))
    except TableError as error:
        return _of_error(error, path)
    if metadata.get("settings") != current.settings:
        return OTHER_SETTINGS
    if metadata.get("code") != current.code:
        return OTHER_CODE
    name = metadata.get("name", path.stem)
    return CURRENT if name == path.stem else State(f"written as {name}")


def _of_error(error: ValueError, path: Path) -> State:
    """The state of a file by an error, which names it and says what to do."""
    text = str(error).removeprefix(f"{path}: ").removesuffix(f"; {AGAIN}")
    return State(text, Remedy.REMOVE_AND_RUN)


def _other_state(
    path: Path, relative: str, listed: Mapping[str, str] | None, states: Mapping[str, State]
) -> State:
    """The state of a file that is no parquet file, by those of these."""
    if listed is None:
        return State(f"compared with nothing, for want of {NAME}", Remedy.REMOVE_AND_RUN)
    if relative not in listed:
        return State(f"not listed in {NAME}", Remedy.REMOVE_AND_RUN)
    if sha256(path) != listed[relative]:
        return State(f"other bytes than {NAME} lists", Remedy.REMOVE_AND_RUN)
    # A sentence, and the page in the folder itself, are of no one table.
    if path.suffix == ".txt" or path.name == relative:
        return CURRENT
    beside = Path(relative).with_suffix(".parquet")
    # The numbers of some pictures are a table alone.
    for numbers in (beside, Path(TABLE.folder) / beside.name):
        state_of_table = states.get(str(numbers))
        if state_of_table in OF_A_TABLE:
            return state_of_table
    return State("without a parquet file beside it, or with a damaged one")
