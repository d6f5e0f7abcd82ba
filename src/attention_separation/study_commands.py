"""What people type on the results of studies: `summary` and `verify`, `rank-time` and `rank-cells`,
and `keep` and `gallery`, which make the pages of docs/."""

import argparse
import math
import shlex
import sys
import time
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from pathlib import Path

from .commands import STUDIES, study_of
from .config import checked_config, overrides_of, read_config
from .messages.command_line import whole_number
from .messages.words import counted
from .pages.keeping import keep_run
from .pages.rendering import write_pages
from .results import file_states
from .results.declaration import Study, sharing_folder
from .studies.facts import FACTS
from .studies.head_rank.settings.cells import CellJob
from .studies.head_rank.study import HeadRank
from .training.job import OutOfTimeError, Pace, device_kind, train_and_write

MOST_SAMPLED = 10**6
MOST_SEED = 10**18


def summary_command(parser: argparse.ArgumentParser) -> None:
    """What the results of a study say, a line each."""
    _add_overrides(parser)
    parser.set_defaults(run=_summary)


def _summary(arguments: argparse.Namespace) -> None:
    """Print the summary of a study's results."""
    study = _studies(arguments)[study_of(arguments.command)]
    for line in study.summary(Path(study.folder)):
        print(line)


def verify_command(parser: argparse.ArgumentParser) -> None:
    """Whether files of results are those of this code and config, and not damaged.

    Parquet files carry digests of what they depend on, and the sha256 of all their other bytes.
    Pictures, csv and html have those of the parquet file beside them, and a sha256 in
    manifest.json. Of the first paper a sample of points
    is computed again; of the second nothing, for another processor may move the last bits of
    training.
    """
    parser.add_argument("folder", type=Path, help="folder of results, such as results")
    _add_overrides(parser)
    sample, seed = whole_number(0, MOST_SAMPLED), whole_number(0, MOST_SEED)
    parser.add_argument("--sample", type=sample, default=5, help="points to compute again")
    parser.add_argument("--seed", type=seed, default=0, help="which points these are")
    parser.set_defaults(run=_verify)


def _verify(arguments: argparse.Namespace) -> None:
    """Print the state of every file, and what computing a sample again gives; ValueError where
    anything is not as it should be."""
    studies = _studies(arguments)
    study = studies[study_of(arguments.command)]
    folder: Path = arguments.folder
    file_states.check_folder(folder)
    together = sharing_folder(study, studies)
    states = file_states.states(folder, together)
    not_current = file_states.print_states(states)
    if not_current:
        print(_how_to_heal(states, folder, together, arguments.overrides))
    sentences = study.recompute(folder, arguments.sample, arguments.seed)
    for sentence in sentences:
        print(f"computed again: {sentence}")
    different = [sentence for sentence in sentences if not sentence.endswith("the same")]
    if not_current or different:
        message = f"{not_current} files are not current"
        if sentences:
            message += f", {len(different)} points differ"
        raise ValueError(message)


def _how_to_heal(
    states: dict[str, file_states.State], folder: Path, studies: list[Study], overrides: list[str]
) -> str:
    """What makes all files of a folder current that these studies share: commands, a line each."""
    written = Path(studies[0].folder)
    if folder.resolve() != written.resolve():
        return (
            f"with these settings a run writes to {written}: say those of {folder}, as scale=smoke"
        )
    # The first paper's run makes all that lies in its folder.
    prefixes = [study.prefix for study in studies]
    words = ["snakemake"] if "" in prefixes else ["snakemake", *prefixes]
    if overrides:
        words += ["--config", *overrides]
    commands = file_states.healing_commands(states, folder, shlex.join(words))
    return "\n".join(["these commands, in this folder, make all current:", *commands])


def time_command(parser: argparse.ArgumentParser) -> None:
    """How long the second paper's cells that are not yet trained will take here."""
    _add_overrides(parser)
    parser.set_defaults(run=_time)


def _time(arguments: argparse.Namespace) -> None:
    """Print how long the cells that are not yet trained will take, measured on this device."""
    study = _studies(arguments)[HeadRank.name]
    assert isinstance(study, HeadRank)
    jobs = _untrained(study, Path(study.folder))
    if not jobs:
        print(f"all {len(study.every_cell)} cells are trained")
        return
    from .studies.head_rank.training.train_cell import seconds_of_training

    device = device_kind()
    print(f"measuring how fast {len(jobs)} cells train here", file=sys.stderr, flush=True)
    print(_sentence(jobs, seconds_of_training(jobs, device), device))


def _sentence(jobs: list[CellJob], seconds: list[float], device: str) -> str:
    """The sentence that says how many cells there are to train, and how long it takes."""
    operations = sum(job.training_flops() for job in jobs)
    total = sum(seconds)
    unit = "core" if device == "cpu" else "GPU"
    return (
        f"{len(jobs)} cells to train, {operations:.2g} operations: about {total / 60:.2g} minutes "
        f"of one {unit}, the longest {max(seconds) / 60:.2g}, at {operations / total / 1e9:.2g} "
        "GFLOP/s, measured here; less what checkpoints have"
    )


def _untrained(study: HeadRank, folder: Path) -> list[CellJob]:
    """The cells whose tables are missing in a folder, or not of these settings and this code."""
    states = file_states.states(folder, [study])
    return [
        job
        for name, job in study.every_cell.items()
        if states.get(f"cells/{name}.parquet") != file_states.CURRENT
    ]


SECONDS_APART = 20.0
"""Of checkpoints of `rank-cells`."""


def cells_command(parser: argparse.ArgumentParser) -> None:
    """Train cells of the second paper one after another, in one process.

    As on a GPU that is there for minutes: each cell is kept as soon as it is done, and what is
    stopped goes on when it is asked for again.
    """
    _add_overrides(parser)
    parser.add_argument(
        "--cells",
        nargs="+",
        default=["*"],
        metavar="PATTERN",
        help="which, in this order: names, in which * stands for anything",
    )
    parser.add_argument(
        "--minutes", type=float, default=math.inf, help="after which a checkpoint is the last"
    )
    parser.add_argument("--folder", type=Path, help="of results; if not given, that of the scale")
    parser.set_defaults(run=_train_cells)


def _train_cells(arguments: argparse.Namespace) -> None:
    """Train the cells that match, one after another, until the time is over."""
    pace = Pace(SECONDS_APART, time.monotonic() + 60 * arguments.minutes)
    study = _studies(arguments)[HeadRank.name]
    assert isinstance(study, HeadRank)
    folder = arguments.folder or Path(study.folder)
    names = list(dict.fromkeys(_matching(study.every_cell, arguments.cells)))
    untrained = {job.name: job for job in _untrained(study, folder)}
    to_train = sum(name in untrained for name in names)
    print(f"{counted(len(names), 'cell')}, {to_train} to train", flush=True)
    for name in names:
        if name in untrained:
            print(f"{name}: {_train_and_report(untrained[name], folder, pace)}", flush=True)
        if time.monotonic() >= pace.end:
            print("the time is over; the same command goes on")
            break


def _matching(names: Iterable[str], patterns: Iterable[str]) -> Iterator[str]:
    """The names that match some pattern, in the patterns' order; ValueError where a pattern matches
    none."""
    for pattern in patterns:
        matching = [name for name in names if fnmatchcase(name, pattern)]
        if not matching:
            raise ValueError(
                f"--cells {pattern}: no cell has such a name; allowed: {', '.join(names)}"
            )
        yield from matching


def _train_and_report(job: CellJob, folder: Path, pace: Pace) -> str:
    """What training a cell to its end gives, or as far as there is time, in words."""
    from .studies.head_rank.training import train_cell
    from .studies.head_rank.training.cell_table import read_cell

    begin = time.monotonic()
    output = folder / "cells" / f"{job.name}.parquet"
    ensemble = train_cell.Transformers(job, device_kind())
    try:
        train_and_write(ensemble, train_cell.__name__, output, Path(), pace)
    except OutOfTimeError as stop:
        return str(stop)
    seconds = time.monotonic() - begin
    runs = read_cell(output).to_pylist()
    losses = ", ".join(f"{run['min_train']:.4g}" for run in runs if run["min_train"] is not None)
    errors = ", ".join(f"{run['test_error']:.4g}" for run in runs if run["test_error"] is not None)
    return f"{seconds:.0f} s, least training loss {losses}, error on new sets {errors}"


def keep_command(parser: argparse.ArgumentParser) -> None:
    """Tables and pictures of finished runs, put into docs/, where pages are made from them."""
    names = ["paper", "kernels", "rank", "needle", "recall"]
    parser.add_argument("studies", nargs="+", choices=names, help="of which studies")
    gallery_command(parser)
    parser.set_defaults(run=_keep)


def _keep(arguments: argparse.Namespace) -> None:
    """Copy the results of finished studies into docs/, and print what was copied."""
    studies = _studies_of([])
    for name in arguments.studies:
        study = studies[STUDIES["" if name == "paper" else name]]
        folder = arguments.docs / study.kept_in
        # The paper's lemmas and open choices are kept with its figures.
        studies_in_folder = [other for other in studies.values() if other.kept_in == study.kept_in]
        for kept_study in studies_in_folder:
            count, left = keep_run(kept_study, arguments.docs)
            print(f"{kept_study.title}: {count} results of {kept_study.folder} in {folder}")
            if left:
                print(f"not made, and left in {folder} as they are: {', '.join(left)}")
        if name == "rank":
            from .studies.head_rank.paper_size import keep_paper_size

            assert isinstance(study, HeadRank)
            margin, level = study.section.margin, study.section.level
            for line in keep_paper_size(Path(study.folder), arguments.docs, margin, level):
                print(line)


def gallery_command(parser: argparse.ArgumentParser) -> None:
    """The pages of docs/ and README.md, from their templates and the tables that docs/ keeps."""
    parser.add_argument("--docs", type=Path, default=Path("docs"), help="folder to write to")
    parser.set_defaults(run=_gallery)


def _gallery(arguments: argparse.Namespace) -> None:
    """Write the pages of docs/ from their templates."""
    write_pages(arguments.docs / "templates", arguments.docs, FACTS)


def _add_overrides(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("overrides", nargs="*", metavar="KEY=VALUE", help="as after --config")


def _studies(arguments: argparse.Namespace) -> dict[str, Study]:
    """The studies of the settings, with the overrides of the arguments."""
    return _studies_of(arguments.overrides)


def _studies_of(overrides: list[str]) -> dict[str, Study]:
    """The studies of the settings of this folder; on stderr, which of its files are not read."""
    written = read_config(Path("config.yaml"))
    # No kernel is needed: who asks what results say runs no code of the settings'.
    config = checked_config(written, overrides_of(overrides), tries_functions=False)
    note = written.note()
    if note:
        print(note, file=sys.stderr)
    return config.studies()
