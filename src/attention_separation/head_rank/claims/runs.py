"""Trained runs, as the figures and claims read them. Without torch."""

from collections.abc import Iterable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from attention_separation.pages.prose import joined
from attention_separation.results.tables import read_parquet

from ..constructions.farthest_point import least_error
from ..settings.cells import PUBLISHED_MEAN, PUBLISHED_SD
from ..training.cell_table import SCHEMA

_SIZES = {"d": "d", "n": "N"}

PUBLISHED_INITIAL = {"additive_mean": PUBLISHED_MEAN, "additive_sd": PUBLISHED_SD}
CONTROL_INITIAL = {"additive_mean": 0.0, "additive_sd": 0.02}
"""Initial values of additive encodings: those of the authors' code, and small ones around 0, as
they are usual for learned positions."""


def read_runs(paths: Iterable[Path]) -> pa.Table:
    """The runs of some cells, in the order of the cells.

    Raises
    ------
    TableError
        If a file is no table of a cell.
    """
    tables = [read_parquet(path, SCHEMA) for path in paths]
    return pa.concat_tables(table.replace_schema_metadata() for table in tables)


def read_seed(path: Path) -> int:
    """The root of the random streams of a cell, from its table."""
    return int(pq.read_metadata(path).metadata[b"seed"])


def chosen(rows: Iterable[dict], **wanted: object) -> list[dict]:
    """The runs whose settings are as wanted."""
    return [row for row in rows if all(row[key] == value for key, value in wanted.items())]


def is_full_rank(row: dict) -> bool:
    """Whether the heads of a run have the rank of the model's dimension."""
    return row["rank"] == row["d"] + (row["d_e"] or 0)


def values(rows: Iterable[dict], name: str) -> list:
    """The distinct values of a setting, sorted."""
    return sorted({row[name] for row in rows})


def listed(rows: Iterable[dict], name: str) -> str:
    """The distinct values of a setting, in words; of at least one run."""
    return joined([f"{value:,}" for value in values(rows, name)], "or")


def initial_words(row: dict) -> str:
    """The law of the initial values of an additive encoding, with its standard deviation."""
    mean, sd = row["additive_mean"], row["additive_sd"]
    return f"N({mean:g}, {sd:g})".replace("-", "−")


def sizes(rows: Iterable[dict]) -> str:
    """The dimensions and numbers of points of some runs, in words; empty where there are none."""
    rows = list(rows)
    parts = [f"{text}={'/'.join(map(str, values(rows, name)))}" for name, text in _SIZES.items()]
    return ", ".join(parts) if rows else ""


def naming_dead(name: str, rows: Iterable[dict]) -> str:
    """The name of what rests on some runs, with how many of them are dead."""
    runs = {(row["cell"], row["run"]): row["dead"] for row in rows}
    dead = sum(runs.values())
    return f"{name} ({dead} of {len(runs)} runs dead)" if dead else name


def held_out_error(row: dict) -> float:
    """Held-out error of a run; one that ended without a number did no better than zero."""
    return 1.0 if row["test_error"] is None else row["test_error"]


def over_rank_0(row: dict) -> float:
    """Held-out error of a run over that of uniform attention, for more than two points."""
    return held_out_error(row) / least_error(row["d"], row["n"])
