"""Claims against the definitions: literal attention, regression, and enumeration of all signs."""

import math
from dataclasses import replace

import numpy as np
import pytest
from claim_cases import CASES, JOB, SIZES, all_signs, claim, literal_attention, matches
from hypothesis import given
from hypothesis import strategies as st
from making import CONFIG

from attention_separation.studies.lemmas.claim import setting_of
from attention_separation.studies.lemmas.claims_table import all_claims, evaluate_claims
from attention_separation.studies.lemmas.lemma import (
    Case,
    chance_column_exceeds,
    chance_of_heads,
    chance_of_none,
    chance_of_some,
    chance_row_reaches,
    least_constant,
)
from attention_separation.studies.lemmas.regression import chance_of_exceeding, levels
from attention_separation.studies.softmax_vs_linear.models import regression
from attention_separation.studies.softmax_vs_linear.models.attention import (
    CROSS_ATTENTION_MODEL,
    SELF_ATTENTION_MODEL,
)
from attention_separation.studies.softmax_vs_linear.models.contest import (
    CONTEST_OF_PAPER,
    IN_THE_PAPER,
)


@given(case=st.sampled_from([*CASES]))
def test_u_f_and_c_are_those_of_literal_attention(case):
    for n, d in SIZES[case.model]:
        setting = setting_of(JOB, n, d)
        found = case.attended(setting)
        scores, c, special_row, j3, marked = literal_attention(case, n, d, setting)
        u = np.exp(scores) if case.kernel == "exp" else scores
        f = u / u.sum(axis=1, keepdims=True)
        count = case.model.classes(d)
        for name, literal in (("u", u), ("f", f)):
            wanted = [_kinds(literal[row], row, j3, count, special_row) for row in range(n)]
            cells = getattr(found, name)
            assert _same(cells[0], wanted[special_row])
            for row in range(n):
                if row != special_row:
                    assert any(_same(one, wanted[row]) for one in cells[1:])
        of = found.rows
        for row in range(n):
            index = [0] if row == special_row else range(1, len(of.first))
            assert any(matches(of, k, c[row], marked, row % count) for k in index)


def _kinds(cells, row, j3, count, special_row):
    """Cells towards the special token, others of its class, of the row's own, of the rest."""
    own = row % count if row != special_row and row % count != j3 % count else None
    kinds = [[], [], [], []]
    for column, cell in enumerate(cells):
        if column == j3:
            kinds[0].append(cell)
        elif column % count == j3 % count:
            kinds[1].append(cell)
        else:
            kinds[2 if own is None or column % count == own else 3].append(cell)
    return kinds


def _same(found, wanted):
    # A row without a class of its own is alike to all others: further classes are as "own" is.
    if not wanted[3] and not np.isnan(found[3]):
        wanted = [*wanted[:3], wanted[2]]
    return all(
        np.allclose(cells, found[k], rtol=1e-12, atol=0) if cells else np.isnan(found[k])
        for k, cells in enumerate(wanted)
    )


def test_claims_compare_what_they_say():
    """Some cells of claims, against the entries of literal attention that the lemmas name."""
    n, d = 12, 6
    setting = setting_of(JOB, n, d)
    ones = Case(SELF_ATTENTION_MODEL, "exp", 1, "ones")
    scores, c, special, j3, marked = literal_attention(ones, n, d, setting)
    u = np.exp(scores)
    f = u / u.sum(axis=1, keepdims=True)
    others = [j for j in range(n) if j != j3]
    for name, cells in (
        ("D.2.P1a", u[special, [j3]]),
        ("D.2.P1b", u[special, others]),
        ("D.2.P2a", u[others, j3]),
        ("D.2.P2b", u[others][:, others]),
        ("D.2.P3a", f[special, [j3]]),
        ("D.2.P3b", f[special, others]),
        ("D.2.P4a", f[others, j3]),
        ("D.2.P4b", f[others][:, others]),
        ("D.3.P1", c[special, [0]]),
        ("D.3.P2.one", c[special, [1 + marked]]),
        ("D.3.P2.rest", np.delete(c[special, 1 : d - 1], marked)),
        ("D.3.P3", c[special, [d - 1]]),
        ("D.3.P4", c[others, 0]),
        ("D.3.P5", c[others, 1 : d - 1]),
        ("D.3.P6", c[others, d - 1]),
    ):
        _same_values(name, setting, cells)
    identity = replace(ones, attention_x="identity")
    scores, c, special, j3, marked = literal_attention(identity, n, d, setting)
    u = np.exp(scores)
    f = u / u.sum(axis=1, keepdims=True)
    classes = np.arange(n) % (d - 2)
    own = classes[:, None] == classes
    for name, of, mask in (
        ("E.1.P1b.own", u[special], own[special] & (np.arange(n) != j3)),
        ("E.1.P1b.rest", u[special], ~own[special]),
        ("E.1.P2.own", u[others], own[others]),
        ("E.1.P2.rest", u[others], ~own[others]),
        ("E.1.P3b", f[special], np.arange(n) != j3),
        ("E.1.P4.own", f[others], own[others]),
        ("E.1.P4.rest", f[others], ~own[others]),
    ):
        _same_values(name, setting, of[mask])
    _same_values("E.2.P5", setting, c[others, 1 : d - 1])


@pytest.mark.parametrize(("kernel", "dataset"), [("exp", 0), ("linear", 1), ("linear", 0)])
def test_what_section_e_leaves_out_is_that_of_literal_attention(kernel, dataset):
    """Each closed form is all entries of u, f and c that its part names."""
    rng = np.random.default_rng(5)
    case = Case(SELF_ATTENTION_MODEL, kernel, dataset, "identity")
    for n, d in [(4, 4), (6, 4), (12, 6), (14, 9)]:
        a, b, c = rng.uniform(0.1, 1.5, 3)
        setting = replace(setting_of(JOB, n, d), a0=a, a1=a, b=b, c=c)
        scores, values, special, j3, marked = literal_attention(case, n, d, setting)
        u = np.exp(scores) if kernel == "exp" else scores
        classes = np.arange(n) % (d - 2)
        own, others = classes[:, None] == classes, np.arange(n) != j3
        kin, further = others & (classes == marked), classes != marked
        own_class = classes[:, None] == np.arange(d - 2)
        of_classes = values[:, 1:-1]
        wanted = {
            "values.P1": values[special, 0],
            "values.P2.one": of_classes[special, marked],
            "values.P2.rest": np.delete(of_classes[special], marked),
            "values.P3": values[special, -1],
            "values.P4.own": values[kin, 0],
            "values.P4.rest": values[further, 0],
            "values.P5.own": of_classes[others][own_class[others]],
            "values.P5.rest": of_classes[others][~own_class[others]],
            "values.P6": values[others, -1],
        }
        for parts, of in ((("1a", "1b", "2"), u), (("3a", "3b", "4"), u / u.sum(1)[:, None])):
            itself, row, further_rows = (f"weights.P{part}" for part in parts)
            wanted |= {
                itself: of[special, j3],
                f"{row}.own": of[special, own[special] & others],
                f"{row}.rest": of[special, ~own[special]],
                f"{further_rows}.own": of[others][own[others]],
                f"{further_rows}.rest": of[others][~own[others]],
            }
        network = f"E.D{dataset}-{IN_THE_PAPER[kernel]}."
        ids = {one.id for one in all_claims() if one.identity and one.id.startswith(network)}
        assert ids == {network + part for part in wanted}
        for part, cells in wanted.items():
            one = claim(network + part)
            assert np.allclose(cells, one.bound(setting), rtol=1e-11, atol=0), (one.id, n, d)
            assert one.evaluate(setting).holds, (one.id, n, d)


def _same_values(name, setting, wanted):
    cells = claim(name).cells(setting)
    found, wanted = np.unique(np.round(cells, 11)), np.unique(np.round(wanted, 11))
    assert found.shape == wanted.shape, name
    assert np.allclose(found, wanted, rtol=1e-9), name


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


def _two_level_f(n, kernel, dataset, at_high):
    z = np.full(n, regression.LOWER)
    z[dataset : dataset + at_high] = regression.UPPER
    if dataset:
        z[0] = regression.SPECIAL_MULTIPLE
    u = {"exp": regression.u_exp, "linear": regression.u_lin}[kernel](math.log(n) * z)
    return regression.normalise(u)


@pytest.mark.parametrize("name", ["5.1.every", "5.1.m.every"])
def test_of_some_columns_a_chance_is_that_of_one_over_many(name):
    """1 - (1 - p)^m, by Hoeffding's p of one column and the number of columns."""
    setting = setting_of(JOB, 1000, None)
    columns = setting.m if ".m." in name else setting.columns(least_constant(0.5))
    p = levels(1000, "exp", 0).hoeffding(setting.tau)
    assert 0 < p < 1
    wanted = 1 - (1 - p) ** columns
    assert claim(name).evaluate(setting).value == pytest.approx(wanted, rel=1e-9)


@given(kernel=st.sampled_from(["exp", "linear"]), dataset=st.sampled_from([0, 1]))
def test_two_levels_are_the_literal_model(kernel, dataset):
    n = 12
    data = levels(n, kernel, dataset)
    signs = all_signs(n)
    for at_high in (0, 3, data.others):
        f = _two_level_f(n, kernel, dataset, at_high)
        assert data.squares(at_high) == pytest.approx((f**2).sum(), rel=1e-12)
        for tau in (0.05, 0.25, 0.6):
            wanted = (f @ signs > tau + 1e-12).mean()
            assert chance_of_exceeding(data, at_high, tau) == pytest.approx(wanted, abs=1e-13)
            assert data.hoeffding(tau) >= wanted


@given(kernel=st.sampled_from(["exp", "linear"]), dataset=st.sampled_from([0, 1]))
def test_worst_data_are_the_worst(kernel, dataset):
    n = 30
    data = levels(n, kernel, dataset)
    worst = data.squares(data.worst())
    assert worst >= max(data.squares(k) for k in range(data.others + 1))
    assert worst == pytest.approx(max(data.squares(k) for k in range(data.others + 1)), rel=0.02)
    rng = np.random.default_rng(1)
    special, largest = [], []
    for _ in range(300):
        z = regression.dataset_z(
            n, rng.random(n) ** rng.integers(1, 9), "uniform", 0 if dataset else None
        )
        u = {"exp": regression.u_exp, "linear": regression.u_lin}[kernel](z)
        f = regression.normalise(u)
        assert (f**2).sum() <= worst * (1 + 1e-12)
        special.append(f[0])
        largest.append(f[dataset:].max())
    assert max(largest) <= data.largest_other()
    if dataset:
        assert min(special) >= data.smallest_special()


def test_networks_of_the_regression_model(by_id):
    for name in ("5.1", "5.3", "5.4"):
        for row, bound in zip(by_id[name], by_id[f"{name}.every"], strict=True):
            assert bound["value"] >= row["value"]
            if bound["holds"]:
                assert row["value"] == bound["value"]
    # Between the two is neither a proof nor a refutation.
    open_ = JOB.sizes.model_copy(update={"regression": [2000, 3000, 4000]})
    job = JOB.model_copy(update={"sizes": open_})
    rows = evaluate_claims(job, [claim("5.1"), claim("5.1.every")]).to_pylist()
    assert [row["holds"] for row in rows] == [False, None, True, False, False, True]
    low, start = rows[0]["from_n_d_fixed"], rows[3]["from_n_d_fixed"]
    assert 2000 < low <= 3000 < start <= 4000
    assert rows[0]["verdict"].endswith(f"refuted below n = {low}, proved from n = {start}")
    for name in ("5.1", "5.3", "5.4", "5.1.m", "5.3.m", "5.4.m"):
        low = by_id[name][0]["from_n_d_fixed"]
        below = [n for n in (100, 200, 400, 800, 1600, low - 1) if n < low]
        assert not any(claim(name).evaluate(setting_of(JOB, n, None)).holds for n in below)
    # With a threshold that the special entry alone may miss, the worst data are all at the top.
    setting = replace(setting_of(JOB, 4, None), tau=0.9)
    f = _two_level_f(4, "exp", 1, 3)
    p = (f @ all_signs(4) > 0.9).mean()
    assert 0 < p < 0.5
    assert claim("5.2.m").evaluate(setting).value == pytest.approx((1 - p) ** setting.m)


def test_printed_constant_is_a_quantile():
    n = 14
    setting = replace(setting_of(JOB, n, None), delta=0.7)
    f = _two_level_f(n, "linear", 1, 0)
    sums = np.abs(f @ all_signs(n))
    scale = math.sqrt(setting.log_n_over_delta) / n
    bound = claim("4.2.P1").cells(setting) * scale
    assert (sums > bound + 1e-12).mean() <= setting.failure_probability
    assert (sums > bound - 1.5 / (n + 3)).mean() > setting.failure_probability


def test_definition_3_7_has_columns_of_its_own():
    """Lemmas 5.1 to 5.4 take m = C log(n/delta), with the least C of Lemma 5.2: log2(n/delta)."""
    job = CONFIG.lemmas.job("paper")
    for n in (100, 1000):
        setting = setting_of(job, n, None)
        columns = setting.columns(least_constant(0.5))
        assert 2**columns >= n / setting.delta > 2 ** (columns - 1)
        one, m = claim("5.1.every").evaluate(setting).value, claim("5.1.m.every").evaluate(setting)
        p = 1 - (1 - one) ** (1 / columns)
        assert m.value == pytest.approx(1 - (1 - p) ** setting.m)
