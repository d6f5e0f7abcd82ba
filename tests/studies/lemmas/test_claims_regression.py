"""Claims on the regression model against its definitions."""

import math
from dataclasses import replace

import numpy as np
import pytest
from claim_cases import JOB, all_signs, claim
from hypothesis import given
from hypothesis import strategies as st

from attention_separation.studies.lemmas.claim import setting_of
from attention_separation.studies.lemmas.claims_table import evaluate_claims
from attention_separation.studies.lemmas.lemma import least_constant
from attention_separation.studies.lemmas.regression import chance_of_exceeding, levels
from attention_separation.studies.softmax_vs_linear.models import regression


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
