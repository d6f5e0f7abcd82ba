"""The verdict on a claim of the paper, in one line."""

import math

from ..exact.column_law import NEVER
from .claim import Measured, PaperClaim
from .origins import SUBJECTS
from .paths import Along, Ranged, SizePath

GREEK = {"a0": "a₀", "a1": "a₁"}
CONSTANTS = {"least": "the least C", "Hoeffding": "the C that Hoeffding's bound needs"}
SLOPE_OVER = 4
"""Doublings over which a slope is measured: further apart than the lattice of a binomial law."""


def path_name(path: SizePath) -> str:
    """The path of a model with a d within a sentence, such as "with d fixed at 22"."""
    less = path.model.other_columns
    return {
        "d fixed": f"with d fixed at {path.classes + less} (the theorems ask that it grows)",
        "d sqrt": f"with d − {less} = ⌈√n⌉",
        "d quarter": f"with d − {less} = n/4",
    }[path.name]


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
    claim: PaperClaim, measured: list[Measured], along: list[Along], ranged: list[Ranged]
) -> str:
    """What is to be said of a claim, in one line, and of what if not of the paper's own words.

    `ranged` are the worst ends of the parameters' ranges, size by size.
    """
    if claim.relation == "ratio":
        return _not_judged(claim, measured, along)
    subject = SUBJECTS.get(claim.source)
    said = _said(claim, measured, along, ranged)
    if claim.scope:
        said = f"{said}, for {claim.scope}, all that was tested"
    return f"{subject} {said}" if subject else said


def _said(
    claim: PaperClaim, measured: list[Measured], along: list[Along], ranged: list[Ranged]
) -> str:  # fmt: skip
    everywhere = [*measured, *(at for one in along for at in one.measured)]
    good = sum(at.holds for at in measured)
    if good == len(measured):
        return _holds(claim, everywhere) + _beyond(claim, ranged)
    # Where d does not grow the theorems claim nothing: such a start counts if there is no other.
    starts = [one for one in along if one.from_n is not None]
    late = [one for one in starts if one.from_n > one.sizes[0][0]]
    late = [one for one in late if one.path.name != "d fixed"] or late
    if late:
        last = max(late, key=lambda one: one.from_n)
        where = f", {path_name(last.path)}" if len(along) > 1 else ""
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


def _beyond(claim: PaperClaim, ranged: list[Ranged]) -> str:
    """Where in its range a claim fails, nothing where it does not."""
    worst = min(ranged, key=lambda one: one.measured.margin, default=None)
    if worst is None or worst.measured.holds:
        return ""
    where = f"at {range_text(worst.changes)} of the dataset's range"
    if not claim.constant:
        return f", fails {where}"
    if worst.measured.value == NEVER:
        return f", but with none {where}"
    return f", but with up to {number(worst.measured.value)} {where}"


def _beyond_at_last(one: Along) -> str:
    """Where in its range a claim fails even at the largest n of a path on which it starts."""
    if one.end is None or one.end.measured.holds:
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
