"""The rows of c in self-attention: the six parts that Lemmas D.3, D.7, D.11, D.15, E.2 share."""

from collections.abc import Callable
from typing import NamedTuple

from .claim import Claim, Setting
from .lemma import OTHERS, SPECIAL, Lemma

CLASSES = ("marked", "own", "rest")
"""The coordinates 2..d-1 of c: of the special token's class, of the row's own, of any other."""


SIZES = {"at least": "is large", "at most": "is small", "equal": "is known exactly"}
"""What a bound says of a quantity, in words."""


WHICH = {
    "": "every Type II coordinate",
    "one": "the Type II coordinate of the special token's class",
    "rest": "every further Type II coordinate",
}
"""The Type II coordinates that a part is about."""


class Bound(NamedTuple):
    """What a coordinate of c is compared with."""

    relation: str
    text: str
    of: Callable[[Setting], float]


def at_most(text: str, of: Callable[[Setting], float]) -> Bound:
    return Bound("at most", f"≤ {text}", of)


def large_values() -> tuple[Bound, Bound]:
    """The special row of softmax on D1: its first coordinate, and that of its class."""
    return (
        Bound("at least", "≥ (a₁/2) s", lambda at: at.a1 / 2 * at.s),
        Bound("at least", "≥ (b/2) s", lambda at: at.b / 2 * at.s),
    )


def c_parts(
    lemma: Lemma,
    first: Bound,
    blocks: dict[str, tuple[tuple[str, ...], Bound]],
    first_of_others: Bound,
    blocks_of_others: dict[str, tuple[tuple[str, ...], Bound]],
) -> list[Claim]:
    """Parts 1 to 3 on the special token's row, 4 to 6 on all others.

    `blocks` are of coordinates 2..d-1: detail of the part -> names of coordinates, and bound.
    """
    last = Bound("equal", "= c s", lambda at: at.c * at.s)
    found = []
    for number, rows, one, many in (
        (1, SPECIAL, first, blocks),
        (4, OTHERS, first_of_others, blocks_of_others),
    ):
        whose = "the special token's row" if number == 1 else "every other row"
        parts = [(f"P{number}", "the first coordinate", "1", ("first",), one)]
        for detail, (names, bound) in many.items():
            part = f"P{number + 1}{'.' if detail else ''}{detail}"
            parts.append((part, WHICH[detail], "i", names, bound))
        parts.append((f"P{number + 2}", "the last coordinate", "d", ("last",), last))
        found += [
            c_part(lemma, part, f"{which} of {whose}", index, names, rows, bound)
            for part, which, index, names, bound in parts
        ]
    return found


def c_part(
    lemma: Lemma,
    part: str,
    which: str,
    index: str,
    names: tuple[str, ...],
    rows: slice,
    bound: Bound,
) -> Claim:
    """One part: some coordinates of some rows of c against a bound."""
    return lemma.part(
        part,
        f"{which[0].upper()}{which[1:]} {SIZES[bound.relation]}",
        f"c_{index} {bound.text}",
        which,
        bound.relation,
        lambda of, _: of.weights(names, rows),
        bound.of,
    )
