"""Claims on computed numbers: they agree, and each can differ, be undecided or not run."""

import itertools
import math

import numpy as np
import pytest
from claimed_ranges import check_ends, comparisons_of
from hypothesis import given
from hypothesis import strategies as st
from making import CONFIG
from needle_tables import tracked

from attention_separation.datasets.another_x import margin, x_matrix
from attention_separation.datasets.self_attention import tokens
from attention_separation.needle.kernel_limits import LIMITS_BY_KERNEL
from attention_separation.results.claims import SCHEMA
from attention_separation.results.tables import table_from_rows
from attention_separation.statistics.claims import Verdict
from attention_separation.studies.needle.accuracy_limits import ACCURACY_SCHEMA, CRITICAL_SCHEMA
from attention_separation.studies.needle.claims import claims_table
from attention_separation.studies.needle.claims.claims_table import EXACT_CLAIMS, SUM_DEGREES
from attention_separation.studies.needle.claims.trained_claims import Evidence, Kind

STUDY = CONFIG.studies()["needle"]
DATA, ANOTHER_X = STUDY.section.data, STUDY.section.another_x


@pytest.fixture(scope="module")
def critical():
    """Rows of the table at the mu that slopes are taken between, and of softmax at more."""
    asked = {(name, mu) for name in LIMITS_BY_KERNEL for mu in (5, 6)} | {("exp", 3), ("exp", 8)}
    rows = tracked("needle_critical").to_pylist()
    return [row for row in rows if (row["kernel"], row["mu"]) in asked]


def judged(rows, **changes):
    evidence = Evidence(rows, DATA, ANOTHER_X.model_copy(update=changes))
    return {claim.name: claim.row(evidence) for claim in EXACT_CLAIMS}


def moved(rows, kernel, mu, factor, error=None):
    return [
        row | {"n_critical": row["n_critical"] * factor, "error": error or row["error"]}
        if (row["kernel"], row["mu"]) == (kernel, mu) else row
        for row in rows
    ]  # fmt: skip


def test_they_agree(critical):
    found = judged(critical)
    assert {name: row["verdict"] for name, row in found.items()} == {
        "N5": Verdict.AGREES, "N6": Verdict.AGREES, "N10": Verdict.AGREES,
    }  # fmt: skip
    assert found["N5"]["comparisons"] == 4
    assert (found["N6"]["comparisons"], found["N6"]["deciding_case"]) == (4, "μ = 3")
    assert found["N10"]["comparisons"] == 6
    evidence = Evidence(critical, DATA, ANOTHER_X)
    slopes = [each.measured.value for each in claims_table.slopes(evidence)]
    assert slopes == pytest.approx([4.08, 5.954, 8.285, 10.08], abs=0.005)
    assert all(
        0.67 <= each.measured.value <= 0.72 for each in claims_table.softmax_ratios(evidence)
    )
    assert round(found["N10"]["value"], 5) == 0.00645
    assert found["N10"]["deciding_case"].startswith("g = 1, K = 10, n = ")


def test_no_number_beyond_what_a_claim_is_held_to_agrees(critical):
    """5 % of a slope, .6 to .8 of softmax, and a margin's rounding."""
    f = margin(DATA, ANOTHER_X.weight)
    ranges = {
        "N5": {(0.95 * 2 * degree, 1.05 * 2 * degree) for degree in (2, 3, 4, 5)},
        "N6": {(0.6, 0.8)},
        "N10": {(f - 1e-12, f + 1e-12)},
    }
    for claim in EXACT_CLAIMS:
        compared = comparisons_of(claim, Evidence(critical, DATA, ANOTHER_X))
        found = {(each.least, each.most) for each in compared}
        assert sorted(found) == [
            pytest.approx(each, rel=1e-14) for each in sorted(ranges[claim.name])
        ]
        for each in compared:
            check_ends(each)


def largest(n, a, x, weigh):
    """Of each sign vector y, and of e_1, the largest entry of F's rows against it, over s."""
    d = DATA.classes + 2
    signs = np.array([*itertools.product((-1.0, 1.0), repeat=d)])
    keys = tokens(n, d, a, DATA.b, DATA.c, 0)
    weights = weigh(np.unique(keys, axis=0) @ x @ keys.T)
    rows = (weights / weights.sum(axis=1, keepdims=True)) @ keys / math.sqrt(math.log(n))
    return (rows @ np.vstack([signs, np.eye(d)[:1]]).T).max(axis=0)


def margins_of(n, x, weigh):
    return largest(n, DATA.a1, x, weigh) - largest(n, DATA.a0, x, weigh)


def test_what_is_said_beside_the_margin_that_does_not_shrink():
    """At another g; of softmax with X = I, read by e_1; and of random signs with the same X."""
    d = DATA.classes + 2
    assert [round(margin(DATA, g), 5) for g in (1, 100)] == [0.00645, 0.13665]
    for n in ANOTHER_X.sizes:
        assert claims_table.margin_of_rows(DATA, n, 100) == pytest.approx(margin(DATA, 100))
    softmax = margins_of(2_000, np.eye(d), lambda z: np.exp(z - z.max(axis=1, keepdims=True)))
    assert round(softmax[-1], 2) == 1.17
    few, many = (margins_of(n, x_matrix(d, 1.0), lambda z: z)[:-1] for n in (2_000, 50_000))
    kept = (many > 0) & (many > 0.5 * few)
    assert kept.sum() == 2 ** (d - 1) - 2 ** (d - DATA.classes) == 2044
    # All others' fall as 1/n.
    assert np.abs(many[~kept]).max() < 0.08 * np.abs(few[~kept]).max()


@given(kernel=st.sampled_from([*SUM_DEGREES]))
def test_another_slope_differs(critical, kernel):
    found = judged(moved(critical, kernel, 6.0, 1.25))
    assert (found["N5"]["verdict"], found["N6"]["verdict"]) == (Verdict.DIFFERS, Verdict.AGREES)
    assert found["N5"]["deciding_case"] == f"p = {SUM_DEGREES[kernel] - 1}"
    assert found["N5"]["value"] > found["N5"]["most"]


@pytest.mark.parametrize(("mu", "factor"), [(3.0, 0.85), (8.0, 1.3)])
def test_softmax_that_grows_otherwise_differs(critical, mu, factor):
    found = judged(moved(critical, "exp", mu, factor))
    assert found["N6"]["verdict"] == Verdict.DIFFERS
    assert found["N6"]["deciding_case"] == f"μ = {mu:g}"


def test_a_margin_that_shrinks_differs(critical, monkeypatch):
    of_rows = claims_table.margin_of_rows
    monkeypatch.setattr(claims_table, "margin_of_rows", lambda *at: of_rows(*at) * (1 - 1e-9))
    found = judged(critical)
    assert found["N10"]["verdict"] == Verdict.DIFFERS
    assert found["N10"]["deciding_case"].endswith("distinct rows")
    monkeypatch.setattr(claims_table, "margin_of_rows", lambda d, n, g: of_rows(d, n, g) / n)
    assert judged(critical)["N10"]["verdict"] == Verdict.DIFFERS


@pytest.mark.parametrize("mu", [5.0, 6.0])
def test_a_slope_is_known_as_well_as_both_its_ends(critical, mu):
    found = judged(moved(critical, "power_2", mu, 1.0, error=500.0))
    assert found["N5"]["verdict"] == Verdict.UNDECIDED


def test_what_is_not_known_well_enough_is_undecided(critical):
    assert (
        judged(moved(critical, "exp", 3.0, 1.0, error=30.0))["N6"]["verdict"] == Verdict.UNDECIDED
    )


def test_what_was_not_computed_is_not_run(critical):
    found = judged([row for row in critical if row["mu"] == 5.0 and row["kernel"] != "exp"])
    assert found["N5"]["verdict"] == found["N6"]["verdict"] == Verdict.NOT_RUN
    assert found["N5"]["comparisons"] == 0
    endless = moved(critical, "exp", 3.0, math.inf)
    assert judged(endless)["N6"]["comparisons"] == 3


def test_the_table(critical):
    table = claims_table.claims_table(
        STUDY.results["needle_claims"].settings,
        table_from_rows([], ACCURACY_SCHEMA),
        table_from_rows(critical, CRITICAL_SCHEMA),
    )
    assert table.schema.equals(SCHEMA)
    assert table["claim"].to_pylist() == ["N5", "N6", "N10"]
    assert {*table["kind"].to_pylist()} <= {*Kind}
