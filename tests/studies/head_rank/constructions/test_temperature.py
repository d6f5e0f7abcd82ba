"""The laws of one full-rank head: exact values against simulation, and the limit of large c."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from scipy.integrate import quad
from scipy.special import betainc
from scipy.stats import norm

from attention_separation.studies.head_rank.constructions import full_rank_head as laws
from attention_separation.studies.head_rank.constructions.temperature import (
    SCHEMA,
    TemperatureJob,
    errors_of_temperature,
)

BUDGET = 1e-6
"""False alarms of all comparisons with simulation together; means are taken as normal."""

JOB = {
    "seed": 5, "draws": 20_000, "temperatures": [1.0, 20.0],
    "cases": [
        {"distribution": distribution, "d": d, "n": 2}
        for d in (2, 7) for distribution in ("uniform", "orthogonal")
    ],
    "biased": [{"d": 5, "biases": [0.4, -0.1]}, {"d": 3, "biases": [-0.2, 1.0]}],
}  # fmt: skip


def test_exact_values_against_simulation():
    table = errors_of_temperature(TemperatureJob.model_validate(JOB))
    assert table.schema.equals(SCHEMA)
    judged = [row for row in table.to_pylist() if row["ci_high"] > row["ci_low"]]
    # 4 cases of Fact 1 at 2 temperatures; of Fact 3 two, each with two heads at 2 temperatures,
    # and the text's with hardmax.
    assert len(judged) == 4 * 2 + 2 * (2 * 2 + 1)
    for row in judged:
        spread = (row["ci_high"] - row["ci_low"]) / (2 * norm.ppf(0.975))
        z = (row["error"] - row["error_exact"]) / spread
        assert 2 * norm.sf(abs(z)) > BUDGET / len(judged), row


@given(d=st.sampled_from([2, 3, 8, 64]), distribution=st.sampled_from(["uniform", "orthogonal"]))
def test_the_exact_value_meets_its_law(d, distribution):
    for c in (1e4, 1e5):
        exact = laws.fact_1_exact(d, distribution, c)
        assert exact == pytest.approx(laws.fact_1_asymptote(d, 2, distribution, c), rel=1e-5)


@pytest.mark.parametrize("distribution", ["uniform", "orthogonal"])
def test_the_law_of_many_points_against_simulation(distribution):
    """At c = 300 the law is off by far less than the simulation's 3 %; one test of each."""
    job = {
        "temperatures": [300.0], "draws": 50_000,
        "cases": [{"distribution": distribution, "d": 6, "n": 5}],
    }  # fmt: skip
    table = errors_of_temperature(TemperatureJob.model_validate(JOB | job))
    (row,) = (row for row in table.to_pylist() if row["construction"] == "fact_1")
    assert row["error_exact"] is None
    spread = (row["ci_high"] - row["ci_low"]) / (2 * norm.ppf(0.975))
    assert 2 * norm.sf(abs(row["error"] - row["error_law"]) / spread) > BUDGET / 2


def test_the_plane_by_adaptive_quadrature():
    for c in (0.5, 5, 50):

        def squared(phi, c=c):
            return 2 / (1 + math.exp(c * math.sqrt(2) * math.sin(phi))) ** 2

        expected = quad(squared, 0, math.pi / 2, epsabs=1e-13)[0] / (math.pi / 2)
        assert laws.fact_1_exact(2, "orthogonal", c) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("d", [2, 5, 40])
def test_the_texts_bias_errs_by_the_probability_between_two_thresholds(d):
    b1, b2 = 0.3, -0.2

    def cdf(t):
        return 0.5 + math.copysign(betainc(0.5, (d - 1) / 2, t * t) / 2, t)

    wrong = cdf((b1 - b2) / 2 / math.sqrt(2)) - cdf((b2 - b1) / math.sqrt(2))
    found = laws.fact_3_exact(d, (b1, b2), (b1, b2), math.inf)
    assert found == pytest.approx(2 * wrong, rel=1e-10)
    right = laws.fact_3_exact(d, (b1, b2), (-b1 / 2, -b2 / 2), 1e4)
    assert right == pytest.approx(laws.fact_3_asymptote(d, (b1, b2), 1e4), rel=1e-3)


def texts_error(d, biases):
    return laws.fact_3_exact(d, biases, biases, math.inf)


@given(d=st.sampled_from([2, 8, 64]), biases=st.sampled_from([(3.0, 0.0), (-1.5, 1.5), (2.9, 0.0)]))
def test_where_one_point_is_always_nearest_the_text_always_takes_the_other(d, biases):
    right = (-biases[0] / 2, -biases[1] / 2)
    assert laws.fact_3_exact(d, biases, right, math.inf) == 0
    assert texts_error(d, biases) == pytest.approx(2, rel=1e-12)
    assert laws.fact_3_asymptote(d, biases, 10.0) == 0


def test_cases_of_fact_3_have_draws_of_their_own_and_keep_them():
    def rows(*biased):
        job = TemperatureJob.model_validate(JOB | {"draws": 500, "biased": list(biased)})
        return [r for r in errors_of_temperature(job).to_pylist() if r["construction"] == "fact_3"]

    # Of one difference: on the same draws the errors would be equal.
    one, other = {"d": 5, "biases": [0.4, -0.1]}, {"d": 5, "biases": [0.5, 0.0]}
    assert rows(one) + rows(other) == rows(one, other)
    for a, b in zip(rows(one), rows(other), strict=True):
        assert a["error_exact"] == pytest.approx(b["error_exact"], rel=1e-12)
        assert a["temperature"] is None or abs(a["error"] - b["error"]) > 1e-9


def test_more_orthogonal_points_than_dimensions_are_refused():
    case = {"distribution": "orthogonal", "d": 2, "n": 3}
    with pytest.raises(ValidationError, match="n is 3; allowed: at most d"):
        TemperatureJob.model_validate(JOB | {"cases": [case]})
