"""Trained runs that the documentation keeps: they take hours, and a clone has none of them.

A folder of docs/ holds, of the cells of a scale, tables of the runs, of their heads of full rank,
of their curves and of recorded shares, and a json of what made each cell.
"""

import csv
import json
from itertools import chain
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv

from ...pages.keeping import KEPT_DIGITS
from ...results.environment import processor
from ...results.files import write_text
from ...results.tables import read_schema, rounded, table_from_rows, write_csv
from ...statistics.contrasts import Run
from .settings.cells import MOST_CURVE_POINTS
from .training.cell_table import ADDED, OF_CURVES, OF_HEADS, OF_SHARES, RUNS, entry_table, read_cell

MADE_WITH = "made_with.json"
KEPT_METADATA = ("settings", "code", "seed", "torch", "device", "versions")

KEPT_LISTS = {"heads": OF_HEADS, "curves": OF_CURVES, "shares": OF_SHARES}
"""Tables with a row per entry of these lists of a cell's table."""


def keep_runs(results: Path, folder: Path) -> int:
    """Put the cells of a folder of results into the tables of a folder of docs/, in place of those
    that have their names there. Returns how many there were; TableError if a file is no table of a
    cell.
    """
    paths = sorted((results / "cells").glob("*.parquet"))
    if not paths:
        return 0
    rows: list[Run] = []
    for path in paths:
        rows += read_cell(path).to_pylist()
    new_cells = {row["cell"] for row in rows}
    rows += [row for row in read_kept(folder) if row["cell"] not in new_cells]
    rows.sort(key=lambda row: (row["cell"], row["run"]))
    made_with = read_made_with(folder) | {path.stem: _made_with(path, results) for path in paths}
    for name, table in kept_tables(rows).items():
        write_csv(rounded(table, KEPT_DIGITS), folder / f"{name}.csv")
    write_text(folder / MADE_WITH, json.dumps(made_with, indent=1, sort_keys=True) + "\n")
    return len(paths)


def kept_tables(rows: list[Run]) -> dict[str, pa.Table]:
    """The tables that docs/ keeps of runs, by name: of the runs, and of their lists."""
    tables = {"runs": table_from_rows(rows, RUNS)}
    for name, lists in KEPT_LISTS.items():
        most = MOST_CURVE_POINTS if name == "curves" else None
        table = entry_table(rows, lists, run_columns=("cell", "run"), most=most)
        tables[name] = table.rename_columns(_short_names(table.schema))
    return tables


def _short_names(schema: pa.Schema) -> list[str]:
    """The names of columns without the list that they are of: `step` for `curve_step`."""
    return [name.removeprefix("curve_").removeprefix("share_") for name in schema.names]


def read_kept(folder: Path) -> list[Run]:
    """The runs that are kept, as rows of cells' tables are; none where there is no such folder."""
    if not (folder / "runs.csv").exists():
        return []
    empty_tables = kept_tables([])

    def read(name: str) -> list[dict[str, Any]]:
        """The rows of a kept table."""
        types = pyarrow.csv.ConvertOptions(column_types=empty_tables[name].schema)
        return pyarrow.csv.read_csv(folder / f"{name}.csv", convert_options=types).to_pylist()

    rows: dict[tuple[str, int], Run] = {}
    for row in read("runs"):
        empty_lists: Run = {name: [] for name in chain(*KEPT_LISTS.values())}
        rows[row["cell"], row["run"]] = ADDED | row | empty_lists
    for table, names in KEPT_LISTS.items():
        # Behind `cell` and `run`.
        columns = empty_tables[table].column_names[2:]
        for entry in read(table):
            row = rows[entry["cell"], entry["run"]]
            for name, column in zip(names, columns, strict=True):
                row[name].append(entry.get(column))
    return list(rows.values())


def read_made_with(folder: Path) -> dict[str, dict[str, Any]]:
    """What made each cell that is kept, by its name."""
    path = folder / MADE_WITH
    if not path.exists():
        return {}
    return json.loads(path.read_text(encoding="utf-8"))


def _made_with(path: Path, results: Path) -> dict[str, object]:
    """The settings, code, versions and times of a cell, as its file says them; the processor is
    that of the machine that keeps it. Of a cell trained on a GPU neither that nor the core's time
    says anything, and both are null."""
    metadata = read_schema(path, is_sealed=False).metadata or {}
    kept = {name: metadata[name.encode()].decode() for name in KEPT_METADATA}
    if kept["device"] == "cuda":
        return {**kept, "processor": None, "core_seconds": None}
    return {
        **kept,
        "processor": processor(),
        "core_seconds": _core_seconds(path.stem, results),
    }


def _core_seconds(cell: str, results: Path) -> float | None:
    """The seconds of a core that a cell's job took, or its last attempt where it was stopped and
    went on; None if not known."""
    path = results / f"benchmarks/rank_train_{cell}.tsv"
    if not path.exists():
        return None
    lines = path.read_text(encoding="utf-8").splitlines()
    return float(next(csv.DictReader(lines, delimiter="\t"))["cpu_time"])
