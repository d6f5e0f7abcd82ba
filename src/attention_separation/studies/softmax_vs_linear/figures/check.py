"""Fails if any panel differs: if its simulated success rates are not those of its exact or
reference values, by the table of verdicts."""

from pathlib import Path

import pyarrow as pa

from ....results.files import write_text
from ....results.tables import Row, read_parquet
from ....settings.strict_model import Job
from ....statistics.claims import Verdict, count_verdicts
from .verdicts import SCHEMA


def sentences(verdicts: pa.Table) -> list[str]:
    """A sentence on each panel that differs."""
    return [_sentence(row) for row in verdicts.to_pylist() if row["verdict"] == Verdict.DIFFERS]


def _sentence(row: Row) -> str:
    """A sentence on a panel that differs, from its row of the table of verdicts."""
    origin = "by reference values" if row["largest_p_error"] else "exactly"
    return (
        f"{row['panel']} differs: its mean success rate is {row['mean_p_hat']:.4f}, {origin} "
        f"{row['mean_p_exact']:.4f}; adjusted p-values {row['smallest_point_p']:.2g} (its points), "
        f"{row['pooled_p']:.2g} (their sum) and {row['shape_p']:.2g} (their shape)"
    )


def run(job: Job, verdicts: Path, output: Path) -> None:
    """Write how many panels have each verdict; ValueError if one differs."""
    table = read_parquet(verdicts, SCHEMA)
    different = sentences(table)
    if different:
        raise ValueError("\n".join(["simulation and exact or reference values differ", *different]))
    counts = count_verdicts(table["verdict"].to_pylist())
    write_text(output, f"panels: {counts}\n")
