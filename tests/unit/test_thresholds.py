"""Thresholds: against the definition at every threshold, by enumeration and by simulation."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from attention_separation.softmax_vs_linear.attention import KERNELS, attention
from attention_separation.softmax_vs_linear.regression import LEVELS, normalise, u_exp, u_lin
from attention_separation.softmax_vs_linear.threshold import draw, thresholds
from hypothesis import given, settings
from hypothesis import strategies as st
from making import CONFIG, config_points, exact_at, panel, point, trials_of
from scipy.stats import binomtest

from attention_separation.seeding import BlockStreams
from attention_separation.softmax_vs_linear import cross_attention, self_attention
from attention_separation.softmax_vs_linear.jobs import MarkedPanel, ThresholdJob
from attention_separation.softmax_vs_linear.panels import points, without_trials
from attention_separation.softmax_vs_linear.reconstruction import KEY
from attention_separation.softmax_vs_linear.success import NETWORKS
from attention_separation.softmax_vs_linear.thresholds import (
    equal_entries_curve,
    success_curve,
    threshold_curve,
)

SELF = {"a0": 0.3, "a1": 1.2, "b": 0.2, "c": 0.8}


def curve_of(p, kernel):
    rows = (self_attention if p.b else cross_attention).rows
    d0, d1 = (rows(p, dataset, KERNELS[kernel]) for dataset in (0, 1))
    return threshold_curve(d0, d1, p.m, p.s, p.data, p.signs)


def success_of(p):
    rows = (self_attention if p.b else cross_attention).rows
    networks = [rows(p, dataset, KERNELS[kernel]) for kernel, dataset in NETWORKS]
    return success_curve(networks, p.m, p.s, p.data, p.signs)


@pytest.mark.parametrize("signs", ["shared", "fresh"])
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("data", ["independent", "same"])
@pytest.mark.parametrize("model", ["self_attention", "cross_attention"])
def test_the_curve_by_enumeration_from_the_definitions(model, data, kernel, signs):
    own = SELF | {"n": 4, "d": 4} if model == "self_attention" else {"n": 4, "d": 3, "a0": 0.3}
    p = point(model, **({"m": 2, "data": data, "signs": signs, "a1": 1.2} | own))
    found = curve_of(p, kernel)
    y = np.array(list(itertools.product([-1.0, 1.0], repeat=p.d * p.m))).reshape(-1, p.d, p.m)
    places = [(j,) if p.b else (0, j) for j in range(p.n)]
    inputs = trials_of(model)._inputs

    def largest(dataset, place):
        a1, a2, a3, x = inputs(p, dataset, place)
        return (attention(a1, a2, a3, x, np.eye(p.d), KERNELS[kernel]) @ y).max(axis=(1, 2))

    pairs = [(i, j) for i in places for j in places if data == "independent" or i == j]
    scores = [(largest(0, i), largest(1, j)) for i, j in pairs]
    for theta in np.linspace(0.011, 2.3, 60):
        told = [(zero <= theta * p.s, one > theta * p.s) for zero, one in scores]
        if signs == "shared":
            expected = np.mean([zero & one for zero, one in told])
        else:
            expected = np.mean([zero.mean() * one.mean() for zero, one in told])
        assert found.at(theta) == pytest.approx(expected, abs=1e-12), theta


@pytest.mark.parametrize("kernel", KERNELS)
def test_regression_with_equal_entries_by_enumeration(kernel):
    n, m, level = 8, 2, LEVELS["middle"]
    found = equal_entries_curve(n, m, level, kernel)
    y = np.array(list(itertools.product([-1.0, 1.0], repeat=n)))
    u = {"exp": u_exp, "lin": u_lin}[kernel]
    z = math.log(n) * np.where(np.arange(n) == 3, [[level], [4.0]], level)
    zero, one = (y @ normalise(u(row)) for row in z)
    for tau in np.linspace(0.011, 0.99, 40):
        none = (zero <= tau).mean() ** m - ((zero <= tau) & (one <= tau)).mean() ** m
        assert found.at(tau) == pytest.approx(none, abs=1e-12), tau


def test_the_best_is_the_largest_and_holds_on_its_interval():
    p = point("self_attention", n=200, d=22, m=15, **(SELF | {"a0": 0.01}))
    for kernel in KERNELS:
        found = curve_of(p, kernel)
        best, low, high = found.best()
        assert best == found.probability.max()
        for theta in (low + 1e-9, (low + high) / 2, high - 1e-9):
            assert found.at(theta) == pytest.approx(best, abs=1e-12)
        assert max(found.at(theta) for theta in np.linspace(0, 3, 4001)) <= best + 1e-12


def test_thresholds_out_of_reach():
    found = curve_of(point("self_attention", n=40, d=10, m=3, **SELF), "exp")
    assert found.at(100.0) == found.at(-1.0) == 0.0


@pytest.mark.parametrize("name", [f"fig{k}{letter}" for k in "457" for letter in "abcdef"][:-1])
def test_success_at_the_panels_own_thresholds(name):
    for p in config_points(name)[::9]:
        assert success_of(p).at(p.tau / p.s) == pytest.approx(exact_at(p).success, abs=1e-12)


@settings(max_examples=80)
@given(
    model=st.sampled_from(["self_attention", "cross_attention"]), classes=st.integers(1, 9),
    t=st.integers(1, 6), m=st.integers(1, 40), a0=st.floats(0, 1.2), a1=st.floats(0, 2.5),
    theta=st.floats(0.01, 3), b=st.floats(0.1, 0.6), c=st.floats(0.2, 0.9),
    attention_x=st.sampled_from(["identity", "ones"]),
    data=st.sampled_from(["independent", "same"]), signs=st.sampled_from(["shared", "fresh"]),
)  # fmt: skip
def test_success_at_any_threshold(model, classes, t, b, c, attention_x, **values):
    own = {"b": b, "c": c, "attention_x": attention_x} if model == "self_attention" else {}
    d = classes + (2 if model == "self_attention" else 1)
    p = point(model, n=max(classes * t, 2 * classes), d=d, **own, **values)
    assert success_of(p).at(values["theta"]) == pytest.approx(exact_at(p).success, abs=1e-12)


def test_a_score_that_ties_a_threshold_is_not_above_it():
    """n = 10, d = 11: a sum of nine equal entries ties theta = 0.9."""
    p = point("cross_attention", n=10, d=11, m=5, a0=0.01, a1=1.2)
    found = success_of(p)
    assert found.at(0.9) == pytest.approx(exact_at(p).success, abs=1e-12)
    assert abs(found.at(0.9) - found.at(0.9 - 1e-9)) > 5e-4


def test_the_best_common_threshold_is_the_largest():
    for name in ("fig4d", "fig5b", "fig7c"):
        for p in config_points(name)[::5]:
            found = success_of(p)
            best, low, high = found.best()
            assert found.at(np.linspace(0.01, 3, 3001)).max() <= best + 1e-12
            assert found.at([low, (low + high) / 2]) == pytest.approx([best, best], abs=1e-12)
            reached = found.probability >= best * (1 - 1e-12)
            assert high - low == np.diff(found.edges)[reached].max()


def test_linear_thresholds_close_to_each_other_are_told_apart():
    """Linear scores of D0 and D1 differ by about 1/n; the best probability has a limit."""
    bests = []
    for n in (4 * 10**6, 4 * 10**9, 10**11):
        found = curve_of(point("self_attention", n=n, d=22, m=15, **(SELF | {"a0": 0.01})), "lin")
        assert found.resolved
        bests.append(found.best()[0])
    assert bests == pytest.approx([bests[0]] * 3, rel=1e-9)
    assert bests[0] > 0.1


def test_a_best_that_float64_does_not_tell_is_none():
    values = SELF | {"a0": 0.01, "a1": 0.1, "d": 22, "m": 15}
    at = point("self_attention", n=10**12, **values)
    assert not curve_of(at, "lin").resolved
    assert not curve_of(replace(at, n=4 * 10**13, s=math.sqrt(math.log(4e13))), "exp").resolved
    sweep = panel("self_attention", {"n": [200, 10**12]}, **values)
    job = ThresholdJob(panels=[MarkedPanel(name="p", panel=without_trials(sweep))])
    rows = [row for row in thresholds(job).to_pylist() if row["network"] == "lin"]
    assert [row["resolved"] for row in rows] == [True, False]
    for name in ("p_best", "best_theta_low", "best_theta_high"):
        assert rows[0][name] is not None
        assert rows[1][name] is None
    draw(job, thresholds(job)).draw_without_rendering()


def test_against_simulation():
    """Four binomial tests; false-alarm budget 1e-6."""
    p = point("cross_attention", n=60, d=7, m=5, a0=0.01, a1=1.2)
    for kernel in KERNELS:
        _, low, high = curve_of(p, kernel).best()
        for theta in ((low + high) / 2, 0.6):
            at = point("cross_attention", n=60, d=7, m=5, a0=0.01, a1=1.2, theta=theta)
            positive = trials_of("cross_attention").reduced(
                at, BlockStreams(3, "threshold", at.name, 0), 20_000
            )
            d1, d0 = (positive[:, NETWORKS.index((kernel, dataset))] for dataset in (1, 0))
            expected = curve_of(p, kernel).at(theta)
            assert binomtest(int((d1 & ~d0).sum()), 20_000, expected).pvalue > 1e-6 / 4


def small_job():
    names = ["fig3b", "fig4b", "fig4c", "fig4d", "fig7b"]
    panels = [CONFIG.marked_panel(name).model_copy(update={"points": 3}) for name in names]
    return ThresholdJob(panels=panels)


def test_the_table_and_the_figure():
    job = small_job()
    table = thresholds(job)
    assert len(table) == 2 * sum(len(points(p.panel, p.points)) for p in job.panels)
    for row in table.to_pylist():
        assert 0 <= row["p_at_theta"] <= row["p_best"] <= 1
        assert row["best_theta_low"] < row["best_theta_high"]
    best = {kernel: [] for kernel in KERNELS}
    for row in table.to_pylist():
        best[row["network"]].append(row["p_best"])
    assert all(e >= lin - 1e-9 for e, lin in zip(best["exp"], best["lin"], strict=True))
    marked = dict(zip(table["panel"].to_pylist(), table["reconstructed"].to_pylist(), strict=True))
    assert marked == {panel.name: CONFIG.reconstruction(panel.name) for panel in job.panels}
    figure = draw(job, table)
    figure.draw_without_rendering()
    assert len(figure.axes) == 16
    titles = [ax.get_title(loc="left") for ax in figure.axes]
    assert "Softmax regression*" in titles
    assert "Self-attention, X = identity" in titles
    assert "Cross-attention, X = identity*" in titles
    assert KEY in figure.get_supxlabel()
    labels = [ax.get_xlabel() for ax in figure.axes]
    assert {"𝑑", "𝑑*", "𝑎₁"} <= set(labels)
    assert any(label.startswith("(τ/√log 𝑛)*  at 𝑛 = 200, 𝑑 = 22") for label in labels)


@pytest.mark.parametrize(
    ("model", "sweep", "held"),
    [
        ("self_attention", {"a1": [0.5, 1.2]}, {"n": 200, "d": 22, "m": 15}),
        ("self_attention", {"a1": [0.5, 1.2], "c": [0.6, 0.8]}, {"n": 200, "d": 22, "m": 15}),
        ("self_attention", {"n": [40, 80], "d": [4, 6]}, {"m": 15}),
        ("cross_attention", {"d": [3, 5]}, {"n": 40, "m": 15}),
    ],
)  # fmt: skip
def test_panels_that_sweep_neither_n_nor_m_or_two_parameters(model, sweep, held):
    own = SELF if model == "self_attention" else {"a0": 0.01, "a1": 1.2}
    held |= {key: value for key, value in own.items() if key not in sweep}
    one = MarkedPanel(name="p", panel=without_trials(panel(model, sweep, **held)))
    table = thresholds(ThresholdJob(panels=[one]))
    assert len(table) == 2 * math.prod(len(values) for values in sweep.values())
    for name, values in sweep.items():
        assert set(table[name].to_pylist()) == set(values)
    draw(ThresholdJob(panels=[one]), table).draw_without_rendering()


def test_the_job_takes_all_panels_but_sweeps_of_the_threshold():
    names = {panel.name for panel in CONFIG.threshold_job().panels}
    assert names == {*CONFIG.panels}
    swept = panel("self_attention", {"theta": [0.5, 0.9]}, n=200, d=22, m=15, **SELF)
    config = CONFIG.model_copy(update={"panels": {**CONFIG.panels, "mine": swept}})
    assert "mine" not in {panel.name for panel in config.threshold_job().panels}


def test_where_linear_attention_is_ahead():
    """Figure 5d's first two values of a1: and at 2.98 in Figure 4d F_lin alone nearly succeeds."""
    for a1, lead in ((0.1, -0.0516395), (0.136, -0.0218630)):
        p = next(p for p in config_points("fig5d") if p.a1 == a1)
        exp, lin = (curve_of(p, kernel).best()[0] for kernel in ("exp", "lin"))
        assert exp - lin == pytest.approx(lead, abs=1e-6)
    assert curve_of(config_points("fig4d")[-1], "lin").best()[0] > 0.97
