"""The figures of runs at the paper's size, drawn from the tables that docs/ keeps of them."""

from collections.abc import Callable, Iterator
from pathlib import Path

from attention_separation.pages.drawing import save
from attention_separation.pages.prose import counted

from ..figures.training_figures import draw, shown
from ..training import published_values
from ..training.runs import is_full_rank, values
from .kept_runs import SCALES, keep_runs, read_kept, read_made_with, write_published

FIGURES: dict[str, Callable[[dict], bool]] = {
    "rank_fig1": lambda row: row["encoding"] == "none" and row["layers"] != 2,
    "rank_fig2": lambda row: row["encoding"] == "none" and row["layers"] != 2 and is_full_rank(row),
    "rank_fig3": lambda row: row["layers"] == 3 and row["width"] == published_values.WIDTH_3,
    "rank_fig4": lambda row: row["layers"] == 2,
}
"""The runs that each figure is of."""


def figures_of(rows: list[dict]) -> dict[str, list[dict]]:
    """The runs of each figure that has any; one on encodings is of more than those without."""
    found = {name: [row for row in rows if belongs(row)] for name, belongs in FIGURES.items()}
    if len(values(found["rank_fig3"], "encoding")) < 2:
        found["rank_fig3"] = []
    return {name: own for name, own in found.items() if own}


def keep_paper_size(results: Path, docs: Path) -> Iterator[str]:
    """Keep what a folder of results has of SCALES, and draw all that is kept; a sentence on each
    scale."""
    write_published(docs / "head_rank/published.csv")
    for scale in SCALES:
        folder = docs / "head_rank" / scale
        count = keep_runs(results / scale, folder)
        rows, made_with = read_kept(folder), read_made_with(folder)
        for name, own in figures_of(rows).items():
            seed = int(made_with[own[0]["cell"]]["seed"])
            save(draw(name, shown(name, own, seed)), folder / name, ("svg",))
        yield f"{scale}: {counted(count, 'cell')} put into {folder}, which has {len(rows)} runs"
