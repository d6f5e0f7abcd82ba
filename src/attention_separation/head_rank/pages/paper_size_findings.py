"""What the kept runs at the paper's size say, beside the published values: every number is one of a
table's."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from attention_separation.head_rank.claims import published_values
from attention_separation.head_rank.claims.runs import (
    chosen,
    held_out_error,
    naming_dead,
    values,
)
from attention_separation.head_rank.constructions.uniform_attention import least_error
from attention_separation.pages.prose import from_to, joined

SCALES = ("paper_size", "reference")
"""Scales of which runs are kept, the quick one first."""

NEAR, FAR = 1.25, 2.0
"""Times a published value up to which an error is called near it, and from which far."""

CLEARLY = 0.9
"""Times another error below which an error is called less."""

Kept = dict[str, list[dict]]


def findings(kept: Kept) -> list[str]:
    """What the kept runs say, the answer first."""
    return [*_full_rank(kept), *_time(kept), *_deeper(kept), *_points(kept), *_head(kept)]


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
    """Three and five layers beside one, and beside the published values."""
    found = []
    for layers, words in ((3, "Three"), (5, "Five")):
        said, falls, far = [], True, True
        for rows in kept.values():
            for width in values(chosen(rows, layers=layers, encoding="none"), "width"):
                own = chosen(rows, layers=layers, width=width, encoding="none")
                ours, theirs = _errors(own), _published(layers, width)
                said.append(f"w = {width}, {_steps(own)} steps: {_beside(own, ours, theirs)}")
                said[-1] += _ahead(ours, _one_layer(rows, width))
                falls = falls and all(many > few for many, few in pairwise(ours.values()))
                far = far and ours[max(ours)] > FAR * theirs[max(ours)]
        if said:
            answer = ": errors fall from each rank to the next, as published"
            answer += ", but at full rank not as low" * far
            found.append(
                f"**{words} layers{answer * falls}.** Held-out errors, of single runs, and in "
                f"brackets the published values: {'; '.join(said)}."
            )
    if found:
        found[-1] += (
            f" Published runs have {published_values.STEPS['rank_fig1']:,} steps of "
            f"{published_values.BATCH} sets, which come back: which of these lowers their errors "
            "is not tested here. Dead runs are no better than uniform attention."
        )
    return found


def _beside(rows: list[dict], ours: dict[int, float], theirs: dict[int, float]) -> str:
    return ", ".join(
        f"r = {rank}: {naming_dead(f'{error:.3g}', chosen(rows, rank=rank))} ({theirs[rank]:.3g})"
        for rank, error in ours.items()
    )


def _ahead(ours: dict[int, float], one_layer: dict[int, float]) -> str:
    """At which ranks more layers have less than CLEARLY times the error of one."""
    both = [rank for rank in ours if rank in one_layer]
    less = [str(rank) for rank in both if ours[rank] < CLEARLY * one_layer[rank]]
    at = f"at r = {joined(less)}" if less else "at none of these ranks"
    return f"; less than {CLEARLY:g} times the error of one layer {at}" * bool(both)


def _points(kept: Kept) -> list[str]:
    """Two layers on several numbers of points."""
    found = []
    for rows in kept.values():
        own = chosen(rows, layers=2, encoding="none")
        numbers = values(own, "n")
        if len(numbers) < 2:
            continue
        errors = {n: _errors(chosen(own, n=n)) for n in numbers}
        low = [rank for rank in values(own, "rank") if rank < own[0]["d"]]
        grows = all(
            errors[few][rank] < errors[many][rank]
            for few, many in pairwise(numbers)
            for rank in low
            if rank in errors[few] and rank in errors[many]
        )
        said = [
            f"N = {n} (rank 0: {least_error(own[0]['d'], n):.3g}): "
            + _beside(chosen(own, n=n), errors[n], _published_for(n))
            for n in numbers
        ]
        answer = f": below full rank errors grow from N = {numbers[0]} to {numbers[-1]}"
        found.append(
            f"**Number of points{answer * grows}.** Two layers with w = {own[0]['width']}, where "
            f"the paper has {published_values.SIZE_4['width']}, held-out errors of single runs of "
            f"{_steps(own)} steps: {'; '.join(said)}."
        )
    return found


def _published_for(n: int) -> dict[int, float]:
    return dict(zip(published_values.FIGURE_4_RANKS, published_values.FIGURE_4[n], strict=True))


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
