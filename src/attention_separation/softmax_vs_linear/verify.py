"""Verb `verify`: whether the files of a folder of results are those of this code and config.

Parquet files carry digests of what they depend on. Pictures, csv and html have those of the parquet
file beside them, and a sha256 in manifest.json. A sample of points is computed again.
"""

import argparse
import importlib
import json
import random
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from attention_separation.config import Config, load_config
from attention_separation.files import PART
from attention_separation.manifest import NAME, sha256, unlisted
from attention_separation.softmax_vs_linear.outputs import (
    SCHEMATICS,
    Current,
    optional,
    parquet_files,
)
from attention_separation.softmax_vs_linear.panel_table import OUTCOMES
from attention_separation.softmax_vs_linear.panels import exact_module, points
from attention_separation.softmax_vs_linear.simulate import count
from attention_separation.softmax_vs_linear.slices import units

CURRENT = "current"
SAMPLE = 5
CLOSE = 1e-12
"""Exact values computed again may differ by so much, on another processor."""


def states(config: Config, folder: Path) -> dict[str, str]:
    """What is to be said of each file below a folder, and of each that is missing."""
    expected = parquet_files(config)
    found = {path: _parquet_state(folder / path, now) for path, now in expected.items()}
    found = {
        path: state
        for path, state in found.items()
        if state != "missing" or not optional(config, path)
    }
    listed = _manifest(folder)
    for path in sorted(unlisted(folder)):
        relative = str(path.relative_to(folder))
        if path.suffix == ".parquet":
            found.setdefault(relative, "not of this config")
        elif relative != NAME:
            found[relative] = _other_state(path, relative, listed, found)
    for relative in listed.keys() - found.keys():
        found[relative] = "missing"
    return found


def _parquet_state(path: Path, now: Current) -> str:
    if not path.exists():
        return "missing"
    try:
        metadata = pq.read_schema(path).metadata or {}
    except (pa.ArrowException, OSError):
        return "no parquet file that can be read"
    if metadata.get(b"settings", b"").decode() != now.settings:
        return "of other settings"
    if metadata.get(b"code", b"").decode() != now.code:
        return "of other code"
    return CURRENT


def _manifest(folder: Path) -> dict[str, str]:
    path = folder / NAME
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def _other_state(path: Path, relative: str, listed: dict[str, str], found: dict[str, str]) -> str:
    if path.suffix == PART:
        return "left by a killed job, or being written"
    if relative not in listed:
        return f"not listed in {NAME}"
    if sha256(path) != listed[relative]:
        return f"other bytes than {NAME} lists"
    beside = str(Path(relative).with_suffix(".parquet"))
    if path.stem in SCHEMATICS or path.suffix == ".txt":
        return CURRENT
    return found.get(beside, "without a parquet file beside it")


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
    module = importlib.import_module(exact_module(job.panel.model))
    (reference,) = module.references([of_panel[k]])
    head = f"{name}, {of_panel[k].name}: "
    stored = [row[outcome] for outcome in OUTCOMES]
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
    pairs = (text.partition("=") for text in arguments.overrides)
    config = load_config(Path("config.yaml"), {key: value for key, _, value in pairs})
    if not arguments.folder.is_dir():
        raise ValueError(f"{arguments.folder}: no such folder")
    found = states(config, arguments.folder)
    for state, number in Counter(found.values()).most_common():
        print(f"{number:5} {state}")
    wrong = {path: state for path, state in found.items() if state != CURRENT}
    for path, state in sorted(wrong.items()):
        print(f"{path}: {state}")
    again = recomputed(config, arguments.folder, arguments.sample, arguments.seed)
    for sentence in again:
        print(f"computed again: {sentence}")
    different = [sentence for sentence in again if not sentence.endswith("the same")]
    if wrong or different:
        raise ValueError(f"{len(wrong)} files are not current, {len(different)} points differ")
