"""Kernels whose rows are of any size, from 1e-12 to 1e30: by the definition in fifty digits, at
thresholds that scores tie too; and by trials."""

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from literal_digits import Literal, Setting, Weigh, of_scores
from scipy.stats import binomtest

import attention_separation as asep
from attention_separation.any_attention.layers import LAYERS, token_types
from attention_separation.api import Kernel
from attention_separation.attention.kernels import KERNELS
from attention_separation.attention.subtraction import sizes_before_subtraction
from attention_separation.datasets.dataset import FixedData


@dataclass(frozen=True)
class Shape:
    """A function of scores that is not divided, in float64 and in digits."""

    name: str
    of_floats: Callable[[np.ndarray], np.ndarray]
    of_digits: Callable[[Decimal], Decimal]

    def kernel(self, factor: float = 1.0) -> Kernel:
        return asep.scores(
            lambda x: factor * self.of_floats(x), name=f"{factor} {self.name}", normalised=False
        )

    def weigh(self, factor: float = 1.0) -> Weigh:
        return of_scores(lambda x: Decimal(factor) * self.of_digits(x))


JUMP = Decimal.from_float(0.93)
SHAPES = {
    shape.name: shape
    for shape in (
        Shape("e^x", np.exp, Decimal.exp),
        Shape("e^(4x)", lambda x: np.exp(4 * x), lambda x: (4 * x).exp()),
        Shape("e^(x/2)", lambda x: np.exp(x / 2), lambda x: (x / 2).exp()),
        Shape("x^9", lambda x: x**9, lambda x: x**9),
        Shape("x", lambda x: x, lambda x: x),
        Shape("1", np.ones_like, lambda x: Decimal(1)),
        Shape("x - 2", lambda x: x - 2, lambda x: x - 2),
        Shape("relu(x - 3)", lambda x: np.maximum(x - 3, 0), lambda x: max(x - 3, Decimal(0))),
        Shape(
            "x beyond a jump", lambda x: np.where(x > 0.93, x, 0.517),
            lambda x: x if x > JUMP else Decimal.from_float(0.517),
        ),
    )
}  # fmt: skip
FACTORS = (1e-12, 1e-6, 1.0, 1e6, 1e12)
SAME = 1e-12
"""Of probabilities, which are sums of few."""

LARGEST = Decimal("1e280")
"""Scores beyond overflow in float64."""

pytestmark = pytest.mark.filterwarnings("ignore:.*some weights are negative:UserWarning")


def setting_of(layer, **sizes):
    own = {"n": 279, "classes": 3, "m": 5, "a0": 0.01, "a1": 3.0, "b": 0.5, "c": 0.5} | sizes
    return Setting(layer.model, layer.attention_x, **own)


def paper_threshold(setting):
    return 0.9 if setting.model == "cross_attention" else setting.c + 0.1


@pytest.mark.parametrize("layer", LAYERS, ids=lambda layer: layer.words)
def test_probabilities_are_those_of_fifty_digits(subtests, layer):
    """At the paper's threshold, its own best, the middle of these, and where a score ties it; of
    each shape times one factor in each layer."""
    for place, name in enumerate(SHAPES):
        factor = FACTORS[::2][(place + LAYERS.index(layer)) % 3]
        with subtests.test(f"{name}, {factor}"):
            setting, kernel = setting_of(layer), SHAPES[name].kernel(factor)
            literal = Literal(setting, [SHAPES[name].weigh(factor)])
            own = asep.separate(kernel, **setting.options)
            assert own.probability == pytest.approx(float(literal.best()), abs=SAME)
            scores = [float(score) for score in literal.thresholds() if score > 0]
            thetas = [paper_threshold(setting), *scores[:: len(scores) // 12 + 1]]
            if own.theta:
                middle = sum(own.theta) / 2
                thetas.append(middle)
                assert float(literal.at(middle)) == pytest.approx(own.probability, abs=SAME)
            for theta in thetas:
                found = asep.separate(kernel, **setting.options, theta=theta)
                wanted = float(literal.at(theta))
                assert found.probability == pytest.approx(wanted, abs=SAME), theta
                assert own.curve.at(theta) == found.probability


SETTINGS = st.builds(
    lambda layer, t, **sizes: Setting(
        layer.model, layer.attention_x, n=max(sizes["classes"] * t, 2), **sizes
    ),
    layer=st.sampled_from(LAYERS),
    t=st.one_of(st.integers(1, 40), st.sampled_from([10**4, 10**6])),
    classes=st.integers(1, 3),
    m=st.integers(1, 20),
    a0=st.sampled_from([0.0, 0.01, 0.3, 1.0]),
    a1=st.floats(0.1, 3),
    b=st.floats(0.05, 1),
    c=st.floats(0.05, 1.2),
)


@settings(max_examples=25)
@given(
    setting=SETTINGS,
    names=st.lists(st.sampled_from([*SHAPES]), min_size=2, max_size=2),
    factors=st.tuples(st.sampled_from(FACTORS), st.sampled_from(FACTORS)),
    place=st.floats(0, 1),
)
def test_success_is_at_most_the_least_of_its_events(setting, names, factors, place):
    """In a contest of two such kernels, at a threshold that a score ties, and at the best."""
    shapes = [SHAPES[name] for name in names]
    kernels = [shape.kernel(factor) for shape, factor in zip(shapes, factors, strict=True)]
    weights = [shape.weigh(factor) for shape, factor in zip(shapes, factors, strict=True)]
    contest = {"fires": kernels[0], "silent": [kernels[1]]}
    literal = Literal(setting, weights)
    assume(literal.thresholds()[-1] < LARGEST)
    scores = [float(score) for score in literal.thresholds() if score > 0] or [0.5]
    theta = scores[int(place * (len(scores) - 1))]
    found = asep.success(contest, **setting.options, theta=theta)
    assert found.probability == pytest.approx(float(literal.at(theta)), abs=SAME)
    wanted = [float(event) for event in literal.events(theta)]
    assert [*found.events.values()] == pytest.approx(wanted, abs=SAME)
    assert found.probability <= min(found.events.values()) + SAME
    alone = asep.separate(kernels[0], **setting.options, theta=theta)
    assert found.probability <= alone.probability + SAME
    best = asep.success(contest, **setting.options, theta="best")
    assert best.probability == pytest.approx(float(literal.best()), abs=SAME)
    assert best.probability <= min(best.events.values()) + SAME


@settings(max_examples=25)
@given(
    setting=SETTINGS,
    name=st.sampled_from([*SHAPES]),
    factor=st.floats(-12, 12),
    theta=st.floats(0.01, 20),
    part=st.floats(0, 1),
)
def test_a_factor_scales_thresholds_and_changes_no_probability(setting, name, factor, theta, part):
    factor = 10**factor
    largest = Literal(setting, [SHAPES[name].weigh(max(factor, 1.0))]).thresholds()[-1]
    assume(largest < LARGEST)
    one, other = SHAPES[name].kernel(), SHAPES[name].kernel(factor)
    found, scaled = (asep.separate(kernel, **setting.options) for kernel in (one, other))
    assert scaled.probability == pytest.approx(found.probability, abs=SAME)
    for quantity in ("probability_after_signs", "probability_each_bias"):
        assert getattr(scaled, quantity) == pytest.approx(getattr(found, quantity), abs=SAME)
    if found.theta:
        # Of several intervals that are as wide it may be another one.
        (low, high), (scaled_low, scaled_high) = found.theta, scaled.theta
        assert scaled_high - scaled_low == pytest.approx(factor * (high - low), rel=1e-6)
        middle = (scaled_low + scaled_high) / 2 / factor
        assert found.curve.at(middle) == pytest.approx(found.probability, abs=SAME)
    if found.margin:
        assert scaled.margin == pytest.approx(factor * found.margin, rel=1e-6)
    gap = part * (found.margin or theta)
    at = asep.separate(one, **setting.options, theta=theta, margin=gap)
    also = asep.separate(other, **setting.options, theta=factor * theta, margin=factor * gap)
    assert also.probability == pytest.approx(at.probability, abs=SAME)


FALSE_ALARM = 1e-6
"""How often a test of trials may fail though all is right, all of its cases together."""


@pytest.mark.parametrize("name", SHAPES)
def test_trials_agree_with_probabilities(name):
    """At thresholds between scores and at those that a score ties; and the two ways to simulate
    agree trial by trial. Each shape in one of the layers."""
    layer = LAYERS[[*SHAPES].index(name) % len(LAYERS)]
    setting, kernel = setting_of(layer, n=12, m=3), SHAPES[name].kernel()
    literal = Literal(setting, [SHAPES[name].weigh()])
    scores = [float(score) for score in literal.thresholds() if score > 0]
    middles = [(low + high) / 2 for low, high in itertools.pairwise(scores)]
    thetas = [*scores[:: len(scores) // 2 + 1], middles[len(middles) // 2]]
    cases = len(SHAPES) * 3
    for seed, theta in enumerate(thetas):
        at = setting.options | {"theta": theta, "seed": seed}
        found = asep.simulate(kernel, trials=2000, **at)
        wanted = asep.separate(kernel, **setting.options, theta=theta).probability
        p_value = binomtest(found.successes, 2000, min(wanted, 1.0)).pvalue
        assert p_value > FALSE_ALARM / cases, (theta, found.p_hat, wanted)
        few, literally = (
            asep.simulate(kernel, trials=30, method=method, **at) for method in ("rows", "dense")
        )
        assert few.successes == literally.successes
        assert (few.d1_positive, few.d0_zero) == (literally.d1_positive, literally.d0_zero)


@pytest.mark.parametrize("layer", LAYERS[:2], ids=lambda layer: layer.words)
def test_a_threshold_that_is_chosen_has_the_best_probability(subtests, layer):
    """Where the best ones lie between scores that differ by little more than a tie's tolerance."""
    for name in ("uniform", "linear", "exp_half", "minus_mean_1_linear"):
        with subtests.test(name):
            sizes = {"model": layer.model, "attention_x": layer.attention_x, "n": 10**12}
            own = asep.separate(name, **sizes)
            contest = asep.success({"fires": name, "silent": []}, **sizes, theta="best")
            assert contest.probability == pytest.approx(own.probability, abs=SAME)
            assert own.probability <= min(contest.events.values()) + SAME
            chosen = asep.simulate(name, **sizes, trials=10).theta
            at = asep.separate(name, **sizes, theta=chosen)
            assert at.probability == pytest.approx(own.probability, abs=SAME)


def test_a_given_threshold_needs_no_best_one():
    """Where float64 does not tell the best, a given one still has its probability."""
    at = {"model": "cross_attention", "n": 2 * 10**8}
    with pytest.raises(ArithmeticError, match="float64 does not tell"):
        asep.separate("sigmoid", **at)
    found = asep.separate("sigmoid", **at, theta=0.75)
    trials = asep.simulate("sigmoid", **at, theta=0.75, trials=2000)
    assert binomtest(trials.successes, 2000, found.probability).pvalue > FALSE_ALARM
    for quantity in ("margin", "probability_after_signs", "probability_each_bias"):
        with pytest.raises(ArithmeticError, match="float64 does not tell"):
            getattr(found, quantity)


def test_rows_that_overflow_are_an_error():
    huge = asep.scores(lambda x: 1e307 * x, normalised=False)
    with pytest.raises(ArithmeticError, match=r"a row's sum is inf.*allowed: finite sums"):
        asep.separate(huge, n=2000)
    tiny, plain = (asep.separate(kernel, n=2000) for kernel in ("1e-290*x", "x"))
    assert tiny.probability == pytest.approx(plain.probability, abs=SAME)


# Kernels that subtract: what is left is as exact as what it was taken from.


def mean(x, counts):
    return (counts * x).sum() / counts.sum()


def softmax(x, counts):
    weights = np.exp(x - x.max())
    return weights / (counts * weights).sum()


def exact_mean(x, counts):
    return sum(count * each for each, count in zip(x, counts, strict=True)) / sum(counts)


def exact_softmax(x, counts):
    weights = [each.exp() for each in x]
    total = sum(count * weight for weight, count in zip(weights, counts, strict=True))
    return [weight / total for weight in weights]


def less(numbers, by):
    return [number - by for number in numbers]


def less_mean(numbers, counts):
    return less(numbers, exact_mean(numbers, counts))


@dataclass(frozen=True)
class Function:
    """Of a row: in float64, as people write it, and in digits."""

    of_floats: Callable[[np.ndarray, np.ndarray], np.ndarray]
    of_digits: Weigh


FUNCTIONS = {
    "x - mean": Function(lambda x, counts: x - mean(x, counts), less_mean),
    "x - average": Function(lambda x, counts: x - np.average(x, weights=counts), less_mean),
    "(x + 3) - mean": Function(lambda x, counts: (x + 3) - mean(x + 3, counts), less_mean),
    "of the share": Function(
        lambda x, counts: x / (counts * x).sum() - 1 / counts.sum(),
        lambda x, counts: less(
            [each / (exact_mean(x, counts) * sum(counts)) for each in x], Decimal(1) / sum(counts)
        ),
    ),
    "softmax - mean": Function(
        lambda x, counts: softmax(x, counts) - mean(softmax(x, counts), counts),
        lambda x, counts: less_mean(exact_softmax(x, counts), counts),
    ),
    "e^x - mean": Function(
        lambda x, counts: np.exp(x) - mean(np.exp(x), counts),
        lambda x, counts: less_mean([each.exp() for each in x], counts),
    ),
    "most of the mean": Function(
        lambda x, counts: 1e6 * (x - 0.875 * mean(x, counts)),
        lambda x, counts: less(x, Decimal("0.875") * exact_mean(x, counts)),
    ),
    "less the least": Function(lambda x, counts: x - x.min(), lambda x, counts: less(x, min(x))),
    "two rows": Function(
        lambda x, counts: softmax(x, counts) - softmax(x / 2, counts),
        lambda x, counts: [
            one - other
            for one, other in zip(
                exact_softmax(x, counts), exact_softmax([each / 2 for each in x], counts),
                strict=True,
            )
        ],
    ),
}  # fmt: skip
SPECIAL = ({}, {"a0": 0.0}, {"a1": 1.0}, {"a1": 0.3, "a0": 0.1})
each_function = pytest.mark.parametrize("name", FUNCTIONS)
each_layer = pytest.mark.parametrize("layer", LAYERS, ids=lambda layer: layer.words)


def settings_with_subtraction(layer, name, *numbers_of_tokens):
    """With each special entry at one number of tokens, of all of them over the functions."""
    shift = [*FUNCTIONS].index(name)
    for k, sizes in enumerate(SPECIAL):
        n = numbers_of_tokens[(k + shift) % len(numbers_of_tokens)]
        own = {"a0": 0.01, "a1": 1.2, "b": 0.2, "c": 0.8, "classes": 3, "m": 15} | sizes
        yield Setting(layer.model, layer.attention_x, n=n, **own)


@each_layer
def test_a_row_function_that_subtracts_has_its_probabilities(subtests, layer):
    """By fifty digits, at the best threshold and between the scores."""
    for name in FUNCTIONS:
        with subtests.test(name):
            function = FUNCTIONS[name]
            kernel = asep.rows(function.of_floats, normalised=False)
            for setting in settings_with_subtraction(layer, name, 12, 3000, 30_000):
                literal = Literal(setting, [function.of_digits])
                own = asep.separate(kernel, **setting.options)
                assert own.probability == pytest.approx(float(literal.best()), abs=1e-9), setting
                if own.theta and name != "most of the mean":
                    middle = sum(own.theta) / 2
                    found = asep.separate(kernel, **setting.options, theta=middle)
                    assert found.probability == pytest.approx(own.probability, abs=1e-9), setting


@each_layer
def test_what_rounding_takes_is_said(subtests, layer):
    """At larger n too an answer is right, or it is refused for what rounding has left of it."""
    for name in FUNCTIONS:
        with subtests.test(name):
            function = FUNCTIONS[name]
            kernel = asep.rows(function.of_floats, normalised=False)
            for setting in settings_with_subtraction(
                layer, name, 3 * 10**6, 3 * 10**10, 3 * 10**11
            ):
                try:
                    found = asep.separate(kernel, **setting.options).probability
                except ArithmeticError as error:
                    text = str(error)
                    if "differ by rounding alone" in text or "float64 does not tell" in text:
                        continue
                    raise
                wanted = float(Literal(setting, [function.of_digits]).best())
                assert found == pytest.approx(wanted, abs=1e-9), setting


@each_layer
def test_it_is_the_built_in_kernel(layer):
    own = asep.rows(FUNCTIONS["of the share"].of_floats, normalised=False)
    for n in (200, 2000, 20_000):
        at = {"model": layer.model, "attention_x": layer.attention_x, "n": n}
        found, wanted = asep.separate(own, **at), asep.separate("minus_mean_1_linear", **at)
        assert found.probability == pytest.approx(wanted.probability, abs=1e-12)
        assert found.theta == pytest.approx(wanted.theta, rel=1e-7, abs=1e-12)
        assert found.margin == pytest.approx(wanted.margin, rel=1e-7)


def centred(z):
    return z - z.mean(axis=-1, keepdims=True)


def layer_norm(z):
    return centred(z) / np.sqrt((centred(z) ** 2).mean(axis=-1, keepdims=True) + 1e-5)


less_mean_of_floats = FUNCTIONS["x - mean"].of_floats

ROUNDING_ALONE = {
    # With X all ones, and for the special query of cross-attention at a1 = 1, all coordinates of a
    # query are equal.
    "centred": (lambda: asep.features(centred, normalised=False), LAYERS[1], {}),
    "layer norm": (lambda: asep.features(layer_norm, normalised=False), LAYERS[1], {}),
    "a pair": (lambda: asep.pair(centred, abs, normalised=False), LAYERS[1], {}),
    "one query": (lambda: asep.features(centred, normalised=False), LAYERS[2], {"a1": 1.0}),
    "its pair": (lambda: asep.pair(centred, abs, normalised=False), LAYERS[2], {"a1": 1.0}),
    "large n": (lambda: asep.rows(less_mean_of_floats, normalised=False), LAYERS[1], {"n": 10**12}),
    "equal scores": (
        lambda: asep.rows(less_mean_of_floats, normalised=False),
        LAYERS[2],
        {"n": 10**8},
    ),
}


def test_what_differs_by_rounding_alone_is_said_to(subtests):
    for name in ROUNDING_ALONE:
        with subtests.test(name):
            kernel, layer, sizes = ROUNDING_ALONE[name]
            with pytest.raises(ArithmeticError, match="differ by rounding alone") as error:
                asep.separate(kernel(), layer.model, layer.attention_x, **sizes)
            assert "do not depend on their places" not in str(error.value)


TELL_PLACES = {
    "a step": lambda x, counts: x - mean(x, counts) + 1e-6 * np.arange(len(x)),
    "no counts": lambda x, counts: x - x.mean(),
    "no counts of a sum": lambda x, counts: x / x.sum() - 1 / counts.sum(),
    "last digits": lambda x, counts: softmax(x, counts) * (1 + 1e-8 * np.arange(len(x))),
}


@each_layer
def test_what_tells_places_apart_is_no_rounding(subtests, layer):
    for name in TELL_PLACES:
        with subtests.test(name):
            kernel = asep.rows(TELL_PLACES[name], normalised=False)
            with pytest.raises(ArithmeticError, match="allowed: the same weight") as error:
                asep.separate(kernel, layer.model, layer.attention_x, a0=0.3)
            assert "rounding" not in str(error.value)


def test_sizes_before_a_subtraction():
    """Of x - mean they are about x, though nothing may be left; of weights that are no differences
    about what they are."""
    types, _ = token_types(LAYERS[2], FixedData(), [2000])
    seen = types.inputs()
    scores = seen.scores
    for function, wanted in (
        (lambda x, counts: x, scores),
        (softmax, scores / 2000),
        (FUNCTIONS["x - mean"].of_floats, scores),
    ):
        kernel = asep.rows(function, normalised=False)
        assert kernel.may_subtract
        weights = kernel.attention_weights(seen)
        found = sizes_before_subtraction(kernel, seen, weights)
        np.testing.assert_allclose(found, wanted, rtol=0.1)
    assert not any(kernel.may_subtract for kernel in KERNELS.values())
