"""The table of a trained cell: one row per run. Without torch."""

import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from ....results.tables import finite_or_null, read_parquet, schema, table_from_rows
from ....settings.strict_model import subsample
from ....statistics.contrasts import Run
from ..constructions.farthest_point import least_error
from ..settings.cells import EPOCH, CellJob, StreamKind

DEAD = 0.98
"""Training error in the last epoch from which a run counts as dead, over that of the best predictor
that looks at nothing: uniform attention (rank 0), or zero for two points."""

SETTINGS = {
    "d": int, "n": int, "layers": int, "heads": int, "width": int, "encoding": str, "d_e": int,
    "feed_forward": int, "batch": int, "steps": int, "stop_after": int, "lr": float,
    "regime": str, "schedule": str, "warm_up": float, "batches": int, "warm_start": int,
    "additive_mean": float, "additive_sd": float, "held_out": int, "biases": bool,
    "layer_norm": bool, "one_start": bool,
}  # fmt: skip
"""Columns that are settings of the cell, equal in all rows."""

USUAL = {"biases": None, "layer_norm": None}
"""Of the paper's networks."""

ADDED = {
    **USUAL, "stop_after": None, "one_start": None, "attention_error": None, "attention_se": None,
    "angle_value": None, "norm_value": None,
}  # fmt: skip
"""Columns that tables made before there were such settings and measures lack, and what is put in
their place."""

SCHEMA = schema(
    cell=str, **SETTINGS, total_heads=int, rank=int, attention_parameters=int, parameters=int,
    run=int, initial_stream=str, data_stream=str, held_out_stream=str, test_error=float,
    test_se=float, attention_error=float, attention_se=float, train_error=float, min_train=float,
    dead=bool, curve_step=list[int], curve_train=list[float], curve_test=list[float],
    share_step=list[int], share_layer=list[int], share=list[float], stream_norm=list[float],
    head_layer=list[int], angle=list[float], norm=list[float], angle_code=list[float],
    norm_code=list[float], scale=list[float], angle_value=list[float], norm_value=list[float],
)  # fmt: skip
"""Errors are sums over coordinates, so that predicting zero scores 1; null is no finite number.

`test_error`, `test_se`: on held-out sets, after the last step, with its standard error.
`attention_error`, `attention_se`: of one layer, the error of its attention alone with the best
affine map behind it. `train_error`: mean of the last epoch's training losses; `min_train`: the
least of such means. `curve_*`: after epochs that `CellJob.is_scored` names, `curve_train` of that
epoch and `curve_test` on the first held-out block. `share`: where it is asked for, the share of a
layer's output that depends on the set, before a step. The last eight columns are those of
`learned_heads`.
"""

OF_HEADS = (
    "head_layer", "angle", "norm", "angle_code", "norm_code", "scale", "angle_value", "norm_value",
)  # fmt: skip
"""Columns with an entry per head of full rank."""

OF_SHARES = ("share_step", "share_layer", "share", "stream_norm")
"""Columns with an entry per recorded step and layer."""

OF_CURVES = ("curve_step", "curve_train", "curve_test")
"""Columns with an entry per epoch after which a curve has a point."""

RUNS = pa.schema([column for column in SCHEMA if not pa.types.is_list(column.type)])
"""A table with a row per run, without curves and heads."""


def read_cell(path: Path) -> pa.Table:
    """The table of a cell, of an earlier version too; TableError if a file is none, or damaged."""
    return read_parquet(path, SCHEMA, optional=ADDED, is_sealed=False)


def entry_table(
    rows: Iterable[Run],
    names: Sequence[str],
    run_columns: Iterable[str] = RUNS.names,
    most: int | None = None,
) -> pa.Table:
    """A table with a row for each entry of some lists of runs, at most `most` a run, with these
    columns of the run beside it."""
    columns = [SCHEMA.field(name) for name in run_columns]
    columns += [pa.field(name, SCHEMA.field(name).type.value_type) for name in names]
    entry_rows = []
    for row in rows:
        # Lists that an older table lacks are as long as the first.
        absent = [None] * len(row[names[0]])
        lists = [absent if row[name] is None else row[name] for name in names]
        for entry in subsample(list(zip(*lists, strict=True)), most):
            entry_rows.append(row | dict(zip(names, entry, strict=True)))
    return table_from_rows(entry_rows, pa.schema(columns))


RecordedShares = list[list[list[list[float]]]]
"""The share of a layer's output that depends on the set, and its norm: by recorded step, by layer,
and these two of every run."""


def cell_table(
    job: CellJob,
    train: list[list[float]],
    test: list[list[float]],
    shares: RecordedShares,
    scores: dict[str, list[float]],
    heads: list[dict[str, list[float]]],
) -> pa.Table:
    """The table of a job, with a row for each run.

    Parameters
    ----------
    train : training losses by epoch and run
    test : errors on held-out sets by scored epoch and run
    scores : final scores of the runs, by the names of their columns
    heads : of each run, its OF_HEADS
    """
    scored_epochs = [epoch for epoch in range(1, len(train) + 1) if job.is_scored(epoch)]
    recorded_steps = [step for step in range(job.run_steps) if job.has_shares(step)]
    settings = {name: getattr(job, name) for name in SETTINGS}
    uniform_error = blind_error(job.d, job.n)
    rows: list[Run] = []
    for k, run in enumerate(job.seeds):
        curve = [losses[k] for losses in train]
        row: Run = {
            "cell": job.name,
            "total_heads": job.total_heads,
            "rank": job.rank,
            "attention_parameters": job.attention_parameters(),
            "parameters": job.parameters(),
            "run": run,
            "train_error": finite_or_null(curve[-1]),
            "min_train": min(filter(math.isfinite, curve), default=None),
            "dead": is_dead(curve[-1], scores["test_error"][k], uniform_error),
            "curve_step": [EPOCH * epoch for epoch in scored_epochs],
            "curve_train": [finite_or_null(curve[epoch - 1]) for epoch in scored_epochs],
            "curve_test": [finite_or_null(errors[k]) for errors in test],
        }
        for kind in StreamKind:
            row[f"{kind}_stream"] = "/".join(job.stream_names(kind, run))
        for name, of_runs in scores.items():
            row[name] = finite_or_null(of_runs[k])
        for name, of_heads in heads[k].items():
            row[name] = [finite_or_null(number) for number in of_heads]
        rows.append(settings | row | _shares_of_run(recorded_steps, shares, k))
    return table_from_rows(rows, SCHEMA)


def _shares_of_run(steps: list[int], shares: RecordedShares, k: int) -> dict[str, list[Any]]:
    """OF_SHARES of the k-th run, with an entry per recorded step and layer."""
    columns: dict[str, list[Any]] = {name: [] for name in OF_SHARES}
    for step, layers in zip(steps, shares, strict=True):
        for number, (share, norm) in enumerate(layers, start=1):
            columns["share_step"].append(step)
            columns["share_layer"].append(number)
            columns["share"].append(finite_or_null(share[k]))
            columns["stream_norm"].append(finite_or_null(norm[k]))
    return columns


def blind_error(d: int, n: int) -> float:
    """Error of the best predictor whose weights depend on no point: uniform attention's. For two
    points that is 0, and the error of predicting zero, 1, is taken in its place."""
    return least_error(d, n) if n > 2 else 1.0


def is_dead(train_error: float, test_error: float, blind: float) -> bool:
    """Whether a run has learned to look at nothing: about the blind error or more, or no number."""
    return not (train_error <= DEAD * blind and math.isfinite(test_error))
