"""Verdicts: what is known to hold, and to fail, is called so; paths of sizes and other readings."""

import math
import re
from dataclasses import replace
from fractions import Fraction

import pytest
from claim_cases import JOB, claim
from hypothesis import given
from hypothesis import strategies as st

from attention_separation.studies.lemmas import whp_readings
from attention_separation.studies.lemmas.attention import CASES_WITH_ONES, CROSS_CASES, EXP_0
from attention_separation.studies.lemmas.claim import Measured, Relation, setting_of
from attention_separation.studies.lemmas.claims_table import all_claims, evaluate_claims
from attention_separation.studies.lemmas.lemma import Case, Lemma
from attention_separation.studies.lemmas.origins import SUBJECTS
from attention_separation.studies.lemmas.paths import SizePath, holds_from, least_margin, paths
from attention_separation.studies.lemmas.regression import levels
from attention_separation.studies.lemmas.verdicts import Evaluation, verdict
from attention_separation.studies.lemmas.whp_readings import READINGS, evaluate_readings
from attention_separation.studies.softmax_vs_linear.models import MODELS
from attention_separation.studies.softmax_vs_linear.models.attention import (
    CROSS_ATTENTION_MODEL,
    SELF_ATTENTION_MODEL,
)
from attention_separation.studies.softmax_vs_linear.models.regression import REGRESSION

FAILS = """
A.1.columns 5.2.m D.2.P4a D.3.P4 D.3.P5 D.4.P2 D.5.m E.1.P3a.from-0.7 E.1.P4.own E.2.P4 E.2.P5
E.4.m 1.1.m 1.1.identity.m 6.2.m 6.2.printed F.2.P3a.from-0.7 F.5.m 1.2.m
"""
REFUTED = "5.1 5.3 5.4 5.1.m 5.3.m 5.4.m"
LATE = """
5.1.every 5.3.every 5.4.every 5.1.m.every 5.3.m.every 5.4.m.every
D.4.hoeffding D.4.P2.at-0.7 D.8.P1 D.8.P2 D.8.hoeffding D.9 D.12.P1
D.12.P2 D.12.hoeffding D.13 D.16.P1 D.16.P2 D.16.hoeffding D.17 E.3.P2 E.3.hoeffding 1.1
E.D0-exp.sign.P1 E.D0-exp.sign.P2 E.D0-exp.zero E.D1-lin.sign.P1 E.D1-lin.sign.P2 E.D1-lin.zero
E.D0-lin.sign.P1 E.D0-lin.sign.P2 E.D0-lin.zero
1.1.identity 6.2 F.4.P2 F.4.hoeffding F.8.P1 F.8.P2 F.8.hoeffding F.9 F.12.P1 F.12.P2
F.12.hoeffding F.13 F.16.P1 F.16.P2 F.16.hoeffding F.17 1.2
"""
LEAST = "5.2 D.5 E.4 F.5"
HOEFFDING = "4.1.P1 4.1.P2 4.2.P1.sqrt"
RATIOS = " ".join(f"{name}.assumption" for name in (
    "D.4", "D.8", "D.12", "D.16", "E.3", "F.4", "F.8", "F.12", "F.16"
))  # fmt: skip
HERE = "E.1.P3a E.1.P3b E.2.P1 E.2.P2.one E.3.P1 E.4"
"""Parts that hold with the experiments' parameters and not in all of the dataset's range."""
HOLDS, OF_THE_RANGE = re.compile(r"\bholds (at the sizes tested|with )"), "of the dataset's range"


def without_subject(row):
    return row["verdict"].removeprefix(f"{SUBJECTS.get(row['source'])} ")


def test_what_is_said_of_every_claim(by_id):
    expected = dict.fromkeys(by_id, "holds at the sizes tested")
    for ids, start in (
        (FAILS, "fails at every n tested"),
        ("4.2.P1", "fails: the least C grows like n^0.50, from 1.63 at n = 4 to "),
        (REFUTED, "with τ = 1/4*: refuted below n = "),
        (LATE, "holds only from n >= "),
        (LEAST, "holds with least C = "),
        (HOEFFDING, "holds with C = "),
        (RATIOS, "not judged: an o() says nothing at one size; "),
    ):
        expected |= dict.fromkeys(ids.split(), start)
    for name, start in expected.items():
        row = by_id[name][0]
        assert without_subject(row).startswith(start), name
        subject = start if row["relation"] == "ratio" else SUBJECTS.get(row["source"], start)
        assert row["verdict"].startswith(subject), name
    said = "holds at the sizes tested, for sums of random signs, all that was tested"
    assert by_id["3.1"][0]["verdict"] == said
    for name in REFUTED.split():
        end = f", proved from n = {by_id[f'{name}.every'][0]['from_n_d_fixed']}"
        assert by_id[name][0]["verdict"].endswith(end)
    for name in HOEFFDING.split():
        assert by_id[name][0]["verdict"].endswith(" by Hoeffding's bound at every n tested")


def verdict_on(one, beyond):
    """Whether a claim holds at two sizes, and what is said of it, where its cells are so far beyond
    its bound, relative to it."""

    def cell(setting):
        bound = one.bound(setting)
        return bound + beyond * abs(bound)

    made_up = replace(one, cells=cell)
    sizes = JOB.sizes.of(one.model)[:2]
    measured = [made_up.evaluate(setting_of(JOB, *size)) for size in sizes]
    (holds,) = {result.holds for result in measured}
    # A constant that fails is said along paths alone.
    return holds, "" if one.constant else verdict(Evaluation(made_up, measured, []))


def test_just_inside_its_bound_every_claim_holds_and_just_outside_it_fails():
    """Relative to the bound the tolerance of rounding is 1e-10."""
    outwards = {Relation.AT_MOST: (1,), Relation.AT_LEAST: (-1,), Relation.EQUAL: (1, -1)}
    judged = [one for one in all_claims() if one.model in MODELS and one.relation in outwards]
    assert {one.relation for one in judged} == {*outwards}
    for one in judged:
        for side in outwards[one.relation]:
            for by, expected, words in (
                (0.9e-10, True, "holds at the sizes tested"),
                (1.1e-10, False, "fails at every n tested"),
            ):
                holds, text = verdict_on(one, side * by)
                assert holds == expected, (one.id, side * by)
                assert one.constant or words in text, (one.id, text)


def test_what_fails_in_the_range_of_the_dataset_does_not_simply_hold(by_id):
    of_all = {name: rows for name, rows in by_id.items() if HOLDS.search(rows[0]["verdict"])}
    found = {name for name, rows in of_all.items() if rows[0]["verdict"].endswith(OF_THE_RANGE)}
    assert found == {*HERE.split()}
    assert by_id["E.1.P3a"][0]["verdict"].endswith(
        "holds at the sizes tested, fails at a₁ = 0.7, b = 0.1, c = 0.9 of the dataset's range"
    )
    assert " at every n tested, but with up to 5.29·10^6 at " in by_id["E.4"][0]["verdict"]
    for name, rows in of_all.items():
        if name not in found:
            assert all(one["range_margin"] is None or one["range_margin"] > 0 for one in rows), name


def test_a_late_start_says_where_it_fails_for_all_that(by_id):
    """At b = 0.9 a token's own class alone carries the other tokens over tau = 0.2 s."""
    for name in ("E.3.P2", "E.D0-exp.zero", "1.1.identity"):
        end = "; at n = 10^9 it fails at b = 0.9, c = 0.1 of the dataset's range"
        assert by_id[name][0]["verdict"].endswith(end)
    for name in ("D.8.P1", "D.9", "1.1", "6.2", "E.D1-lin.zero"):
        row = by_id[name][0]
        end = "with d − 2 = ⌈√n⌉; not yet at n = 10^9 with d − 2 = ⌈n^0.1⌉"
        assert row["verdict"].endswith(end)
        assert row["from_n_d_tenth"] is row["from_n_d_log"] is None


def test_an_o_is_not_judged(by_id):
    for name in RATIOS.split():
        for row in by_id[name]:
            assert (row["relation"], row["margin"], row["holds"]) == ("ratio", None, None)
            assert row["from_n_d_sqrt"] is None
        count = {"D": 2, "E": 2, "F": 1}[name[0]]
        ratios = [
            row["n"] / (row["d"] - count) * math.sqrt(row["d"]) / row["n"] ** 0.99
            for row in by_id[name]
        ]
        said = by_id[name][0]["verdict"]
        assert f"value / bound is {min(ratios):.3g} to {max(ratios):.3g} at the sizes" in said
        # d^(-1/2) n^0.01 as n grows: d fixed, about sqrt n, about n / 4.
        for slope in ("n^0.01 with d fixed", "n^-0.24 with d − ", "n^-0.49 with d − "):
            assert f"like {slope}" in said


def test_a_path_that_the_theorems_leave_out_says_so(by_id):
    text = by_id["D.8.assumption"][0]["verdict"]
    assert text.count("with d fixed") == text.count("(the theorems ask that it grows)") == 1
    assert text.endswith("with d − 2 = ⌈log n⌉ (the theorems ask that it grows faster)")
    row = by_id["F.4.hoeffding"][0]
    assert f"from n >= {row['from_n_d_tenth']}, with d − 1 = ⌈n^0.1⌉" in row["verdict"]
    # It starts last with d fixed, but there the theorems claim nothing.
    one = replace(claim("F.8.P1"), cells=lambda s: float(s.n < (5000 if s.d == 21 else 400)))
    row = evaluate_claims(JOB, [one]).to_pylist()[0]
    assert row["from_n_d_fixed"] > 4000
    assert re.search(r"from n >= 4\d\d, with d − 1 = ", row["verdict"])


def test_constants_are_the_least_that_suffice(by_id):
    said = "holds with least C = 1.443 at every n tested"  # 1 / log 2
    assert by_id["5.2"][0]["verdict"] == said
    for row in by_id["D.5"]:
        setting = setting_of(JOB, row["n"], row["d"])
        p = Case(SELF_ATTENTION_MODEL, "exp", 1, "ones").column_chance(setting)
        assert (1 - p) ** (row["value"] * setting.log_n_over_delta) == pytest.approx(
            setting.failure_probability
        )
    for name, kernel, dataset, power in (
        ("4.1.P1", "linear", 0, 0.5),
        ("4.1.P2", "exp", 0, 0.1),
        ("4.2.P1.sqrt", "linear", 1, 0.5),
    ):
        for row in by_id[name]:
            setting = setting_of(JOB, row["n"], None)
            data = levels(row["n"], kernel, dataset)
            t = row["value"] * math.sqrt(setting.log_n_over_delta) / row["n"] ** power
            bound = 2 * math.exp(-(t**2) / (2 * data.squares(data.worst())))
            assert bound == pytest.approx(setting.failure_probability)
    row = by_id["4.2.P1"][0]
    assert row["power_d_fixed"] == pytest.approx(0.5, abs=0.005)
    assert row["value_d_fixed"] == pytest.approx(4.28e4, rel=1e-3)


def test_a_claim_that_holds_at_some_sizes_only():
    one = replace(claim("F.8.P1"), cells=lambda s: float((s.n, s.d) == (256, 3)), claimed="≤ 1/2")
    rows = evaluate_claims(JOB, [one]).to_pylist()
    assert without_subject(rows[0]).startswith("holds at 7 of the 8 sizes tested")


def test_a_claim_that_ceases_to_hold():
    one = replace(claim("5.3"), cells=lambda s: float(s.n > 500), claimed="≤ 1/2")
    rows = evaluate_claims(JOB, [one]).to_pylist()
    assert rows[0]["verdict"] == "fails at every large n tested"
    assert (rows[0]["from_n_d_fixed"], rows[0]["last_n_d_fixed"]) == (None, 400)


def test_ranges_report_their_worst_end(by_id):
    row = by_id["E.1.P3a"][0]
    assert row["holds"]
    assert row["range_margin"] < 0
    assert row["range_at"].startswith("a₁ = 0.7")
    assert by_id["D.2.P3a"][0]["range_margin"] > 0
    assert by_id["4.1.P1"][0]["range_margin"] is None


def test_ranges_are_of_what_the_model_has():
    (of_a0, _), of_pairs = (
        Lemma("", cases[EXP_0]).ranges() for cases in (CROSS_CASES, CASES_WITH_ONES)
    )
    assert of_a0 == (("a0", 0.0),)
    # Each of two ends of a0 or none with each of two of b and c or none, but for none of both.
    assert len(of_pairs) == 3 * 3 - 1


def test_a_claim_reports_its_worst_cell():
    one = replace(claim("D.3.P1"), cells=lambda s: [3.0, 1.0, 2.0], claimed="≥ 1.5")
    assert one.evaluate(setting_of(JOB, 200, 22)).value == 1.0


@pytest.mark.parametrize("name", ["D.3.P1", "D.4.assumption"])
def test_a_cell_that_is_no_number_is_the_worst(name):
    one = replace(claim(name), cells=lambda s: [3.0, math.nan, 2.0])
    assert math.isnan(one.evaluate(setting_of(JOB, 200, 22)).value)


@pytest.mark.parametrize("model", [SELF_ATTENTION_MODEL, CROSS_ATTENTION_MODEL])
def test_sizes_of_paths_are_stacks(model):
    for path in paths(model, JOB.sizes.of(model.name)[0]):
        for n, d in path.doublings():
            model.check(n, d)
            assert 2 <= model.classes(d) <= n / 2
        size = path.size(3000)
        for _ in range(2000):
            later = path.after(size)
            model.check(*later)
            assert size[0] < later[0] <= size[0] + model.classes(later[1])
            assert size[1] <= later[1] <= size[1] + 1
            size = later
        last = path.doublings()[-1][0]
        assert last == pytest.approx(1e9, rel=1e-3)


@pytest.mark.parametrize(("name", "grown"), [("d tenth", lambda n: n**0.1), ("d log", math.log)])
def test_slow_paths_grow_as_their_names_say(name, grown):
    """Rounding n to whole classes moves it by less than a class."""
    (path,) = paths(SELF_ATTENTION_MODEL, (200, 22), (name,))
    for n, d in path.doublings():
        assert grown(max(n - d, 1)) <= d - 2 < grown(n + d) + 1
    assert [d - 2 for _, d in path.doublings()][::10] == {
        "d tenth": [2, 3, 5],
        "d log": [2, 9, 16],
    }[name]


def test_paths_begin_at_4_or_where_two_classes_have_two_tokens():
    assert SizePath(REGRESSION, "d fixed").doublings()[:2] == [(4, None), (6, None)]
    first = {path.name: path.doublings()[0] for path in paths(SELF_ATTENTION_MODEL, (200, 22))}
    slow = {"d sqrt": (4, 4), "d tenth": (4, 4), "d log": (4, 4)}
    assert first == {"d fixed": (40, 22), "d quarter": (8, 4), **slow}


@given(start=st.sampled_from([100, 101, 5000, 123457]))
def test_the_first_n_is_found(start):
    path = SizePath(REGRESSION, "d fixed")
    assert holds_from(path, lambda size: size[0] >= start) == start


def test_never_is_null():
    assert holds_from(SizePath(REGRESSION, "d fixed"), lambda size: size[0] < 10**6) is None


def test_a_failure_soon_after_the_first_success_moves_the_start():
    path = SizePath(REGRESSION, "d fixed")
    assert holds_from(path, lambda size: size[0] >= 333) == 333
    assert holds_from(path, lambda size: size[0] >= 333 and size[0] not in (340, 351)) == 352
    # What fails far beyond is not seen: the text says what was tested.
    assert holds_from(path, lambda size: size[0] >= 333 and size[0] != 777) == 333


def test_the_least_margin_is_of_what_can_be_judged():
    found = [Measured(20, 4, 1.0, 2.0, margin) for margin in (0.5, None, 0.0, 0.2)]
    assert least_margin(found) == found[2]
    assert least_margin(found[:2]) == found[0]
    assert least_margin(found[1:2]) is None


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
        ("δ/n, δ = 0.1", Fraction(1, 10) / n),
        ("δ/n, δ = 0.05", Fraction(5, 100) / n),
        ("δ/n, δ = 0.001", Fraction(1, 1000) / n),
        ("δ/n²", Fraction(1, 100) / n**2),
        ("δ/√n", 0.01 / math.sqrt(n)),
    ):
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
