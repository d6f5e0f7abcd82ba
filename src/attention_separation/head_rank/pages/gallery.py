"""Verb `rank-gallery`: this paper's pictures under docs/, the page that shows them, README's block.

Apart from the first paper's, because trained numbers hold for one kind of processor only.
"""

import argparse
import shutil
from pathlib import Path

import pyarrow as pa

from attention_separation.head_rank.claims.outcomes import SCHEMA, WHOSE, in_words
from attention_separation.head_rank.constructions import features, temperature, vote
from attention_separation.head_rank.pages.captions import TITLES
from attention_separation.head_rank.pages.construction_findings import (
    features_findings,
    temperature_findings,
    vote_findings,
)
from attention_separation.head_rank.pages.findings import claims_findings
from attention_separation.head_rank.pages.training_findings import (
    additive_findings,
    depth_findings,
    fresh_findings,
    points_findings,
    published_findings,
    rank_findings,
)
from attention_separation.head_rank.training import cell_table
from attention_separation.pages.gallery_block import with_block
from attention_separation.results.files import replacing, write_text
from attention_separation.results.tables import read_parquet

BEGIN, END = "<!-- rank: written by `make rank-gallery` -->\n", "<!-- end of rank -->\n"
FOLDER = "head_rank"
IN_README = (
    "rank_fig1",
    "rank_fig3",
    "rank_fig4",
    "rank_fresh",
    "rank_vote",
    "rank_random_features",
)
TABLES = ("rank_claims.csv", "rank_errors.csv")


def findings(results: Path, scale: str, level: float) -> tuple[list[str], list[str]]:
    """What all tables in a folder of results say: first, in README too, and further on; differences
    at the claims' level."""

    def table(name: str, schema: pa.Schema) -> pa.Table:
        return read_parquet(results / f"{name}.parquet", schema)

    def runs(*figures: str) -> list[dict]:
        """Each run once, for figures share cells."""
        rows = [row for name in figures
                for row in table(f"figures/{name}", cell_table.RUNS).to_pylist()]  # fmt: skip
        return list({(row["cell"], row["run"]): row for row in rows}.values())

    counts, *others = claims_findings(table("tables/rank_claims", SCHEMA), scale)
    first = [
        counts,
        *rank_findings(runs("rank_fig1", "rank_fig3")),
        *others,
        *depth_findings(runs("rank_fig1")),
    ]
    return first, [
        *published_findings(),
        *additive_findings(runs("rank_fig3"), level),
        *points_findings(runs("rank_fig4"), level),
        *fresh_findings(runs("rank_fresh"), level),
        *temperature_findings(table("numbers/temperature", temperature.SCHEMA)),
        *vote_findings(table("numbers/vote", vote.SCHEMA)),
        *features_findings(table("numbers/features", features.SCHEMA)),
    ]


def readme_block(sentences: list[str]) -> str:
    """What stands between the marks in README.md."""
    pictures = "".join(f"![{TITLES[name]}](docs/{FOLDER}/{name}.svg)\n" for name in IN_README)
    listed = "".join(f"- {sentence}\n" for sentence in sentences)
    more = f"All claims with their numbers, and all figures: [docs/{FOLDER}.md](docs/{FOLDER}.md)."
    return f"{BEGIN}\n{pictures}\n{listed}\n{more}\n\n{END}"


def page(sentences: list[str], judged: pa.Table) -> str:
    """docs/head_rank.md: findings, claims and all figures."""
    listed = "".join(f"- {sentence}\n" for sentence in sentences)
    claims = "\n".join(_claims(judged, whose) for whose in WHOSE)
    pictures = "\n".join(f"![{about}]({FOLDER}/{name}.svg)\n" for name, about in TITLES.items())
    tables = ", ".join(f"[{name}]({FOLDER}/{name})" for name in TABLES)
    return (
        "# The rank of attention heads: figures and findings\n\n"
        "Written by `make rank-gallery`.\n\n"
        f"{listed}\n{claims}\nAs tables, with the error of every cell: {tables}.\n\n"
        f"## Figures\n\n{pictures}"
    )


def _claims(judged: pa.Table, whose: str) -> str:
    """The table of some claims under its heading; empty where there are none."""
    rows = "".join(
        f"| {row['statement']} | {row['verdict']} | {in_words(row)} |\n"
        for row in judged.to_pylist()
        if row["whose"] == whose
    )
    if not rows:
        return ""
    return (
        f"## Claims: {whose}\n\n| claim | verdict | the comparison furthest from agreeing |\n"
        f"|---|---|---|\n{rows}"
    )


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--results", required=True, type=Path, help="folder of results")
    parser.add_argument("--scale", required=True, help="scale that they were made at")
    parser.add_argument("--level", required=True, type=float, help="level of the claims")
    parser.add_argument("--docs", required=True, type=Path, help="folder to write to")
    parser.add_argument("--readme", required=True, type=Path, help="README to write the block into")


def run(arguments: argparse.Namespace) -> None:
    first, more = findings(arguments.results, arguments.scale, arguments.level)
    judged = read_parquet(arguments.results / "tables/rank_claims.parquet", SCHEMA)
    text = arguments.readme.read_text(encoding="utf-8")
    readme = with_block(text, BEGIN, readme_block(first), END)
    files = [arguments.results / "figures" / f"{name}.svg" for name in TITLES]
    files += [arguments.results / "tables" / name for name in TABLES]
    for path in files:
        with replacing(arguments.docs / FOLDER / path.name) as part:
            shutil.copyfile(path, part)
    write_text(arguments.docs / f"{FOLDER}.md", page([*first, *more], judged))
    write_text(arguments.readme, readme)
