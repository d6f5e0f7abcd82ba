"""What kernels can do: against the literal definition, and against the first paper's own engine."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

from attention_separation.any_attention import values
from attention_separation.any_attention.layers import LAYERS, token_types
from attention_separation.any_attention.least_values import critical_temperatures, least_weights
from attention_separation.any_attention.values import best_probabilities, probability_bounds
from attention_separation.any_attention.verdicts import exp_probabilities, separates, verdicts
from attention_separation.attention.dense import attention
from attention_separation.attention.kernel import Kernel
from attention_separation.attention.kernels import KERNELS, exponential
from attention_separation.datasets.dataset import FixedData
from attention_separation.studies.any_attention.settings import Data

PAPERS = Data(a0=0.01, a1=1.2, b=0.2, c=0.8, classes=20, delta=0.01, at_least=15)
SMALL = Data(a0=0.3, a1=1.1, b=0.4, c=0.7, classes=3, delta=0.01, at_least=2)
WITH_X_IDENTITY = [layer for layer in LAYERS if layer.attention_x == "identity"]


@pytest.mark.parametrize("name", ["exp", "linear", "power_2", "elu_plus_one", "hedgehog", "rbf"])
@pytest.mark.parametrize("layer", WITH_X_IDENTITY, ids=lambda layer: layer.model)
def test_a_weight_in_x_against_the_literal_definition(layer, name):
    """The largest scores of all 2^d columns, with Q = K = diag(sqrt(1 + g), 1, ..., 1)."""
    g, n = 2.7, 6
    d = layer.d(SMALL.classes)
    scored = values.score_columns(KERNELS[name], layer, SMALL, [n], g)
    y = np.array(list(itertools.product([-1.0, 1.0], repeat=d)))
    tokens = layer.tokens(SMALL, n)
    root = np.diag([np.sqrt(1 + g), *[1.0] * (d - 1)])
    for dataset, states in enumerate((scored.d0.score, scored.d1.score)):
        places = np.zeros(layer.dataset.special_tokens, dtype=int)
        a1, a2, a3, _, _ = layer.dataset.literal(tokens, dataset, places)
        c = attention(a1, a2, a3, root, root, np.eye(d), KERNELS[name])
        wanted = np.sort((c @ y.T).max(axis=0))
        found = np.unique(states.round(9))
        np.testing.assert_allclose(found, np.unique(wanted.round(9)), atol=2e-9)


def test_sums_over_keys_are_of_each_number_of_tokens_by_itself():
    """Efficient attention, which divides by them."""
    sizes = [20, 200, 2000]
    together = values.best_probabilities(KERNELS["efficient"], LAYERS[0], PAPERS, sizes)
    alone = [values.best_probabilities(KERNELS["efficient"], LAYERS[0], PAPERS, [n]) for n in sizes]
    np.testing.assert_array_equal(together, np.concatenate(alone))


def test_a_weight_is_for_x_the_identity():
    with pytest.raises(ValueError, match="a weight with X = 'ones'; allowed: with 'identity'"):
        token_types(LAYERS[1], PAPERS, [200], 1.0)
    of_none, of_zero = (token_types(LAYERS[1], PAPERS, [200], *w)[1] for w in ((), (0.0,)))
    np.testing.assert_array_equal(of_none.scores, of_zero.scores)


def test_rows_that_float64_does_not_tell_apart_have_no_number():
    """In cross-attention the special token's weight under a sigmoid of positive scores differs
    from the others' by 1/n of itself: by 1/n^2 of a row."""
    cross = LAYERS[2]
    assert np.isnan(values.best_probabilities(KERNELS["sigmoid"], cross, PAPERS, [2 * 10**8])[0])
    assert values.best_probabilities(KERNELS["sigmoid"], cross, PAPERS, [10**6])[0] > 0.1
    # Rows that are equal are told apart by nothing: that is a number.
    assert values.best_probabilities(KERNELS["uniform"], cross, PAPERS, [10**12])[0] == 0.0
    assert np.isnan(values.best_probabilities(KERNELS["exp"], cross, PAPERS, [2 * 10**12])[0])


def test_n_that_do_not_stack_are_refused():
    with pytest.raises(ValueError, match="n=210 with d=22"):
        values.score_columns(KERNELS["exp"], LAYERS[0], PAPERS, [210])


# What verdicts rest on: the bounds of a best P, and the P of exp.


def test_what_exp_can_do_at_sizes_given_twice():
    found = exp_probabilities(LAYERS[0], PAPERS, (2000, 200, 2000))
    wanted = best_probabilities(KERNELS["exp"], LAYERS[0], PAPERS, [2000, 200, 2000])
    np.testing.assert_array_equal(found, wanted)


JUST = 1e-9


@pytest.mark.parametrize("layer", [LAYERS[0], LAYERS[2]], ids=lambda layer: layer.model)
def test_a_verdict_changes_at_half_of_exps_probability_or_at_the_level(layer):
    """Bounds that are made up, just above it, just below it, and on both sides."""

    def verdict_on(least, most, data=PAPERS, level=None):
        return verdicts((np.array([least]), np.array([most])), layer, data, (200,), level)[0]

    (half,) = exp_probabilities(layer, PAPERS, (200,)) / 2
    for threshold, level in ((half, None), (0.3, 0.3)):
        above, below = threshold + JUST, threshold - JUST
        assert verdict_on(above, above, level=level) == 1
        assert verdict_on(below, below, level=level) == 0
        assert np.isnan(verdict_on(below, above, level=level))
    assert verdict_on(0.3, 0.3, level=0.3) == 1
    assert verdict_on(half, half) == 0
    # Nothing is measured against an exp that fails in half of the trials or more.
    for columns, is_measured in ((2, False), (3, True)):
        data = FixedData(columns=columns)
        assert (exp_probabilities(layer, data, (200,)) > 1 / 2) == is_measured
        assert verdict_on(1.0, 1.0, data) == is_measured


EXACT_SETTINGS = [
    # p of x^p in cross-attention, a0, a1, t and m.
    (2, "0.3", "2", 3, 2), (8, "0.3", "2", 3, 2), (40, "0.25", "1.5", 2, 3),
    (150, "0.3", "2", 3, 2), (400, "0.3", "2", 3, 2), (1000, "0.3", "2", 2, 3),
    (1000, "0.01", "1.2", 3, 2), (5000, "0.3", "2", 3, 2),
]  # fmt: skip


@pytest.mark.parametrize(("p", "a0", "a1", "t", "m"), EXACT_SETTINGS)
def test_what_p_may_be_holds_what_fractions_say(p, a0, a1, t, m):
    """Weights of x^p are fractions: (1 + a)^p of the special token for its query, 1 of others."""
    classes = 3
    n = classes * t
    largest = []
    for a in (Fraction(a0), Fraction(a1)):
        weight = (1 + a) ** p
        special = weight / (weight + n - 1), (weight + t - 1) / (weight + n - 1)
        rest = Fraction(t) / (weight + n - 1)
        of_column = []
        for y in itertools.product((-1, 1), repeat=1 + classes):
            others = sum(y[2:])
            of_special = special[0] * y[0] + special[1] * y[1] + rest * others
            of_other = Fraction(y[0] + t * (y[1] + others), n)
            of_column.append(max(of_special, of_other))
        largest.append(of_column)
    exact = exact_best_probability(*largest, classes, m)
    data = FixedData(a0=float(a0), a1=float(a1), classes=classes, columns=m)
    kernel = Kernel(f"x^{p}", "", "score", lambda seen: p * np.log(seen.scores), logarithmic=True)
    (least,), (most,) = probability_bounds(kernel, LAYERS[2], data, [n])
    assert least - 1e-12 <= exact <= most + 1e-12
    # Neither is farther than what is so.
    assert exact == pytest.approx(most, abs=1e-12)
    if p < 50:
        assert least == most


def test_where_float64_does_not_tell_p_its_bounds_still_say_something():
    """From one n to the next m is the same, and P hardly another: known at the first alone."""
    least, most = probability_bounds(KERNELS["sigmoid"], LAYERS[2], PAPERS, [2_935_360, 2_935_380])
    assert least[0] == most[0]
    assert 0 < least[1] < most[0] < most[1] < 2 * most[0]


def exact_best_probability(d0, d1, classes, m):
    """max over theta > 0 of P(no score on D0 above theta, some score on D1 above it), of what each
    column of signs, the first class being marked, is worth to D0 and D1: by all sign matrices of m
    columns. D1's special token marks D0's class with probability 1 / classes, else another one."""
    columns = [*itertools.product((0, 1), repeat=1 + classes)]
    other = [columns.index((y[0], y[2], y[1], *y[3:])) for y in columns]
    thetas = sorted({max(u, Fraction(0)) for u in (*d0, *d1)})
    best = Fraction(0)
    for theta in thetas:
        quiet = [u <= theta for u in d0]
        total = Fraction(0)
        for places, chance in ((range(len(columns)), 1), (other, classes - 1)):
            silent = sum(quiet)
            both = sum(quiet[k] and d1[place] <= theta for k, place in enumerate(places))
            every = Fraction(len(columns))
            total += Fraction(chance, classes) * ((silent / every) ** m - (both / every) ** m)
        best = max(best, total)
    return float(best)


# From which temperature and which weight a kernel separates: both sides of each.


@pytest.mark.parametrize("layer", LAYERS, ids=lambda layer: layer.words)
def test_softmax_separates_below_its_critical_temperature(layer):
    sizes = np.array([200, 2000, 10**6])
    found = critical_temperatures(layer, PAPERS, sizes.tolist())
    for t, n in zip(found, sizes, strict=True):
        for factor, wanted in ((1 - 1e-6, True), (1 + 1e-6, False)):
            kernel = exponential("", "", lambda _, at=t * factor: at, "")
            assert separates(kernel, layer, PAPERS, np.array([n]))[0] == wanted
    assert (np.diff(found) < 0).all()


@pytest.mark.parametrize("name", ["linear", "power_2", "exp_sqrt_d", "elu_plus_one"])
@pytest.mark.parametrize("layer", [LAYERS[0], LAYERS[2]], ids=lambda layer: layer.model)
def test_a_kernel_separates_from_its_least_weight_on(layer, name):
    sizes = np.array([400, 2000])
    weights = least_weights(KERNELS[name], layer, PAPERS, sizes.tolist())
    assert (np.diff(weights) > 0).all()
    above = separates(KERNELS[name], layer, PAPERS, sizes, weights * (1 + 1e-6))
    below = separates(KERNELS[name], layer, PAPERS, sizes, weights * (1 - 1e-6))
    assert above.tolist() == [True, True]
    assert below.tolist() == [False, False]
