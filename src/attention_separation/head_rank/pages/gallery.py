"""This paper's pictures under docs/, the page that shows them, README's block.

Apart from the first paper's, because trained numbers hold for one kind of processor only.
"""

from pathlib import Path

import pyarrow as pa

from attention_separation.pages.gallery import Folders, Gallery, table_links, write_gallery
from attention_separation.pages.prose import markdown_table
from attention_separation.results.tables import read_parquet

from ..claims.outcomes import SCHEMA, WHOSE, in_words
from ..paper_size.page import write_pages
from ..settings.jobs import RankPage
from ..settings.titles import FIGURES, THEORY
from .captions import OF_NUMBERS, OF_RUNS, read_numbers, runs_of
from .claim_findings import claims_findings
from .training_findings import depth_findings, published_findings, rank_findings

__all__ = ["GALLERY", "claims_text", "read_findings", "run"]

GALLERY = Gallery(
    mark="rank",
    command="make rank-gallery",
    folder="head_rank",
    title="The rank of attention heads: figures and findings",
    pictures=FIGURES,
    in_readme=["rank_theory"],
    page_has="All claims with their numbers, and all figures",
    tables=(
        "rank_claims",
        "rank_errors",
        "rank_bound",
        "rank_heads_needed",
        "rank_found",
        "rank_plurality",
    ),
)


def read_findings(
    results: Path, judged: pa.Table, scale: str, level: float
) -> tuple[list[str], list[str]]:
    """What the claims and all figures in a folder of results say: first, in README too, and further
    on; differences at the claims' level."""

    def runs(*figures: str) -> list[dict]:
        """Each once, for figures share cells."""
        return runs_of([row for f in figures for row in read_numbers(f, results).to_pylist()])

    counts, *others = claims_findings(judged, scale)
    theory = [
        sentence
        for figure in THEORY
        for sentence in OF_NUMBERS[figure][1](read_numbers(figure, results))
    ]
    first = [theory[0], counts, *rank_findings(runs("rank_fig1", "rank_fig3"))]
    more = [*theory[1:], *others, *depth_findings(runs("rank_fig1")), *published_findings()]
    for figure, say in OF_RUNS.items():
        more += say(runs(figure), level)
    for figure, (_, say) in OF_NUMBERS.items():
        more += say(read_numbers(figure, results)) if figure not in THEORY else []
    return first, more


def claims_text(judged: pa.Table) -> str:
    """The claims in Markdown, and what stands before the pictures."""
    claims = "\n".join(_claims(judged, whose) for whose in WHOSE)
    return (
        f"{claims}\nAs tables, with the error of every cell: {table_links(GALLERY)}.\n\n## Figures"
    )


def _claims(judged: pa.Table, whose: str) -> str:
    """The table of some claims under its heading; empty where there are none."""
    rows = [
        [row["statement"], row["verdict"], in_words(row)]
        for row in judged.to_pylist()
        if row["whose"] == whose
    ]
    head = ["claim", "verdict", "the comparison furthest from agreeing"]
    return f"## Claims: {whose}\n\n{markdown_table(head, rows)}" if rows else ""


def run(job: RankPage, results: Path, docs: Path, readme: Path) -> None:
    settings = job.tables["rank_claims"]
    judged = read_parquet(results / "tables/rank_claims.parquet", SCHEMA, settings)
    first, more = read_findings(results, judged, job.scale, job.level)
    write_gallery(Folders(results, docs, readme), GALLERY, first, more, claims_text(judged))
    write_pages(results, docs)
