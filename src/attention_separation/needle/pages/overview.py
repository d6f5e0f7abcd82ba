"""This study's page of the report, and captions of figures and tables."""

from pathlib import Path

import pyarrow as pa

from attention_separation.pages.captions import Caption
from attention_separation.pages.overview import Overview, Section, write_overview
from attention_separation.results.tables import read_parquet
from attention_separation.settings.jobs import PageJob

from ..claims import claims_table, outcomes
from ..exact import line_table
from ..figures import accuracy, critical, features, paper_network
from ..settings.titles import FIGURES
from ..training import cell_table, cells_table
from .findings import claim_counts, first_findings, more_findings

__all__ = ["HONESTY", "QUESTION", "read_overview", "read_tables", "run"]

TITLE = "The needle: what one query can tell when tokens are noisy"
QUESTION = (
    "The first paper's weights are drawn, not trained, and its tokens have no noise. With noise on "
    "every token and one query, whose weights may be anything: up to which n can each kernel "
    "tell whether one token carries the signal?"
)
HONESTY = (
    "Accuracies are computed, each with the error that a finer grid shows. Uniform weights (none) "
    "and linear attention have bounds: one layer, any number of heads whose queries do not see the "
    "tokens, scores and values linear in them, this noise, and anything behind. Powers and softmax "
    "have references: the best single threshold on one ratio, or on the largest token. Only the "
    "bounds say what cannot be."
)
SCHEMAS = {
    "needle_lines": line_table.ACCURACIES,
    "needle_critical": line_table.CRITICAL,
    "needle_bound_ends": line_table.BOUND_ENDS,
    "needle_cells": cell_table.SCHEMA,
    "needle_claims": outcomes.SCHEMA,
}
SHOWS = {
    "needle_accuracy": accuracy.NOTE,
    "needle_critical": critical.NOTE,
    "needle_features": features.NOTE,
    "needle_paper_network": paper_network.NOTE,
}
DOTS = {"needle_accuracy": accuracy.NOTE_OF_DOTS, "needle_critical": critical.NOTE_OF_DOTS}
"""What stands beneath each figure, and what more where networks were trained."""

LEAD = "needle_accuracy"


def read_tables(job: PageJob, results: Path) -> dict[str, pa.Table]:
    """The tables of a folder of results by name; TableError if of other settings."""
    return {
        name: read_parquet(results / f"tables/{name}.parquet", SCHEMAS[name], digest)
        for name, digest in job.tables.items()
    }


def read_overview(job: PageJob, results: Path) -> Overview:
    """What there is to say of a folder of results."""
    tables = read_tables(job, results)
    abouts = {name: text.splitlines() for name, text in line_table.ABOUT.items()}
    sections = []
    trained = "needle_cells" in tables
    if trained:
        abouts["needle_cells"] = [cells_table.ABOUT]
    if "needle_claims" in tables:
        claims = tables["needle_claims"]
        abouts["needle_claims"] = [
            claims_table.about(claims),
            *claim_counts(claims, tables.get("needle_cells")),
        ]
        sections.append(Section("The claims", {"": claims}, about=[claims_table.about(claims)]))
    return Overview(
        title=TITLE,
        question=QUESTION,
        said=first_findings(tables),
        more=more_findings(tables),
        picture=LEAD,
        honesty=HONESTY,
        scale=f"**{job.scale}**",
        command="snakemake needle",
        sections=sections,
        figures={
            name: Caption(title, [_beneath(name, trained)])
            for name, title in FIGURES.items()
            if name in job.figures
        },
        tables={name: abouts[name] for name in tables},
    )


def _beneath(name: str, trained: bool) -> str:
    return (SHOWS[name] + (DOTS.get(name, "") if trained else "")).replace("\n", " ")


def run(job: PageJob, results: Path, output: Path) -> None:
    write_overview(read_overview(job, results), results, output)
