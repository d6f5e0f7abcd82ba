"""Kernels that subtract: what is left is as exact as what it was taken from."""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal

import numpy as np
import pytest
from few import few
from literal_digits import Literal, Setting, Weigh

import attention_separation as asep
from attention_separation.any_attention.layers import LAYERS, token_types
from attention_separation.attention.kernels import KERNELS
from attention_separation.attention.subtraction import sizes_before_subtraction
from attention_separation.datasets.dataset import FixedData

pytestmark = pytest.mark.filterwarnings("ignore:.*some weights are negative:UserWarning")


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
each_function = few(2, "name", FUNCTIONS)
each_layer = few(1, "layer", LAYERS, ids=lambda layer: layer.words)


def settings_of(layer, *numbers_of_tokens):
    for sizes in SPECIAL:
        for n in numbers_of_tokens:
            own = {"a0": 0.01, "a1": 1.2, "b": 0.2, "c": 0.8, "classes": 3, "m": 15} | sizes
            yield Setting(layer.model, layer.attention_x, n=n, **own)


@each_function
@each_layer
def test_a_row_function_that_subtracts_has_its_probabilities(layer, name):
    """By fifty digits, at the best threshold and between the scores."""
    function = FUNCTIONS[name]
    kernel = asep.rows(function.of_floats, normalised=False)
    for setting in settings_of(layer, 12, 210, 3000, 30_000):
        literal = Literal(setting, [function.of_digits])
        own = asep.separate(kernel, **setting.options)
        assert own.probability == pytest.approx(float(literal.best()), abs=1e-9), setting
        if own.theta and name != "most of the mean":
            middle = sum(own.theta) / 2
            found = asep.separate(kernel, **setting.options, theta=middle)
            assert found.probability == pytest.approx(own.probability, abs=1e-9), setting


@each_function
@each_layer
def test_what_rounding_takes_is_said(layer, name):
    """At larger n too an answer is right, or it is refused for what rounding has left of it."""
    function = FUNCTIONS[name]
    kernel = asep.rows(function.of_floats, normalised=False)
    for setting in settings_of(layer, 3 * 10**6, 3 * 10**8, 3 * 10**10, 3 * 10**11):
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


@pytest.mark.parametrize("name", ROUNDING_ALONE)
def test_what_differs_by_rounding_alone_is_said_to(name):
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


@pytest.mark.parametrize("name", TELL_PLACES)
@each_layer
def test_what_tells_places_apart_is_no_rounding(layer, name):
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
