"""The columns of a panel's exact values: one row per point, in grid order."""

import pyarrow as pa

from attention_separation.softmax_vs_linear.success import EVENTS

SCHEMA = pa.schema(
    [
        ("panel", pa.string()),
        ("parameter", pa.string()),
        ("value", pa.float64()),
        ("p_exact", pa.float64()),
        ("p_error", pa.float64()),
        ("p_method", pa.string()),
        *((f"prob_{event}", pa.float64()) for event in EVENTS),
    ]
)
"""`p_error` bounds how far p_exact may be from P(E_success): 0 where it is exact."""

JOINED = SCHEMA.names[3:]
"""Columns that stand beside a panel's simulation once the two are joined."""


def joined(simulated: pa.Table, exact: pa.Table) -> pa.Table:
    """A panel's simulated points with their exact values, row by row.

    Raises
    ------
    ValueError
        If the two tables are not of the same points.
    """
    points = SCHEMA.names[:3]
    if not simulated.select(points).equals(exact.select(points)):
        raise ValueError(f"{simulated['panel'][0]}: simulated and exact values of other points")
    for name in JOINED:
        simulated = simulated.append_column(SCHEMA.field(name), exact[name])
    return simulated
