"""Verb `rank-train`: train the runs of one cell, as a table with one row per run."""

import argparse
import os
import sys
from pathlib import Path

from attention_separation.head_rank.settings.cells import CellJob
from attention_separation.head_rank.training.cell_table import cell_table
from attention_separation.results.provenance import record
from attention_separation.results.tables import write_parquet
from attention_separation.settings.canonical import digest

BESIDE = Path("checkpoints")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--settings", required=True, help="the cell's settings, as JSON")
    parser.add_argument("--output", required=True, type=Path, help="parquet file to write")
    parser.add_argument(
        "--checkpoint",
        nargs="?",
        type=Path,
        const=BESIDE,
        help="file to save to and go on from, removed at the end; without a name, beside the "
        "folder of the output",
    )
    parser.add_argument(
        "--threads", type=int, default=1, help="of torch; other numbers may move last bits"
    )


def run(arguments: argparse.Namespace) -> None:
    job = CellJob.model_validate_json(arguments.settings)
    if arguments.threads < 1:
        raise ValueError(f"--threads {arguments.threads}: allowed: 1 or more")
    # cuBLAS reads it when it starts: its sums have a fixed order then. The other operations of
    # training have one; torch's own check for that would take longer to load than a short cell.
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
    try:
        import torch
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        raise ValueError("this needs PyTorch, which `make setup-rank` installs") from error
    from attention_separation.head_rank.training.checkpoint import Checkpoint
    from attention_separation.head_rank.training.ensemble import (
        device_kind,
        seconds_per_step,
        start,
        train,
    )
    from attention_separation.head_rank.training.learned_heads import learned_heads

    torch.set_num_threads(arguments.threads)
    device = device_kind()
    metadata = record(job.canonical(), __name__) | {
        "seed": str(job.seed),
        "torch": str(torch.__version__),
        "device": device,
    }
    state = start(job, device)
    checkpoint = None
    if arguments.checkpoint:
        path = arguments.checkpoint
        if path == BESIDE:
            path = arguments.output.parents[1] / BESIDE / f"{arguments.output.stem}.npz"
        kept = ("code", "torch", "device")
        made_with = {key: metadata[key] for key in kept}
        made_with |= {"settings": digest(job.result_settings()), "threads": str(arguments.threads)}
        checkpoint = Checkpoint(path, made_with)
        checkpoint.resume(state)
    each = seconds_per_step(job, device)
    print(
        f"{job.name}: {len(job.seeds)} runs of {job.parameters()} parameters on {device}, "
        f"{job.training_flops() / 1e9:.3g} GFLOP in all, "
        f"about {each * (job.steps - state.step):.0f} s from step {state.step} on",
        file=sys.stderr,
        flush=True,
    )
    trained = train(job, state, checkpoint.save if checkpoint else None)
    table = cell_table(
        job,
        trained.train.tolist(),
        trained.test.tolist(),
        trained.test_error.tolist(),
        trained.test_se.tolist(),
        learned_heads(job, trained.parameters),
    )
    write_parquet(table, arguments.output, metadata)
    if checkpoint:
        checkpoint.remove()
