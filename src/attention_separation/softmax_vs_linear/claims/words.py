"""What is measured of a claim, in sentences."""

import math

from attention_separation.softmax_vs_linear.claims.claim import Claim, Measured
from attention_separation.softmax_vs_linear.claims.paths import Along, SizePath

GREEK = {"a0": "a₀", "a1": "a₁"}
SLOPE_OVER = 4
"""Doublings over which a slope is measured: further apart than the lattice of a binomial law."""


def path_name(path: SizePath) -> str:
    """The path in words, such as "With d fixed at 22"."""
    if path.model == "regression":
        return "As n grows"
    less = {"self_attention": 2, "cross_attention": 1}[path.model]
    return {
        "d fixed": f"With d fixed at {path.classes + less}",
        "d sqrt": f"With d − {less} = ⌈√n⌉",
        "d quarter": f"With d − {less} = n/4",
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


def growth(claim: Claim, measured: list[Measured], along: list[Along]) -> str:
    """How value and bound move against each other along every path."""
    good = sum(at.holds for at in measured)
    share = {0: "none of the", len(measured): "all"}.get(good, f"{good} of the")
    first = f"It holds at {share} {len(measured)} sizes of the paper."
    return " ".join([first, *(f"{path_name(one.path)}, {_moves(claim, one)}." for one in along)])


def _moves(claim: Claim, one: Along) -> str:
    n, last = one.sizes[-1][0], one.measured[-1]
    if claim.relation == "equal":
        largest = max(_difference(at) for at in one.measured)
        return f"the relative difference of value and bound is at most {number(largest)}"
    if last.value == 0 or last.bound == 0:
        both = f"the value is {number(last.value)} and the bound {number(last.bound)}"
        return f"{both} at n = {number(n)}"
    ratio = last.value / last.bound
    text = f"value / bound is {number(ratio)} at n = {number(n)}"
    if claim.constant:
        text = f"the least constant is {number(last.value)} at n = {number(n)}"
    earlier_n, earlier = one.sizes[-1 - SLOPE_OVER][0], one.measured[-1 - SLOPE_OVER]
    if earlier.value == 0 or earlier.bound == 0:
        return text
    if claim.constant:
        change = math.log(last.value / earlier.value)
    else:
        change = math.log(ratio) - math.log(earlier.value / earlier.bound)
    slope = change / math.log(n / earlier_n)
    if abs(slope) < 0.005:
        return f"{text} and no longer moves"
    if slope < -20:
        return f"{text} and falls faster than any power of n"
    return f"{text} and moves like n^{slope:.2f}"


def _difference(at: Measured) -> float:
    scale = max(abs(at.value), abs(at.bound))
    return abs(at.value - at.bound) / scale if scale else 0.0


def paths_text(along: list[Along]) -> str:
    """From which n on the claim holds along every path."""
    sentences = []
    for one in along:
        name, smallest, largest = (
            path_name(one.path),
            *(number(one.sizes[k][0]) for k in (0, -1)),
        )
        good = [size[0] for size, at in zip(one.sizes, one.measured, strict=True) if at.holds]
        if one.from_n == one.sizes[0][0]:
            text = f"it holds at every n tested, from {smallest} to {largest}"
        elif one.from_n is not None:
            text = f"it holds at every n tested from {one.from_n} on, up to {largest}"
        elif good:
            text = (
                f"it fails at n = {largest}, the largest tested, though it holds at "
                f"{len(good)} of {len(one.sizes)} sizes, the last of them n = {number(good[-1])}"
            )
        else:
            text = f"it fails at every n tested, from {smallest} to {largest}"
        sentences.append(f"{name}, {text}.")
    if len(along) == 1:
        sentences.append("The model has no d.")
    return " ".join(sentences)


def range_text(changes: tuple[tuple[str, float], ...]) -> str:
    """Values of parameters, such as "a₁ = 0.7, b = 0.1, c = 0.9"."""
    return ", ".join(f"{GREEK.get(name, name)} = {value:g}" for name, value in changes)
