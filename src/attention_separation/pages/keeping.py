"""What docs/ keeps of a finished run: pictures as they are, and tables, to `KEPT_DIGITS`, as csv.

A table is written again where one of its numbers has moved by more than rounding.

An output is *kept* if docs/ has a copy of it.
"""

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
    """Copy the kept outputs of a study's run into its folder of docs/. Returned are how many there
    are, and the names of outputs that pages alone ask for and that were not made: their older
    copies stay. ValueError if a file of the run is missing, TableError if one is of other settings.
    """
    folder = docs / study.kept_in
    results = Path(study.folder)
    outputs_and_paths: list[tuple[Output, Path]] = []
    tables: list[Path] = []
    digests = []
    names_not_made: list[str] = []
    for result, output in outputs_of(study.results):
        if is_kept(result, output):
            path = results / output.path("svg" if output.kind is PICTURE else "parquet")
            if not path.exists():
                if result.in_default_run:
                    raise ValueError(f"{path} is missing; make the run first")
                names_not_made.append(output.name)
                continue
            outputs_and_paths.append((output, path))
            # A picture without numbers has its digests in the table of its job.
            if output.kind is not PICTURE:
                tables.append(path)
                digests.append(result.settings_digest(output))
    check_inputs({"tables": digests}, {"tables": tables})
    for output, path in outputs_and_paths:
        if output.kind in (FIGURE, PICTURE):
            with replacing(folder / f"{output.name}.svg") as part:
                shutil.copyfile(results / output.path("svg"), part)
        if output.kind is not PICTURE:
            part = study.kept_part(output, read_table(path))
            if part is not None:
                _write_if_moved(rounded(part, KEPT_DIGITS), folder / f"{output.name}.csv")
    return len(outputs_and_paths), names_not_made


def _write_if_moved(table: pa.Table, path: Path) -> None:
    """Write a table as csv, unless the file has the same numbers already, but for the last bits,
    which depend on the processor: small differences of larger numbers have few digits."""
    sink = pa.BufferOutputStream()
    pyarrow.csv.write_csv(table, sink)
    text = sink.getvalue().to_pybytes().decode()
    kept_text = path.read_text(encoding="utf-8") if path.exists() else ""
    if not _are_same(_cells(kept_text), _cells(text)):
        write_text(path, text)


def _cells(text: str) -> list[list[str]]:
    """The cells of each row of a csv's text."""
    return list(csv.reader(text.splitlines()))


def _are_same(old: list[list[str]], new: list[list[str]]) -> bool:
    """Whether all cells are equal, where numbers may differ by a part in 10^6, or by 10^-13."""
    if list(map(len, old)) != list(map(len, new)):
        return False
    return all(a == b or _is_close(a, b) for a, b in zip(chain(*old), chain(*new), strict=True))


def _is_close(a: str, b: str) -> bool:
    """Whether two cells are numbers that differ by 10^-6 of them at most, or by 10^-13."""
    try:
        return math.isclose(float(a), float(b), rel_tol=1e-6, abs_tol=1e-13)
    except ValueError:
        return False


def is_kept(result: Any, output: Output) -> bool:
    """Whether docs/ keeps an output: those of a whole run, and those that pages alone ask for."""
    is_of_docs = output.kind in (FIGURE, PICTURE, TABLE)
    return is_of_docs and (result.in_default_run or result.is_for_pages)
