"""`compare`, `largest_n`, `critical_temperature`, `success` and `simulate`."""

import itertools
import math
import re
import subprocess
import sys
import tracemalloc
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from making import ROOT, point
from scipy.stats import binomtest

import attention_separation as asep
from attention_separation.any_attention import values
from attention_separation.any_attention.layers import LAYERS
from attention_separation.any_attention.least_values import critical_temperatures
from attention_separation.api import build, simulating
from attention_separation.attention.kernels import KERNELS
from attention_separation.datasets.dataset import FixedData
from attention_separation.messages import progress
from attention_separation.studies.softmax_vs_linear.exact.attention_probabilities import references
from attention_separation.studies.softmax_vs_linear.models import MODELS
from attention_separation.studies.softmax_vs_linear.models.contest import Contest

REACHES = pd.read_csv(ROOT / "docs/kernels/kernels.csv", comment="#")
TABLED = ("exp", "exp_sqrt_d", "linear", "power_8", "hedgehog", "hardmax", "sigmoid")

FALSE_ALARM = Fraction(1, 10**6)
"""Of all trials of `simulate` in this module together."""


def test_comparing_is_separating_one_by_one():
    kernels = ["exp", "linear", "x**4", asep.features(lambda z: z + 1, name="plus_one")]
    table = asep.compare(kernels, [200, 2000], "self_attention", "ones", a1=1.0, margin=True)
    assert len(table) == 8
    assert table["kernel"].tolist()[::2] == ["exp", "linear", "x**4", "plus_one"]
    for k, row in enumerate(table.itertuples()):
        kernel = kernels[k // 2]
        found = asep.separate(kernel, "self_attention", "ones", row.n, a1=1.0)
        assert (row.probability, row.share) == (found.probability, found.share)
        assert (row.theta_low, row.theta_high) == found.theta
        assert row.margin == found.margin
    assert asep.compare("exp", 200).equals(asep.compare(["exp"], [200]))


def test_what_float64_does_not_tell_is_no_number():
    table = asep.compare(["sigmoid", "exp"], [200, 2 * 10**8], "cross_attention")
    assert table["probability"].isna().tolist() == [False, True, False, False]


def test_kernels_with_one_name_are_told_apart():
    table = asep.compare([lambda x: x, lambda x: x**4, "exp"], [200])
    assert table["kernel"].tolist() == ["kernel", "kernel (2)", "exp"]
    won = asep.success({"fires": lambda x: x**4, "silent": [lambda x: x]})
    assert (won.fires, won.silent) == ("kernel", ("kernel (2)",))
    assert len(won.events) == 4


@pytest.mark.parametrize("layer", LAYERS, ids=lambda x: x.words)
def test_largest_n_is_that_of_the_table(layer):
    at = (REACHES["model"] == layer.model) & (REACHES["attention_x"] == layer.attention_x)
    for row in REACHES[at & REACHES["kernel"].isin(TABLED)].itertuples():
        found = asep.largest_n(row.kernel, layer.model, layer.attention_x)
        assert found == (None if math.isnan(row.last_n) else row.last_n), row.kernel
        assert found is None or found == math.inf or isinstance(found, int)


@pytest.mark.parametrize("layer", LAYERS, ids=lambda x: x.words)
def test_critical_temperatures(layer):
    found = asep.critical_temperature(2000, layer.model, layer.attention_x)
    assert found == critical_temperatures(layer, FixedData(), [2000])[0]
    below, above = (
        asep.separate(f"exp_over_{t:.4f}".rstrip("0"), layer.model, layer.attention_x, 2000)
        for t in (found - 1e-3, found + 1e-3)
    )
    half = asep.separate("exp", layer.model, layer.attention_x, 2000).probability / 2
    assert below.probability > half >= above.probability


def test_at_some_n_no_temperature_is_too_hot():
    found, of_exp = (asep.separate(name, n=20).probability for name in ("uniform", "exp"))
    assert found > of_exp / 2
    assert asep.critical_temperature(20) == math.inf


CONTESTS = {
    "the paper's": ("exp", ("linear",)),
    "another": ("power_8", ("linear", "elu_plus_one")),
    "one alone": ("cosh", ()),
}


@pytest.mark.parametrize("layer", LAYERS, ids=lambda x: x.words)
@pytest.mark.parametrize("name", CONTESTS)
def test_success_is_that_of_the_panels(layer, name):
    fires, silent = CONTESTS[name]
    sizes = {"n": 400, "d": layer.d(10), "m": 12, "a0": 0.05, "a1": 1.4}
    entries = {"b": 0.3, "c": 0.6} if layer.model == "self_attention" else {}
    at = point(
        layer.model, **sizes, **entries, theta=0.75, attention_x=layer.attention_x,
        contest=Contest(fires=fires, silent=silent),
    )  # fmt: skip
    (wanted,) = references(MODELS[layer.model], [at])
    found = asep.success(
        {"fires": fires, "silent": list(silent)}, layer.model, layer.attention_x, theta=0.75,
        **sizes, **entries,
    )  # fmt: skip
    assert found.probability == pytest.approx(wanted.success, rel=1e-12)
    assert list(found.events.values()) == pytest.approx(wanted.events, rel=1e-12)
    assert next(iter(found.events)) == f"{fires} > 0 on D1"


def test_success_at_the_best_threshold_that_all_share():
    best = asep.success(theta="best")
    middle = sum(best.theta) / 2
    assert asep.success(theta=middle).probability == best.probability
    others = [asep.success(theta=t).probability for t in np.linspace(0.1, 2, 60)]
    assert best.probability >= max(others)


SIMULATED = ("exp", "linear", "elu_plus_one", "sparsemax", "linear_unnormalised")
TRIALS = 4000


@pytest.mark.parametrize("layer", LAYERS, ids=lambda x: x.words)
def test_trials_agree_with_exact_values(layer):
    level = float(FALSE_ALARM / (len(SIMULATED) * len(LAYERS)))
    sizes = {"d": layer.d(5), "m": 3}
    for kernel in SIMULATED:
        found = asep.simulate(
            kernel, layer.model, layer.attention_x, 40, trials=TRIALS, seed=3, **sizes
        )
        exact = asep.separate(kernel, layer.model, layer.attention_x, 40, **sizes).probability
        assert binomtest(found.successes, TRIALS, exact).pvalue > level, kernel
        assert found.p_hat == found.successes / TRIALS
        interval = binomtest(found.successes, TRIALS).proportion_ci(0.95, method="exact")
        assert (found.ci_low, found.ci_high) == pytest.approx((interval.low, interval.high))


@pytest.mark.parametrize("layer", LAYERS, ids=lambda x: x.words)
@pytest.mark.parametrize("kernel", ["exp", "hedgehog", "entmax_15", "sigmoid_unnormalised"])
def test_trials_from_rows_are_the_literal_ones(layer, kernel):
    sizes = {"d": layer.d(4), "m": 4, "a0": 0.4, "trials": 60, "seed": 1, "theta": 0.8}
    rows, literal = (
        asep.simulate(kernel, layer.model, layer.attention_x, 12, method=method, **sizes)
        for method in ("rows", "dense")
    )
    for name in ("successes", "d1_positive", "d0_zero"):
        assert getattr(rows, name) == getattr(literal, name)


def test_fewer_trials_are_the_first_of_more():
    counts = [asep.simulate("exp", trials=trials, seed=5).successes for trials in range(1, 40)]
    assert {*np.diff(counts)} <= {0, 1}


def test_kernels_that_tell_places_apart_can_be_simulated():
    order = asep.scores(lambda x: np.exp(x) * np.linspace(1, 2, x.shape[-1]), name="in_order")
    with pytest.raises(ArithmeticError, match="method='dense', theta"):
        asep.simulate(order, n=40)
    found = asep.simulate(order, n=40, method="dense", theta=0.9, trials=20)
    assert found.trials == 20


WRONG = [
    (lambda: asep.compare([]), ValueError, "allowed: at least one kernel and one n"),
    (
        lambda: asep.success({"fires": "exp"}), ValueError,
        "allowed: {'fires': kernel, 'silent': [kernels]}",
    ),
    (lambda: asep.success("exp"), ValueError, "allowed: {'fires': kernel, 'silent': [kernels]}"),
    (
        lambda: asep.success({"fires": "exp", "silent": ["exp"]}), ValueError,
        "contest of exp, exp; allowed: each kernel once",
    ),
    (lambda: asep.success({"fires": "exp", "silent": "lin"}), ValueError, "did you mean 'linear'"),
    (lambda: asep.simulate("exp", trials=0), ValueError, "whole numbers from 1 to 1,000,000,000"),
    (lambda: asep.simulate("exp", seed=-1), ValueError, "seed=-1; allowed"),
    (lambda: asep.simulate("exp", method="fast"), ValueError, "allowed: 'rows' or 'dense'"),
    (
        lambda: asep.simulate("exp", method="dense", n=10**5), MemoryError,
        "takes about 447.0 GiB; allowed: 2; method=",
    ),
    (
        lambda: asep.simulate("exp", n=39_996, d=20_000, m=10**5), MemoryError,
        "the signs of a trial at d=20,000 with m=100,000 take about 3.7 GiB; allowed: 2",
    ),
    (
        lambda: asep.simulate("exp", method="dense", n=6000, m=10**6), MemoryError,
        "what m=1,000,000 sign columns read of n=6,000 tokens takes about 134.1 GiB; allowed: 2",
    ),
]  # fmt: skip


def test_what_is_refused(subtests):
    for ask, kind, words in WRONG:
        with subtests.test(words), pytest.raises(kind, match=re.escape(words)):
            ask()


LONG = {
    "trials": lambda: asep.simulate("exp", trials=30_000),
    "literal trials": lambda: asep.simulate("exp", n=60, d=22, method="dense", trials=3),
    "margins": lambda: asep.compare("exp", n=[200, 220], margin=True),
    "a map of one's own": lambda: asep.separate(asep.features(np.exp)),
    # What was asked before is remembered: no other test has these a0.
    "many numbers of tokens": lambda: asep.largest_n("exp", a0=next(UNASKED)),
    "weights in X": lambda: asep.least_weight("linear", 2000, a0=next(UNASKED)),
    "a temperature": lambda: asep.critical_temperature(2000, a0=next(UNASKED)),
}
UNASKED = itertools.count(0.010011, 1e-6)


@pytest.mark.parametrize("name", LONG)
def test_what_takes_long_says_how_long(capsys, monkeypatch, name):
    """By a clock on which every look takes 10 s; and nothing is said by one that hardly goes."""
    # So few states at once as of thousands of classes.
    monkeypatch.setattr(values, "MOST_STATES", 1 << 12)
    for step, is_said in ((10.0, True), (1e-6, False)):
        ticks = itertools.count()
        monkeypatch.setattr(progress.time, "monotonic", lambda s=step, t=ticks: s * next(t))
        LONG[name]()
        said = capsys.readouterr().err
        assert bool(re.search(r": \d+ of \d+ .*, \d+ s, about \d+ s left\n", said)) == is_said


OWN = {
    "a function": (asep.least_weight, lambda x: x**2),
    "a formula": (asep.least_weight, "x**2"),
    "a map": (asep.largest_n, asep.features(np.exp)),
    "a function of rows": (asep.least_weight, asep.rows(lambda x, counts: x / (counts * x).sum())),
}


@pytest.mark.usefixtures("few_looks")
@pytest.mark.parametrize("name", OWN)
def test_kernels_of_ones_own_say_beforehand_how_long_they_take(capsys, monkeypatch, name):
    """By a clock on which every look takes 1 s; and nothing is said by one that hardly goes."""
    ask, kernel = OWN[name]
    for step, is_said in ((1.0, True), (1e-6, False)):
        ticks = itertools.count()
        monkeypatch.setattr(build.time, "perf_counter", lambda s=step, t=ticks: s * next(t))
        ask(kernel)
        said = capsys.readouterr().err
        assert bool(re.search(r": about \d+ s\n", said)) == is_said
    ticks = itertools.count()
    monkeypatch.setattr(build.time, "perf_counter", lambda: next(ticks))
    ask("power_2")
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("name", ["hedgehog", "efficient", "exp"])
def test_literal_trials_of_features_say_beforehand_how_long_they_take(capsys, monkeypatch, name):
    asep.simulate(name, n=60, d=22, method="dense", trials=1, theta=1.0)
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(simulating, "LONG_SECONDS", 0.0)
    asep.simulate(name, n=60, d=22, method="dense", trials=1, theta=1.0)
    assert ("simulate: about" in capsys.readouterr().err) == (name != "exp")


def test_how_long_literal_trials_take_is_by_eight_queries(capsys, monkeypatch):
    """Of 60 tokens and of a trial's two rows of them, at a second for the eight."""
    ticks = itertools.count()
    monkeypatch.setattr(simulating.time, "perf_counter", lambda: next(ticks))
    asep.simulate("hedgehog", n=60, d=22, method="dense", trials=4, theta=1.0)
    assert capsys.readouterr().err == f"simulate: about {2 * 60 * 4 // 8} s\n"


def test_literal_trials_need_no_memory_for_all_features():
    """n x n products of 2 d features would take 129 MB."""
    tracemalloc.start()
    asep.simulate("exp_features", n=200, d=202, method="dense", trials=1, theta=1.0)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 80e6


def test_importing_is_light():
    """Nothing is loaded before it is asked for; pandas by what gives tables."""
    heavy = ("numpy", "pandas", "scipy", "pyarrow", "pydantic", "matplotlib", "snakemake", "torch")
    code = (
        "import sys, attention_separation as a\n"
        f"heavy = {heavy}\n"
        "print([m for m in heavy if m in sys.modules])\n"
        "a.separate('exp'); a.largest_n('linear'); a.success()\n"
        "print([m for m in heavy if m in sys.modules])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT / "src"
    )
    assert done.stdout == "[]\n['numpy']\n"


def test_what_there_is_stands_in_the_package():
    from attention_separation import api

    assert {*asep.API} == {*api.__all__}
    assert {*asep.API} <= {*asep.__all__}
    for room in (asep, asep.needle, asep.recall):
        assert dir(room) == sorted(room.__all__)
    with pytest.raises(AttributeError, match="has no attribute 'seperate'"):
        _ = asep.seperate
    assert all(asep.kernels[name] is KERNELS[name] for name in asep.kernels)
