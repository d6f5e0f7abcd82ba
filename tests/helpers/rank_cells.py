"""Tables of cells as training would write them, with made-up errors."""

from pathlib import Path

from attention_separation.results.provenance import record
from attention_separation.results.tables import write_parquet
from attention_separation.studies.head_rank.settings.cells import EPOCH, CellJob
from attention_separation.studies.head_rank.training.cell_table import OF_HEADS, cell_table

TRAINING = "attention_separation.studies.head_rank.training.train_cell"
SMOKE = "head_rank={scale: smoke}"


def made_up_error(job: CellJob) -> float:
    """An error that has what the paper claims, below that of uniform attention at these sizes."""
    if job.rank == job.model_dimension:
        return 0.01
    error = 0.3 if job.layers == 1 else 0.1 + 0.02 * job.n
    return error - 0.1 * (job.encoding == "concatenated" and job.layers == 3)


def write_made_up(job: CellJob, path: Path, device: str = "none") -> None:
    """The table of a cell that was never trained, as if it were on a device."""
    runs, epochs = len(job.seeds), job.run_steps // EPOCH
    errors = [made_up_error(job) + 0.001 * run for run in range(runs)]
    heads = job.layers * job.total_heads if job.rank == job.model_dimension else 0
    values = {"head_layer": 1, "angle": 175.0, "scale": -20.0}
    learned = [{name: [values.get(name, 90.0)] * heads for name in OF_HEADS} for _ in errors]
    curve = [errors] * epochs
    scored = [errors for epoch in range(1, epochs + 1) if job.is_scored(epoch)]
    recorded = [[[[0.5] * runs, [1.0] * runs]] * job.layers for k in range(job.run_steps)
                if job.has_shares(k)]  # fmt: skip
    scores = {"test_error": errors, "test_se": [0.001] * runs}
    if job.layers == 1:
        scores |= {"attention_error": errors, "attention_se": [0.001] * runs}
    table = cell_table(job, curve, scored, recorded, scores, learned)
    metadata = record(job.canonical(), TRAINING) | {
        "seed": str(job.seed),
        "device": device,
        "torch": "none",
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    write_parquet(table, path, metadata)
