"""A sample of points computed again, trials and exact values."""

import random
from pathlib import Path

from ..results.tables import Row, TableError, read_parquet
from .exact.compute import references
from .models import MODELS
from .models.panel_tables import exact_schema, simulated_schema
from .simulation.simulate import count, units

CLOSE = 1e-12
"""Exact values computed again may differ by so much, on another processor."""

Rows = list[Row]


def recompute_points(study, folder: Path, sample: int, seed: int) -> list[str]:
    """Compute a sample of points again: a sentence on each, what differs or "the same".

    The sample is of the panels whose two tables are of these settings and not damaged.
    """
    tables = {name: _rows_of(study, folder, name) for name in study.section.panels}
    every = [(name, k) for name, (trials, _) in tables.items() for k in range(len(trials))]
    chosen = random.Random(seed).sample(every, min(sample, len(every)))
    return [
        _recompute_point(study, name, k, tables[name][0][k], tables[name][1][k])
        for name, k in sorted(chosen)
    ]


def _rows_of(study, folder: Path, name: str) -> tuple[Rows, Rows]:
    """The rows of a panel's trials and of its exact values; none where a table cannot be used."""
    panel, exact = study.simulated[name], study.exact[name]
    file = f"{name}.parquet"
    try:
        trials = read_parquet(
            folder / "panels" / file, simulated_schema(panel.contest), panel.digest()
        )
        values = read_parquet(folder / "exact" / file, exact_schema(panel.contest), exact.digest())
    except TableError:
        return [], []
    return trials.to_pylist(), values.to_pylist()


def _recompute_point(study, name: str, k: int, row: Row, exact: Row) -> str:
    panel = study.simulated[name]
    of_panel = panel.points()
    mine = [unit for unit in units(of_panel, panel.trials) if unit.point == k]
    counted = count(panel, of_panel, mine)[k].tolist()
    (reference,) = references(MODELS[panel.model], [of_panel[k]])
    head = f"{name}, {of_panel[k].name}: "
    stored = [row[name] for name in ("trials", *panel.contest.outcomes)]
    if stored != counted:
        return f"{head}counted {counted[1:]}, the file has {stored[1:]}"
    if abs(exact["p_exact"] - reference.success) > CLOSE:
        return f"{head}the exact value is {reference.success!r}, the file has {exact['p_exact']!r}"
    return f"{head}the same"
