"""Best thresholds: against the definition at every threshold, by enumeration and by simulation."""

import itertools
import math

import numpy as np
import pytest
from making import CONFIG, point, trials_of
from scipy.stats import binomtest

from attention_separation.seeding import BlockStreams
from attention_separation.softmax_vs_linear import cross_attention, self_attention
from attention_separation.softmax_vs_linear.attention import KERNELS, attention
from attention_separation.softmax_vs_linear.jobs import ThresholdJob
from attention_separation.softmax_vs_linear.panels import points
from attention_separation.softmax_vs_linear.regression import LEVELS, normalise, u_exp, u_lin
from attention_separation.softmax_vs_linear.success import NETWORKS
from attention_separation.softmax_vs_linear.threshold import draw, thresholds
from attention_separation.softmax_vs_linear.thresholds import equal_entries_curve, threshold_curve

SELF = {"a0": 0.3, "a1": 1.2, "b": 0.2, "c": 0.8}


def curve_of(p, kernel):
    rows = (self_attention if p.b else cross_attention).rows
    d0, d1 = (rows(p, dataset, KERNELS[kernel]) for dataset in (0, 1))
    return threshold_curve(d0, d1, p.m, p.s, p.data)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("data", ["independent", "same"])
@pytest.mark.parametrize("model", ["self_attention", "cross_attention"])
def test_the_curve_by_enumeration_from_the_definitions(model, data, kernel):
    own = SELF | {"n": 4, "d": 4} if model == "self_attention" else {"n": 4, "d": 3, "a0": 0.3}
    p = point(model, **({"m": 2, "data": data, "a1": 1.2} | own))
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
        expected = np.mean([(one > theta * p.s) & (zero <= theta * p.s) for zero, one in scores])
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
    names = ["fig3b", "fig4b", "fig4c", "fig7b"]
    panels = [CONFIG.exact_panel(name).model_copy(update={"points": 3}) for name in names]
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
    assert all(e > lin for e, lin in zip(best["exp"], best["lin"], strict=True))
    figure = draw(job, table)
    figure.draw_without_rendering()
    assert len(figure.axes) == 12
    titles = [ax.get_title(loc="left") for ax in figure.axes]
    assert "Self-attention, X = identity" in titles
    assert "Cross-attention, X = identity" in titles


def test_the_job_takes_sweeps_of_n_d_and_m():
    names = {panel.name for panel in CONFIG.threshold_job().panels}
    assert names == {"fig3a", "fig3b", *(f"fig{k}{letter}" for k in "457" for letter in "abc")}
