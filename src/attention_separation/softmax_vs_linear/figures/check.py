"""Fails if any panel differs from its reference, or a verdict is not whole."""

import math
from pathlib import Path

import pyarrow as pa

from ...results.files import write_text
from ...results.tables import read_parquet
from ...settings.strict_model import Job
from ...statistics.claims import DIFFERS, VERDICTS, count_verdicts
from .verdicts import SCHEMA

MAY_BE_EMPTY = ("trials_to_decide", "detectable_shape")


def faults(verdicts: pa.Table) -> list[str]:
    """A sentence on each empty cell, number that is none, or word that is no verdict."""
    rows = verdicts.to_pylist()
    found = [] if rows else ["there are no verdicts"]
    for row in rows:
        for name, value in row.items():
            empty = value is None and name not in MAY_BE_EMPTY
            if empty or (isinstance(value, float) and not math.isfinite(value)):
                found.append(f"{row['panel']}: {name} is {value}")
        if row["verdict"] is not None and row["verdict"] not in VERDICTS:
            found.append(f"{row['panel']}: {row['verdict']!r} is no verdict")
    return found


def sentences(verdicts: pa.Table) -> list[str]:
    """A sentence on each panel that differs."""
    return [
        f"{row['panel']} differs: its mean success rate is {row['mean_p_hat']:.4f}, "
        f"{'by reference values' if row['largest_p_error'] else 'exactly'} "
        f"{row['mean_p_exact']:.4f}; adjusted p-values {row['smallest_point_p']:.2g} (its points), "
        f"{row['pooled_p']:.2g} (their sum) and {row['shape_p']:.2g} (their shape)"
        for row in verdicts.to_pylist()
        if row["verdict"] == DIFFERS
    ]


def run(job: Job, verdicts: Path, output: Path) -> None:
    table = read_parquet(verdicts, SCHEMA)
    broken = faults(table)
    if broken:
        raise ValueError("\n".join(["the verdicts are not whole", *broken]))
    different = sentences(table)
    if different:
        raise ValueError("\n".join(["simulation and exact or reference values differ", *different]))
    counts = count_verdicts(table["verdict"].to_pylist())
    write_text(output, f"panels: {counts}\n")
