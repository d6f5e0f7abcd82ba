"""Train the runs of one cell, as a table with one row per run."""

import sys
from pathlib import Path

from attention_separation.results.tables import write_parquet
from attention_separation.training.job import Job, Options

from ..settings.cells import CellJob
from .cell_table import cell_table


def run(job: CellJob, output: Path, checkpoint: Path | None = None, threads: int = 1) -> None:
    options = Options(output, checkpoint, threads)
    with_torch = Job.begin(options, job.canonical(), job.result_settings(), job.seed, __name__)
    from .ensemble import seconds_per_step, start, train
    from .learned_heads import learned_heads

    device = with_torch.device
    state = start(job, device)
    save = with_torch.resume(state)
    each = seconds_per_step(job, device)
    print(
        f"{job.name}: {len(job.seeds)} runs of {job.parameters()} parameters on {device}, "
        f"{job.training_flops() / 1e9:.3g} GFLOP in all, "
        f"about {each * (job.steps - state.step):.0f} s from step {state.step} on",
        file=sys.stderr,
        flush=True,
    )
    trained = train(job, state, save)
    table = cell_table(
        job,
        trained.train.tolist(),
        trained.test.tolist(),
        trained.test_error.tolist(),
        trained.test_se.tolist(),
        learned_heads(job, trained.parameters),
    )
    write_parquet(table, output, with_torch.metadata)
    with_torch.end()
