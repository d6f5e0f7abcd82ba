"""The trials of one panel, as a table of counts."""

from pathlib import Path

import numpy as np
import pyarrow as pa

from attention_separation.results.progress import Progress
from attention_separation.results.provenance import record
from attention_separation.results.tables import read_parquet, table_from_columns, write_parquet
from attention_separation.statistics.counts import Counts
from attention_separation.statistics.intervals import clopper_pearson
from attention_separation.statistics.seeding import BlockStreams

from ..models import MODELS
from ..models.point import Point
from ..settings.panels import Panel
from .engines import trials_at
from .estimates import seconds_per_trial
from .panel_table import schema
from .slices import Unit, cut_units, merge_counts, slice_table, units
from .slices import schema as slice_schema


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
    return table_from_columns(columns, schema(panel.contest))


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
