"""Laws of rows and columns, and the claims on signs, against enumeration of all signs."""

import math
from dataclasses import replace

import numpy as np
import pytest
from claim_cases import CASES, JOB, SIZES, all_signs, claim, literal_attention, matches
from hypothesis import given
from hypothesis import strategies as st

from attention_separation.studies.lemmas.claim import setting_of
from attention_separation.studies.lemmas.lemma import (
    Case,
    chance_column_exceeds,
    chance_of_heads,
    chance_of_none,
    chance_of_some,
    chance_row_reaches,
)
from attention_separation.studies.softmax_vs_linear.models.attention import (
    CROSS_ATTENTION_MODEL,
    SELF_ATTENTION_MODEL,
)
from attention_separation.studies.softmax_vs_linear.models.contest import (
    CONTEST_OF_PAPER,
    IN_THE_PAPER,
)


@given(case=st.sampled_from([*CASES]), theta=st.sampled_from([0.05, 0.3, 0.9]))
def test_law_of_a_row_is_that_of_all_signs(case, theta):
    for n, d in SIZES[case.model]:
        setting = setting_of(JOB, n, d)
        of = case.attended(setting).rows
        _, c, special_row, _, marked = literal_attention(case, n, d, setting)
        reached = c @ all_signs(d) >= theta * setting.s - 1e-12
        for row in range(n):
            index = [0] if row == special_row else range(1, len(of.first))
            k = next(k for k in index if matches(of, k, c[row], marked, row % of.classes))
            found = chance_row_reaches(of, k, theta * setting.s, setting.s)
            assert found == pytest.approx(reached[row].mean(), abs=1e-14)


@given(b=st.sampled_from([0.2, 0.7]), case=st.sampled_from([*CASES]))
def test_chance_of_a_column_is_that_of_all_signs(case, b):
    for n, d in SIZES[case.model]:
        setting = replace(setting_of(JOB, n, d), b=b, c=1 - b)
        _, c, *_ = literal_attention(case, n, d, setting)
        largest = (c @ all_signs(d)).max(axis=0)
        for theta in np.linspace(-1.3, 1.3, 53):
            above = largest > theta * setting.s + 1e-12
            found = chance_column_exceeds(case.attended(setting).rows, theta * setting.s, setting.s)
            assert found == pytest.approx(above.mean(), abs=1e-14)


def sign_lemmas():
    """Ids of the lemma on signs and of its theorem, and the case."""
    for section, model, x, first in (
        ("D", SELF_ATTENTION_MODEL, "ones", 4),
        ("F", CROSS_ATTENTION_MODEL, "identity", 4),
        ("E", SELF_ATTENTION_MODEL, "identity", 3),
    ):
        networks = (("exp", 1), ("exp", 0), ("linear", 1), ("linear", 0))
        for k, (kernel, dataset) in enumerate(networks):
            lemma, theorem = (f"{section}.{first + 4 * k + more}" for more in (0, 1))
            if section == "E" and k:
                left_out = f"E.D{dataset}-{IN_THE_PAPER[kernel]}"
                lemma, theorem = f"{left_out}.sign", f"{left_out}.zero"
            yield pytest.param(lemma, theorem, Case(model, kernel, dataset, x), id=lemma)


@given(row=st.sampled_from([row.values for row in sign_lemmas()]))
def test_sign_lemmas_and_theorems_are_judged_by_all_signs(row):
    lemma, theorem, case = row
    n, d = SIZES[case.model][2]
    setting = replace(setting_of(JOB, n, d), b=0.6, c=0.4, theta=0.4)
    tau = case.theta(setting) * setting.s
    _, c, special, _, marked = literal_attention(case, n, d, setting)
    scores = c @ all_signs(d)
    separates = case.kernel == "exp" and case.dataset == 1
    for part, rows in (("P1", [special]), ("P2", [j for j in range(n) if j != special])):
        one = scores[rows] if separates else np.abs(scores[rows])
        wanted = (one >= tau - 1e-12).mean(axis=1)
        found = claim(f"{lemma}.{part}").evaluate(setting).value
        worst = wanted.min() if separates and part == "P1" else wanted.max()
        assert found == pytest.approx(worst, abs=1e-14)
    never = (scores.max(axis=0) <= tau + 1e-12).mean() ** setting.m
    value = claim(f"{theorem}{'.m' if separates else ''}").evaluate(setting).value
    assert value == pytest.approx(never if separates else 1 - never, abs=1e-13)
    if lemma.endswith(".sign"):
        return
    # Deviations: all classes but the special token's, in the rows that the proof is of.
    first_of_f = lemma == "F.4"
    rows = [special] if first_of_f else list(range(n))
    small = np.delete(c[:, 1 : 1 + case.model.classes(d)], marked, axis=1)[rows]
    squares = (small**2).sum(axis=1).max()
    deviation = math.sqrt(2 * squares * math.log(2 * n / setting.delta)) / setting.s
    assert claim(f"{lemma}.hoeffding").evaluate(setting).value == pytest.approx(deviation)


@given(
    case=st.sampled_from(
        [
            ("1.1", SELF_ATTENTION_MODEL, "ones"),
            ("6.2", SELF_ATTENTION_MODEL, "ones"),
            ("1.1.identity", SELF_ATTENTION_MODEL, "identity"),
            ("1.2", CROSS_ATTENTION_MODEL, "identity"),
        ]
    ),
    row=st.sampled_from([(0.01, 0.05), (0.9, 0.05), (0.01, 0.6)]),
)
def test_separating_theorems_are_their_worst_event(case, row):
    name, model, x = case
    a0, tau_c = row
    n, d = SIZES[model][2]
    setting = replace(setting_of(JOB, n, d), a0=a0, c=tau_c, theta=tau_c)
    p = {}
    for kernel, dataset in CONTEST_OF_PAPER.networks:
        case = Case(model, kernel, dataset, x)
        _, c, *_ = literal_attention(case, n, d, setting)
        tau = case.theta(setting) * setting.s
        p[kernel, dataset] = ((c @ all_signs(d)).max(axis=0) > tau + 1e-12).mean()
    first = p.pop(("exp", 1))
    found = claim(f"{name}.m").evaluate(setting).value
    positive = [1 - (1 - q) ** setting.m for q in p.values()]
    assert found == pytest.approx(max((1 - first) ** setting.m, *positive), abs=1e-13)
    fewest = next(m for m in range(1, 10**6) if (1 - first) ** m <= setting.failure_probability)
    positive = [1 - (1 - q) ** fewest for q in p.values()]
    assert claim(name).evaluate(setting).value == pytest.approx(max(positive), abs=1e-13)


def test_what_the_misprinted_theorem_asks_never_happens(by_id):
    assert all(row["value"] == pytest.approx(1) for row in by_id["6.2.printed"])


def test_heads_are_those_of_fair_coins():
    for coins in (0, 1, 7, 40):
        law = [math.comb(coins, k) / 2**coins for k in range(coins + 1)]
        for heads in range(-1, coins + 3):
            wanted = sum(law[max(heads, 0) :])
            assert chance_of_heads(heads, coins) == pytest.approx(wanted, rel=1e-13, abs=0)


@given(p=st.sampled_from([0.0, 1e-20, 0.3, 1.0]))
def test_none_or_some_of_the_columns(p):
    assert chance_of_none(p, 5) == pytest.approx((1 - p) ** 5)
    some = 1 - (1 - p) ** 5 if p > 1e-9 else 5 * p
    assert chance_of_some(p, 5) == pytest.approx(some, rel=1e-12, abs=0)
