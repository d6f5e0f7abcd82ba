"""Claims on recall: they agree on true tables, and each finds what breaks it."""

import math

import pyarrow as pa
import pytest

from attention_separation import recall
from attention_separation.recall.exact.large_d_limits import delta_limit, linear_limit
from attention_separation.recall.layers import Delta
from attention_separation.studies.recall.claims.claims_table import (
    CAPACITY_ORDER,
    RECALL_CLAIMS,
    claims_table,
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


def verdicts(lines, capacities):
    found = claims_table(
        JOB, pa.Table.from_pylist(lines, LINES_SCHEMA), pa.Table.from_pylist(capacities, CAPACITIES)
    )
    return {row["claim"]: row["verdict"] for row in found.to_pylist()}


def test_all_agree_on_true_tables():
    assert verdicts(*tables()) == {each.name: "agrees" for each in RECALL_CLAIMS}


BREAKS = {
    "R1": lambda row: row["layer"] == "linear" and row["part"] == "line" and row["age"] is None,
    "R2": lambda row: row["layer"] == "delta_half",
    "R3": lambda row: row["part"] == "dot",
}


@pytest.mark.parametrize("claim", BREAKS)
def test_an_accuracy_that_is_off_differs(claim):
    lines, capacities = tables()
    rows = [row for row in lines if BREAKS[claim](row)]
    rows[-1]["accuracy"] -= 0.1
    assert verdicts(lines, capacities)[claim] == "differs"


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
    capacities[2] |= {"largest_n": 25.0, "low": 15.0, "high": 60.0}
    assert verdicts(lines, capacities)["R4"] == "undecided"
    capacities[2] |= {"largest_n": None, "low": 40.0, "high": None}
    assert verdicts(lines, capacities)["R4"] == "undecided"


def test_a_wide_dot_is_undecided():
    lines, capacities = tables()
    for row in lines:
        if row["part"] == "dot":
            row["error"] = 0.09
    assert verdicts(lines, capacities)["R3"] == "undecided"


def test_the_limit_is_that_of_the_line():
    assert math.isclose(linear_limit(1.0), 0.8413447, abs_tol=1e-6)
