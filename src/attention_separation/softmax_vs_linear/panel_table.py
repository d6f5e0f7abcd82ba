"""The table of a panel: one row per point, in grid order."""

import numpy as np
import pyarrow as pa

from attention_separation.counts import Counts
from attention_separation.intervals import clopper_pearson
from attention_separation.softmax_vs_linear.panels import Point
from attention_separation.softmax_vs_linear.success import EVENTS

OUTCOMES = ("successes", *EVENTS)
"""What is counted over the trials of a point."""

SCHEMA = pa.schema(
    [
        ("panel", pa.string()),
        ("parameter", pa.string()),
        ("value", pa.float64()),
        ("n", pa.int64()),
        ("d", pa.int64()),
        ("m", pa.int64()),
        *((name, pa.float64()) for name in ("a0", "a1", "b", "c", "delta", "tau")),
        ("attention_x", pa.string()),
        ("trials", pa.int64()),
        *((name, pa.int64()) for name in OUTCOMES),
        *((name, pa.float64()) for name in ("p_hat", "ci_low", "ci_high")),
    ]
)
"""Columns; a parameter that the model does not have is null. Two swept parameters stand in
`parameter` as "a1,c", the first one's value in `value`, both in their own columns."""


def panel_table(
    panel: str, swept: list[str], points: list[Point], counts: list[Counts]
) -> pa.Table:
    """Points, counts, success rates and their 95 % Clopper-Pearson intervals, as SCHEMA says."""
    trials = np.array([count.trials for count in counts])
    happened = np.array([count.happened for count in counts])
    low, high = clopper_pearson(happened[:, 0], trials)
    own = ("n", "d", "m", "a0", "a1", "b", "c", "delta", "tau", "attention_x")
    columns = {
        "panel": [panel] * len(points),
        "parameter": [",".join(swept)] * len(points),
        "value": [point.swept[0] for point in points],
        **{name: [getattr(point, name) for point in points] for name in own},
        "trials": trials,
        **{name: happened[:, k] for k, name in enumerate(OUTCOMES)},
        "p_hat": happened[:, 0] / trials,
        "ci_low": low,
        "ci_high": high,
    }
    return pa.table(columns, schema=SCHEMA)
