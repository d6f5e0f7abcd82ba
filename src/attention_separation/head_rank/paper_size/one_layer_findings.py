"""What the kept runs of one layer at the paper's size say, beside the published values: every
number is one of a table's."""

from collections.abc import Sequence

from attention_separation.pages.prose import from_to, joined

from ..claims import published_values
from ..claims.learned_claims import MOST_ANGLE
from ..claims.runs import chosen, errors_by_rank, listed, values
from ..constructions.farthest_point import least_error
from .kept_runs import SCALES, Kept

NEAR, FAR = 1.25, 2.0
"""Times another value up to which an error is called near it, and from which far."""


def one_layer_findings(kept: Kept) -> list[str]:
    """What the kept runs of one layer say, the answer first."""
    return [*_full_rank(kept), *_time(kept), *_head(kept)]


def _one_layer(rows: list[dict], width: int) -> dict[int, float]:
    """Mean held-out error by rank at one layer without an encoding."""
    return errors_by_rank(chosen(rows, layers=1, width=width, encoding="none"))


def _span(errors: Sequence[float]) -> str:
    return from_to(f"{min(errors):.3g}", f"{max(errors):.3g}")


def _full_rank(kept: Kept) -> list[str]:
    """Full rank against lower ranks at one layer, for each scale."""
    found, ratios = [], []
    for rows in kept.values():
        parts = []
        own = chosen(rows, layers=1, encoding="none")
        for width in values(own, "width"):
            ours, theirs = _one_layer(rows, width), published_values.figure_1(1, width)
            d = published_values.SIZE_1["d"]
            low = [ours[rank] for rank in ours if rank < d]
            if d not in ours or not low:
                continue
            ratios.append(min(low) / ours[d])
            dead = [str(rank) for rank in values(chosen(own, width=width, dead=True), "rank")]
            marked = f", dead at r = {joined(dead)}" if dead else ""
            parts.append(
                f"w = {width}: full rank {ours[d]:.3g}, lower ranks {_span(low)}{marked} "
                f"(published {theirs[d]:.3g} and {_span([theirs[r] for r in ours if r < d])})"
            )
        if parts:
            rank_0 = least_error(own[0]["d"], own[0]["n"])
            found.append(
                f"After {listed(own, 'steps')} steps of {own[0]['batch']} sets, one layer at "
                f"{'; '.join(parts)}. Uniform attention, which looks at nothing, has {rank_0:.3g}."
            )
    if not found:
        return []
    size, steps = published_values.SIZE_1, published_values.STEPS["rank_fig1"]
    answer = "One layer at the paper's size."
    if min(ratios) > FAR:
        answer = "At the paper's size, too, full rank leaves lower ranks far behind in one layer."
    text = (
        f"**{answer}** d = {size['d']}, N = {size['n']}, held-out errors, most of single runs; the "
        f"paper's values are the least training loss of five runs of {steps:,} steps of "
        f"{published_values.BATCH} sets."
    )
    return [text, *found]


def _time(kept: Kept) -> list[str]:
    """What more steps change at one layer, by rank: what of the published shape owes to them."""
    short, long = (chosen(kept[scale], layers=1, encoding="none") for scale in SCALES)
    d = published_values.SIZE_1["d"]
    said, ends, left = [], {"full": [], "lower": []}, {"full": [], "lower": []}
    for width in values(long, "width"):
        few, many = _one_layer(short, width), _one_layer(long, width)
        theirs = published_values.figure_1(1, width)
        low = [rank for rank in few if rank in many and rank < d]
        if not low or d not in few or d not in many:
            continue
        times = [many[rank] / theirs[rank] for rank in low]
        shares = [many[rank] / few[rank] for rank in low]
        ends["full"].append(many[d] / theirs[d])
        ends["lower"] += times
        left["full"].append(many[d] / few[d])
        left["lower"] += shares
        said.append(
            f"at w = {width} full rank goes from {few[d]:.3g} to {many[d]:.3g} (published "
            f"{theirs[d]:.3g}), lower ranks to {_span(shares)} "
            f"times what they had, {_span(times)} times the published values"
        )
    if not said:
        return []
    owes = (
        max(ends["lower"]) < NEAR
        and min(ends["full"]) > FAR
        and max(left["full"]) < 1 / NEAR < min(left["lower"])
        and max(left["lower"]) < NEAR
    )
    answer = (
        "full rank gains, lower ranks hardly: that there is a gap owes to rank, how wide it is to "
        "training time"
    )
    size = published_values.BATCH
    return [
        f"**From {listed(short, 'steps')} to {listed(long, 'steps')} steps{f' {answer}' * owes}.** "
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
    said = []
    for steps in values(own, "steps"):
        heads = chosen(own, steps=steps)
        angles, scales = ([row[name][0] for row in heads] for name in ("angle", "scale"))
        said.append(
            f"after {steps:,} steps {from_to(f'{min(angles):.1f}', f'{max(angles):.1f}')} degrees "
            f"from +I, c = {from_to(f'{-max(scales):.3g}', f'{-min(scales):.3g}')}"
            f"{f' ({len(heads)} runs)' * (len(heads) > 1)}"
        )
    angle, norm = published_values.FIGURE_2[1]
    c = norm / own[0]["rank"] ** 0.5
    theirs = f"there medians of {angle} degrees and c about {c:.0f}"
    lead = f"**One layer with one head of full rank** (in the paper's Figure 2, {theirs})"
    if all(row["angle"][0] >= MOST_ANGLE and 0 < -row["scale"][0] < c for row in own):
        lead = (
            "**One layer with one head of full rank learns K Qᵀ near −cI**, as in the paper's "
            f"Figure 2, with a smaller c ({theirs})"
        )
    return [f"{lead}: {'; '.join(said)}."]
