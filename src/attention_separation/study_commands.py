"""What people type on the results of studies: `summary` and `verify`, `rank-time`, and `keep` and
`gallery`, which make the pages of docs/."""

import argparse
import sys
from pathlib import Path

from .commands import STUDIES, study_of
from .config import load_config, overrides_of
from .messages.command_line import whole_number
from .pages.keeping import keep_run
from .pages.rendering import write_pages
from .results import file_states
from .results.declaration import Current, Study, sharing_folder
from .studies.facts import FACTS
from .studies.head_rank.settings.cells import CellJob
from .studies.head_rank.study import HeadRank
from .training.job import device_kind

MOST_SAMPLED = 10**6
MOST_SEED = 10**18


def summary_command(parser: argparse.ArgumentParser) -> None:
    """What the results of a study say, a line each."""
    _add_overrides(parser)
    parser.set_defaults(run=_summary)


def _summary(arguments: argparse.Namespace) -> None:
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
    expected: dict[str, Current] = {}
    for study_in_folder in sharing_folder(study, studies):
        expected |= study_in_folder.expected_tables()
    states = file_states.states(folder, expected)
    not_current = file_states.print_states(states)
    sentences = study.recompute(folder, arguments.sample, arguments.seed)
    for sentence in sentences:
        print(f"computed again: {sentence}")
    different = [sentence for sentence in sentences if not sentence.endswith("the same")]
    if not_current or different:
        message = f"{not_current} files are not current"
        if sentences:
            message += f", {len(different)} points differ"
        raise ValueError(message)


def time_command(parser: argparse.ArgumentParser) -> None:
    """How long the second paper's cells that are not yet trained will take here."""
    _add_overrides(parser)
    parser.set_defaults(run=_time)


def _time(arguments: argparse.Namespace) -> None:
    study = _studies(arguments)[HeadRank.name]
    assert isinstance(study, HeadRank)
    jobs = _untrained(study)
    if not jobs:
        print(f"all {len(study.every_cell)} cells are trained")
        return
    from .studies.head_rank.training.train_cell import seconds_of_training

    device = device_kind()
    print(f"measuring how fast {len(jobs)} cells train here", file=sys.stderr, flush=True)
    print(_sentence(jobs, seconds_of_training(jobs, device), device))


def _sentence(jobs: list[CellJob], seconds: list[float], device: str) -> str:
    """What is to be trained, and how long it takes."""
    operations = sum(job.training_flops() for job in jobs)
    total = sum(seconds)
    what = "core" if device == "cpu" else "GPU"
    return (
        f"{len(jobs)} cells to train, {operations:.2g} operations: about {total / 60:.2g} minutes "
        f"of one {what}, the longest {max(seconds) / 60:.2g}, at {operations / total / 1e9:.2g} "
        "GFLOP/s, measured here; less what checkpoints have"
    )


def _untrained(study: HeadRank) -> list[CellJob]:
    """The cells whose tables are missing, or not of these settings and this code."""
    states = file_states.states(Path(study.folder), study.expected_tables())
    return [
        job
        for name, job in study.every_cell.items()
        if states.get(f"cells/{name}.parquet") != file_states.CURRENT
    ]


def keep_command(parser: argparse.ArgumentParser) -> None:
    """Tables and pictures of finished runs, put into docs/, where pages are made from them."""
    names = [prefix or "paper" for prefix in STUDIES]
    parser.add_argument("studies", nargs="+", choices=names, help="of which studies")
    gallery_command(parser)
    parser.set_defaults(run=_keep)


def _keep(arguments: argparse.Namespace) -> None:
    studies = load_config(Path("config.yaml")).studies()
    for name in arguments.studies:
        study = studies[STUDIES["" if name == "paper" else name]]
        count = keep_run(study, arguments.docs)
        print(f"{name}: {count} results of {study.folder} in {arguments.docs / study.kept_in}")
        if name == "rank":
            from .studies.head_rank.paper_size import keep_paper_size

            for line in keep_paper_size(Path(study.folder), arguments.docs):
                print(line)


def gallery_command(parser: argparse.ArgumentParser) -> None:
    """The pages of docs/ and README.md, from their templates and the tables that docs/ keeps."""
    parser.add_argument("--docs", type=Path, default=Path("docs"), help="folder to write to")
    parser.set_defaults(run=_gallery)


def _gallery(arguments: argparse.Namespace) -> None:
    write_pages(arguments.docs / "templates", arguments.docs, FACTS)


def _add_overrides(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("overrides", nargs="*", metavar="KEY=VALUE", help="as after --config")


def _studies(arguments: argparse.Namespace) -> dict[str, Study]:
    return load_config(Path("config.yaml"), overrides_of(arguments.overrides)).studies()
