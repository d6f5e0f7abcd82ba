"""What heads of full rank have learned, held against the paper's words on its Figure 2.

The angle of a head is that of K Q^T to the identity, +I; that of -cI is 180 degrees. A single head
is the only one of full rank in its layer. Fact 1's construction has a value map V = I, too; that of
a trained head is V = W_o W_v. A run of single heads has the c of the nearest -cI as its
`temperature`, and as `fact_1_error` the simulated error of the head softmax(-c x_i.x_j).
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

import numpy as np

from ....statistics.claims import Comparison, Estimate, Verdict, at_least, at_most, within
from ....statistics.contrasts import Run
from ....statistics.means import simultaneous_quantile
from ..settings.titles import OURS, PAPERS
from ..training import runs
from .claim import (
    Evidence,
    Finding,
    RankClaim,
    finding_of,
    finding_of_worst,
    not_judged,
    rank_claim,
)
from .judging import Claimed

NEGATIVE_ANGLE = 165.0
"""Degrees from +I from which a head is called close to -cI: a bound of this reproduction's, below
the published medians, 168 to 180."""


MOST_VALUE_ANGLE = 15.0
"""Degrees from the nearer of +I and -I up to which a value map is called close to a multiple of I:
as far as NEGATIVE_ANGLE is from 180."""


def _angles(run: Run) -> list[float]:
    """The angles of a run's heads. A head without a number has not come close to -cI."""
    return [angle or 0.0 for angle in run["angle"]]


def _value_angles(run: Run) -> list[float]:
    """The angles of a run's value maps to the nearer of +I and -I; none of a table of an earlier
    version. A head without a number is no multiple of I."""
    return [90.0 if angle is None else min(angle, 180.0 - angle) for angle in run["angle_value"]]


def _angles_of_all(heads: list[Run], angles: Callable[[Run], list[float]]) -> list[float]:
    """The angles of all heads of some runs, in one list."""
    return list(chain.from_iterable(map(angles, heads)))


@dataclass(frozen=True)
class MedianAngle:
    """The judge of a claim on the median angle of single heads, which is what the paper's figure
    shows: of these runs' heads, and no estimate of others'.

    Attributes
    ----------
    layers : of the runs
    angles : of a run
    claimed, bound : how the median is claimed to stand to what
    words : what is said of the heads that keep to the bound, and of the least angle
    """

    layers: int
    angles: Callable[[Run], list[float]]
    claimed: Claimed
    bound: float
    words: str

    def __call__(self, evidence: Evidence) -> Finding:
        """The finding on the median angle: "not run" where no run has angles, and not judged where
        runs end far apart."""
        single_heads = runs.single_heads(evidence.usual_runs, self.layers)
        sizes = runs.sizes(single_heads)
        measured_heads = [run for run in single_heads if self.angles(run)]
        if not measured_heads:
            return finding_of([], sizes)
        angles = _angles_of_all(measured_heads, self.angles)
        reason = runs.bimodal_reason(single_heads)
        if reason:
            return not_judged(len(angles), sizes, reason)
        comparisons = [self._comparison("", angle) for angle in angles]
        agreeing = sum(comparison.verdict == Verdict.AGREES for comparison in comparisons)
        name = f"{agreeing} of {len(angles)} heads {self.words} {min(angles):.3g}, median"
        median = float(np.median(angles))
        worst = self._comparison(runs.naming_dead(name, measured_heads), median)
        return finding_of_worst(worst, len(angles), sizes)

    def _comparison(self, name: str, angle: float) -> Comparison:
        """The comparison of an angle in degrees with the claim's bound."""
        return self.claimed(name, Estimate.exactly(angle), self.bound)


def learned_angle(layers: int, layers_in_words: str) -> RankClaim:
    """The claim that single heads of so many layers come close to -cI."""
    return rank_claim(
        f"learned angle, L={layers}",
        origin=PAPERS,
        statement=f"{layers_in_words}, one head of full rank per layer: K Q^T is near a negative "
        f"multiple of the identity (the median head at least {NEGATIVE_ANGLE:g} degrees from +I, a "
        "bound of this reproduction's)",
        bound="degrees from +I",
        judge=MedianAngle(
            layers,
            angles=_angles,
            claimed=at_least,
            bound=NEGATIVE_ANGLE,
            words="reach it; lowest",
        ),
    )


def _judge_more_heads(evidence: Evidence) -> Finding:
    """The finding on several heads of full rank in several layers: the largest median angle of the
    cells whose runs end alike."""
    several_heads = [
        row
        for row in runs.plain(evidence.usual_runs)
        if row["layers"] > 1 and row["total_heads"] > 1 and runs.is_full_rank(row)
    ]
    sizes = runs.sizes(several_heads)
    cells = runs.cells_of(several_heads)
    cells_ending_alike = [cell for cell in cells if not runs.bimodal_reason(cell)]
    if cells_ending_alike:
        medians = [_median_angle(cell) for cell in cells_ending_alike]
        largest = max(medians, key=lambda comparison: comparison.measured.value)
        return finding_of_worst(largest, len(medians), sizes)
    reason = runs.bimodal_reason(several_heads)
    if cells:
        return not_judged(len(cells), sizes, reason)
    return finding_of([], sizes, reason=reason)


def _median_angle(cell: list[Run]) -> Comparison:
    """The comparison of the median angle of a cell's heads with NEGATIVE_ANGLE, claimed to be
    below."""
    name = runs.naming_dead(runs.cell_words(cell[0]), cell)
    median = Estimate.exactly(float(np.median(_angles_of_all(cell, _angles))))
    return at_most(f"{name}, median", median, NEGATIVE_ANGLE)


MORE_HEADS = rank_claim(
    "learned angle, more heads",
    origin=PAPERS,
    statement="More than one layer and more than one head of full rank per layer learn another "
    f"strategy than a negative multiple of the identity (the median head is less than "
    f"{NEGATIVE_ANGLE:g} degrees from +I, the same bound, in every cell whose runs end alike)",
    bound="degrees from +I",
    judge=_judge_more_heads,
)


VALUE_MAP = rank_claim(
    "learned value map",
    origin=PAPERS,
    statement="One layer, one head of full rank: heads learn Fact 1's construction, with its value "
    f"map, too (W_o W_v of the median head is at most {MOST_VALUE_ANGLE:g} degrees from the nearer "
    "of +I and -I, a bound of this reproduction's)",
    bound="degrees from the nearer of +I and -I",
    judge=MedianAngle(1, _value_angles, at_most, MOST_VALUE_ANGLE, "keep to it; least"),
)


class NormalNumber(NamedTuple):
    """A number with its standard error."""

    value: float
    standard_error: float


def _less_fact_1(run: Run, error: float, standard_error: float) -> NormalNumber:
    """An error of a run, with its standard error, less that of Fact 1's head."""
    error_of_difference = float(np.hypot(run["fact_1_se"], standard_error))
    return NormalNumber(error - run["fact_1_error"], error_of_difference)


def _is_any(run: Run) -> bool:
    return True


@dataclass(frozen=True)
class ComparedHeads:
    """The judge of a claim on each run of one head of full rank at one layer, of which a number is
    held against the margin; the intervals hold together at the level.

    Attributes
    ----------
    number : a run -> what is compared
    claimed : how it is claimed to stand to the margin
    has_number : whether a run has that number
    """

    number: Callable[[Run], NormalNumber]
    claimed: Claimed
    has_number: Callable[[Run], bool] = _is_any

    def __call__(self, evidence: Evidence) -> Finding:
        """The finding on the number of each run that has it, against the margin."""
        heads = [run for run in evidence.learned_heads if self.has_number(run)]
        quantile = simultaneous_quantile(evidence.level, max(len(heads), 1))
        comparisons = []
        for run in heads:
            name = runs.naming_dead(f"run {run['run']}, c={run['temperature']:.3g}", [run])
            number = self.number(run)
            estimate = Estimate.within(number.value, quantile * number.standard_error)
            comparisons.append(self.claimed(name, estimate, evidence.margin))
        return finding_of(comparisons, runs.sizes(heads))


def _has_attention_error(run: Run) -> bool:
    return run["attention_error"] is not None


def _attention_less_fact_1(run: Run) -> NormalNumber:
    """The error of a run's attention alone less that of Fact 1's head."""
    return _less_fact_1(run, run["attention_error"], run["attention_se"])


ATTENTION_ALONE = rank_claim(
    "learned attention alone",
    origin=OURS,
    statement="One layer, one head of full rank: the attention alone, with the best affine map "
    "behind it in place of the MLP, has the error of Fact 1's head at the c of the nearest -cI, "
    "simulated: whatever its value map is, one linear map undoes it",
    bound="margin on either side, of the difference of errors",
    judge=ComparedHeads(_attention_less_fact_1, within, _has_attention_error),
)


def _fact_1_error(run: Run) -> NormalNumber:
    """The error of Fact 1's head at a run's c."""
    return NormalNumber(run["fact_1_error"], run["fact_1_se"])


NEAR_HARDMAX = rank_claim(
    "learned head near hardmax",
    origin=PAPERS,
    statement="One layer, one head of full rank: its norm makes softmax act as hardmax (at the c "
    "of the nearest -cI the head softmax(-c x_i.x_j), simulated, has hardmax's error, 0)",
    bound="margin, of the error",
    judge=ComparedHeads(_fact_1_error, at_most),
)


def _error_less_fact_1(run: Run) -> NormalNumber:
    """The held-out error of a run less that of Fact 1's head."""
    return _less_fact_1(run, runs.held_out_error(run), run["test_se"] or 0.0)


OWN_TEMPERATURE = rank_claim(
    "learned head",
    origin=OURS,
    statement="One layer, one head of full rank: the error is that of the one head "
    "softmax(-c x_i.x_j) at the c of the nearest -cI, simulated",
    bound="margin on either side, of the difference of errors",
    judge=ComparedHeads(_error_less_fact_1, within),
)


LEARNED_CLAIMS = (
    learned_angle(1, "One layer"),
    NEAR_HARDMAX,
    OWN_TEMPERATURE,
    VALUE_MAP,
    ATTENTION_ALONE,
    learned_angle(3, "Three layers"),
    MORE_HEADS,
)
