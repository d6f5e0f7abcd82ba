"""What the results of this study say, line by line."""

from collections.abc import Iterator
from pathlib import Path

from attention_separation.results.tables import read_parquet
from attention_separation.statistics.verdict_words import count_verdicts

from ..claims.outcomes import SCHEMA, in_words


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
