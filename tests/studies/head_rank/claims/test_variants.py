"""Claims on networks beside the paper's, and none of theirs on such; the runs here are made up."""

from rank_runs import ARMS, FIG1, MARGIN, VARIANTS, as_published, evidence_of, runs_of

from attention_separation.results.claims import claim_rows
from attention_separation.studies.head_rank.claims.arm_claims import VARIANT_CLAIMS
from attention_separation.studies.head_rank.claims.claim import PAPERS
from attention_separation.studies.head_rank.claims.claims_table import RUN_CLAIMS

NAMES = (
    "biases, one layer", "biases, three layers", "LayerNorm, one layer", "LayerNorm, three layers",
)  # fmt: skip


def verdicts(error):
    rows = runs_of(VARIANTS, error=error)
    found = [claim.row(evidence_of(rows)) for claim in VARIANT_CLAIMS]
    assert tuple(row["claim"] for row in found) == NAMES
    assert {(row["origin"], row["comparisons"]) for row in found} == {(PAPERS, 2)}
    return [row["verdict"] for row in found]


def test_each_claim_is_on_its_own_variant_and_layers(exact_intervals):
    """And is held against the margin on each of its sides."""

    def error(cell):
        return 0.3 + 0.1 * bool(cell.layer_norm)

    assert verdicts(error) == ["agrees"] * 4
    for beyond, verdict in ((-1e-6, "agrees"), (1e-6, "differs")):
        for sign in (1, -1):

            def off_at_one_cell(cell, by=sign * (MARGIN + beyond)):
                is_there = cell.biases is False and (cell.layers, cell.rank) == (3, 8)
                return error(cell) + by * is_there

            assert verdicts(off_at_one_cell) == ["agrees", verdict, "agrees", "agrees"]

        def hardly_larger_at_one_cell(cell, by=MARGIN - beyond):
            is_there = cell.layer_norm and (cell.layers, cell.rank) == (1, 2)
            return 0.3 + by if is_there else error(cell)

        assert verdicts(hardly_larger_at_one_cell) == ["agrees", "agrees", verdict, "agrees"]


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
    assert changed == {*NAMES}
