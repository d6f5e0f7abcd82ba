"""Trained runs, as the figures and claims read them, and beside them the error of Fact 1's head.
Without torch."""

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from ....messages.words import joined
from ....results.tables import chosen, rows_by
from ....statistics.contrasts import Run
from ..constructions.farthest_point import least_error, simulated_errors
from ..settings.cells import PUBLISHED_MEAN, PUBLISHED_SD
from .cell_table import read_cell

SIZE = ("d", "n", "feed_forward")
TRAINING = ("batch", "steps", "lr", "schedule", "warm_up")
"""Columns: what a cell is the size of, and how it is trained."""

OF_CELL = {"layers": "L", "width": "w", "rank": "r", "n": "N"}

PUBLISHED_INITIAL = {"additive_mean": PUBLISHED_MEAN, "additive_sd": PUBLISHED_SD}
CONTROL_INITIAL = {"additive_mean": 0.0, "additive_sd": 0.02}
"""Initial values of additive encodings: those of the authors' code, and small ones around 0, as
they are usual for learned positions."""

APART = 4.0
"""Times the least error of a cell's runs above which the largest counts as another outcome, and not
as spread."""

FRESH = {"regime": "fresh", "schedule": "per_step"}
REPEATED = {"regime": "repeated", "schedule": "per_step"}
AS_PUBLISHED = {"regime": "repeated", "schedule": "per_epoch"}
"""The arms: between the first two the batches differ alone, between the last two the schedule."""


def columns_of(rows: list[Run], *names: str) -> list[np.ndarray]:
    """Columns of rows as numbers, in the order of the first column."""
    rows = sorted(rows, key=lambda row: row[names[0]])
    return [np.array([row[name] for row in rows], dtype=float) for name in names]


def read_runs(paths: Iterable[Path]) -> pa.Table:
    """The runs of some cells, in the order of the cells; TableError as `read_cell`."""
    tables = [read_cell(path) for path in paths]
    return pa.concat_tables(table.replace_schema_metadata() for table in tables)


def cells_of(rows: list[Run], **wanted: object) -> list[list[Run]]:
    """The runs of each cell whose columns have the wanted values, a list a cell."""
    return list(rows_by(chosen(rows, **wanted), "cell").values())


def like(rows: Iterable[Run], run: Run, names: Iterable[str]) -> list[Run]:
    """The runs whose settings of some names are those of one run."""
    return chosen(rows, **{name: run[name] for name in names})


def is_full_rank(row: Run) -> bool:
    """Whether the heads of a run have the rank of the model's dimension."""
    return row["rank"] == row["d"] + (row["d_e"] or 0)


def values(rows: Iterable[Run], name: str) -> list[Any]:
    """The distinct values of a setting, sorted."""
    return sorted({row[name] for row in rows})


def groups(rows: list[Run], name: str) -> dict[Any, list[Run]]:
    """The rows of each value of a setting, by the sorted values."""
    return {value: chosen(rows, **{name: value}) for value in values(rows, name)}


def listed(rows: Iterable[Run], name: str) -> str:
    """The distinct values of a setting, in words; of at least one run."""
    return joined([f"{value:,}" for value in values(rows, name)], "or")


def initial_words(row: Mapping[str, Any]) -> str:
    """The law of the initial values of an additive encoding, with its standard deviation."""
    return f"N({row['additive_mean']:g}, {row['additive_sd']:g})".replace("-", "−")


def sizes(rows: Iterable[Run]) -> str:
    """The dimensions and numbers of points of some runs, in words; empty where there are none."""
    rows = list(rows)
    if not rows:
        return ""
    dimensions = "/".join(map(str, values(rows, "d")))
    points = "/".join(map(str, values(rows, "n")))
    return f"d={dimensions}, N={points}"


def naming_dead(name: str, rows: Iterable[Run]) -> str:
    """The name of what rests on some runs, with how many of them are dead."""
    runs = {(row["cell"], row["run"]): row["dead"] for row in rows}
    dead = sum(runs.values())
    return f"{name} ({dead} of {len(runs)} runs dead)" if dead else name


def held_out_error(row: Run) -> float:
    """Held-out error of a run; one that ended without a number did no better than zero."""
    return 1.0 if row["test_error"] is None else row["test_error"]


def over_rank_0(row: Run) -> float:
    """Held-out error of a run over that of uniform attention, for more than two points."""
    return held_out_error(row) / least_error(row["d"], row["n"])


def cell_words(row: Run, names: Iterable[str] = ("layers", "width", "rank")) -> str:
    """A cell in short: L=1, w=3, r=4."""
    return ", ".join(f"{OF_CELL[name]}={row[name]}" for name in names)


def single_runs(groups: list[list[Run]]) -> str:
    """The reason, in words, that some groups have a single run and so no interval; empty where none
    has."""
    runs_by_cell = {group[0]["cell"]: group[0] for group in groups if len(group) == 1}
    if not runs_by_cell:
        return ""
    first, *more = runs_by_cell.values()
    others = f" and {len(more)} more" if more else ""
    return f"a single run has no interval ({cell_words(first, OF_CELL)}{others})"


def bimodal_reason(rows: list[Run]) -> str:
    """The reason, in words, that runs of a cell of three layers of full rank end far apart, or some
    of them dead; empty where none do."""
    deep = [row for row in rows if row["layers"] == 3 and is_full_rank(row)]
    for cell in cells_of(deep):
        errors = [held_out_error(row) for row in cell]
        least = min(errors)
        largest = max(errors)
        if largest > APART * least or any(row["dead"] for row in cell):
            name = naming_dead(cell_words(cell[0]), cell)
            return f"runs of one cell end at {least:.3f} and at {largest:.3f}: {name}"
    return ""


def by_rank(rows: list[Run], full: bool = False) -> dict[int, list[Run]]:
    """Runs by rank, of lower ranks or of full rank."""
    rows = [row for row in rows if is_full_rank(row) == full]
    return groups(rows, "rank")


def comparable_rows(rows: list[Run], names: tuple[str, ...]) -> list[Run]:
    """The runs with the most frequent values of some settings: others are of another figure."""
    counts = Counter(tuple(row[name] for name in names) for row in rows)
    if not counts:
        return []
    ((most_frequent, _),) = counts.most_common(1)
    return chosen(rows, **dict(zip(names, most_frequent, strict=True)))


def trained_alike(rows: list[Run], name: str) -> list[Run]:
    """The runs that are trained as most with the same value of a setting are: those of two values
    may still differ in how they are trained, which `judging.difference_in_training` says."""
    alike = []
    for group in groups(rows, name).values():
        alike += comparable_rows(group, TRAINING)
    return alike


def plain(rows: list[Run]) -> list[Run]:
    """Runs of Figure 1: new batches, no encoding, of the size that most runs have and, for each
    number of layers, trained as most are."""
    rows = chosen(rows, encoding="none", regime="fresh")
    return trained_alike(comparable_rows(rows, SIZE), "layers")


def two_layers(rows: list[Run]) -> list[Run]:
    """Runs of Figure 4: of the size that most have, and for each N trained as most are."""
    rows = chosen(rows, encoding="none", regime="fresh", layers=2)
    return trained_alike(comparable_rows(rows, ("d", "feed_forward", "width")), "n")


def single_heads(rows: list[Run], layers: int) -> list[Run]:
    """Runs of Figure 1 with the fewest heads of full rank per layer."""
    full_rank = [row for row in chosen(plain(rows), layers=layers) if is_full_rank(row)]
    if not full_rank:
        return []
    return chosen(full_rank, total_heads=min(values(full_rank, "total_heads")))


def with_fact_1(rows: list[Run], seed: int) -> list[Run]:
    """Runs of single heads at one layer, each with its `temperature` c, and with the error of -cI,
    `fact_1_error`, and its standard error `fact_1_se`."""
    extended_rows = []
    for d, n in dict.fromkeys((row["d"], row["n"]) for row in rows):
        rows_of_size = chosen(rows, d=d, n=n)
        # A run without numbers has no c: uniform attention has 0.
        temperatures = [-(row["scale"][0] or 0.0) for row in rows_of_size]
        errors = simulated_errors(d, n, temperatures, seed)
        for row, temperature, error in zip(rows_of_size, temperatures, errors, strict=True):
            fact_1 = {"fact_1_error": error.error, "fact_1_se": error.standard_error}
            extended_rows.append(row | {"temperature": temperature} | fact_1)
    return extended_rows
