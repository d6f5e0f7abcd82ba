"""Train the runs of one cell, as a table with one row per run."""

from pathlib import Path

from attention_separation.own_kernels.values import kernel_of
from attention_separation.results.tables import write_parquet
from attention_separation.training.job import Job, Options

from ..settings.cells import NeedleCell
from .cell_table import cell_table


def run(job: NeedleCell, output: Path, checkpoint: Path | None = None, threads: int = 1) -> None:
    options = Options(output, checkpoint, threads)
    # On a GPU a step of so few numbers would only wait.
    with_torch = Job.begin(
        options, job.canonical(), job.result_settings(), job.seed, __name__, on=lambda: "cpu"
    )
    from .ensemble import start, train

    state = start(job, kernel_of(job.map.kernel, job.own) if job.map.kernel else None)
    trained = train(job, state, with_torch.resume(state))
    parameters = state.optimizer.vector.shape[1]
    table = cell_table(job, parameters, trained.correct.tolist(), trained.train_loss.tolist())
    write_parquet(table, output, with_torch.metadata)
    with_torch.end()
