"""Cells of layers, and the tables of all: what they hold, and that dots lie on lines."""

import csv
import math
from functools import cache

from hypothesis import given
from hypothesis import strategies as st
from making import ROOT

from attention_separation import recall
from attention_separation.recall.asking import LARGEST_EXACT_ERROR
from attention_separation.recall.layers import Delta, LeastSquares, Scores
from attention_separation.studies.recall.settings.section import LayerJob, LayerSetting
from attention_separation.studies.recall.tables.cell_table import (
    CAPACITY,
    DOT,
    DOTS_BETWEEN,
    FEWEST_SIMULATED,
    GIVEN_KEYS,
    LINE,
    VARIED,
    Cell,
    cell_table,
    layer_of,
    spread,
)
from attention_separation.studies.recall.tables.joined import capacities_of, lines_of
from attention_separation.studies.recall.tables.state import KEYS, MATRIX, features_of, state_of

SMALL = {
    "dimensions": [8], "per_octave": 1, "ends_at": 0.6, "level": 0.9, "ages_at": 3, "ages": 4,
    "varied_at": 0.5, "cosines": [0.7], "rewrites": [1, 3],
    "trials": 1000, "dots": 2, "numbers": 40_000, "most_numbers": 100_000, "seed": 1,
}  # fmt: skip


def job(changes=None, **layer):
    return LayerJob(name="a", layer=LayerSetting(**layer), **SMALL | (changes or {}))


def test_of_a_delta_rule_the_ends_of_the_ages_stand_given_keys_too():
    changes = {"dimensions": [16], "ages_at": 4, "trials": 2000}
    cell = Cell(job(changes, beta=0.5), 16)
    latest, oldest = cell.given_keys()
    assert (latest["age"], oldest["age"], oldest["n"]) == (0, 63, 64)
    for row in (latest, oldest):
        drawn = cell.answer(64, row["age"])
        assert row["part"] == GIVEN_KEYS
        assert 0 < row["error"] < drawn.error / 5
        assert abs(row["accuracy"] - drawn.value) < 3 * drawn.error
    assert [*Cell(job(changes, kernel="linear"), 16).given_keys()] == []
    # With so few keys signs have to be drawn.
    assert [*Cell(job(changes | {"ages_at": 0.25}, beta=0.5), 16).given_keys()] == []


@cache
def table(**layer):
    """The rows of a layer's table, made once for all tests."""
    return cell_table(job(**layer))


LAYERS = [
    {"kernel": "linear"}, {"kernel": "linear", "decay": 0.7}, {"kernel": "linear", "window": 4},
    {"beta": 1}, {"beta": 0.5, "decay": 0.9}, {"least_squares": True}, {"kernel": "elu_plus_one"},
]  # fmt: skip


@given(layer=st.sampled_from(LAYERS))
def test_a_cell(layer):
    rows = table(**layer).to_pylist()
    line = [row for row in rows if row["part"] == LINE and row["age"] is None]
    dots = [row for row in rows if row["part"] == DOT]
    (capacity,) = [row for row in rows if row["part"] == CAPACITY]
    assert [row["n"] for row in line] == [2**k for k in range(len(line))]
    assert line[-1]["accuracy"] < 0.6 <= min([row["accuracy"] for row in line[:-1]], default=1)
    on_line = {(row["n"], row["age"]): row["accuracy"] for row in rows if row["part"] == LINE}
    for dot in dots:
        # Of one coordinate's accuracy, five times half of 95 % never lie beyond.
        assert abs(dot["accuracy"] - on_line[dot["n"], dot["age"]]) < 5 * dot["error"] + 0.03
    assert capacity["low"] is None or capacity["largest_n"] >= capacity["low"]
    ages = {row["age"] for row in rows if row["part"] == LINE} - {None}
    assert len(ages) == (
        0 if "least_squares" in layer or layer.get("kernel") == "elu_plus_one" else 4
    )


def varied(**layer):
    """Accuracies by cosine and rewrites, with their errors."""
    rows = table(**layer).to_pylist()
    return {
        (row["cosine"], row["rewrites"]): (row["accuracy"], row["error"])
        for row in rows
        if row["part"] == VARIED
    }


def test_noisy_queries_and_rewrites_of_a_kernel_are_those_of_the_api():
    found = varied(kernel="linear", decay=0.7)
    assert set(found) == {(0.7, 0), (1.0, 1), (1.0, 3)}
    for (cosine, rewrites), (value, error) in found.items():
        layer = recall.decay("linear", 0.7)
        answer = recall.accuracy(layer, n=4, d=8, cosine=cosine, rewrites=rewrites)
        assert (value, error) == (answer.value, answer.error)


def test_rewrites_ruin_a_sum_and_not_a_delta_rule():
    added = varied(kernel="linear")
    erased = varied(beta=1)
    for key in ((1.0, 1), (1.0, 3)):
        value, error = erased[key]
        assert value - error > added[key][0] + 0.05
    assert added[1.0, 3][0] < added[1.0, 1][0] < recall.accuracy("linear", 4, 8).value


def test_dots_stand_as_far_as_the_numbers_of_keys_allow():
    cell = Cell(job({"most_numbers": 400_000}, kernel="power_2"), 8)
    line = cell.line()
    least, most = DOTS_BETWEEN
    largest_n = 400_000 // (FEWEST_SIMULATED * 8)
    allowed = [row["n"] for row in line if least < row["accuracy"] < most and row["n"] <= largest_n]
    assert [row["n"] for row in cell.dots(line)] == [allowed[0], allowed[-1]]
    assert [*Cell(job({"most_numbers": 64}, kernel="power_2"), 8).dots(line)] == []


def test_what_the_kept_lines_call_exact_is():
    with (ROOT / "docs/recall/recall_lines.csv").open(encoding="utf-8", newline="") as lines:
        exact = [row for row in csv.DictReader(lines) if row["method"].startswith("exact")]
    assert len(exact) > 1000
    assert max(float(row["error"]) for row in exact) <= LARGEST_EXACT_ERROR


def test_a_capacity_is_the_largest_n():
    cells = table(kernel="linear")
    (row,) = capacities_of(cells).to_pylist()
    assert row["largest_n"] == row["low"] == row["high"] == recall.largest_n("linear", d=8)
    assert (row["state"], row["kept"]) == (8, MATRIX)
    assert len(lines_of(cells)) == len(cells) - 1


def test_a_layer_that_is_not_lost_in_reach():
    row = Cell(job({"numbers": 20_000}, kernel="sparsemax"), 8).capacity()
    assert row["largest_n"] is None
    assert row["high"] is None
    assert row["state"] == row["low"] > 60


def test_the_same_bytes():
    assert table(beta=1).equals(cell_table(job(beta=1)))


def test_layers():
    assert layer_of(job(beta=0.5, decay=0.9)) == Delta(0.5, 0.9)
    assert layer_of(job(least_squares=True)) == LeastSquares()
    layer = layer_of(job(kernel="exp", window=3))
    assert isinstance(layer, Scores)
    assert (layer.kernel.name, layer.decay, layer.window) == ("exp", 1.0, 3)


def test_states():
    assert [features_of(name, 4) for name in ("linear", "power_2", "power_3", "taylor_2")] == [
        4, 10, 20, 15,
    ]  # fmt: skip
    assert features_of("taylor_2_sqrt_d", 4) == 15
    assert features_of("exp", 4) is None
    assert features_of("power_log_n", 4) is None
    assert state_of(recall.delta(1), 4, 9) == (4, MATRIX)
    assert state_of(recall.window("linear", 3), 4, 9) == (3, KEYS)
    assert state_of(recall.decay("exp", 0.9), 4, 9) == (9, KEYS)
    assert state_of(recall.decay("exp", 0.9), 4, math.inf)[0] == math.inf


def test_spread():
    assert spread([1, 2, 3], 5) == [1, 2, 3]
    assert spread(list(range(11)), 3) == [0, 5, 10]
    assert spread([1, 2, 3], 0) == []
    assert spread([1, 2, 3], 1) == [1]
