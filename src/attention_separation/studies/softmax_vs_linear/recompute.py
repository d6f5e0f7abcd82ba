"""A sample of the panels' points computed again, trials and exact values, and compared with the
tables of a run."""

import random
from pathlib import Path

from ...results.tables import Row, TableError, read_parquet
from .exact.compute import references
from .models import MODELS
from .models.panel_tables import exact_schema, join_exact, simulated_schema
from .settings.panels import Panel
from .settings.run_panels import RunPanels
from .simulation.simulate import count, units

RECOMPUTED_TOLERANCE = 1e-12
"""Exact values computed again may differ by so much, on another processor."""


def recompute_points(panels: RunPanels, folder: Path, sample: int, seed: int) -> list[str]:
    """A sentence on each of a sample of points that are computed again: what differs from the
    tables in a folder, or "the same".

    The sample is of the panels whose two tables are of these settings and not damaged.
    """
    rows = {name: _rows_of(panels, folder, name) for name in panels.exact}
    places: list[tuple[str, int]] = []
    for name, rows_of_panel in rows.items():
        places += [(name, k) for k in range(len(rows_of_panel))]
    chosen = random.Random(seed).sample(places, min(sample, len(places)))
    return [
        _recompute_point(panels.simulated[name], k, rows[name][k]) for name, k in sorted(chosen)
    ]


def _rows_of(panels: RunPanels, folder: Path, name: str) -> list[Row]:
    """The rows of a panel's trials with its exact values; none where a table cannot be used."""
    panel = panels.simulated[name]
    try:
        trials = read_parquet(
            folder / f"panels/{name}.parquet", simulated_schema(panel.contest), panel.digest()
        )
        exact = read_parquet(
            folder / f"exact/{name}.parquet",
            exact_schema(panel.contest),
            panels.exact[name].digest(),
        )
    except TableError:
        return []
    return join_exact(trials, exact).to_pylist()


def _recompute_point(panel: Panel, k: int, row: Row) -> str:
    """A sentence on point k of a panel, computed again: what differs from its row, or "the
    same"."""
    points = panel.points()
    units_of_point = [unit for unit in units(points, panel.trials) if unit.point == k]
    counted = count(panel, points, units_of_point)[k].tolist()
    (reference,) = references(MODELS[panel.model], [points[k]])
    head = f"{panel.name}, {points[k].name}: "
    stored = [row[name] for name in ("trials", *panel.contest.outcomes)]
    if stored != counted:
        return f"{head}counted {counted[1:]}, the file has {stored[1:]}"
    if abs(row["p_exact"] - reference.success) > RECOMPUTED_TOLERANCE:
        return f"{head}the exact value is {reference.success!r}, the file has {row['p_exact']!r}"
    return f"{head}the same"
