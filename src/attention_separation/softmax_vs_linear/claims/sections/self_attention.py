"""Sections D and E: self-attention, from the entries of u and f to those of c."""

from ...models.contest import IN_THE_PAPER, PAPERS
from ...models.self_attention import SELF_ATTENTION
from ..attended import Case
from ..claim import Claim, Setting
from ..lemma import OTHERS, SPECIAL, Lemma
from ..values import CLASSES, SIZES, at_most, c_parts, large_values
from . import identities as identity_claims
from .signs import (
    half_from,
    network_positive,
    network_zero,
    others_at_least_a1,
    proof,
    signs_separate,
    signs_stay_below,
)
from .theorems import separates

ONES, IDENTITY = (
    {
        (kernel, dataset): Case(SELF_ATTENTION, kernel, dataset, attention_x)
        for kernel in PAPERS.kernels
        for dataset in (0, 1)
    }
    for attention_x in ("ones", "identity")
)


CONDITIONS = "; its conditions on the parameters are lost, perhaps a₁ ≥ 1 is one"
"""What is said of Theorem E.4: three more conditions stand before its datasets than in D.5."""


def claims() -> list[Claim]:
    """All claims on self-attention."""
    found = []
    for first, key in ((2, ("exp", 1)), (6, ("exp", 0)), (10, ("linear", 1)), (14, ("linear", 0))):
        case = ONES[key]
        weights, values, signs, theorem = (Lemma(f"D.{first + k}", case) for k in range(4))
        found += _weights(weights)
        if key == ("exp", 1):
            found += [half_from(weights, "P3a", 0.7)]
        found += _values(values)
        if key == ("exp", 1):
            found += [*signs_separate(signs), others_at_least_a1(signs, 0.7)]
            found += network_positive(theorem)
        else:
            found += signs_stay_below(signs) + proof(signs) + network_zero(theorem)
    case = IDENTITY["exp", 1]
    weights, values, signs, theorem = (Lemma(f"E.{k}", case) for k in (1, 2, 3, 4))
    found += identity_claims.weights(weights)
    found += [half_from(weights, "P3a", 0.7), half_from(weights, "P3a", 1.0)]
    found += identity_claims.values(values)
    found += signs_separate(signs) + network_positive(theorem, CONDITIONS)
    found += _left_out()
    found += separates("1.1", "Theorem 1.1, with X all ones", ONES)
    found += separates("1.1.identity", "Theorem 1.1, with X the identity", IDENTITY)
    found += separates("6.2", "Theorem 6.2, its misprints mended", ONES)
    return found


def _left_out() -> list[Claim]:
    """The conclusions for the three networks that section E leaves out as similar."""
    found = []
    for first, key in ((8, ("exp", 0)), (12, ("linear", 1)), (16, ("linear", 0))):
        name, case = f"E.D{key[1]}-{IN_THE_PAPER[key[0]]}", IDENTITY[key]
        called = "Left out of section E, with X the identity, as"
        found += signs_stay_below(Lemma(f"{name}.sign", case, f"{called} Lemma D.{first}"))
        found += network_zero(Lemma(f"{name}.zero", case, f"{called} Theorem D.{first + 1}"))
    return found


def _weights(lemma: Lemma) -> list[Claim]:
    """u and f with X all ones: Lemmas D.2, D.6, D.10 and D.14."""
    exp, a, size = lemma.case.kernel == "exp", lemma.a, lemma.size
    found = []
    for part, rows, columns, power in (
        ("P1a", SPECIAL, SPECIAL, 2),
        ("P1b", SPECIAL, OTHERS, 1),
        ("P2a", OTHERS, SPECIAL, 1),
        ("P2b", OTHERS, OTHERS, 0),
    ):
        r = ("1", f"1+{a}", f"(1+{a})²")[power]
        found.append(
            lemma.part(
                part,
                f"The weight before normalising {_where(rows, columns)} is known exactly",
                f"u = n^({r})" if exp else f"u = {r} · log n",
                "u in the row and columns concerned",
                "equal",
                lambda of, _, rows=rows, columns=columns: of.cells("u", rows, columns),
                lambda at, power=power: _u(lemma, at, (1 + size(at)) ** power),
            )
        )
    tiny = ("at most", "≤ 1/n", lambda at: 1 / at.n)
    loose = ("at most", f"≤ n^(−(1−{a}))", lambda at: at.n ** (size(at) - 1))
    if not exp:
        large = ("at most", f"≤ (1+{a})/n", lambda at: (1 + size(at)) / at.n)
        special, other = large, large
    elif lemma.case.dataset:
        special, other = ("at least", "≥ 1/2", lambda at: 0.5), tiny
    else:
        special = ("at most", f"≤ n^(−(1−2{a}))", lambda at: at.n ** (2 * size(at) - 1))
        other = loose
    for part, rows, columns, (relation, text, bound) in (
        ("P3a", SPECIAL, SPECIAL, special),
        ("P3b", SPECIAL, OTHERS, tiny),
        ("P4a", OTHERS, SPECIAL, other),
        ("P4b", OTHERS, OTHERS, tiny),
    ):
        statement = f"The attention weight {_where(rows, columns)}"
        quantity = "f in the row and columns concerned"

        def cells(of, _, rows=rows, columns=columns):
            return of.cells("f", rows, columns)

        def value(at, rows=rows, columns=columns):
            row = 1 + size(at) if rows == SPECIAL else 1.0
            to_special, to_other = (_u(lemma, at, row * r) for r in (1 + size(at), 1.0))
            cell = to_special if columns == SPECIAL else to_other
            return cell / (to_special + (at.n - 1) * to_other)

        found.append(
            lemma.part(
                part,
                f"{statement} {SIZES[relation]}",
                f"f {text}",
                quantity,
                relation,
                cells,
                bound,
            )
        )
        formula = _f_text(exp, a, rows == SPECIAL, columns == SPECIAL)
        found.append(
            lemma.part(
                f"{part}.value",
                f"{statement} is known exactly",
                formula,
                quantity,
                "equal",
                cells,
                value,
            )
        )
    if exp and lemma.case.dataset:
        found.append(
            lemma.part(
                "P4a.loose",
                f"The attention weight {_where(OTHERS, SPECIAL)} is small",
                f"f {loose[1]}",
                "f in the row and columns concerned",
                loose[0],
                lambda of, _: of.cells("f", OTHERS, SPECIAL),
                loose[2],
            )
        )
    return found


def _u(lemma: Lemma, at: Setting, r: float) -> float:
    """n^r with softmax, r log n with linear attention."""
    return at.n**r if lemma.case.kernel == "exp" else r * at.log_n


def _f_text(exp: bool, a: str, special_row: bool, special_column: bool) -> str:
    if not exp:
        return f"f = {f'(1+{a})' if special_column else '1'} / (n+{a})"
    power = f"n^({a}(1+{a}))" if special_row else f"n^{a}"
    return f"f = {power if special_column else '1'} / ({power} + n − 1)"


def _where(rows: slice, columns: slice) -> str:
    if columns != SPECIAL:
        to = "every other token"
    else:
        to = "itself" if rows == SPECIAL else "the special token"
    return f"that {'the special token' if rows == SPECIAL else 'any other token'} gives to {to}"


def _values(lemma: Lemma) -> list[Claim]:
    """The rows of c with X all ones: Lemmas D.3, D.7, D.11 and D.15."""
    a, size = lemma.a, lemma.size
    if lemma.case.kernel == "linear":
        first = at_most(f"{a}(1+{a}) s / n", lambda at: size(at) * (1 + size(at)) * at.s / at.n)
        block = at_most(f"t (1+{a}) b s / n", lambda at: (1 + size(at)) * at.b * at.s / (at.d - 2))
        return c_parts(lemma, first, {"": (CLASSES, block)}, first, {"": (CLASSES, block)})
    rest = at_most("b s t / n", lambda at: at.b * at.s / (at.d - 2))
    if lemma.case.dataset:
        first, one = large_values()
        fourth = at_most(f"{a} s / n", lambda at: size(at) * at.s / at.n)
        return c_parts(
            lemma,
            first,
            {"one": (("marked",), one), "rest": (("rest",), rest)},
            fourth,
            {"": (CLASSES, rest)},
        )
    small = at_most(f"{a} s n^(−(1−2{a}))", lambda at: size(at) * at.s * at.n ** (2 * size(at) - 1))
    fourth = at_most(f"{a} s n^(−(1−{a}))", lambda at: size(at) * at.s * at.n ** (size(at) - 1))
    one = at_most(
        f"b s (n^(−(1−2{a})) + t/n)",
        lambda at: at.b * at.s * (at.n ** (2 * size(at) - 1) + 1 / (at.d - 2)),
    )
    blocks = {"one": (("marked",), one), "rest": (("rest",), rest)}
    return c_parts(lemma, small, blocks, fourth, blocks)
