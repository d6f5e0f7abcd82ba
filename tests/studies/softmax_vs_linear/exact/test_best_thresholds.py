"""Best thresholds: the largest of the curve, where float64 tells it; fractions; enumeration."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from making import config_points, point
from threshold_cases import SELF, SUCCESS, curve_of

from attention_separation.attention.sign_columns import different_classes, same_class
from attention_separation.studies.softmax_vs_linear.exact.best_thresholds import (
    equal_entries_curves,
)
from attention_separation.studies.softmax_vs_linear.models.regression import LEVELS, U, normalise


@pytest.mark.parametrize("kernel", SUCCESS)
def test_the_best_is_the_largest_and_holds_on_its_interval(kernel):
    p = point("self_attention", n=200, d=22, m=15, **(SELF | {"a0": 0.01}))
    found = curve_of(p, kernel)
    best, low, high = found.best()
    assert best == found.probability.max()
    for theta in (low + 1e-9, (low + high) / 2, high - 1e-9):
        assert found.at(theta) == pytest.approx(best, abs=1e-12)
    assert found.at(np.linspace(0, 3, 4001)).max() <= best + 1e-12


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


@given(
    n=st.sampled_from([1000, 4 * 10**9, 10**11, 10**12]), model=st.sampled_from([*LINEAR_MODELS])
)
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


def test_equal_networks_on_both_datasets_tell_nothing():
    """Without attention, cross-attention has the same rows on D0 and D1, summed in two ways."""
    for p in config_points("fig7a")[::20]:
        found = curve_of(p, "uniform")
        assert found.resolved
        assert found.best()[0] == 0.0


@pytest.mark.parametrize("kernel", ["exp", "linear"])
def test_regression_with_equal_entries_by_enumeration(kernel):
    n, m, level = 8, 2, LEVELS["middle"]
    found = equal_entries_curves(n, np.array([m]), kernel, level=level).curve(0)
    y = np.array(list(itertools.product([-1.0, 1.0], repeat=n)))
    z = math.log(n) * np.where(np.arange(n) == 3, [[level], [4.0]], level)
    zero, one = (y @ normalise(U[kernel](row)) for row in z)
    for tau in np.linspace(0.011, 0.99, 40):
        none = (zero <= tau).mean() ** m - ((zero <= tau) & (one <= tau)).mean() ** m
        assert found.at(tau) == pytest.approx(none, abs=1e-12), tau
