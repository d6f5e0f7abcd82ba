"""This study's pictures under docs/, the page that shows them, README's block."""

import math
from pathlib import Path

import pyarrow as pa

from attention_separation.pages.gallery import Folders, Gallery, table_links, write_gallery
from attention_separation.pages.prose import markdown_table
from attention_separation.settings.jobs import PageJob

from ..exact.line_table import MU
from ..settings.titles import FIGURES, TABLES
from .findings import first_findings, in_words, more_findings, power_of_ten, reaches
from .overview import HONESTY, QUESTION, read_tables

__all__ = ["GALLERY", "page_text", "run"]

GALLERY = Gallery(
    mark="needle",
    command="make needle-gallery",
    folder="needle",
    title="The needle: what one query can tell when tokens are noisy",
    page_has="All claims, critical n and figures",
    pictures=FIGURES,
    in_readme=["needle_accuracy"],
    tables=tuple(TABLES),
)

SYMBOLS = {
    "none": "1, uniform weights", "linear": "x", "power_2": "(x + δ)²", "power_3": "(x + δ)³",
    "power_4": "(x + δ)⁴", "exp": "eˣ", "bayes": "likelihood ratio",
}  # fmt: skip

RUN = (
    "`make needle` trains the networks and makes all of it, on two cores in about seven minutes; "
    "`snakemake needle_lines` makes the computed tables alone, without PyTorch, in half a minute, "
    "and `snakemake needle_gallery` writes this page. For any μ and n of your own: "
    "[the API](api.md#a-needle-in-noise). The equations: "
    "[the study's page](../src/attention_separation/needle/README.md)."
)


def page_text(tables: dict[str, pa.Table]) -> str:
    """The question, the claims and the critical n in Markdown, and what stands before the
    pictures."""
    return (
        f"{QUESTION} {HONESTY}\n\n{RUN}\n\n"
        f"## Critical n\n\nThe n at which the best accuracy is 0.75.\n\n"
        f"{critical_text(tables['needle_critical'])}\n"
        f"## Where the bound ends\n\nLayers just outside the class of the bounds, weights set by "
        f"hand; μ = {MU:g}.\n\n{ends_text(tables['needle_bound_ends'])}\n"
        f"## Claims\n\n{claims_text(tables['needle_claims'])}\n"
        f"As tables: {table_links(GALLERY)}.\n\n## Figures"
    )


def critical_text(critical: pa.Table) -> str:
    """A row for each kernel, a column for each mu."""
    reach = reaches(critical)
    kinds = {row["kernel"]: row["kind"] for row in critical.to_pylist()}
    mus = sorted({mu for _, mu in reach})
    return markdown_table(
        ["kernel", "weight", "the line is", *(f"μ = {mu:g}" for mu in mus)],
        [[f"`{kernel}`", SYMBOLS[kernel], kind, *(_number(reach[kernel, mu]) for mu in mus)]
         for kernel, kind in kinds.items()],
    )  # fmt: skip


def ends_text(ends: pa.Table) -> str:
    """A row for each layer."""
    return markdown_table(
        ["layer", "kernel", "n", "limit of the class", "reached"],
        [[row["layer"], f"`{row['kernel']}`", f"{row['n']}", f"{row['limit']:.4f}",
          f"{row['accuracy']:.4f}"] for row in ends.to_pylist()],
    )  # fmt: skip


def claims_text(claims: pa.Table) -> str:
    """A row for each claim."""
    return markdown_table(
        ["claim", "what is said", "rule", "verdict", "the comparison furthest from agreeing"],
        [[*(row[name] for name in ("claim", "statement", "rule", "verdict")), in_words(row)]
         for row in claims.to_pylist()],
    )  # fmt: skip


def _number(critical: float) -> str:
    if math.isinf(critical):
        return "above 10¹⁵"
    if critical < 100:
        return f"{critical:.1f}"
    return f"{critical:,.0f}" if critical < 1e9 else power_of_ten(critical)


def run(job: PageJob, results: Path, docs: Path, readme: Path) -> None:
    tables = read_tables(job, results)
    first, more = first_findings(tables), more_findings(tables)
    write_gallery(Folders(results, docs, readme), GALLERY, first, more, page_text(tables))
