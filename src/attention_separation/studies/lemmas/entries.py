"""The entries of u, f and c: Lemmas D.2, D.6, D.10, D.14, E.1, F.2, F.6, F.10 and F.14 on u and f,
the ones that follow each of them on c, and both for the three networks that section E leaves out.

A row is a part, the entries that it is about, and what it claims of them: what is printed is
computed. In it, a is the special entry of the lemma's dataset. u are the attention weights before
normalising, f those after, and c the rows of attention's output.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple

from .claim import PaperClaim, SignAndBound
from .lemma import Attended, Lemma

SPECIAL_TOKEN = slice(0, 1)
OTHER_TOKENS = slice(1, None)
ALL_TOKENS = slice(None)
"""Rows of the special token and of all others; likewise the first column and the others."""

OWN_CLASS = slice(1, 2)
FURTHER_CLASS = slice(2, 3)
"""Rows of the special token's class and of another, which X the identity tells apart."""

Rows = Iterable[tuple[str, ...]]
"""Tables of the fields of `EntryRow`."""


class EntryRow(NamedTuple):
    """A part of a lemma, the entries that it is about, what it claims of them, and their value if
    it is another claim."""

    part: str
    entries: str
    claimed: str
    value: str = ""


@dataclass(frozen=True)
class Pairs:
    """Weights of queries on keys: which, in words, and the blocks of rows and columns they are."""

    words: str
    blocks: list[tuple[slice, slice]]


QUERY_KEY_PAIRS = {
    "special on special": Pairs(
        "the special query on the special key", [(SPECIAL_TOKEN, SPECIAL_TOKEN)]
    ),
    "special on others": Pairs(
        "the special query on every other key", [(SPECIAL_TOKEN, OTHER_TOKENS)]
    ),
    "others on special": Pairs(
        "every other query on the special key", [(OTHER_TOKENS, SPECIAL_TOKEN)]
    ),
    "others on others": Pairs(
        "every other query on every other key", [(OTHER_TOKENS, OTHER_TOKENS)]
    ),
    "others": Pairs("every other query on every key", [(OTHER_TOKENS, ALL_TOKENS)]),
    "all others": Pairs(
        "every other pair of query and key",
        [(SPECIAL_TOKEN, OTHER_TOKENS), (OTHER_TOKENS, ALL_TOKENS)],
    ),
    # With X the identity, by the class of the key.
    "special on own": Pairs(
        "the special query on the t − 1 other keys of its class",
        [(SPECIAL_TOKEN, slice(1, 2))],
    ),
    "special on rest": Pairs(
        "the special query on the n − t keys of other classes",
        [(SPECIAL_TOKEN, slice(2, None))],
    ),
    "others on own": Pairs(
        "every other query on the t keys of its class",
        [(OWN_CLASS, slice(0, 2)), (FURTHER_CLASS, slice(2, 3))],
    ),
    "others on rest": Pairs(
        "every other query on the n − t keys of other classes",
        [
            (OWN_CLASS, slice(2, None)),
            (FURTHER_CLASS, slice(0, 2)),
            (FURTHER_CLASS, slice(3, None)),
        ],
    ),
}


@dataclass(frozen=True)
class Coordinates:
    """Coordinates of c: which, in words, their symbol, and by the names of `RowWeights` the rows in
    which they are meant; None if in all rows that a claim is about."""

    words: str
    symbol: str
    rows_by_name: dict[str, slice | None]


COORDINATES_OF_C = {
    "first": Coordinates("the first coordinate", "c_1", {"first": None}),
    "one": Coordinates("the coordinate of the special token's class", "c_i", {"marked": None}),
    "rest": Coordinates("every coordinate of a further class", "c_i", {"rest": None}),
    "classes": Coordinates(
        "every coordinate of a class", "c_i", {"marked": None, "own": None, "rest": None}
    ),
    "last": Coordinates("the last coordinate", "c_d", {"last": None}),
    "own class": Coordinates(
        "the coordinate of the row's own class", "c_i", {"marked": OWN_CLASS, "own": FURTHER_CLASS}
    ),
    "other classes": Coordinates(
        "every coordinate of another class than the row's",
        "c_i",
        {"rest": OTHER_TOKENS, "marked": FURTHER_CLASS},
    ),
}

TOKENS_BY_NAME = {
    "special": SPECIAL_TOKEN,
    "others": OTHER_TOKENS,
    "own class": OWN_CLASS,
    "other classes": FURTHER_CLASS,
}
ROW_WORDS = {
    "special": "the special row",
    "others": "every other row",
    "own class": "every other row of the special token's class",
    "other classes": "every row of another class",
}
WEIGHT_WORDS = {"u": "weight before normalising", "f": "attention weight"}
RELATION_WORDS = {"≤": "at most", "≥": "at least", "=": "equal to"}


@dataclass(frozen=True)
class Entries:
    """The entries that a row is about: in words, their symbol, and what takes them from u, f, c."""

    words: str
    symbol: str
    cells: Callable[[Attended], list[float]]


def claims_of_rows(lemma: Lemma, rows: Rows) -> list[PaperClaim]:
    """The claims of a lemma that some rows state, two where a row has a value beside its bound."""
    claims = []
    for fields in rows:
        row = EntryRow(*fields)
        claims.append(_claim_of_row(lemma, row.part, row.entries, row.claimed))
        if row.value:
            claims.append(_claim_of_row(lemma, f"{row.part}.value", row.entries, row.value))
    return claims


def _claim_of_row(lemma: Lemma, part: str, name: str, claimed: str) -> PaperClaim:
    """The claim that the entries of a name are as `claimed`, such as "≤ 1/n", with a the special
    entry."""
    special_entry = "a₁" if lemma.case.dataset == 1 else "a₀"
    claimed = claimed.replace("a", special_entry)
    sign, bound = SignAndBound.of(claimed)
    entries = _entries_by_name(name)
    words = entries.words
    return lemma.claim(
        part,
        f"{words[0].upper()}{words[1:]} is {RELATION_WORDS[sign]} {bound}",
        left=entries.symbol,
        claimed=claimed,
        cells=lambda setting: entries.cells(lemma.case.attended(setting)),
        quantity=words,
        # Of a fixed dataset every equality is one of the definitions.
        identity=sign == "=",
        any_d=True,
    )


def _entries_by_name(name: str) -> Entries:
    """The entries of a name, such as "f special on others" or "c rest of special"."""
    symbol, _, place = name.partition(" ")
    if symbol == "c":
        coordinates, _, rows = place.partition(" of ")
        return _entries_of_c(coordinates, rows)
    return _entries_of_weights(symbol, place)


def _entries_of_weights(symbol: str, place: str) -> Entries:
    """The entries of u or f, `symbol`, of the pairs of query and key at `place` in
    QUERY_KEY_PAIRS."""
    pairs = QUERY_KEY_PAIRS[place]

    def cells(attended: Attended) -> list[float]:
        """The numbers that these entries are in a network's attention."""
        weights = []
        for rows, columns in pairs.blocks:
            weights += attended.weights(symbol, rows, columns)
        return weights

    return Entries(f"the {WEIGHT_WORDS[symbol]} of {pairs.words}", symbol, cells)


def _entries_of_c(place: str, row: str) -> Entries:
    """The entries of c at `place` in COORDINATES_OF_C, in the rows of a name in TOKENS_BY_NAME."""
    coordinates = COORDINATES_OF_C[place]

    def cells(attended: Attended) -> list[float]:
        """The numbers that these entries are in a network's attention."""
        values = []
        for name, rows in coordinates.rows_by_name.items():
            values += attended.coordinates(name, rows or TOKENS_BY_NAME[row])
        return values

    return Entries(f"{coordinates.words} in {ROW_WORDS[row]}", coordinates.symbol, cells)


# u and f in self-attention with X all ones.


def ones_exp(itself: str, to_special: str) -> Rows:
    """The rows of Lemmas D.2 and D.6, on softmax, by what is claimed of f in the special column: in
    the special token's row (`itself`), and in the others (`to_special`)."""
    return (
        ("P1a", "u special on special", "= n^((1+a)²)"),
        ("P1b", "u special on others", "= n^(1+a)"),
        ("P2a", "u others on special", "= n^(1+a)"),
        ("P2b", "u others on others", "= n"),
        ("P3a", "f special on special", itself, "= n^(a(1+a)) / (n^(a(1+a)) + n − 1)"),
        ("P3b", "f special on others", "≤ 1/n", "= 1 / (n^(a(1+a)) + n − 1)"),
        ("P4a", "f others on special", to_special, "= n^a / (n^a + n − 1)"),
        ("P4b", "f others on others", "≤ 1/n", "= 1 / (n^a + n − 1)"),
    )


LOOSE = ("P4a.loose", "f others on special", "≤ n^(−(1−a))")
D2 = (*ones_exp("≥ 1/2", "≤ 1/n"), LOOSE)
D6 = ones_exp("≤ n^(−(1−2a))", "≤ n^(−(1−a))")
D10 = (
    ("P1a", "u special on special", "= (1+a)² log n"),
    ("P1b", "u special on others", "= (1+a) log n"),
    ("P2a", "u others on special", "= (1+a) log n"),
    ("P2b", "u others on others", "= log n"),
    ("P3a", "f special on special", "≤ (1+a)/n", "= (1+a) / (n+a)"),
    ("P3b", "f special on others", "≤ 1/n", "= 1 / (n+a)"),
    ("P4a", "f others on special", "≤ (1+a)/n", "= (1+a) / (n+a)"),
    ("P4b", "f others on others", "≤ 1/n", "= 1 / (n+a)"),
)
"""Lemma D.14 too."""

# With X the identity.

E1 = (
    ("P1a", "u special on special", "= n^(a²+b²+c²)"),
    ("P1b.own", "u special on own", "= n^(b²+c²)"),
    ("P1b.rest", "u special on rest", "= n^(c²)"),
    ("P2.own", "u others on own", "= n^(b²+c²)"),
    ("P2.rest", "u others on rest", "= n^(c²)"),
    ("P3a", "f special on special", "≥ 1/2", "= n^(a²+b²) / (n^(a²+b²) + (t−1) n^(b²) + n − t)"),
    ("P3b", "f special on others", "≤ 1/n"),
    ("P4.own", "f others on own", "≤ 1/n"),
    ("P4.own.loose", "f others on own", "≤ n^(b²) / n"),
    ("P4.rest", "f others on rest", "≤ 1/n"),
)

# c in self-attention.

D3 = (
    ("P1", "c first of special", "≥ (a/2) s"),
    ("P2.one", "c one of special", "≥ (b/2) s"),
    ("P2.rest", "c rest of special", "≤ b s t / n"),
    ("P3", "c last of special", "= c s"),
    ("P4", "c first of others", "≤ a s / n"),
    ("P5", "c classes of others", "≤ b s t / n"),
    ("P6", "c last of others", "= c s"),
)
"""Lemma E.2 too."""
D7 = (
    ("P1", "c first of special", "≤ a s n^(−(1−2a))"),
    ("P2.one", "c one of special", "≤ b s (n^(−(1−2a)) + t/n)"),
    ("P2.rest", "c rest of special", "≤ b s t / n"),
    ("P3", "c last of special", "= c s"),
    ("P4", "c first of others", "≤ a s n^(−(1−a))"),
    ("P5.one", "c one of others", "≤ b s (n^(−(1−2a)) + t/n)"),
    ("P5.rest", "c rest of others", "≤ b s t / n"),
    ("P6", "c last of others", "= c s"),
)
D11 = (
    ("P1", "c first of special", "≤ a(1+a) s / n"),
    ("P2", "c classes of special", "≤ t (1+a) b s / n"),
    ("P3", "c last of special", "= c s"),
    ("P4", "c first of others", "≤ a(1+a) s / n"),
    ("P5", "c classes of others", "≤ t (1+a) b s / n"),
    ("P6", "c last of others", "= c s"),
)
"""Lemma D.15 too."""

# What section E leaves out: u, f and c with X the identity.


def identity_rows(special: str, own: str, rest: str, unit: str = "") -> dict[str, Rows]:
    """The rows on u and f ("weights") and those on c ("values") of a network with X the identity.

    special, own, rest : a query's weight on the special key, on a key of its own class, and on one
        of another class; u is these times `unit`
    """
    alpha = f"({special} + (t−1) {own} + (n−t) {rest})"
    alpha_of_others = f"(t {own} + (n−t) {rest})"
    u_and_f = (
        ("P1a", "u special on special", f"= {special}{unit}"),
        ("P1b.own", "u special on own", f"= {own}{unit}"),
        ("P1b.rest", "u special on rest", f"= {rest}{unit}"),
        ("P2.own", "u others on own", f"= {own}{unit}"),
        ("P2.rest", "u others on rest", f"= {rest}{unit}"),
        ("P3a", "f special on special", f"= {special} / {alpha}"),
        ("P3b.own", "f special on own", f"= {own} / {alpha}"),
        ("P3b.rest", "f special on rest", f"= {rest} / {alpha}"),
        ("P4.own", "f others on own", f"= {own} / {alpha_of_others}"),
        ("P4.rest", "f others on rest", f"= {rest} / {alpha_of_others}"),
    )
    c = (
        ("P1", "c first of special", f"= a s {special} / {alpha}"),
        ("P2.one", "c one of special", f"= b s ({special} + (t−1) {own}) / {alpha}"),
        ("P2.rest", "c rest of special", f"= b s t {rest} / {alpha}"),
        ("P3", "c last of special", "= c s"),
        ("P4.own", "c first of own class", f"= a s {own} / {alpha_of_others}"),
        ("P4.rest", "c first of other classes", f"= a s {rest} / {alpha_of_others}"),
        ("P5.own", "c own class of others", f"= b s t {own} / {alpha_of_others}"),
        ("P5.rest", "c other classes of others", f"= b s t {rest} / {alpha_of_others}"),
        ("P6", "c last of others", "= c s"),
    )
    return {"weights": u_and_f, "values": c}


LEFT_OUT_ROWS = {
    "exp": identity_rows(special="n^(a²+b²+c²)", own="n^(b²+c²)", rest="n^(c²)"),
    "linear": identity_rows(special="(a²+b²+c²)", own="(b²+c²)", rest="c²", unit=" log n"),
}
"""By kernel: on either dataset."""

# In cross-attention, whose dataset had to be reconstructed, and so all claims on it.


def cross_exp(itself: str) -> Rows:
    """The rows of Lemmas F.2 and F.6, on u and f of softmax, by what is claimed of the special
    weight, `itself`."""
    return (
        ("P1a", "u special on special", "= n^(1+a)"),
        ("P1b", "u special on others", "= n"),
        ("P2a", "u others on special", "= n"),
        ("P2b", "u others on others", "= n"),
        ("P3a", "f special on special", itself, "= n^a / (n^a + n − 1)"),
        ("P3b", "f special on others", "≤ 1/n", "= 1 / (n^a + n − 1)"),
        ("P4a", "f others on special", "= 1/n"),
        ("P4b", "f others on others", "= 1/n"),
    )


F2 = cross_exp("≥ 1/2")
F6 = cross_exp("≤ n^(−(1−a))")
F10 = (
    ("P1", "u special on special", "= (1+a) log n"),
    ("P2", "u all others", "= log n"),
    ("P3", "f special on special", "≤ (1+a)/n", "= (1+a) / (n+a)"),
    ("P4", "f special on others", "≤ 1/n", "= 1 / (n+a)"),
    ("P5", "f others", "= 1/n"),
)
"""Lemma F.14 too."""
F3 = (
    ("P1", "c first of special", "≥ s/2"),
    ("P2.one", "c one of special", "≥ s/2"),
    ("P2.rest", "c rest of special", "≤ t s / n"),
    ("P3", "c first of others", "= s/n"),
    ("P4", "c classes of others", "= t s / n"),
)
F7 = (
    ("P1", "c first of special", "≤ s n^(−(1−a))"),
    ("P2", "c classes of special", "≤ t s n^(−(1−a))"),
    ("P4", "c first of others", "= s/n"),
    ("P5", "c classes of others", "= t s / n"),
)
"""Its parts are numbered so."""
F11 = (
    ("P1", "c first of special", "≤ (1+a) s / n"),
    ("P2", "c classes of special", "≤ t (1+a) s / n"),
    ("P3", "c first of others", "= s/n"),
    ("P4", "c classes of others", "= t s / n"),
)
"""Lemma F.15 too."""
