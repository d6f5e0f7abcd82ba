"""The tables of trained cells: one row per run. Without torch."""

import pyarrow as pa

from attention_separation.results.tables import finite_or_null, table_from_rows

from ..settings.cells import NeedleCell

SCHEMA = pa.schema(
    {
        "cell": pa.string(),
        "arm": pa.string(),
        "kernel": pa.string(),
        "divided_by": pa.string(),
        "features": pa.int64(),
        "mu": pa.float64(),
        "n": pa.int64(),
        "d": pa.int64(),
        "batch": pa.int64(),
        "steps": pa.int64(),
        "lr": pa.float64(),
        "standardised": pa.bool_(),
        "control": pa.bool_(),
        "parameters": pa.int64(),
        "run": pa.int64(),
        "held_out": pa.int64(),
        "correct": pa.int64(),
        "accuracy": pa.float64(),
        "train_loss": pa.float64(),
    }
)
"""`kernel` is null for no attention, `features` for kernels of the score. `correct` of `held_out`
sequences, which no step has seen, are told; `train_loss` is the mean of the last 50 steps', null if
it is no finite number."""


def cell_table(
    job: NeedleCell, parameters: int, correct: list[int], train_loss: list[float]
) -> pa.Table:
    """The table of a job, given the held-out sequences that each run tells."""
    rows = [
        {
            "cell": job.name,
            "arm": job.arm,
            "kernel": job.map.kernel,
            "divided_by": job.map.divided_by,
            "features": job.map.features,
            "mu": job.mu,
            "n": job.n,
            "d": job.dimension,
            "batch": job.batch,
            "steps": job.steps,
            "lr": job.lr,
            "standardised": job.standardise,
            "control": job.control,
            "parameters": parameters,
            "run": run,
            "held_out": job.held_out,
            "correct": right,
            "accuracy": right / job.held_out,
            "train_loss": finite_or_null(loss),
        }
        for run, right, loss in zip(job.seeds, correct, train_loss, strict=True)
    ]
    return table_from_rows(rows, SCHEMA)
