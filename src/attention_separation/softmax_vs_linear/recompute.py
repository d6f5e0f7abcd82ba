"""A sample of points computed again, trials and exact values."""

import random
from pathlib import Path

import pyarrow.parquet as pq

from .exact.compute import references
from .models import MODELS
from .simulation.simulate import count, units

CLOSE = 1e-12
"""Exact values computed again may differ by so much, on another processor."""


def recompute_points(study, folder: Path, sample: int, seed: int) -> list[str]:
    """Compute a sample of points again: a sentence on each, what differs or "the same"."""
    every = [
        (name, k)
        for name in study.section.panels
        if (folder / "panels" / f"{name}.parquet").exists()
        and (folder / "exact" / f"{name}.parquet").exists()
        for k in range(len(study.exact[name].points()))
    ]
    chosen = random.Random(seed).sample(every, min(sample, len(every)))
    return [_recompute_point(study, folder, name, k) for name, k in sorted(chosen)]


def _recompute_point(study, folder: Path, name: str, k: int) -> str:
    panel = study.simulated[name]
    of_panel = panel.points()
    row = pq.ParquetFile(folder / "panels" / f"{name}.parquet").read().slice(k, 1).to_pylist()[0]
    exact = pq.ParquetFile(folder / "exact" / f"{name}.parquet").read().slice(k, 1).to_pylist()[0]
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
