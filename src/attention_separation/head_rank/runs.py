"""Trained runs, as the figures and claims read them. Without torch."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import pyarrow as pa

from attention_separation.head_rank.cell_table import SCHEMA
from attention_separation.head_rank.jobs import TrainedCell
from attention_separation.tables import read_parquet


def read_runs(paths: Sequence[Path], cells: Sequence[TrainedCell]) -> pa.Table:
    """The runs of some cells, in the order of the cells.

    Raises
    ------
    TableError
        If a file is no table of a cell, or was made with other settings.
    """
    tables = [
        read_parquet(path, SCHEMA, cell.settings) for path, cell in zip(paths, cells, strict=True)
    ]
    return pa.concat_tables(table.replace_schema_metadata() for table in tables)


def chosen(rows: Iterable[dict], **wanted: object) -> list[dict]:
    """The runs whose settings are as wanted."""
    return [row for row in rows if all(row[key] == value for key, value in wanted.items())]


def is_full_rank(row: dict) -> bool:
    """Whether the heads of a run have the rank of the model's dimension."""
    return row["rank"] == row["d"] + (row["d_e"] or 0)


def values(rows: Iterable[dict], name: str) -> list:
    """The distinct values of a setting, sorted."""
    return sorted({row[name] for row in rows})
