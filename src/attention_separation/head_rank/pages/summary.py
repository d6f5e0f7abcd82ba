"""The verdict on each claim, one line each."""

from collections.abc import Iterator
from pathlib import Path

from attention_separation.results.tables import read_parquet
from attention_separation.statistics.verdict_words import count_verdicts

from ..claims.outcomes import SCHEMA, WHOSE


def in_words(row: dict) -> str:
    """A row's sizes, why it is not judged, its deciding comparison with the interval, and the
    bound; empty where there is nothing to say."""
    parts = [row["reason"]] if row["reason"] else []
    if row["measured"] is not None:
        interval = ""
        if row["low"] is not None:
            high = "or more" if row["high"] is None else f"to {row['high']:.3g}"
            interval = f" ({row['low']:.3g} {high})"
        parts.append(f"{row['decided_at']}: {row['measured']:.3g}{interval}")
    if row["bound"] is not None:
        parts.append(f"bound {row['bound']:.3g}, {row['bound_is']}")
    return "; ".join([row["sizes"], *parts]) if parts else ""


def line(row: dict) -> str:
    """Verdict, claim, and the comparison that is furthest from agreeing."""
    return f"{row['verdict']:<10} {row['claim']:<36} {in_words(row)}".rstrip()


def summary(study, folder: Path) -> Iterator[str]:
    """The verdicts on the claims in a folder of results, line by line.

    Raises
    ------
    ValueError
        If they have not been made.
    TableError
        If they were made with other settings.
    """
    path = folder / "tables" / "rank_claims.parquet"
    if not path.exists():
        raise ValueError(f"{path}: not made yet; run `snakemake rank` first")
    table = read_parquet(path, SCHEMA, study.results["rank_claims"].settings.digest())
    yield f"claims on the rank of heads, at the scale {study.section.scale}"
    for whose in WHOSE:
        own = [row for row in table.to_pylist() if row["whose"] == whose]
        if own:
            yield f"{whose}: {count_verdicts(row['verdict'] for row in own)}"
            yield from map(line, own)
    yield f"{folder}/figures/rank_*.{{svg,png,pdf,csv,parquet}}  the figures"
    yield f"{folder}/tables/rank_errors.html  the error of every cell"
