"""How long the second paper's cells that are not yet trained will take here."""

import argparse
import sys
from pathlib import Path

from .config import load_config, overrides_of
from .head_rank.settings.cells import CellJob
from .head_rank.study import HeadRank
from .results import file_states
from .training.job import device_kind


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("overrides", nargs="*", metavar="KEY=VALUE", help="as after --config")


def run(arguments: argparse.Namespace) -> None:
    config = load_config(Path("config.yaml"), overrides_of(arguments.overrides))
    study = config.studies()[HeadRank.name]
    assert isinstance(study, HeadRank)
    jobs = untrained(study)
    if not jobs:
        print(f"all {len(study.every_cell)} cells are trained")
        return
    from .head_rank.training.train_cell import seconds_of_training

    device = device_kind()
    print(f"measuring how fast {len(jobs)} cells train here", file=sys.stderr, flush=True)
    print(sentence(jobs, seconds_of_training(jobs, device), device))


def untrained(study: HeadRank) -> list[CellJob]:
    """The cells whose tables are missing, or not of these settings and this code."""
    found = file_states.states(Path(study.folder), study.expected_tables())
    return [
        job
        for name, job in study.every_cell.items()
        if found.get(f"cells/{name}.parquet") != file_states.CURRENT
    ]


def sentence(jobs: list[CellJob], seconds: list[float], device: str) -> str:
    """What is to be trained, and how long it takes."""
    operations, total = sum(job.training_flops() for job in jobs), sum(seconds)
    what = "core" if device == "cpu" else "GPU"
    return (
        f"{len(jobs)} cells to train, {operations:.2g} operations: about {total / 60:.2g} minutes "
        f"of one {what}, the longest {max(seconds) / 60:.2g}, at {operations / total / 1e9:.2g} "
        "GFLOP/s, measured here; less what checkpoints have"
    )
