"""What this paper's figures show, in sentences, for its page of the report."""

import pyarrow as pa

from attention_separation.head_rank.findings import (
    features_findings,
    fresh_findings,
    points_findings,
    published_findings,
    rank_findings,
    temperature_findings,
    vote_findings,
)
from attention_separation.head_rank.study import NUMBERS, TRAINED
from attention_separation.report_page import Caption

TITLES = TRAINED | {figure: title for _, title, figure in NUMBERS.values()}


def numbers_caption(figure: str, table: pa.Table) -> Caption:
    """The caption of a figure that needs no training."""
    say = {
        "rank_temperature": temperature_findings,
        "rank_vote": vote_findings,
        "rank_random_features": features_findings,
    }[figure]
    return Caption(TITLES[figure], say(table))


def trained_caption(figure: str, table: pa.Table) -> Caption:
    """The caption of a figure of trained transformers, whose numbers are a row per run or head."""
    rows = table.to_pylist()
    cells = {row["cell"] for row in rows}
    runs = {(row["cell"], row["run"]): row for row in rows}
    dead = sum(row["dead"] for row in runs.values())
    sentences = [
        f"{len(cells)} cells, {len(runs)} runs in all, each with initial values and data of its "
        f"own; {dead or 'none'} of them dead."
    ]
    if figure == "rank_fig2":
        single = [row for row in rows if row["layers"] == 1 and row["total_heads"] == 1]
        if single:
            angles = sorted(row["angle"] for row in single)
            scales = sorted(-row["scale"] for row in single)
            sentences.append(
                f"One layer with one head of full rank, {len(single)} runs: {angles[0]:.0f} to "
                f"{angles[-1]:.0f} degrees from +I, and c from {scales[0]:.3g} to {scales[-1]:.3g} "
                f"in the nearest −cI of the logits."
            )
    elif figure == "rank_fresh":
        sentences.append(
            "A point for each run. Those on the same batches again have the published schedule, "
            "per epoch; those on new batches one per step."
        )
    else:
        sentences.append(
            "Every run is shown by its error on sets never trained on; lines are means over runs, "
            "short bars the least. Dash-dotted: uniform attention (rank 0), the best "
            "−a xᵢ + b Σⱼ xⱼ, which looks at no point's content."
        )
    if any(row["encoding"] == "additive" for row in rows):
        sentences.append(
            "Additive encodings start from the original's initial values, normal of mean −1, which "
            "may be a slip for a mean of 0: what is said of them may depend on it."
        )
    say = {
        "rank_fig1": rank_findings,
        "rank_fig4": points_findings,
        "rank_fresh": fresh_findings,
    }.get(figure)
    sentences += say(list(runs.values())) if say else []
    sentences += published_findings() if figure == "rank_fig1" else []
    return Caption(TITLES[figure], sentences)
