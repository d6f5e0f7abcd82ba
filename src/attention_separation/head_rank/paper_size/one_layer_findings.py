"""What the kept runs of one layer at the paper's size say, beside the published values: every
number is one of a table's."""

from collections.abc import Sequence

from attention_separation.head_rank.claims import published_values
from attention_separation.head_rank.claims.runs import chosen, errors_by_rank, values
from attention_separation.head_rank.constructions.uniform_attention import least_error
from attention_separation.head_rank.paper_size.kept_runs import SCALES, Kept
from attention_separation.pages.prose import from_to

NEAR, FAR = 1.25, 2.0
"""Times a published value up to which an error is called near it, and from which far."""


def one_layer_findings(kept: Kept) -> list[str]:
    """What the kept runs of one layer say, the answer first."""
    return [*_full_rank(kept), *_time(kept), *_head(kept)]


def steps_words(rows: list[dict]) -> str:
    """How many steps some runs were trained for."""
    return " or ".join(f"{steps:,}" for steps in values(rows, "steps"))


def _one_layer(rows: list[dict], width: int) -> dict[int, float]:
    """Mean held-out error by rank at one layer without an encoding."""
    return errors_by_rank(chosen(rows, layers=1, width=width, encoding="none"))


def _span(errors: Sequence[float]) -> str:
    return from_to(f"{min(errors):.3g}", f"{max(errors):.3g}")


def _full_rank(kept: Kept) -> list[str]:
    """Full rank against lower ranks at one layer, for each scale."""
    found = []
    for rows in kept.values():
        parts = []
        own = chosen(rows, layers=1, encoding="none")
        for width in values(own, "width"):
            ours, theirs = _one_layer(rows, width), published_values.figure_1(1, width)
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
                f"After {steps_words(own)} steps of {own[0]['batch']} sets, one layer at "
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
        theirs = published_values.figure_1(1, width)
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
    answer = "full rank gains, lower ranks hardly: the gap owes to rank, its depth to training"
    size = published_values.BATCH
    return [
        f"**From {steps_words(short)} to {steps_words(long)} steps{f' {answer}' * owes}.** "
        f"{'; '.join(said).capitalize()}. At full rank that is {_span(ends['full'])} times the "
        f"published value; whether more steps close it, or the paper's batches of {size} that come "
        "back, is not tested."
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
    angle, norm = published_values.FIGURE_2[1]
    c = norm / own[0]["rank"] ** 0.5
    return [
        "**One layer with one head of full rank learns K Qᵀ near −cI**, as in the paper's Figure "
        f"2, with a smaller c (there medians of {angle} degrees and c about {c:.0f}): "
        f"{'; '.join(said)}."
    ]
