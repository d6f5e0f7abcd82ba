"""What heads of full rank have learned, held against the paper's words on its Figure 2."""

from collections.abc import Iterator

import numpy as np

from ...statistics.claims import Estimate, at_most, judge, within
from ...statistics.means import simultaneous_quantile
from ..training import runs
from .judging import OURS, PAPERS, alone, claim, row_of, unjudged

MOST_ANGLE = 165.0
"""Degrees from +I from which a head is called close to -cI: a bound of this reproduction's, below
the published medians, 168 to 180."""


def angles(rows: list[dict], layers: int) -> dict[str, object]:
    """The row on the median angle of single heads, which is what the paper's figure shows: of these
    runs' heads, and no estimate of others'."""
    words = claim(
        f"learned angle, L={layers}", PAPERS,
        f"{'One layer' if layers == 1 else 'Three layers'}, one head of full rank per layer: "
        f"K Q^T is near a negative multiple of the identity (the median head at least "
        f"{MOST_ANGLE:g} degrees from +I, a bound of this reproduction's)",
        "degrees from +I",
    )  # fmt: skip
    own = runs.single_heads(rows, layers)
    every = _angles(own)
    if not every:
        return row_of(words, runs.sizes(own), judge([]))
    if reason := runs.bimodal_reason(own):
        return row_of(words, runs.sizes(own), unjudged(len(every))) | {"reason": reason}
    reaching = f"{sum(angle >= MOST_ANGLE for angle in every)} of {len(every)} heads reach it"
    name = runs.naming_dead(f"{reaching}; lowest {min(every):.3g}, median", own)
    median = float(np.median(every))
    return row_of(words, runs.sizes(own), alone(name, median, MOST_ANGLE, len(every)))


def more_heads(rows: list[dict]) -> dict[str, object]:
    """The row on the median angle of several heads of full rank in several layers: of each cell
    whose runs end alike."""
    words = claim(
        "learned angle, more heads", PAPERS,
        "More than one layer and more than one head of full rank per layer learn another strategy "
        f"than a negative multiple of the identity (the median head is less than {MOST_ANGLE:g} "
        "degrees from +I, the same bound, in every cell whose runs end alike)",
        "degrees from +I",
    )  # fmt: skip
    own = [row for row in runs.plain(rows)
           if row["layers"] > 1 and row["total_heads"] > 1 and runs.is_full_rank(row)]  # fmt: skip
    cells = runs.cells_of(own)
    medians = {runs.naming_dead(runs.cell_words(cell[0]), cell): float(np.median(_angles(cell)))
               for cell in cells if not runs.bimodal_reason(cell)}  # fmt: skip
    if not medians:
        judgement = unjudged(len(cells)) if cells else judge([])
        return row_of(words, runs.sizes(own), judgement) | {"reason": runs.bimodal_reason(own)}
    worst = max(medians, key=medians.get)
    judgement = alone(f"{worst}, median", medians[worst], MOST_ANGLE, len(medians), at_most)
    return row_of(words, runs.sizes(own), judgement)


def _angles(rows: list[dict]) -> list[float]:
    # A head without a number has no angle, and has not come close.
    return [angle or 0.0 for row in rows for angle in row["angle"]]


def near_hardmax(found: list[dict], margin: float, level: float) -> dict[str, object]:
    """The row on how near softmax at the learned c is to hardmax, whose error is 0."""
    words = claim(
        "learned head near hardmax", PAPERS,
        "One layer, one head of full rank: its norm makes softmax act as hardmax (at the c of the "
        "nearest -cI the head softmax(-c x_i.x_j), simulated, has hardmax's error, 0)",
        "margin, of the error",
    )  # fmt: skip
    times = simultaneous_quantile(level, max(len(found), 1))
    compared = [
        at_most(_name(run), Estimate.within(run["fact_1_error"], times * run["fact_1_se"]), margin)
        for run in found
    ]
    return row_of(words, runs.sizes(found), judge(compared))


def own_temperature(found: list[dict], margin: float, level: float) -> dict[str, object]:
    """The row on the error of single heads at one layer, beside that of -cI at their own c."""
    words = claim(
        "learned head", OURS,
        "One layer, one head of full rank: the error is that of the one head softmax(-c x_i.x_j) "
        "at the c of the nearest -cI, simulated",
        "margin on either side, of the difference of errors",
    )  # fmt: skip
    times = simultaneous_quantile(level, max(len(found), 1))
    compared = []
    for run in found:
        se = float(np.hypot(run["fact_1_se"], run["test_se"] or 0.0))
        gap = Estimate.within(runs.held_out_error(run) - run["fact_1_error"], times * se)
        compared.append(within(_name(run), gap, margin))
    return row_of(words, runs.sizes(found), judge(compared))


def _name(run: dict) -> str:
    return runs.naming_dead(f"run {run['run']}, c={run['temperature']:.3g}", [run])


def learned(rows: list[dict], seed: int, margin: float, level: float) -> Iterator[dict]:
    """Rows on what single heads of full rank have learned."""
    found = runs.with_fact_1(runs.single_heads(rows, layers=1), seed)
    yield angles(rows, 1)
    yield near_hardmax(found, margin, level)
    yield own_temperature(found, margin, level)
    yield angles(rows, 3)
