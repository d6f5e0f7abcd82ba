"""Sections 3 to 5: Hoeffding's bound, and Lemmas 4.1 to 5.4 on softmax regression.

They are on all admissible data, so on the worst: entries of Ax at the ends of their interval. The
sum of f^2 is quasi-convex in every entry of exp(Ax) or Ax, so it is largest where each is at one
end of its interval; the share at the upper end has a closed form. f is never built.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial

import numpy as np
from scipy.special import betainc, gammaln

from ..models import regression
from ..models.contest import network_name
from ..models.regression import REGRESSION
from .claim import RARELY, PaperClaim, Setting, formula
from .lemma import heads_at_least, least_constant, none_positive, some_positive


@dataclass(frozen=True)
class Levels:
    """u of one kernel on D0 or D1 up to a factor: the ends of the interval, and u_j (0 in D0)."""

    n: int
    low: float
    high: float
    special: float

    @property
    def others(self) -> int:
        """Entries in the interval."""
        return self.n - (self.special > 0)

    def total(self, at_high: float) -> float:
        """alpha where so many of the others are at the upper end."""
        return self.special + self.low * (self.others - at_high) + self.high * at_high

    def squares(self, at_high: float) -> float:
        """Sum of f^2 where so many of the others are at the upper end."""
        u_squares = self.special**2 + self.low**2 * (self.others - at_high) + self.high**2 * at_high
        return u_squares / self.total(at_high) ** 2

    def worst(self) -> float:
        """How many of the others at the upper end make the sum of f^2 largest, as a real number."""
        squares, squares_slope = (
            self.special**2 + self.others * self.low**2,
            self.high**2 - self.low**2,
        )
        total, slope = self.total(0), self.high - self.low
        at_high = (squares_slope * total - 2 * slope * squares) / (squares_slope * slope)
        return min(max(at_high, 0.0), float(self.others))

    def largest_other(self) -> float:
        """Largest entry of f but the special one, over all admissible data."""
        return self.high / self.total(1)

    def smallest_special(self) -> float:
        """Smallest f_j over all admissible data."""
        return self.special / self.total(self.others)

    def largest_special(self) -> float:
        """Largest f_j over all admissible data."""
        return self.special / self.total(0)

    def hoeffding(self, tau: float) -> float:
        """Bound on Pr[<f, sigma> >= tau] for every admissible data."""
        return math.exp(-(tau**2) / (2 * self.squares(self.worst())))


@lru_cache(maxsize=1 << 12)
def levels(n: int, kernel: str, dataset: int) -> Levels:
    """The levels of Definition 3.8 under one of the model's kernels."""
    multiples = np.array([regression.LOWER, regression.UPPER, regression.SPECIAL])
    # Up to a factor, so that the largest exponential is 1.
    taken_off = regression.SPECIAL if kernel == "exp" else 0.0
    u = regression.U[kernel](math.log(n) * (multiples - taken_off))
    low, high, special = u.tolist()
    return Levels(n, low, high, special if dataset else 0.0)


@lru_cache(maxsize=1 << 12)
def exceeds(data: Levels, at_high: int, tau: float) -> float:
    """Pr[<f, sigma> > tau] where so many of the others are at the upper end, exactly.

    A sum over the pluses among the upper entries, of tails over those among the lower ones; terms
    beyond 40 standard deviations are below 1e-300.
    """
    half, reach = at_high / 2, 20 * math.sqrt(at_high) + 1
    pluses = np.arange(max(0, math.floor(half - reach)), min(at_high, math.ceil(half + reach)) + 1)
    log_law = gammaln(at_high + 1) - gammaln(pluses + 1) - gammaln(at_high - pluses + 1)
    law = np.exp(log_law - at_high * math.log(2))
    lower = data.others - at_high
    threshold = tau * data.total(at_high) * (1 + 1e-12)
    probability = 0.0
    for sign in (-1, 1) if data.special else (0,):
        missing = threshold - sign * data.special - data.high * (2 * pluses - at_high)
        heads = np.floor((missing / data.low + lower) / 2) + 1
        inside = np.clip(heads, 1, max(lower, 1))
        tails = betainc(inside, lower - inside + 1, 0.5)
        tails = np.where(heads <= 0, 1.0, np.where(heads > lower, 0.0, tails))
        probability += float(law @ tails) / (2 if sign else 1)
    return probability


KERNEL = {"exp": "softmax", "linear": "linear"}
WORST = "worst admissible data"


def claim(
    name: str, statement: str, left: str, claimed: str,
    cells: Callable[[Setting], float], quantity: str = "", **rest,
) -> PaperClaim:  # fmt: skip
    """A claim on the regression model."""
    return PaperClaim(
        name, REGRESSION.name, f"{statement}.", left, claimed, cells, quantity, **rest
    )


def claims() -> list[PaperClaim]:
    """All claims on the regression model."""
    return [*_weights(), *_networks()]


def _weights() -> list[PaperClaim]:
    """Lemmas 3.1, 4.1 and 4.2: <f, sigma> and the entries of f."""
    of_d1 = partial(levels, kernel="exp", dataset=1)
    return [
        claim(
            "3.1", "A sum of bounded independent variables is rarely far from its mean",
            "Pr[|X − E X| ≥ t] / (2 exp(−2 t² / Σ (bᵢ − aᵢ)²))", "≤ 1", _tail_over_hoeffding,
            "largest ratio of the exact tail of n random signs to the bound, over 200 values of t",
            scope="sums of random signs",
        ),
        _deviation("4.1.P1", "linear", 0, "√n", 8),
        _entries("4.1.P1.entries", "linear", "≤ 1.4/n"),
        _deviation("4.1.P2", "exp", 0, "n^0.1", 2),
        _entries("4.1.P2.entries", "exp", "≤ n^(−0.6)"),
        claim(
            "4.2.P1",
            "With high probability the linear weights, under random signs, add up to at most a "
            "constant times √log(n/δ)/n on D1",
            "|⟨f_lin, σ⟩| ≤ C √log(n/δ) / n with probability ≥ 1 − δ/n, C", _constant(32),
            _printed_constant, "least C, exactly, where all other entries are equal",
            constant="least",
        ),
        _deviation("4.2.P1.sqrt", "linear", 1, "√n", 32),
        claim(
            "4.2.P1.entries", "Every linear weight on D1 is small",
            "f_lin,i", "≤ 4/(n+3)", lambda at: levels(at.n, "linear", 1).largest_special(),
            f"largest entry of f_lin on the {WORST}",
        ),
        claim(
            "4.2.P2", "Whatever the signs, the softmax weights do not cancel on D1",
            "|⟨f_exp, σ⟩|", "≥ 1/4", lambda at: 2 * of_d1(at.n).smallest_special() - 1,
            f"smallest |⟨f_exp, σ⟩| over all signs on the {WORST}", note=" with probability 1",
        ),
        claim(
            "4.2.P2.special", "The special softmax weight is at least one half",
            "f_exp,j ≥ n⁴ / (n^1.4 (n−1) + n⁴)", "≥ 1/2",
            lambda at: of_d1(at.n).smallest_special(), f"f_exp,j on the {WORST}",
        ),
        claim(
            "4.2.P2.others", "Every other softmax weight is tiny",
            "f_exp,i ≤ n^1.4 / (n (n−1) + n⁴)", "≤ n^(−2.6)",
            lambda at: of_d1(at.n).largest_other(),
            f"largest other entry of f_exp on the {WORST}", note=" for i ≠ j",
        ),
        claim(
            "4.2.P2.sum", "One half less all other softmax weights is at least one quarter",
            "1/2 − (n−1) n^(−2.6)", "≥ 1/4",
            lambda at: 0.5 - (at.n - 1) * of_d1(at.n).largest_other(),
            f"1/2 − (n−1) max fᵢ with the largest other entry of f_exp on the {WORST}",
            note=" for n ≥ 4",
        ),
        claim(
            "4.2.P3", "The sign of the special entry alone decides whether the sum is positive",
            "Pr[⟨f_exp, σ⟩ > 0] = Pr[⟨f_exp, σ⟩ < 0]", "= 1/2",
            lambda at: _sum_positive(of_d1(at.n)),
            f"Pr[⟨f_exp, σ⟩ > 0], exactly, on the {WORST}",
        ),
    ]  # fmt: skip


def _tail_over_hoeffding(setting: Setting) -> float:
    n = setting.n
    # Tails beyond exp(-200) say nothing more, and t must be a sum that occurs.
    heads = np.unique(np.linspace(n / 2, min(n, n / 2 + 10 * math.sqrt(n)), 200).astype(np.int64))
    t = 2.0 * heads - n
    heads, t = heads[t > 0], t[t > 0]
    tails = 2 * betainc(heads, n - heads + 1, 0.5)
    return float(np.max(tails / (2 * np.exp(-(t**2) / (2 * n)))))


def _constant(factor: int) -> str:
    """The C that Hoeffding's bound gives with the proof's n entries, twice the sum of whose squares
    is the factor over the square of the rate."""
    return f"≤ √({factor} (1 + log 2 / log(n/δ)))"


def _deviation(name: str, kernel: str, dataset: int, rate: str, factor: int) -> PaperClaim:
    """A bound on |<f, sigma>| for which Hoeffding needs some C; the proof's from n entries."""

    def cells(setting: Setting) -> float:
        data = levels(setting.n, kernel, dataset)
        logs = 1 + math.log(2) / setting.log_n_over_delta
        return math.sqrt(2 * data.squares(data.worst()) * logs) * formula(rate)({"n": setting.n})

    return claim(
        name,
        f"With high probability the {KERNEL[kernel]} weights, under random signs, add up to a "
        f"small number on D{dataset}",
        f"|⟨f, σ⟩| ≤ C √log(n/δ) / {rate} with probability ≥ 1 − δ/n, C", _constant(factor),
        cells, f"C that Hoeffding's bound needs on the {WORST}", constant="Hoeffding",
    )  # fmt: skip


def _entries(name: str, kernel: str, claimed: str) -> PaperClaim:
    return claim(
        name, f"Every {KERNEL[kernel]} weight on D0 is small", "|fᵢ|", claimed,
        lambda at: levels(at.n, kernel, 0).largest_other(), f"largest entry of f on the {WORST}",
    )  # fmt: skip


def _sum_positive(data: Levels) -> float:
    """Pr[<f, sigma> > 0] where all others are at the upper end.

    That it is 1/2 is no identity: by symmetry it falls short of it by half of Pr[<f, sigma> = 0],
    and ties occur as soon as the others together can weigh as much as the special entry.
    """
    lower = data.others
    needed = [math.floor((-sign * data.special / data.high + lower) / 2) + 1 for sign in (-1, 1)]
    return sum(heads_at_least(heads, lower) for heads in needed) / 2


def _printed_constant(setting: Setting) -> float:
    """Least C of Lemma 4.2, Part 1, where all other entries of Ax are equal: a quantile."""
    data = levels(setting.n, "linear", 1)
    ratio = data.special / data.low

    def fails(t: int) -> bool:
        """Whether |ratio sigma_j + sum of the other signs| > t too often."""
        needed = [math.floor((t - shift + data.others) / 2) + 1 for shift in (-ratio, ratio)]
        return (
            sum(heads_at_least(heads, data.others) for heads in needed)
            > setting.failure_probability
        )

    low, high = 0, setting.n + 3
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fails(middle) else (low, middle)
    rate = math.sqrt(setting.log_n_over_delta)
    return high * data.low / data.total(0) * setting.n / rate


Columns = Callable[[Setting], int]

COLUMNS: dict[str, tuple[Columns, str]] = {
    "": (
        lambda at: at.columns(least_constant(_special_column(at))),
        "m = C log(n/δ) and the least C of Lemma 5.2",
    ),
    ".m": (lambda at: at.m, "the m of Figure 3, panel a"),
}
"""How many, by the end of the claims' ids: the fewest for which F_exp is positive on D1 often
enough, or the experiments'."""


def _networks() -> list[PaperClaim]:
    """Lemmas 5.1 to 5.4: the networks on the two datasets."""
    positive = "The softmax network is positive on every data of D1 with high probability"
    return [
        *_zero("5.1", "exp", 0),
        claim(
            "5.2", positive, "Pr[F_exp(A) > 0] ≥ 1 − (1/2)^m ≥ 1 − δ/n with m = C log(n/δ), C",
            "≤ 1/log 2", lambda at: least_constant(_special_column(at)),
            f"least C that is enough on the {WORST}, exactly", constant="least",
        ),
        claim(
            "5.2.m", f"{positive}, with as many columns as the experiments have",
            "Pr[F_exp(A) = 0]", RARELY, lambda at: none_positive(_special_column(at), at.m),
            f"Pr[F_exp(A) = 0], exactly, on the {WORST}", note=" with the m of Figure 3, panel a",
        ),
        *_zero("5.3", "linear", 0),
        *_zero("5.4", "linear", 1),
    ]  # fmt: skip


def _special_column(setting: Setting) -> float:
    data = levels(setting.n, "exp", 1)
    # The others cannot turn the sign: at the upper end they come closest to it.
    lowest = 2 * data.smallest_special() - 1
    return 0.5 if lowest > setting.tau else exceeds(data, data.others, setting.tau)


def _zero(name: str, kernel: str, dataset: int) -> list[PaperClaim]:
    """A network is zero, with either number of columns: what refutes it, and what proves it."""
    statement = (
        f"The {KERNEL[kernel]} network is zero on every data of D{dataset} with high probability"
    )
    formula_of = f"Pr[{network_name(kernel)}(A) > 0]", RARELY
    found = []
    for part, (columns, words) in COLUMNS.items():
        of = {"kernel": kernel, "dataset": dataset, "columns": columns}
        note = f" with τ = 1/4, {words}"
        found += [
            claim(
                f"{name}{part}", statement, *formula_of, partial(_positive, **of),
                "Pr[F > 0], exactly, on data of about the largest variance: it refutes, and proves "
                "nothing of other data; where Hoeffding's bound suffices for all data, that bound",
                note=note,
            ),
            claim(
                f"{name}{part}.every", f"{statement}, by Hoeffding's bound on the {WORST}",
                *formula_of, partial(_at_most_positive, **of),
                "upper bound on Pr[F > 0] over all admissible data", note=note,
            ),
        ]  # fmt: skip
    return found


def _at_most_positive(setting: Setting, kernel: str, dataset: int, columns: Columns) -> float:
    data = levels(setting.n, kernel, dataset)
    return some_positive(data.hoeffding(setting.tau), columns(setting))


def _positive(setting: Setting, kernel: str, dataset: int, columns: Columns) -> float:
    above = _at_most_positive(setting, kernel, dataset, columns)
    if above <= setting.failure_probability:
        return above
    data = levels(setting.n, kernel, dataset)
    share = data.worst()
    # Tails are heaviest a little beyond the largest variance.
    counts = {math.floor(share), math.ceil(share), min(round(1.1 * share), data.others)}
    return max(
        some_positive(exceeds(data, at_high, setting.tau), columns(setting)) for at_high in counts
    )
