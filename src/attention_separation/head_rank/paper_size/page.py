"""The page on runs at the paper's size: what is kept of them, beside the published values.

`rank-reference` puts finished cells into the kept tables, draws them and writes the page.
"""

import argparse
from collections.abc import Callable
from pathlib import Path

from attention_separation.pages.drawing import save
from attention_separation.pages.gallery import DIGITS
from attention_separation.pages.prose import counted, joined, markdown_list
from attention_separation.results.files import write_text

from ..claims import published_values
from ..claims.runs import is_full_rank, values
from ..figures.training_figures import draw, shown
from ..settings.titles import TRAINED
from ..training.cell_table import DEAD
from .kept_runs import SCALES, TABLES, Kept, keep_runs, read_kept, read_made_with
from .more_layers_findings import more_layers_findings
from .one_layer_findings import one_layer_findings

PAGE = "rank-at-the-papers-size"

FIGURES: dict[str, Callable[[dict], bool]] = {
    "rank_fig1": lambda row: row["encoding"] == "none" and row["layers"] != 2,
    "rank_fig2": lambda row: row["encoding"] == "none" and row["layers"] != 2 and is_full_rank(row),
    "rank_fig3": lambda row: row["layers"] == 3 and row["width"] == published_values.WIDTH_3,
    "rank_fig4": lambda row: row["layers"] == 2,
}
"""The runs that each figure is of."""


def folder_of(scale: str, docs: Path) -> Path:
    """Where a scale's runs are kept."""
    return docs / "head_rank" / scale


def read_all(docs: Path) -> Kept:
    """The kept runs of each scale."""
    return {scale: read_kept(folder_of(scale, docs)) for scale in SCALES}


def figures_of(rows: list[dict]) -> dict[str, list[dict]]:
    """The runs of each figure that has any; one on encodings is of more than those without."""
    found = {name: [row for row in rows if belongs(row)] for name, belongs in FIGURES.items()}
    if len(values(found["rank_fig3"], "encoding")) < 2:
        found["rank_fig3"] = []
    return {name: own for name, own in found.items() if own}


def page(kept: Kept, made_with: dict[str, dict[str, dict]]) -> str:
    """The page in Markdown."""
    parts = [
        "# The rank of attention heads at the paper's size\n\n"
        "Written by `make rank-reference`, from tables that are kept in this repository. Dead runs "
        f"have {100 * DEAD:g} % of the training error of uniform attention or more.\n\n"
        f"{markdown_list([*one_layer_findings(kept), *more_layers_findings(kept)])}"
    ]
    for scale in SCALES:
        if kept[scale]:
            parts.append(_section(scale, kept[scale], made_with[scale]))
    return "\n".join(parts)


def _section(scale: str, rows: list[dict], made_with: dict[str, dict]) -> str:
    cells = {row["cell"] for row in rows}
    times = [entry["core_seconds"] or 0.0 for entry in made_with.values()]
    makers = sorted({(entry["processor"], entry["torch"]) for entry in made_with.values()})
    runs = counted(len(rows), "run")
    tables = ", ".join(f"[{name}.csv](head_rank/{scale}/{name}.csv)" for name in TABLES)
    pictures = "\n".join(
        f"![{TRAINED[name]}](head_rank/{scale}/{name}.svg)\n" for name in figures_of(rows)
    )
    on = joined([f"{processor} with PyTorch {torch}" for processor, torch in makers])
    return (
        f"## Scale `{scale}`\n\n"
        f"{counted(len(cells), 'cell')}, {runs}, {sum(times) / 60:.0f} core-minutes on {on}; "
        "of what was stopped and went on, those of the last attempt alone. "
        f"Tables, to {DIGITS} digits: {tables}; what made each cell: "
        f"[made_with.json](head_rank/{scale}/made_with.json).\n\n{pictures}"
    )


def write_pages(results: Path, docs: Path) -> list[str]:
    """Keep what a folder of results has of SCALES, draw all that is kept, and write the page; a
    sentence on each scale."""
    said = []
    for scale in SCALES:
        folder = folder_of(scale, docs)
        count = keep_runs(results / scale, folder)
        rows, made_with = read_kept(folder), read_made_with(folder)
        for name, own in figures_of(rows).items():
            seed = int(made_with[own[0]["cell"]]["seed"])
            save(draw(name, shown(name, own, seed)), folder / name, ("svg",))
        said.append(
            f"{scale}: {counted(count, 'cell')} put into {folder}, which has {len(rows)} runs"
        )
    kept = read_all(docs)
    made_with = {scale: read_made_with(folder_of(scale, docs)) for scale in SCALES}
    write_text(docs / f"{PAGE}.md", page(kept, made_with))
    return said


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--results", type=Path, default=Path("results/head_rank"),
        help="folder that has the results of the scales in folders of their names",
    )  # fmt: skip
    parser.add_argument("--docs", type=Path, default=Path("docs"), help="folder to write to")


def run(arguments: argparse.Namespace) -> None:
    for line in write_pages(arguments.results, arguments.docs):
        print(line)
