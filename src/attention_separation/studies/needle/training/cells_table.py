"""The tables of trained cells, with a row per run, and of all of them. Without torch."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa

from ....pages.table_page import write_result
from ....results.provenance import record
from ....results.tables import finite_or_null, read_parquet, schema, table_from_rows
from ....settings.strict_model import Job
from ..settings.cells import NeedleCell

SCHEMA = schema(
    cell=str, arm=str, kernel=str, divided_by=str, features=int, mu=float, n=int, d=int, batch=int,
    steps=int, lr=float, standardised=bool, control=bool, parameters=int, run=int, held_out=int,
    correct=int, accuracy=float, train_loss=float, scale=float, sink=float,
)  # fmt: skip
"""`kernel` is null for no attention, `features` for kernels of the score. `correct` of `held_out`
sequences, which no step has seen, are told; `train_loss` is the mean of the last 50 steps', null if
it is no finite number. `scale` and `sink` are parameters, null where there is none."""

TITLE = "Trained networks, run by run"
ABOUT = (
    "Held-out accuracy of networks with one attention layer, trained on sequences that never come "
    "back. Arms: query_given, where the needle's direction is drawn for each sequence and given as "
    "its query, and the output is read along it, wired by hand; query_learned, the first paper's "
    "tokens with noise and a learned query, classes cyclic over n tokens, which need not be a "
    "multiple of them; self_attention, the same tokens with every one a query, X starting at the "
    "identity, and ReLU neurons on every token, pooled by the largest; sink_learned and "
    "sink_and_scale_learned, the data of query_given, and all tokens' weight beside a sink. "
    "Divided by: the sum of the weights, n, or the output's root mean square. The output is "
    "standardised over the batch, with running moments when held-out sequences are scored. A "
    "factor 1/√d of scores is left out: once trained it is the same class of networks."
)


def cell_table(
    job: NeedleCell,
    parameters: int,
    correct: list[int],
    train_loss: list[float],
    learned: Mapping[str, list[float]],
) -> pa.Table:
    """The table of a job, with a row for each run.

    Parameters
    ----------
    parameters : how many numbers a run trains
    correct, train_loss : of each run, how many held-out sequences it tells, and its last loss
    learned : parameters by name, of each run
    """
    equal = ("arm", "mu", "n", "batch", "steps", "lr", "control", "held_out")
    of_cell: dict[str, Any] = {name: getattr(job, name) for name in equal}
    of_cell |= job.map.model_dump()
    of_cell |= {
        "cell": job.name,
        "d": job.dimension,
        "standardised": job.standardise,
        "parameters": parameters,
    }
    rows = []
    for k, run in enumerate(job.seeds):
        row = of_cell | {
            "run": run,
            "correct": correct[k],
            "accuracy": correct[k] / job.held_out,
            "train_loss": finite_or_null(train_loss[k]),
        }
        for name in ("scale", "sink"):
            row[name] = learned[name][k] if name in learned else None
        rows.append(row)
    return table_from_rows(rows, SCHEMA)


def run(job: Job, tables: list[Path], output: Path) -> None:
    runs = pa.concat_tables(read_parquet(path, SCHEMA) for path in tables).combine_chunks()
    provenance = record(job.canonical(), __name__)
    write_result(runs, output, provenance, TITLE, ABOUT)
