"""This paper's page of the report, and captions of figures and tables."""

from pathlib import Path

import pyarrow as pa

from attention_separation.pages.overview import Overview, Section, write_overview
from attention_separation.results.tables import read_parquet, select_rows
from attention_separation.statistics.verdict_words import count_verdicts

from ..claims import claims_table as claims
from ..claims import errors_table
from ..claims.outcomes import WHOSE
from ..settings.jobs import RankPage
from ..theory import bound_table, found_table, plurality_table
from .captions import figure_caption, read_numbers
from .claim_findings import claims_findings
from .derivation import STEPS

__all__ = ["read_overview", "run"]

TITLE = "Rank of attention heads"
QUESTION = (
    "Can many attention heads of low rank do what one head of full rank does? The paper "
    "(arXiv 2407.16153) proves, up to constants that it does not state, that for the nearest of "
    "two orthogonal points one layer of heads of rank r cannot unless they are very many: not to "
    "an error of order 1/d where r is at most d - 3, nor to a fixed error where d is large against "
    "r. Here that is a number for every d, rank and number of heads, beside heads that exist. The "
    "paper says that two layers with added coordinates can, for two points; and trains "
    "transformers to find the farthest point of a set. Errors are expected squared distances: "
    "predicting zero has 1, and uniform attention (rank 0), whose weights depend on no point, has "
    "less."
)
HONESTY = (
    "Errors of trained transformers are held-out: measured on sets never trained on, as means over "
    "runs with their spread. The paper's figures show the least training loss of any epoch and run "
    "instead, on batches that, by the published configurations, come back at every epoch. What is "
    "said of runs holds at the dimensions and numbers of points that are named, under one recipe "
    "of training."
)
SHOWN = tuple(name for name in claims.SCHEMA.names if name != "whose")
LEAD = "rank_theory"
"""The figure that the report's section on this paper opens with."""

SCHEMAS = {
    "rank_claims": claims.SCHEMA,
    "rank_errors": errors_table.SCHEMA,
    "rank_bound": bound_table.BOUND,
    "rank_heads_needed": bound_table.NEEDED,
    "rank_found": found_table.SCHEMA,
    "rank_plurality": plurality_table.SCHEMA,
}


def run(job: RankPage, results: Path, output: Path) -> None:
    write_overview(read_overview(job, results), results, output)


def read_overview(job: RankPage, results: Path) -> Overview:
    """What there is to say of a folder of results."""
    captions = {
        name: figure_caption(name, read_numbers(name, results, settings), job.level)
        for name, settings in job.figures.items()
    }
    tables = {
        name: read_parquet(results / f"tables/{name}.parquet", SCHEMAS[name], digest)
        for name, digest in job.tables.items()
    }
    judged = tables.get("rank_claims")
    # What figures say stands in their captions too; counts of runs only there.
    told = {
        name: [s for s in caption.sentences if s.startswith("**")]
        for name, caption in captions.items()
    }
    lead = told.get(LEAD, [])[:1]
    counts, *claimed = claims_findings(judged, job.scale) if judged else [None]
    rest = [s for sentences in told.values() for s in sentences if s not in lead]
    derived = [Section("The bound for one layer, derived", {}, about=STEPS)] if lead else []
    abouts = {
        "rank_claims": claims.about(job.scale, job.margin, job.level),
        "rank_errors": errors_table.ABOUT.format(scale=job.scale),
        "rank_bound": bound_table.BOUND_ABOUT,
        "rank_heads_needed": bound_table.NEEDED_ABOUT,
        "rank_found": found_table.ABOUT,
        "rank_plurality": plurality_table.ABOUT,
    }
    return Overview(
        title=TITLE,
        question=QUESTION,
        said=[*lead, *filter(None, [counts])],
        more=[*claimed, *rest],
        picture=LEAD,
        honesty=HONESTY,
        scale=f"**{job.scale}**",
        sections=[
            *derived,
            *([claims_section(judged, abouts["rank_claims"])] if judged else []),
        ],
        figures=captions,
        tables={name: [abouts[name]] for name in tables},
    )


def claims_section(judged: pa.Table, about: str) -> Section:
    """The claims, the paper's and others apart."""
    tables = {}
    for whose in WHOSE:
        own = select_rows(judged, whose=whose)
        counts = count_verdicts(own["verdict"].to_pylist())
        if len(own):
            tables[f"{whose}, {len(own)}: {counts}"] = own.select(list(SHOWN))
    return Section("The claims", tables, about=[about])
