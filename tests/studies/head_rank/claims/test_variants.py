"""Claims on networks beside the paper's, and none of theirs on such; the runs here are made up."""

from rank_runs import ARMS, FIG1, VARIANTS, as_published, evidence_of, runs_of

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


def test_each_claim_is_on_its_own_variant_and_layers():
    def error(cell):
        return 0.3 + 0.1 * bool(cell.layer_norm)

    assert verdicts(error) == ["agrees"] * 4
    assert verdicts(lambda cell: 0.3) == ["agrees", "agrees", "differs", "differs"]
    for more in (0.1, -0.1):

        def off_at_one_cell(cell, more=more):
            return error(cell) + more * (
                cell.biases is False and (cell.layers, cell.rank) == (3, 8)
            )

        assert verdicts(off_at_one_cell) == ["agrees", "differs", "agrees", "agrees"]


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
