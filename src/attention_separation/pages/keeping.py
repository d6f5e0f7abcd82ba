"""What docs/ keeps of a finished run: pictures as they are, and tables, to `DIGITS`, as csv.

A table is written again where one of its numbers has moved by more than rounding."""

import csv
import math
import shutil
from collections.abc import Callable
from itertools import chain
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv

from ..results.declaration import FIGURE, PICTURE, TABLE, Output, Study, outputs_of
from ..results.files import replacing, write_text
from ..results.tables import Row, array_of, check_inputs, read_table, rounded

DIGITS = 8
"""Of the numbers in tracked tables: the last of a float64's 16 depend on the kind of processor."""

CLAIM = (
    "id",
    "place",
    "statement",
    "source",
    "identity",
    "verdict",
    "n",
    "value",
    "relation",
    "bound",
)
BEST = ("panel", "network", "value", "p_at_theta", "p_best")


def keep_run(study: Study, docs: Path) -> int:
    """Put a study's run into docs/FOLDER; how many files that makes. ValueError if a file of the
    run is missing, TableError if one is of other settings."""
    folder = docs / study.kept_in
    results = Path(study.folder)
    kept: list[tuple[Output, Path]] = []
    checked: list[Path] = []
    digests = []
    for result, output in outputs_of(study.results):
        if is_kept(result, output):
            path = results / output.path("svg" if output.kind is PICTURE else "parquet")
            if not path.exists():
                raise ValueError(f"{path} is missing; make the run first")
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
        has_table = output.kind is TABLE or output.panels or output.name in REDUCED
        if has_table and output.kind is not PICTURE:
            table = read_table(path)
            if output.name in REDUCED:
                table = REDUCED[output.name](table)
            _write_if_moved(rounded(table, DIGITS), folder / f"{output.name}.csv")
    return len(kept)


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
    return output.kind in (FIGURE, PICTURE, TABLE) and (
        result.in_default_run or result.is_for_pages
    )


def _decided_claims(claims: pa.Table) -> pa.Table:
    """A row for each claim, at the size where its value is nearest to its bound, or furthest
    beyond; the first one of those without a margin."""
    rows = claims.to_pylist()
    place_of_least: dict[str, int] = {}
    for k, row in enumerate(rows):
        least = place_of_least.setdefault(row["id"], k)
        if _margin(row) < _margin(rows[least]):
            place_of_least[row["id"]] = k
    return claims.take(array_of(list(place_of_least.values()), pa.int64())).select(CLAIM)


def _margin(claim: Row) -> float:
    return math.inf if claim["margin"] is None else claim["margin"]


def _without_maps(theta: pa.Table) -> pa.Table:
    """The panels' own threshold and the best one, without the maps."""
    return theta.filter(array_of([kind != "map" for kind in theta["kind"].to_pylist()], pa.bool_()))


RUN = ("d", "n", "layers", "width", "rank", "run", "test_error", "dead")

REDUCED: dict[str, Callable[[pa.Table], pa.Table]] = {
    "claims": _decided_claims,
    "rank_dimension": lambda table: table.select(RUN),
    "theta": _without_maps,
    "threshold": lambda table: table.select(BEST),
}
"""Tables of which pages need a part; figures among them whose numbers are kept."""
