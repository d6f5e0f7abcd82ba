"""What the kept runs at the paper's size say, beside the published values: every number is one of a
table's."""

from collections.abc import Sequence

import numpy as np

from attention_separation.head_rank.claims import published_values
from attention_separation.head_rank.claims.runs import (
    chosen,
    held_out_error,
    naming_dead,
    values,
)
from attention_separation.head_rank.constructions.uniform_attention import least_error
from attention_separation.pages.prose import from_to

SCALES = ("paper_size", "reference")
"""Scales of which runs are kept, the quick one first."""

NEAR, FAR = 1.25, 2.0
"""Times a published value up to which an error is called near it, and from which far."""

Kept = dict[str, list[dict]]


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
    """Full rank against lower ranks at one layer, for each scale."""
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
