"""Sections D, E and F, and the theorems on them: self-attention and cross-attention, network by
network, from the entries of u and f to those of c, scores under random signs, and networks."""

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from scipy.optimize import brentq

from ..models.attention import CROSS_ATTENTION, SELF_ATTENTION
from ..models.contest import IN_THE_PAPER, PAPERS, network_name
from ..models.model import AttentionModel
from . import entries
from .claim import RARELY, PaperClaim, Setting
from .entries import ALL, OTHERS, SPECIAL, Rows, parts
from .lemma import NEVER, Case, Lemma, least_constant, none_positive, some_positive

FREE_M = "for some m of the order of log(n/δ)"
OWN_M = "with as many columns as the experiments have"
PROOFS_CONSTANT = "≤ −1 / log 0.9"
"""Of columns that exceed tau with a chance of 1/10 each, as Lemmas D.4, E.3 and F.4 have it."""


def _tau(case: Case) -> str:
    return "τ" if case.model is CROSS_ATTENTION else "(c+0.1) s"


def signs_separate(lemma: Lemma) -> list[PaperClaim]:
    """Lemmas D.4, E.3, F.4: the special token's row often reaches tau, the others never do."""
    return [
        lemma.claim(
            "P1", "With a constant chance the special token's score reaches the threshold",
            f"Pr[⟨c, σ⟩ ≥ {_tau(lemma.case)}]", "≥ 1/10",
            lambda setting: lemma.case.reach(setting)[SPECIAL], note=" for the special row",
        ),
        lemma.claim(
            "P2", "With high probability no other token's score reaches the threshold",
            f"Pr[⟨c, σ⟩ ≥ {_tau(lemma.case)}]", RARELY,
            lambda setting: lemma.case.reach(setting)[OTHERS], note=" for every other row",
        ),
        *proof(lemma),
    ]  # fmt: skip


def at_least_a1(claim: PaperClaim, least: float) -> PaperClaim:
    """A claim at the least a1 that the dataset allows."""
    return replace(
        claim,
        id=f"{claim.id}.at-{least:g}",
        note=f"{claim.note}, a₁ = {least:g}",
        cells=lambda setting: claim.cells(replace(setting, a1=least)),
        ranges=(),
    )


def signs_stay_below(lemma: Lemma) -> list[PaperClaim]:
    """Lemmas D.8, D.12, D.16, F.8, F.12, F.16: no token's score reaches tau in absolute value."""

    def cells(setting: Setting, rows: slice) -> list[float]:
        # Turning all signs turns the score: both tails are alike.
        return [2 * p for p in lemma.case.reach(setting)[rows]]

    return [
        lemma.claim(
            part, f"With high probability {subject} score is below the threshold in absolute value",
            f"Pr[|⟨c, σ⟩| ≥ {_tau(lemma.case)}]", RARELY, partial(cells, rows=rows),
            note=f" for {subject} row",
        )
        for part, subject, rows in (
            ("P1", "the special token's", SPECIAL), ("P2", "any other token's", OTHERS)
        )
    ]  # fmt: skip


def proof(lemma: Lemma) -> list[PaperClaim]:
    """The assumption of a sign lemma, and the step of its proof that needs it.

    What is left below tau once the large coordinates are taken off is 0.1 s in self-attention and
    in the special row of Lemma F.4; the other lemmas on cross-attention have no large coordinate.
    """
    case = lemma.case
    cross = case.model is CROSS_ATTENTION
    two_large = cross and case.kernel == "exp" and case.dataset == 1
    rows = SPECIAL if two_large else ALL

    def deviation(setting: Setting) -> list[float]:
        of = case.attended(setting).rows
        squares = of.own**2 + max(of.classes - 2, 0) * of.rest**2
        rate = 2 * math.log(2 / setting.failure_probability)
        return [math.sqrt(rate * square) / setting.s for square in squares[rows].tolist()]

    return [
        lemma.claim(
            "assumption", "Tokens per class times √d are of smaller order than n^0.99",
            "t √d", "= o(n^0.99)", ranges=(),
        ),
        lemma.claim(
            "hoeffding",
            "With high probability the small coordinates of classes add up to less than the large "
            "ones leave below the threshold",
            "√(2 Σ cᵢ² log(2n/δ)) / s", "≤ τ/s" if cross and not two_large else "≤ 0.1",
            deviation, quantity="deviation over s that Hoeffding's bound gives the worst row",
        ),
    ]  # fmt: skip


def half_from(lemma: Lemma, least: float) -> PaperClaim:
    """From which a1 on the special weight is at least one half, at one size."""

    def above_half(a1: float, setting: Setting) -> float:
        f = lemma.case.attended(replace(setting, a1=a1)).f[0, 0]
        return f - 0.5 * (1 - 1e-12)

    def threshold(setting: Setting) -> float:
        # The claimed value is an end of the bracket: rounding cannot carry the result across it.
        low, high = (0.0, least) if above_half(least, setting) >= 0 else (least, 4.0)
        root = brentq(above_half, low, high, (setting,), xtol=1e-12)
        step = (high - low) / 2 ** math.ceil(math.log2((high - low) / 1e-6))
        return low + step * math.ceil((root - low) / step)

    return lemma.claim(
        f"P3a.from-{least:g}", f"An a₁ of {least:g} makes the special weight at least one half",
        "least a₁ with f ≥ 1/2", f"≤ {least:g}", threshold, ranges=(), any_d=True,
    )  # fmt: skip


def network_positive(lemma: Lemma, note: str = "") -> list[PaperClaim]:
    """Theorems D.5, E.4, F.5: F_exp is positive on D1 with m = O(log(n/delta)) columns."""
    column = lemma.case.column
    statement = "The network is positive with high probability"
    return [
        lemma.claim(
            "", f"{statement}, {FREE_M}",
            "Pr[F_exp > 0] ≥ 1 − δ/n with m = C log(n/δ), C", PROOFS_CONSTANT,
            lambda setting: least_constant(column(setting)), note=note, constant="least",
            quantity="least C that is enough, from the exact chance of one column",
        ),
        lemma.claim(
            "m", f"{statement}, {OWN_M}", "Pr[F_exp = 0]", RARELY,
            lambda setting: none_positive(column(setting), setting.m),
            note=f" with the m of the experiments{note}",
        ),
    ]  # fmt: skip


def network_zero(lemma: Lemma) -> list[PaperClaim]:
    """Theorems D.9, D.13, D.17, F.9, F.13, F.17: a network is zero."""
    case = lemma.case
    return [
        lemma.claim(
            "", f"The network is zero with high probability, {OWN_M}",
            f"Pr[{network_name(case.kernel)} > 0]", RARELY,
            lambda setting: some_positive(case.column(setting), setting.m),
            note=" with the m of the experiments",
        )
    ]  # fmt: skip


SEPARATES = "With high probability F_exp is positive on D1 alone and F_lin is zero on both"
ALL_FOUR = "Pr[F_exp > 0] on D1, Pr[F_exp = 0] on D0, Pr[F_lin = 0] on D1 and D0: 1 − each"


def separates(name: str, cases: dict[tuple[str, int], Case]) -> list[PaperClaim]:
    """Theorems 1.1, 1.2, 6.2: F_exp separates the datasets, and F_lin is zero on both."""
    special = cases["exp", 1]
    others = [cases[key] for key in PAPERS.networks if key != ("exp", 1)]
    lemma = Lemma(name, special, on_network=False)

    def worst(setting: Setting, m: int) -> float:
        return max(some_positive(case.column(setting), m) for case in others)

    def with_free_m(setting: Setting) -> float:
        constant = least_constant(special.column(setting))
        return 1.0 if constant == NEVER else worst(setting, setting.columns(constant))

    def with_own_m(setting: Setting) -> float:
        missed = none_positive(special.column(setting), setting.m)
        return max(missed, worst(setting, setting.m))

    def not_both(setting: Setting) -> float:
        p = special.column(setting)
        return none_positive(p, setting.m) + some_positive(p, setting.m)

    found = [
        lemma.claim(
            "", f"{SEPARATES}, {FREE_M}", ALL_FOUR, RARELY,
            with_free_m, quantity="largest Pr[F > 0] of the three networks that should be zero, "
            "with the fewest columns for which F_exp is positive on D1 often enough",
        ),
        lemma.claim(
            "m", f"{SEPARATES}, {OWN_M}", ALL_FOUR, RARELY,
            with_own_m, quantity="largest of the four failure probabilities",
        ),
    ]  # fmt: skip
    if name == "6.2":
        printed = lemma.claim(
            "printed", "With high probability F_exp is both positive and zero on D1",
            "F_exp(A₁) > 0, F_exp(A₁) = 0 for A₁ from D₁: Pr[not both]", RARELY,
            not_both, quantity="Pr[not both]", ranges=(),
        )  # fmt: skip
        found.insert(1, printed)
    return found


def _cases(model: AttentionModel, attention_x: str) -> dict[tuple[str, int], Case]:
    return {key: Case(model, *key, attention_x) for key in PAPERS.networks}


ONES, IDENTITY = _cases(SELF_ATTENTION, "ones"), _cases(SELF_ATTENTION, "identity")
CROSS = _cases(CROSS_ATTENTION, "identity")

LOST = "; conditions on the parameters are lost, perhaps a₁ ≥ 1 is one"
"""What is said of Theorem E.4: three more conditions stand before its datasets than in D.5."""


def _network(
    section: str, first: int, case: Case, rows: tuple[Rows, Rows], a1: tuple[float, ...] = (),
    note: str = "",
) -> Iterator[PaperClaim]:  # fmt: skip
    """The four lemmas on one network: on u and f, on c, on signs and on the network. `a1`: from
    which a1 on the special weight may be claimed to be one half; `note`: on the theorem."""
    weights, values, signs, theorem = (Lemma(f"{section}.{first + k}", case) for k in range(4))
    yield from parts(weights, rows[0])
    yield from (half_from(weights, least) for least in a1)
    yield from parts(values, rows[1])
    if (case.kernel, case.dataset) == ("exp", 1):
        found = signs_separate(signs)
        yield from found
        if section == "D":
            yield at_least_a1(found[1], case.model.least_a1)
        yield from network_positive(theorem, note)
    else:
        yield from signs_stay_below(signs)
        yield from proof(signs)
        yield from network_zero(theorem)


def self_attention() -> Iterator[PaperClaim]:
    """All claims on self-attention."""
    yield from _network("D", 2, ONES["exp", 1], (entries.D2, entries.D3), (0.7,))
    yield from _network("D", 6, ONES["exp", 0], (entries.D6, entries.D7))
    yield from _network("D", 10, ONES["linear", 1], (entries.D10, entries.D11))
    yield from _network("D", 14, ONES["linear", 0], (entries.D10, entries.D11))
    yield from _network("E", 1, IDENTITY["exp", 1], (entries.E1, entries.D3), (0.7, 1.0), LOST)
    for kernel, dataset in (("exp", 0), ("linear", 1), ("linear", 0)):
        name, case = f"E.D{dataset}-{IN_THE_PAPER[kernel]}", IDENTITY[kernel, dataset]
        for part, rows in entries.LEFT_OUT[kernel].items():
            yield from parts(Lemma(f"{name}.{part}", case), rows)
        yield from signs_stay_below(Lemma(f"{name}.sign", case))
        yield from network_zero(Lemma(f"{name}.zero", case))
    yield from separates("1.1", ONES)
    yield from separates("1.1.identity", IDENTITY)
    yield from separates("6.2", ONES)


def cross_attention() -> Iterator[PaperClaim]:
    """All claims on cross-attention."""
    yield from _network("F", 2, CROSS["exp", 1], (entries.F2, entries.F3), (0.7, 1.0))
    yield from _network("F", 6, CROSS["exp", 0], (entries.F6, entries.F7))
    yield from _network("F", 10, CROSS["linear", 1], (entries.F10, entries.F11))
    yield from _network("F", 14, CROSS["linear", 0], (entries.F10, entries.F11))
    yield from separates("1.2", CROSS)
