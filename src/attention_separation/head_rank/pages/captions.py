"""What this paper's figures show, in sentences, for its page of the report."""

import numpy as np
import pyarrow as pa

from attention_separation.head_rank.claims.runs import chosen
from attention_separation.head_rank.pages.construction_findings import (
    features_findings,
    temperature_findings,
    vote_findings,
)
from attention_separation.head_rank.pages.training_findings import (
    additive_findings,
    depth_findings,
    fresh_findings,
    points_findings,
    published_findings,
    rank_findings,
)
from attention_separation.head_rank.study import NUMBERS, TRAINED
from attention_separation.pages.captions import Caption
from attention_separation.pages.prose import counted

TITLES = TRAINED | {figure: title for _, title, figure in NUMBERS.values()}


def numbers_caption(figure: str, table: pa.Table) -> Caption:
    """The caption of a figure that needs no training."""
    say = {
        "rank_temperature": temperature_findings,
        "rank_vote": vote_findings,
        "rank_random_features": features_findings,
    }[figure]
    return Caption(TITLES[figure], say(table))


def trained_caption(figure: str, table: pa.Table, level: float) -> Caption:
    """The caption of a figure of trained transformers, whose numbers are a row per run or head;
    differences are at the claims' level."""
    rows = table.to_pylist()
    cells = {row["cell"] for row in rows}
    runs = {(row["cell"], row["run"]): row for row in rows}
    dead = sum(row["dead"] for row in runs.values())
    sentences = [
        f"{len(cells)} cells, {len(runs)} runs in all, each with initial values and data of its "
        f"own; {dead or 'none'} of them dead."
    ]
    if figure == "rank_fig2":
        groups = {(row["layers"], row["width"]): None for row in rows}
        sentences += [
            _of_heads(layers, width, chosen(rows, layers=layers, width=width))
            for layers, width in sorted(groups)
        ]
        if any(layers > 1 for layers, _ in groups):
            sentences.append("The paper's figure has one layer only.")
    elif figure == "rank_fresh":
        sentences.append(
            "A point for each run. Those on the same batches again have the published schedule, "
            "per epoch; those on new batches one per step."
        )
    else:
        sentences.append(
            "Every run is shown by its error on sets never trained on; lines are means over runs, "
            "short bars the least. Dash-dotted: uniform attention (rank 0), the best "
            "−a xᵢ + b Σⱼ xⱼ, whose weights depend on no point."
        )
    if any(row["encoding"] == "additive" for row in rows):
        sentences.append(
            "Additive encodings start from the original's initial values, normal of mean −1, which "
            "may be a slip for a mean of 0: what is said of them may depend on it."
        )
    own = list(runs.values())
    if figure == "rank_fig1":
        sentences += [*rank_findings(own), *depth_findings(own), *published_findings()]
    elif figure == "rank_fig3":
        sentences += additive_findings(own, level)
    elif figure == "rank_fig4":
        sentences += points_findings(own, level)
    elif figure == "rank_fresh":
        sentences += fresh_findings(own, level)
    return Caption(TITLES[figure], sentences)


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
