"""Verb `simulate`: the trials of one panel, as a table of counts."""

import argparse
import importlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa

from attention_separation.counts import Counts
from attention_separation.intervals import clopper_pearson
from attention_separation.progress import Progress
from attention_separation.provenance import record
from attention_separation.seeding import BlockStreams, blocks
from attention_separation.softmax_vs_linear.panel_table import OUTCOMES, SCHEMA
from attention_separation.softmax_vs_linear.panels import PanelJob, points, trials_module
from attention_separation.softmax_vs_linear.point import Point
from attention_separation.softmax_vs_linear.success import events, success
from attention_separation.tables import write_parquet


def simulate(job: PanelJob) -> pa.Table:
    """Run the trials of every point of a panel and count E_success and its four events."""
    engine = getattr(importlib.import_module(trials_module(job.panel.model)), job.engine)
    of_panel = points(job.panel, job.points)
    with np.errstate(all="raise", under="ignore"):
        counts = _counts(job, of_panel, engine)
    return panel_table(job.name, list(job.panel.swept()), of_panel, counts)


def _counts(job: PanelJob, of_panel: list[Point], engine: Callable) -> list[Counts]:
    trials = job.panel.trials
    progress = Progress(job.name, len(of_panel) * trials, "trials")
    counts = []
    for point in of_panel:
        count = Counts.none(len(OUTCOMES))
        for block, size in blocks(trials):
            streams = BlockStreams(job.seed, job.name, point.name, block)
            positive = engine(point, streams, size)
            count += Counts.of(np.column_stack([success(positive), events(positive)]))
            progress.advance(size)
        counts.append(count)
    return counts


def panel_table(
    panel: str, swept: list[str], points: list[Point], counts: list[Counts]
) -> pa.Table:
    """Points, counts, success rates and their 95 % Clopper-Pearson intervals, as SCHEMA says."""
    trials = np.array([count.trials for count in counts])
    happened = np.array([count.happened for count in counts])
    low, high = clopper_pearson(happened[:, 0], trials)
    own = ("n", "d", "m", "a0", "a1", "b", "c", "delta", "tau", "attention_x")
    columns = {
        "panel": [panel] * len(points),
        "parameter": [",".join(swept)] * len(points),
        "value": [point.swept[0] for point in points],
        **{name: [getattr(point, name) for point in points] for name in own},
        "trials": trials,
        **{name: happened[:, k] for k, name in enumerate(OUTCOMES)},
        "p_hat": happened[:, 0] / trials,
        "ci_low": low,
        "ci_high": high,
    }
    return pa.table(columns, schema=SCHEMA)


def metadata(job: PanelJob) -> dict[str, str]:
    """What a panel's table comes from: seed, settings, code and versions."""
    of_job = record(job.canonical(), __name__, trials_module(job.panel.model))
    return {"seed": str(job.seed)} | of_job


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--settings", required=True, help="the panel's settings, as JSON")
    parser.add_argument("--output", required=True, type=Path, help="parquet file to write")


def run(arguments: argparse.Namespace) -> None:
    job = PanelJob.model_validate_json(arguments.settings)
    write_parquet(simulate(job), arguments.output, metadata(job))
