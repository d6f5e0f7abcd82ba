"""Results as one file to deposit, with what made them: a Workflow Run RO-Crate.

It takes what has been made, of every study, and makes nothing. A file that is not as this code and
configuration make it is refused, with its name: the crate would say something false of it.
"""

import argparse
import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path

from attention_separation.config import load_config, overrides_of
from attention_separation.results import verifying
from attention_separation.results.manifest import CRATE, NAME
from attention_separation.results.study import Study, sharing_folder

RECORDS = Path(".snakemake/metadata")
"""What Snakemake has kept of each job, among it when it began."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("overrides", nargs="*", metavar="KEY=VALUE", help="as after --config")
    parser.add_argument("--agent", help="who ran it: a name that the crate then says")


def run(arguments: argparse.Namespace) -> None:
    try:
        from attention_separation.results.crate import Run, metadata, repository_files, write_crate
    except ModuleNotFoundError as error:
        raise ValueError(
            f"needs {error.name}, which is not installed: make setup-publish"
        ) from None
    studies = load_config(Path("config.yaml"), overrides_of(arguments.overrides)).studies()
    made, missing = made_of(studies)
    begun, ended = times_of(made)
    told = Run(begun, ended, arguments.overrides, arguments.agent or None, missing)
    target = Path(next(iter(studies.values())).folder, CRATE)
    target.parent.mkdir(parents=True, exist_ok=True)
    root = Path()
    write_crate(target, root, [*repository_files(root), *made], metadata(root, made, told))
    print(f"{target}: {len(made)} files of results, {target.stat().st_size / 2**20:.1f} MiB")
    if missing:
        print(f"of the files of a whole run {missing} have not been made: it says so")


def made_of(studies: Mapping[str, Study]) -> tuple[list[Path], int]:
    """The files of results that there are, and how many of a whole run are missing.

    Raises
    ------
    ValueError
        If there are none, or one is not as this code and configuration make it.
    """
    files: list[Path] = []
    wrong: list[str] = []
    missing = 0
    for study in {study.folder: study for study in studies.values()}.values():
        folder = Path(study.folder)
        for path, state in sorted(states_of(study, studies).items()):
            if state == verifying.CURRENT:
                files.append(folder / path)
            elif state == verifying.MISSING:
                missing += 1
            else:
                wrong.append(f"{folder / path}: {state}")
        files += [folder / NAME] if (folder / NAME).exists() else []
    if wrong:
        raise ValueError(
            f"{len(wrong)} files are not those of this code and config, the first {wrong[0]}; "
            "make them again, or give the KEY=VALUE that they were made with"
        )
    if not files:
        folders = sorted({study.folder for study in studies.values()})
        raise ValueError(
            f"no results in {', '.join(folders)}: first make paper, make needle or make rank"
        )
    return files, missing


def states_of(study: Study, studies: Mapping[str, Study]) -> dict[str, str]:
    """What is to be said of each file in a study's folder, as `verify` does."""
    expected, drawn_alone = {}, set()
    for each in sharing_folder(study, studies):
        expected |= each.expected_tables()
        drawn_alone |= each.drawn_alone()
    return verifying.states(Path(study.folder), expected, drawn_alone)


def times_of(made: list[Path]) -> tuple[str | None, str]:
    """When the first job began, None if Snakemake has no record of it, and when the last result was
    written; in ISO 8601, UTC."""
    begun = min(beginnings(made), default=None)
    ended = max(path.stat().st_mtime for path in made)
    return (None if begun is None else in_words(begun)), in_words(ended)


def beginnings(made: list[Path]) -> Iterator[float]:
    """When jobs that write to the same folders began, in seconds since 1970."""
    logs = tuple({f"{path.parents[1].as_posix()}/logs/" for path in made if path.name != NAME})
    for path in RECORDS.rglob("*"):
        if path.is_file():
            record = json.loads(path.read_text(encoding="utf-8"))
            if any(log.startswith(logs) for log in record.get("log") or ()):
                yield record["starttime"]


def in_words(seconds: float) -> str:
    """A time since 1970 in ISO 8601, to the second."""
    return datetime.fromtimestamp(int(seconds), UTC).isoformat()
