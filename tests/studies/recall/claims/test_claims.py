"""Claims on recall: they agree on true tables, and each finds what breaks it."""

import pyarrow as pa
from claimed_ranges import check_ends

from attention_separation import recall
from attention_separation.recall.exact.large_d_limits import delta_limit, linear_limit
from attention_separation.recall.layers import Delta
from attention_separation.studies.recall.claims.claims_table import (
    CAPACITY_ORDER,
    RECALL_CLAIMS,
    Evidence,
    claims_table,
    noise_budgets,
)
from attention_separation.studies.recall.settings.section import ClaimsJob
from attention_separation.studies.recall.tables.joined import CAPACITIES, LINES_SCHEMA

JOB = ClaimsJob(level=0.01, seed=1)


def line(layer, n, accuracy, age=None, part="line", error=0.002):
    return {
        "part": part, "layer": layer, "d": 64, "n": n, "age": age, "accuracy": accuracy,
        "error": error, "method": "",
    }  # fmt: skip


def tables():
    """Lines as the limits have them, and a dot on each."""
    lines = []
    for n in (32, 64, 128):
        lines.append(line("linear", n, recall.accuracy("linear", n, 64).value, error=0.0))
        lines.append(line("linear", n, lines[-1]["accuracy"] + 0.001, part="dot"))
        for layer, beta in (("delta_1", 1.0), ("delta_half", 0.5)):
            lines.append(line(layer, n, delta_limit(Delta(beta), n, 64, None)))
    lines.append(line("delta_1", 256, 0.97, age=0))
    lines.append(line("linear", 256, 0.69, age=0, error=0.0))
    capacities = [
        {
            "layer": layer, "d": 64, "level": 0.9, "largest_n": 10.0 * 2**k, "low": 10.0 * 2**k,
            "high": 11.0 * 2**k, "state": 64.0, "kept": "a matrix", "method": "",
        }
        for k, layer in enumerate(CAPACITY_ORDER)
    ]  # fmt: skip
    return lines, capacities


EVIDENCE = Evidence(lines=[], capacities=[], level=JOB.level, seed=JOB.seed)


def verdicts(lines, capacities):
    found = claims_table(
        JOB, pa.Table.from_pylist(lines, LINES_SCHEMA), pa.Table.from_pylist(capacities, CAPACITIES)
    )
    return {row["claim"]: row["verdict"] for row in found.to_pylist()}


def test_all_agree_on_true_tables():
    assert verdicts(*tables()) == {each.name: "agrees" for each in RECALL_CLAIMS}


def moved(claim, off):
    """The verdict on a claim where the last number that it is judged on is so far off what it is
    held against, and known exactly."""
    lines, capacities = tables()
    rows = [row for row in lines if JUDGED_ROWS[claim](row)]
    row = rows[-1] | {"accuracy": HELD_AGAINST[claim] + off, "error": 0.0}
    others = [other for other in lines if other is not rows[-1]]
    return verdicts([*others, row], capacities)[claim.partition(" ")[0]]


JUDGED_ROWS = {
    "R1": lambda row: row["layer"] == "linear" and row["part"] == "line" and row["age"] is None,
    "R2": lambda row: row["layer"] == "delta_half",
    "R3": lambda row: row["part"] == "dot",
    "R5 of a delta rule": lambda row: row["layer"] == "delta_1" and row["age"] == 0,
    "R5 of linear attention": lambda row: row["layer"] == "linear" and row["age"] == 0,
}
HELD_AGAINST = {
    "R1": linear_limit(128 / 64),
    "R2": delta_limit(Delta(0.5), 128, 64, None),
    "R3": recall.accuracy("linear", 128, 64).value,
    "R5 of a delta rule": 0.9,
    "R5 of linear attention": 0.9,
}


def test_a_number_just_outside_differs_and_one_just_inside_agrees(subtests):
    """By the rules that docs/ prints: in units of 1/d, and of an accuracy."""
    for claim, least, most in [
        ("R1", -0.6 / 64, 0.6 / 64),
        ("R2", -(0.45 / 64 + 0.03), 0.45 / 64 + 0.03),
        ("R3", -0.08, 0.08),
        ("R5 of a delta rule", 0.0, None),
        ("R5 of linear attention", None, 0.0),
    ]:
        with subtests.test(claim=claim):
            for end, outwards in ((least, -1e-6), (most, 1e-6)):
                if end is not None:
                    assert moved(claim, end - outwards) == "agrees"
                    assert moved(claim, end + outwards) == "differs"


def test_dots_of_one_age_may_be_further_off():
    lines, capacities = tables()
    for row in [row for row in lines if row["age"] == 0]:
        lines.append(row | {"part": "dot", "accuracy": row["accuracy"] - 0.119, "error": 0.0})
        row["error"] = 0.0
    assert verdicts(lines, capacities)["R3"] == "agrees"
    lines[-1]["accuracy"] -= 0.002
    assert verdicts(lines, capacities)["R3"] == "differs"


def test_a_budget_is_kept_to_rounding():
    assert {(each.least, each.most) for each in noise_budgets(EVIDENCE)} == {(-1e-12, 1e-12)}
    for each in noise_budgets(EVIDENCE):
        check_ends(each)


def test_a_latest_pair_that_is_lost_differs():
    lines, capacities = tables()
    for row in lines:
        if row["age"] == 0 and row["layer"] == "delta_1":
            row["accuracy"] = 0.8
    assert verdicts(lines, capacities)["R5"] == "differs"


def test_layers_in_another_order_differ_or_are_undecided():
    lines, capacities = tables()
    capacities[2] |= {"largest_n": 5.0, "low": 5.0, "high": 6.0}
    assert verdicts(lines, capacities)["R4"] == "differs"
    # The layer before it is known to have from 20 to 22.
    for low, high, verdict in [
        (22 + 1e-6, 23, "agrees"),
        (22 - 1e-6, 23, "undecided"),
        (18, 20 + 1e-6, "undecided"),
        (18, 20 - 1e-6, "differs"),
    ]:
        capacities[2] |= {"largest_n": (low + high) / 2, "low": low, "high": high}
        assert verdicts(lines, capacities)["R4"] == verdict
    capacities[2] |= {"largest_n": None, "low": 40.0, "high": None}
    assert verdicts(lines, capacities)["R4"] == "undecided"


def test_a_wide_dot_is_undecided():
    lines, capacities = tables()
    for row in lines:
        if row["part"] == "dot":
            row["error"] = 0.09
    assert verdicts(lines, capacities)["R3"] == "undecided"
