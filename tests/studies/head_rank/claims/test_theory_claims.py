"""Claims on numbers without training: each agrees on the numbers made, and fails where it "
"should."""

import copy
import functools

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_separation.results.tables import chosen, table_from_rows
from attention_separation.statistics.claims import Verdict
from attention_separation.studies.head_rank.claims import theory_claims, vote_claims
from attention_separation.studies.head_rank.claims.claim import ORIGINS, Evidence
from attention_separation.studies.head_rank.claims.claims_table import (
    COMPUTED_CLAIMS,
    RUN_CLAIMS,
    claims_table,
)
from attention_separation.studies.head_rank.constructions import (
    features,
    rank_1_heads,
    temperature,
    vote,
)
from attention_separation.studies.head_rank.settings import jobs
from attention_separation.studies.head_rank.theory.bound_table import (
    NEEDED,
    bound_rows,
    needed_rows,
    points_rows,
)
from attention_separation.studies.head_rank.theory.found_table import found_rows
from attention_separation.studies.head_rank.theory.layers_table import layer_rows
from attention_separation.studies.head_rank.theory.plurality_table import plurality_rows

LEVEL = 0.01


@functools.cache
def made_rows():
    """Rows of each table, small."""
    return {
        "temperatures": temperature.errors_of_temperature(jobs.TemperatureJob(
            seed=1, draws=20, temperatures=[10, 1000], biased=[{"d": 4, "biases": [0.5, 0]}],
            cases=[{"distribution": name, "d": 8, "n": 2} for name in ("uniform", "orthogonal")],
        )).to_pylist(),
        "needed_heads": list(needed_rows(jobs.BoundSettings(
            dimensions=[8, 16, 32], doublings=4, errors=[0.3, 0.1, 0.05], points=[3]
        ))),
        "features": features.features_table(jobs.FeaturesJob(seed=1, runs=[
            {"law": law, "dimensions": [4, 8], "draws": 2, "heads": 64}
            for law in ("compromise", "independent", "published")
        ])).to_pylist(),
        "found_heads": list(found_rows(jobs.FoundJob(
            dimensions=[4, 8], draws=50, most_heads=12, most_optimised=12,
            steps=20, temperatures=[10, 1000], seed=3
        ))),
        "pluralities": list(plurality_rows(jobs.PluralityJob(
            draws=300, distributions=["uniform", "orthogonal"], dimensions=[6], points=[2, 24],
            heads=[4, 128], seed=1,
        ))),
        "trained_layers": list(layer_rows(jobs.LayersJob(
            dimensions=[4, 8], rates=[0.03], runs=1, steps=30, batch=64, held_out=500, seed=1
        ))),
    }  # fmt: skip


def verdicts(changed=None, change=None) -> dict[str, str]:
    """The verdict of each claim; `change` is done to the rows of one table."""
    rows = copy.deepcopy(made_rows())
    if changed:
        for row in rows[changed]:
            change(row)
    evidence = Evidence(margin=0.0, level=LEVEL, seed=1, **rows)
    of_others = (
        vote_claims.MAJORITY_VOTE, vote_claims.MORE_VOTERS, vote_claims.PUBLISHED_FEATURES,
    )  # fmt: skip
    judged = [claim for claim in COMPUTED_CLAIMS if claim not in of_others]
    return {claim.name: claim.row(evidence)["verdict"] for claim in judged}


def test_all_agree_on_the_numbers_made():
    assert {*verdicts().values()} == {Verdict.AGREES}
    assert len(verdicts()) == 11


def test_the_published_features_report_less_than_they_have_where_both_are_furthest_apart():
    evidence = Evidence(margin=0.0, level=LEVEL, seed=1, features=made_rows()["features"])
    found = vote_claims.PUBLISHED_FEATURES.row(evidence)
    differences = []
    for reported in chosen(made_rows()["features"], quantity="reported"):
        size = {name: reported[name] for name in ("d", "heads", "draw")}
        (attained,) = chosen(made_rows()["features"], quantity="attained", **size)
        differences.append(attained["error"] - reported["error"])
    assert found["measured"] == max(differences)
    assert found["bound"] == vote_claims.ATTAINED


def scaled(name, factor, **where):
    """A change of one column's numbers, in the rows that are as `where` says."""

    def change(row):
        if row[name] is not None and all(row[key] == value for key, value in where.items()):
            row[name] *= factor

    return change


def shrunk(row):
    """A trained layer of one size with a tenth of its error."""
    if (row["d"], row["rank"], row["heads"]) == (8, 2, 4):
        for name in ("error", "ci_low", "ci_high"):
            row[name] *= 0.1


FAILING = {
    "a full-rank head that has twice its law": (
        "temperatures", scaled("error_exact", 2, temperature=1000.0, distribution="uniform"),
        "Fact 1",
    ),
    "a full-rank head no better than low rank": (
        "found_heads", scaled("error", 300, kind="full_rank"), "Theorem 2",
    ),
    "a bound of nothing at one size": (
        "found_heads", scaled("bound_any_value", 0, d=8, rank=4, heads=2), "Theorem 2",
    ),
    "heads that grow slower with d": (
        "needed_heads", scaled("log10_heads_any_value", 0.5, d=32, rank=1, error=0.05),
        "Theorem 2 at rank 1",
    ),
    "softmax heads that are worse": (
        "found_heads", scaled("error", 2, kind="linear", d=8), "softmax at low rank",
    ),
    "hardmax heads that are better": (
        "found_heads", scaled("error", 0.3, kind="optimised", d=4), "softmax at low rank",
    ),
    "a vote of many points with no error": (
        "pluralities", scaled("rank_0", 10, n=24), "a vote needs few points",
    ),
    "a vote of two points no better than rank 0": (
        "pluralities", scaled("rank_0", 0.01, n=2), "a vote needs few points",
    ),
    "random heads below the bound": (
        "features", scaled("error", 0.1, quantity="best"), "random heads above the bound",
    ),
    "random heads that need more than the printed number": (
        "features", scaled("error", 20, quantity="best"), "random features suffice",
    ),
    "heads below the bound": (
        "found_heads", scaled("bound", 1.5, kind="linear", d=8, rank=1),
        "heads found above the bound",
    ),
    "a trained layer better than the heads found": (
        "trained_layers", shrunk,
        "trained layers against heads found",
    ),
    "a trained layer below the bound": (
        "trained_layers", shrunk,
        "trained layers above the bound",
    ),
}  # fmt: skip


@given(case=st.sampled_from([*FAILING]))
def test_each_can_fail(case):
    name, change, claim = FAILING[case]
    assert verdicts(name, change)[claim] == Verdict.DIFFERS


VOTES = [
    row | {"p_value": 0.02 * (1 + place)}
    for place, row in enumerate(vote.error_rows(
        jobs.VoteJob(
            seed=2, draws=60, dimensions=[3, 4], heads=[1, 3, 33, 97, 129, 1057], epsilons=[0.5]
        )
    ))
]  # fmt: skip
"""With p-values of which no two are equal."""


@given(claim=st.sampled_from([*COMPUTED_CLAIMS]))
def test_no_claim_depends_on_the_order_of_rows(claim):
    """The rows of tables may stand in any order: those that a claim compares, it finds."""
    tables = made_rows() | {"votes": VOTES}
    expected = claim.row(Evidence(margin=0.0, level=LEVEL, seed=1, **copy.deepcopy(tables)))
    rng = np.random.default_rng(8)
    for _ in range(4):
        shuffled = {
            name: [rows[k] for k in rng.permutation(len(rows))]
            for name, rows in copy.deepcopy(tables).items()
        }
        assert claim.row(Evidence(margin=0.0, level=LEVEL, seed=1, **shuffled)) == expected


def test_claims_stand_in_the_order_of_their_origins():
    tables = made_rows() | {"votes": VOTES}
    evidence = Evidence(margin=0.0, level=LEVEL, seed=1, **copy.deepcopy(tables))
    every_claim = RUN_CLAIMS + COMPUTED_CLAIMS
    rows = claims_table(evidence).to_pylist()
    by_claim = {row["claim"]: ORIGINS.index(row["origin"]) for row in rows}
    assert [*by_claim.values()] == sorted(by_claim.values())
    # Which is not that of the lists of claims; of one origin it is.
    as_listed = [by_claim[claim.name] for claim in every_claim]
    assert as_listed != sorted(as_listed)
    for origin in {*as_listed}:
        of_origin = [claim.name for claim in every_claim if by_claim[claim.name] == origin]
        assert [name for name in by_claim if by_claim[name] == origin] == of_origin


@pytest.mark.parametrize(("factor", "verdict"), [(1.2, Verdict.AGREES), (1.3, Verdict.DIFFERS)])
def test_fact_1_may_be_a_quarter_off_its_law(factor, verdict):
    def change(row):
        if row["construction"] == "fact_1":
            row["error_exact"] = row["error_law"] * factor

    assert verdicts("temperatures", change)["Fact 1"] == verdict


def test_one_random_head_says_nothing_of_an_exponent():
    """Its logarithm is 0, so that it would agree whatever its error."""
    evidence = Evidence(margin=0.0, level=LEVEL, seed=1, features=made_rows()["features"])
    best = [row for row in made_rows()["features"] if row["quantity"] == "best"]
    several = [row for row in best if row["heads"] > 1]
    assert len(several) < len(best)
    assert vote_claims.RANDOM_FEATURES_SUFFICE.row(evidence)["comparisons"] == len(several)


def test_the_corollary_is_on_errors_that_degree_1_does_not_reach():
    # d heads reach every error above 1/2 - 1/pi: there heads grow with d alone.
    evidence = Evidence(margin=0.0, level=LEVEL, seed=1, needed_heads=made_rows()["needed_heads"])
    row = theory_claims.GROWTH_AT_RANK_1.row(evidence)
    assert row["comparisons"] == 4
    slow = [
        row["heads"]
        for row in made_rows()["needed_heads"]
        if row["error"] == 0.3 and row["rank"] == 1
    ]
    assert list(map(int, slow)) == [5, 10, 20]


def test_the_tables_of_bounds():
    job = jobs.BoundSettings(dimensions=[8], doublings=60, errors=[0.1], points=[2, 4, 16])
    rows = list(bound_rows(job))
    sizes = [(row["rank"], row["heads"]) for row in rows]
    assert len({*sizes}) == len(sizes)
    assert sizes == sorted(sizes)
    assert {(2, 2**60), (2, 11), (4, 16), (8, 1)} <= {*sizes}
    assert {row["budget"] for row in rows if row["heads"] == 11} == {"d^2.5"}
    of_points = list(points_rows(job))
    assert {(row["n"], row["rank"]) for row in of_points} == {
        (n, r) for n in (2, 4) for r in (1, 2, 4, 8)
    }
    two = {(row["rank"], row["heads"]): row["bound"] for row in of_points if row["n"] == 2}
    known = {(row["rank"], row["heads"]): row["bound"] for row in rows}
    assert two == pytest.approx({size: known[size] for size in two})
    table = table_from_rows(made_rows()["needed_heads"], NEEDED)
    assert table["heads"].type == pa.string()
    assert all(int(heads) >= 1 for heads in table["heads"].to_pylist())


def test_one_random_head_is_right_more_often_than_not(monkeypatch):
    """By its angle's quadrature as by the sum over degrees; with half of that it would differ."""
    for d in (4, 8, 64):
        by_degree = rank_1_heads.head_vs_target(d, np.ones(1)).item()
        assert 1 - vote.wrong_probability(d, 1) == pytest.approx(by_degree, abs=1e-5)
    right = vote.wrong_probability
    monkeypatch.setattr(vote, "wrong_probability", lambda d, heads: 0.25 + right(d, heads) / 2)
    evidence = Evidence(margin=0.0, level=LEVEL, seed=1)
    assert vote_claims.ONE_RANDOM_HEAD.row(evidence)["verdict"] == Verdict.DIFFERS
