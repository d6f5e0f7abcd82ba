"""What the results of this study say: the verdict on each claim, one line each."""

from collections.abc import Iterator
from pathlib import Path

from ..results.tables import read_parquet
from ..statistics.claims import count_verdicts
from .claims.trained_claims import SCHEMA


def in_words(row: dict) -> str:
    """The comparison that decides on a claim; empty where nothing was compared."""
    if row["value"] is None:
        return ""
    return f"{row['deciding_case']}: {row['value']:.5g}"


def summary(study, folder: Path) -> Iterator[str]:
    """The verdicts on the claims in a folder of results.

    Raises
    ------
    ValueError
        If they have not been made.
    TableError
        If they were made with other settings.
    """
    path = folder / "tables" / "needle_claims.parquet"
    if not path.exists():
        raise ValueError(f"{path}: not made yet; run `snakemake needle` first")
    rows = read_parquet(path, SCHEMA, study.results["needle_claims"].settings.digest()).to_pylist()
    yield f"claims on the needle, at the scale {study.section.scale}: " + count_verdicts(
        row["verdict"] for row in rows
    )
    for row in rows:
        yield f"{row['verdict']:<10} {row['claim']:<4} {in_words(row)} ({row['rule']})"
    yield f"{folder}/figures/needle_*.{{svg,png,pdf,csv,parquet}}  the figures"
