"""The judge of claims, one for all studies, and the words of its verdicts.

A claim is judged on comparisons, each of a number that is known to an interval with the range that
is claimed of it. All must agree for the claim to; one that differs decides.
"""

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from enum import StrEnum
from operator import attrgetter
from typing import NamedTuple, Self


class Verdict(StrEnum):
    """What is said of a claim, as tables have it.

    `NOT_JUDGED` is of what was run and says nothing on the claim; `ONE_RUN` of numbers of single
    runs, which have no interval: how they stand to the bound, and no more; `NOT_APPLICABLE` of a
    claim whose conditions are not met.
    """

    AGREES = "agrees"
    DIFFERS = "differs"
    UNDECIDED = "undecided"
    NOT_RUN = "not run"
    NOT_JUDGED = "not judged"
    ONE_RUN = "one run"
    NOT_APPLICABLE = "not applicable"


NOT_APPLICABLE = Verdict.NOT_APPLICABLE
VERDICTS = (Verdict.AGREES, Verdict.DIFFERS, Verdict.UNDECIDED)
"""Those of a comparison."""

OF_SEVERAL: dict[str, str] = {Verdict.AGREES: "agree", Verdict.DIFFERS: "differ"}
"""Those that are said otherwise of several."""


def count_verdicts(verdicts: Iterable[str]) -> str:
    """How many verdicts there are of each kind, in words such as "5 agree, 1 undecided"."""
    counts = Counter(verdicts)
    words = dict.fromkeys([*VERDICTS, *counts])
    return ", ".join(
        f"{counts[word]} {OF_SEVERAL.get(word, word)}" for word in words if counts[word]
    )


class Estimate(NamedTuple):
    """A value and a two-sided interval of it; without an interval (NaN) where a sample has one."""

    value: float
    low: float
    high: float

    @classmethod
    def within(cls, value: float, reach: float) -> Self:
        """The estimate whose interval goes from `value - reach` to `value + reach`."""
        return cls(value, value - reach, value + reach)

    @classmethod
    def exactly(cls, value: float) -> Self:
        """The estimate of a known number: its interval is the number itself."""
        return cls(value, value, value)

    def moved(self, by: Callable[[float], float]) -> Self:
        """The estimate of a function of the number, `by`, which rises or falls throughout: its
        interval is between the function's values at both ends."""
        low, high = sorted([by(self.low), by(self.high)])
        return type(self)(by(self.value), low, high)

    def less(self, other: "Estimate | float") -> Self:
        """The difference from another estimate, or from a known number; its interval holds the
        difference of any two numbers of both intervals."""
        if not isinstance(other, Estimate):
            other = Estimate.exactly(other)
        return type(self)(self.value - other.value, self.low - other.high, self.high - other.low)

    def times(self, factor: float) -> Self:
        """The estimate, with its interval, times a known factor."""
        return self.moved(lambda end: end * factor)

    def over(self, number: float) -> Self:
        """The estimate, with its interval, divided by a known number."""
        return self.moved(lambda end: end / number)


@dataclass(frozen=True)
class Comparison:
    """A number with the interval that it is known to, and the range that is claimed of it, whose
    ends belong to it."""

    name: str
    measured: Estimate
    least: float = -math.inf
    most: float = math.inf
    far: Estimate | None = None
    """The wider interval that must lie outside for it to differ, where one of many comparisons may
    by chance; None if it is the same."""
    rounding: float = 0.0
    """Relative difference that is forgiven to numbers that are known; of 0, none, and distances are
    not relative then."""

    @property
    def verdict(self) -> Verdict:
        """Agrees if the interval lies inside the range, differs if outside, else undecided.

        Inside, its low end is at least the least allowed value and its high end at most the most;
        outside, its high end is below the least or its low end above the most. `far`, where it is
        given, is the wider interval that has to be outside.
        """
        # NaN is neither inside nor outside.
        near = self.measured
        distances = self._distances(compared_with_least=near.low, compared_with_most=near.high)
        if all(distance >= 0 for distance in distances):
            return Verdict.AGREES
        far = self.far or self.measured
        distances = self._distances(compared_with_least=far.high, compared_with_most=far.low)
        if any(distance < 0 for distance in distances):
            return Verdict.DIFFERS
        return Verdict.UNDECIDED

    @property
    def slack(self) -> float:
        """How much the interval may move without another verdict: positive where it lies inside the
        range, negative where it lies outside."""
        _, low, high = self.measured
        # Outside the range the nearer end of the interval counts, inside it the farther end.
        if self.verdict == Verdict.DIFFERS:
            return self._slack(compared_with_least=high, compared_with_most=low)
        return self._slack(compared_with_least=low, compared_with_most=high)

    @property
    def slack_of_value(self) -> float:
        """How far the value alone lies inside the range; negative outside."""
        value = self.measured.value
        return self._slack(compared_with_least=value, compared_with_most=value)

    def _slack(self, compared_with_least: float, compared_with_most: float) -> float:
        """How far two numbers lie inside the range, `compared_with_least` above its least and
        `compared_with_most` below its most: the smaller distance, over the range's width if it has
        two ends. Negative outside."""
        slack = min(self._distances(compared_with_least, compared_with_most), default=math.inf)
        width = self.most - self.least
        has_width = math.isfinite(width) and width != 0
        return slack / width if has_width else slack

    def _distances(self, compared_with_least: float, compared_with_most: float) -> list[float]:
        """How far `compared_with_least` lies above the range's least and `compared_with_most` below
        its most, a distance for each end that is finite. Negative outside."""
        distances = []
        if self.least != -math.inf:
            distances.append(self._distance(self.least, compared_with_least))
        if self.most != math.inf:
            distances.append(self._distance(compared_with_most, self.most))
        return distances

    def _distance(self, lower: float, upper: float) -> float:
        """`upper - lower`; where rounding is forgiven, over the larger of both sizes, plus what is
        forgiven."""
        scale = max(abs(lower), abs(upper)) if self.rounding else 1.0
        return (upper - lower) / (scale or 1.0) + self.rounding


def at_least(name: str, measured: Estimate, bound: float) -> Comparison:
    """The comparison of a number that is claimed to be no less than a bound."""
    return Comparison(name, measured, least=bound)


def at_most(name: str, measured: Estimate, bound: float) -> Comparison:
    """The comparison of a number that is claimed to be no more than a bound."""
    return Comparison(name, measured, most=bound)


def within(name: str, measured: Estimate, bound: float) -> Comparison:
    """The comparison of a number whose absolute value is claimed to be no more than a bound."""
    return Comparison(name, measured, -bound, bound)


def combine_verdicts(verdicts: Collection[str]) -> Verdict:
    """The verdict on a claim of several parts: all must agree, one that differs decides."""
    if Verdict.DIFFERS in verdicts:
        return Verdict.DIFFERS
    return Verdict.AGREES if set(verdicts) == {Verdict.AGREES} else Verdict.UNDECIDED


@dataclass(frozen=True)
class Judgement:
    """The verdict on a claim, on how many comparisons, and the one that decides; None where there
    is none."""

    verdict: Verdict
    comparisons: int
    deciding: Comparison | None = None

    def columns(self) -> dict[str, object]:
        """The columns of a claim's row: the verdict, the number of comparisons, and the deciding
        one's name, numbers and range; null where there is no number or no such end."""
        row: dict[str, object] = {"verdict": self.verdict, "comparisons": self.comparisons}
        if self.deciding is None:
            return row
        numbers = self.deciding.measured._asdict()
        numbers |= {"least": self.deciding.least, "most": self.deciding.most}
        row["deciding_case"] = self.deciding.name
        for name, number in numbers.items():
            row[name] = number if math.isfinite(number) else None
        return row


def judge(
    comparisons: Iterable[Comparison],
    slack: Callable[[Comparison], float] = attrgetter("slack"),
) -> Judgement:
    """The judgement on a claim that rests on some comparisons. The deciding one is, of those with
    the claim's verdict, the one with the least slack: the furthest from agreeing."""
    judged = list(comparisons)
    if not judged:
        return Judgement(Verdict.NOT_RUN, 0)
    verdict = combine_verdicts([comparison.verdict for comparison in judged])
    with_verdict = [comparison for comparison in judged if comparison.verdict == verdict]
    return Judgement(verdict, len(judged), min(with_verdict, key=slack))
