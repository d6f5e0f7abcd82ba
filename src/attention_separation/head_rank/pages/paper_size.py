"""The page on runs at the paper's size: what is kept of them, beside the published values.

Verb `rank-reference`: puts finished cells into the kept tables, draws them and writes the page.
"""

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from attention_separation.head_rank.claims import published_values
from attention_separation.head_rank.claims.runs import (
    chosen,
    held_out_error,
    is_full_rank,
    naming_dead,
    values,
)
from attention_separation.head_rank.constructions.uniform_attention import least_error
from attention_separation.head_rank.figures.training_figures import draw, shown
from attention_separation.head_rank.pages.kept_runs import (
    TABLES,
    keep_runs,
    read_kept,
    read_made_with,
)
from attention_separation.head_rank.settings.titles import TRAINED
from attention_separation.pages.drawing import save
from attention_separation.pages.gallery import DIGITS
from attention_separation.pages.prose import counted, from_to, joined, markdown_list
from attention_separation.results.files import write_text

SCALES = ("paper_size", "reference")
"""Scales of which runs are kept, the quick one first."""

PAGE = "rank-at-the-papers-size"

NEAR, FAR = 1.25, 2.0
"""Times a published value up to which an error is called near it, and from which far."""

FIGURES: dict[str, Callable[[dict], bool]] = {
    "rank_fig1": lambda row: row["encoding"] == "none" and row["layers"] != 2,
    "rank_fig2": lambda row: row["encoding"] == "none" and row["layers"] != 2 and is_full_rank(row),
    "rank_fig3": lambda row: row["layers"] == 3 and row["width"] == published_values.WIDTH_3,
    "rank_fig4": lambda row: row["layers"] == 2,
}
"""The runs that each figure is of."""

Kept = dict[str, list[dict]]


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


def findings(kept: Kept) -> list[str]:
    """What the kept runs say, the answer first."""
    return [*_full_rank(kept), *_time(kept), *_deeper(kept), *_head(kept)]


def _one_layer(rows: list[dict], width: int) -> dict[int, float]:
    """Mean held-out error by rank at one layer without an encoding."""
    return _errors(chosen(rows, layers=1, width=width, encoding="none"))


def _errors(rows: list[dict]) -> dict[int, float]:
    return {
        rank: float(np.mean([held_out_error(row) for row in chosen(rows, rank=rank)]))
        for rank in values(rows, "rank")
    }


def _published(layers: int, width: int) -> dict[int, float]:
    found = published_values.FIGURE_1.get((layers, width), ())
    return dict(zip(published_values.RANKS, found, strict=False))


def _steps(rows: list[dict]) -> str:
    return " or ".join(f"{steps:,}" for steps in values(rows, "steps"))


def _span(errors: Sequence[float]) -> str:
    return from_to(f"{min(errors):.3g}", f"{max(errors):.3g}")


def _full_rank(kept: Kept) -> list[str]:
    """Full rank against lower ranks at one layer, after the most steps that are kept."""
    found = []
    for rows in kept.values():
        parts = []
        own = chosen(rows, layers=1, encoding="none")
        for width in values(own, "width"):
            ours, theirs = _one_layer(rows, width), _published(1, width)
            d = published_values.SIZE_1["d"]
            low = [ours[rank] for rank in ours if rank < d]
            if d not in ours or not low:
                continue
            parts.append(
                f"w = {width}: full rank {ours[d]:.3g}, lower ranks {_span(low)} (published "
                f"{theirs[d]:.3g} and {_span([theirs[r] for r in ours if r < d])})"
            )
        if parts:
            rank_0 = least_error(own[0]["d"], own[0]["n"])
            found.append(
                f"After {_steps(own)} steps of {own[0]['batch']} sets, one layer at "
                f"{'; '.join(parts)}. Uniform attention, which looks at nothing, has {rank_0:.3g}."
            )
    if not found:
        return []
    size, steps = published_values.SIZE_1, published_values.STEPS["rank_fig1"]
    text = (
        "**At the paper's size, too, full rank leaves lower ranks far behind in one layer.** "
        f"d = {size['d']}, N = {size['n']}, held-out errors, most of single runs; the paper's "
        f"values are the least training loss of five runs of {steps:,} steps of "
        f"{published_values.BATCH} sets."
    )
    return [text, *found]


def _time(kept: Kept) -> list[str]:
    """What more steps change at one layer, by rank: what of the published shape owes to them."""
    short, long = (chosen(kept[scale], layers=1, encoding="none") for scale in SCALES)
    d = published_values.SIZE_1["d"]
    said, ends = [], {"full": [], "lower": []}
    for width in values(long, "width"):
        few, many = _one_layer(short, width), _one_layer(long, width)
        theirs = _published(1, width)
        low = [rank for rank in few if rank in many and rank < d]
        if not low or d not in few or d not in many:
            continue
        falls = [few[rank] - many[rank] for rank in low]
        times = [many[rank] / theirs[rank] for rank in low]
        ends["full"].append(many[d] / theirs[d])
        ends["lower"] += times
        said.append(
            f"at w = {width} full rank falls from {few[d]:.3g} to {many[d]:.3g} (published "
            f"{theirs[d]:.3g}), lower ranks by {_span(falls)}, to {_span(times)} times the "
            "published values"
        )
    if not said:
        return []
    owes = max(ends["lower"]) < NEAR and min(ends["full"]) > FAR
    answer = "the gap owes to rank, how deep full rank gets to training time"
    return [
        f"**From {_steps(short)} to {_steps(long)} steps{f': {answer}' * owes}.** "
        f"{'; '.join(said).capitalize()}."
    ]


def _deeper(kept: Kept) -> list[str]:
    """Three and five layers beside the published values."""
    said = []
    for rows in kept.values():
        for layers in (3, 5):
            for width in values(chosen(rows, layers=layers, encoding="none"), "width"):
                own = chosen(rows, layers=layers, width=width, encoding="none")
                theirs = _published(layers, width)
                listed = ", ".join(
                    f"r = {rank}: {naming_dead(f'{error:.3g}', chosen(own, rank=rank))} "
                    f"({theirs[rank]:.3g})"
                    for rank, error in _errors(own).items()
                )
                said.append(f"L = {layers}, w = {width}, {_steps(own)} steps: {listed}")
    if not said:
        return []
    return [
        f"**More layers**, held-out error and in brackets the published value: {'; '.join(said)}."
    ]


def _head(kept: Kept) -> list[str]:
    """What single heads of full rank have learned at one layer."""
    own = [
        row
        for rows in kept.values()
        for row in chosen(rows, layers=1, encoding="none", total_heads=1)
        if row["angle"] and row["angle"][0] is not None
    ]
    if not own:
        return []
    said = [
        f"{row['steps']:,} steps: {row['angle'][0]:.1f} degrees from +I, c = {-row['scale'][0]:.3g}"
        for row in sorted(own, key=lambda row: row["steps"])
    ]
    return [
        f"**The one head of full rank is near −cI**, as in the paper's Figure 2 (there a median of "
        f"{published_values.FIGURE_2[1][0]} degrees): {'; '.join(said)}."
    ]


def page(kept: Kept, made_with: dict[str, dict[str, dict]]) -> str:
    """The page in Markdown."""
    parts = [
        "# The rank of attention heads at the paper's size\n\n"
        "Written by `make rank-reference`, from tables that are kept in this repository.\n\n"
        f"{markdown_list(findings(kept))}"
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
        f"{counted(len(cells), 'cell')}, {runs}, {sum(times) / 60:.0f} core-minutes on {on}. "
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
