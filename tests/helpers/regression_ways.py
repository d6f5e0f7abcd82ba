"""The ways in which the engine of softmax regression draws trials, and where n changes them.

A way is how a point's trials are drawn: all of each, or the columns in which something rare
happens. A switch is an n whose way is not that of n + 1.
"""

import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np
from literal_regression import by_definition
from making import run_trials

from attention_separation.statistics.seeding import BlockStreams
from attention_separation.studies.softmax_vs_linear.models.model import Point
from attention_separation.studies.softmax_vs_linear.simulation import regression_trials

LITERAL_ENTRIES = 1_000_000
"""Signs that the literal draw holds at once: more would measure the memory."""

FEWEST_COMPARED = 40
"""Trials that are compared however large n is."""


def way(p: Point) -> str:
    """How the engine draws a point's trials."""
    return "rare columns" if regression_trials.is_rare(p) else "all"


def force_way(monkeypatch, name: str) -> None:
    """Draw all of every trial, or rare columns wherever their bounds are chances."""
    most = {"all": -1.0, "rare columns": 1.0}
    monkeypatch.setattr(regression_trials, "MOST_CANDIDATES", most[name])


def switches(p: Point, least: int, most: int) -> list[int]:
    """Every n from `least` to `most` whose way is not that of n + 1, all else as at a point.

    Looked for between neighbours of a grid in which n grows by 2 %: a way that is shorter than that
    is not seen.
    """

    def way_at(n: int) -> str:
        return way(replace(p, n=n))

    steps = int(np.log(most / least) / 0.02) + 1
    grid = np.unique(np.geomspace(least, most, steps).astype(int)).tolist()
    ways = [way_at(n) for n in grid]
    ends = []
    for k in range(len(grid) - 1):
        if ways[k] == ways[k + 1]:
            continue
        low, high = grid[k], grid[k + 1]
        while high - low > 1:
            middle = (low + high) // 2
            if way_at(middle) == ways[k]:
                low = middle
            else:
                high = middle
        ends.append(low)
    return ends


def literal_seconds(p: Point, trials: int) -> float:
    """Processor time of so many trials drawn literally."""
    rng = np.random.default_rng(1)
    step = max(LITERAL_ENTRIES // (p.n * p.m), 1)

    def draw() -> None:
        for start in range(0, trials, step):
            by_definition(p, min(step, trials - start), rng)

    return _processor_seconds(draw)


def engine_seconds(p: Point, trials: int) -> float:
    """Processor time of so many trials of the reduced engine."""
    streams = BlockStreams(1, "ways", p.name, 0)
    return _processor_seconds(lambda: run_trials("reduced", p, streams, trials))


def times_of_literal(p: Point, signs: int, repeats: int = 1) -> float:
    """How many times as long as the literal draw the engine takes for as many trials.

    signs : so many are drawn literally, which decides how many trials are compared
    repeats : the least time of so many counts, of each
    """
    trials = max(signs // (p.n * p.m), FEWEST_COMPARED)
    literal = min(literal_seconds(p, trials) for _ in range(repeats))
    return min(engine_seconds(p, trials) for _ in range(repeats)) / literal


def _processor_seconds(call: Callable[[], object]) -> float:
    start = time.process_time()
    call()
    return time.process_time() - start
