"""The trials of one panel, as a table of counts: all by one job, or in slices that others count.

A point is one place of the panel's grid, and its trials come in blocks. A slice is of points times
blocks; one job merges all. Counts, of trials and of the contest's outcomes (successes, and the
event of each network), merge exactly, and draws depend on names alone: the number of slices
changes no result.
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from ....messages.progress import Progress
from ....results.files import AGAIN
from ....results.provenance import record
from ....results.tables import (
    TableError,
    metadata_of,
    read_parquet,
    schema,
    table_from_columns,
    write_parquet,
)
from ....statistics.counts import clopper_pearson
from ....statistics.seeding import BlockStreams, blocks
from ..models import MODELS
from ..models.contest import Contest
from ..models.model import AttentionModel, Engine, Model, Point
from ..models.panel_tables import PARAMETER_COLUMNS, simulated_schema
from ..settings.panels import Panel
from . import attention_trials, regression_trials
from .estimates import seconds_per_trial
from .signs import Trials


def trials_at(model: Model, engine: Engine, points: list[Point]) -> list[Trials]:
    """The function that runs a block's trials at each point, by the engine "reduced" or "dense"."""
    if isinstance(model, AttentionModel):
        if engine == "dense":
            return attention_trials.dense(model, points)
        return attention_trials.reduced(model, points)
    if engine == "dense":
        return regression_trials.dense(points)
    return regression_trials.reduced(points)


def slice_schema(contest: Contest) -> pa.Schema:
    """The columns of a slice's table: one row per point that it has trials of; `point` counts the
    panel's points from 0."""
    return schema(**dict.fromkeys(("point", "trials", *contest.outcomes), int))


class Unit(NamedTuple):
    """One block of trials of one point of a panel."""

    point: int
    block: int
    trials: int


def units(points: list[Point], trials: int) -> list[Unit]:
    """All blocks of trials of all points, in order; each point has so many trials."""
    result = []
    for k in range(len(points)):
        result += [Unit(k, block, size) for block, size in blocks(trials)]
    return result


def cut_units(
    points: list[Point], trials: int, seconds: list[float], count: int
) -> list[list[Unit]]:
    """All blocks of trials of all points, cut into `count` slices of about equal time, some empty
    if there are fewer blocks.

    seconds : of a trial of each point, on whatever scale
    """
    all_units = units(points, trials)
    ends = np.cumsum([unit.trials * seconds[unit.point] for unit in all_units])
    # A unit belongs to the slice in which its middle lies.
    middles = ends - np.diff(ends, prepend=0.0) / 2
    places = np.minimum((middles / ends[-1] * count).astype(int), count - 1)
    slices: list[list[Unit]] = [[] for _ in range(count)]
    for unit, place in zip(all_units, places.tolist(), strict=True):
        slices[place].append(unit)
    return slices


def simulate(panel: Panel) -> pa.Table:
    """The table of a panel's trials, all run here: counts of successes and events, and rates."""
    points = panel.points()
    counts = count(panel, points, units(points, panel.trials))
    return panel_table(panel, points, counts)


def count(panel: Panel, points: list[Point], units: list[Unit]) -> np.ndarray:
    """The counts of some blocks of trials, which are run here: for each point of the panel the
    numbers of trials, of successes and of each event, (P, 2 + events) int64."""
    contest = panel.contest
    trials = trials_at(MODELS[panel.model], panel.engine, points)
    progress = Progress(panel.name, sum(unit.trials for unit in units), "trials")
    counts = np.zeros((len(points), 1 + len(contest.outcomes)), dtype=np.int64)
    with np.errstate(all="raise", under="ignore"):
        for unit in units:
            point = points[unit.point]
            streams = BlockStreams(panel.seed, panel.name, point.name, unit.block)
            positive = trials[unit.point](streams, unit.trials)
            events = contest.event_flags(positive)
            counts[unit.point, 0] += unit.trials
            counts[unit.point, 1] += events.all(axis=1).sum()
            counts[unit.point, 2:] += events.sum(axis=0)
            progress.advance(unit.trials)
    return counts


def slice_of(panel: Panel, number: int, slices: int) -> pa.Table:
    """The table of one of so many slices of a panel's trials, which is run here; `number` counts
    from 1."""
    points = panel.points()
    seconds = [seconds_per_trial(panel.engine, point) for point in points]
    units_by_slice = cut_units(points, panel.trials, seconds, slices)
    counts = count(panel, points, units_by_slice[number - 1])
    with_trials = np.flatnonzero(counts[:, 0])
    rows = np.column_stack([with_trials, counts[with_trials]])
    columns = slice_schema(panel.contest)
    return table_from_columns(dict(zip(columns.names, rows.T, strict=True)), columns)


def merged(panel: Panel, slices: list[pa.Table]) -> pa.Table:
    """The table of a panel from those of all of its slices; ValueError if the slices do not hold
    each point's trials."""
    points = panel.points()
    names = ("trials", *panel.contest.outcomes)
    counts = np.zeros((len(points), len(names)), dtype=np.int64)
    for table in slices:
        for row in table.to_pylist():
            counts[row["point"]] += [row[name] for name in names]
    for point, trials in zip(points, counts[:, 0], strict=True):
        if trials != panel.trials:
            text = f"the slices hold {trials} trials of {panel.trials}"
            raise ValueError(f"{panel.name}, {point.name}: {text}")
    return panel_table(panel, points, counts)


def panel_table(panel: Panel, points: list[Point], counts: np.ndarray) -> pa.Table:
    """The table of a panel's points, as `simulated_schema`: parameters, counts, success rates and
    their 95 % Clopper-Pearson intervals.

    `counts` : as `count` gives them
    """
    trials = counts[:, 0]
    successes = counts[:, 1]
    low, high = clopper_pearson(successes, trials)
    columns = {
        "panel": [panel.name] * len(points),
        "parameter": [",".join(panel.sweep)] * len(points),
        "value": [point.swept[0] for point in points],
        "trials": trials,
        "p_hat": successes / trials,
        "ci_low": low,
        "ci_high": high,
    }
    for name in (*PARAMETER_COLUMNS, "delta", "tau", "attention_x"):
        columns[name] = [getattr(point, name) for point in points]
    for k, outcome in enumerate(panel.contest.outcomes):
        columns[outcome] = counts[:, 1 + k]
    return table_from_columns(columns, simulated_schema(panel.contest))


def metadata(panel: Panel) -> dict[str, str]:
    """The metadata of a panel's table, what it comes from: seed, digests of settings and code, and
    versions of packages."""
    return {"seed": str(panel.seed), **record(panel.canonical(), __name__)}


def run(job: Panel, output: Path, slice: str = "", merge: list[Path] | None = None) -> None:
    """Write the table of a panel's trials: all, only those of a slice "K/N", or all merged from the
    tables of the slices."""
    provenance = metadata(job)
    if slice:
        number, slices = _slice_numbers(slice)
        table = slice_of(job, number, slices)
        provenance["slice"] = f"{number}/{slices}"
    elif merge:
        table = merged(job, _read_slices(job, merge, provenance))
    else:
        table = simulate(job)
    write_parquet(table, output, provenance)


def _slice_numbers(text: str) -> tuple[int, int]:
    """K and N of the text "K/N"; ValueError if it is none such."""
    number, _, count = text.partition("/")
    if not (number.isdecimal() and count.isdecimal() and 1 <= int(number) <= int(count)):
        raise ValueError(f"--slice {text}: allowed: K/N with 1 <= K <= N, such as 2/8")
    return int(number), int(count)


def _read_slices(panel: Panel, paths: list[Path], provenance: dict[str, str]) -> list[pa.Table]:
    """The tables of all slices of a panel; ValueError unless each is there once, and TableError
    where one has other digests of settings or code than `provenance`."""
    columns = slice_schema(panel.contest)
    tables = [read_parquet(path, columns, provenance["settings"]) for path in paths]
    for path, table in zip(paths, tables, strict=True):
        # One may be left by a job that outlived its run.
        if metadata_of(table.schema)["code"] != provenance["code"]:
            raise TableError(f"{path}: made with other code than this; {AGAIN}")
    slices = {metadata_of(table.schema)["slice"] for table in tables}
    expected = {f"{number}/{len(paths)}" for number in range(1, len(paths) + 1)}
    if slices != expected:
        raise ValueError(f"not all slices, each once: {', '.join(sorted(slices))}")
    return tables
