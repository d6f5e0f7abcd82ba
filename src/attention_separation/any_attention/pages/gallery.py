"""This study's pictures under docs/, the page that shows them, README's block."""

import math
from dataclasses import replace
from pathlib import Path

import pyarrow as pa

from attention_separation.pages.gallery import Folders, Gallery, table_links, write_gallery
from attention_separation.pages.prose import markdown_table
from attention_separation.results.tables import read_parquet, write_csv

from ..exact.layers import LAYERS, Layer
from ..laws.law_table import elsewhere_table
from ..settings.jobs import KernelsPage
from ..settings.titles import FIGURES, TABLES
from .findings import findings, layer_rows
from .laws import ELSEWHERE, laws_text
from .overview import HONESTY, SCHEMAS
from .story import reach_words, story

__all__ = ["GALLERY", "run"]

GALLERY = Gallery(
    mark="kernels",
    command="make gallery",
    folder="kernels",
    title="Any attention: which kernels separate",
    page_has="Up to which n each kernel separates, and all figures",
    pictures=FIGURES,
    in_readme=["kernels_accuracy"],
    tables=tuple(TABLES),
)


IN_README = (
    "exp", "exp_sqrt_d", "sparsemax", "power_8", "power_4", "hedgehog", "elu_plus_one", "linear",
    "none",
)  # fmt: skip
"""Kernels of the table in README."""


def kernels_text(kernels: pa.Table) -> str:
    """The table of kernels in Markdown, a row for each."""
    of_layer = _by_layer(kernels)
    cells = []
    for name in dict.fromkeys(kernels["kernel"].to_pylist()):
        rows = [of_layer[layer, name] for layer in LAYERS]
        cells.append([
            name, _plain(rows[0]["formula"]), rows[0]["normaliser"], *map(_reach_cell, rows),
            rows[0]["margin_law"] or "", rows[0]["weight_law"] or "", rows[0]["source"],
        ])  # fmt: skip
    layers = [layer.words for layer in LAYERS]
    head = ["kernel", "formula", "divided by", *layers, "gap", "factor", "source"]
    return (
        f"{HONESTY}\n\n## Kernels\n\nThe largest multiple of K up to 10¹² at which each "
        "separates, at the own best threshold; from the n in brackets on it is exactly as good as "
        "no attention. The last columns but one are of X = I: how the gap between the scores of D1 "
        "and D0 goes with n, and the factor 1 + g on the special token's coordinate in X = I + "
        "g e₁e₁ᵀ that it needs, as measured at n from 10⁶ to 10⁹ and at 2·10⁶ and 2·10⁸, where m "
        f"grows with n as well.\n\n{markdown_table(head, cells)}\nAs tables: "
        f"{table_links(GALLERY)}."
    )


def readme_table(kernels: pa.Table) -> str:
    """Up to which n the best known kernels separate, in Markdown; "" where none of them is."""
    of_layer = _by_layer(kernels)
    cells = []
    for name in IN_README:
        if (LAYERS[0], name) in of_layer:
            rows = [of_layer[layer, name] for layer in LAYERS]
            cells.append([f"`{name}`", _plain(rows[0]["formula"]), *map(reach_words, rows)])
    head = ["separates up to n =", "formula", *(layer.words for layer in LAYERS)]
    return markdown_table(head, cells) if cells else ""


def _by_layer(kernels: pa.Table) -> dict[tuple[Layer, str], dict]:
    return {
        (layer, row["kernel"]): row
        for layer in LAYERS
        for row in layer_rows(kernels, layer).to_pylist()
    }


def _plain(formula: str) -> str:
    """A formula as Markdown shows it as it is: one of config.yaml can have ** and <."""
    return formula.replace("*", r"\*").replace("<", r"\<")


def _reach_cell(row: dict) -> str:
    as_none = row["as_none_from"]
    told = f" ({as_none:,.0f})" if as_none is not None and math.isfinite(as_none) else ""
    unknown = row["undecided_from"]
    return reach_words(row, told) + (f", undecided from {unknown:,.0f}" if unknown else "")


def run(job: KernelsPage, results: Path, docs: Path, readme: Path) -> None:
    tables = {
        name: read_parquet(results / f"tables/{name}.parquet", SCHEMAS[name], digest)
        for name, digest in job.tables.items()
    }
    gallery = replace(
        GALLERY,
        pictures={name: title for name, title in FIGURES.items() if name in job.figures},
        in_readme=[name for name in GALLERY.in_readme if name in job.figures],
    )
    said, more = story(tables, job.data), findings(tables)
    elsewhere = elsewhere_table(job.data)
    write_csv(elsewhere, docs / f"{GALLERY.folder}/{ELSEWHERE}.csv")
    texts = kernels_text(tables["kernels"]), laws_text(tables["kernel_laws"], elsewhere)
    few = readme_table(tables["kernels"])
    text = "\n\n".join((*texts, "## Figures"))
    write_gallery(Folders(results, docs, readme), gallery, said, more, text, few)
