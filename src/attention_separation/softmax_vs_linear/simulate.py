"""Verb `simulate`: the trials of one panel, as a table of counts."""

import argparse
import importlib
import json
from pathlib import Path

import numpy as np
import pyarrow as pa

from attention_separation.counts import Counts
from attention_separation.progress import Progress
from attention_separation.provenance import code_digest, settings_digest, versions
from attention_separation.seeding import BlockStreams, blocks
from attention_separation.softmax_vs_linear.panel_table import OUTCOMES, panel_table
from attention_separation.softmax_vs_linear.panels import PanelJob, points
from attention_separation.softmax_vs_linear.success import events, success
from attention_separation.tables import write_parquet

FREED_MEMORY_KEPT = 31 << 20


def modules(model: str) -> tuple[str, str]:
    """The modules that a panel of a model depends on: this one and the model's trials."""
    package = __name__.rpartition(".")[0]
    return __name__, f"{package}.{model}_trials"


def simulate(job: PanelJob) -> pa.Table:
    """Run the trials of every point of a panel and count E_success and its four events."""
    keep_freed_memory()
    engine = getattr(importlib.import_module(modules(job.panel.model)[1]), job.engine)
    of_panel = points(job.panel, job.points)
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
    return panel_table(job.name, list(job.panel.swept()), of_panel, counts)


def metadata(job: PanelJob, settings: str) -> dict[str, str]:
    """What a panel's table comes from: seed, settings, code and versions."""
    return {
        "seed": str(job.seed),
        "settings": settings_digest(json.loads(settings)),
        "code": code_digest(*modules(job.panel.model)),
        "versions": json.dumps(versions(), sort_keys=True),
    }


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--settings", required=True, help="the panel's settings, as JSON")
    parser.add_argument("--output", required=True, type=Path, help="parquet file to write")


def run(arguments: argparse.Namespace) -> None:
    job = PanelJob.model_validate_json(arguments.settings)
    write_parquet(simulate(job), arguments.output, metadata(job, arguments.settings))


def keep_freed_memory() -> None:
    """Freeing one large block teaches glibc to keep freed memory instead of handing it back.

    Otherwise every work array of every chunk costs fresh page faults: half of Figure 3's time.
    """
    np.empty(FREED_MEMORY_KEPT, dtype=np.uint8)
