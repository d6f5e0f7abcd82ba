"""Pictures show the API's numbers, and what is behind them agrees with the definitions."""

import math
import re
from itertools import product

import numpy as np
import pandas as pd
import pytest
from literal_kernels import literal_weights
from literal_layers import inputs
from needle_table import write_table

import attention_separation as asep
from attention_separation import explorer, recall
from attention_separation.any_attention.layers import LAYERS
from attention_separation.datasets.dataset import FixedData
from attention_separation.explorer import pictures
from attention_separation.needle import critical_n, limit
from attention_separation.rank_bound.bound import bound

pytestmark = pytest.mark.filterwarnings("ignore:.*a temperature (does not change|multiplies)")
"""What `at_temperature` says of scale-free kernels, which settings with a temperature have too."""

SETTINGS = [
    {"n": 420},
    {"attention_x": "ones", "n": 420, "theta": 0.9, "temperature": 2.0},
    {"model": "cross_attention", "n": 420, "m": 9},
]
KERNELS = ("exp", "elu_plus_one", "linear_unnormalised", "x**3")


@pytest.mark.parametrize("at", SETTINGS)
def test_a_curve_is_what_separate_says_at_each_value(subtests, at):
    """Against every parameter in one or two of the settings, at some of its values."""
    cross = "model" in at
    kernels = KERNELS[::3]
    for against in [*pictures.AXES][(SETTINGS.index(at) + 1) % 2 :: 2]:
        if cross and against in ("b", "c"):
            with pytest.raises(ValueError, match=f"whose tokens have no {against}"):
                explorer.draw_curve("exp", against, **at)
            continue
        lines = explorer.draw_curve(kernels, against, **at).axes[0].lines
        lines = {line.get_label(): line for line in lines}
        for kernel in kernels:
            with subtests.test(f"{kernel} against {against}"):
                for value, found in np.transpose(lines[kernel].get_data())[::20]:
                    moved = at | {against: value}
                    if against == "d":
                        moved["n"] = pictures.nearest_multiple(420, value - (1 if cross else 2))
                    wanted = pictures.separation(kernel, **moved).probability
                    assert found == pytest.approx(wanted, abs=1e-12)


def test_where_a_kernel_has_no_answer_a_curve_has_a_gap():
    gap = asep.scores(lambda x: np.where(x < 100, 1.0, np.inf), name="gap")
    line = explorer.draw_curve([gap], "a1", n=10**6, a1=0.1).axes[0].lines[0]
    assert np.isnan(line.get_ydata()[[0, -1]]).tolist() == [False, True]
    with pytest.raises(ArithmeticError, match="allowed: finite numbers"):
        explorer.draw_curve([gap], n=10**6, a1=3.0)
    with pytest.raises(ValueError, match="did you mean 'theta'"):
        explorer.draw_curve(["exp"], "thta")


@pytest.mark.parametrize("at", SETTINGS)
@pytest.mark.parametrize("kernel", ["exp", "linear_unnormalised", "hedgehog"])
def test_scores_have_the_probabilities_of_a_contests_events(kernel, at):
    of = asep.at_temperature(kernel, at.get("temperature", 1))
    where = {name: x for name, x in at.items() if name not in ("theta", "temperature")}
    for theta in (0.3, 0.9):
        found = pictures.separation(kernel, **at | {"theta": theta})
        figure = explorer.draw_scores(kernel, **at | {"theta": theta})
        won = asep.success({"fires": of, "silent": []}, **where, theta=theta)
        on_d1, not_on_d0 = won.events.values()
        for dataset, wanted in ((1, on_d1), (0, 1 - not_on_d0)):
            values, chances = pictures.score_law(found, dataset)
            assert chances.sum() == pytest.approx(1, abs=1e-12)
            assert (chances >= 0).all()
            assert chances[values > theta].sum() == pytest.approx(wanted, abs=1e-12)
            up, edges, _ = figure.axes[0].patches[1 - dataset].get_data()
            assert abs(up).sum() == pytest.approx(1, abs=0.02)
            assert abs(up)[edges[:-1] >= theta].sum() == pytest.approx(wanted, abs=0.02)


def test_a_score_that_ties_the_threshold_is_not_above_it():
    found = pictures.separation("exp", n=2000)
    values, chances = pictures.score_law(found, 1)
    tied = int(np.argmax(chances))
    above = chances[tied + 1 :].sum()
    words = explorer.draw_scores("exp", n=2000, theta=float(values[tied])).get_label()
    assert f"{pictures.in_digits(above)} on D1" in words


@pytest.mark.parametrize("kernel", ["exp", "elu_plus_one"])
@pytest.mark.parametrize("layer", [LAYERS[0], LAYERS[2]], ids=lambda each: each.words)
@pytest.mark.parametrize("classes", [2, 20])
def test_the_special_tokens_row_is_that_of_n_by_n_attention(kernel, layer, classes):
    at = {"model": layer.model, "n": 40, "d": layer.d(classes), "temperature": 2.0}
    for dataset in (0, 1):
        # The special query and key are token 5.
        queries, keys, _ = inputs(layer, FixedData(classes=classes), 40, dataset, (5,))
        weights = literal_weights(kernel, queries[5] / np.sqrt(2), keys[5] / np.sqrt(2))[5]
        same = np.arange(40) % classes == 5 % classes
        wanted = [weights[5], weights[same].sum() - weights[5], weights[~same].sum()]
        row = pictures.row_weights(pictures.separation(kernel, **at), dataset)
        assert row == pytest.approx(wanted, rel=1e-9)


def test_bars_of_a_row_are_shares():
    figure = explorer.draw_row(["exp", "linear_unnormalised"], n=2000)
    widths = np.array([bar.get_width() for bar in figure.axes[0].patches]).reshape(3, 4)
    assert widths.sum(axis=0) == pytest.approx([1] * 4)
    assert widths[0, 0] == pytest.approx(asep.separate("exp", n=2000).share)
    labels = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert labels[:2] == ["exp, D1: 97 %", "exp, D0: 0.067 %"]
    assert figure.axes[0].yaxis_inverted()


def test_the_rank_bound_is_the_bound():
    of_a_i, _, of_any, *_ = explorer.draw_rank_bound(16, 5, 4).axes[0].lines
    for any_value, line in ((False, of_a_i), (True, of_any)):
        assert {1, 5, 16} <= {*line.get_xdata()}
        wanted = [bound(16, int(r), 4, any_value) for r in line.get_xdata()]
        assert line.get_ydata() == pytest.approx(wanted)
    with pytest.raises(ValueError, match="rank=0; allowed: whole numbers from 1 to"):
        explorer.draw_rank_bound(16, 0, 4)


def test_a_line_stays_while_the_slider_moves_that_it_is_drawn_against(monkeypatch):
    """For each value of another parameter it is drawn anew."""
    pictures._curve.cache_clear()
    asked = []

    def separation(kernel, **at):
        asked.append(at)
        return pictures_separation(kernel, **at)

    pictures_separation = pictures.separation
    monkeypatch.setattr(pictures, "separation", separation)
    counts = []
    for at in ({"a1": 1.31}, {"a1": 1.36}, {"a1": 1.36, "b": 0.35}):
        asked.clear()
        explorer.draw_curve("exp", "a1", n=200, **at)
        counts.append(len(asked))
    assert counts[1] == 1 < counts[0] == counts[2]


def test_recall_is_what_its_room_says():
    figure = explorer.draw_recall(d=16, n=32, decay=0.9)
    lines = {line.get_label(): line for line in figure.axes[0].lines}
    layers = {"square": "power_2", "linear": "linear", "softmax": "exp_sqrt_d"}
    for word, kernel in layers.items():
        (line,) = [line for label, line in lines.items() if re.match(rf"{word}(, 1/√d)?:", label)]
        wanted = [recall.accuracy(kernel, int(n), 16).value for n in line.get_xdata()]
        assert line.get_ydata() == pytest.approx(wanted, abs=1e-12)
    (decayed,) = [line for label, line in lines.items() if "decay 0.9:" in label]
    wanted = recall.accuracy(recall.decay("linear", 0.9), 32, 16).value
    assert decayed.get_ydata()[pictures.PAIRS.index(32)] == pytest.approx(wanted, abs=1e-12)
    with pytest.raises(ValueError, match=r"n=33; allowed: \(2, 4, "):
        explorer.draw_recall(n=33)


NO_NUMBERS = [None, "no", True, object(), np.array([1.0, 2.0]), [], {}, b"2", math.nan]
NUMBERS = {
    explorer.draw_needle: ("mu", "n"),
    explorer.draw_recall: ("d", "n", "decay"),
    explorer.draw_rank_bound: ("d", "rank", "heads"),
}


@pytest.mark.parametrize("draw", NUMBERS, ids=lambda draw: draw.__name__)
def test_what_is_no_number_is_named(subtests, draw):
    for name in NUMBERS[draw]:
        for wrong in NO_NUMBERS:
            refused = pytest.raises(ValueError, match=f"{name}=.*; allowed")
            with subtests.test(f"{name}, {type(wrong).__name__}"), refused:
                draw(**{name: wrong})


def test_what_is_no_list_of_kernels_or_no_axis_is_named():
    for wrong in (None, 3, True, [], {}):
        for draw in (explorer.draw_curve, explorer.draw_row):
            with pytest.raises(ValueError, match=r"kernels=.*; allowed: a list of kernels"):
                draw(wrong)
    for wrong in (None, 3, [], np.array([1.0, 2.0])):
        with pytest.raises(ValueError, match=r"against=.*; allowed: n, "):
            explorer.draw_curve(["exp"], wrong)


TABLED = pd.read_csv(pictures.NEEDLE_LIMITS_FILE, index_col=["kernel", "mu"])
NEAR = 2e-5  # how far numerics of another machine may move an accuracy


@pytest.mark.parametrize("mu", [3, 8])
@pytest.mark.parametrize("kernel", ["uniform", "linear", "exp", "bayes"])
def test_the_needles_table_has_the_limits(kernel, mu):
    assert {*TABLED.index} == {*product(pictures.NEEDLE_KERNELS, pictures.MUS)}
    row = TABLED.loc[(kernel, mu)]
    assert row["last_n"] == pytest.approx(math.floor(critical_n(kernel, mu)), rel=1e-9)
    for n in (8, 512, 2**20):
        assert row[str(n)] == pytest.approx(limit(kernel, mu, n), abs=NEAR)


def test_the_needles_table_has_the_limit_of_a_power():
    assert TABLED.loc[("power_2", 3)]["128"] == pytest.approx(limit("power_2", 3, 128), abs=NEAR)


def test_the_needles_table_as_it_is_written(monkeypatch, tmp_path):
    header, *rows = pictures.NEEDLE_LIMITS_FILE.read_text(encoding="utf-8").splitlines()
    monkeypatch.setattr(pictures, "NEEDLE_LIMITS_FILE", tmp_path / "table")
    monkeypatch.setattr(pictures, "NEEDLE_KERNELS", ["uniform"])
    monkeypatch.setattr(pictures, "MUS", [5])
    write_table()
    written = pictures.NEEDLE_LIMITS_FILE.read_text(encoding="utf-8").splitlines()
    assert written == [header, *[row for row in rows if row.startswith("uniform,5,")]]


def test_the_needles_picture_is_the_table():
    figure = explorer.draw_needle(5.0, 512)
    for kernel, line in zip(pictures.NEEDLE_KERNELS, figure.axes[0].lines, strict=False):
        row = TABLED.loc[(kernel, 5.0)]
        assert line.get_label() == f"{kernel}: {row['512']:.3f}"
        assert line.get_ydata() == pytest.approx(row[[*map(str, pictures.TOKENS)]])
    assert figure.axes[0].get_ylim()[1] < 1.1
    # As README and docs/tasks.md say them.
    assert "0.75 or more up to n = 162 for linear" in figure.get_label()
    assert "186,073 for softmax" in figure.get_label()
    for wrong in ((5.1, 512), (5.0, 500)):
        with pytest.raises(ValueError, match="not in the table"):
            explorer.draw_needle(*wrong)
