"""Verb `rank-overview`: this paper's page of the report, and captions of figures and tables."""

import argparse
from html import escape
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from attention_separation.head_rank.claims import claims_table as claims
from attention_separation.head_rank.claims import errors_table
from attention_separation.head_rank.claims.outcomes import WHOSE
from attention_separation.head_rank.constructions import features, temperature, vote
from attention_separation.head_rank.pages.captions import numbers_caption, trained_caption
from attention_separation.head_rank.pages.findings import claims_findings
from attention_separation.head_rank.settings.jobs import OverviewJob
from attention_separation.head_rank.training import cell_table
from attention_separation.pages.html import document, table_element
from attention_separation.pages.prose import as_html, rst_list
from attention_separation.pages.report_page import (
    STYLE,
    Caption,
    caption_rst,
    figures_element,
    write_text,
)
from attention_separation.results.tables import read_parquet
from attention_separation.statistics.verdict_words import count_verdicts

TITLE = "Rank of attention heads"
QUESTION = (
    "Can many attention heads of low rank do what one head of full rank does? The paper "
    "(arXiv 2407.16153) proves, up to constants that it does not state, that for the nearest of "
    "two orthogonal points one layer of heads of rank r cannot unless they are very many: not to "
    "an error of order 1/d where r is at most d - 3, nor to a fixed error where d is large against "
    "r. It says that two layers with added coordinates can, for two points; and trains "
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
NUMBERS = {
    "rank_temperature": temperature.SCHEMA,
    "rank_vote": vote.SCHEMA,
    "rank_random_features": features.SCHEMA,
}
SHOWN = tuple(name for name in claims.SCHEMA.names if name != "whose")
SCHEMAS = {"rank_claims": claims.SCHEMA, "rank_errors": errors_table.SCHEMA}


def page(
    job: OverviewJob, said: list[str], table: pa.Table | None, figures: list[tuple[Caption, str]]
) -> str:
    """The page's text; `table` is that of the claims, if it has been made."""
    parts = [f"<h2>The question</h2>\n<p>{escape(QUESTION)}</p>"]
    if said:
        answer = "".join(f"<li>{as_html(sentence)}</li>\n" for sentence in said)
        parts.append(f"<h2>The answer</h2>\n<ul>{answer}</ul>")
    parts.append(f"<p>Made at the scale <b>{escape(job.scale)}</b>.</p>")
    parts.append(f"<p class='note'>{escape(HONESTY)}</p>")
    if table is not None:
        about = escape(claims.about(job.scale, job.margin, job.level))
        parts.append(f"<h2>The claims</h2>\n<p>{about}</p>")
        for whose in WHOSE:
            own = table.filter(pc.field("whose") == whose).select(list(SHOWN))
            if not len(own):
                continue
            counts = f"{len(own)}: {count_verdicts(own['verdict'].to_pylist())}"
            parts.append(f"<h3>{escape(f'{whose}, {counts}')}</h3>\n{table_element(own)}")
    return document(TITLE, "\n".join([*parts, figures_element(figures)]), STYLE)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--settings", required=True, help="what to show, as JSON")
    parser.add_argument("--results", required=True, type=Path, help="folder of results")
    parser.add_argument(
        "--output", required=True, type=Path, help="html to write, captions in a folder beside"
    )


def run(arguments: argparse.Namespace) -> None:
    job = OverviewJob.model_validate_json(arguments.settings)
    figures = arguments.results / "figures"
    captions = {
        name: _caption(name, figures / f"{name}.parquet", settings, job.level)
        for name, settings in job.figures.items()
    }
    tables = {
        name: read_parquet(arguments.results / "tables" / f"{name}.parquet", SCHEMAS[name], digest)
        for name, digest in job.tables.items()
    }
    said = claims_findings(tables["rank_claims"], job.scale) if "rank_claims" in tables else []
    # What figures say stands in their captions too; counts of runs only there.
    said += [
        sentence
        for caption in captions.values()
        for sentence in caption.sentences
        if sentence.startswith("**")
    ]
    shown = [
        (caption, (figures / f"{name}.svg").read_text(encoding="utf-8"))
        for name, caption in captions.items()
    ]
    write_text(arguments.output, page(job, said, tables.get("rank_claims"), shown))
    write_text(arguments.output.with_suffix(".rst"), rst_list(said))
    folder = arguments.output.parent / "captions"
    for name, caption in captions.items():
        write_text(folder / f"{name}.rst", caption_rst(caption))
    for name in tables:
        about = errors_table.ABOUT.format(scale=job.scale)
        if name == "rank_claims":
            about = claims.about(job.scale, job.margin, job.level)
        write_text(folder / f"{name}.rst", rst_list([about]))


def _caption(name: str, path: Path, settings: str, level: float) -> Caption:
    if name in NUMBERS:
        return numbers_caption(name, read_parquet(path, NUMBERS[name], settings))
    schema = cell_table.HEADS if name == "rank_fig2" else cell_table.RUNS
    return trained_caption(name, read_parquet(path, schema, settings), level)
