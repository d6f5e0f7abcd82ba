"""Settings of the audit of claims."""

import math

import pytest
from claim_cases import JOB, SETTINGS, claim
from pydantic import ValidationError

from attention_separation.softmax_vs_linear.claims import evaluation
from attention_separation.softmax_vs_linear.claims.claim import setting_of
from attention_separation.softmax_vs_linear.settings.claims import ClaimsJob


@pytest.mark.parametrize(
    ("model", "size", "text"),
    [
        ("self_attention", {"n": 200, "d": 21}, "nearest valid n"),
        ("cross_attention", {"n": 200, "d": 22}, "nearest valid n"),
        ("self_attention", {"n": 200, "d": 3}, "one class"),
        ("cross_attention", {"n": 200, "d": 2}, "one class"),
        ("self_attention", {"n": 20, "d": 22}, "one token in a class"),
        ("cross_attention", {"n": 20, "d": 21}, "one token in a class"),
        ("self_attention", {"n": 200, "d": 22, "m": 3}, "unknown key; allowed: n, d"),
    ],
)
def test_sizes_that_are_none_are_refused(model, size, text):
    with pytest.raises(ValidationError, match=text):
        ClaimsJob.model_validate(SETTINGS | {"sizes": SETTINGS["sizes"] | {model: [size]}})


def test_settings_survive_their_text():
    assert ClaimsJob.model_validate_json(JOB.canonical()) == JOB


def test_parameters_reach_the_claims():
    changed = JOB.model_copy(update={"a1": 0.9, "delta": 0.1})
    setting = setting_of(changed, 200, 22)
    assert claim("D.10.P1a").evaluate(setting).value == pytest.approx(1.9**2 * math.log(200))
    assert claim("D.9").evaluate(setting).bound == pytest.approx(0.1 / 200)
    assert evaluation.evaluate_claims(changed, [claim("D.10.P1a")])["value"][
        0
    ].as_py() == pytest.approx(1.9**2 * math.log(200))
