"""Ways for n and d to grow, from which n on a claim holds along one of them, and what it measures
at the ends of the parameters' ranges.

A *path* is a sequence of sizes of one model whose n grows to PATHS_END, with a rule for how d grows
with it. Along it a claim is evaluated at *doublings*, sizes each about twice the one before.
"""

import math
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from functools import cache
from operator import attrgetter
from typing import Any

from ...statistics.bisection import bracket
from ..softmax_vs_linear.models.model import AttentionModel, Model
from .claim import Measured, PaperClaim, Setting, SettingAt, Size

SMALLEST_N = 4
EXPERIMENTS_N = 100
PATHS_END = 10**9
"""n begins where Lemma 4.2 does, is doubled so that it meets the smallest of the experiments, and
ends at 10^9, where a count of classes of about n/4 still leaves a tie's tolerance far below one
token's weight."""

FURTHER_TESTED = 1.25
MOST_FURTHER = 200
"""Sizes beyond the first at which a claim holds that are tested one by one: up to this multiple of
its n, and at most so many."""


TOKENS_PER_CLASS = 4
"""Where d is like n/4."""


@dataclass(frozen=True)
class Growth:
    """How the number K of classes, which is d less the other columns, grows with n.

    Attributes
    ----------
    words : K in words; empty where it is fixed
    classes : n -> K before it is made whole; None where K is fixed, or a class has a fixed number
        of tokens
    tokens_per_class : that number; None where it grows
    asked : what the theorems ask of d if they claim nothing: it is no ω(n^0.02)
    """

    words: str = ""
    classes: Callable[[float], float] | None = None
    tokens_per_class: int | None = None
    asked: str = ""


D_FIXED = "d fixed"
GROWTH_BY_PATH = {
    D_FIXED: Growth(asked="grows"),
    "d sqrt": Growth("⌈√n⌉", math.sqrt),
    "d quarter": Growth("n/4", tokens_per_class=TOKENS_PER_CLASS),
    "d tenth": Growth("⌈n^0.1⌉", lambda n: n**0.1),
    "d log": Growth("⌈log n⌉", math.log, asked="grows faster"),
}
"""The paths of attention by name."""

PATHS = tuple(GROWTH_BY_PATH)
PATHS_OF_ANY_D = PATHS[:3]
"""The paths of claims that ask nothing of d."""


@dataclass(frozen=True)
class SizePath:
    """Sizes of one model along one of PATHS; where K is fixed, it is `classes`: 1 in the regression
    model, whose tokens have no classes and which has no d."""

    model: Model
    name: str
    classes: int = 1

    @property
    def growth(self) -> Growth:
        return GROWTH_BY_PATH[self.name]

    @property
    def is_too_slow(self) -> bool:
        """Whether d grows too slowly for the theorems to claim anything."""
        return bool(self.growth.asked)

    def size(self, wanted_n: float) -> Size:
        """The size of the path whose n, a multiple of the number of classes, is nearest to a wanted
        n."""
        tokens_per_class = self.growth.tokens_per_class
        if tokens_per_class is None:
            classes = self._classes(wanted_n)
            return self._size_of(classes, max(1, round(wanted_n / classes)))
        return self._size_of(max(1, round(wanted_n / tokens_per_class)), tokens_per_class)

    def after(self, size: Size) -> Size:
        """The next size of the path."""
        classes = self._classes_at(size)
        if self.growth.tokens_per_class is not None:
            return self._size_of(classes + 1, self.growth.tokens_per_class)
        if self._classes(size.n + classes) <= classes:
            return self._size_of(classes, size.n // classes + 1)
        return self._size_of(classes + 1, size.n // (classes + 1) + 1)

    def _classes(self, n: float) -> int:
        """The number K of classes at some n, where a class has no fixed number of tokens."""
        if self.growth.classes is None:
            return self.classes
        return math.ceil(self.growth.classes(n))

    def _size_of(self, classes: int, tokens_per_class: int) -> Size:
        """The size n, d with so many classes and so many tokens in each."""
        n = classes * tokens_per_class
        if isinstance(self.model, AttentionModel):
            return Size(n, classes + self.model.other_columns)
        return Size(n, None)

    def _classes_at(self, size: Size) -> int:
        """The number K of classes at a size of the path."""
        if isinstance(self.model, AttentionModel) and size.d is not None:
            return self.model.classes(size.d)
        return self.classes

    def doublings(self) -> list[Size]:
        """Sizes from SMALLEST_N to PATHS_END, each about twice the one before. Those of attention
        begin where there are two classes of two tokens."""
        first = math.ceil(math.log2(SMALLEST_N / EXPERIMENTS_N))
        last = math.ceil(math.log2(PATHS_END / EXPERIMENTS_N))
        between = [EXPERIMENTS_N * 2.0**power for power in range(first, last)]
        sizes = dict.fromkeys(self.size(n) for n in (SMALLEST_N, *between, PATHS_END))
        return [size for size in sizes if self._has_two_classes_of_two(size)]

    def _has_two_classes_of_two(self, size: Size) -> bool:
        """Whether there are two classes and two tokens in each; the regression model has none."""
        return size.d is None or 2 <= self._classes_at(size) <= size.n / 2


def paths(model: Model, first: Size, names: Collection[str] = PATHS) -> list[SizePath]:
    """The paths of these names that a model has; where d is fixed, it is that of the size
    `first`."""
    _, d = first
    if not isinstance(model, AttentionModel) or d is None:
        return [SizePath(model, D_FIXED)]
    classes = model.classes(d)
    return [SizePath(model, name, classes=classes) for name in names]


@dataclass(frozen=True)
class PathResult:
    """A claim along one path.

    Attributes
    ----------
    measured : its measurements at the doublings
    from_n : from which n it holds, None if it does not up to the largest
    worst_end : the worst that it measures in the parameters' ranges at the largest n
    """

    path: SizePath
    measured: list[Measured]
    from_n: int | None
    worst_end: Measured | None

    @property
    def starts_late(self) -> bool:
        """Whether the claim holds from some n on, but not yet at the path's first size."""
        return self.from_n is not None and self.from_n > self.measured[0].n


def evaluate_along(claim: PaperClaim, path: SizePath, setting_at: SettingAt) -> PathResult:
    """The result of a claim along a path: what it measures, and from which n on it holds."""

    @cache
    def measured_at(size: Size) -> Measured:
        return claim.evaluate(setting_at(*size))

    def holds(size: Size) -> bool:
        return bool(measured_at(size).holds)

    sizes = path.doublings()
    return PathResult(
        path=path,
        measured=[measured_at(size) for size in sizes],
        from_n=holds_from(path, holds),
        worst_end=worst_end(claim, setting_at(*sizes[-1])),
    )


def worst_end(claim: PaperClaim, setting: Setting) -> Measured | None:
    """What a claim measures at the end of the parameters' ranges with the least margin; None if it
    has no ranges."""
    ends = []
    for changes in claim.ranges:
        values: dict[str, Any] = dict(changes)
        measured = claim.evaluate(replace(setting, **values))
        ends.append(replace(measured, changes=changes))
    return least_margin(ends)


def least_margin(measured: Collection[Measured]) -> Measured | None:
    """The measurement with the least margin, of those that can be judged; None if there is none."""
    judged = [result for result in measured if result.margin is not None]
    return min(judged, key=attrgetter("margin"), default=None)


def holds_from(path: SizePath, holds: Callable[[Size], bool]) -> int | None:
    """The smallest n of a path from which a claim holds at every larger n that is tested; None if
    there is none.

    Between the last doubling at which it fails and the next one n is bisected. Then follow the next
    sizes one by one, as far as FURTHER_TESTED says: what holds at one size may fail at the next,
    for a threshold falls between the values of a count.
    """
    sizes = path.doublings()
    failing = [index for index, size in enumerate(sizes) if not holds(size)]
    if not failing:
        return sizes[0].n
    last_failing = failing[-1]
    if last_failing == len(sizes) - 1:
        return None
    start = _first_after_failure(path, holds, sizes[last_failing], sizes[last_failing + 1])
    size = start
    for _ in range(MOST_FURTHER):
        size = path.after(size)
        if size.n > FURTHER_TESTED * start.n:
            break
        if not holds(size):
            start = path.after(size)
    return start.n


def _first_after_failure(
    path: SizePath, holds: Callable[[Size], bool], failing: Size, holding: Size
) -> Size:
    """A size between `failing` and `holding` at which a claim holds, and fails at the one before:
    found by bisection."""

    def fails(size: Size) -> bool:
        return not holds(size)

    def size_between(low: Size, high: Size) -> Size | None:
        """The path's size midway between two; None if there is none between."""
        middle = path.size((low.n + high.n) / 2)
        return middle if low.n < middle.n < high.n else None

    _, first = bracket(failing, holding, fails, size_between)
    return first
