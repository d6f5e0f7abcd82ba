"""What this paper's figures show, in sentences, for its page of the report."""

from pathlib import Path

import numpy as np
import pyarrow as pa

from attention_separation.head_rank.claims.runs import chosen
from attention_separation.head_rank.constructions import features, temperature, vote
from attention_separation.head_rank.pages.construction_findings import (
    features_findings,
    temperature_findings,
    vote_findings,
)
from attention_separation.head_rank.pages.theory_findings import (
    heads_findings,
    theory_findings,
    vote_points_findings,
)
from attention_separation.head_rank.pages.training_findings import (
    additive_findings,
    depth_findings,
    fresh_findings,
    points_findings,
    published_findings,
    rank_findings,
)
from attention_separation.head_rank.settings.titles import FIGURES
from attention_separation.head_rank.theory import bound_table, found_table, plurality_table
from attention_separation.head_rank.training import cell_table
from attention_separation.pages.captions import Caption
from attention_separation.pages.prose import counted
from attention_separation.results.tables import read_parquet

OF_NUMBERS = {
    "rank_theory": (found_table.SCHEMA, theory_findings),
    "rank_heads": (bound_table.NEEDED, heads_findings),
    "rank_points": (plurality_table.SCHEMA, vote_points_findings),
    "rank_temperature": (temperature.SCHEMA, temperature_findings),
    "rank_vote": (vote.SCHEMA, vote_findings),
    "rank_random_features": (features.SCHEMA, features_findings),
}
"""Figures that need no training: the columns of their numbers, and what is said of them."""

OF_RUNS = {
    "rank_fig3": additive_findings,
    "rank_fig4": points_findings,
    "rank_fresh": fresh_findings,
}
"""What is said of the runs of further figures, with differences at a level."""


def read_numbers(figure: str, results: Path, settings: str | None = None) -> pa.Table:
    """The numbers of a figure in a folder of results: one row per run or head if it is of trained
    transformers; TableError if they were made with other settings than these."""
    columns = cell_table.HEADS if figure == "rank_fig2" else cell_table.RUNS
    if figure in OF_NUMBERS:
        columns, _ = OF_NUMBERS[figure]
    return read_parquet(results / f"figures/{figure}.parquet", columns, settings)


def runs_of(rows: list[dict]) -> list[dict]:
    """Rows of trained transformers, one for each run."""
    return list({(row["cell"], row["run"]): row for row in rows}.values())


def figure_caption(figure: str, table: pa.Table, level: float) -> Caption:
    """The caption of a figure with these numbers; differences are at the claims' level."""
    if figure in OF_NUMBERS:
        _, say = OF_NUMBERS[figure]
        return Caption(FIGURES[figure], say(table))
    rows = table.to_pylist()
    runs = runs_of(rows)
    dead = sum(row["dead"] for row in runs)
    sentences = [
        f"{len({row['cell'] for row in rows})} cells, {len(runs)} runs in all, each with initial "
        f"values and data of its own; {dead or 'none'} of them dead.",
        *_shown(figure, rows),
    ]
    if any(row["encoding"] == "additive" for row in rows):
        sentences.append(
            "Additive encodings start from the original's initial values, normal of mean −1, which "
            "may be a slip for a mean of 0: what is said of them may depend on it."
        )
    if figure == "rank_fig1":
        sentences += [*rank_findings(runs), *depth_findings(runs), *published_findings()]
    elif figure in OF_RUNS:
        sentences += OF_RUNS[figure](runs, level)
    return Caption(FIGURES[figure], sentences)


def _shown(figure: str, rows: list[dict]) -> list[str]:
    """What is drawn of trained transformers."""
    if figure == "rank_fig2":
        groups = sorted({(row["layers"], row["width"]) for row in rows})
        heads = [
            _of_heads(layers, width, chosen(rows, layers=layers, width=width))
            for layers, width in groups
        ]
        more = any(layers > 1 for layers, _ in groups)
        return [*heads, *["The paper's figure has one layer only."] * more]
    if figure == "rank_fresh":
        return [
            "A point for each run. Those on the same batches again have the published schedule, "
            "per epoch; those on new batches one per step."
        ]
    return [
        "Every run is shown by its error on sets never trained on; lines are means over runs, "
        "short bars the least. Dash-dotted: uniform attention (rank 0), the best "
        "−a xᵢ + b Σⱼ xⱼ, whose weights depend on no point."
    ]


def _of_heads(layers: int, width: int, rows: list[dict]) -> str:
    """Angles and c of the heads of some cells of full rank."""
    angles = sorted(row["angle"] for row in rows if row["angle"] is not None)
    scales = sorted(-row["scale"] for row in rows if row["scale"] is not None)
    heads = counted(width, "head")
    name = f"L = {layers}, {heads} of full rank per layer, {len(rows)} in all"
    if not angles or not scales:
        return f"{name}: none with a number."
    return (
        f"{name}: median {np.median(angles):.0f} degrees from +I, {angles[0]:.0f} to "
        f"{angles[-1]:.0f}; c of the nearest −cI of the logits {scales[0]:.3g} to {scales[-1]:.3g}."
    )
