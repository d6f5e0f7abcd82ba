"""The columns of a panel's exact or reference values: one row per point, in grid order."""

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa

from attention_separation.results.tables import column_names, read_parquet

from ..models.contest import Contest

POINTS = ("panel", "parameter", "value")


def schema(contest: Contest) -> pa.Schema:
    """`p_error` is the estimated error of p_exact, and so is each event's of its probability: 0
    where these are exact, else they are reference values."""
    return _schema(contest.events)


def _schema(events: Sequence[str]) -> pa.Schema:
    return pa.schema(
        [
            ("panel", pa.string()),
            ("parameter", pa.string()),
            ("value", pa.float64()),
            ("p_exact", pa.float64()),
            ("p_error", pa.float64()),
            ("p_method", pa.string()),
            *((f"prob_{event}", pa.float64()) for event in events),
            *((f"error_{event}", pa.float64()) for event in events),
        ]
    )


def read_exact(path: Path) -> pa.Table:
    """The exact values of a panel, whatever its contest and settings.

    Raises
    ------
    TableError
        If the file is no such table.
    """
    names = column_names(path)
    events = [name.removeprefix("prob_") for name in names if name.startswith("prob_")]
    return read_parquet(path, _schema(events))
