"""What both attention models claim of scores under random signs, and of whole networks."""

import math
from dataclasses import replace
from functools import partial

from ...models.contest import network_name
from ...models.cross_attention import CROSS_ATTENTION
from ..attended import Case
from ..claim import Claim, Setting
from ..law import least_constant, none_positive, row_at_least, some_positive
from ..lemma import SPECIAL, Lemma

PROOFS_CHANCE = 0.1
"""Chance that one column exceeds tau, as Lemmas D.4, E.3 and F.4 have it."""


def reaches(setting: Setting, case: Case, rows: slice) -> list[float]:
    """Pr[<c_j0, sigma> >= tau] of the distinct rows of a case, exactly."""
    of = case.attended(setting).rows
    tau = case.theta(setting) * setting.s
    return [row_at_least(of, k, tau, setting.s) for k in range(len(of.first))[rows]]


def _tau(case: Case) -> str:
    return "τ" if case.model is CROSS_ATTENTION else "(c+0.1) s"


def signs_separate(lemma: Lemma) -> list[Claim]:
    """Lemmas D.4, E.3, F.4: the special token's row often reaches tau, the others never do."""
    case, tau = lemma.case, _tau(lemma.case)
    return [
        lemma.claim(
            "P1",
            f"With a constant chance the special token's score reaches the threshold "
            f"({lemma.network}).",
            f"Pr[⟨c, σ⟩ ≥ {tau}] ≥ 1/10 for the special row",
            "Pr[⟨c, σ⟩ ≥ τ] of the special token's row, exactly",
            "at least",
            partial(reaches, case=case, rows=SPECIAL),
            lambda setting: PROOFS_CHANCE,
        ),
        lemma.claim(
            "P2",
            f"With high probability no other token's score reaches the threshold "
            f"({lemma.network}).",
            f"Pr[⟨c, σ⟩ < {tau}] ≥ 1 − δ/n for every other row",
            "largest Pr[⟨c, σ⟩ ≥ τ] of any other row, exactly",
            "at most",
            lambda setting: reaches(setting, case, slice(1, None)),
            lambda setting: setting.rare,
        ),
        *proof(lemma),
    ]


def others_at_least_a1(lemma: Lemma, least: float) -> Claim:
    """Part 2 of Lemma D.4 at the least a1 that the dataset allows."""
    return lemma.claim(
        f"P2.at-{least:g}",
        f"With high probability no other token's score reaches the threshold where a₁ is {least:g} "
        f"({lemma.network}).",
        f"Pr[⟨c, σ⟩ < (c+0.1) s] ≥ 1 − δ/n for every other row, a₁ = {least:g}",
        "largest Pr[⟨c, σ⟩ ≥ τ] of any other row, exactly",
        "at most",
        lambda setting: reaches(replace(setting, a1=least), lemma.case, slice(1, None)),
        lambda setting: setting.rare,
        ranges=(),
    )


def signs_stay_below(lemma: Lemma) -> list[Claim]:
    """Lemmas D.8, D.12, D.16, F.8, F.12, F.16: no token's score reaches tau in absolute value."""
    found = []
    for part, whose, rows in (
        ("P1", "the special token's", SPECIAL),
        ("P2", "any other token's", slice(1, None)),
    ):
        found.append(
            lemma.claim(
                part,
                f"With high probability {whose} score stays below the threshold in absolute value "
                f"({lemma.network}).",
                f"Pr[|⟨c, σ⟩| < {_tau(lemma.case)}] ≥ 1 − δ/n",
                f"Pr[|⟨c, σ⟩| ≥ τ] of {whose} row, exactly",
                "at most",
                # Turning all signs turns the score: both tails are alike.
                lambda setting, rows=rows: [2 * p for p in reaches(setting, lemma.case, rows)],
                lambda setting: setting.rare,
            )
        )
    return found


def proof(lemma: Lemma) -> list[Claim]:
    """The assumption of a sign lemma, and the step of its proof that needs it.

    What is left below tau once the large coordinates are taken off is 0.1 s in self-attention and
    in the special row of Lemma F.4; the other lemmas on cross-attention have no large coordinate.
    """
    case = lemma.case
    cross = case.model is CROSS_ATTENTION
    two_large = cross and case.kernel == "exp" and case.dataset == 1
    rows = SPECIAL if two_large else slice(None)
    whole = cross and not two_large

    def deviation(setting: Setting) -> list[float]:
        of = case.attended(setting).rows
        squares = of.own**2 + max(of.classes - 2, 0) * of.rest**2
        rate = 2 * math.log(2 / setting.rare)
        return [math.sqrt(rate * square) / setting.s for square in squares[rows].tolist()]

    return [
        lemma.claim(
            "assumption",
            f"Tokens per class times √d are of smaller order than n^0.99 ({lemma.network}).",
            "t √d = o(n^0.99)",
            "t √d, against n^0.99",
            "ratio",
            lambda setting: setting.n / case.model.classes(setting.d) * math.sqrt(setting.d),
            lambda setting: setting.n**0.99,
            ranges=(),
        ),
        lemma.claim(
            "hoeffding",
            "With high probability the small Type II coordinates add up to less than the large "
            f"ones leave below the threshold ({lemma.network}).",
            f"√(2 Σ cᵢ² log(2n/δ)) ≤ {'τ' if whole else '0.1 s'}",
            "deviation over s that Hoeffding's bound gives the unmarked classes, worst row",
            "at most",
            deviation,
            lambda setting: setting.theta if whole else 0.1,
        ),
    ]


def half_from(lemma: Lemma, part: str, least: float) -> Claim:
    """From which a1 on the special weight is at least one half, at one size."""

    def reached(setting: Setting, a1: float) -> bool:
        f = lemma.case.attended(replace(setting, a1=a1)).f[0, 0]
        return f >= 0.5 * (1 - 1e-12)

    def threshold(setting: Setting) -> float:
        # The claimed value is an end of the bracket: rounding cannot carry the result across it.
        low, high = (0.0, least) if reached(setting, least) else (least, 4.0)
        while high - low > 1e-6:
            middle = (low + high) / 2
            low, high = (low, middle) if reached(setting, middle) else (middle, high)
        return high

    return lemma.claim(
        f"{part}.from-{least:g}",
        f"An a₁ of {least:g} is enough for the special weight to be at least one half "
        f"({lemma.network}).",
        f"f ≥ 1/2 if a₁ ≥ {least:g}",
        "least a₁ with f ≥ 1/2, by bisection",
        "at most",
        threshold,
        lambda setting: least,
        ranges=(),
    )


def network_positive(lemma: Lemma, aside: str = "") -> list[Claim]:
    """Theorems D.5, E.4, F.5: F_exp is positive on D1 with m = O(log(n/delta)) columns."""
    case = lemma.case
    statement = f"The network is positive with high probability ({lemma.network})"
    whole = f"{aside}." if aside else "."
    return [
        lemma.claim(
            "",
            f"{statement}, for some m of the order of log(n/δ){whole}",
            "Pr[F_exp > 0] ≥ 1 − δ/n with m = C log(n/δ)",
            "least C that is enough, from the exact chance of one column",
            "at most",
            lambda setting: least_constant(case.column(setting)),
            # The constant that the proof's chance of 1/10 per column would give.
            lambda setting: least_constant(PROOFS_CHANCE),
            constant="least",
        ),
        lemma.claim(
            "m",
            f"{statement}, with as many columns as the experiments have{whole}",
            "Pr[F_exp = 0] ≤ δ/n with the m of the experiments",
            "Pr[F_exp = 0], exactly",
            "at most",
            lambda setting: none_positive(case.column(setting), setting.m),
            lambda setting: setting.rare,
        ),
    ]


def network_zero(lemma: Lemma) -> list[Claim]:
    """Theorems D.9, D.13, D.17, F.9, F.13, F.17: a network is zero."""
    case = lemma.case
    return [
        lemma.claim(
            "",
            f"The network is zero with high probability ({lemma.network}), with as many columns "
            "as the experiments have.",
            f"Pr[{network_name(case.kernel)} > 0] ≤ δ/n with the m of the experiments",
            "Pr[F > 0] over all tokens and columns, exactly",
            "at most",
            lambda setting: some_positive(case.column(setting), setting.m),
            lambda setting: setting.rare,
        )
    ]
