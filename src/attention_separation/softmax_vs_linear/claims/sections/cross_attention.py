"""Section F: cross-attention, whose dataset had to be reconstructed, and so all its claims."""

from ...models.contest import PAPERS
from ...models.cross_attention import CROSS_ATTENTION
from ..attended import Case
from ..claim import Claim, Setting
from ..lemma import OTHERS, SPECIAL, Lemma
from ..values import CLASSES, SIZES, Bound, at_most, c_part
from .signs import (
    half_from,
    network_positive,
    network_zero,
    proof,
    signs_separate,
    signs_stay_below,
)
from .theorems import separates

CASES = {
    (kernel, dataset): Case(CROSS_ATTENTION, kernel, dataset, "identity")
    for kernel in PAPERS.kernels
    for dataset in (0, 1)
}
ALL = slice(None)


def claims() -> list[Claim]:
    """All claims on cross-attention."""
    found = []
    for first, key in ((2, ("exp", 1)), (6, ("exp", 0)), (10, ("linear", 1)), (14, ("linear", 0))):
        weights, values, signs, theorem = (Lemma(f"F.{first + k}", CASES[key]) for k in range(4))
        found += _exp_weights(weights) if key[0] == "exp" else _lin_weights(weights)
        if key == ("exp", 1):
            found += [half_from(weights, "P3a", 0.7), half_from(weights, "P3a", 1.0)]
        found += _values(values)
        if key == ("exp", 1):
            found += signs_separate(signs) + network_positive(theorem)
        else:
            found += signs_stay_below(signs) + proof(signs) + network_zero(theorem)
    return found + separates("1.2", "Theorem 1.2", CASES)


PLACES = {
    "both": "of the special query on the special key",
    "row": "of the special query on every other key",
    "column": "of every other query on the special key",
    "none": "of every other query on every other key",
    "other": "of every other query on every key",
    "not both": "of every other pair of a query and a key",
}
BLOCKS = {
    "both": ((SPECIAL, SPECIAL),),
    "row": ((SPECIAL, OTHERS),),
    "column": ((OTHERS, SPECIAL),),
    "none": ((OTHERS, OTHERS),),
    "other": ((OTHERS, ALL),),
    "not both": ((SPECIAL, OTHERS), (OTHERS, ALL)),
}


def _part(lemma: Lemma, part: str, of: str, where: str, bound: Bound) -> Claim:
    name = "weight before normalising" if of == "u" else "attention weight"
    return lemma.part(
        part,
        f"The {name} {PLACES[where]} {SIZES[bound.relation]}",
        f"{of} {bound.text}",
        f"{of} of the pairs concerned",
        bound.relation,
        lambda at, _: [x for block in BLOCKS[where] for x in at.cells(of, *block)],
        bound.of,
    )


def _equal(text: str, of) -> Bound:
    return Bound("equal", f"= {text}", of)


def _exp_weights(lemma: Lemma) -> list[Claim]:
    """u and f of softmax: Lemmas F.2 and F.6."""
    a, size = lemma.a, lemma.size
    plain = _equal("n", lambda at: at.n)
    if lemma.case.dataset:
        large = Bound("at least", "≥ 1/2", lambda at: 0.5)
    else:
        large = at_most(f"n^(−(1−{a}))", lambda at: at.n ** (size(at) - 1))
    power = f"n^{a}"
    uniform = _equal("1/n", lambda at: 1 / at.n)

    def value(at: Setting, special: bool) -> float:
        to_special = at.n ** size(at)
        return (to_special if special else 1.0) / (to_special + at.n - 1)

    total = f"({power} + n − 1)"
    parts = (
        ("P1a", "u", "both", _equal(f"n^(1+{a})", lambda at: at.n ** (1 + size(at)))),
        ("P1b", "u", "row", plain),
        ("P2a", "u", "column", plain),
        ("P2b", "u", "none", plain),
        ("P3a", "f", "both", large),
        ("P3a.value", "f", "both", _equal(f"{power} / {total}", lambda at: value(at, True))),
        ("P3b", "f", "row", at_most("1/n", lambda at: 1 / at.n)),
        ("P3b.value", "f", "row", _equal(f"1 / {total}", lambda at: value(at, False))),
        ("P4a", "f", "column", uniform),
        ("P4b", "f", "none", uniform),
    )
    return [_part(lemma, *part) for part in parts]


def _lin_weights(lemma: Lemma) -> list[Claim]:
    """u and f of linear attention: Lemmas F.10 and F.14."""
    a, size = lemma.a, lemma.size
    special = _equal(f"(1+{a}) / (n+{a})", lambda at: (1 + size(at)) / (at.n + size(at)))
    parts = (
        ("P1", "u", "both", _equal(f"(1+{a}) log n", lambda at: (1 + size(at)) * at.log_n)),
        ("P2", "u", "not both", _equal("log n", lambda at: at.log_n)),
        ("P3", "f", "both", at_most(f"(1+{a})/n", lambda at: (1 + size(at)) / at.n)),
        ("P3.value", "f", "both", special),
        ("P4", "f", "row", at_most("1/n", lambda at: 1 / at.n)),
        ("P4.value", "f", "row", _equal(f"1 / (n+{a})", lambda at: 1 / (at.n + size(at)))),
        ("P5", "f", "other", _equal("1/n", lambda at: 1 / at.n)),
    )
    return [_part(lemma, *part) for part in parts]


def _values(lemma: Lemma) -> list[Claim]:
    """The rows of c: Lemmas F.3, F.7 (its parts are numbered 1, 2, 4, 5), F.11 and F.15."""
    a, size = lemma.a, lemma.size
    exp, dataset = lemma.case.kernel == "exp", lemma.case.dataset
    rest = ()
    if exp and dataset:
        first = block = Bound("at least", "≥ s/2", lambda at: at.s / 2)
        rest = (("P2.rest", SPECIAL, ("rest",), at_most("t s / n", _per_class)),)
    elif exp:
        first = at_most(f"s n^(−(1−{a}))", lambda at: at.s * at.n ** (size(at) - 1))
        block = at_most(f"t s n^(−(1−{a}))", lambda at: _per_class(at) * at.n ** size(at))
    else:
        first = at_most(f"(1+{a}) s / n", lambda at: (1 + size(at)) * at.s / at.n)
        block = at_most(f"t (1+{a}) s / n", lambda at: (1 + size(at)) * _per_class(at))
    numbers = ("P4", "P5") if exp and not dataset else ("P3", "P4")
    two, names = ("P2.one", ("marked",)) if rest else ("P2", CLASSES)
    parts = (
        ("P1", SPECIAL, ("first",), first),
        (two, SPECIAL, names, block),
        *rest,
        (numbers[0], OTHERS, ("first",), _equal("s/n", lambda at: at.s / at.n)),
        (numbers[1], OTHERS, CLASSES, _equal("t s / n", _per_class)),
    )
    return [_c_part(lemma, *part) for part in parts]


def _per_class(at: Setting) -> float:
    """t s / n."""
    return at.s / (at.d - 1)


def _c_part(lemma: Lemma, part: str, rows: slice, names: tuple[str, ...], bound: Bound) -> Claim:
    whose = "the special query's row" if rows == SPECIAL else "every other row"
    which = {
        ("first",): f"the first coordinate of {whose}",
        ("marked",): f"the coordinate of the special key's class in {whose}",
        ("rest",): f"every further class coordinate of {whose}",
        CLASSES: f"every class coordinate of {whose}",
    }[names]
    return c_part(lemma, part, which, "1" if names == ("first",) else "i", names, rows, bound)
