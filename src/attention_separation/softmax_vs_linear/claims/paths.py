"""Ways for n and d to grow, and from which n on a claim holds along one of them."""

import math
from collections.abc import Callable
from dataclasses import dataclass

from ..models.model import AttentionModel, Model
from .claim import Measured

SMALLEST, LARGEST = 100, 10**9
"""n is doubled from the smallest of the experiments up to 10^9, where a count of classes of about
n/4 still leaves a tie's tolerance far below one token's weight."""

FURTHER, MOST_FURTHER = 1.25, 200
"""Sizes beyond the first at which a claim holds that are tested one by one: up to this multiple of
its n, and at most so many."""

NAMES = ("d fixed", "d sqrt", "d quarter")
"""The number K of classes, which is d less the other columns: fixed, about sqrt n, n/4."""


@dataclass(frozen=True)
class SizePath:
    """Sizes of one model along one of NAMES; `classes` is K where it is fixed."""

    model: Model
    name: str
    classes: int = 0

    def size(self, about: float) -> tuple[int, int | None]:
        """n and d nearest to a wanted n: n is a multiple of the number of classes."""
        if not isinstance(self.model, AttentionModel):
            return round(about), None
        if self.name == "d quarter":
            classes = max(1, round(about / 4))
            n = 4 * classes
        else:
            classes = self.classes if self.name == "d fixed" else math.ceil(math.sqrt(about))
            n = classes * max(1, round(about / classes))
        return n, classes + self.model.other_columns

    def after(self, size: tuple[int, int | None]) -> tuple[int, int | None]:
        """The next size of the path."""
        n, d = size
        if not isinstance(self.model, AttentionModel):
            return n + 1, None
        classes = self.model.classes(d)
        if self.name == "d fixed":
            return n + classes, d
        if self.name == "d quarter":
            return n + 4, d + 1
        if n + classes <= classes * classes:
            return n + classes, d
        return classes * (classes + 1), d + 1

    def doublings(self) -> list[tuple[int, int | None]]:
        """Sizes from SMALLEST to LARGEST, each about twice the one before."""
        count = math.floor(math.log2(LARGEST / SMALLEST))
        return [self.size(SMALLEST * 2**k) for k in range(count + 1)] + [self.size(LARGEST)]


@dataclass(frozen=True)
class Ranged:
    """What a claim measures with some parameters changed."""

    changes: tuple[tuple[str, float], ...]
    measured: Measured


@dataclass(frozen=True)
class Along:
    """A claim along one path: its measurements at the doublings, from which n it holds, and the
    worst that it measures in the parameters' ranges at the largest n."""

    path: SizePath
    sizes: list[tuple[int, int | None]]
    measured: list[Measured]
    from_n: int | None
    end: Ranged | None


def paths(model: Model, first: tuple[int, int | None]) -> list[SizePath]:
    """The paths of a model; d is fixed as at the first of the sizes."""
    if not isinstance(model, AttentionModel):
        return [SizePath(model, NAMES[0])]
    fixed = model.classes(first[1])
    return [SizePath(model, name, fixed) for name in NAMES]


def holds_from(path: SizePath, holds: Callable[[tuple[int, int | None]], bool]) -> int | None:
    """Smallest n from which a claim holds at every larger n that is tested, None if there is none.

    Between the last doubling at which it fails and the next one n is bisected. Then follow the next
    sizes one by one, as far as FURTHER says: what holds at one size may fail at the next, for a
    threshold falls between the values of a count.
    """
    sizes = path.doublings()
    failing = [k for k, size in enumerate(sizes) if not holds(size)]
    if not failing:
        return sizes[0][0]
    if failing[-1] == len(sizes) - 1:
        return None
    fails, works = sizes[failing[-1]], sizes[failing[-1] + 1]
    while True:
        middle = path.size((fails[0] + works[0]) / 2)
        if not fails[0] < middle[0] < works[0]:
            return _settled(path, works, holds)
        if holds(middle):
            works = middle
        else:
            fails = middle


def _settled(
    path: SizePath,
    works: tuple[int, int | None],
    holds: Callable[[tuple[int, int | None]], bool],
) -> int:
    """The n after the last failure among the sizes that follow one where a claim holds."""
    size = works
    for _ in range(MOST_FURTHER):
        size = path.after(size)
        if size[0] > FURTHER * works[0]:
            break
        if not holds(size):
            works = path.after(size)
    return works[0]
