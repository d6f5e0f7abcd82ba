"""A panel's trials cut into slices, points times blocks, that separate jobs count and one merges.

Counts merge exactly and draws depend on names alone: how many slices there are changes no result.
"""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from attention_separation.results.tables import table_from_rows
from attention_separation.statistics.counts import Counts
from attention_separation.statistics.seeding import blocks

from ..models.contest import Contest
from ..models.point import Point


def schema(contest: Contest) -> pa.Schema:
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
    columns_of = schema(contest)
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
