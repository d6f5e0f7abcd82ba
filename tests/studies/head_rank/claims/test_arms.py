"""Claims on repeated batches, on the schedule, and on networks beside the paper's, each apart; the
runs here are made up."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rank_runs import ARMS, FIG1, MARGIN, VARIANTS, as_published, changed, evidence_of, runs_of

from attention_separation.results.claims import claim_rows
from attention_separation.statistics.contrasts import PAIRED
from attention_separation.studies.head_rank.claims.arm_claims import BATCH_CLAIMS, VARIANT_CLAIMS
from attention_separation.studies.head_rank.claims.claim import PAPERS
from attention_separation.studies.head_rank.claims.claims_table import RUN_CLAIMS

NAMES = (
    "training loss is error",
    "training loss is error, per step",
    "repeated batches",
    "schedule",
)


def judged(rows, margin=MARGIN):
    evidence = evidence_of(rows, margin)
    return {claim.name: claim.row(evidence) for claim in BATCH_CLAIMS}


def verdicts(rows, margin=MARGIN):
    return [row["verdict"] for row in judged(rows, margin).values()]


def test_arms_that_do_alike_agree():
    rows = judged(runs_of(ARMS))
    assert tuple(rows) == NAMES
    assert {row["verdict"] for row in rows.values()} == {"agrees"}
    assert {row["comparisons"] for row in rows.values()} == {4}
    assert {row["origin"] for row in rows.values()} == {"this reproduction's"}
    # Runs of one seed share their initial values and their held-out sets.
    assert rows["repeated batches"]["interval"] == rows["schedule"]["interval"] == PAIRED
    for row in rows.values():
        assert row["sizes"] == "d=8, N=4"
        assert row["bound_description"].startswith("margin")


def test_without_the_arms_there_is_no_verdict():
    assert verdicts(runs_of(FIG1)) == ["not run"] * 4


@pytest.mark.parametrize(("beyond", "verdict"), [(-1e-6, "agrees"), (1e-6, "differs")])
def test_a_training_loss_may_flatter_by_the_margin(exact_intervals, beyond, verdict):
    rows = [row | {"min_train": row["test_error"] - MARGIN - beyond} for row in runs_of(ARMS)]
    assert verdicts(rows) == [verdict, verdict, "agrees", "agrees"]


def is_repeated(cell):
    return cell.regime == "repeated"


def is_per_epoch(cell):
    return cell.schedule == "per_epoch"


@given(
    case=st.sampled_from([(is_repeated, "repeated batches"), (is_per_epoch, "schedule")]),
    sign=st.sampled_from([1, -1]),
)
def test_what_batches_do_is_told_from_what_the_schedule_does(exact_intervals, case, sign):
    is_other, differing = case
    beside = {"repeated batches", "schedule"} - {differing}
    for beyond, verdict in ((-1e-6, "agrees"), (1e-6, "differs")):
        difference = sign * (MARGIN + beyond)
        rows = judged(runs_of(ARMS, error=lambda cell, by=difference: 0.4 + by * is_other(cell)))
        assert rows[differing]["verdict"] == verdict
        assert rows[differing]["measured"] == pytest.approx(difference)
        assert {rows[name]["verdict"] for name in beside} == {"agrees"}


def test_cells_of_other_steps_are_no_arms():
    other = [row | {"steps": 200} if row["regime"] == "fresh" else row for row in runs_of(ARMS)]
    assert verdicts(other)[2] == "not run"


def test_single_runs_are_not_judged():
    rows = judged(runs_of(changed(ARMS, runs=1), reported=0.001))
    for row in rows.values():
        assert row["verdict"] == "not judged"
        assert row["reason"].startswith("a single run has no interval (L=1, w=3, r=2, N=4")
    assert rows["training loss is error"]["measured"] == pytest.approx(0.499)


VARIANT_NAMES = (
    "biases, one layer",
    "biases, three layers",
    "LayerNorm, one layer",
    "LayerNorm, three layers",
)


def variant_verdicts(error):
    rows = runs_of(VARIANTS, error=error)
    found = [claim.row(evidence_of(rows)) for claim in VARIANT_CLAIMS]
    assert tuple(row["claim"] for row in found) == VARIANT_NAMES
    assert {(row["origin"], row["comparisons"]) for row in found} == {(PAPERS, 2)}
    return [row["verdict"] for row in found]


def test_each_claim_is_on_its_own_variant_and_layers(exact_intervals):
    """And is held against the margin on each of its sides."""

    def error(cell):
        return 0.3 + 0.1 * bool(cell.layer_norm)

    assert variant_verdicts(error) == ["agrees"] * 4
    for beyond, verdict in ((-1e-6, "agrees"), (1e-6, "differs")):
        for sign in (1, -1):

            def off_at_one_cell(cell, by=sign * (MARGIN + beyond)):
                is_there = cell.biases is False and (cell.layers, cell.rank) == (3, 8)
                return error(cell) + by * is_there

            assert variant_verdicts(off_at_one_cell) == ["agrees", verdict, "agrees", "agrees"]

        def hardly_at_one_cell(cell, by=MARGIN - beyond):
            is_there = cell.layer_norm and (cell.layers, cell.rank) == (1, 2)
            return 0.3 + by if is_there else error(cell)

        assert variant_verdicts(hardly_at_one_cell) == [
            "agrees",
            "agrees",
            verdict,
            "agrees",
        ]


def test_without_variants_there_is_no_verdict():
    found = [claim.row(evidence_of(runs_of(FIG1))) for claim in VARIANT_CLAIMS]
    assert [row["verdict"] for row in found] == ["not run"] * 4


def test_no_other_claim_is_on_variants():
    def error(cell):
        return 5.0 if cell.biases is False or cell.layer_norm else as_published(cell)

    def rows_of(*grids):
        evidence = evidence_of(runs_of(*grids, error=error))
        return {row["claim"]: row for row in claim_rows(RUN_CLAIMS, evidence)}

    with_variants = rows_of(FIG1, ARMS, VARIANTS)
    without = rows_of(FIG1, ARMS)
    changed = {name for name, row in without.items() if with_variants[name] != row}
    assert changed == {*VARIANT_NAMES}
