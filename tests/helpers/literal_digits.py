"""Networks by the definition in fifty digits, for kernels of scores and of rows that are not
divided, at any number of tokens: over all sign columns and all classes of the special tokens.

Equal tokens are taken once, with how many there are. Entries are in units of s = sqrt(log n), and
so are scores of columns and thresholds; scores x = q . k are in units of log n = s^2.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from itertools import product

DIGITS = 50
TIE = Decimal("1e-12")
SAME = Decimal("1e-13")
"""Relative to their size: scores closer than this are one, where they are compared with others."""

Weigh = Callable[[Sequence[Decimal], Sequence[int]], list[Decimal]]
"""The scores of a row's keys, and how many tokens each stands for -> the weight of one of each."""


def of_scores(weight: Callable[[Decimal], Decimal]) -> Weigh:
    """The weights that are a function of each score."""
    return lambda row, counts: [weight(x) for x in row]


@dataclass(frozen=True)
class Setting:
    """A layer and the sizes of its data: `model` and `attention_x` as of the API; b and c are of
    self-attention alone."""

    model: str
    attention_x: str
    n: int
    classes: int
    m: int
    a0: float
    a1: float
    b: float = 1.0
    c: float = 1.0

    @property
    def options(self) -> dict:
        """As parameters of the API."""
        of_both = {"model": self.model, "attention_x": self.attention_x, "n": self.n, "m": self.m}
        of_both |= {"a0": self.a0, "a1": self.a1}
        if self.model == "cross_attention":
            return of_both | {"d": self.classes + 1}
        return of_both | {"d": self.classes + 2, "b": self.b, "c": self.c}


@dataclass(frozen=True)
class Token:
    """Tokens that are alike, in units of s."""

    entries: tuple[Decimal, ...]
    count: int


def tokens(setting: Setting, a: Decimal, marked: int) -> tuple[list[Token], list[Token]]:
    """Queries and keys; keys are values too."""
    if setting.model == "self_attention":
        both = _stacked(setting, a, marked, Decimal(setting.b), (Decimal(setting.c),))
        return both, both
    keys = _stacked(setting, Decimal(1), marked, Decimal(1), ())
    ones = (Decimal(1),) * setting.classes
    queries = [Token((a, *ones), 1), Token((Decimal(0), *ones), setting.n - 1)]
    return queries, keys


def _stacked(
    setting: Setting, first: Decimal, marked: int, block: Decimal, last: tuple[Decimal, ...]
) -> list[Token]:
    """The special token, and those of every class that are left."""
    t = setting.n // setting.classes
    found = []
    for own in range(setting.classes):
        of_class = tuple(block if k == own else Decimal(0) for k in range(setting.classes))
        if own == marked:
            found.append(Token((first, *of_class, *last), 1))
        found.append(Token((Decimal(0), *of_class, *last), t - (own == marked)))
    return [token for token in found if token.count]


@dataclass(frozen=True)
class Row:
    """A row of c, and the sum of |weight x entry|."""

    entries: tuple[Decimal, ...]
    size: Decimal


def rows(setting: Setting, dataset: int, marked: int, weigh: Weigh) -> list[Row]:
    """Those of all queries."""
    a = Decimal(setting.a1 if dataset else setting.a0)
    queries, keys = tokens(setting, a, marked)
    log_n = Decimal(setting.n).ln()
    found = []
    counts = [key.count for key in keys]
    for query in queries:
        scores = []
        for key in keys:
            if setting.attention_x == "ones":
                x = sum(query.entries) * sum(key.entries) * log_n
            else:
                x = sum(q * k for q, k in zip(query.entries, key.entries, strict=True)) * log_n
            scores.append(x)
        entries, size = [Decimal(0)] * len(keys[0].entries), Decimal(0)
        for key, weight in zip(keys, weigh(scores, counts), strict=True):
            of_tokens = key.count * weight
            entries = [e + of_tokens * v for e, v in zip(entries, key.entries, strict=True)]
            size += abs(of_tokens) * sum(key.entries)
        found.append(Row(tuple(entries), size))
    return found


@dataclass(frozen=True)
class Columns:
    """The rows' scores of every column of signs, by column: [(score, size), ...]."""

    scores: list[list[tuple[Decimal, Decimal]]]

    def exceed(self, theta: Decimal) -> list[bool]:
        """Whether some score exceeds a threshold by more than its tolerance."""
        return [
            any(score - theta > TIE * size for score, size in of_column)
            for of_column in self.scores
        ]

    def largest(self) -> list[Decimal]:
        """The largest score of each column."""
        return [max(score for score, _ in of_column) for of_column in self.scores]


def columns(setting: Setting, dataset: int, weigh: Weigh) -> list[Columns]:
    """For every class of the special token."""
    found = []
    for marked in range(setting.classes):
        of_class = rows(setting, dataset, marked, weigh)
        scores = []
        for y in product((1, -1), repeat=len(of_class[0].entries)):
            of_column = []
            for row in of_class:
                terms = [sign * entry for sign, entry in zip(y, row.entries, strict=True)]
                of_column.append((sum(terms), row.size))
            scores.append(of_column)
        found.append(Columns(scores))
    return found


class Literal:
    """What one network can do, or several in a contest: the first fires, all others are silent."""

    def __init__(self, setting: Setting, kernels: Sequence[Weigh]):
        self.setting = setting
        with localcontext(prec=DIGITS):
            self._d0 = [columns(setting, 0, weigh) for weigh in kernels]
            self._d1 = [columns(setting, 1, weigh) for weigh in kernels]

    def at(self, theta: float) -> Decimal:
        """P(success) at a threshold in units of s."""
        with localcontext(prec=DIGITS):
            exact = Decimal(theta)
            on_d0 = [[of_class.exceed(exact) for of_class in network] for network in self._d0]
            on_d1 = [[of_class.exceed(exact) for of_class in network] for network in self._d1]
            return self._probability(on_d0, on_d1)

    def events(self, theta: float) -> list[Decimal]:
        """P(the first is positive on D1), P(another is zero on D1) for each, and P(zero on D0) for
        each."""
        with localcontext(prec=DIGITS):
            exact = Decimal(theta)
            zero = []
            for network in (*self._d1, *self._d0):
                quiet = [of_class.exceed(exact).count(False) for of_class in network]
                chance = [(Decimal(k) / len(network[0].scores)) ** self.setting.m for k in quiet]
                zero.append(sum(chance) / len(chance))
            return [1 - zero[0], *zero[1:]]

    def thresholds(self) -> list[Decimal]:
        """The scores of all columns above 0, in order, and 0; those that are one are so once."""
        with localcontext(prec=DIGITS):
            found = [Decimal(0)]
            networks = (*self._d0, *self._d1)
            scores = sorted(u for network in networks for part in network for u in part.largest())
            for score in scores:
                if score - found[-1] > SAME * (score + self._smallest_size()):
                    found.append(score)
            return found

    def best(self) -> Decimal:
        """The largest P(success) over thresholds from 0 on that are told from scores exactly."""
        with localcontext(prec=DIGITS):
            d0 = [[part.largest() for part in network] for network in self._d0]
            d1 = [[part.largest() for part in network] for network in self._d1]
            found = Decimal(0)
            for theta in self.thresholds():
                limit = theta * (1 + SAME) + SAME * self._smallest_size()
                on_d0 = [[[u > limit for u in part] for part in network] for network in d0]
                on_d1 = [[[u > limit for u in part] for part in network] for network in d1]
                found = max(found, self._probability(on_d0, on_d1))
            return found

    def _smallest_size(self) -> Decimal:
        networks = (*self._d0, *self._d1)
        return min(size for network in networks for part in network for _, size in part.scores[0])

    def _probability(self, on_d0: list[list[list[bool]]], on_d1: list[list[list[bool]]]) -> Decimal:
        """Over the classes of the special tokens of both datasets, apart from each other; by
        network, class and column."""
        classes, m, total = self.setting.classes, self.setting.m, Decimal(0)
        for of_d0 in range(classes):
            for of_d1 in range(classes):
                others = [network[of_d0] for network in on_d0]
                others += [network[of_d1] for network in on_d1[1:]]
                silent = [not any(flags) for flags in zip(*others, strict=True)]
                fires = on_d1[0][of_d1]
                quiet = [s and not f for s, f in zip(silent, fires, strict=True)]
                of_all = Decimal(len(silent))
                total += (silent.count(True) / of_all) ** m - (quiet.count(True) / of_all) ** m
        return total / classes**2
