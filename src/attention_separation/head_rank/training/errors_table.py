"""The errors of every cell: mean and spread over its runs on held-out sets, the least beside."""

import numpy as np
import pyarrow as pa

from attention_separation.results.tables import table_from_rows

from ..constructions.farthest_point import least_error
from .cell_table import DEAD, SETTINGS

SHOWN = (
    "d", "n", "layers", "width", "encoding", "additive_mean", "additive_sd", "regime", "schedule"
)  # fmt: skip
"""Settings of a cell that the table shows."""

SCHEMA = pa.schema(
    {
        "cell": pa.string(),
        **{name: SETTINGS[name] for name in SHOWN},
        **dict.fromkeys(("rank", "heads", "attention_parameters", "runs", "dead"), pa.int64()),
        **dict.fromkeys(("mean", "sd", "rank_0", "over_rank_0", "least", "largest"), pa.float64()),
        **dict.fromkeys(("se", "mean_train", "least_min_train"), pa.float64()),
    }
)
"""One row per cell. `mean`, `sd`, `least`, `largest`: held-out errors over the runs that ended with
a number; `rank_0`: the error of uniform attention on the same points, and `over_rank_0` the mean
over it, null for two points, where it is 0; `se`: the largest standard error of a run's error, from
the number of held-out sets; `mean_train`: training losses of the last epoch; `least_min_train`: the
least training loss of any epoch and run, which is what the paper's figures show."""

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


def errors_table(runs: pa.Table) -> pa.Table:
    """The table of the runs of some cells, in the order of the cells."""
    cells: dict[str, list[dict]] = {}
    for row in runs.to_pylist():
        cells.setdefault(row["cell"], []).append(row)
    return table_from_rows([_of_cell(own) for own in cells.values()], SCHEMA)


def _of_cell(runs: list[dict]) -> dict[str, object]:
    test = _numbers(runs, "test_error")
    train, least = _numbers(runs, "train_error"), _numbers(runs, "min_train")
    row = {name: runs[0][name] for name in SCHEMA.names if name in runs[0]}
    mean, rank_0 = float(np.mean(test)) if test else None, least_error(row["d"], row["n"])
    return row | {
        "heads": runs[0]["total_heads"],
        "runs": len(runs),
        "dead": sum(run["dead"] for run in runs),
        "mean": mean,
        "sd": float(np.std(test, ddof=1)) if len(test) > 1 else None,
        "rank_0": rank_0,
        "over_rank_0": mean / rank_0 if mean is not None and rank_0 else None,
        "least": min(test, default=None),
        "largest": max(test, default=None),
        "se": max(_numbers(runs, "test_se"), default=None),
        "mean_train": float(np.mean(train)) if train else None,
        "least_min_train": min(least, default=None),
    }


def _numbers(runs: list[dict], name: str) -> list[float]:
    return [run[name] for run in runs if run[name] is not None]
