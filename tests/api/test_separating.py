"""`separate`: the numbers of the tables, its parameters, and what it refuses."""

import itertools
import math
import re
import sys

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from literal_layers import literal_scores
from making import CONFIG, ROOT

import attention_separation as asep
from attention_separation.any_attention.layers import LAYERS
from attention_separation.attention.dense import attention
from attention_separation.attention.kernels import KERNELS
from attention_separation.datasets.dataset import FixedData
from attention_separation.messages.words import range_in_words
from attention_separation.studies.any_attention.tables.value_table import value_rows

DATA = CONFIG.any_attention.data
VALUES = pd.read_csv(ROOT / "docs/kernels/kernel_values.csv", comment="#")
TRACKED = 1e-7
"""Relative error of a tracked number, which has 8 digits."""


def test_at_its_defaults_it_is_every_row_of_the_table(subtests):
    for kernel in KERNELS:
        with subtests.test(kernel):
            tracked = VALUES[VALUES["kernel"] == kernel]
            sizes = sorted({*tracked["n"]})[::5]
            tracked = tracked[tracked["n"].isin(sizes)]
            rows = [
                row for layer in LAYERS for row in value_rows(KERNELS[kernel], layer, DATA, sizes)
            ]
            assert len(tracked) == len(rows) > 5
            for row, shown in zip(
                pd.DataFrame(rows).itertuples(), tracked.itertuples(), strict=True
            ):
                assert (row.model, row.n, row.resolved) == (shown.model, shown.n, shown.resolved)
                if not row.resolved:
                    continue
                found = asep.separate(kernel, row.model, row.attention_x, row.n)
                assert (found.d, found.m) == (row.d, row.m)
                ends = found.theta or (math.nan, math.nan)
                numbers = (found.probability, *ends, found.share)
                for table, digits in ((row, 1e-12), (shown, TRACKED)):
                    wanted = (table.p_best, table.theta_low, table.theta_high, table.share)
                    assert numbers == pytest.approx(wanted, rel=digits, nan_ok=True)
                at_papers = asep.separate(kernel, row.model, row.attention_x, row.n, theta="paper")
                assert at_papers.probability == pytest.approx(row.p_paper, rel=1e-12, abs=1e-300)


@pytest.mark.parametrize("layer", LAYERS, ids=lambda x: x.words)
def test_margins_are_those_of_the_table(layer):
    for kernel in ("exp", "linear", "uniform", "hedgehog"):
        for row in value_rows(KERNELS[kernel], layer, DATA, [200, 20_000, 10**9]):
            found = asep.separate(kernel, layer.model, layer.attention_x, row["n"])
            assert found.margin == row["margin"]


SMALL = FixedData(a0=0.3, a1=1.1, b=0.4, c=0.7, classes=3, columns=2)
TIE = 1e-12


def enumerated(kernel, layer, theta, gap):
    """P(scores at most theta - gap / 2 on D0, one above theta + gap / 2 on D1), literally: over all
    places and all sign matrices of two columns."""
    scores = (literal_scores(kernel, layer, SMALL, 6, dataset)[0] for dataset in (0, 1))
    found = []
    for u0, u1 in itertools.product(*scores):
        of_d0, of_d1 = (np.maximum.outer(u, u) for u in (u0, u1))
        quiet = of_d0 <= theta - gap / 2 + TIE
        found.append((quiet & (of_d1 > theta + gap / 2 + TIE)).mean())
    return np.mean(found)


@pytest.mark.parametrize("layer", LAYERS, ids=lambda x: x.words)
def test_thresholds_and_gaps_against_all_sign_matrices(subtests, layer):
    for kernel in ("exp", "linear", "elu_plus_one", "sparsemax"):
        with subtests.test(kernel):
            sizes = {
                "n": 6,
                "d": layer.d(3),
                "m": 2,
                "a0": SMALL.a0,
                "a1": SMALL.a1,
                **layer.columns,
            }
            if layer.model == "self_attention":
                sizes |= {"b": SMALL.b, "c": SMALL.c}
            middle = sum(asep.separate(kernel, **sizes).theta) / 2
            for theta, gap in ((middle, 0.0), (0.3, 0.0), (middle, 0.05), (0.5, 0.2), (0.9, 0.4)):
                found = asep.separate(kernel, theta=theta, margin=gap, **sizes)
                wanted = enumerated(kernel, layer, theta, gap)
                assert found.probability == pytest.approx(wanted, abs=1e-12), (theta, gap)
                assert (found.theta, found.gap) == (theta, gap)


@pytest.mark.parametrize("kernel", ["linear", "elu_plus_one", "exp", "x**3"])
def test_the_best_thresholds_for_a_gap_have_its_probability(kernel):
    """Where a gap's steps and those of scores nearly coincide too; and none between two scores has
    a larger one, by however little."""
    for n in (200, 2000):
        at = {"model": "cross_attention", "n": n}
        whole = asep.separate(kernel, **at)
        edges = whole.curve.edges[whole.curve.edges > 0]
        middles = (edges[:-1] + edges[1:]) / 2
        for part in (0.25, 0.9):
            gap = part * whole.margin
            found = asep.separate(kernel, **at, margin=gap)
            low, high = found.theta
            assert low < high, (n, part)
            for share in (0.01, 0.5, 0.99):
                theta = low + share * (high - low)
                again = asep.separate(kernel, **at, margin=gap, theta=theta).probability
                assert again == pytest.approx(found.probability, abs=1e-12), (n, part, theta)
            # Of these, the best without a gap is one.
            for theta in middles[::2]:
                other = asep.separate(kernel, **at, margin=gap, theta=theta).probability
                assert other <= found.probability + 1e-12, (n, part, theta)


MARGINS = {
    "exp": "exp", "exp_sqrt_d": "exp_sqrt_d", "linear": "linear", "hedgehog": "hedgehog",
    "uniform": "uniform", "sparsemax": "sparsemax", "minus_mean": "minus_mean_1_linear",
    "not divided": "linear_unnormalised", "a formula": "x**3 + 1",
    "large": asep.scores(lambda x: np.exp(4 * x), normalised=False),
    "small": asep.scores(lambda x: 1e-30 * x, normalised=False),
}  # fmt: skip


@pytest.mark.parametrize("layer", LAYERS, ids=lambda x: x.words)
def test_a_margin_is_a_gap_that_leaves_half(subtests, layer):
    """At the supremum itself; a gap that is larger by more than rounding leaves less."""
    for place, name in enumerate(MARGINS):
        with subtests.test(name):
            n = (20, 2000)[(place + LAYERS.index(layer)) % 2]
            kernel, at = MARGINS[name], (layer.model, layer.attention_x, n)
            found = asep.separate(kernel, *at)
            again = asep.separate(kernel, *at, margin=found.margin)
            if found.margin is None:
                assert (again.probability, again.gap) == (found.probability, 0)
                continue
            assert again.gap == found.margin
            assert again.probability >= found.probability / 2 * (1 - 1e-12)
            less = asep.separate(kernel, *at, margin=found.margin * (1 - 1e-6))
            assert less.probability >= again.probability - 1e-12
            size = float(found.scored.d1.size.max()) / math.sqrt(math.log(n))
            more = asep.separate(kernel, *at, margin=found.margin + 1e-11 * size)
            assert more.probability < found.probability / 2
            assert again.margin == found.margin


def test_an_alias_is_answered_under_the_kernels_name():
    found = asep.separate("none", n=200)
    assert found == asep.separate("uniform", n=200)
    assert found.kernel == "uniform"
    assert {*asep.compare(["none"], 200)["kernel"]} == {"uniform"}
    assert asep.kernels["none"].name == "uniform"
    assert "none" not in [*asep.kernels]


def test_what_tells_nothing_has_no_margin():
    found = asep.separate("uniform", "cross_attention")
    assert (found.probability, found.theta, found.margin) == (0.0, None, None)
    row = asep.compare("uniform", 200, "cross_attention").iloc[0]
    assert row[["theta_low", "theta_high"]].isna().all()


def test_rows_are_those_of_the_definition():
    found = asep.separate("exp", n=12, d=5).rows
    tokens = LAYERS[0].tokens(FixedData(classes=3), 12)
    parts = LAYERS[0].dataset.literal(tokens, 1, np.array([4]))
    c = attention(*parts, np.eye(5), KERNELS["exp"])
    special = found[(found["dataset"] == "D1") & (found["query"] == "special")].iloc[0]
    assert special[["first", "marked", "rest", "last"]].tolist() == pytest.approx(
        c[4, [0, 2, 1, 4]].tolist(), rel=1e-12
    )
    assert len(found) == 6
    assert len(asep.separate("exp", "cross_attention").rows) == 4


def test_the_curve_is_a_step_function_with_the_best_thresholds_on_its_highest_step():
    found = asep.separate("exp")
    assert found.curve.at(sum(found.theta) / 2) == found.probability
    assert found.curve.probability.max() == found.probability


WRONG = {
    "kernel": (("softmx",), {}, "'softmx' is no kernel; did you mean 'exp' (softmax)?"),
    "degree": (("power_2000",), {}, "allowed: power_P (x^P) with P from 0.01 to 1000"),
    "formula": (("x**",), {}, "'x**' is no kernel and no formula: column 4: invalid syntax"),
    "name in a formula": (("y + 1",), {}, "column 1: no quantity 'y'; allowed: x, n, d, log_n"),
    "call in a formula": (("__import__('os')",), {}, "no function '__import__'; allowed: where"),
    "model": (("exp", "self_atention"), {}, "did you mean 'self_attention'?"),
    "X": (("exp", "cross_attention", "ones"), {}, "attention_x='ones' with cross_attention"),
    "n that does not stack": (("exp",), {"n": 210}, "nearest valid n: 200 or 220"),
    "n beyond": (("exp",), {"n": 2 * 10**12}, "n=2000000000000; allowed: whole numbers from 2"),
    "d": (("exp",), {"d": 2}, "d=2; allowed: whole numbers from 3 to 20,002"),
    "m": (("exp",), {"m": 0}, "m=0; allowed: whole numbers from 1 to 1,000,000"),
    "a1": (("exp",), {"a1": math.nan}, "a1=nan; allowed: numbers above 0 to 1000"),
    "b": (("exp",), {"b": "x"}, "b='x'; allowed: numbers above 0 to 1000"),
    "theta's word": (("exp",), {"theta": "bets"}, "theta='bets'; allowed: 'best', 'paper' or a"),
    "theta below 0": (("exp",), {"theta": -1}, "theta=-1; allowed: 'best', 'paper' or a number"),
    "no end of theta": (("exp",), {"theta": math.inf}, "theta=inf; allowed: 'best', 'paper'"),
    "model as a list": (("exp", ["self_attention"]), {}, "model=['self_attention'] is unknown"),
    "X as an array": (("exp", "self_attention", np.eye(2)), {}, "with self_attention; allowed"),
    "margin": (("exp",), {"margin": -0.1}, "margin=-0.1; allowed: numbers from 0"),
}


def test_what_is_refused(subtests):
    for name, (given, more, words) in WRONG.items():
        with subtests.test(name), pytest.raises(ValueError, match=re.escape(words)):
            asep.separate(*given, **more)


def test_numbers_may_be_those_of_numpy():
    plain = asep.separate("exp", n=200, a1=1.5, theta=1.0, margin=0.5, m=9)
    given = {"a1": np.float32(1.5), "theta": np.int64(1), "margin": np.float32(0.5)}
    assert asep.separate("exp", n=np.int64(200), m=np.int8(9), **given) == plain


def test_memory_is_told_before_it_is_taken():
    found = asep.separate("exp", n=8000, d=4002)
    with pytest.raises(MemoryError, match=r"a margin at d=4002 takes about 152.7 GiB; allowed: 2"):
        _ = found.margin
    with pytest.raises(MemoryError, match="a margin at d=4002"):
        asep.separate("exp", n=8000, d=4002, margin=0.1)


def test_a_dollar_in_a_kernels_name_is_one_in_pictures():
    kernel = asep.scores(np.exp, name=r"cost $\foo$")
    axes = asep.separate(kernel, n=200).plot()
    asep.plot([kernel], n=[200, 400], axes=axes)
    axes.legend()
    axes.figure.draw_without_rendering()
    plt.close(axes.figure)


@pytest.mark.parametrize("kernel", ["linear", "uniform"])
def test_a_picture_of_what_never_separates_marks_no_threshold(kernel):
    never = asep.separate(kernel, n=200, margin=5.0)
    assert never.theta is None
    axes = never.plot()
    assert len(axes.lines) == 0
    assert len(axes.patches) == 1
    plt.close(axes.figure)


# Answers as a notebook shows them, and in one line.

ANSWERS = {
    "separation": lambda: asep.separate("exp", n=200),
    "one threshold": lambda: asep.separate("x**2", "cross_attention", n=220, theta=0.9),
    "no threshold": lambda: asep.separate("uniform", "cross_attention", n=10_500),
    "success": lambda: asep.success({"fires": "exp", "silent": ["linear"]}, n=200),
    "simulation": lambda: asep.simulate("exp", n=200, trials=50),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_an_answer_is_one_line_and_says_its_condition(name):
    answer = ANSWERS[name]()
    text = repr(answer)
    assert "\n" not in text
    for part in (f"n = {answer.n:,}", f"d = {answer.d}", f"m = {answer.m}"):
        assert part in text
    html = answer._repr_html_()
    assert html.startswith("<p><strong>")
    assert f"n = {answer.n:,}" in html


def test_a_separation_has_a_picture_to_open():
    html = asep.separate("exp", n=200)._repr_html_()
    assert html.count("<svg") == html.count("<details>") == 1
    assert "<?xml" not in html


def test_without_matplotlib_there_is_no_picture(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    html = asep.separate("exp", n=200)._repr_html_()
    assert "0.986637" in html
    assert "<svg" not in html


def test_a_name_of_a_kernel_is_text():
    html = asep.separate("where(x<0.5, 1, 2)", n=200)._repr_html_()
    # The picture, which has a title of its own, is not asked.
    words, _, _ = html.partition("<details>")
    assert "x&lt;0.5" in words
    assert "x<0.5" not in words


def test_the_kernels_are_a_table_in_a_notebook():
    html = asep.kernels._repr_html_()
    assert html.count("<tr>") == 1 + len(asep.kernels)
    assert "<td>exp_sqrt_d</td><td>e^(x/√d)</td>" in html
    assert "cosine_softmax_P" in html


@pytest.mark.parametrize(
    ("ends", "text"),
    [
        ((0.86, 0.8607), "0.8600 to 0.8607"),
        ((0.860481, 0.860489), "0.86048 to 0.86049"),
        ((1, 12.345), "1.00 to 12.35"),
        ((0.5, 0.5), "0.5000 to 0.5000"),
        ((0.0, 0.0), "0 to 0"),
        ((2, 12345.6), "2 to 12346"),
    ],
)
def test_two_ends_have_like_digits(ends, text):
    assert range_in_words(*ends, digits=4) == text
    ends = asep.separate("linear", n=2000).theta
    low, high = re.search(r"θ = (\S+) to (\S+) √", repr(asep.separate("linear", n=2000))).groups()
    assert len(low) == len(high)
