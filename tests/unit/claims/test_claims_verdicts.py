"""Verdicts: what is known to hold, and to fail, is called so; a wrong bound is found."""

import math
from dataclasses import replace

import pytest
from unit.claims.cases import (
    JOB,
    claim,
)

from attention_separation.softmax_vs_linear.claims.attended import Case
from attention_separation.softmax_vs_linear.claims.audit import audit
from attention_separation.softmax_vs_linear.claims.claim import margin
from attention_separation.softmax_vs_linear.claims.paths import SizePath
from attention_separation.softmax_vs_linear.claims.two_levels import levels


@pytest.mark.parametrize(
    ("name", "verdict"),
    [
        ("4.2.P3", "holds at the paper's sizes"),
        ("F.10.P3.value", "holds at the paper's sizes"),
        ("D.2.P3a.from-0.7", "holds at the paper's sizes"),
        ("4.2.P1", "false at every n tested"),
        ("D.2.P4a", "false at every n tested"),
        ("D.4.P2", "false at every n tested"),
        ("6.2.printed", "false at every n tested"),
        ("E.1.P3a.from-0.7", "false at every n tested"),
    ],
)
def test_verdicts_of_claims_whose_truth_is_known(by_id, name, verdict):
    assert {row["verdict"] for row in by_id[name]} == {verdict}


FALSE = """
4.2.P1 5.2.m D.2.P4a D.3.P4 D.3.P5 D.4.P2 D.5.m E.1.P3a.from-0.7 E.1.P4.own E.2.P4 E.2.P5 E.4.m
1.1.m 1.1.identity.m 6.2.m 6.2.printed F.2.P3a.from-0.7 F.5.m 1.2.m
"""
REFUTED = "5.1 5.3 5.4"
LATE = """
5.1.every 5.3.every 5.4.every D.4.P2.at-0.7 D.8.P1 D.8.P2 D.8.hoeffding D.9 D.12.P1
D.12.P2 D.12.hoeffding D.13 D.16.P1 D.16.P2 D.16.hoeffding D.17 E.3.P2 E.3.hoeffding 1.1
1.1.identity 6.2 F.4.P2 F.4.hoeffding F.8.P1 F.8.P2 F.8.hoeffding F.9 F.12.P1 F.12.P2
F.12.hoeffding F.13 F.16.P1 F.16.P2 F.16.hoeffding F.17 1.2
"""
CONSTANT = "4.1.P1 4.1.P2 4.2.P1.sqrt 5.2 D.5 E.4 F.5"
SMALL_D = (
    "D.4.assumption D.4.hoeffding D.8.assumption D.12.assumption D.16.assumption E.3.assumption"
)


def test_what_is_said_of_every_claim(by_id):
    expected = dict.fromkeys(by_id, "holds at the paper's sizes")
    for ids, start in (
        (FALSE, "false at every"),
        (REFUTED, "refuted below n = "),
        (LATE, "holds only from n >= "),
        (CONSTANT, "holds, with constant C = "),
        (SMALL_D, "holds at "),
    ):
        expected |= dict.fromkeys(ids.split(), start)
    for name, start in expected.items():
        assert by_id[name][0]["verdict"].startswith(start), name
    for name in SMALL_D.split():
        assert by_id[name][0]["verdict"].endswith(" of the paper's 8 sizes")


def test_constants_are_the_least_that_suffice(by_id):
    assert by_id["5.2"][0]["verdict"] == "holds, with constant C = 1.443"  # 1 / log 2
    for row in by_id["D.5"]:
        setting = JOB.setting(row["n"], row["d"])
        p = Case("self_attention", "exp", 1, "ones").column(setting)
        assert (1 - p) ** (row["value"] * setting.log_n_over_delta) == pytest.approx(setting.rare)
    for name, kernel, dataset, power in (
        ("4.1.P1", "lin", 0, 0.5),
        ("4.1.P2", "exp", 0, 0.1),
        ("4.2.P1.sqrt", "lin", 1, 0.5),
    ):
        for row in by_id[name]:
            setting = JOB.setting(row["n"], None)
            data = levels(row["n"], kernel, dataset)
            t = row["value"] * math.sqrt(setting.log_n_over_delta) / row["n"] ** power
            bound = 2 * math.exp(-(t**2) / (2 * data.squares(data.worst())))
            assert bound == pytest.approx(setting.rare)
    assert by_id["4.2.P1"][0]["growth"].endswith("moves like n^0.50.")


def test_a_late_start_is_found_and_named(by_id):
    # With d - 2 = n / 4 the classes are many enough soon, with d fixed never.
    for row in by_id["D.8.P1"]:
        assert row["from_n_d_fixed"] is None
        assert 200 < row["from_n_d_quarter"] < row["from_n_d_sqrt"] < 20000
        assert row["verdict"].startswith(f"holds only from n >= {row['from_n_d_sqrt']},")
    one = claim("D.8.P1")
    path = SizePath("self_attention", "d quarter")
    start = by_id["D.8.P1"][0]["from_n_d_quarter"]
    assert one.evaluate(JOB.setting(*path.size(start))).holds
    assert not one.evaluate(JOB.setting(*path.size(start - 4))).holds


@pytest.mark.parametrize("name", ["D.3.P1", "F.7.P2", "4.2.P2", "D.10.P1b"])
def test_a_wrong_bound_changes_the_verdict(by_id, name):
    true = claim(name)
    sign = -1 if true.relation == "at least" else 1
    wrong = replace(true, bound=lambda setting: true.bound(setting) * 10**-sign * 0.1**sign)
    found = audit(JOB, [wrong]).to_pylist()
    assert by_id[name][0]["verdict"] == "holds at the paper's sizes"
    assert {row["verdict"] for row in found} == {"false at every n tested"}
    assert not any(row["holds"] for row in found)


def test_a_claim_that_holds_at_some_sizes_only():
    one = replace(claim("F.8.P1"), cells=lambda s: float(s.d == 3), bound=lambda s: 0.5)
    rows = audit(JOB, [one]).to_pylist()
    assert rows[0]["verdict"] == "holds at 7 of the paper's 8 sizes"
    assert "It holds at 7 of the 8 sizes" in rows[0]["growth"]


def test_a_claim_that_ceases_to_hold():
    one = replace(claim("5.3"), cells=lambda s: float(s.n > 500), bound=lambda s: 0.5)
    rows = audit(JOB, [one]).to_pylist()
    assert rows[0]["verdict"] == "false at every large n tested"
    assert "the last of them n = 400" in rows[0]["paths"]


def test_ranges_report_their_worst_end(by_id):
    row = by_id["E.1.P3a"][0]
    assert row["holds"]
    assert row["range_margin"] < 0
    assert row["range_at"].startswith("a₁ = 0.7")
    assert by_id["D.2.P3a"][0]["range_margin"] > 0
    assert by_id["4.1.P1"][0]["range_margin"] is None


@pytest.mark.parametrize(
    ("value", "bound", "relation", "holds"),
    [
        (1.0, 2.0, "at most", True),
        (2.0, 1.0, "at most", False),
        (2.0, 1.0, "at least", True),
        (1.0, 2.0, "at least", False),
        (1.0, 1.0, "at most", True),
        (1.0, 1.0 + 1e-15, "equal", True),
        (1.0, 1.0 + 1e-6, "equal", False),
        (0.0, 0.0, "equal", True),
        (1e-300, 0.0, "at most", False),
    ],
)
def test_margin_is_positive_if_and_only_if_the_claim_holds(value, bound, relation, holds):
    assert (margin(value, bound, relation) > 0) == holds


def test_a_claim_reports_its_worst_cell():
    one = replace(claim("D.3.P1"), cells=lambda s: [3.0, 1.0, 2.0], bound=lambda s: 1.5)
    assert one.evaluate(JOB.setting(200, 22)).value == 1.0
