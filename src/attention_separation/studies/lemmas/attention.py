"""Sections D, E and F, and the theorems on them: self-attention and cross-attention, network by
network, from the entries of u and f to those of c, scores under random signs, and networks.

A *case* is one network: a kernel on a dataset. Of it the paper has four lemmas in a row, on u and
f, on c, on scores under random signs, and a theorem on the network. u are the attention weights
before normalising, f those after, and c the rows of attention's output; a *score* is the inner
product of a row of c with a column of random signs. tau is the threshold, s = sqrt(log n).
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

from ..softmax_vs_linear.models.attention import CROSS_ATTENTION_MODEL, SELF_ATTENTION_MODEL
from ..softmax_vs_linear.models.contest import CONTEST_OF_PAPER, IN_THE_PAPER, Network, network_name
from ..softmax_vs_linear.models.model import AttentionModel
from . import entries
from .claim import RARELY, PaperClaim, Setting
from .entries import ALL_TOKENS, OTHER_TOKENS, SPECIAL_TOKEN, Rows, claims_of_rows
from .lemma import NO_CONSTANT, Case, Lemma, chance_of_none, chance_of_some, least_constant

EXP_1 = Network("exp", 1)
EXP_0 = Network("exp", 0)
LINEAR_1 = Network("linear", 1)
LINEAR_0 = Network("linear", 0)

FREE_M = "for some m of the order of log(n/δ)"
OWN_M = "with as many columns as the experiments have"
PROOFS_CONSTANT = "≤ −1 / log 0.9"
"""Of columns that exceed tau with a chance of 1/10 each, as Lemmas D.4, E.3 and F.4 have it."""


def _threshold_text(case: Case) -> str:
    """The threshold of a case's model, as formulas print it."""
    return "τ" if case.model is CROSS_ATTENTION_MODEL else "(c+0.1) s"


def signs_separate(lemma: Lemma) -> list[PaperClaim]:
    """The claims of Lemmas D.4, E.3, F.4: the special token's score often reaches tau, the other
    tokens' scores rarely do."""
    special = lemma.claim(
        "P1",
        "With a constant chance the special token's score reaches the threshold",
        left=f"Pr[⟨c, σ⟩ ≥ {_threshold_text(lemma.case)}]",
        claimed="≥ 1/10",
        cells=lambda setting: lemma.case.row_chances(setting)[SPECIAL_TOKEN],
        note=" for the special row",
    )
    return [special, _others_stay_below(lemma)]


def _others_stay_below(lemma: Lemma) -> PaperClaim:
    """The claim that no score but the special token's reaches tau."""
    return lemma.claim(
        "P2",
        "With high probability no other token's score reaches the threshold",
        left=f"Pr[⟨c, σ⟩ ≥ {_threshold_text(lemma.case)}]",
        claimed=RARELY,
        cells=lambda setting: lemma.case.row_chances(setting)[OTHER_TOKENS],
        note=" for every other row",
    )


def others_at_least_a1(lemma: Lemma) -> PaperClaim:
    """The claim of Part 2 of Lemma D.4, evaluated at the least a1 that the dataset allows."""
    least = lemma.case.model.least_a1
    claim = _others_stay_below(lemma)
    return replace(
        claim,
        id=f"{claim.id}.at-{least:g}",
        note=f"{claim.note}, a₁ = {least:g}",
        cells=lambda setting: lemma.case.row_chances(replace(setting, a1=least))[OTHER_TOKENS],
        ranges=(),
    )


def signs_stay_below(lemma: Lemma) -> list[PaperClaim]:
    """The claims of Lemmas D.8, D.12, D.16, F.8, F.12, F.16: no token's score reaches tau in
    absolute value."""
    return [
        _stays_below(lemma, "P1", subject="the special token's", rows=SPECIAL_TOKEN),
        _stays_below(lemma, "P2", subject="any other token's", rows=OTHER_TOKENS),
    ]


def _stays_below(lemma: Lemma, part: str, subject: str, rows: slice) -> PaperClaim:
    """The claim that the scores of some rows, `subject` in words, stay below tau in absolute
    value."""

    def cells(setting: Setting) -> list[float]:
        """The probability of each row's score to reach tau in absolute value."""
        # Turning all signs turns the score: both tails are alike.
        return [2 * p for p in lemma.case.row_chances(setting)[rows]]

    return lemma.claim(
        part,
        f"With high probability {subject} score is below the threshold in absolute value",
        left=f"Pr[|⟨c, σ⟩| ≥ {_threshold_text(lemma.case)}]",
        claimed=RARELY,
        cells=cells,
        note=f" for {subject} row",
    )


def steps_of_proof(lemma: Lemma) -> list[PaperClaim]:
    """Two claims: the assumption of a lemma on signs, and the step of its proof that needs it.

    What is left below tau once the large coordinates are taken off is 0.1 s in self-attention and
    in the special row of Lemma F.4; the other lemmas on cross-attention have no large coordinate.
    """
    case = lemma.case
    is_cross = case.model is CROSS_ATTENTION_MODEL
    is_lemma_f4 = is_cross and case.kernel == "exp" and case.dataset == 1
    rows = SPECIAL_TOKEN if is_lemma_f4 else ALL_TOKENS

    def deviation(setting: Setting) -> list[float]:
        """Hoeffding's deviation of the small coordinates' sum, over s, of each row."""
        weights = case.attended(setting).rows
        squares = weights.own**2 + max(weights.classes - 2, 0) * weights.rest**2
        rate = 2 * math.log(2 / setting.failure_probability)
        return [math.sqrt(rate * square) / setting.s for square in squares[rows].tolist()]

    assumption = lemma.claim(
        "assumption",
        "Tokens per class times √d are of smaller order than n^0.99",
        left="t √d",
        claimed="= o(n^0.99)",
        at_parameters_alone=True,
    )
    step = lemma.claim(
        "hoeffding",
        "With high probability the small coordinates of classes add up to less than the large "
        "ones leave below the threshold",
        left="√(2 Σ cᵢ² log(2n/δ)) / s",
        claimed="≤ τ/s" if is_cross and not is_lemma_f4 else "≤ 0.1",
        cells=deviation,
        quantity="deviation over s that Hoeffding's bound gives the worst row",
    )
    return [assumption, step]


LARGEST_A1 = 4.0
"""Up to which a1 it is looked for where the special weight is one half."""

A1_STEP = 1e-6
"""How finely that a1 is told, at least."""


def half_weight_from(lemma: Lemma, least: float) -> PaperClaim:
    """The claim that a1 = `least` is enough for the special attention weight to be one half."""

    def above_half(a1: float, setting: Setting) -> float:
        """The special attention weight less one half, at some a1."""
        f = lemma.case.attended(replace(setting, a1=a1)).f[0, 0]
        return float(f - 0.5 * (1 - 1e-12))

    def threshold(setting: Setting) -> float:
        """The a1 at which the special weight is one half, rounded up to a step."""
        # The claimed value is an end of the bracket: rounding cannot carry the result across it.
        low = 0.0
        high = least
        if above_half(least, setting) < 0:
            low = least
            high = LARGEST_A1
        # To import it takes longer than most jobs that load this module.
        from scipy.optimize import brentq

        root = brentq(above_half, low, high, (setting,), xtol=1e-12)
        halvings = math.ceil(math.log2((high - low) / A1_STEP))
        step = (high - low) / 2**halvings
        return low + step * math.ceil((root - low) / step)

    return lemma.claim(
        f"P3a.from-{least:g}",
        f"An a₁ of {least:g} makes the special weight at least one half",
        left="least a₁ with f ≥ 1/2",
        claimed=f"≤ {least:g}",
        cells=threshold,
        at_parameters_alone=True,
        any_d=True,
    )


def network_positive(lemma: Lemma, note: str = "") -> list[PaperClaim]:
    """The claims of Theorems D.5, E.4, F.5: F_exp, the softmax network, is positive on D1 with
    m = O(log(n/delta)) columns of signs; for some such m, and for that of the experiments."""
    case = lemma.case
    statement = "The network is positive with high probability"
    with_free_m = lemma.claim(
        "",
        f"{statement}, {FREE_M}",
        left="Pr[F_exp > 0] ≥ 1 − δ/n with m = C log(n/δ), C",
        claimed=PROOFS_CONSTANT,
        cells=lambda setting: least_constant(case.column_chance(setting)),
        quantity="least C that is enough, from the exact chance of one column",
        note=note,
        constant="least",
    )
    with_own_m = lemma.claim(
        "m",
        f"{statement}, {OWN_M}",
        left="Pr[F_exp = 0]",
        claimed=RARELY,
        cells=lambda setting: chance_of_none(case.column_chance(setting), setting.m),
        note=f" with the m of the experiments{note}",
    )
    return [with_free_m, with_own_m]


def network_zero(lemma: Lemma) -> PaperClaim:
    """The claim of Theorems D.9, D.13, D.17, F.9, F.13, F.17: a network is zero."""
    case = lemma.case
    return lemma.claim(
        "",
        f"The network is zero with high probability, {OWN_M}",
        left=f"Pr[{network_name(case.kernel)} > 0]",
        claimed=RARELY,
        cells=lambda setting: chance_of_some(case.column_chance(setting), setting.m),
        note=" with the m of the experiments",
    )


SEPARATION = "With high probability F_exp is positive on D1 alone and F_lin is zero on both"
FOUR_CHANCES = "Pr[F_exp > 0] on D1, Pr[F_exp = 0] on D0, Pr[F_lin = 0] on D1 and D0: 1 − each"


Cases = dict[Network, Case]
"""The four cases of a model with one X."""


def separation_claims(name: str, cases: Cases, is_misprinted: bool = False) -> Iterator[PaperClaim]:
    """The claims of Theorems 1.1, 1.2, 6.2: F_exp separates the datasets, and F_lin, the linear
    network, is zero on both; of a theorem that is misprinted also what is printed."""
    fires = cases[EXP_1]
    silent = [case for network, case in cases.items() if network != EXP_1]
    lemma = Lemma(name, fires, on_network=False)

    def largest_false_positive(setting: Setting, m: int) -> float:
        """The largest probability that a network that should be zero is positive, with m
        columns."""
        return max(chance_of_some(case.column_chance(setting), m) for case in silent)

    def with_free_m(setting: Setting) -> float:
        """The largest probability that a network that should be zero is positive, with the fewest
        columns that make F_exp positive on D1 often enough; 1 if no number does."""
        constant = least_constant(fires.column_chance(setting))
        if constant == NO_CONSTANT:
            return 1.0
        return largest_false_positive(setting, setting.columns(constant))

    def with_own_m(setting: Setting) -> float:
        """The largest probability that one of the four networks fails, with the experiments' m."""
        missed = chance_of_none(fires.column_chance(setting), setting.m)
        return max(missed, largest_false_positive(setting, setting.m))

    def not_both(setting: Setting) -> float:
        """The probability that F_exp on D1 is not both positive and zero, which is 1."""
        p = fires.column_chance(setting)
        return chance_of_none(p, setting.m) + chance_of_some(p, setting.m)

    yield lemma.claim(
        "",
        f"{SEPARATION}, {FREE_M}",
        left=FOUR_CHANCES,
        claimed=RARELY,
        cells=with_free_m,
        quantity="largest Pr[F > 0] of the three networks that should be zero, "
        "with the fewest columns for which F_exp is positive on D1 often enough",
    )
    if is_misprinted:
        yield lemma.claim(
            "printed",
            "With high probability F_exp is both positive and zero on D1",
            left="F_exp(A₁) > 0, F_exp(A₁) = 0 for A₁ from D₁: Pr[not both]",
            claimed=RARELY,
            cells=not_both,
            quantity="Pr[not both]",
            at_parameters_alone=True,
        )
    yield lemma.claim(
        "m",
        f"{SEPARATION}, {OWN_M}",
        left=FOUR_CHANCES,
        claimed=RARELY,
        cells=with_own_m,
        quantity="largest of the four failure probabilities",
    )


def _cases(model: AttentionModel, attention_x: str) -> Cases:
    """The four cases of a model with X = `attention_x`, by network."""
    return {
        network: Case(model, network.kernel, network.dataset, attention_x)
        for network in CONTEST_OF_PAPER.networks
    }


CASES_WITH_ONES = _cases(SELF_ATTENTION_MODEL, "ones")
CASES_WITH_IDENTITY = _cases(SELF_ATTENTION_MODEL, "identity")
CROSS_CASES = _cases(CROSS_ATTENTION_MODEL, "identity")

LOST = "; conditions on the parameters are lost, perhaps a₁ ≥ 1 is one"
"""What is said of Theorem E.4: three more conditions stand before its datasets than in D.5."""


def _network_claims(
    section: str,
    first: int,
    case: Case,
    *,
    weights: Rows,
    values: Rows,
    half_from_a1: Sequence[float] = (),
    is_read_at_least_a1: bool = False,
    note: str = "",
) -> Iterator[PaperClaim]:
    """The claims of the four lemmas on one network: on u and f, on c, on signs and on the network.

    section, first : their numbers are section.first and the next three
    weights, values : the rows of entries.py on u and f, and those on c
    half_from_a1 : the a1 from which on the special weight may be claimed to be one half
    is_read_at_least_a1 : whether the lemma on signs is read with the least a1, too
    note : on the theorem
    """
    on_weights = Lemma(f"{section}.{first}", case)
    on_values = Lemma(f"{section}.{first + 1}", case)
    on_signs = Lemma(f"{section}.{first + 2}", case)
    theorem = Lemma(f"{section}.{first + 3}", case)
    yield from claims_of_rows(on_weights, weights)
    for least in half_from_a1:
        yield half_weight_from(on_weights, least)
    yield from claims_of_rows(on_values, values)
    if (case.kernel, case.dataset) == EXP_1:
        yield from signs_separate(on_signs)
        yield from steps_of_proof(on_signs)
        if is_read_at_least_a1:
            yield others_at_least_a1(on_signs)
        yield from network_positive(theorem, note)
    else:
        yield from signs_stay_below(on_signs)
        yield from steps_of_proof(on_signs)
        yield network_zero(theorem)


def _left_out_claims(case: Case) -> Iterator[PaperClaim]:
    """The claims of the four lemmas on a network that section E leaves out."""
    name = f"E.D{case.dataset}-{IN_THE_PAPER[case.kernel]}"
    for part, rows in entries.LEFT_OUT_ROWS[case.kernel].items():
        yield from claims_of_rows(Lemma(f"{name}.{part}", case), rows)
    yield from signs_stay_below(Lemma(f"{name}.sign", case))
    yield network_zero(Lemma(f"{name}.zero", case))


def self_attention() -> Iterator[PaperClaim]:
    """All claims on self-attention, in the order of the paper's sections."""
    yield from _network_claims(
        "D",
        2,
        CASES_WITH_ONES[EXP_1],
        weights=entries.D2,
        values=entries.D3,
        half_from_a1=[0.7],
        is_read_at_least_a1=True,
    )
    yield from _network_claims(
        "D", 6, CASES_WITH_ONES[EXP_0], weights=entries.D6, values=entries.D7
    )
    yield from _network_claims(
        "D", 10, CASES_WITH_ONES[LINEAR_1], weights=entries.D10, values=entries.D11
    )
    yield from _network_claims(
        "D", 14, CASES_WITH_ONES[LINEAR_0], weights=entries.D10, values=entries.D11
    )
    yield from _network_claims(
        "E",
        1,
        CASES_WITH_IDENTITY[EXP_1],
        weights=entries.E1,
        values=entries.D3,
        half_from_a1=[0.7, 1.0],
        note=LOST,
    )
    yield from _left_out_claims(CASES_WITH_IDENTITY[EXP_0])
    yield from _left_out_claims(CASES_WITH_IDENTITY[LINEAR_1])
    yield from _left_out_claims(CASES_WITH_IDENTITY[LINEAR_0])
    yield from separation_claims("1.1", CASES_WITH_ONES)
    yield from separation_claims("1.1.identity", CASES_WITH_IDENTITY)
    yield from separation_claims("6.2", CASES_WITH_ONES, is_misprinted=True)


def cross_attention() -> Iterator[PaperClaim]:
    """All claims on cross-attention, in the order of the paper's sections."""
    yield from _network_claims(
        "F", 2, CROSS_CASES[EXP_1], weights=entries.F2, values=entries.F3, half_from_a1=[0.7, 1.0]
    )
    yield from _network_claims("F", 6, CROSS_CASES[EXP_0], weights=entries.F6, values=entries.F7)
    yield from _network_claims(
        "F", 10, CROSS_CASES[LINEAR_1], weights=entries.F10, values=entries.F11
    )
    yield from _network_claims(
        "F", 14, CROSS_CASES[LINEAR_0], weights=entries.F10, values=entries.F11
    )
    yield from separation_claims("1.2", CROSS_CASES)
