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
    """How many there are of each, as "5 agree, 1 undecided"; any other words stand last."""
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
        """An interval that goes equally far to both sides."""
        return cls(value, value - reach, value + reach)

    @classmethod
    def exactly(cls, value: float) -> Self:
        """A number that is known."""
        return cls(value, value, value)

    def moved(self, by: Callable[[float], float]) -> Self:
        """A function of the value, rising or falling, and what its interval becomes."""
        low, high = sorted([by(self.low), by(self.high)])
        return type(self)(by(self.value), low, high)

    def less(self, other: "Estimate | float") -> Self:
        """Less a number that is known, or another estimate: between what the difference of both
        surely is."""
        if not isinstance(other, Estimate):
            other = Estimate.exactly(other)
        return type(self)(self.value - other.value, self.low - other.high, self.high - other.low)

    def times(self, factor: float) -> Self:
        """Times a number that is known."""
        return self.moved(lambda end: end * factor)

    def over(self, number: float) -> Self:
        """Over a number that is known."""
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
        """Agrees if the interval lies inside the range, differs if outside, else undecided."""
        # NaN is neither inside nor outside.
        _, low, high = self.measured
        if all(
            inside >= 0
            for inside in self._distances(compared_with_least=low, compared_with_most=high)
        ):
            return Verdict.AGREES
        _, low, high = self.far or self.measured
        if any(
            inside < 0
            for inside in self._distances(compared_with_least=high, compared_with_most=low)
        ):
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
        """The least of the distances, in units of a range that has two ends."""
        slack = min(self._distances(compared_with_least, compared_with_most), default=math.inf)
        width = self.most - self.least
        has_width = math.isfinite(width) and width != 0
        return slack / width if has_width else slack

    def _distances(self, compared_with_least: float, compared_with_most: float) -> list[float]:
        """How far one number is above the range's least and the other below its most: of the two
        ends those that the range has. Negative where it is outside."""
        distances = []
        if self.least != -math.inf:
            distances.append(self._distance(self.least, compared_with_least))
        if self.most != math.inf:
            distances.append(self._distance(compared_with_most, self.most))
        return distances

    def _distance(self, lower: float, upper: float) -> float:
        """From one number up to the other, relative to the larger where rounding is forgiven."""
        scale = max(abs(lower), abs(upper)) if self.rounding else 1.0
        return (upper - lower) / (scale or 1.0) + self.rounding


def at_least(name: str, measured: Estimate, bound: float) -> Comparison:
    """Of a number that is claimed to be no less than a bound."""
    return Comparison(name, measured, least=bound)


def at_most(name: str, measured: Estimate, bound: float) -> Comparison:
    """Of a number that is claimed to be no more than a bound."""
    return Comparison(name, measured, most=bound)


def within(name: str, measured: Estimate, bound: float) -> Comparison:
    """Of a number that is claimed to have a size of no more than a bound."""
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
        """What a table says of it: null where there is no number, or no such end of a range."""
        row = {"verdict": self.verdict, "comparisons": self.comparisons}
        if self.deciding is None:
            return row
        numbers = self.deciding.measured._asdict()
        numbers |= {"least": self.deciding.least, "most": self.deciding.most}
        known = {name: x if math.isfinite(x) else None for name, x in numbers.items()}
        return row | {"deciding_case": self.deciding.name} | known


def judge(
    comparisons: Iterable[Comparison],
    slack: Callable[[Comparison], float] = attrgetter("slack"),
) -> Judgement:
    """The judgement on a claim. Of the comparisons with its verdict, that decides which is the
    furthest from agreeing, by its slack."""
    judged = list(comparisons)
    if not judged:
        return Judgement(Verdict.NOT_RUN, 0)
    verdict = combine_verdicts([comparison.verdict for comparison in judged])
    with_verdict = [comparison for comparison in judged if comparison.verdict == verdict]
    return Judgement(verdict, len(judged), min(with_verdict, key=slack))
