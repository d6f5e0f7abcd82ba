"""Verb `gallery`: the pictures under docs/, the page that shows them, and README's block."""

import argparse
import shutil
from pathlib import Path

from attention_separation.pages.gallery_block import with_block
from attention_separation.results.files import replacing
from attention_separation.results.tables import read_parquet
from attention_separation.softmax_vs_linear.exact.exact_table import read_exact
from attention_separation.softmax_vs_linear.pages.result_tables import SAYING, TABLES, path_of
from attention_separation.softmax_vs_linear.pages.result_tables import findings as findings_of
from attention_separation.softmax_vs_linear.settings.reconstruction import KEY, MARK

BEGIN, END = "<!-- gallery: written by `make gallery` -->\n", "<!-- end of gallery -->\n"

FIGURES = {
    "fig3": "Figure 3: softmax regression",
    "fig4": "Figure 4: self-attention, X = identity (the threshold is reconstructed*)",
    "fig5": "Figure 5: self-attention, X = all ones",
    "fig7": "Figure 7: cross-attention (datasets and settings are reconstructed*)",
    "threshold": "What each network alone can do, at its own best threshold",
    "theta": "One threshold for all networks: success against the threshold",
    "choices": "Which open choice moves the figures most",
    "phase": "Beyond the grids: exact probabilities over two parameters",
    "fig1": "Figure 1: the softmax-regression network",
    "fig2": "Figure 2: the self-attention network",
    "fig6": "Figure 6: how c is computed",
}
IN_README = ("fig3", "fig4", "fig5", "fig7", "threshold")


def findings(folder: Path) -> list[str]:
    """The sentences of all tables in a folder of results."""
    tables = {
        name: read_parquet(folder / path_of(name), schema)
        for name, (schema, _) in SAYING.items()
        if name in TABLES or (folder / path_of(name)).exists()
    }
    exact = [
        read_exact(folder / "exact" / f"{panel}.parquet")
        for panel in tables["verdicts"]["panel"].to_pylist()
    ]
    return findings_of(tables, exact)


def readme_block(sentences: list[str]) -> str:
    """What stands between the marks in README.md."""
    pictures = "".join(f"![{FIGURES[name]}](docs/gallery/{name}.svg)\n" for name in IN_README)
    listed = "".join(f"- {sentence}\n" for sentence in sentences)
    return (
        f"{BEGIN}\n{pictures}\n{listed}\nAll figures: [docs/gallery.md](docs/gallery.md).\n\n{END}"
    )


def page(sentences: list[str]) -> str:
    """docs/gallery.md: all figures and findings."""
    pictures = "\n".join(f"![{about}](gallery/{name}.svg)\n" for name, about in FIGURES.items())
    listed = "".join(f"- {sentence}\n" for sentence in sentences)
    key = KEY.replace(MARK, rf"\{MARK}")
    return (
        f"# Figures and findings\n\nWritten by `make gallery`.\n\n{listed}\n{key} Pictures mark it "
        f"so, tables list it in a column `reconstructed`.\n\n{pictures}"
    )


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--results", required=True, type=Path, help="folder of results")
    parser.add_argument("--docs", required=True, type=Path, help="folder to write to")
    parser.add_argument("--readme", required=True, type=Path, help="README to write the block into")


def run(arguments: argparse.Namespace) -> None:
    sentences = findings(arguments.results)
    text = arguments.readme.read_text(encoding="utf-8")
    readme = with_block(text, BEGIN, readme_block(sentences), END)
    for name in FIGURES:
        picture = arguments.results / "figures" / f"{name}.svg"
        with replacing(arguments.docs / "gallery" / picture.name) as part:
            shutil.copyfile(picture, part)
    for path, text in (
        (arguments.docs / "gallery.md", page(sentences)), (arguments.readme, readme)
    ):  # fmt: skip
        with replacing(path) as part:
            part.write_text(text, encoding="utf-8")
