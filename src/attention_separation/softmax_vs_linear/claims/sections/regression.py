"""Sections 3 and 4: Hoeffding's bound, and Lemmas 4.1 and 4.2 on softmax regression."""

import math
from functools import partial

import numpy as np
from scipy.special import betainc

from ..claim import Claim, Setting
from ..law import heads_at_least
from ..two_levels import Levels, levels
from . import regression_networks
from .regression_networks import KERNEL, WORST, regression_claim


def claims() -> list[Claim]:
    """All claims on the regression model."""
    return [_hoeffding(), *_lemma_41(), *_lemma_42(), *regression_networks.claims()]


def _hoeffding() -> Claim:
    return regression_claim(
        "3.1",
        "Lemma 3.1",
        "A sum of bounded independent variables is rarely far from its mean.",
        "Pr[|X − E X| ≥ t] ≤ 2 exp(−2 t² / Σ (bᵢ − aᵢ)²)",
        "largest ratio of the exact tail of n random signs to the bound, over 200 values of t",
        relation="at most",
        cells=_tail_over_hoeffding,
        bound=lambda setting: 1.0,
        scope="sums of random signs",
    )


def _tail_over_hoeffding(setting: Setting) -> float:
    n = setting.n
    # Tails beyond exp(-200) say nothing more, and t must be a sum that occurs.
    heads = np.unique(np.linspace(n / 2, min(n, n / 2 + 10 * math.sqrt(n)), 200).astype(np.int64))
    t = 2.0 * heads - n
    heads, t = heads[t > 0], t[t > 0]
    tails = 2 * betainc(heads, n - heads + 1, 0.5)
    return float(np.max(tails / (2 * np.exp(-(t**2) / (2 * n)))))


def _rate(setting: Setting) -> float:
    return math.sqrt(setting.log_n_over_delta)


def _hoeffding_constant(squares: float, scale: float, setting: Setting) -> float:
    """C for which Hoeffding gives |<f, sigma>| <= C sqrt(log(n/delta)) scale but for delta/n."""
    logs = 1 + math.log(2) / setting.log_n_over_delta
    return math.sqrt(2 * squares * logs) / scale


def _deviation(
    name: str, place: str, kernel: str, dataset: int, scale, scale_text: str, entry
) -> Claim:
    """A bound on |<f, sigma>| for which Hoeffding needs some C; the proof's from n entries."""
    return regression_claim(
        name,
        place,
        f"With high probability the {KERNEL[kernel]} weights, under random signs, add up to a "
        f"small number on D{dataset}.",
        f"|⟨f, σ⟩| ≤ C √log(n/δ) {scale_text} with probability ≥ 1 − δ/n",
        f"C that Hoeffding's bound needs on the {WORST}",
        relation="at most",
        cells=lambda setting: _hoeffding_constant(
            _worst_squares(setting, kernel, dataset), scale(setting), setting
        ),
        bound=lambda setting: _hoeffding_constant(
            setting.n * entry(setting) ** 2, scale(setting), setting
        ),
        constant="Hoeffding",
    )


def _worst_squares(setting: Setting, kernel: str, dataset: int) -> float:
    data = levels(setting.n, kernel, dataset)
    return data.squares(data.worst())


def _lemma_41() -> list[Claim]:
    place = "Lemma 4.1"
    return [
        _deviation(
            "4.1.P1",
            f"{place}, Part 1",
            "linear",
            0,
            lambda setting: setting.n**-0.5,
            "/ √n",
            lambda setting: 2 / setting.n,
        ),
        _entries("4.1.P1.entries", f"{place}, proof of Part 1", "linear", "1.4/n", _lin_entry),
        _deviation(
            "4.1.P2",
            f"{place}, Part 2",
            "exp",
            0,
            lambda setting: setting.n**-0.1,
            "/ n^0.1",
            _exp_entry,
        ),
        _entries("4.1.P2.entries", f"{place}, proof of Part 2", "exp", "n^(−0.6)", _exp_entry),
    ]


def _lin_entry(setting: Setting) -> float:
    return 1.4 / setting.n


def _exp_entry(setting: Setting) -> float:
    return setting.n**-0.6


def _entries(name: str, place: str, kernel: str, text: str, bound) -> Claim:
    return regression_claim(
        name,
        place,
        f"Every {KERNEL[kernel]} weight on D0 is small.",
        f"|fᵢ| ≤ {text}",
        f"largest entry of f on the {WORST}",
        relation="at most",
        cells=lambda setting: levels(setting.n, kernel, 0).largest_other(),
        bound=bound,
    )


def _lemma_42() -> list[Claim]:
    place = "Lemma 4.2"
    special = partial(levels, kernel="exp", dataset=1)
    linear = partial(levels, kernel="linear", dataset=1)
    return [
        regression_claim(
            "4.2.P1",
            f"{place}, Part 1, as printed",
            "With high probability the linear weights, under random signs, add up to at most a "
            "constant times √log(n/δ)/n on D1.",
            "|⟨f_lin, σ⟩| ≤ C √log(n/δ) / n with probability ≥ 1 − δ/n",
            "least C, exactly, where all other entries are equal",
            relation="at most",
            cells=_printed_constant,
            bound=lambda setting: _hoeffding_constant(16 / setting.n, setting.n**-0.5, setting),
            constant="least",
        ),
        _deviation(
            "4.2.P1.sqrt",
            f"{place}, Part 1, read with √n for n",
            "linear",
            1,
            lambda setting: setting.n**-0.5,
            "/ √n",
            lambda setting: 4 / setting.n,
        ),
        regression_claim(
            "4.2.P1.entries",
            f"{place}, proof of Part 1",
            "Every linear weight on D1 is small.",
            "|f_lin,i| ≤ 4/(n+3) ≤ 4/n",
            f"largest entry of f_lin on the {WORST}",
            relation="at most",
            cells=lambda setting: linear(setting.n).special / linear(setting.n).total(0),
            bound=lambda setting: 4 / (setting.n + 3),
        ),
        regression_claim(
            "4.2.P2",
            f"{place}, Part 2",
            "Whatever the signs, the softmax weights do not cancel on D1.",
            "|⟨f_exp, σ⟩| ≥ 1/4 with probability 1",
            f"smallest |⟨f_exp, σ⟩| over all signs on the {WORST}",
            relation="at least",
            cells=lambda setting: 2 * special(setting.n).smallest_special() - 1,
            bound=lambda setting: 0.25,
        ),
        regression_claim(
            "4.2.P2.special",
            f"{place}, proof of Part 2",
            "The special softmax weight is at least one half.",
            "f_exp,j ≥ n⁴ / (n^1.4 (n−1) + n⁴) ≥ 1/2",
            f"f_exp,j on the {WORST}",
            relation="at least",
            cells=lambda setting: special(setting.n).smallest_special(),
            bound=lambda setting: 0.5,
        ),
        regression_claim(
            "4.2.P2.others",
            f"{place}, proof of Part 2",
            "Every other softmax weight is tiny.",
            "f_exp,i ≤ n^1.4 / (n (n−1) + n⁴) ≤ n^(−2.6) for i ≠ j",
            f"largest other entry of f_exp on the {WORST}",
            relation="at most",
            cells=lambda setting: special(setting.n).largest_other(),
            bound=lambda setting: setting.n**-2.6,
        ),
        regression_claim(
            "4.2.P2.sum",
            f"{place}, proof of Part 2",
            "One half less all other softmax weights is at least one quarter.",
            "1/2 − (n−1) n^(−2.6) ≥ 1/4 for n ≥ 4",
            f"1/2 − (n−1) max fᵢ with the largest other entry of f_exp on the {WORST}",
            relation="at least",
            cells=lambda setting: 0.5 - (setting.n - 1) * special(setting.n).largest_other(),
            bound=lambda setting: 0.25,
        ),
        regression_claim(
            "4.2.P3",
            f"{place}, Part 3",
            "The sign of the special entry alone decides whether the sum is positive.",
            "Pr[⟨f_exp, σ⟩ > 0] = Pr[⟨f_exp, σ⟩ < 0] = 1/2",
            f"Pr[⟨f_exp, σ⟩ > 0], exactly, on the {WORST}",
            relation="equal",
            cells=lambda setting: _positive(special(setting.n)),
            bound=lambda setting: 0.5,
        ),
    ]


def _positive(data: Levels) -> float:
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
        return sum(heads_at_least(heads, data.others) for heads in needed) > setting.rare

    low, high = 0, setting.n + 3
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fails(middle) else (low, middle)
    return high * data.low / data.total(0) * setting.n / _rate(setting)
