"""Claims on trained networks: on made-up runs each agrees, and each can differ or be undecided."""

import functools
import math

import pytest
from claimed_ranges import check_ends, comparisons_of
from hypothesis import given
from hypothesis import strategies as st
from making import CONFIG
from needle_cells import runs, table_of
from needle_tables import tracked

from attention_separation.needle.attention_sink import sink_accuracy
from attention_separation.results.claims import SCHEMA
from attention_separation.results.tables import table_from_rows
from attention_separation.statistics.claims import Verdict
from attention_separation.statistics.means import Mean
from attention_separation.studies.needle.claims import trained_claims
from attention_separation.studies.needle.claims.runs import (
    LADDER,
    CurvePoint,
    cell_words,
    crossing,
    mean_accuracy,
    trained_crossings,
)
from attention_separation.studies.needle.claims.trained_claims import CLAIMS_ON_NETWORKS, Evidence

SECTION = CONFIG.studies()["needle"].section
DATA, ANOTHER_X = SECTION.data, SECTION.another_x
LEVEL = 0.01
ACCURACIES_OF_SINKS = functools.cache(sink_accuracy)
SPREAD = (-0.002, -0.001, 0.0, 0.001, 0.002)
LINES, CRITICAL = (tracked(f"needle_{name}").to_pylist() for name in ("lines", "critical"))
LIMITS = {(row["kernel"], row["mu"], row["n"]): row["accuracy"] for row in LINES}


def around(mean):
    return [mean + off for off in SPREAD]


def made_up():
    """Runs a little beneath their lines, by cell."""
    cells = {}
    for mu in (4.0, 5.0):
        for n in (8, 32, 128, 512):
            for kernel in LADDER:
                divided = "n" if kernel == "linear" else "sum"
                accuracy = around(LIMITS[kernel, mu, n] - 0.005)
                cells[kernel, mu, n] = runs("query_given", kernel, mu, n, accuracy, divided)
    for arm, features, accuracy in (
        ("query_given", 8, 0.7), ("query_given", 32, 0.85), ("query_learned", 12, 0.93)
    ):  # fmt: skip
        cells[arm, features] = runs(
            arm, "elu_plus_one", 5.0, 128, around(accuracy), features=features
        )
    cells["query_learned", "exp"] = runs("query_learned", "exp", 5.0, 128, around(0.95))
    for kernel, divided, accuracy in (
        (None, "sum", 0.88), ("linear", "n", 0.87), ("linear", "sum", 0.6)
    ):  # fmt: skip
        cells["self_attention", kernel, divided] = runs(
            "self_attention", kernel, 5.0, 512, around(accuracy), divided
        )
    sinks = {"standardise": False, "learned": {"sink": [18.7, 18.72, 18.74, 18.76, 18.78]}}
    accuracy = around(LIMITS["bayes", 5.0, 512])
    cells["sink"] = runs("sink_learned", "softmax_one", 5.0, 512, accuracy, **sinks)
    sinks = {"standardise": False, "learned": {"sink": [18.72] * 5, "scale": [4.99] * 5}}
    cells["scale"] = runs("sink_and_scale_learned", "softmax_one", 5.0, 512, accuracy, **sinks)
    cells["control"] = runs("query_given", "exp", 5.0, 128, around(0.948), lr=0.01, control=True)
    return cells


@pytest.fixture(autouse=True)
def sinks_computed_once(monkeypatch):
    """The made-up runs have the same few sinks in every test."""
    monkeypatch.setattr(trained_claims, "sink_accuracy", ACCURACIES_OF_SINKS)


def evidence_of(cells):
    rows = [row for cell in cells.values() for row in cell]
    return Evidence(
        critical=CRITICAL, data=DATA, another_x=ANOTHER_X, limits=LINES, cells=rows, level=LEVEL
    )


def judged(cells):
    evidence = evidence_of(cells)
    return {claim.name: claim.row(evidence) for claim in CLAIMS_ON_NETWORKS}


def moved(name, by, spread=1.0):
    """The made-up runs with those of one cell at other accuracies."""
    cells = made_up()
    rows = cells[name]
    mean = sum(row["accuracy"] for row in rows) / len(rows)
    found = [mean + by + spread * (row["accuracy"] - mean) for row in rows]
    cells[name] = [
        row | {"accuracy": value} for row, value in zip(rows, found, strict=True)
    ]  # fmt: skip
    return cells


def test_they_agree():
    found = judged(made_up())
    assert [*found] == ["N1", "N2", "N3", "N4", "N7", "N8", "N9", "control", "N11"]
    assert {row["verdict"] for row in found.values()} == {Verdict.AGREES}
    counts = {name: row["comparisons"] for name, row in found.items()}
    # 40 cells of the ladder and nine others against Bayes, 16 against a bound of their own.
    assert counts["N1"] == 40 + 9 + 16
    lines = [LIMITS[k, mu, n] for mu in (4, 5) for n in (8, 32, 128, 512) for k in LADDER]
    assert counts["N2"] == sum(line >= 0.64 for line in lines)
    assert (counts["N3"], counts["N4"], counts["N8"], counts["N9"]) == (2, 3 + 1 + 3 + 4, 3, 1)
    assert counts["control"] == 2
    # Of each run the logit, and the accuracy at two other n.
    assert counts["N11"] == 2 * 5 * 3
    assert table_from_rows(list(found.values()), SCHEMA).num_rows == len(CLAIMS_ON_NETWORKS)


DIFFERENT = {
    # claim: (cell, by which its accuracies are moved, words of the comparison that decides)
    "N1": ("linear", 5.0, 512, 0.08, "bound, linear"),
    "N1 of the likelihood ratio": ("exp", 5.0, 512, 0.05, "likelihood ratio, exp"),
    "N2": ("power_2", 4.0, 128, -0.06, "power_2"),
    "N3": ("exp", 5.0, 512, -0.06, "softmax"),
    "N4": ("power_4", 5.0, 512, 0.04, "exp − power_4"),
    "N7": ("linear", 5.0, 128, 0.06, "linear, μ = 5"),
    "N8": ("query_given", 8, 0.2, "power_2 − elu"),
    "N8 of the fixed query": ("query_learned", 12, -0.06, "exp − elu"),
    "N8 of more features": ("query_given", 32, -0.2, "32 − 8"),
    "N9": ("self_attention", "linear", "n", -0.1, "no attention − linear"),
    "control": ("control", -0.06, "exp"),
}


RANGES = {
    "N1": {(-math.inf, 0.02)},
    "N2": {(-0.03, math.inf)},
    "N3": {(0.2, math.inf), (0.9, math.inf)},
    "N4": {(0.0, math.inf)},
    "N7": {(0.8, 1.25)},
    "N8": {(-math.inf, 0.04), (0.05, math.inf), (0.0, math.inf)},
    "N9": {(-math.inf, 0.03)},
    "control": {(-math.inf, 0.02), (-0.03, math.inf)},
    "N11": {(-0.2, 0.2), (-0.01, 0.01)},
}
"""What each claim is held to, by the rules that docs/ prints."""


def test_no_number_beyond_what_a_claim_is_held_to_agrees():
    for claim in CLAIMS_ON_NETWORKS:
        compared = comparisons_of(claim, evidence_of(made_up()))
        assert {(each.least, each.most) for each in compared} == RANGES[claim.name], claim.name
        for each in compared:
            check_ends(each)


@given(name=st.sampled_from([*DIFFERENT]))
def test_each_can_differ(name):
    *cell, by, words = DIFFERENT[name]
    cell = tuple(cell) if len(cell) > 1 else cell[0]
    row = judged(moved(cell, by))[name.partition(" ")[0]]
    assert row["verdict"] == Verdict.DIFFERS
    assert words in row["deciding_case"]


@pytest.mark.parametrize(
    ("cell", "learned", "words"),
    [
        ("sink", {"sink": 18.5}, "accuracy at 2048 tokens − computed, run 2"),
        # Scale and sink far up the ridge: accuracies are near, the logit is not.
        (
            "scale",
            {"scale": 5.1, "sink": 19.1},
            "logit − right, run 2, softmax_one, a sink and the",
        ),
        ("scale", {"scale": 4.8}, "accuracy at 2048 tokens − computed, run 2"),
    ],
)
def test_one_run_that_learned_another_sink_decides(cell, learned, words):
    cells = made_up()
    cells[cell][2] = cells[cell][2] | learned
    row = judged(cells)["N11"]
    assert row["verdict"] == Verdict.DIFFERS
    assert row["deciding_case"].startswith(words)


@pytest.mark.parametrize("which", ["learned", "computed"])
def test_a_sinks_accuracy_is_known_as_well_as_its_numerics(which, monkeypatch):
    def rough(mu, n, logit, scale=None):
        """Known to 1/10, of a learned scale or of the scores that a sink is right for."""
        is_learned = scale is not None
        error = 0.1 if is_learned == (which == "learned") else 0.0
        return sink_accuracy(mu, n, logit, scale)._replace(error=error)

    cells = {"scale": made_up()["scale"]}
    assert judged(cells)["N11"]["verdict"] == Verdict.AGREES
    monkeypatch.setattr(trained_claims, "sink_accuracy", rough)
    assert judged(cells)["N11"]["verdict"] == Verdict.UNDECIDED


def test_what_was_not_trained_is_not_run():
    found = judged({"one": runs("query_learned", "exp", 3.25, 100, around(0.9))})
    assert {row["verdict"] for row in found.values()} == {Verdict.NOT_RUN}
    found = judged({"one": runs("query_given", "exp", 5.0, 512, [0.92])})
    # A single run has no interval.
    assert found["N1"]["verdict"] == found["N2"]["verdict"] == Verdict.UNDECIDED
    assert found["N1"]["low"] is None


def test_controls_are_judged_apart():
    cells = made_up()
    cells["bad"] = runs("query_given", "uniform", 5.0, 512, around(0.9), lr=0.5, control=True)
    found = judged(cells)
    assert found["control"]["verdict"] == Verdict.DIFFERS
    assert {row["verdict"] for name, row in found.items() if name != "control"} == {Verdict.AGREES}


def test_a_control_is_named_by_how_it_was_trained():
    control = judged(
        {"one": runs("query_given", "exp", 5.0, 128, around(0.8), lr=0.5, control=True)}
    )
    assert control["control"]["deciding_case"] == (
        "mean accuracy − line, exp, query given, μ = 5, n = 128, learning rate 0.5"
    )
    plain, _ = runs("query_given", "exp", 5.0, 128, [0.8, 0.9], control=True, standardise=False)
    assert cell_words(plain).endswith("learning rate 0.02, outputs not standardised")


def test_a_run_varies_no_less_than_its_held_out_sequences():
    cell = runs("query_given", "exp", 5.0, 512, [0.7, 0.74, 0.78], held_out=10**6)
    assert mean_accuracy(cell).se == pytest.approx(0.04 / math.sqrt(3))
    # Runs that happen to agree are no more certain than their held-out sequences.
    same = mean_accuracy(runs("query_given", "exp", 5.0, 512, [0.5, 0.5], held_out=100))
    assert same.se == pytest.approx(math.sqrt(0.25 / 100 / 2))
    alone = mean_accuracy(runs("query_given", "exp", 5.0, 512, [0.5]))
    assert alone.value == 0.5
    assert math.isnan(alone.se)


def test_where_a_curve_crosses():
    def curve(*points):
        return [CurvePoint(n, Mean(accuracy, 0.01, 4)) for n, accuracy in points]

    found = crossing(curve((8, 0.95), (32, 0.85), (128, 0.65)))
    assert found.n == pytest.approx(64)
    # Both accuracies move by as much, so that n does in log n.
    moved = found.interval(0.05)
    assert (moved.low * moved.high, moved.value) == (pytest.approx(64**2), found.n)
    reach = Mean(0.0, 0.01, 4).interval(0.05).high
    assert moved.high == pytest.approx(64 * 4 ** (reach / 0.2))
    assert crossing(curve((8, 0.95), (32, 0.85))) is None
    assert crossing(curve((8, 0.7), (32, 0.6))) is None
    rows = [row for cell in made_up().values() for row in cell]
    found = {(kernel, mu): one.n for kernel, mu, one in trained_crossings(rows)}
    assert {("linear", 4.0), ("linear", 5.0), ("power_2", 4.0)} <= found.keys()
    assert 32 < found["linear", 4.0] < 128


def test_a_table_of_networks_has_its_columns():
    table = table_of(runs("self_attention", None, 5.0, 512, [0.8, 0.9]))
    assert table["kernel"].to_pylist() == [None, None]
    assert table["correct"].to_pylist() == [16_000, 18_000]
    assert cell_words(table.to_pylist()[0]) == "no attention, every token a query, μ = 5, n = 512"
