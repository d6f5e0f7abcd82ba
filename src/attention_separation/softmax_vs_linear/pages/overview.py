"""Verb `overview`: the report's first page, its opening words, and a caption for each figure."""

import argparse
from collections.abc import Sequence
from functools import partial
from html import escape
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from attention_separation.pages.html import document, table_element
from attention_separation.pages.prose import as_html, as_rst, rst_list
from attention_separation.pages.report_page import (
    STYLE,
    Caption,
    caption_rst,
    figures_element,
    write_text,
)
from attention_separation.results.tables import read_parquet
from attention_separation.softmax_vs_linear.audits import phase
from attention_separation.softmax_vs_linear.figures import joined_table
from attention_separation.softmax_vs_linear.models import MODELS
from attention_separation.softmax_vs_linear.models.contest import said_contests
from attention_separation.softmax_vs_linear.pages.captions import (
    choices_caption,
    drawing_caption,
    panels_caption,
    phase_caption,
    theta_caption,
    threshold_caption,
)
from attention_separation.softmax_vs_linear.pages.findings import success_findings
from attention_separation.softmax_vs_linear.pages.result_tables import (
    SAYING,
    TABLES,
    findings,
    path_of,
)
from attention_separation.softmax_vs_linear.settings.jobs import OverviewJob, ShownFigure

TITLE = "Softmax against linear attention"
QUESTION = (
    "Can a network with softmax attention tell two datasets apart where the same network with "
    "linear attention, at the same threshold, cannot? The paper (arXiv 2310.11685) states theorems "
    "that say so of two networks with random weights, F_exp and F_lin, and experiments. A trial "
    "draws D0, D1 and signs y; it succeeds if F_exp is positive on D1 and zero on D0, while F_lin "
    "is zero on both."
)
HONESTY = (
    "The paper's own curves are not published as data: nothing here claims to agree with them. "
    "Agrees, undecided and differs are said of this reproduction's trials and its own exact or "
    "reference values. Both take attention's distinct rows from the same functions: what shows "
    "those right are tests against n x n attention. An asterisk, or a column `reconstructed`, "
    "marks what the paper's text does not state and is read or chosen here."
)


def panels_overview(
    tables: list[pa.Table],
    models: dict[str, str],
    reconstructed: dict[str, str],
    verdicts: dict[str, dict],
) -> pa.Table:
    """A row for each panel of some figures' numbers, each panel once."""
    rows = {}
    for table in tables:
        for panel in dict.fromkeys(table["panel"].to_pylist()):
            own = table.filter(pc.equal(table["panel"], panel))
            rates, exact = own["p_hat"].to_numpy(), own["p_exact"].to_numpy()
            verdict = verdicts.get(panel)
            rows[panel] = {
                "panel": panel,
                "model": MODELS[models[panel]].words,
                "swept": own["parameter"][0].as_py().replace(",", ", "),
                "points": len(own),
                "trials": own["trials"][0].as_py(),
                "mean rate": float(rates.mean()),
                "computed": "exactly" if own["p_error"].to_numpy().max() == 0 else "reference",
                "mean computed": float(exact.mean()),
                "least computed": float(exact.min()),
                "largest computed": float(exact.max()),
                "verdict": verdict["verdict"] if verdict else "not judged yet",
                "reconstructed": reconstructed.get(panel, ""),
            }
    return pa.Table.from_pylist([rows[panel] for panel in sorted(rows)])


def sentences(tables: dict[str, pa.Table], numbers: list[pa.Table]) -> list[str]:
    """What the tables and the figures' numbers say; a panel in two figures counts once."""
    exact, seen = [], set()
    for table in numbers:
        for panel in dict.fromkeys(table["panel"].to_pylist()):
            if panel not in seen:
                exact.append(table.filter(pc.equal(table["panel"], panel)))
                seen.add(panel)
    return [*success_findings(exact), *findings(tables, exact)]


def page(
    said: list[str], panels: pa.Table, figures: list[tuple[Caption, str]], missing: list[str],
    scale: str, notes: Sequence[str] = (),
) -> str:  # fmt: skip
    """The page's text; `figures` are captions with their pictures as SVG, `missing` tables that
    have not been made, `notes` sentences on the panels."""
    answer = "".join(f"<li>{as_html(sentence)}</li>\n" for sentence in said)
    parts = [f"<h2>The question</h2>\n<p>{escape(QUESTION)}</p>"]
    parts.append(f"<h2>The answer</h2>\n<ul>{answer}</ul>" if said else "")
    if scale != "paper":
        parts.append(f"<p>Made at the scale <b>{escape(scale)}</b>, not the paper's.</p>")
    if missing:
        parts.append(
            f"<p class='note'>Not made yet: {escape(', '.join(missing))}. <code>snakemake</code> "
            f"makes everything.</p>"
        )
    parts.append(f"<p class='note'>{escape(HONESTY)}</p>")
    if len(panels):
        parts.append(f"<h2>The panels</h2>\n{table_element(panels)}")
        parts += [f"<p>{escape(note)}</p>" for note in notes]
    parts.append(figures_element(figures))
    return document(TITLE, "\n".join(filter(None, parts)), STYLE)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--settings", required=True, help="what to show, as JSON")
    parser.add_argument("--results", required=True, type=Path, help="folder of results")
    parser.add_argument(
        "--output", required=True, type=Path, help="html to write, captions in a folder beside"
    )


def run(arguments: argparse.Namespace) -> None:
    job = OverviewJob.model_validate_json(arguments.settings)
    tables = _tables(job, arguments.results)
    verdicts = {row["panel"]: row for row in _rows_of(tables, "verdicts")}
    pictures = arguments.results / "figures"
    numbers, captions, contests = [], {}, {}
    for figure in job.figures:
        if figure.panels:
            path = pictures / f"{figure.name}.parquet"
            columns = joined_table.joined_schema(figure.contests)
            numbers.append(read_parquet(path, columns, figure.settings))
            own_contests = dict(zip(figure.panels, figure.contests, strict=True))
            contests |= own_contests
            own = numbers[-1], figure.reconstructed, verdicts, own_contests
            captions[figure.name] = panels_caption(figure.title, *own)
        else:
            captions[figure.name] = _audit_caption(figure, pictures, job)
    said = sentences(tables, numbers)
    shown = [
        (caption, (pictures / f"{name}.svg").read_text(encoding="utf-8"))
        for name, caption in captions.items()
    ]
    missing = [name for name in TABLES if name not in tables]
    panels = panels_overview(numbers, job.models, job.reconstructed, verdicts)
    write_text(
        arguments.output, page(said, panels, shown, missing, job.scale, said_contests(contests))
    )
    opening = f"{as_rst(QUESTION)}\n\n{rst_list(said)}"
    write_text(arguments.output.with_suffix(".rst"), opening)
    folder = arguments.output.parent / "captions"
    for name, caption in captions.items():
        write_text(folder / "figures" / f"{name}.rst", caption_rst(caption))
    for name, (_, say) in TABLES.items():
        if name in tables:
            write_text(folder / "tables" / f"{name}.rst", rst_list(say(tables[name])))


def _tables(job: OverviewJob, folder: Path) -> dict[str, pa.Table]:
    return {
        name: read_parquet(folder / path_of(name), schema, job.tables[name])
        for name, (schema, _) in SAYING.items()
        if name in job.tables
    }


def _rows_of(tables: dict[str, pa.Table], name: str) -> list[dict]:
    return tables[name].to_pylist() if name in tables else []


def _audit_caption(figure: ShownFigure, folder: Path, job: OverviewJob) -> Caption:
    audits = {
        "threshold": threshold_caption,
        "theta": partial(theta_caption, contests=job.contests),
        "choices": choices_caption,
        "phase": partial(phase_caption, contests=job.map_contests),
    }
    if figure.name not in audits:
        return drawing_caption(figure.name)
    schema = phase.SCHEMA if figure.name == "phase" else SAYING[figure.name][0]
    table = read_parquet(folder / f"{figure.name}.parquet", schema, job.tables[figure.name])
    return audits[figure.name](table)
