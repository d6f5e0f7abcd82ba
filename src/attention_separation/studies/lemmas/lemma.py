"""A lemma or theorem on one network: the exact laws of the network's scores, from its distinct rows
at any number of classes, u and f of the tokens behind them, and what all claims of a lemma share.

A *column* is one vector of random signs, and a *score* what a row of c makes of it. Given a few
signs, a score grows with the number of pluses among the other classes, so it exceeds a threshold
from some count on: a tail of the binomial law of fair coins, of which *heads* are pluses, and
nothing of size n is built.
"""

import itertools
import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
from scipy.special import betainc

from ...attention.distinct_rows import TokenTypes, distinct_rows
from ...attention.kernels import KERNELS
from ...attention.sign_columns import TIE_TOLERANCE
from ...datasets.dataset import Tokens
from ..softmax_vs_linear.models.attention import CROSS_ATTENTION_MODEL, SELF_ATTENTION_MODEL
from ..softmax_vs_linear.models.model import AttentionModel
from .claim import Cells, Changes, PaperClaim, Setting

BOTH_SIGNS = (-1.0, 1.0)

NO_CONSTANT = 1e300
"""The constant where no number of columns is enough."""


@dataclass(frozen=True)
class RowWeights:
    """The distinct rows of c of one network as weights of a column's signs, (R,) each but `last`,
    the same in every row; None without a last coordinate."""

    classes: int
    first: np.ndarray
    marked: np.ndarray
    own: np.ndarray
    rest: np.ndarray
    last: float | None


def chance_of_heads(heads: float, coins: int) -> float:
    """The probability of at least `heads` heads among fair coins."""
    if heads <= 0:
        return 1.0
    if heads > coins:
        return 0.0
    return float(betainc(heads, coins - heads + 1, 0.5))


def chance_row_reaches(rows: RowWeights, row: int, threshold: float, s: float) -> float:
    """The probability that a distinct row's score <c_j0, sigma> is at least a threshold, over a
    column sigma of random signs.

    A score that is below the threshold by rounding alone, TIE_TOLERANCE s, reaches it.
    """
    rest = float(rows.rest[row])
    coins = rows.classes - 1
    # What is not the same as of a further class has a sign of its own.
    singles = [float(rows.first[row]), float(rows.marked[row])]
    if coins and rows.own[row] != rest:
        singles.append(float(rows.own[row]))
        coins -= 1
    if rows.last is not None:
        singles.append(rows.last)
    total = 0.0
    for signs in itertools.product(BOTH_SIGNS, repeat=len(singles)):
        known = sum(sign * weight for sign, weight in zip(signs, singles, strict=True))
        missing = threshold - TIE_TOLERANCE * s - known
        heads = _heads_to_reach(missing, rest, coins)
        total += chance_of_heads(heads, coins)
    return total / 2 ** len(singles)


def chance_column_exceeds(rows: RowWeights, tau: float, s: float) -> float:
    """The probability that the score of some token exceeds tau, over one column of random signs; a
    score that equals tau does not exceed it."""
    if (rows.own < rows.rest).any():
        raise ValueError("a row gives its own class less weight than another; allowed: not less")
    excess = rows.own - rows.rest
    weights_by_row = np.transpose([rows.first, rows.marked, excess, rows.rest]).tolist()
    if rows.last is None:
        last_scores = [0.0]
    else:
        last_scores = [sign * rows.last for sign in BOTH_SIGNS]
    unmarked = rows.classes - 1
    limit = tau + TIE_TOLERANCE * s
    total = 0.0
    for sign_first, sign_marked, last in itertools.product(BOTH_SIGNS, BOTH_SIGNS, last_scores):
        # From this count of pluses among the unmarked classes on, some row exceeds the limit.
        fewest = math.inf
        for first, marked, excess_of_row, rest in weights_by_row:
            missing = limit - sign_first * first - sign_marked * marked - last
            pluses = _pluses_to_exceed(missing, excess_of_row, rest, unmarked)
            fewest = min(fewest, pluses)
        total += chance_of_heads(fewest, unmarked)
    return total / (4 * len(last_scores))


def _pluses_to_exceed(missing: float, excess: float, rest: float, classes: int) -> float:
    """The fewest pluses among so many classes with which these add more than `missing` to a row's
    score; inf if no number does.

    Each class has the weight `rest`, and the row's own, which is one of them, `excess` more.
    """
    if not excess:
        return _heads_to_exceed(missing, rest, classes)
    # The own class has a plus as soon as there is one, else all classes have a minus.
    if missing + excess < -rest * classes:
        return 0
    return max(1, _heads_to_exceed(missing - excess, rest, classes))


def chance_of_none(p: float, m: int) -> float:
    """(1 - p)^m, the probability that none of m independent columns does what each does with
    probability p."""
    return 0.0 if p >= 1 else math.exp(m * math.log1p(-p))


def chance_of_some(p: float, m: int) -> float:
    """1 - (1 - p)^m, the probability that some of m independent columns does what each does with
    probability p; precise where it is tiny."""
    return 1.0 if p >= 1 else -math.expm1(m * math.log1p(-p))


def least_constant(p: float) -> float:
    """The least C with (1 - p)^(C log(n/delta)) <= delta/n, where p is the chance of one column;
    NO_CONSTANT if p is 0."""
    if p == 0:
        return NO_CONSTANT
    if p == 1:
        return 0.0
    return -1 / math.log1p(-p)


def _heads_to_reach(missing: float, rest: float, coins: int) -> float:
    """The fewest heads among coins with rest (heads - tails) >= missing; inf if none are enough."""
    if not rest or not coins:
        return 0 if missing <= 0 else math.inf
    return math.ceil((missing / rest + coins) / 2)


def _heads_to_exceed(missing: float, rest: float, coins: int) -> float:
    """The fewest heads among coins with rest (heads - tails) > missing; inf if none are enough."""
    if not rest or not coins:
        return 0 if missing < 0 else math.inf
    return math.floor((missing / rest + coins) / 2) + 1


@dataclass(frozen=True)
class Attended:
    """One network's attention at one setting.

    Row 0 is the special token's, the others are of all other tokens. The columns of u and f are
    the special token, another of its class, one of the row's own class, and one of a further class;
    those of which there is no token are NaN.
    """

    rows: RowWeights
    u: np.ndarray
    f: np.ndarray

    def weights(self, symbol: str, rows: slice, columns: slice) -> list[float]:
        """The weights "u" or "f", by `symbol`, in some rows and columns of which there are
        tokens."""
        table = {"u": self.u, "f": self.f}[symbol]
        return _known(table[rows, columns])

    def coordinates(self, name: str, rows: slice) -> list[float]:
        """The coordinate of c of a name in `RowWeights`, in those of some rows that have it."""
        values = np.full(self.rows.first.shape, getattr(self.rows, name))
        if name == "rest" and self.rows.classes == 2:
            # Both classes are the special token's and the row's own.
            values[2:] = np.nan
        return _known(values[rows])


def _known(cells: np.ndarray) -> list[float]:
    """Those of some cells that are not NaN: that there are tokens of."""
    values: list[float] = cells[~np.isnan(cells)].tolist()
    return values


@dataclass(frozen=True)
class Case:
    """A kernel on a dataset: `attention_x` is "ones" or "identity"."""

    model: AttentionModel
    kernel: str
    dataset: int
    attention_x: str

    def attended(self, setting: Setting) -> Attended:
        """The network's attention at a setting."""
        return _attended(self, self._sizes(setting))

    def theta(self, setting: Setting) -> float:
        """The threshold tau over s = sqrt(log n) in the section of the case: c + 0.1 for
        self-attention."""
        return setting.theta if self.model is CROSS_ATTENTION_MODEL else setting.c + 0.1

    def row_chances(self, setting: Setting) -> tuple[float, ...]:
        """The exact probability of each distinct row's score to be at least tau."""
        return _row_chances(self, self._sizes(setting), self.theta(setting))

    def column_chance(self, setting: Setting) -> float:
        """The exact probability that one column of signs makes the network positive."""
        return _column_chance(self, self._sizes(setting), self.theta(setting))

    def _sizes(self, setting: Setting) -> Tokens:
        """The sizes of the tokens of the case's dataset at a setting. The special entry stands for
        both datasets' a0 and a1: of the other dataset nothing is computed."""
        a = setting.a1 if self.dataset else setting.a0
        return Tokens(
            n=setting.n,
            d=setting.embedding_dimension,
            a0=a,
            a1=a,
            b=setting.b,
            c=setting.c,
            attention_x=self.attention_x,
        )


@lru_cache(maxsize=1 << 14)
def _attended(case: Case, sizes: Tokens) -> Attended:
    """The attention of a case's network on tokens of some sizes."""
    types = _token_types(case.model, sizes)
    rows = distinct_rows(types, KERNELS[case.kernel])
    # All arrays are of one point.
    existing = slice(None) if types.exists.all() else types.exists[0]
    last = None if rows.last is None else float(rows.last[0, 0])
    weights = RowWeights(
        classes=int(rows.classes[0]),
        first=rows.first[0, existing],
        marked=rows.marked[0, existing],
        own=rows.own[0, existing],
        rest=rows.rest[0, existing],
        last=last,
    )
    scores = types.scores[0, existing]
    u = np.exp(scores) if case.kernel == "exp" else scores
    f = rows.weights[0, existing]
    has_tokens = types.multiplicities[0] > 0
    if not has_tokens.all():
        u = np.where(has_tokens, u, np.nan)
        f = np.where(has_tokens, f, np.nan)
    return Attended(weights, u, f)


@lru_cache(maxsize=1 << 10)
def _token_types(model: AttentionModel, sizes: Tokens) -> TokenTypes:
    """The token types of some sizes, kept for both kernels, which see the same tokens."""
    return model.token_types([sizes], 0)


@lru_cache(maxsize=1 << 14)
def _row_chances(case: Case, sizes: Tokens, theta: float) -> tuple[float, ...]:
    """The probability of each distinct row's score to be at least theta s."""
    rows = _attended(case, sizes).rows
    threshold = theta * sizes.s
    return tuple(
        chance_row_reaches(rows, row, threshold, sizes.s) for row in range(len(rows.first))
    )


@lru_cache(maxsize=1 << 14)
def _column_chance(case: Case, sizes: Tokens, theta: float) -> float:
    """The probability that one column of signs makes some score exceed theta s."""
    return chance_column_exceeds(_attended(case, sizes).rows, theta * sizes.s, sizes.s)


KERNEL_WORDS = {"linear": "linear attention", "exp": "softmax attention"}
X_WORDS = {"ones": "all ones", "identity": "the identity"}


@dataclass(frozen=True)
class Lemma:
    """A lemma or theorem: its number, and the network it is about, or the model alone."""

    id: str
    case: Case
    on_network: bool = True

    @property
    def about(self) -> str:
        """What the lemma is about, the network or the model, in words."""
        case = self.case
        words = case.model.words
        if self.on_network:
            words = f"{KERNEL_WORDS[case.kernel]} on D{case.dataset}"
        if case.model is SELF_ATTENTION_MODEL:
            words = f"{words}, X {X_WORDS[case.attention_x]}"
        return words

    def ranges(self) -> tuple[Changes, ...]:
        """The changes of parameters that lead to the ends of the ranges which the datasets allow a
        and, in self-attention, b = 1 - c: each end alone, and each pair.

        a0 is in (0, 0.1), whose ends are limits; a1 starts at 0.7, in cross-attention at 1, and has
        no end: 3 is the largest that the experiments use.
        """
        model = self.case.model
        changes_a: list[Changes] = [(("a0", 0.0),), (("a0", 0.1),)]
        if self.case.dataset:
            changes_a = [(("a1", model.least_a1),), (("a1", 3.0),)]
        if model is CROSS_ATTENTION_MODEL:
            return tuple(changes_a)
        changes_b: list[Changes] = [(("b", b), ("c", 1 - b)) for b in (0.1, 0.9)]
        pairs = itertools.product([(), *changes_a], [(), *changes_b])
        changes_both = [change_a + change_b for change_a, change_b in pairs]
        # The first changes nothing.
        return tuple(changes_both[1:])

    def claim(
        self,
        part: str,
        statement: str,
        *,
        left: str,
        claimed: str,
        cells: Cells | None = None,
        quantity: str = "",
        note: str = "",
        constant: Literal["least", "Hoeffding"] | None = None,
        at_parameters_alone: bool = False,
        identity: bool = False,
        any_d: bool = False,
    ) -> PaperClaim:
        """The claim that is a part of this lemma; `part` is such as "P3a.value", or empty for the
        lemma as a whole.

        It is evaluated at the ends of the parameters' ranges too, if not `at_parameters_alone`.
        The other parameters are the attributes of `PaperClaim`.
        """
        ranges = () if at_parameters_alone else self.ranges()
        return PaperClaim(
            id=f"{self.id}.{part}" if part else self.id,
            model=self.case.model.name,
            statement=f"{statement} ({self.about}).",
            left=left,
            claimed=claimed,
            cells=cells,
            quantity=quantity,
            note=note,
            constant=constant,
            ranges=ranges,
            identity=identity,
            any_d=any_d,
        )
