"""The verdict on a claim in one line, from what it measures at the sizes tested, along its paths
and at the ends of the parameters' ranges.

A claim *starts* on a path at the n from which it holds up to the largest n tested.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..softmax_vs_linear.models.model import AttentionModel
from .claim import Changes, Measured, PaperClaim, Relation, SettingAt, Size
from .lemma import NO_CONSTANT
from .origins import SUBJECTS, origin
from .paths import PATHS_END, PathResult, SizePath, evaluate_along, least_margin, worst_end

GREEK = {"a0": "a₀", "a1": "a₁"}
CONSTANTS = {"least": "the least C", "Hoeffding": "the C that Hoeffding's bound needs"}
SLOPE_OVER = 4
"""Doublings over which a slope is measured: further apart than the lattice of a binomial law."""


@dataclass(frozen=True)
class Evaluation:
    """All that is computed for one claim.

    Attributes
    ----------
    measured : at the sizes tested
    along_paths : one result a path; none of a claim with sizes of its own
    worst_ends : the worst ends of the parameters' ranges, size by size; None of a claim without
        ranges, and empty where they are left out
    """

    claim: PaperClaim
    measured: Sequence[Measured]
    along_paths: Sequence[PathResult]
    worst_ends: Sequence[Measured | None] = ()

    @property
    def everywhere(self) -> list[Measured]:
        """The measurements at the sizes tested and along the paths."""
        measured = list(self.measured)
        for result in self.along_paths:
            measured += result.measured
        return measured


def evaluate(
    claim: PaperClaim, sizes: Sequence[Size], paths: Sequence[SizePath], setting_at: SettingAt
) -> Evaluation:
    """What a claim measures at some sizes and along some paths, without the parameters' ranges."""
    measured = [claim.evaluate(setting_at(*size)) for size in sizes]
    return Evaluation(claim, measured, [evaluate_along(claim, path, setting_at) for path in paths])


def evaluate_in_ranges(
    claim: PaperClaim, sizes: Sequence[Size], paths: Sequence[SizePath], setting_at: SettingAt
) -> Evaluation:
    """What a claim measures at some sizes and along some paths, and its worst case at the ends of
    the parameters' ranges."""
    worst_ends = [worst_end(claim, setting_at(*size)) for size in sizes]
    return replace(evaluate(claim, sizes, paths, setting_at), worst_ends=worst_ends)


def verdict(evaluation: Evaluation) -> str:
    """The verdict on a claim, in one line; it begins with what it is on where that is not the
    paper's own words, such as "the guessed bound"."""
    claim = evaluation.claim
    if claim.relation == Relation.RATIO:
        return _text_of_ratio(evaluation)
    text = _text_of_where_it_holds(evaluation)
    if claim.scope:
        text = f"{text}, for {claim.scope}, all that was tested"
    subject = SUBJECTS.get(origin(claim.id, claim.identity).source)
    return f"{subject} {text}" if subject else text


def _text_of_where_it_holds(evaluation: Evaluation) -> str:
    """The verdict on a claim that can be judged at each size: whether, or from which n on, it
    holds."""
    claim = evaluation.claim
    holding = [result for result in evaluation.measured if result.holds]
    if len(holding) == len(evaluation.measured):
        return _holding_text(evaluation) + _text_of_failing_range(evaluation)
    last = _last_start(evaluation.along_paths)
    if last is not None:
        where = f", {path_words(last.path)}" if len(evaluation.along_paths) > 1 else ""
        never = _text_of_failing_paths(evaluation.along_paths)
        return f"holds only from n >= {last.from_n}{where}{never}{_text_of_failing_end(last)}"
    if any(result.from_n is not None for result in evaluation.along_paths):
        count = f"{len(holding)} of the {len(evaluation.measured)} sizes tested"
        return f"holds at {count}{_text_of_failing_range(evaluation)}"
    if claim.constant and not holding:
        return _text_of_growing_constant(claim, evaluation.along_paths[0])
    if any(result.holds for result in evaluation.everywhere):
        return "fails at every large n tested"
    return "fails at every n tested"


def _last_start(along_paths: Sequence[PathResult]) -> PathResult | None:
    """The result on the path on which a claim starts at the largest n, of those that have smaller
    sizes too; None if there is none.

    Where d grows too slowly the theorems claim nothing: such a start counts if there is no other.
    """
    late = [result for result in along_paths if result.starts_late]
    fast = [result for result in late if not result.path.is_too_slow]
    return max(fast or late, key=lambda result: result.from_n or 0, default=None)


def _holding_text(evaluation: Evaluation) -> str:
    """The verdict on a claim that holds at all sizes tested, with its constant C if it has one."""
    claim = evaluation.claim
    everywhere = evaluation.everywhere
    if not claim.constant or not all(result.holds for result in everywhere):
        return "holds at the sizes tested"
    constant = math.ceil(1000 * max(result.value for result in everywhere)) / 1000
    if claim.constant == "least":
        return f"holds with least C = {constant:g} at every n tested"
    return f"holds with C = {constant:g} by Hoeffding's bound at every n tested"


def _text_of_failing_range(evaluation: Evaluation) -> str:
    """Where in its parameters' ranges a claim fails at the sizes tested; "" if nowhere."""
    worst = least_margin([end for end in evaluation.worst_ends if end is not None])
    if worst is None or worst.holds:
        return ""
    where = f"at {range_text(worst.changes)} of the dataset's range"
    if not evaluation.claim.constant:
        return f", fails {where}"
    if worst.value == NO_CONSTANT:
        return f", but with none {where}"
    return f", but with up to {short_number(worst.value)} {where}"


def _text_of_failing_paths(along_paths: Sequence[PathResult]) -> str:
    """On which of the theorems' paths a claim does not hold at the largest n; "" if on none."""
    never = []
    for result in along_paths:
        if result.from_n is None and not result.path.is_too_slow:
            never.append(path_words(result.path))
    if not never:
        return ""
    return f"; not yet at n = {short_number(PATHS_END)} {' or '.join(never)}"


def _text_of_failing_end(result: PathResult) -> str:
    """Where in its parameters' ranges a claim fails even at the largest n of a path on which it
    starts; "" if nowhere."""
    end = result.worst_end
    if end is None or end.holds:
        return ""
    where = f"at {range_text(end.changes)} of the dataset's range"
    return f"; at n = {short_number(end.n)} it fails {where}"


def _text_of_growing_constant(claim: PaperClaim, result: PathResult) -> str:
    """The verdict on an O() that fails: no single n refutes it, but a constant C that grows."""
    first = result.measured[0]
    last = result.measured[-1]
    growth = f"{CONSTANTS[claim.constant or 'least']} grows like {_power_text(claim, result)}"
    start = f"{short_number(first.value)} at n = {first.n}"
    end = f"{short_number(last.value)} at n = {short_number(last.n)}"
    return f"fails: {growth}, from {start} to {end}"


def _text_of_ratio(evaluation: Evaluation) -> str:
    """The verdict on a claim with an o(), which no single size can judge: how its ratio moves."""
    claim = evaluation.claim
    ratios = [result.value / result.bound for result in evaluation.measured]
    slopes = [
        f"like {_power_text(claim, result)} {path_words(result.path)}"
        for result in evaluation.along_paths
    ]
    span = f"{short_number(min(ratios))} to {short_number(max(ratios))}"
    return (
        "not judged: an o() says nothing at one size; value / bound is "
        f"{span} at the sizes tested and moves {', '.join(slopes)}"
    )


def _power_text(claim: PaperClaim, result: PathResult) -> str:
    """The power of n like which a claim's constant or ratio moves, such as "n^0.50"."""
    return f"n^{power_of_n(claim, result):.2f}"


def power_of_n(claim: PaperClaim, result: PathResult) -> float | None:
    """The exponent p with which a claim's constant C, or value / bound, moves like n^p at the end
    of a path; None where a value or bound is 0."""
    start = result.measured[-1 - SLOPE_OVER]
    end = result.measured[-1]
    if 0 in (start.value, start.bound, end.value, end.bound):
        return None
    rise = _log_height(claim, end) - _log_height(claim, start)
    return rise / (math.log(end.n) - math.log(start.n))


def _log_height(claim: PaperClaim, measured: Measured) -> float:
    """The logarithm of a claim's constant C, or of value / bound where it has none."""
    if claim.constant:
        return math.log(measured.value)
    return math.log(measured.value / measured.bound)


def path_words(path: SizePath) -> str:
    """How d grows on a path, in words within a sentence, such as "with d fixed at 22". ValueError
    for a model without a d."""
    if not isinstance(path.model, AttentionModel):
        raise ValueError(f"the model {path.model.name} has no d; allowed: models of attention")
    other_columns = path.model.other_columns
    growth = path.growth
    if growth.words:
        text = f"with d − {other_columns} = {growth.words}"
    else:
        text = f"with d fixed at {path.classes + other_columns}"
    return f"{text} (the theorems ask that it {growth.asked})" if growth.asked else text


def short_number(value: float) -> str:
    """A number as text: to three digits, or in full if it is whole and below a million; large and
    small ones with a power of ten, such as "3·10^8"."""
    if value == int(value) and abs(value) < 10**6:
        return str(int(value))
    mantissa, exponent, power = f"{value:.3g}".partition("e")
    if not exponent:
        return mantissa
    ten = f"10^{int(power)}"
    return ten if mantissa == "1" else f"{mantissa}·{ten}"


def range_text(changes: Changes) -> str:
    """The values of changed parameters as text, such as "a₁ = 0.7, b = 0.1, c = 0.9"."""
    return ", ".join(f"{GREEK.get(name, name)} = {value:g}" for name, value in changes)
