"""A kernel of one's own that keeps a state or is random is refused, by whatever asks it."""

import numpy as np
import pytest
from no_functions import cooling, random_weights

import attention_separation as asep
from attention_separation import explorer


def running_mean():
    """Less what has been seen so far, as a norm in training keeps it."""
    seen = []

    def weights(x):
        seen.append(float(x.mean()))
        return np.maximum(x - np.mean(seen), 0.01)

    return weights


def with_dropout():
    rng = np.random.default_rng(2)
    return asep.features(lambda z: np.maximum(z, 0.01) * (rng.random(z.shape) > 0.1))


def random_coordinates():
    rng = np.random.default_rng(3)
    return asep.features(lambda z: np.maximum(z, 0.01) * rng.random(), elementwise=True)


def random_rows():
    rng = np.random.default_rng(4)
    return asep.rows(lambda x, counts: np.exp(x) * rng.uniform(0.9, 1.1), normalised=False)


MAKERS = [random_weights, cooling, running_mean, with_dropout, random_coordinates, random_rows]

ASKED = {
    "separate": asep.separate,
    "success": lambda kernel: asep.success({"fires": "exp", "silent": [kernel]}),
    "success, fires": lambda kernel: asep.success({"fires": kernel, "silent": ["linear"]}),
    "largest_n": asep.largest_n,
    "simulate": asep.simulate,
    "a picture of scores": explorer.draw_scores,
    "a picture of a row": lambda kernel: explorer.draw_row([kernel]),
}


@pytest.mark.parametrize("ask", ASKED.values(), ids=ASKED)
@pytest.mark.parametrize("make", MAKERS)
def test_what_keeps_a_state_or_is_random_is_refused(make, ask):
    with pytest.raises(ArithmeticError, match="it keeps a state or is random"):
        ask(make())


@pytest.mark.parametrize("model", ["self_attention", "cross_attention"])
def test_a_function_is_none(model):
    functions = [lambda x: np.exp(x), asep.features(lambda z: np.maximum(z, 0) + 0.1)]
    for function in functions:
        assert asep.separate(function, model).probability > 0
