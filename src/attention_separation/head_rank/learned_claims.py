"""What heads of full rank have learned, held against the paper's words on its Figure 2."""

from collections.abc import Iterator

import numpy as np

from attention_separation.head_rank.comparisons import plain
from attention_separation.head_rank.contrasts import Contrast, simultaneous
from attention_separation.head_rank.opposite_head import simulated_errors
from attention_separation.head_rank.outcomes import PAPERS, decided, within
from attention_separation.head_rank.runs import (
    chosen,
    held_out_error,
    is_full_rank,
    naming_dead,
    sizes,
    values,
)

MOST_ANGLE = 165.0
"""Degrees from +I from which a head is called close to -cI; the published medians: 168 to 180."""

WORDS = {1: "One layer", 3: "Three layers"}


def single_heads(rows: list[dict], layers: int) -> list[dict]:
    """Runs of Figure 1 with the fewest heads of full rank per layer."""
    own = [row for row in chosen(plain(rows), layers=layers) if is_full_rank(row)]
    return chosen(own, total_heads=min(values(own, "total_heads"))) if own else []


def angles(rows: list[dict], layers: int) -> dict[str, object]:
    """The row on the angles of all single heads: these runs' heads, and no estimate of others'."""
    # A head without a number has no angle, and has not come close.
    own = single_heads(rows, layers)
    every = [angle or 0.0 for row in own for angle in row["angle"]]
    close = sum(angle >= MOST_ANGLE for angle in every)
    row = {
        "claim": f"learned angle, L={layers}",
        "whose": PAPERS,
        "statement": f"{WORDS[layers]}, one head of full rank per layer: every K Q^T is at least "
        f"{MOST_ANGLE:g} degrees from +I",
        "sizes": sizes(own),
        "comparisons": len(every),
        "bound_is": "degrees from +I",
    }
    if not every:
        return row | {"verdict": "not run"}
    return row | {
        "verdict": "agrees" if close == len(every) else "differs",
        "decided_at": naming_dead(f"{close} of {len(every)} heads, the lowest", own),
        "measured": min(every),
        "bound": MOST_ANGLE,
    }


def own_temperature(rows: list[dict], seed: int, margin: float, level: float) -> dict[str, object]:
    """The row on the error of single heads at one layer, beside that of -cI at their own c."""
    own = single_heads(rows, layers=1)
    outcomes = []
    if own:
        # A run without numbers has no c: uniform attention has 0.
        c = [-(row["scale"][0] or 0.0) for row in own]
        found = simulated_errors(own[0]["d"], own[0]["n"], c, seed)
        for row, temperature, (error, se) in zip(own, c, found, strict=True):
            mean = held_out_error(row) - error
            reach = simultaneous(level, len(own)) * float(np.hypot(se, row["test_se"] or 0.0))
            name = naming_dead(f"run {row['run']}, c={temperature:.3g}", [row])
            outcomes.append(within(name, Contrast(mean, mean - reach, mean + reach), margin))
    return {
        "claim": "learned head",
        "whose": PAPERS,
        "statement": "One layer, one head of full rank: the error is that of the one head "
        "softmax(-c x_i.x_j) at the c of the nearest -cI, simulated",
        "sizes": sizes(own),
        "bound_is": "margin on either side, of the difference of errors",
    } | decided(outcomes, margin)


def learned(rows: list[dict], seed: int, margin: float, level: float) -> Iterator[dict]:
    """Rows on what single heads of full rank have learned."""
    yield angles(rows, 1)
    yield own_temperature(rows, seed, margin, level)
    yield angles(rows, 3)
