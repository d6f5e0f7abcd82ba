"""Other readings of "with high probability": what they change, and what they leave."""

import math
from dataclasses import replace
from fractions import Fraction

import pytest
from claim_cases import JOB, claim

from attention_separation.studies.lemmas import whp_readings
from attention_separation.studies.lemmas.claim import setting_of
from attention_separation.studies.lemmas.claims_table import all_claims
from attention_separation.studies.lemmas.whp_readings import READINGS, evaluate_readings


def readings_of(claims):
    return {(row["id"], row["reading"]): row for row in evaluate_readings(JOB, claims).to_pylist()}


def test_every_claim_with_a_delta_is_read_in_every_way(monkeypatch):
    monkeypatch.setattr(whp_readings, "_verdict", lambda job, claim, reading: "holds")
    rows = readings_of(all_claims())
    wanted = {one.id for one in all_claims() if "δ" in one.columns()["formula"]}
    wanted -= {f"5.{k}{m}" for k in (1, 3, 4) for m in ("", ".m")}
    assert {*rows} == {(name, reading) for name in wanted for reading in READINGS}


def test_a_reading_is_the_bound_on_failure_and_leaves_the_experiments_m():
    n = 2000
    usual = setting_of(JOB, n, 22)
    for reading, failure in (
        ("δ/n, δ = 0.1", Fraction(1, 10) / n), ("δ/n, δ = 0.05", Fraction(5, 100) / n),
        ("δ/n, δ = 0.001", Fraction(1, 1000) / n), ("δ/n²", Fraction(1, 100) / n**2),
        ("δ/√n", 0.01 / math.sqrt(n)),
    ):  # fmt: skip
        setting = READINGS[reading].setting_at(JOB)(n, 22)
        assert setting.failure_probability == pytest.approx(float(failure))
        assert claim("D.9").bound(setting) == pytest.approx(float(failure))
        assert setting.columns(1 / math.log(2)) == math.ceil(math.log2(1 / failure))
        assert setting.m == usual.m == 15


def test_a_reading_that_changes_a_verdict_does_so():
    rows = readings_of([claim("D.4.hoeffding"), claim("D.9")])
    row = rows["D.4.hoeffding", "δ/√n"]
    assert row["changes"]
    assert row["verdict"] == "the guessed bound holds at the sizes tested"
    assert row["usual"].startswith("the guessed bound holds only from n >= ")
    # Numbers alone: the start of Theorem D.9 is later the rarer a failure may be.
    readings = ("δ/√n", "δ/n, δ = 0.1", "δ/n, δ = 0.05", "δ/n, δ = 0.001", "δ/n²")
    found = [rows["D.9", reading] for reading in readings]
    starts = [int(row["verdict"].removeprefix("holds only from n >= ")) for row in found]
    usual = int(found[0]["usual"].removeprefix("holds only from n >= "))
    assert starts == sorted({*starts})
    assert starts[2] < usual < starts[3]
    assert not any(row["changes"] for row in found)
    # Between two bounds on failure it holds with the one and not with the other.
    setting = setting_of(JOB, 10**6, 22)
    between = math.sqrt(JOB.delta / setting.n * JOB.delta / setting.n**2)
    one = replace(claim("D.9"), cells=lambda s: between * (setting.n / s.n) ** 1.5)
    for row in evaluate_readings(JOB, [one]).to_pylist():
        assert row["usual"] == "holds at the sizes tested"
        assert row["changes"] == (row["reading"] == "δ/n²")


def test_of_lemmas_on_all_data_a_reading_says_what_is_proved(by_id):
    rows = readings_of([claim("5.1"), claim("5.1.every")])
    start = by_id["5.1.every"][0]["from_n_d_fixed"]
    assert rows["5.1.every", "δ/n²"]["usual"] == f"holds only from n >= {start}"
