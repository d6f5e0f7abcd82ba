"""The columns of a panel's table: one row per point, in grid order."""

import pyarrow as pa

from ..models.contest import Contest


def schema(contest: Contest) -> pa.Schema:
    """Columns; a parameter that the model does not have is null. Two swept parameters stand in
    `parameter` as "a1,c", the first one's value in `value`, both in their own columns."""
    return pa.schema(
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
            *((name, pa.int64()) for name in contest.outcomes),
            *((name, pa.float64()) for name in ("p_hat", "ci_low", "ci_high")),
        ]
    )
