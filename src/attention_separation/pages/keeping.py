"""What docs/ keeps of a finished run: pictures as they are, and tables, to `KEPT_DIGITS`, as csv.

A table is written again where one of its numbers has moved by more than rounding."""

import csv
import math
import shutil
from itertools import chain
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv

from ..results.declaration import FIGURE, PICTURE, TABLE, Output, Study, outputs_of
from ..results.files import replacing, write_text
from ..results.tables import check_inputs, read_table, rounded

KEPT_DIGITS = 8
"""Of the numbers in tracked tables: the last of a float64's 16 depend on the kind of processor."""


def keep_run(study: Study, docs: Path) -> tuple[int, list[str]]:
    """Put a study's run into docs/FOLDER; how many results that are, and the names of those that
    pages alone ask for and that were not made: they stay as they are. ValueError if a file of the
    run is missing, TableError if one is of other settings."""
    folder = docs / study.kept_in
    results = Path(study.folder)
    kept: list[tuple[Output, Path]] = []
    checked: list[Path] = []
    digests = []
    left: list[str] = []
    for result, output in outputs_of(study.results):
        if is_kept(result, output):
            path = results / output.path("svg" if output.kind is PICTURE else "parquet")
            if not path.exists():
                if result.in_default_run:
                    raise ValueError(f"{path} is missing; make the run first")
                left.append(output.name)
                continue
            kept.append((output, path))
            # A picture without numbers has its digests in the table of its job.
            if output.kind is not PICTURE:
                checked.append(path)
                digests.append(result.settings_digest(output))
    check_inputs({"tables": digests}, {"tables": checked})
    for output, path in kept:
        if output.kind in (FIGURE, PICTURE):
            with replacing(folder / f"{output.name}.svg") as part:
                shutil.copyfile(results / output.path("svg"), part)
        if output.kind is not PICTURE:
            part = study.kept_part(output, read_table(path))
            if part is not None:
                _write_if_moved(rounded(part, KEPT_DIGITS), folder / f"{output.name}.csv")
    return len(kept), left


def _write_if_moved(table: pa.Table, path: Path) -> None:
    """Write a table as csv, but where the file has it already up to the last bits of a kind of
    processor: small numbers left over by larger ones have few digits."""
    sink = pa.BufferOutputStream()
    pyarrow.csv.write_csv(table, sink)
    text = sink.getvalue().to_pybytes().decode()
    kept = path.read_text(encoding="utf-8") if path.exists() else ""
    if not _are_same(_cells(kept), _cells(text)):
        write_text(path, text)


def _cells(text: str) -> list[list[str]]:
    return list(csv.reader(text.splitlines()))


def _are_same(old: list[list[str]], new: list[list[str]]) -> bool:
    """Whether cells are equal, numbers to a part in 10^6 or 10^-13."""
    if list(map(len, old)) != list(map(len, new)):
        return False
    return all(a == b or _is_close(a, b) for a, b in zip(chain(*old), chain(*new), strict=True))


def _is_close(a: str, b: str) -> bool:
    try:
        return math.isclose(float(a), float(b), rel_tol=1e-6, abs_tol=1e-13)
    except ValueError:
        return False


def is_kept(result: Any, output: Output) -> bool:
    """Whether docs/ has an output: those of a whole run, and what pages alone ask for."""
    is_of_docs = output.kind in (FIGURE, PICTURE, TABLE)
    return is_of_docs and (result.in_default_run or result.is_for_pages)
