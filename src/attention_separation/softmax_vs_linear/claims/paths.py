"""Ways for n and d to grow, from which n on a claim holds along one of them, and the verdict on a
claim in one line."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache

from ..models.model import AttentionModel, Model
from .claim import Measured, PaperClaim, Setting, SettingAt
from .lemma import NEVER
from .origins import SUBJECTS

SMALLEST, OF_EXPERIMENTS, LARGEST = 4, 100, 10**9
"""n begins where Lemma 4.2 does, is doubled so that it meets the smallest of the experiments, and
ends at 10^9, where a count of classes of about n/4 still leaves a tie's tolerance far below one
token's weight."""

FURTHER, MOST_FURTHER = 1.25, 200
"""Sizes beyond the first at which a claim holds that are tested one by one: up to this multiple of
its n, and at most so many."""

GROWTH: dict[str, tuple[Callable[[float], float] | None, str, str]] = {
    "d fixed": (None, "", "grows"),
    "d sqrt": (math.sqrt, "⌈√n⌉", ""),
    "d quarter": (None, "n/4", ""),
    "d tenth": (lambda n: n**0.1, "⌈n^0.1⌉", ""),
    "d log": (math.log, "⌈log n⌉", "grows faster"),
}
"""How the number K of classes, which is d less the other columns, grows with n before it is made
whole, K in words, and what the theorems ask of d if they claim nothing: it is no ω(n^0.02)."""

NAMES = tuple(GROWTH)
FAST, TOO_SLOW = NAMES[:3], [name for name, (*_, asked) in GROWTH.items() if asked]
"""All paths, those of claims that ask nothing of d, and those that the theorems leave out."""


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
            classes = self._classes(about)
            n = classes * max(1, round(about / classes))
        return n, classes + self.model.other_columns

    def _classes(self, n: float) -> int:
        return self.classes or math.ceil(GROWTH[self.name][0](n))

    def after(self, size: tuple[int, int | None]) -> tuple[int, int | None]:
        """The next size of the path."""
        n, d = size
        if not isinstance(self.model, AttentionModel):
            return n + 1, None
        classes = self.model.classes(d)
        if self.name == "d quarter":
            return n + 4, d + 1
        if self._classes(n + classes) <= classes:
            return n + classes, d
        return (n // (classes + 1) + 1) * (classes + 1), d + 1

    def doublings(self) -> list[tuple[int, int | None]]:
        """Sizes from SMALLEST to LARGEST, each about twice the one before; those of attention have
        two classes and two tokens in each, so they begin later where d is fixed or n/4."""
        first, last = (math.log2(end / OF_EXPERIMENTS) for end in (SMALLEST, LARGEST))
        between = [OF_EXPERIMENTS * 2.0**k for k in range(math.ceil(first), math.ceil(last))]
        sizes = dict.fromkeys(self.size(about) for about in (SMALLEST, *between, LARGEST))
        return [(n, d) for n, d in sizes if d is None or 2 <= self.model.classes(d) <= n / 2]


@dataclass(frozen=True)
class Along:
    """A claim along one path: its measurements at the doublings, from which n it holds, and the
    worst that it measures in the parameters' ranges at the largest n."""

    path: SizePath
    sizes: list[tuple[int, int | None]]
    measured: list[Measured]
    from_n: int | None
    end: Measured | None


def paths(model: Model, first: tuple[int, int | None], names: tuple = NAMES) -> list[SizePath]:
    """The paths of these names that a model has; d is fixed as at the first of the sizes."""
    if not isinstance(model, AttentionModel):
        return [SizePath(model, NAMES[0])]
    fixed = model.classes(first[1])
    return [SizePath(model, name, fixed if name == "d fixed" else 0) for name in names]


def along(claim: PaperClaim, path: SizePath, setting_at: SettingAt) -> Along:
    """Evaluate a claim along a path."""

    @cache
    def at(size: tuple[int, int | None]) -> Measured:
        return claim.evaluate(setting_at(*size))

    sizes = path.doublings()
    from_n = holds_from(path, lambda size: at(size).holds)
    end = worst_end(claim, setting_at(*sizes[-1]))
    return Along(path, sizes, [at(size) for size in sizes], from_n, end)


def worst_end(claim: PaperClaim, setting: Setting) -> Measured | None:
    """What it measures at the end of the parameters' ranges with the least margin."""
    found = [
        replace(claim.evaluate(replace(setting, **dict(changes))), changes=changes)
        for changes in claim.ranges
    ]
    return min(found, key=lambda at: at.margin, default=None)


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
            break
        if holds(middle):
            works = middle
        else:
            fails = middle
    size = works
    for _ in range(MOST_FURTHER):
        size = path.after(size)
        if size[0] > FURTHER * works[0]:
            break
        if not holds(size):
            works = path.after(size)
    return works[0]


GREEK = {"a0": "a₀", "a1": "a₁"}
CONSTANTS = {"least": "the least C", "Hoeffding": "the C that Hoeffding's bound needs"}
SLOPE_OVER = 4
"""Doublings over which a slope is measured: further apart than the lattice of a binomial law."""


def path_name(path: SizePath) -> str:
    """The path of a model with a d within a sentence, such as "with d fixed at 22"."""
    less = path.model.other_columns
    _, growth, asked = GROWTH[path.name]
    how = f"− {less} = {growth}" if growth else f"fixed at {path.classes + less}"
    return f"with d {how}" + (f" (the theorems ask that it {asked})" if asked else "")


def number(value: float) -> str:
    """Three digits, or all of a whole number below a million; powers of ten where shorter."""
    if value == int(value) and abs(value) < 10**6:
        return str(int(value))
    text = f"{value:.3g}"
    mantissa, exponent, power = text.partition("e")
    if not exponent:
        return text
    ten = f"10^{int(power)}"
    return ten if mantissa == "1" else f"{mantissa}·{ten}"


def power(claim: PaperClaim, one: Along) -> float | None:
    """The power of n like which the constant, or value / bound, moves at the end of a path."""
    ends = []
    for k in (-1 - SLOPE_OVER, -1):
        at, n = one.measured[k], one.sizes[k][0]
        if at.value == 0 or at.bound == 0:
            return None
        ends.append((math.log(n), math.log(at.value if claim.constant else at.value / at.bound)))
    (start, low), (end, high) = ends
    return (high - low) / (end - start)


def verdict(
    claim: PaperClaim, measured: list[Measured], along: list[Along], ranged: list[Measured]
) -> str:
    """What is to be said of a claim, in one line, and of what if not of the paper's own words.

    `ranged` are the worst ends of the parameters' ranges, size by size.
    """
    if claim.relation == "ratio":
        return _not_judged(claim, measured, along)
    subject = SUBJECTS.get(claim.columns()["source"])
    said = _said(claim, measured, along, ranged)
    if claim.scope:
        said = f"{said}, for {claim.scope}, all that was tested"
    return f"{subject} {said}" if subject else said


def _said(
    claim: PaperClaim, measured: list[Measured], along: list[Along], ranged: list[Measured]
) -> str:  # fmt: skip
    everywhere = [*measured, *(at for one in along for at in one.measured)]
    good = sum(at.holds for at in measured)
    if good == len(measured):
        return _holds(claim, everywhere) + _beyond(claim, ranged)
    # Where d grows too slowly the theorems claim nothing: such a start counts if there is no other.
    starts = [one for one in along if one.from_n is not None]
    late = [one for one in starts if one.from_n > one.sizes[0][0]]
    late = [one for one in late if one.path.name not in TOO_SLOW] or late
    if late:
        last = max(late, key=lambda one: one.from_n)
        where = f", {path_name(last.path)}" if len(along) > 1 else ""
        where += _not_yet(along)
        return f"holds only from n >= {last.from_n}{where}{_beyond_at_last(last)}"
    if starts:
        return f"holds at {good} of the {len(measured)} sizes tested{_beyond(claim, ranged)}"
    if claim.constant and not good:
        return _grows(claim, along[0])
    return f"fails at every {'' if not any(at.holds for at in everywhere) else 'large '}n tested"


def _holds(claim: PaperClaim, everywhere: list[Measured]) -> str:
    if not claim.constant or not all(at.holds for at in everywhere):
        return "holds at the sizes tested"
    constant = math.ceil(1000 * max(at.value for at in everywhere)) / 1000
    if claim.constant == "least":
        return f"holds with least C = {constant:g} at every n tested"
    return f"holds with C = {constant:g} by Hoeffding's bound at every n tested"


def _beyond(claim: PaperClaim, ranged: list[Measured]) -> str:
    """Where in its range a claim fails, nothing where it does not."""
    worst = min(ranged, key=lambda at: at.margin, default=None)
    if worst is None or worst.holds:
        return ""
    where = f"at {range_text(worst.changes)} of the dataset's range"
    if not claim.constant:
        return f", fails {where}"
    if worst.value == NEVER:
        return f", but with none {where}"
    return f", but with up to {number(worst.value)} {where}"


def _not_yet(along: list[Along]) -> str:
    """On which paths that the theorems are about it does not start up to the largest n."""
    never = [one.path for one in along if one.from_n is None and one.path.name not in TOO_SLOW]
    where = " or ".join(map(path_name, never))
    return f"; not yet at n = {number(LARGEST)} {where}" if never else ""


def _beyond_at_last(one: Along) -> str:
    """Where in its range a claim fails even at the largest n of a path on which it starts."""
    if one.end is None or one.end.holds:
        return ""
    n = number(one.sizes[-1][0])
    return f"; at n = {n} it fails at {range_text(one.end.changes)} of the dataset's range"


def _grows(claim: PaperClaim, one: Along) -> str:
    """An O() is refuted by no single n, but by a constant that grows."""
    (n, _), (largest, _) = one.sizes[0], one.sizes[-1]
    first, last = (number(one.measured[k].value) for k in (0, -1))
    return (
        f"fails: {CONSTANTS[claim.constant]} grows like n^{power(claim, one):.2f}, from {first} "
        f"at n = {n} to {last} at n = {number(largest)}"
    )


def _not_judged(claim: PaperClaim, measured: list[Measured], along: list[Along]) -> str:
    ratios = sorted(at.value / at.bound for at in measured)
    slopes = [f"like n^{power(claim, one):.2f} {path_name(one.path)}" for one in along]
    return (
        f"not judged: an o() says nothing at one size; value / bound is {number(ratios[0])} to "
        f"{number(ratios[-1])} at the sizes tested and moves {', '.join(slopes)}"
    )


def range_text(changes: tuple[tuple[str, float], ...]) -> str:
    """Values of parameters, such as "a₁ = 0.7, b = 0.1, c = 0.9"."""
    return ", ".join(f"{GREEK.get(name, name)} = {value:g}" for name, value in changes)
