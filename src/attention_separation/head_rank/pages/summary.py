"""Verb `rank-summary`: the verdict on each claim, one line each."""

import argparse
from pathlib import Path

from attention_separation.config import digest_of, load_config, overrides_of
from attention_separation.head_rank.claims.outcomes import SCHEMA, WHOSE, in_words
from attention_separation.results.tables import read_parquet
from attention_separation.statistics.verdict_words import count_verdicts


def line(row: dict) -> str:
    """Verdict, claim, and the comparison that is furthest from agreeing."""
    return f"{row['verdict']:<10} {row['claim']:<36} {in_words(row)}".rstrip()


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("overrides", nargs="*", metavar="KEY=VALUE", help="as after --config")


def run(arguments: argparse.Namespace) -> None:
    config = load_config(Path("config.yaml"), overrides_of(arguments.overrides))
    folder = Path(config.head_rank.results)
    path = folder / "tables" / "rank_claims.parquet"
    if not path.exists():
        raise ValueError(f"{path}: not made yet; run `snakemake rank` first")
    table = read_parquet(path, SCHEMA, digest_of(config.head_rank.claims_job(config.seed)))
    print(f"claims on the rank of heads, at the scale {config.head_rank.scale}")
    for whose in WHOSE:
        own = [row for row in table.to_pylist() if row["whose"] == whose]
        if not own:
            continue
        print(f"{whose}: {count_verdicts(row['verdict'] for row in own)}")
        for row in own:
            print(line(row))
    print(f"{folder}/figures/rank_*.{{svg,png,pdf,csv,parquet}}  the figures")
    print(f"{folder}/tables/rank_errors.html  the error of every cell")
