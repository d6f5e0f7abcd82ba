"""Verb `verify`: whether the files of a folder of results are those of this code and config.

Parquet files carry digests of what they depend on. Pictures, csv and html have those of the parquet
file beside them, and a sha256 in manifest.json. A sample of points is computed again.
"""

import argparse
import random
from pathlib import Path

import pyarrow.parquet as pq

from attention_separation.config import Config, load_config, overrides_of
from attention_separation.results import verifying
from attention_separation.softmax_vs_linear.exact.methods import references
from attention_separation.softmax_vs_linear.models import MODELS
from attention_separation.softmax_vs_linear.outputs import SCHEMATICS, optional, parquet_files
from attention_separation.softmax_vs_linear.settings.panels import points
from attention_separation.softmax_vs_linear.simulation.simulate import count
from attention_separation.softmax_vs_linear.simulation.slices import units

SAMPLE = 5
CLOSE = 1e-12
"""Exact values computed again may differ by so much, on another processor."""


def states(config: Config, folder: Path) -> dict[str, str]:
    """What is to be said of each file below a folder, and of each that is missing."""
    found = verifying.states(folder, parquet_files(config), drawn_alone=SCHEMATICS)
    return {
        path: state
        for path, state in found.items()
        if state != "missing" or not optional(config, path)
    }


def recomputed(config: Config, folder: Path, sample: int, seed: int) -> list[str]:
    """Compute a sample of points again: a sentence on each, what differs or "the same"."""
    every = [
        (name, k)
        for name in config.panels
        if (folder / "panels" / f"{name}.parquet").exists()
        and (folder / "exact" / f"{name}.parquet").exists()
        for k in range(len(points(config.panel_job(name).panel, config.panel_job(name).points)))
    ]
    chosen = random.Random(seed).sample(every, min(sample, len(every)))
    return [_recomputed_point(config, folder, name, k) for name, k in sorted(chosen)]


def _recomputed_point(config: Config, folder: Path, name: str, k: int) -> str:
    job = config.panel_job(name)
    of_panel = points(job.panel, job.points)
    row = pq.ParquetFile(folder / "panels" / f"{name}.parquet").read().slice(k, 1).to_pylist()[0]
    exact = pq.ParquetFile(folder / "exact" / f"{name}.parquet").read().slice(k, 1).to_pylist()[0]
    mine = [unit for unit in units(of_panel, job.panel.trials) if unit.point == k]
    counted = count(job, of_panel, mine)[k]
    (reference,) = references(MODELS[job.panel.model], [of_panel[k]])
    head = f"{name}, {of_panel[k].name}: "
    stored = [row[outcome] for outcome in job.panel.contest.outcomes]
    if (row["trials"], stored) != (counted.trials, counted.happened.tolist()):
        return f"{head}counted {counted.happened.tolist()}, the file has {stored}"
    if abs(exact["p_exact"] - reference.success) > CLOSE:
        return f"{head}the exact value is {reference.success!r}, the file has {exact['p_exact']!r}"
    return f"{head}the same"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", type=Path, help="folder of results, such as results")
    parser.add_argument("overrides", nargs="*", metavar="KEY=VALUE", help="as after --config")
    parser.add_argument("--sample", type=int, default=SAMPLE, help="points to compute again")
    parser.add_argument("--seed", type=int, default=0, help="which points these are")


def run(arguments: argparse.Namespace) -> None:
    config = load_config(Path("config.yaml"), overrides_of(arguments.overrides))
    verifying.check_folder(arguments.folder)
    wrong = verifying.told(states(config, arguments.folder))
    again = recomputed(config, arguments.folder, arguments.sample, arguments.seed)
    for sentence in again:
        print(f"computed again: {sentence}")
    different = [sentence for sentence in again if not sentence.endswith("the same")]
    if wrong or different:
        raise ValueError(f"{wrong} files are not current, {len(different)} points differ")
