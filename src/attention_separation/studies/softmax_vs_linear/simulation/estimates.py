"""About how long trials take and how much memory: for the size of slices and what jobs ask for.

Seconds are of one slow core (2.5 GHz, shared), so that a job seldom takes longer; no result depends
on them. The engine "dense" runs trials by the definitions, "reduced" from what decides them alone.
A point has the values of all parameters: n tokens, m columns of d signs.
"""

from ..models.contest import CONTEST_OF_PAPER
from ..models.model import Engine, Point
from .rare_columns import tilts_of
from .regression_by_definition import MOST_ENTRIES
from .regression_trials import is_rare
from .signs import lanes_per_column

START_SECONDS = 3.0
"""Of a job without trials: Python, imports, reading and writing."""

POINT_SECONDS = 1e-3
"""Of a point without trials: its rows and its seeds."""

START_OF_PANEL_MB = 1000
"""A job without trials takes 100; on a cluster the two snakemakes that start it take 500 more."""

DENSE_ARRAYS = 6
"""n x n arrays of float64 that the dense engine holds at once."""

REGRESSION_ARRAYS = 8
"""Arrays of n float64 that trials of softmax regression hold at once."""


def seconds_per_trial(engine: Engine, point: Point) -> float:
    """Seconds of one trial of a point with one of the engines."""
    if point.d is None:
        return _seconds_per_regression_trial(engine, point)
    n = point.n
    m = point.m * len(point.contest.networks) / len(CONTEST_OF_PAPER.networks)
    if engine == "dense":
        return 3e-8 * n * n + 2e-9 * n * m * point.d
    return 5e-7 + 2e-8 * m * lanes_per_column(point.d)


def _seconds_per_regression_trial(engine: Engine, point: Point) -> float:
    """Seconds of one trial of a point of softmax regression; the reduced engine takes less where it
    draws rare columns alone."""
    n = point.n
    m = point.m
    if engine == "dense":
        return 3e-4 + n * (6e-8 + 2e-8 * m)
    if not is_rare(point):
        return 2e-6 + n * (6e-8 + 8e-9 * m)
    candidates = m * float(tilts_of(point).bounds.sum())
    return 1e-6 + 3e-8 * m + 2.5e-7 * n * candidates


def seconds(engine: Engine, points: list[Point], trials: int) -> float:
    """Seconds of a job that runs so many trials of each point."""
    per_trial = sum(seconds_per_trial(engine, point) for point in points)
    return START_SECONDS + POINT_SECONDS * len(points) + trials * per_trial


def memory_mb(engine: Engine, points: list[Point]) -> int:
    """Megabytes of memory that a job with trials of these points asks for."""
    n = max(point.n for point in points)
    if points[0].d is None:
        return START_OF_PANEL_MB + REGRESSION_ARRAYS * min(n, MOST_ENTRIES) * 8 // 10**6
    if engine == "dense":
        return START_OF_PANEL_MB + DENSE_ARRAYS * n * n * 8 // 10**6
    return START_OF_PANEL_MB
