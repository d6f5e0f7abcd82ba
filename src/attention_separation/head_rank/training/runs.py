"""Trained runs, as the figures and claims read them, and beside them the error of Fact 1's head.
Without torch."""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pyarrow as pa

from ...settings.words import joined
from ..constructions.farthest_point import least_error, simulated_errors
from ..settings.cells import PUBLISHED_MEAN, PUBLISHED_SD
from .cell_table import read_cell

SIZE = ("d", "n", "feed_forward")
TRAINING = ("batch", "steps", "lr", "schedule", "warm_up")
"""Columns: what a cell is the size of, and how it is trained."""

_SIZES = {"d": "d", "n": "N"}
OF_CELL = {"layers": "L", "width": "w", "rank": "r", "n": "N"}

PUBLISHED_INITIAL = {"additive_mean": PUBLISHED_MEAN, "additive_sd": PUBLISHED_SD}
CONTROL_INITIAL = {"additive_mean": 0.0, "additive_sd": 0.02}
"""Initial values of additive encodings: those of the authors' code, and small ones around 0, as
they are usual for learned positions."""


APART = 4.0
"""From how many times the least error of a cell's runs on the largest counts as another outcome,
and not as spread."""

FRESH = {"regime": "fresh", "schedule": "per_step"}
REPEATED = {"regime": "repeated", "schedule": "per_step"}
AS_PUBLISHED = {"regime": "repeated", "schedule": "per_epoch"}
"""The arms: between the first two the batches differ alone, between the last two the schedule."""


def columns_of(rows: list[dict], *names: str) -> list[np.ndarray]:
    """Numbers of rows, all in the order of the first."""
    rows = sorted(rows, key=lambda row: row[names[0]])
    return [np.array([row[name] for row in rows], dtype=float) for name in names]


def read_runs(paths: Iterable[Path]) -> pa.Table:
    """The runs of some cells, in the order of the cells; TableError as `read_cell`."""
    tables = [read_cell(path) for path in paths]
    return pa.concat_tables(table.replace_schema_metadata() for table in tables)


def chosen(rows: Iterable[dict], **wanted: object) -> list[dict]:
    """The runs whose settings are as wanted."""
    return [row for row in rows if all(row[key] == value for key, value in wanted.items())]


def cells_of(rows: list[dict], **wanted: object) -> list[list[dict]]:
    """The runs of each cell with some settings."""
    own = chosen(rows, **wanted)
    return [chosen(own, cell=cell) for cell in dict.fromkeys(row["cell"] for row in own)]


def like(rows: Iterable[dict], run: dict, names: Iterable[str]) -> list[dict]:
    """The runs whose settings of some names are those of one run."""
    return chosen(rows, **{name: run[name] for name in names})


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


def cell_words(row: dict, names: Iterable[str] = ("layers", "width", "rank")) -> str:
    """A cell in short: L=1, w=3, r=4."""
    return ", ".join(f"{OF_CELL[name]}={row[name]}" for name in names)


def single_runs(groups: list[list[dict]]) -> str:
    """Which groups have a single run, and so no interval; empty where none has."""
    single = {group[0]["cell"]: group[0] for group in groups if len(group) == 1}
    if not single:
        return ""
    first, *more = single.values()
    others = f" and {len(more)} more" if more else ""
    return f"a single run has no interval ({cell_words(first, OF_CELL)}{others})"


def bimodal_reason(rows: list[dict]) -> str:
    """The cell of three layers of full rank whose runs end far apart, or some of them dead; empty
    where none do."""
    deep = [row for row in rows if row["layers"] == 3 and is_full_rank(row)]
    for cell in dict.fromkeys(row["cell"] for row in deep):
        own = chosen(deep, cell=cell)
        ends = [f([held_out_error(row) for row in own]) for f in (min, max)]
        if any(row["dead"] for row in own) or ends[1] > APART * ends[0]:
            name = naming_dead(cell_words(own[0]), own)
            return f"runs of one cell end at {ends[0]:.3f} and at {ends[1]:.3f}: {name}"
    return ""


def by_rank(rows: list[dict], full: bool = False) -> dict[int, list[dict]]:
    """Runs by rank, of lower ranks or of full rank."""
    own = [row for row in rows if is_full_rank(row) == full]
    return {rank: chosen(own, rank=rank) for rank in values(own, "rank")}


def comparable_rows(rows: list[dict], names: tuple[str, ...]) -> list[dict]:
    """The runs with the most frequent values of some settings: others are of another figure."""
    counts = Counter(tuple(row[name] for name in names) for row in rows)
    if not counts:
        return []
    ((most, _),) = counts.most_common(1)
    return chosen(rows, **dict(zip(names, most, strict=True)))


def alike_each(rows: list[dict], apart: str) -> list[dict]:
    """Of each value of a setting, the runs trained as most of its own are: two values may differ in
    how they are trained, which `unlike_training` finds."""
    return [
        row
        for value in values(rows, apart)
        for row in comparable_rows(chosen(rows, **{apart: value}), TRAINING)
    ]


def plain(rows: list[dict]) -> list[dict]:
    """Runs of Figure 1: new batches, no encoding, of the size that most runs have and, for each
    number of layers, trained as most are."""
    return alike_each(
        comparable_rows(chosen(rows, encoding="none", regime="fresh"), SIZE), "layers"
    )


def two_layers(rows: list[dict]) -> list[dict]:
    """Runs of Figure 4: of the size that most have, and for each N trained as most are."""
    own = chosen(rows, encoding="none", regime="fresh", layers=2)
    return alike_each(comparable_rows(own, ("d", "feed_forward", "width")), "n")


def single_heads(rows: list[dict], layers: int) -> list[dict]:
    """Runs of Figure 1 with the fewest heads of full rank per layer."""
    own = [row for row in chosen(plain(rows), layers=layers) if is_full_rank(row)]
    return chosen(own, total_heads=min(values(own, "total_heads"))) if own else []


def with_fact_1(rows: list[dict], seed: int) -> list[dict]:
    """Runs of single heads at one layer, each with its `temperature` c, and with the error of -cI,
    `fact_1_error`, and its standard error `fact_1_se`."""
    found = []
    for d, n in dict.fromkeys((row["d"], row["n"]) for row in rows):
        own = chosen(rows, d=d, n=n)
        # A run without numbers has no c: uniform attention has 0.
        c = [-(row["scale"][0] or 0.0) for row in own]
        for row, of, (error, se) in zip(own, c, simulated_errors(d, n, c, seed), strict=True):
            found.append(row | {"temperature": of, "fact_1_error": error, "fact_1_se": se})
    return found
