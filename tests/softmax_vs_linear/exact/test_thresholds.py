"""Thresholds: against the definition at every threshold, by enumeration and by simulation."""

import itertools
import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from making import (
    SECTION,
    STUDY,
    changed_study,
    config_points,
    exact_at,
    model_of,
    panel,
    point,
    run_trials,
)
from scipy.stats import binomtest

from attention_separation.attention.dense import attention
from attention_separation.attention.kernels import KERNELS
from attention_separation.attention.rows import distinct_rows
from attention_separation.softmax_vs_linear.audits.threshold import draw, threshold_table
from attention_separation.softmax_vs_linear.exact import threshold_curves as thresholds_module
from attention_separation.softmax_vs_linear.exact.attention_probabilities import (
    different_classes,
    same_class,
)
from attention_separation.softmax_vs_linear.exact.threshold_curves import (
    equal_entries_curve,
    threshold_curves,
)
from attention_separation.softmax_vs_linear.models.contest import PAPERS
from attention_separation.softmax_vs_linear.models.regression import LEVELS, U, normalise
from attention_separation.softmax_vs_linear.settings.jobs import MarkedPanel, ThresholdJob
from attention_separation.softmax_vs_linear.settings.panels import points, without_trials
from attention_separation.softmax_vs_linear.settings.reconstruction import KEY
from attention_separation.statistics.seeding import BlockStreams

SELF = {"a0": 0.3, "a1": 1.2, "b": 0.2, "c": 0.8}
SUCCESS = ("exp", "linear")


def largest_scores(points, dataset, kernel):
    """The largest score of a network in each state of a column, (P, 2, E, 2, K)."""
    types = model_of(points[0]).token_types(points, dataset)
    rows = distinct_rows(types, KERNELS[kernel])
    unmarked = int(types.classes[0]) - 1
    lasts = [0.0 * rows.first] if rows.last is None else [-rows.last, rows.last]
    found = np.empty((len(points), 2, len(lasts), 2, unmarked + 1))
    for first, last, marked, pluses in np.ndindex(found.shape[1:]):
        # The querying token's own class may have any sign that an unmarked class has.
        signs = [1] * (pluses > 0) + [-1] * (pluses < unmarked) or [0]
        own = np.max([sign * (rows.own - rows.rest) for sign in signs], axis=0)
        score = (2 * first - 1) * rows.first + (2 * marked - 1) * rows.marked
        score = score + (rows.rest * (2 * pluses - unmarked) + own) + lasts[last]
        found[:, first, last, marked, pluses] = score.max(axis=1)
    return found


def scores_of(points, names):
    """(P, N, 2, E, 2, K) of the networks with some kernels, on D0 and on D1."""
    return tuple(
        np.stack([largest_scores(points, dataset, name) for name in names], axis=1)
        for dataset in (0, 1)
    )


def curves_of(points, *names, **values):
    """Of points with equal d, where the first kernel must tell D1 from D0 and no other may."""
    m, s, n = (np.array([getattr(p, name) for p in points]) for name in ("m", "s", "n"))
    own = {"data": points[0].data, "signs": points[0].signs} | values
    return threshold_curves(*scores_of(points, names), m, s, n, **own)


def curve_of(p, *names):
    return curves_of([p], *names).curve(0)


NETWORKS_TESTED = {
    "exp": (["exp"], ["exp"]),
    "linear": (["linear"], ["linear"]),
    "both": (["exp", "linear"], ["exp", "linear"]),
    "three": (["exp", "linear", "power_2"], ["exp", "linear", "power_2"]),
    "other numbers on D0": (["linear", "power_2"], ["exp", "linear", "power_2"]),
}
"""Kernels on D0 and on D1."""


@pytest.mark.parametrize("signs", ["shared", "fresh"])
@pytest.mark.parametrize("networks", NETWORKS_TESTED)
@pytest.mark.parametrize("data", ["independent", "same"])
@pytest.mark.parametrize("model", ["self_attention", "cross_attention"])
def test_the_curve_by_enumeration_from_the_definitions(model, data, networks, signs):
    own = SELF | {"d": 5} if model == "self_attention" else {"d": 4, "a0": 0.3}
    p = point(model, **({"n": 6, "m": 2, "data": data, "signs": signs, "a1": 1.2} | own))
    on_d0, on_d1 = NETWORKS_TESTED[networks]
    d0, d1 = scores_of([p], on_d0)[0], scores_of([p], on_d1)[1]
    numbers = (np.array([value]) for value in (p.m, p.s, p.n))
    found = threshold_curves(d0, d1, *numbers, data, signs).curve(0)
    y = np.array(list(itertools.product([-1.0, 1.0], repeat=p.d * p.m))).reshape(-1, p.d, p.m)
    places = [(j,) if p.b else (0, j) for j in range(p.n)]
    inputs = model_of(p).literal

    def largest(dataset, names):
        """(networks, places, y)"""
        of_places = [inputs(p, dataset, place) for place in places]
        rows = [
            [attention(*own, np.eye(p.d), KERNELS[name]) for own in of_places] for name in names
        ]
        return (np.array(rows)[:, :, None] @ y).max(axis=(3, 4))

    pairs = [(i, j) for i in range(p.n) for j in range(p.n) if data == "independent" or i == j]
    zero, one = largest(0, on_d0), largest(1, on_d1)
    thetas = np.linspace(0.011, 2.3, 60)
    expected = np.zeros(len(thetas))
    for i, j in pairs:
        told = np.concatenate([zero[:, i], one[:, j]]) <= p.s * thetas[:, None, None]
        told[:, len(on_d0)] = ~told[:, len(on_d0)]
        if signs == "shared":
            expected += told.all(axis=1).mean(axis=1) / len(pairs)
        else:
            expected += told.mean(axis=2).prod(axis=1) / len(pairs)
    assert found.at(thetas) == pytest.approx(expected, abs=1e-12)


def integers(networks, lasts, classes):
    return arrays(np.int64, (networks, 2, lasts, 2, classes), elements=st.integers(-3, 5))


@settings(max_examples=60)
@given(
    scores=st.tuples(st.integers(1, 2), st.integers(1, 4)).flatmap(
        lambda shape: st.tuples(integers(2, *shape), integers(3, *shape))
    ),
    m=st.integers(1, 30), s=st.sampled_from([0.5, 1.0, 3.0]),
    data=st.sampled_from(["independent", "same"]), signs=st.sampled_from(["shared", "fresh"]),
)  # fmt: skip
def test_any_scores_with_ties_state_by_state(scores, m, s, data, signs):
    """Two networks on D0 and three on D1, with integers for scores over s."""
    d0, d1 = scores
    classes = d0.shape[-1]
    numbers = (np.array([value]) for value in (m, s, 100))
    found = threshold_curves(s * d0[None], s * d1[None], *numbers, data, signs)
    places = np.arange(d0[0].size).reshape(d0[0].shape)
    cases = [(1.0, same_class(places, places))]
    if data == "independent" and classes > 1:
        different = different_classes(places, places)
        cases = [(1 / classes, cases[0][1]), (1 - 1 / classes, different)]
    for theta in np.arange(0, 12) / 2:
        expected = 0.0
        for share, (at_d0, at_d1, weights) in cases:
            on_d0, on_d1 = d0.reshape(2, -1)[:, at_d0], d1.reshape(3, -1)[:, at_d1]
            above = np.concatenate([on_d1, on_d0]) > theta
            if signs == "fresh":
                none = (1 - above @ weights) ** m
                expected += share * (1 - none[0]) * np.prod(none[1:])
            else:
                none_other, none = (1 - part.any(axis=0) @ weights for part in (above[1:], above))
                expected += share * (none_other**m - none**m)
        assert found.at(np.array([[theta]]))[0, 0] == pytest.approx(expected, abs=1e-12), theta
        assert expected <= found.best()[0][0] + 1e-12
    assert found.resolved.all()


@pytest.mark.parametrize("numbers", [1, 3000, 1 << 17])
@pytest.mark.parametrize("name", ["fig4d", "fig5c", "fig7a"])
def test_many_points_at_once_are_as_one_by_one(monkeypatch, name, numbers):
    """In parts of one point, of some and of all; with another number of steps at each."""
    monkeypatch.setattr(thresholds_module, "MOST_NUMBERS", numbers)
    at = config_points(name)[::4]
    thetas = np.random.default_rng(0).uniform(-0.2, 3, (len(at), 17))
    thetas[:, 0] = 100.0
    for names in (["linear"], SUCCESS):
        found = curves_of(at, *names)
        best, values = found.best(), found.at(thetas)
        for k, p in enumerate(at):
            one = curve_of(p, *names)
            of_many = found.curve(k)
            assert of_many.edges.tolist() == one.edges.tolist()
            assert of_many.probability == pytest.approx(one.probability, abs=1e-14)
            assert of_many.resolved == one.resolved == found.resolved[k]
            assert [part[k] for part in best] == pytest.approx(one.best(), abs=1e-14)
            assert values[k] == pytest.approx(one.at(thetas[k]), abs=1e-14)
            place = np.searchsorted(one.edges, thetas[k], side="right") - 1
            inside = (place >= 0) & (place < len(one.probability))
            expected = np.where(inside, one.probability[np.where(inside, place, 0)], 0.0)
            assert values[k] == pytest.approx(expected, abs=1e-14)


@pytest.mark.parametrize("kernel", SUCCESS)
def test_regression_with_equal_entries_by_enumeration(kernel):
    n, m, level = 8, 2, LEVELS["middle"]
    found = equal_entries_curve(n, m, level, kernel)
    y = np.array(list(itertools.product([-1.0, 1.0], repeat=n)))
    z = math.log(n) * np.where(np.arange(n) == 3, [[level], [4.0]], level)
    zero, one = (y @ normalise(U[kernel](row)) for row in z)
    for tau in np.linspace(0.011, 0.99, 40):
        none = (zero <= tau).mean() ** m - ((zero <= tau) & (one <= tau)).mean() ** m
        assert found.at(tau) == pytest.approx(none, abs=1e-12), tau


@pytest.mark.parametrize("kernel", SUCCESS)
def test_the_best_is_the_largest_and_holds_on_its_interval(kernel):
    p = point("self_attention", n=200, d=22, m=15, **(SELF | {"a0": 0.01}))
    found = curve_of(p, kernel)
    best, low, high = found.best()
    assert best == found.probability.max()
    for theta in (low + 1e-9, (low + high) / 2, high - 1e-9):
        assert found.at(theta) == pytest.approx(best, abs=1e-12)
    assert found.at(np.linspace(0, 3, 4001)).max() <= best + 1e-12


def test_thresholds_out_of_reach():
    found = curve_of(point("self_attention", n=40, d=10, m=3, **SELF), "exp")
    assert found.at(100.0) == found.at(-1.0) == 0.0


def test_scores_that_no_threshold_tells_apart():
    """None is positive: no network ever is, and any threshold is best."""
    scores = np.zeros((2, 1, 2, 2, 2, 3))
    numbers = (np.array([value] * 2) for value in (5, 2.0, 100))
    found = threshold_curves(scores, scores - 1.0, *numbers, "independent")
    assert [part.tolist() for part in found.best()] == [[0.0] * 2, [0.0] * 2, [1.0] * 2]
    assert found.resolved.all()
    assert not found.at(np.array([[0.5], [-1.0]])).any()


def test_a_score_that_rounding_sets_above_zero_is_zero():
    d0 = np.full((1, 1, 2, 1, 2, 1), 1e-17)
    d1 = d0 + np.array([[0.0], [2.0]])
    numbers = (np.array([value]) for value in (5, 2.0, 100))
    found = threshold_curves(d0, d1, *numbers, "independent").curve(0)
    assert found.edges.tolist() == [0.0, 1.0, 2.0]
    assert found.best() == (1 - 0.5**5, 0.0, 1.0)


@pytest.mark.parametrize("name", [f"fig{k}{letter}" for k in "457" for letter in "abcdef"][:-1])
def test_success_at_the_panels_own_thresholds(name):
    at = config_points(name)
    for d in {p.d for p in at}:
        members = [p for p in at if p.d == d][::3]
        expected = [exact_at(p).success for p in members]
        thetas = np.array([[p.tau / p.s] for p in members])
        assert curves_of(members, *SUCCESS).at(thetas)[:, 0] == pytest.approx(expected, abs=1e-12)


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
    assert curve_of(p, *SUCCESS).at(values["theta"]) == pytest.approx(
        exact_at(p).success, abs=1e-12
    )


def test_a_score_that_ties_a_threshold_is_not_above_it():
    """n = 10, d = 11: a sum of nine equal entries ties theta = 0.9."""
    p = point("cross_attention", n=10, d=11, m=5, a0=0.01, a1=1.2)
    found = curve_of(p, *SUCCESS)
    assert found.at(0.9) == pytest.approx(exact_at(p).success, abs=1e-12)
    assert abs(found.at(0.9) - found.at(0.9 - 1e-9)) > 5e-4


def test_the_best_common_threshold_is_the_largest():
    for name in ("fig4d", "fig5b", "fig7c"):
        for p in config_points(name)[::5]:
            found = curve_of(p, *SUCCESS)
            best, low, high = found.best()
            assert found.at(np.linspace(0.01, 3, 3001)).max() <= best + 1e-12
            assert found.at([low, (low + high) / 2]) == pytest.approx([best, best], abs=1e-12)
            reached = found.probability >= best * (1 - 1e-12)
            assert high - low == np.diff(found.edges)[reached].max()


def exact_linear_scores(p, dataset):
    """The largest scores over s of linear attention in each state of a column, as fractions."""
    a, b, c = (
        None if value is None else Fraction(str(value)) for value in (p.a(dataset), p.b, p.c)
    )
    classes = p.d - (2 if p.b else 1)
    t, unmarked = p.n // classes, classes - 1
    if p.b is None:
        weights = [[1 + a, 1, 1, 1], [1, 1, 1, 1]]
        first, block, lasts = 1, 1, [0]
    else:
        first, block, lasts = a, b, [-c, c]
        # The first coordinate, over s, and the class.
        query = {"special": (a, 0), "same": (0, 0), "other": (0, 1)}
        key = [(a, 0), (0, 0), (0, 1), (0, 2)]
        if p.attention_x == "identity":
            weights = [
                [x * u + b * b * (j == k) + c * c for u, k in key] for x, j in query.values()
            ]
        else:
            weights = [[(x + b + c) * (u + b + c) for u, _ in key] for x, _ in query.values()]
    rows = []
    for special, same, own, rest in weights:
        total = special + (t - 1) * same + t * (own + (unmarked - 1) * rest)
        parts = first * special, block * (special + (t - 1) * same), block * t * own
        rows.append([Fraction(part) / total for part in (*parts, block * t * rest)])
    found = np.empty((2, len(lasts), 2, classes), dtype=object)
    for bits in np.ndindex(found.shape):
        y1, last, marked, pluses = 2 * bits[0] - 1, lasts[bits[1]], 2 * bits[2] - 1, bits[3]
        signs = [1] * (pluses > 0) + [-1] * (pluses < unmarked)
        found[bits] = last + max(
            f * y1 + g * marked + own * sign + rest * (2 * pluses - unmarked - sign)
            for f, g, own, rest in rows
            for sign in signs
        )
    return found


def exact_linear_curve(p):
    """Edges and probabilities, where two scores are one if they are the same fraction."""
    d0, d1 = (exact_linear_scores(p, dataset) for dataset in (0, 1))
    classes = d0.shape[-1]
    cases = [
        (1 / classes, same_class(d0, d1)),
        (1 - 1 / classes, different_classes(d0, d1)),
    ]
    edges = np.array(sorted({Fraction(0)} | {x for x in (*d0.flat, *d1.flat) if x > 0}))
    probability = np.zeros(len(edges))
    for share, (zero, one, weights) in cases:
        ranks = [np.searchsorted(edges, scores, side="left") for scores in (zero, one)]
        none_zero, none = (
            (1 - np.array([weights[rank > k].sum() for k in range(len(edges))])) ** p.m
            for rank in (ranks[0], np.maximum(*ranks))
        )
        probability += share * (none_zero - none)
    return edges, probability


LINEAR_MODELS = {
    "self, identity": ("self_attention", {"attention_x": "identity", "b": 0.2, "c": 0.8}),
    "self, ones": ("self_attention", {"attention_x": "ones", "b": 0.2, "c": 0.8}),
    "cross": ("cross_attention", {}),
}


@pytest.mark.parametrize("n", [1000, 4 * 10**9, 10**11, 10**12])
@pytest.mark.parametrize("model", LINEAR_MODELS)
def test_linear_scores_close_to_each_other_by_fractions(model, n):
    """Linear scores on D0 and D1 differ by about 1/n: 2.2e-12 of them at n = 10^12."""
    name, own = LINEAR_MODELS[model]
    p = point(name, n=n, d=22 if own else 21, m=15, a0=0.01, a1=1.2, **own)
    edges, probability = exact_linear_curve(p)
    found = curve_of(p, "linear")
    best, low, high = found.best()
    assert found.resolved
    assert best == pytest.approx(probability.max(), abs=1e-12)
    assert best > 0.1
    exact_best = probability[(edges <= (low + high) / 2).sum() - 1]
    assert exact_best == pytest.approx(best, abs=1e-12)
    nearest = [min(edges, key=lambda edge: abs(edge - end)) for end in (low, high)]
    assert [float(edge) for edge in nearest] == pytest.approx([low, high], abs=1e-14)


@pytest.mark.parametrize("n", [10**12, 10**13, 10**15, 10**17])
@pytest.mark.parametrize("model", LINEAR_MODELS)
def test_a_best_that_float64_does_not_tell_is_not_resolved(model, n):
    """a0 and a1 differ by so little that the best lies between two scores 1e-14 apart."""
    name, own = LINEAR_MODELS[model]
    p = point(name, n=10**12, d=22 if own else 21, m=15, a0=0.01, a1=0.02, **own)
    p = replace(p, n=n, s=math.sqrt(math.log(n)))
    found = curve_of(p, "linear")
    assert not found.resolved
    assert exact_linear_curve(p)[1].max() > found.best()[0] + 0.01


@pytest.mark.parametrize("kernel", ["exp", "linear", "elu_plus_one"])
def test_what_counts_as_equal_is_relative_to_the_scores(kernel):
    p = point("self_attention", n=4 * 10**10, d=22, m=15, **(SELF | {"a0": 0.01}))
    d0, d1 = scores_of([p], [kernel])
    m, s, n = (np.array([value]) for value in (p.m, p.s, p.n))
    found = threshold_curves(d0, d1, m, s, n, p.data).curve(0)
    for factor in (2.0**-20, 2.0**20):
        scaled = threshold_curves(factor * d0, factor * d1, m, s, n, p.data).curve(0)
        assert scaled.probability == pytest.approx(found.probability, abs=1e-14)
        assert scaled.edges[:-1] == pytest.approx(factor * found.edges[:-1], rel=1e-13)
        assert scaled.resolved == found.resolved
        best = [scaled.best()[0], *(end / factor for end in scaled.best()[1:])]
        assert best == pytest.approx(found.best(), rel=1e-12)


def test_equal_networks_on_both_datasets_tell_nothing():
    """Without attention, cross-attention has the same rows on D0 and D1, summed in two ways."""
    for p in config_points("fig7a")[::20]:
        found = curve_of(p, "none")
        assert found.resolved
        assert found.best()[0] == 0.0


def test_a_best_that_float64_does_not_tell_is_none():
    values = SELF | {"a0": 0.01, "a1": 0.1, "d": 22, "m": 15}
    at = point("self_attention", n=10**12, **values)
    assert not curve_of(at, "linear").resolved
    assert not curve_of(replace(at, n=4 * 10**13, s=math.sqrt(math.log(4e13))), "exp").resolved
    sweep = panel("self_attention", {"n": [200, 10**12]}, **values)
    job = ThresholdJob(panels=[MarkedPanel(name="p", panel=without_trials(sweep))])
    rows = [row for row in threshold_table(job).to_pylist() if row["network"] == "linear"]
    assert [row["resolved"] for row in rows] == [True, False]
    for name in ("p_best", "best_theta_low", "best_theta_high"):
        assert rows[0][name] is not None
        assert rows[1][name] is None
    draw(job, threshold_table(job)).draw_without_rendering()


def test_against_simulation():
    """Four binomial tests; false-alarm budget 1e-6."""
    p = point("cross_attention", n=60, d=7, m=5, a0=0.01, a1=1.2)
    for name in SUCCESS:
        _, low, high = curve_of(p, name).best()
        for theta in ((low + high) / 2, 0.6):
            at = point("cross_attention", n=60, d=7, m=5, a0=0.01, a1=1.2, theta=theta)
            streams = BlockStreams(3, "threshold", at.name, 0)
            positive = run_trials("reduced", at, streams, 20_000)
            d1, d0 = (positive[:, PAPERS.networks.index((name, of))] for of in (1, 0))
            expected = float(curve_of(p, name).at(theta))
            assert binomtest(int((d1 & ~d0).sum()), 20_000, expected).pvalue > 1e-6 / 4


def small_job():
    names = ["fig3b", "fig4b", "fig4c", "fig4d", "fig7b"]
    panels = [STUDY.marked_panel(name).model_copy(update={"points": 3}) for name in names]
    return ThresholdJob(panels=panels)


def test_the_table_and_the_figure():
    job = small_job()
    table = threshold_table(job)
    assert len(table) == 2 * sum(len(points(p.panel, p.points)) for p in job.panels)
    for row in table.to_pylist():
        assert 0 <= row["p_at_theta"] <= row["p_best"] <= 1
        assert row["best_theta_low"] < row["best_theta_high"]
    best = {kernel: [] for kernel in SUCCESS}
    for row in table.to_pylist():
        best[row["network"]].append(row["p_best"])
    assert all(e >= lin - 1e-9 for e, lin in zip(best["exp"], best["linear"], strict=True))
    marked = dict(zip(table["panel"].to_pylist(), table["reconstructed"].to_pylist(), strict=True))
    assert marked == {panel.name: STUDY.reconstruction(panel.name) for panel in job.panels}
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
    table = threshold_table(ThresholdJob(panels=[one]))
    assert len(table) == 2 * math.prod(len(values) for values in sweep.values())
    for name, values in sweep.items():
        assert set(table[name].to_pylist()) == set(values)
    draw(ThresholdJob(panels=[one]), table).draw_without_rendering()


def test_the_job_takes_all_panels_but_sweeps_of_the_threshold():
    names = {panel.name for panel in STUDY.threshold_job().panels}
    assert names == {*SECTION.panels}
    swept = panel("self_attention", {"theta": [0.5, 0.9]}, n=200, d=22, m=15, **SELF)
    config = changed_study(panels={**SECTION.panels, "mine": swept})
    assert "mine" not in {panel.name for panel in config.threshold_job().panels}


def test_where_linear_attention_is_ahead():
    """Figure 5d's first two values of a1: and at 2.98 in Figure 4d F_lin alone nearly succeeds."""
    for a1, lead in ((0.1, -0.0516395), (0.136, -0.0218630)):
        p = next(p for p in config_points("fig5d") if p.a1 == a1)
        exp, lin = (curve_of(p, kernel).best()[0] for kernel in SUCCESS)
        assert exp - lin == pytest.approx(lead, abs=1e-6)
    assert curve_of(config_points("fig4d")[-1], "linear").best()[0] > 0.97
