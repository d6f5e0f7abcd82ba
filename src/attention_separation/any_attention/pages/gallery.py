"""Verb `kernels-gallery`: this study's pictures under docs/, the page that shows them, README's
block."""

import argparse
from dataclasses import replace

import pyarrow as pa

from attention_separation.any_attention.exact.layers import LAYERS
from attention_separation.any_attention.pages.findings import (
    findings,
    layer_rows,
    simulated_findings,
)
from attention_separation.any_attention.pages.overview import HONESTY, SCHEMAS
from attention_separation.any_attention.settings.jobs import OverviewJob
from attention_separation.any_attention.settings.titles import FIGURES
from attention_separation.pages.gallery import Gallery, add_arguments, write_gallery
from attention_separation.results.tables import read_parquet

__all__ = ["GALLERY", "add_arguments", "run"]

GALLERY = Gallery(
    mark="kernels",
    command="make gallery",
    folder="kernels",
    title="Any attention: which kernels separate",
    page_has="Up to which n each kernel separates, and all figures",
    pictures=FIGURES,
    in_readme=["kernels_accuracy"],
    tables=("kernels.csv", "kernel_values.csv", "kernel_laws.csv", "kernels_simulated.csv"),
)


def kernels_text(kernels: pa.Table) -> str:
    """The table of kernels in Markdown, a row for each, and what stands before the pictures."""
    reach = {
        (layer, row["kernel"]): row["last_n"]
        for layer in LAYERS
        for row in layer_rows(kernels, layer).to_pylist()
    }
    each = {row["kernel"]: row for row in kernels.to_pylist()}
    lines = [
        f"| {name} | {_plain(row['formula'])} | {row['normaliser']} | "
        + " | ".join(_cell(reach[layer, name]) for layer in LAYERS)
        + f" | {row['source']} |"
        for name, row in each.items()
    ]
    head = " | ".join(layer.words for layer in LAYERS)
    tables = ", ".join(f"[{name}]({GALLERY.folder}/{name})" for name in GALLERY.tables)
    return (
        f"{HONESTY}\n\n## Kernels\n\nThe largest multiple of K up to 10¹² at which each "
        "separates; — where there is none.\n\n"
        f"| kernel | formula | divided by | {head} | source |\n|---|---|---|---|---|---|---|\n"
        + "\n".join(lines)
        + f"\n\nAs tables: {tables}.\n\n## Figures"
    )


def _plain(formula: str) -> str:
    """A formula as Markdown shows it as it is: one of config.yaml can have ** and <."""
    return formula.replace("*", r"\*").replace("<", r"\<")


def _cell(last: float | None) -> str:
    if last is None:
        return "—"
    return "10¹² still" if last == float("inf") else f"{last:,.0f}"


def run(arguments: argparse.Namespace) -> None:
    job = OverviewJob.model_validate_json(arguments.settings)
    tables = {
        name: read_parquet(arguments.results / f"tables/{name}.parquet", SCHEMAS[name], digest)
        for name, digest in job.tables.items()
    }
    simulated = tables.pop("kernels_simulated")
    said = findings(tables, job.data)
    gallery = replace(
        GALLERY,
        pictures={name: title for name, title in FIGURES.items() if name in job.figures},
        in_readme=[name for name in GALLERY.in_readme if name in job.figures],
    )
    more = simulated_findings(simulated)
    write_gallery(arguments, gallery, said, more, kernels_text(tables["kernels"]))
