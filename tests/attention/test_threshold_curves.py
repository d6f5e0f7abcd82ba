"""Curves over the threshold: against the definition, by enumeration and by simulation."""

import itertools

import numpy as np
import pytest
from enumerated_signs import enumerate_signs
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from making import config_points, exact_at, model_of, point
from threshold_cases import SELF, SUCCESS, curve_of, curves_of, scores_of

from attention_separation.attention import separation
from attention_separation.attention import threshold_curves as thresholds_module
from attention_separation.attention.dense import attention
from attention_separation.attention.kernels import KERNELS
from attention_separation.attention.sign_columns import different_classes, of_one_size, same_class
from attention_separation.attention.threshold_curves import threshold_curves

NETWORKS_TESTED = {
    "exp": (["exp"], ["exp"]),
    "linear": (["linear"], ["linear"]),
    "both": (["exp", "linear"], ["exp", "linear"]),
    "three": (["exp", "linear", "power_2"], ["exp", "linear", "power_2"]),
    "other numbers on D0": (["linear", "power_2"], ["exp", "linear", "power_2"]),
}
"""Kernels on D0 and on D1."""


@pytest.mark.parametrize("networks", NETWORKS_TESTED)
@pytest.mark.parametrize("model", ["self_attention", "cross_attention"])
def test_the_curve_by_enumeration_from_the_definitions(subtests, model, networks):
    for data, signs in itertools.product(("independent", "same"), ("shared", "fresh")):
        with subtests.test(f"{data}, {signs}"):
            hold_curve(model, data, networks, signs)


def hold_curve(model, data, networks, signs):
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


@settings(max_examples=30)
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
    d0_scores, d1_scores = of_one_size(s * d0[None], 5 * s), of_one_size(s * d1[None], 5 * s)
    found = threshold_curves(d0_scores, d1_scores, *numbers, data, signs)
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
@pytest.mark.parametrize("name", ["fig4d", "fig7a"])
def test_many_points_at_once_are_as_one_by_one(monkeypatch, name, numbers):
    """In parts of one point, of some and of all; with another number of steps at each."""
    monkeypatch.setattr(thresholds_module, "MOST_CURVE_NUMBERS", numbers)
    at = config_points(name)[::12]
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


def test_thresholds_out_of_reach():
    found = curve_of(point("self_attention", n=40, d=10, m=3, **SELF), "exp")
    assert found.at(100.0) == found.at(-1.0) == 0.0


def test_a_score_that_rounding_sets_above_zero_is_zero():
    d0 = np.full((1, 1, 2, 1, 2, 1), 1e-17)
    d1 = d0 + np.array([[0.0], [2.0]])
    numbers = (np.array([value]) for value in (5, 2.0, 100))
    found = threshold_curves(of_one_size(d0, 2.0), of_one_size(d1, 2.0), *numbers, "independent")
    found = found.curve(0)
    assert found.edges.tolist() == [0.0, 1.0, 2.0]
    assert found.best() == (1 - 0.5**5, 0.0, 1.0)


def test_a_score_that_ties_a_threshold_is_not_above_it():
    """n = 10, d = 11: a sum of nine equal entries ties theta = 0.9."""
    p = point("cross_attention", n=10, d=11, m=5, a0=0.01, a1=1.2)
    found = curve_of(p, *SUCCESS)
    assert found.at(0.9) == pytest.approx(exact_at(p).success, abs=1e-12)
    assert abs(found.at(0.9) - found.at(0.9 - 1e-9)) > 5e-4


@pytest.mark.parametrize("kernel", ["exp", "linear", "elu_plus_one"])
def test_what_counts_as_equal_is_relative_to_the_scores(kernel):
    p = point("self_attention", n=4 * 10**10, d=22, m=15, **(SELF | {"a0": 0.01}))
    d0, d1 = scores_of([p], [kernel])
    m, s, n = (np.array([value]) for value in (p.m, p.s, p.n))
    found = threshold_curves(d0, d1, m, s, n, p.data).curve(0)
    for factor in (2.0**-20, 2.0**20):
        scaled = threshold_curves(d0.over(1 / factor), d1.over(1 / factor), m, s, n, p.data)
        scaled = scaled.curve(0)
        assert scaled.probability == pytest.approx(found.probability, abs=1e-14)
        assert scaled.edges[:-1] == pytest.approx(factor * found.edges[:-1], rel=1e-13)
        assert scaled.resolved == found.resolved
        best = [scaled.best()[0], *(end / factor for end in scaled.best()[1:])]
        assert best == pytest.approx(found.best(), rel=1e-12)


# What a network alone can do, for any scores of the states of a column.
# `tests/any_attention/test_enumeration.py` starts from the literal definition of attention.


def of_columns(scores):
    """The scores of all columns, (K, 2^d), with each class the marked one."""
    _, ends, _, classes = scores.shape
    y = np.array([*itertools.product((0, 1), repeat=1 + (ends == 2) + classes)])
    first, last = y[:, 0], y[:, 1] * (ends == 2)
    signs = y[:, -classes:].T
    return np.array([scores[first, last, sign, signs.sum(axis=0) - sign] for sign in signs])


def tables(shape):
    return arrays(np.int64, (2, 2, shape[0], 2, shape[1]), elements=st.integers(-6, 6))


@settings(max_examples=40)
@given(
    scores=st.tuples(st.integers(1, 2), st.integers(1, 3)).flatmap(tables),
    m=st.integers(1, 2),
    s=st.sampled_from([0.5, 1.0, 3.0]),
    above=st.integers(-6, 6),
    target=st.sampled_from([0.01, 0.02, 0.1, 0.125, 0.25, 0.5]),
)
def test_any_scores_with_ties_over_all_signs(scores, m, s, above, target):
    """Also such that are all above 0, or none."""
    d0, d1 = scores + above
    wanted = enumerate_signs(of_columns(d0), of_columns(d1), m)
    d0_scores, d1_scores = of_one_size(s * d0[None], 12 * s), of_one_size(s * d1[None], 12 * s)
    ranked = separation.rank_states(d0_scores, d1_scores, np.array([m]), np.array([s]))
    assert separation.probability_after_signs(ranked)[0] == pytest.approx(
        wanted.after_signs(), abs=1e-12
    )
    assert separation.probability_each_bias(ranked)[0] == pytest.approx(wanted.each_bias, abs=1e-12)
    (found,) = separation.widest_margins(ranked, np.array([[target]]))[0]
    assert wanted.widest_margin_is(found, target)
