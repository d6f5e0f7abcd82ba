"""What the results of this study say: the verdict on each claim, one line each."""

from collections.abc import Iterator
from pathlib import Path

from ..results.tables import read_parquet
from ..statistics.claims import count_verdicts
from .claims.judging import ORIGINS, SCHEMA


def in_words(row: dict) -> str:
    """A row's sizes, why it is not judged, its deciding comparison with the interval, and the
    bound; empty where there is nothing to say."""
    parts = [row["reason"]] if row["reason"] else []
    if row["measured"] is not None:
        interval = ""
        if row["low"] is not None:
            high = "or more" if row["high"] is None else f"to {row['high']:.3g}"
            interval = f" ({row['low']:.3g} {high})"
        parts.append(f"{row['deciding_case']}: {row['measured']:.3g}{interval}")
    if row["bound"] is not None:
        parts.append(f"bound {row['bound']:.3g}, {row['bound_description']}")
    return "; ".join([row["sizes"], *parts]) if parts else ""


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
    for origin in ORIGINS:
        own = [row for row in table.to_pylist() if row["origin"] == origin]
        if own:
            yield f"{origin}: {count_verdicts(row['verdict'] for row in own)}"
            for row in own:
                yield f"{row['verdict']:<10} {row['claim']:<36} {in_words(row)}".rstrip()
    yield f"{folder}/figures/rank_*.{{svg,png,pdf,csv,parquet}}  the figures"
    yield f"{folder}/tables/rank_errors.html  the error of every cell"
