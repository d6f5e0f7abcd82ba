"""Laws of rows and columns, and the claims on signs, against enumeration of all signs."""

import math
from dataclasses import replace

import numpy as np
import pytest
from claim_cases import CASE_IDS, CASES, JOB, SIZES, all_signs, claim, literal_attention, matches
from making import exact_at, point

from attention_separation.softmax_vs_linear.claims.attended import Case
from attention_separation.softmax_vs_linear.claims.claim import setting_of
from attention_separation.softmax_vs_linear.exact.column_law import (
    column_exceeds,
    heads_at_least,
    none_positive,
    row_at_least,
    some_positive,
)
from attention_separation.softmax_vs_linear.models.contest import IN_THE_PAPER, PAPERS
from attention_separation.softmax_vs_linear.models.cross_attention import CROSS_ATTENTION
from attention_separation.softmax_vs_linear.models.self_attention import SELF_ATTENTION


@pytest.mark.parametrize("case", CASES, ids=CASE_IDS)
@pytest.mark.parametrize("theta", [0.05, 0.3, 0.9])
def test_law_of_a_row_is_that_of_all_signs(case, theta):
    for n, d in SIZES[case.model]:
        setting = setting_of(JOB, n, d)
        of = case.attended(setting).rows
        _, c, special_row, _, marked = literal_attention(case, n, d, setting)
        reached = c @ all_signs(d) >= theta * setting.s - 1e-12
        for row in range(n):
            index = [0] if row == special_row else range(1, len(of.first))
            k = next(k for k in index if matches(of, k, c[row], marked, row % of.classes))
            found = row_at_least(of, k, theta * setting.s, setting.s)
            assert found == pytest.approx(reached[row].mean(), abs=1e-14)


@pytest.mark.parametrize("b", [0.2, 0.7])
@pytest.mark.parametrize("case", CASES, ids=CASE_IDS)
def test_chance_of_a_column_is_that_of_all_signs(case, b):
    for n, d in SIZES[case.model]:
        setting = replace(setting_of(JOB, n, d), b=b, c=1 - b)
        _, c, *_ = literal_attention(case, n, d, setting)
        largest = (c @ all_signs(d)).max(axis=0)
        for theta in np.linspace(-1.3, 1.3, 53):
            above = largest > theta * setting.s + 1e-12
            found = column_exceeds(case.attended(setting).rows, theta * setting.s, setting.s)
            assert found == pytest.approx(above.mean(), abs=1e-14)


# Lemma, parts that the special row is in, parts of the others, and the case.
SIGN_LEMMAS = [
    (f"{section}.{number}", Case(model, kernel, dataset, x))
    for section, model, x, numbers in (
        ("D", SELF_ATTENTION, "ones", (4, 8, 12, 16)),
        ("F", CROSS_ATTENTION, "identity", (4, 8, 12, 16)),
        ("E", SELF_ATTENTION, "identity", (3,)),
    )
    for number, (kernel, dataset) in zip(
        numbers, (("exp", 1), ("exp", 0), ("linear", 1), ("linear", 0)), strict=False
    )
]


@pytest.mark.parametrize(("lemma", "case"), SIGN_LEMMAS, ids=[name for name, _ in SIGN_LEMMAS])
def test_sign_lemmas_and_theorems_are_judged_by_all_signs(lemma, case):
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
    # Deviations: all classes but the special token's, in the rows that the proof is of.
    first_of_f = lemma == "F.4"
    rows = [special] if first_of_f else list(range(n))
    small = np.delete(c[:, 1 : 1 + case.model.classes(d)], marked, axis=1)[rows]
    squares = (small**2).sum(axis=1).max()
    deviation = math.sqrt(2 * squares * math.log(2 * n / setting.delta)) / setting.s
    assert claim(f"{lemma}.hoeffding").evaluate(setting).value == pytest.approx(deviation)
    # The theorem is the next one: D.5 after D.4.
    section, _, number = lemma.partition(".")
    theorem = claim(f"{section}.{int(number) + 1}{'.m' if separates else ''}")
    never = (scores.max(axis=0) <= tau + 1e-12).mean() ** setting.m
    value = theorem.evaluate(setting).value
    assert value == pytest.approx(never if separates else 1 - never, abs=1e-13)


@pytest.mark.parametrize(("kernel", "dataset"), [("exp", 0), ("linear", 1), ("linear", 0)])
def test_what_section_e_leaves_out_is_judged_by_all_signs(kernel, dataset):
    n, d = SIZES[SELF_ATTENTION][2]
    setting = replace(setting_of(JOB, n, d), b=0.6, c=0.4)
    case = Case(SELF_ATTENTION, kernel, dataset, "identity")
    _, c, special, *_ = literal_attention(case, n, d, setting)
    scores, tau = c @ all_signs(d), 0.5 * setting.s
    wanted = (np.abs(scores) >= tau - 1e-12).mean(axis=1)
    name = f"E.D{dataset}-{IN_THE_PAPER[kernel]}"
    for part, worst in (("P1", wanted[special]), ("P2", np.delete(wanted, special).max())):
        found = claim(f"{name}.sign.{part}").evaluate(setting).value
        assert found == pytest.approx(worst, abs=1e-14)
    never = (scores.max(axis=0) <= tau + 1e-12).mean() ** setting.m
    assert claim(f"{name}.zero").evaluate(setting).value == pytest.approx(1 - never, abs=1e-13)


@pytest.mark.parametrize(
    ("name", "model", "x"),
    [
        ("1.1", SELF_ATTENTION, "ones"),
        ("6.2", SELF_ATTENTION, "ones"),
        ("1.1.identity", SELF_ATTENTION, "identity"),
        ("1.2", CROSS_ATTENTION, "identity"),
    ],
)
@pytest.mark.parametrize(("a0", "tau_c"), [(0.01, 0.05), (0.9, 0.05), (0.01, 0.6)])
def test_separating_theorems_are_their_worst_event(name, model, x, a0, tau_c):
    n, d = SIZES[model][2]
    setting = replace(setting_of(JOB, n, d), a0=a0, c=tau_c, theta=tau_c)
    p = {}
    for kernel, dataset in PAPERS.networks:
        case = Case(model, kernel, dataset, x)
        _, c, *_ = literal_attention(case, n, d, setting)
        tau = case.theta(setting) * setting.s
        p[kernel, dataset] = ((c @ all_signs(d)).max(axis=0) > tau + 1e-12).mean()
    first = p.pop(("exp", 1))
    found = claim(f"{name}.m").evaluate(setting).value
    positive = [1 - (1 - q) ** setting.m for q in p.values()]
    assert found == pytest.approx(max((1 - first) ** setting.m, *positive), abs=1e-13)
    fewest = next(m for m in range(1, 10**6) if (1 - first) ** m <= setting.rare)
    positive = [1 - (1 - q) ** fewest for q in p.values()]
    assert claim(name).evaluate(setting).value == pytest.approx(max(positive), abs=1e-13)


def test_what_the_misprinted_theorem_asks_never_happens(by_id):
    assert all(row["value"] == pytest.approx(1) for row in by_id["6.2.printed"])


def test_a_tie_reaches_the_threshold_and_does_not_exceed_it():
    setting = setting_of(JOB, 10, 6)
    of = Case(CROSS_ATTENTION, "linear", 1, "identity").attended(setting).rows
    # Row 1 has the same weight 1/5 for each of five classes and 1/10 for the first coordinate.
    tie = (0.1 + 0.2 * 3 - 0.2 * 2) * setting.s
    just = row_at_least(of, 1, tie, setting.s)
    assert just == pytest.approx(row_at_least(of, 1, tie - 1e-9, setting.s))
    assert just > row_at_least(of, 1, tie + 1e-9, setting.s) + 0.1
    only = replace(
        of, **{name: getattr(of, name)[1:] for name in ("first", "marked", "own", "rest")}
    )
    assert column_exceeds(only, tie, setting.s) == pytest.approx(
        row_at_least(of, 1, tie + 1e-9, setting.s)
    )


@pytest.mark.parametrize("model", [SELF_ATTENTION, CROSS_ATTENTION])
def test_chance_of_a_column_agrees_with_the_sum_over_states(model):
    x = "identity"
    for n, d in JOB.sizes.of(model.name):
        setting = setting_of(JOB, n, d)
        cases = [Case(model, kernel, dataset, x) for kernel, dataset in PAPERS.networks]
        own = {name: getattr(setting, name) for name in ("a0", "a1", "b", "c")}
        held = {name: own[name] for name in own if name in model.parameters.model_fields}
        theta = cases[0].theta(setting)
        at = point(model.name, n=n, d=d, m=15, theta=theta, attention_x=x, **held)
        p = [case.column(setting) for case in cases]
        found = [1 - none_positive(p[0], 15), *(1 - some_positive(q, 15) for q in p[1:])]
        assert found == pytest.approx(exact_at(at).events, rel=1e-11)


def test_heads_are_those_of_fair_coins():
    for coins in (0, 1, 7, 40):
        law = [math.comb(coins, k) / 2**coins for k in range(coins + 1)]
        for heads in range(-1, coins + 3):
            wanted = sum(law[max(heads, 0) :])
            assert heads_at_least(heads, coins) == pytest.approx(wanted, rel=1e-13, abs=0)
