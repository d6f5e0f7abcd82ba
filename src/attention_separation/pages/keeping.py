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

from ..results.declaration import FIGURE, TABLE, Output, Study, outputs_of
from ..results.files import replacing, write_text
from ..results.tables import array_of, check_inputs, read_table, rounded

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
    folder, results = docs / study.kept_in, Path(study.folder)
    wanted = [(result, o) for result, o in outputs_of(study.results) if is_kept(result, o)]
    for _, output in wanted:
        if not (results / output.path("parquet")).exists():
            raise ValueError(f"{results / output.path('parquet')} is missing; make the run first")
    digests = [result.settings_digest(output) for result, output in wanted]
    paths = [results / output.path("parquet") for _, output in wanted]
    check_inputs({"tables": digests}, {"tables": paths})
    for (_, output), path in zip(wanted, paths, strict=True):
        if output.kind is FIGURE:
            with replacing(folder / f"{output.name}.svg") as part:
                shutil.copyfile(results / output.path("svg"), part)
        if output.kind is TABLE or output.panels or output.name in REDUCED:
            reduced = REDUCED.get(output.name, lambda table: table)(read_table(path))
            _write_moved(rounded(reduced, DIGITS), folder / f"{output.name}.csv")
    return len(wanted)


def _write_moved(table: pa.Table, path: Path) -> None:
    """Write a table as csv, but where the file has it already up to the last bits of a kind of
    processor: small numbers left over by larger ones have few digits."""
    sink = pa.BufferOutputStream()
    pyarrow.csv.write_csv(table, sink)
    text = sink.getvalue().to_pybytes().decode()
    kept = path.read_text(encoding="utf-8") if path.exists() else ""
    if not _are_same(*([*csv.reader(each.splitlines())] for each in (kept, text))):
        write_text(path, text)


def _are_same(old: list[list[str]], new: list[list[str]]) -> bool:
    """Whether cells are equal, numbers to a part in 10^6 or 10^-13."""
    if [*map(len, old)] != [*map(len, new)]:
        return False
    return all(a == b or _is_close(a, b) for a, b in zip(chain(*old), chain(*new), strict=True))


def _is_close(a: str, b: str) -> bool:
    try:
        return math.isclose(float(a), float(b), rel_tol=1e-6, abs_tol=1e-13)
    except ValueError:
        return False


def is_kept(result: Any, output: Output) -> bool:
    """Whether docs/ has an output: those of a whole run, and what pages alone ask for."""
    return output.kind in (FIGURE, TABLE) and (result.in_default_run or result.is_for_pages)


def _decided_claims(claims: pa.Table) -> pa.Table:
    """A row for each claim, at the size where its value is nearest to its bound, or furthest
    beyond; the first one of those without a margin."""
    rows, least = claims.to_pylist(), {}
    for k, row in enumerate(rows):
        margin = math.inf if row["margin"] is None else row["margin"]
        least[row["id"]] = min(least.get(row["id"], (margin, k)), (margin, k))
    return claims.take(array_of([k for _, k in least.values()], pa.int64())).select(CLAIM)


def _without_maps(theta: pa.Table) -> pa.Table:
    """The panels' own threshold and the best one, without the maps."""
    return theta.filter(array_of([kind != "map" for kind in theta["kind"].to_pylist()], pa.bool_()))


REDUCED: dict[str, Callable[[pa.Table], pa.Table]] = {
    "claims": _decided_claims,
    "theta": _without_maps,
    "threshold": lambda table: table.select(BEST),
}
"""Tables of which pages need a part; figures among them whose numbers are kept."""
