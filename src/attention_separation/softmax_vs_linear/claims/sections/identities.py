"""Lemmas E.1 and E.2: self-attention on D1 with X the identity, u, f and c."""

import numpy as np

from ..attended import Attended
from ..claim import Claim, Setting
from ..lemma import OTHERS, SPECIAL, Lemma
from ..values import CLASSES, SIZES, at_most, c_parts, large_values

TO_SELF = ("that the special token gives to itself", SPECIAL, "self")
TO_OWN = ("that the special token gives to the t−1 others of its class", SPECIAL, "own")
TO_REST = ("that the special token gives to the n−t tokens of other classes", SPECIAL, "rest")
TO_OTHERS = ("that the special token gives to every other token", SPECIAL, "others")
FROM_OTHERS_TO_OWN = ("that any other token gives to the t tokens of its class", OTHERS, "own")
FROM_OTHERS_TO_REST = (
    "that any other token gives to the n−t tokens of other classes",
    OTHERS,
    "rest",
)


def weights(lemma: Lemma) -> list[Claim]:
    """u and f: Lemma E.1."""
    found = []
    for part, (where, rows, to), text, power in (
        ("P1a", TO_SELF, "a₁²+b²+c²", lambda at: at.a1**2 + at.b**2 + at.c**2),
        ("P1b.own", TO_OWN, "b²+c²", lambda at: at.b**2 + at.c**2),
        ("P1b.rest", TO_REST, "c²", lambda at: at.c**2),
        ("P2.own", FROM_OTHERS_TO_OWN, "b²+c²", lambda at: at.b**2 + at.c**2),
        ("P2.rest", FROM_OTHERS_TO_REST, "c²", lambda at: at.c**2),
    ):
        found.append(
            lemma.part(
                part,
                f"The weight before normalising {where} is known exactly",
                f"u = n^({text})",
                "u of these tokens",
                "equal",
                lambda of, at, rows=rows, to=to: _cells(of, at, of.u, rows, to),
                lambda at, power=power: at.n ** power(at),
            )
        )
    tiny = ("at most", "f ≤ 1/n", lambda at: 1 / at.n)
    loose = ("at most", "f ≤ n^(b²) / n", lambda at: at.n ** (at.b**2 - 1))
    power = "n^(a₁²+b²)"
    value = ("equal", f"f = {power} / ({power} + (t−1) n^(b²) + n − t)", _to_itself)
    for part, (where, rows, to), (relation, text, bound) in (
        ("P3a", TO_SELF, ("at least", "f ≥ 1/2", lambda at: 0.5)),
        ("P3a.value", TO_SELF, value),
        ("P3b", TO_OTHERS, tiny),
        ("P4.own", FROM_OTHERS_TO_OWN, tiny),
        ("P4.own.loose", FROM_OTHERS_TO_OWN, loose),
        ("P4.rest", FROM_OTHERS_TO_REST, tiny),
    ):
        found.append(
            lemma.part(
                part,
                f"The attention weight {where} {SIZES[relation]}",
                text,
                "f of these tokens",
                relation,
                lambda of, at, rows=rows, to=to: _cells(of, at, of.f, rows, to),
                bound,
            )
        )
    return found


def _cells(of: Attended, at: Setting, cells: np.ndarray, rows: slice, to: str) -> list[float]:
    """Cells of the rows towards the token itself, its own class, or the rest of the tokens."""
    t = at.n // (at.d - 2)
    own = [[False, True, False, False]]
    own += [[True, True, False, False]] if t > 1 else []
    own += [[False, False, True, False]] if at.d > 3 else []
    own = np.array(own)
    itself = np.zeros_like(own)
    itself[0, 0] = True
    wanted = {"self": itself, "own": own, "rest": ~own & ~itself, "others": ~itself}[to]
    found = cells[rows][wanted[rows]]
    return found[~np.isnan(found)].tolist()


def _to_itself(at: Setting) -> float:
    t = at.n // (at.d - 2)
    special = at.n ** (at.a1**2 + at.b**2)
    return special / (special + (t - 1) * at.n ** (at.b**2) + at.n - t)


def values(lemma: Lemma) -> list[Claim]:
    """The rows of c: Lemma E.2."""
    first, one = large_values()
    rest = at_most("b s t / n", lambda at: at.b * at.s / (at.d - 2))
    fourth = at_most("a₁ s / n", lambda at: at.a1 * at.s / at.n)
    blocks = {"one": (("marked",), one), "rest": (("rest",), rest)}
    return c_parts(lemma, first, blocks, fourth, {"": (CLASSES, rest)})
