"""The errors of all trained cells, a row each."""

from collections.abc import Iterable

import numpy as np
import pyarrow as pa

from ....results.tables import schema, table_from_rows
from ....statistics.contrasts import Run
from ..constructions.farthest_point import least_error
from ..training.cell_table import DEAD, SETTINGS, USUAL
from ..training.runs import cells_of

SHOWN = (
    "d",
    "n",
    "layers",
    "width",
    "encoding",
    "additive_mean",
    "additive_sd",
    "regime",
    "schedule",
    *USUAL,
)
"""Settings of a cell that the table shows."""

SCHEMA = schema(
    cell=str,
    **{name: SETTINGS[name] for name in SHOWN},
    rank=int,
    heads=int,
    attention_parameters=int,
    runs=int,
    dead=int,
    mean=float,
    sd=float,
    rank_0=float,
    over_rank_0=float,
    least=float,
    largest=float,
    se=float,
    mean_train=float,
    least_min_train=float,
)
"""One row per cell: ABOUT says what they are. Errors are of the runs that ended with a number;
`over_rank_0` is null for two points, where `rank_0` is 0; `se` is the largest of a run;
`mean_train` is of the last epoch."""

TITLE = "Errors of trained transformers"
ABOUT = (
    "At the scale that was run ({scale}). The estimate of a cell is the mean of its runs' errors "
    "on sets never trained on, sd their spread over seeds; se says how little of it is due to the "
    "number of held-out sets. Rank 0 is the error of uniform attention, of the best "
    "-a x_i + b sum_j x_j, whose weights depend on no point: the mean is shown over it, too. "
    "The least run, and the least training loss of any epoch and run, "
    "which is what the paper plots, stand beside them and are not estimates. A dead run ended "
    f"with a training error of at least {DEAD:g} of that of uniform attention (of predicting zero, "
    "for two points): it looks at no point."
)


def errors_table(runs: Iterable[Run]) -> pa.Table:
    """The table of the runs of some cells, in the order of the cells."""
    return table_from_rows(map(_row_of_cell, cells_of(list(runs))), SCHEMA)


def _row_of_cell(runs: list[Run]) -> dict[str, object]:
    """The row of a cell, from its runs: its settings, and the mean and spread of their errors."""
    first_run = runs[0]
    settings = {name: first_run[name] for name in SCHEMA.names if name in first_run}
    test_errors = _numbers(runs, "test_error")
    mean = _mean(test_errors)
    spread = float(np.std(test_errors, ddof=1)) if len(test_errors) > 1 else None
    uniform_error = least_error(first_run["d"], first_run["n"])
    mean_over_uniform = None
    # Of two points uniform attention makes no error.
    if mean is not None and uniform_error > 0:
        mean_over_uniform = mean / uniform_error
    return settings | {
        "heads": first_run["total_heads"],
        "runs": len(runs),
        "dead": sum(run["dead"] for run in runs),
        "mean": mean,
        "sd": spread,
        "rank_0": uniform_error,
        "over_rank_0": mean_over_uniform,
        "least": min(test_errors, default=None),
        "largest": max(test_errors, default=None),
        "se": max(_numbers(runs, "test_se"), default=None),
        "mean_train": _mean(_numbers(runs, "train_error")),
        "least_min_train": min(_numbers(runs, "min_train"), default=None),
    }


def _numbers(runs: list[Run], name: str) -> list[float]:
    """A column of the runs that have a number there."""
    return [run[name] for run in runs if run[name] is not None]


def _mean(numbers: list[float]) -> float | None:
    """The mean of some numbers; None where there are none."""
    return float(np.mean(numbers)) if numbers else None
