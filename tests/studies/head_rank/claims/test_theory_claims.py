"""Claims on numbers without training: each agrees on the numbers made, and has its bound."""

import copy
import functools
import math

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from attention_separation.rank_bound.bound import bound
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
            dimensions=[8, 16], doublings=4, errors=[0.3, 0.1, 0.05], points=[3]
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
            draws=300, distributions=["uniform"], dimensions=[3], points=[2, 24],
            heads=[4, 128], seed=1,
        ))),
        "trained_layers": list(layer_rows(jobs.LayersJob(
            dimensions=[4, 8], rates=[0.03], runs=1, steps=30, batch=64, held_out=500, seed=1
        ))),
    }  # fmt: skip


OF_VOTES = (vote_claims.MAJORITY_VOTE, vote_claims.MORE_VOTERS)
CLAIMS = {claim.name: claim for claim in COMPUTED_CLAIMS if claim not in OF_VOTES}


def evidence_with(**changed):
    """The evidence of the rows made, but for those of some tables."""
    tables = copy.deepcopy(made_rows()) | changed
    return Evidence(margin=0.0, level=LEVEL, seed=1, **tables)


@given(name=st.sampled_from([*CLAIMS]))
def test_all_agree_on_the_numbers_made(name):
    assert CLAIMS[name].row(evidence_with())["verdict"] == Verdict.AGREES


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


def known(row, error):
    """Give a row an error that has no interval."""
    row |= {"error": error, "ci_low": None, "ci_high": None}


def placed(table, place, **where):
    """A made-up number at a distance inside what is claimed of it: the rows of a table, of which
    `place(row, inside)` changes those that are as `where` says."""

    def rows_at(inside):
        rows = copy.deepcopy(made_rows()[table])
        of_place = chosen(rows, **where)
        assert of_place
        for row in of_place:
            place(row, inside)
        return {table: rows}

    return rows_at


def off_its_law(share_of):
    def place(row, inside):
        row["error_exact"] = row["error_law"] * (1 + share_of(inside))

    return placed("temperatures", place, construction="fact_1", temperature=1000.0, n=2)


def heads_of_rank_1(row, inside):
    row["log10_heads_any_value"] = (1 / (4 * row["error"]) + inside) * math.log10(row["d"])


def full_rank_error(d):
    rows = chosen(made_rows()["found_heads"], kind="full_rank", d=d)
    return min(row["error"] for row in rows)


def softmax_limit(row):
    size = {name: row[name] for name in ("d", "rank", "budget")}
    (limit,) = chosen(made_rows()["found_heads"], kind="linear", **size)
    return limit["error"]


def best_found(row):
    size = {name: row[name] for name in ("d", "rank", "heads")}
    return min(found["error"] for found in chosen(made_rows()["found_heads"], **size))


def beside_reported(row, inside):
    size = {name: row[name] for name in ("d", "heads", "draw")}
    (reported,) = chosen(made_rows()["features"], quantity="reported", **size)
    row["error"] = reported["error"] + 0.01 + inside


SIZE = {"d": 8, "rank": 2, "heads": 4}
LOW_RANK = {"d": 8, "rank": 1, "budget": "d^2"}
EDGES = [
    # A claim, and a number inside what it says by so much.
    ("Fact 1", off_its_law(lambda inside: 0.25 - inside)),
    ("Fact 1", off_its_law(lambda inside: inside - 0.25)),
    ("Theorem 2", placed(
        "found_heads",
        lambda row, inside: row.update(bound_any_value=full_rank_error(8) + inside), **SIZE,
    )),
    ("Theorem 2 at rank 1", placed("needed_heads", heads_of_rank_1, rank=1, error=0.05)),
    *(
        ("softmax at low rank", placed(
            "found_heads", lambda row, inside: known(row, softmax_limit(row) + inside), kind=kind,
            **LOW_RANK,
        ))
        for kind in ("random", "orthogonal", "optimised")
    ),
    ("heads found above the bound", placed(
        "found_heads", lambda row, inside: known(row, row["bound"] + inside), **SIZE,
    )),
    ("trained layers against heads found", placed(
        "trained_layers", lambda row, inside: known(row, best_found(row) + inside), **SIZE,
    )),
    ("trained layers above the bound", placed(
        "trained_layers", lambda row, inside: known(row, row["bound_any_value"] + inside), **SIZE,
    )),
    ("a vote needs few points", placed(
        "pluralities", lambda row, inside: known(row, row["rank_0"] - inside), n=2, heads=128,
    )),
    ("a vote needs few points", placed(
        "pluralities", lambda row, inside: known(row, row["rank_0"] + inside), n=24, heads=128,
    )),
    ("random heads above the bound", placed(
        "features",
        lambda row, inside: row.update(error=bound(row["d"], 1, row["heads"]) + inside),
        quantity="best", d=8, heads=16, law="independent", draw=1,
    )),
    ("random features suffice", placed(
        "features",
        lambda row, inside: row.update(error=row["d"] * math.sqrt((1 - inside) / math.log(16))),
        quantity="best", d=8, heads=16, law="independent", draw=1,
    )),
    ("published random features", placed("features", beside_reported, quantity="attained")),
]  # fmt: skip


@given(edge=st.sampled_from(EDGES))
def test_just_inside_its_bound_a_number_agrees_and_just_outside_it_differs(edge):
    name, rows_at = edge
    for inside, verdict in ((1e-7, Verdict.AGREES), (-1e-7, Verdict.DIFFERS)):
        row = CLAIMS[name].row(evidence_with(**rows_at(inside)))
        assert row["verdict"] == verdict, (name, inside)


def test_every_claim_on_numbers_has_its_edges():
    assert {name for name, _ in EDGES} | {"a random rank-1 head"} == CLAIMS.keys()


def test_an_interval_on_both_sides_of_the_bound_decides_nothing():
    """Intervals hold together: 57 of them at a level of 0.01 are 1.9 times as wide as one."""
    claim = CLAIMS["heads found above the bound"]
    normal = stats.norm.isf(LEVEL / 2 / 57) / stats.norm.isf(0.025)
    for reach, verdict in ((1.001, Verdict.UNDECIDED), (0.999, Verdict.AGREES)):
        rows = copy.deepcopy(made_rows()["found_heads"])
        (row, *_) = chosen(rows, **SIZE)
        row["error"] = row["bound"] + 0.01
        row["ci_low"] = row["error"] - reach * 0.01 / normal
        row["ci_high"] = row["error"] + reach * 0.01 / normal
        found = claim.row(evidence_with(found_heads=rows))
        assert (found["verdict"], found["comparisons"]) == (verdict, 57)


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


def of_votes(rows):
    return Evidence(margin=0.0, level=LEVEL, seed=1, votes=rows)


def test_a_vote_differs_from_its_law_where_its_p_value_is_below_the_level():
    first, *others = VOTES
    for p_value, verdict in ((1.001 * LEVEL, Verdict.AGREES), (0.999 * LEVEL, Verdict.DIFFERS)):
        evidence = of_votes([*others, first | {"p_value": p_value}])
        assert vote_claims.MAJORITY_VOTE.row(evidence)["verdict"] == verdict


def test_more_voters_err_less_where_intervals_of_both_counts_say_so():
    """Of each pair two intervals of Clopper and Pearson, at a level for all of them together: of
    each of two d 1 head against 33, and 3 against 97."""
    votes = [row for row in VOTES if row["heads"] < 1000]
    draws, wrong, level = 60, 10, LEVEL / 4 / 2
    counts = np.arange(1, draws)
    low = stats.beta.ppf(level / 2, counts, draws - counts + 1)
    enough = int(counts[low >= stats.beta.isf(level / 2, wrong + 1, draws - wrong)][0])
    for few, many, verdict in (
        (enough, wrong, Verdict.AGREES),
        (enough - 1, wrong, Verdict.UNDECIDED),
        (wrong, enough - 1, Verdict.UNDECIDED),
        (wrong, enough, Verdict.DIFFERS),
    ):
        rows = [row | {"wrong": many if row["heads"] > 32 else few} for row in votes]
        found = vote_claims.MORE_VOTERS.row(of_votes(rows))
        assert (found["verdict"], found["comparisons"]) == (verdict, 4), (few, many)


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
    assert row["comparisons"] == 2
    slow = [
        row["heads"]
        for row in made_rows()["needed_heads"]
        if row["error"] == 0.3 and row["rank"] == 1
    ]
    assert list(map(int, slow)) == [5, 10]


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
    """By its angle's quadrature as by the sum over degrees; by less than its limit it differs."""
    for d in (4, 8, 64):
        by_degree = rank_1_heads.head_vs_target(d, np.ones(1)).item()
        assert 1 - vote.wrong_probability(d, 1) == pytest.approx(by_degree, abs=1e-5)
    limit = math.sqrt(2) / math.pi**1.5
    for factor, verdict in ((1 + 1e-9, Verdict.AGREES), (1 - 1e-9, Verdict.DIFFERS)):

        def wrong(d, heads, factor=factor):
            return 0.5 - factor * limit / math.sqrt(d)

        monkeypatch.setattr(vote, "wrong_probability", wrong)
        assert CLAIMS["a random rank-1 head"].row(evidence_with())["verdict"] == verdict
