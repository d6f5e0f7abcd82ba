"""Sections 3 to 5: Hoeffding's bound, and Lemmas 4.1 to 5.4 on softmax regression.

They are on all admissible data, so on the worst: entries of Ax at the ends of their interval. The
sum of f^2 is quasi-convex in every entry of exp(Ax) or Ax, so it is largest where each is at one
end of its interval; the share at the upper end has a closed form. f is never built.

*The others* are the entries but the special one of D1, which lie in the interval; *admissible data*
are all that a dataset's definition allows. u are the weights before normalising, exp(Ax) or Ax,
alpha is their sum, f = u / alpha, and sigma is a column of random signs. j is the special entry.
"""

import math
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.special import betainc, gammaln

from ..softmax_vs_linear.models import regression
from ..softmax_vs_linear.models.contest import network_name
from ..softmax_vs_linear.models.regression import REGRESSION
from .claim import RARELY, PaperClaim, Setting, formula
from .lemma import chance_of_heads, chance_of_none, chance_of_some, least_constant


@dataclass(frozen=True)
class Levels:
    """u of one kernel on D0 or D1 up to a factor: the ends of the interval, and u_j (0 in D0)."""

    n: int
    low: float
    high: float
    special: float

    @property
    def others(self) -> int:
        """The number of entries in the interval: all but the special one."""
        return self.n - (self.special > 0)

    def total(self, at_high: float) -> float:
        """The sum alpha of all u, where `at_high` of the others are at the upper end."""
        return self.special + self.low * (self.others - at_high) + self.high * at_high

    def squares(self, at_high: float) -> float:
        """The sum of f^2, where `at_high` of the others are at the upper end."""
        u_squares = self.special**2 + self.low**2 * (self.others - at_high) + self.high**2 * at_high
        return u_squares / self.total(at_high) ** 2

    def worst(self) -> float:
        """The number of the others at the upper end, not made whole, that makes the sum of f^2
        largest."""
        squares = self.special**2 + self.others * self.low**2
        squares_slope = self.high**2 - self.low**2
        total = self.total(0)
        total_slope = self.high - self.low
        numerator = squares_slope * total - 2 * total_slope * squares
        at_high = numerator / (squares_slope * total_slope)
        return min(max(at_high, 0.0), float(self.others))

    def largest_other(self) -> float:
        """The largest that an entry of f but the special one can be, over all admissible data."""
        return self.high / self.total(1)

    def smallest_special(self) -> float:
        """The smallest that the special f_j can be, over all admissible data."""
        return self.special / self.total(self.others)

    def largest_special(self) -> float:
        """The largest that the special f_j can be, over all admissible data."""
        return self.special / self.total(0)

    def hoeffding(self, tau: float) -> float:
        """Hoeffding's upper bound on Pr[<f, sigma> >= tau], for all admissible data."""
        return math.exp(-(tau**2) / (2 * self.squares(self.worst())))


@lru_cache(maxsize=1 << 12)
def levels(n: int, kernel: str, dataset: int) -> Levels:
    """The levels of u on D0 or D1 of Definition 3.8, under one of the model's kernels."""
    multiples = np.array([regression.LOWER, regression.UPPER, regression.SPECIAL_MULTIPLE])
    # Up to a factor, so that the largest exponential is 1.
    taken_off = regression.SPECIAL_MULTIPLE if kernel == "exp" else 0.0
    u = regression.U[kernel](math.log(n) * (multiples - taken_off))
    low, high, special = u.tolist()
    if dataset == 0:
        special = 0.0
    return Levels(n, low, high, special)


@lru_cache(maxsize=1 << 12)
def chance_of_exceeding(data: Levels, at_high: int, tau: float) -> float:
    """The exact Pr[<f, sigma> > tau], where `at_high` of the others are at the upper end.

    A sum over the pluses among the upper entries, of tails over those among the lower ones; terms
    beyond 40 standard deviations are below 1e-300.
    """
    pluses = _likely_pluses(at_high)
    log_law = gammaln(at_high + 1) - gammaln(pluses + 1) - gammaln(at_high - pluses + 1)
    law = np.exp(log_law - at_high * math.log(2))
    at_low = data.others - at_high
    threshold = tau * data.total(at_high) * (1 + 1e-12)
    signs_of_special = (-1, 1) if data.special else (0,)
    probability = 0.0
    for sign in signs_of_special:
        missing = threshold - sign * data.special - data.high * (2 * pluses - at_high)
        heads = np.floor((missing / data.low + at_low) / 2) + 1
        tails = _chances_of_heads(heads, at_low)
        probability += float(law @ tails) / len(signs_of_special)
    return probability


def _likely_pluses(coins: int) -> np.ndarray:
    """The numbers of pluses that so many fair signs can show, (S,), but those that lie beyond 40
    standard deviations."""
    half = coins / 2
    deviations = 20 * math.sqrt(coins) + 1
    first = max(0, math.floor(half - deviations))
    last = min(coins, math.ceil(half + deviations))
    return np.arange(first, last + 1)


def _chances_of_heads(heads: np.ndarray, coins: int) -> np.ndarray:
    """The probability of at least so many heads among fair coins, for each number of heads (S,)."""
    possible = np.clip(heads, 1, max(coins, 1))
    chances = betainc(possible, coins - possible + 1, 0.5)
    chances = np.where(heads > coins, 0.0, chances)
    return np.where(heads <= 0, 1.0, chances)


REGRESSION_NAMES = {"exp": "softmax", "linear": "linear"}
WORST = "worst admissible data"
REGRESSION_NAME = REGRESSION.name


def claims() -> list[PaperClaim]:
    """All claims on the regression model."""
    return [
        HOEFFDING,
        _deviation_claim("4.1.P1", "linear", 0, rate="√n", factor=8),
        _largest_entry_claim("4.1.P1.entries", "linear", claimed="≤ 1.4/n"),
        _deviation_claim("4.1.P2", "exp", 0, rate="n^0.1", factor=2),
        _largest_entry_claim("4.1.P2.entries", "exp", claimed="≤ n^(−0.6)"),
        *_linear_weights_on_d1(),
        *_softmax_weights_on_d1(),
        *_zero_claims("5.1", "exp", 0),
        *_softmax_network_positive(),
        *_zero_claims("5.3", "linear", 0),
        *_zero_claims("5.4", "linear", 1),
    ]


def _tail_over_hoeffding(setting: Setting) -> float:
    """The largest ratio, over values t, of the exact Pr[|sum of n random signs| >= t] to
    Hoeffding's bound on it."""
    n = setting.n
    # Tails beyond exp(-200) say nothing more, and t must be a sum that occurs.
    most_heads = min(n, n / 2 + 10 * math.sqrt(n))
    heads = np.unique(np.linspace(n / 2, most_heads, 200).astype(np.int64))
    heads = heads[2 * heads > n]
    t = 2.0 * heads - n
    tails = 2 * betainc(heads, n - heads + 1, 0.5)
    bounds = 2 * np.exp(-(t**2) / (2 * n))
    return float(np.max(tails / bounds))


HOEFFDING = PaperClaim(
    "3.1",
    REGRESSION_NAME,
    "A sum of bounded independent variables is rarely far from its mean.",
    left="Pr[|X − E X| ≥ t] / (2 exp(−2 t² / Σ (bᵢ − aᵢ)²))",
    claimed="≤ 1",
    cells=_tail_over_hoeffding,
    quantity="largest ratio of the exact tail of n random signs to the bound, over 200 values of t",
    scope="sums of random signs",
)


def _linear_weights_on_d1() -> list[PaperClaim]:
    """The claims of Lemma 4.2, Part 1, on the linear weights f_lin: on <f_lin, sigma>, and on their
    entries."""
    sum_of_weights = PaperClaim(
        "4.2.P1",
        REGRESSION_NAME,
        "With high probability the linear weights, under random signs, add up to at most a "
        "constant times √log(n/δ)/n on D1.",
        left="|⟨f_lin, σ⟩| ≤ C √log(n/δ) / n with probability ≥ 1 − δ/n, C",
        claimed=_hoeffdings_constant(32),
        cells=_least_constant_of_sum,
        quantity="least C, exactly, where all other entries are equal",
        constant="least",
    )
    entries = PaperClaim(
        "4.2.P1.entries",
        REGRESSION_NAME,
        "Every linear weight on D1 is small.",
        left="f_lin,i",
        claimed="≤ 4/(n+3)",
        cells=lambda setting: levels(setting.n, "linear", 1).largest_special(),
        quantity=f"largest entry of f_lin on the {WORST}",
    )
    read_with_sqrt = _deviation_claim("4.2.P1.sqrt", "linear", 1, rate="√n", factor=32)
    return [sum_of_weights, read_with_sqrt, entries]


def _exp_on_d1(setting: Setting) -> Levels:
    """The levels of softmax's u on D1."""
    return levels(setting.n, "exp", 1)


def _softmax_weights_on_d1() -> list[PaperClaim]:
    """The claims of Lemma 4.2, Parts 2 and 3, on the softmax weights f_exp: on <f_exp, sigma>, and
    on their entries."""
    sum_of_weights = PaperClaim(
        "4.2.P2",
        REGRESSION_NAME,
        "Whatever the signs, the softmax weights do not cancel on D1.",
        left="|⟨f_exp, σ⟩|",
        claimed="≥ 1/4",
        cells=lambda setting: 2 * _exp_on_d1(setting).smallest_special() - 1,
        quantity=f"smallest |⟨f_exp, σ⟩| over all signs on the {WORST}",
        note=" with probability 1",
    )
    special_weight = PaperClaim(
        "4.2.P2.special",
        REGRESSION_NAME,
        "The special softmax weight is at least one half.",
        left="f_exp,j ≥ n⁴ / (n^1.4 (n−1) + n⁴)",
        claimed="≥ 1/2",
        cells=lambda setting: _exp_on_d1(setting).smallest_special(),
        quantity=f"f_exp,j on the {WORST}",
    )
    other_weights = PaperClaim(
        "4.2.P2.others",
        REGRESSION_NAME,
        "Every other softmax weight is tiny.",
        left="f_exp,i ≤ n^1.4 / (n (n−1) + n⁴)",
        claimed="≤ n^(−2.6)",
        cells=lambda setting: _exp_on_d1(setting).largest_other(),
        quantity=f"largest other entry of f_exp on the {WORST}",
        note=" for i ≠ j",
    )
    half_less_others = PaperClaim(
        "4.2.P2.sum",
        REGRESSION_NAME,
        "One half less all other softmax weights is at least one quarter.",
        left="1/2 − (n−1) n^(−2.6)",
        claimed="≥ 1/4",
        cells=lambda setting: 0.5 - (setting.n - 1) * _exp_on_d1(setting).largest_other(),
        quantity=f"1/2 − (n−1) max fᵢ with the largest other entry of f_exp on the {WORST}",
        note=" for n ≥ 4",
    )
    sign = PaperClaim(
        "4.2.P3",
        REGRESSION_NAME,
        "The sign of the special entry alone decides whether the sum is positive.",
        left="Pr[⟨f_exp, σ⟩ > 0] = Pr[⟨f_exp, σ⟩ < 0]",
        claimed="= 1/2",
        cells=lambda setting: _chance_of_positive_sum(_exp_on_d1(setting)),
        quantity=f"Pr[⟨f_exp, σ⟩ > 0], exactly, on the {WORST}",
    )
    return [sum_of_weights, special_weight, other_weights, half_less_others, sign]


def _hoeffdings_constant(factor: int) -> str:
    """What is claimed of a constant C: that it is at most what Hoeffding's bound gives in the
    proof, whose weights have a sum of squares of `factor` / 2 over the square of the rate."""
    return f"≤ √({factor} (1 + log 2 / log(n/δ)))"


def _deviation_claim(name: str, kernel: str, dataset: int, *, rate: str, factor: int) -> PaperClaim:
    """The claim that |<f, sigma>| is rarely above C sqrt(log(n/delta)) / rate, with the proof's C:
    it is compared with the C that Hoeffding's bound needs on the worst data."""

    def needed_constant(setting: Setting) -> float:
        """The C that Hoeffding's bound needs on the worst admissible data."""
        data = levels(setting.n, kernel, dataset)
        logs = 1 + math.log(2) / setting.log_n_over_delta
        deviation = math.sqrt(2 * data.squares(data.worst()) * logs)
        return deviation * formula(rate)({"n": setting.n})

    return PaperClaim(
        name,
        REGRESSION_NAME,
        f"With high probability the {REGRESSION_NAMES[kernel]} weights, under random signs, add up "
        f"to a small number on D{dataset}.",
        left=f"|⟨f, σ⟩| ≤ C √log(n/δ) / {rate} with probability ≥ 1 − δ/n, C",
        claimed=_hoeffdings_constant(factor),
        cells=needed_constant,
        quantity=f"C that Hoeffding's bound needs on the {WORST}",
        constant="Hoeffding",
    )


def _largest_entry_claim(name: str, kernel: str, claimed: str) -> PaperClaim:
    """The claim that every weight of a kernel on D0 is as `claimed`, such as "≤ 1.4/n"."""
    return PaperClaim(
        name,
        REGRESSION_NAME,
        f"Every {REGRESSION_NAMES[kernel]} weight on D0 is small.",
        left="|fᵢ|",
        claimed=claimed,
        cells=lambda setting: levels(setting.n, kernel, 0).largest_other(),
        quantity=f"largest entry of f on the {WORST}",
    )


def _chance_that_others_exceed(limit: float, coins: int) -> float:
    """The probability that the sum of so many random signs exceeds a limit."""
    heads = math.floor((limit + coins) / 2) + 1
    return chance_of_heads(heads, coins)


def _chance_of_positive_sum(data: Levels) -> float:
    """The exact Pr[<f, sigma> > 0], where all others are at the upper end.

    That it is 1/2 is no identity: by symmetry it falls short of it by half of Pr[<f, sigma> = 0],
    and ties occur as soon as the others together can weigh as much as the special entry.
    """
    ratio = data.special / data.high
    with_minus = _chance_that_others_exceed(ratio, data.others)
    with_plus = _chance_that_others_exceed(-ratio, data.others)
    return (with_minus + with_plus) / 2


def _least_constant_of_sum(setting: Setting) -> float:
    """The least C of Lemma 4.2, Part 1, where all other entries of Ax are equal: from the smallest
    limit that |<f, sigma>| exceeds as rarely as allowed."""
    data = levels(setting.n, "linear", 1)
    ratio = data.special / data.low

    def is_rarely_exceeded(limit: int) -> bool:
        """Whether |ratio sigma_j + sum of the other signs| > limit no more often than allowed."""
        # Turning all signs turns the sum: both tails are alike.
        with_minus = _chance_that_others_exceed(limit + ratio, data.others)
        with_plus = _chance_that_others_exceed(limit - ratio, data.others)
        return with_minus + with_plus <= setting.failure_probability

    limits = range(1, setting.n + 3)
    least_limit = 1 + bisect_left(limits, True, key=is_rarely_exceeded)
    rate = math.sqrt(setting.log_n_over_delta)
    return least_limit * data.low / data.total(0) * setting.n / rate


@dataclass(frozen=True)
class ColumnCount:
    """How many sign columns the networks have: setting -> m, and m in words."""

    m: Callable[[Setting], int]
    words: str


COLUMN_COUNTS = {
    "": ColumnCount(
        lambda setting: setting.columns(least_constant(_special_column_chance(setting))),
        "m = C log(n/δ) and the least C of Lemma 5.2",
    ),
    ".m": ColumnCount(lambda setting: setting.m, "the m of Figure 3, panel a"),
}
"""By the end of the claims' ids: the fewest for which F_exp is positive on D1 often enough, or the
experiments'."""


def _softmax_network_positive() -> list[PaperClaim]:
    """The claims of Lemma 5.2, that the softmax network is positive on D1: for some number of
    columns, and for the experiments' own."""
    statement = "The softmax network is positive on every data of D1 with high probability"
    with_free_m = PaperClaim(
        "5.2",
        REGRESSION_NAME,
        f"{statement}.",
        left="Pr[F_exp(A) > 0] ≥ 1 − (1/2)^m ≥ 1 − δ/n with m = C log(n/δ), C",
        claimed="≤ 1/log 2",
        cells=lambda setting: least_constant(_special_column_chance(setting)),
        quantity=f"least C that is enough on the {WORST}, exactly",
        constant="least",
    )
    with_own_m = PaperClaim(
        "5.2.m",
        REGRESSION_NAME,
        f"{statement}, with as many columns as the experiments have.",
        left="Pr[F_exp(A) = 0]",
        claimed=RARELY,
        cells=lambda setting: chance_of_none(_special_column_chance(setting), setting.m),
        quantity=f"Pr[F_exp(A) = 0], exactly, on the {WORST}",
        note=" with the m of Figure 3, panel a",
    )
    return [with_free_m, with_own_m]


def _special_column_chance(setting: Setting) -> float:
    """The probability that one column of signs makes the softmax network positive on D1, on the
    worst data."""
    data = levels(setting.n, "exp", 1)
    # The others cannot turn the sign: at the upper end they come closest to it.
    lowest = 2 * data.smallest_special() - 1
    if lowest > setting.tau:
        return 0.5
    return chance_of_exceeding(data, data.others, setting.tau)


def _zero_claims(name: str, kernel: str, dataset: int) -> list[PaperClaim]:
    """The claims that a network is zero: for each of COLUMN_COUNTS one that may refute it, and one
    that may prove it."""
    statement = (
        f"The {REGRESSION_NAMES[kernel]} network is zero on every data of D{dataset} with high "
        "probability"
    )
    claims_of_network = []
    for part, count in COLUMN_COUNTS.items():
        claims_of_network += _zero_claims_with(
            count, f"{name}{part}", statement, kernel=kernel, dataset=dataset
        )
    return claims_of_network


def _zero_claims_with(
    count: ColumnCount, name: str, statement: str, *, kernel: str, dataset: int
) -> list[PaperClaim]:
    """The claims that a network F is zero with so many columns: `name`, whose cell is a lower bound
    of the largest Pr[F > 0], and `name`.every, whose cell is an upper bound."""

    def upper_bound(setting: Setting) -> float:
        """Hoeffding's upper bound of Pr[F > 0] over all admissible data."""
        data = levels(setting.n, kernel, dataset)
        return chance_of_some(data.hoeffding(setting.tau), count.m(setting))

    def lower_bound(setting: Setting) -> float:
        """A lower bound of the largest Pr[F > 0], from data of about the largest variance; the
        upper bound itself where that is small enough."""
        upper = upper_bound(setting)
        if upper <= setting.failure_probability:
            return upper
        data = levels(setting.n, kernel, dataset)
        worst = data.worst()
        # Tails are heaviest a little beyond the largest variance.
        beyond = min(round(1.1 * worst), data.others)
        column = max(
            chance_of_exceeding(data, at_high, setting.tau)
            for at_high in (math.floor(worst), math.ceil(worst), beyond)
        )
        return chance_of_some(column, count.m(setting))

    left = f"Pr[{network_name(kernel)}(A) > 0]"
    note = f" with τ = 1/4, {count.words}"
    zero = PaperClaim(
        name,
        REGRESSION_NAME,
        f"{statement}.",
        left=left,
        claimed=RARELY,
        cells=lower_bound,
        quantity="Pr[F > 0], exactly, on data of about the largest variance: it refutes, and "
        "proves nothing of other data; where Hoeffding's bound suffices for all data, that bound",
        note=note,
    )
    zero_on_all_data = PaperClaim(
        f"{name}.every",
        REGRESSION_NAME,
        f"{statement}, by Hoeffding's bound on the {WORST}.",
        left=left,
        claimed=RARELY,
        cells=upper_bound,
        quantity="upper bound on Pr[F > 0] over all admissible data",
        note=note,
    )
    return [zero, zero_on_all_data]
