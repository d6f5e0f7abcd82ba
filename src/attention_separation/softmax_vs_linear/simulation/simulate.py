"""The trials of one panel, as a table of counts: all by one job, or in slices that others count.

A slice is of points times blocks; one job merges all. Counts merge exactly and draws depend on
names alone: how many slices there are changes no result.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from attention_separation.results.progress import Progress
from attention_separation.results.provenance import record
from attention_separation.results.tables import (
    read_parquet,
    table_from_columns,
    table_from_rows,
    write_parquet,
)
from attention_separation.statistics.counts import Counts, clopper_pearson
from attention_separation.statistics.seeding import BlockStreams, blocks

from ..models import MODELS
from ..models.contest import Contest
from ..models.model import AttentionModel, Model, Point
from ..models.panel_tables import simulated_schema
from ..models.regression import RegressionModel
from ..settings.panels import Panel
from . import attention_trials, regression_trials
from .attention_trials import Trials
from .estimates import seconds_per_trial

ENGINES = {
    (AttentionModel, "reduced"): attention_trials.reduced,
    (AttentionModel, "dense"): attention_trials.dense,
    (RegressionModel, "reduced"): regression_trials.reduced,
    (RegressionModel, "dense"): regression_trials.dense,
}


def trials_at(model: Model, engine: str, points: list[Point]) -> list[Trials]:
    """Trials of the networks at each point, by the engine "reduced" or "dense"."""
    return ENGINES[type(model), engine](model, points)


def slice_schema(contest: Contest) -> pa.Schema:
    """One row per point that a slice has trials of; `point` counts the panel's points from 0."""
    return pa.schema([(name, pa.int64()) for name in ("point", "trials", *contest.outcomes)])


@dataclass(frozen=True)
class Unit:
    """One block of trials of one point of a panel."""

    point: int
    block: int
    trials: int


def units(points: list[Point], trials: int) -> list[Unit]:
    """All blocks of all points, in order."""
    return [Unit(k, *block) for k in range(len(points)) for block in blocks(trials)]


def cut_units(
    points: list[Point], trials: int, seconds: list[float], count: int
) -> list[list[Unit]]:
    """The units in `count` runs of about equal time, some empty if there are fewer units.

    seconds : of a trial of each point, on whatever scale
    """
    every = units(points, trials)
    ends = np.cumsum([unit.trials * seconds[unit.point] for unit in every])
    # A unit belongs to the slice in which its middle lies.
    middles = ends - np.diff(ends, prepend=0.0) / 2
    places = np.minimum((middles / ends[-1] * count).astype(int), count - 1)
    return [
        [unit for unit, place in zip(every, places, strict=True) if place == k]
        for k in range(count)
    ]


def slice_table(counts: dict[int, Counts], contest: Contest) -> pa.Table:
    """What a slice counted, by point."""
    columns_of = slice_schema(contest)
    rows = [
        dict(zip(columns_of.names, (point, count.trials, *count.happened.tolist()), strict=True))
        for point, count in counts.items()
    ]
    return table_from_rows(rows, columns_of)


def merge_counts(tables: list[pa.Table], points: int, contest: Contest) -> list[Counts]:
    """The counts of all points from the tables of all slices."""
    total = [Counts.none(len(contest.outcomes)) for _ in range(points)]
    for table in tables:
        for row in table.to_pylist():
            happened = np.array([row[name] for name in contest.outcomes], dtype=np.int64)
            total[row["point"]] += Counts(row["trials"], happened)
    return total


def simulate(panel: Panel) -> pa.Table:
    """Run the trials of every point of a panel and count successes and the events."""
    of_panel = panel.points()
    counts = count(panel, of_panel, units(of_panel, panel.trials))
    return panel_table(panel, of_panel, list(counts.values()))


def count(panel: Panel, of_panel: list[Point], of_slice: list[Unit]) -> dict[int, Counts]:
    """Run blocks of trials; what happened in them, by the point's number in the panel."""
    contest = panel.contest
    trials = trials_at(MODELS[panel.model], panel.engine, of_panel)
    progress = Progress(panel.name, sum(unit.trials for unit in of_slice), "trials")
    counts: dict[int, Counts] = {}
    with np.errstate(all="raise", under="ignore"):
        for unit in of_slice:
            point = of_panel[unit.point]
            streams = BlockStreams(panel.seed, panel.name, point.name, unit.block)
            positive = trials[unit.point](streams, unit.trials)
            happened = contest.happened(positive)
            found = Counts.of(np.column_stack([happened.all(axis=1), happened]))
            counts[unit.point] = counts.get(unit.point, Counts.none(len(contest.outcomes))) + found
            progress.advance(unit.trials)
    return counts


def slice_of(panel: Panel, number: int, of: int) -> pa.Table:
    """Run one of `of` slices of a panel's trials; `number` counts from 1."""
    of_panel = panel.points()
    seconds = [seconds_per_trial(panel.engine, point) for point in of_panel]
    parts = cut_units(of_panel, panel.trials, seconds, of)
    return slice_table(count(panel, of_panel, parts[number - 1]), panel.contest)


def merged(panel: Panel, slices: list[pa.Table]) -> pa.Table:
    """The table of a panel from those of all of its slices.

    Raises
    ------
    ValueError
        If the slices do not hold each point's trials.
    """
    of_panel = panel.points()
    counts = merge_counts(slices, len(of_panel), panel.contest)
    for point, found in zip(of_panel, counts, strict=True):
        if found.trials != panel.trials:
            raise ValueError(
                f"{panel.name}, {point.name}: the slices hold {found.trials} trials of "
                f"{panel.trials}"
            )
    return panel_table(panel, of_panel, counts)


def panel_table(panel: Panel, points: list[Point], counts: list[Counts]) -> pa.Table:
    """Points, counts, success rates and their 95 % Clopper-Pearson intervals."""
    trials = np.array([count.trials for count in counts])
    happened = np.array([count.happened for count in counts])
    low, high = clopper_pearson(happened[:, 0], trials)
    own = ("n", "d", "m", "a0", "a1", "b", "c", "delta", "tau", "attention_x")
    columns = {
        "panel": [panel.name] * len(points),
        "parameter": [",".join(panel.sweep)] * len(points),
        "value": [point.swept[0] for point in points],
        **{name: [getattr(point, name) for point in points] for name in own},
        "trials": trials,
        **{name: happened[:, k] for k, name in enumerate(panel.contest.outcomes)},
        "p_hat": happened[:, 0] / trials,
        "ci_low": low,
        "ci_high": high,
    }
    return table_from_columns(columns, simulated_schema(panel.contest))


def metadata(panel: Panel) -> dict[str, str]:
    """What a panel's table comes from: seed, settings, code and versions."""
    of_job = record(panel.canonical(), __name__)
    return {"seed": str(panel.seed)} | of_job


def run(job: Panel, output: Path, slice: str = "", merge: list[Path] | None = None) -> None:
    """Trials of a panel: all, only those of a slice K/N, or all merged from slices."""
    provenance = metadata(job)
    if slice:
        number, of = _slice_numbers(slice)
        table = slice_of(job, number, of)
        provenance |= {"slice": f"{number}/{of}"}
    elif merge:
        table = merged(job, _read_slices(job, merge, provenance["settings"]))
    else:
        table = simulate(job)
    write_parquet(table, output, provenance)


def _slice_numbers(text: str) -> tuple[int, int]:
    number, _, of = text.partition("/")
    if not (number.isdecimal() and of.isdecimal() and 1 <= int(number) <= int(of)):
        raise ValueError(f"--slice {text}: allowed: K/N with 1 <= K <= N, such as 2/8")
    return int(number), int(of)


def _read_slices(panel: Panel, paths: list[Path], settings: str) -> list[pa.Table]:
    columns = slice_schema(panel.contest)
    tables = [read_parquet(path, columns, settings) for path in paths]
    found = {table.schema.metadata[b"slice"].decode() for table in tables}
    wanted = {f"{k + 1}/{len(paths)}" for k in range(len(paths))}
    if found != wanted:
        raise ValueError(f"not all slices, each once: {', '.join(sorted(found))}")
    return tables
