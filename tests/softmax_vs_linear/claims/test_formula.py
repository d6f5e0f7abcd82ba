"""Formulas as they are printed are those that are computed."""

import math

import pytest
from claim_cases import JOB

from attention_separation.softmax_vs_linear.claims.claim import setting_of
from attention_separation.softmax_vs_linear.claims.evaluation import all_claims
from attention_separation.softmax_vs_linear.claims.formula import formula
from attention_separation.softmax_vs_linear.models import MODELS

N, A, B, C, S, T, DELTA = 200, 1.2, 0.2, 0.8, 2.3, 10.0, 0.01
LETTERS = {"n": N, "a1": A, "b": B, "c": C, "s": S, "t": T, "δ": DELTA, "d": 22}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1/2", 0.5),
        ("n^((1+a₁)²)", N ** ((1 + A) ** 2)),
        ("n^(a₁²+b²+c²)", N ** (A**2 + B**2 + C**2)),
        ("n^(−(1−2a₁))", N ** -(1 - 2 * A)),
        ("n^(a₁(1+a₁)) / (n^(a₁(1+a₁)) + n − 1)", N ** (A * 2.2) / (N ** (A * 2.2) + N - 1)),
        ("b s (n^(−(1−2a₁)) + t/n)", B * S * (N ** (2 * A - 1) + T / N)),
        ("a₁(1+a₁) s / n", A * (1 + A) * S / N),
        ("(1+a₁)² log n", (1 + A) ** 2 * math.log(N)),
        ("(a₁/2) s", A / 2 * S),
        ("t √d", T * math.sqrt(22)),
        ("√(8 (1 + log 2 / log(n/δ)))", math.sqrt(8 * (1 + math.log(2) / math.log(N / DELTA)))),
        ("−1 / log 0.9", -1 / math.log(0.9)),
        ("10^(−12)", 1e-12),
        ("n⁴ / (n^1.4 (n−1) + n⁴)", N**4 / (N**1.4 * (N - 1) + N**4)),
    ],
)
def test_what_is_printed_is_computed(text, value):
    assert formula(text)(LETTERS) == pytest.approx(value, rel=1e-14)


@pytest.mark.parametrize("text", ["", "n^", "(n", "n)", "n ! 2", "/n", "2 −"])
def test_what_is_no_formula_is_refused(text):
    with pytest.raises(SyntaxError):
        formula(text)


def test_every_bound_that_a_table_shows_is_its_formulas():
    """The end of the printed formula, from its last sign of relation on, is what cells are held
    against."""
    for one in all_claims():
        if one.model not in MODELS:
            continue
        size = JOB.sizes.of(one.model)[0]
        setting = setting_of(JOB, *size)
        shown = one.columns()["formula"].removesuffix(one.note)
        bound = shown[max(shown.rfind(sign) for sign in "≤≥=") + 2 :].removeprefix("o")
        letters = setting.letters(MODELS[one.model])
        assert one.bound(setting) == formula(bound)(letters), one.id
        assert one.evaluate(setting).bound == one.bound(setting), one.id
