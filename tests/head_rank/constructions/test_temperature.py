"""The laws of one full-rank head: exact values against simulation, and the limit of large c."""

import math
from collections import Counter

import numpy as np
import pytest
from pydantic import ValidationError
from scipy.integrate import quad
from scipy.special import betainc
from scipy.stats import norm

from attention_separation.head_rank.constructions import full_rank_head as laws
from attention_separation.head_rank.constructions.sphere import angle_rule, density_at_zero
from attention_separation.head_rank.constructions.temperature import (
    SCHEMA,
    TemperatureJob,
    errors_of_temperature,
)

BUDGET = 1e-6
"""False alarms of all comparisons with simulation together; means are taken as normal."""

JOB = {
    "seed": 5,
    "draws": 20_000,
    "temperatures": [1.0, 20.0],
    "cases": [
        {"distribution": "uniform", "d": 2, "n": 2},
        {"distribution": "orthogonal", "d": 2, "n": 2},
        {"distribution": "uniform", "d": 7, "n": 2},
        {"distribution": "orthogonal", "d": 7, "n": 2},
    ],
    "biased": [{"d": 5, "biases": [0.4, -0.1]}, {"d": 3, "biases": [-0.2, 1.0]}],
}


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


def test_the_right_bias_has_no_error_with_hardmax():
    biased = [
        {"d": d, "biases": biases}
        for d in (2, 8, 64)
        for biases in ([0.1, 0.0], [-0.5, 0.3], [0.0, 1.0], [3.0, 0.0], [0.0, 3.0])
    ]
    table = errors_of_temperature(
        TemperatureJob.model_validate(JOB | {"draws": 500, "biased": biased})
    )
    hard = [r for r in table.to_pylist() if r["added"] and r["temperature"] is None]
    for added, count in Counter(row["added"] for row in hard).items():
        assert count == len(biased), added
    for row in hard:
        if row["added"] == "-b/2":
            assert row["error"] == row["error_exact"] == 0
        else:
            assert row["error_exact"] > 0.05


@pytest.mark.parametrize("d", [2, 3, 8, 64])
@pytest.mark.parametrize("distribution", ["uniform", "orthogonal"])
def test_the_exact_value_meets_its_law(d, distribution):
    for c in (1e4, 1e5):
        exact = laws.fact_1_exact(d, distribution, c)
        assert exact == pytest.approx(laws.fact_1_asymptote(d, 2, distribution, c), rel=1e-5)


@pytest.mark.parametrize("d", [2, 3, 8, 64])
def test_the_law_of_two_points_in_one_formula(d):
    def mean_distance(angle):
        return 2 * math.sin(angle / 2) * math.sin(angle) ** (d - 2)

    total = quad(lambda angle: math.sin(angle) ** (d - 2), 0, math.pi)[0]
    distances = {"orthogonal": math.sqrt(2), "uniform": quad(mean_distance, 0, math.pi)[0] / total}
    f_0 = math.gamma(d / 2) / (math.sqrt(math.pi) * math.gamma((d - 1) / 2))
    for distribution, distance in distances.items():
        expected = 2 * f_0 * distance * (math.log(2) - 0.5) / 30
        assert laws.fact_1_asymptote(d, 2, distribution, 30) == pytest.approx(expected, rel=1e-9)


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


@pytest.mark.parametrize("difference", [0.1, 0.5, 0.8, 1.5, 2.5])
def test_the_texts_error_depends_on_d_and_the_difference_of_the_biases_and_grows_with_both(
    difference,
):
    errors = [texts_error(d, (difference, 0.0)) for d in (2, 4, 8, 16, 64)]
    assert np.all(np.diff(errors) > 0)
    for d, error in zip((2, 4, 8, 16, 64), errors, strict=True):
        for biases in ((-difference, 0.0), (0.3, 0.3 + difference), (difference - 1, -1.0)):
            assert texts_error(d, biases) == pytest.approx(error, rel=1e-9)
        # Near 2, its largest value, rounding decides which of two is larger.
        assert texts_error(d, (1.1 * difference, 0.0)) > error or error == pytest.approx(
            2, rel=1e-12
        )


@pytest.mark.parametrize("d", [2, 8, 64])
@pytest.mark.parametrize("biases", [(3.0, 0.0), (-1.5, 1.5), (2.9, 0.0)])
def test_where_one_point_is_always_nearest_the_text_always_takes_the_other(d, biases):
    right = (-biases[0] / 2, -biases[1] / 2)
    assert laws.fact_3_exact(d, biases, right, math.inf) == 0
    assert texts_error(d, biases) == pytest.approx(2, rel=1e-12)
    assert laws.fact_3_asymptote(d, biases, 10.0) == 0


def test_biases_at_which_the_texts_error_looks_like_that_of_predicting_zero():
    """(0.5, 0) has an error near 1 at d = 8 alone; by adaptive quadrature."""
    for d, near_1 in ((4, False), (8, True), (16, False), (64, False)):

        def density(t, d=d):
            return density_at_zero(d) * (1 - t * t) ** ((d - 3) / 2)

        expected = 2 * quad(density, -0.5 / math.sqrt(2), 0.25 / math.sqrt(2))[0]
        assert texts_error(d, (0.5, 0.0)) == pytest.approx(expected, rel=1e-8)
        assert (abs(expected - 1) < 1e-3) == near_1


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


@pytest.mark.parametrize("d", [2, 3, 10, 200])
def test_the_quadrature_has_the_moments_of_a_coordinate(d):
    phi, weights = angle_rule(d, [(0.0, 1e-4), (1.0, 1e-3)])
    t = np.sin(phi)
    assert weights @ t**2 == pytest.approx(1 / d, rel=1e-12)
    assert weights @ t**4 == pytest.approx(3 / (d * (d + 2)), rel=1e-12)
    mean = 2 * density_at_zero(d) / (d - 1)
    assert weights @ np.abs(t) == pytest.approx(mean, rel=1e-12)


@pytest.mark.parametrize(
    ("wrong", "text"),
    [
        ({"cases": [{"distribution": "orthogonal", "d": 2, "n": 3}]}, "n is 3; allowed: at most d"),
        ({"cases": [{"distribution": "gauss", "d": 2, "n": 2}]}, "'uniform' or 'orthogonal'"),
        ({"biased": [{"d": 5, "biases": [1.0]}]}, "at least 2 items"),
        ({"biased": []}, "at least 1 item"),
        ({"temperatures": [0.0]}, "greater than 0"),
        ({"draws": 1}, "greater than or equal to 2"),
        ({"trials": 1}, "unknown key; allowed: "),
    ],
)
def test_faults_of_settings(wrong, text):
    with pytest.raises(ValidationError, match=text):
        TemperatureJob.model_validate(JOB | wrong)
