"""Kernels whose rows are of any size, from 1e-12 to 1e30: by the definition in fifty digits, at
thresholds that scores tie too; and by trials."""

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal

import numpy as np
import pytest
from few import few
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from literal_digits import Literal, Setting, Weigh, of_scores
from scipy.stats import binomtest

import attention_separation as asep
from attention_separation.any_attention.layers import LAYERS
from attention_separation.api import Kernel


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

warns_of_signs = pytest.mark.filterwarnings("ignore:.*some weights are negative:UserWarning")


def setting_of(layer, **sizes):
    own = {"n": 279, "classes": 3, "m": 5, "a0": 0.01, "a1": 3.0, "b": 0.5, "c": 0.5} | sizes
    return Setting(layer.model, layer.attention_x, **own)


def paper_threshold(setting):
    return 0.9 if setting.model == "cross_attention" else setting.c + 0.1


@warns_of_signs
@few(2, "factor", FACTORS[::2])
@few(3, "name", SHAPES)
@few(2, "layer", LAYERS, ids=lambda layer: layer.words)
def test_probabilities_are_those_of_fifty_digits(layer, name, factor):
    """At the paper's threshold, its own best, the middle of these, and where a score ties it."""
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
        assert found.probability == pytest.approx(float(literal.at(theta)), abs=SAME), theta
        assert own.curve.at(theta) == found.probability


SETTINGS = st.builds(
    lambda layer, t, **sizes: Setting(
        layer.model, layer.attention_x, n=max(sizes["classes"] * t, 2), **sizes
    ),
    layer=st.sampled_from(LAYERS), t=st.one_of(st.integers(1, 40), st.sampled_from([10**4, 10**6])),
    classes=st.integers(1, 3), m=st.integers(1, 20), a0=st.sampled_from([0.0, 0.01, 0.3, 1.0]),
    a1=st.floats(0.1, 3), b=st.floats(0.05, 1), c=st.floats(0.05, 1.2),
)  # fmt: skip


@pytest.mark.exhaustive
@warns_of_signs
@settings(max_examples=60)
@given(
    setting=SETTINGS, names=st.lists(st.sampled_from([*SHAPES]), min_size=2, max_size=2),
    factors=st.tuples(st.sampled_from(FACTORS), st.sampled_from(FACTORS)), place=st.floats(0, 1),
)  # fmt: skip
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


@pytest.mark.exhaustive
@warns_of_signs
@settings(max_examples=60)
@given(
    setting=SETTINGS, name=st.sampled_from([*SHAPES]), factor=st.floats(-12, 12),
    theta=st.floats(0.01, 20), part=st.floats(0, 1),
)  # fmt: skip
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


@warns_of_signs
@few(2, "name", SHAPES)
@few(1, "layer", LAYERS, ids=lambda layer: layer.words)
def test_trials_agree_with_probabilities(layer, name):
    """At thresholds between scores and at those that a score ties; and the two ways to simulate
    agree trial by trial."""
    setting, kernel = setting_of(layer, n=12, m=3), SHAPES[name].kernel()
    literal = Literal(setting, [SHAPES[name].weigh()])
    scores = [float(score) for score in literal.thresholds() if score > 0]
    middles = [(low + high) / 2 for low, high in itertools.pairwise(scores)]
    thetas = [*scores[:: len(scores) // 6 + 1], *middles[:: len(middles) // 3 + 1]]
    cases = len(SHAPES) * len(LAYERS) * 12
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


@pytest.mark.parametrize("name", ["uniform", "linear", "exp_half", "minus_mean_1_linear"])
@pytest.mark.parametrize("layer", LAYERS[:2], ids=lambda layer: layer.words)
@pytest.mark.filterwarnings("ignore:.*some weights are negative:UserWarning")
def test_a_threshold_that_is_chosen_has_the_best_probability(layer, name):
    """Where the best ones lie between scores that differ by little more than a tie's tolerance."""
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
    assert math.isfinite(asep.separate("1e-290*x", n=2000).probability)
