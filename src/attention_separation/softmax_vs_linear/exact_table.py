"""The columns of a panel's exact or reference values: one row per point, in grid order."""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import pyarrow as pa

from attention_separation.softmax_vs_linear import panel_table
from attention_separation.softmax_vs_linear.success import EVENTS
from attention_separation.tables import read_parquet

SCHEMA = pa.schema(
    [
        ("panel", pa.string()),
        ("parameter", pa.string()),
        ("value", pa.float64()),
        ("p_exact", pa.float64()),
        ("p_error", pa.float64()),
        ("p_method", pa.string()),
        *((f"prob_{event}", pa.float64()) for event in EVENTS),
        *((f"error_{event}", pa.float64()) for event in EVENTS),
    ]
)
"""`p_error` is the estimated error of p_exact, and so is each event's of its probability: 0 where
these are exact, else they are reference values."""

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


class Digests(Protocol):
    """A panel, by the digests of the settings that its two tables were made with."""

    table_settings: str
    exact_settings: str


def read_joined(
    simulated: Sequence[Path], exact: Sequence[Path], panels: Sequence[Digests]
) -> list[pa.Table]:
    """Read the two tables of each panel and join them.

    Raises
    ------
    TableError
        If a file is no such table, or was made with other settings.
    ValueError
        If the two tables of a panel are not of the same points.
    """
    return [
        joined(
            read_parquet(trials, panel_table.SCHEMA, panel.table_settings),
            read_parquet(values, SCHEMA, panel.exact_settings),
        )
        for trials, values, panel in zip(simulated, exact, panels, strict=True)
    ]
