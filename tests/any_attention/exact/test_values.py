"""What kernels can do: against the literal definition, and against the first paper's own engine."""

import itertools

import numpy as np
import pytest
from making import point

from attention_separation.any_attention.exact.layers import LAYERS, token_types
from attention_separation.any_attention.exact.values import (
    best_probabilities,
    score_columns,
    separate,
)
from attention_separation.any_attention.settings.jobs import Data
from attention_separation.attention.dense import attention
from attention_separation.attention.kernels import KERNELS
from attention_separation.datasets.dataset import Tokens
from attention_separation.softmax_vs_linear.exact.best_thresholds import best_thresholds
from attention_separation.softmax_vs_linear.models import MODELS

PAPERS = Data(a0=0.01, a1=1.2, b=0.2, c=0.8, classes=20, delta=0.01, at_least=15)
SMALL = Data(a0=0.3, a1=1.1, b=0.4, c=0.7, classes=3, delta=0.01, at_least=2)
LAYER_NAMES = ("self, identity", "self, ones", "cross")
WITH_X_IDENTITY = [layer for layer in LAYERS if layer.attention_x == "identity"]


@pytest.mark.parametrize("name", ["exp", "linear", "power_2", "elu_plus_one", "hedgehog", "rbf"])
@pytest.mark.parametrize("layer", WITH_X_IDENTITY, ids=lambda layer: layer.model)
def test_a_weight_in_x_against_the_literal_definition(layer, name):
    """The largest scores of all 2^d columns, with Q = K = diag(sqrt(1 + g), 1, ..., 1)."""
    g, n = 2.7, 6
    d = layer.d(SMALL.classes)
    scored = score_columns(KERNELS[name], layer, SMALL, [n], g)
    y = np.array(list(itertools.product([-1.0, 1.0], repeat=d)))
    tokens = Tokens(n, d, SMALL.a0, SMALL.a1, SMALL.b, SMALL.c, layer.attention_x)
    root = np.diag([np.sqrt(1 + g), *[1.0] * (d - 1)])
    for dataset, states in enumerate((scored.d0, scored.d1)):
        places = np.zeros(layer.of.special_tokens, dtype=int)
        a1, a2, a3, _, _ = layer.of.literal(tokens, dataset, places)
        c = attention(a1, a2, a3, root, root, np.eye(d), KERNELS[name])
        wanted = np.sort((c @ y.T).max(axis=0))
        found = np.unique(states.round(9))
        np.testing.assert_allclose(found, np.unique(wanted.round(9)), atol=2e-9)


def test_a_weight_is_for_x_the_identity():
    with pytest.raises(ValueError, match="a weight with X = 'ones'; allowed: with 'identity'"):
        token_types(LAYERS[1], PAPERS, [200], 1.0)
    of_none, of_zero = (token_types(LAYERS[1], PAPERS, [200], *w)[1] for w in ((), (0.0,)))
    np.testing.assert_array_equal(of_none.scores, of_zero.scores)


@pytest.mark.parametrize("name", ["exp", "linear", "power_4", "elu_plus_one", "sparsemax"])
@pytest.mark.parametrize("layer", LAYERS, ids=LAYER_NAMES)
def test_the_first_papers_engine_finds_the_same_at_its_thresholds(layer, name):
    sizes = [200, 2000, 20_000]
    points = [
        point(
            layer.model, n=n, d=layer.d(20), m=PAPERS.m(n), a0=0.01, a1=1.2,
            theta=layer.theta(PAPERS), attention_x=layer.attention_x,
            **({"b": 0.2, "c": 0.8} if layer.model == "self_attention" else {}),
        )
        for n in sizes
    ]  # fmt: skip
    wanted = best_thresholds(MODELS[layer.model], points, name)
    of_exp = best_probabilities(KERNELS["exp"], layer, PAPERS, sizes)
    found = separate(KERNELS[name], layer, PAPERS, sizes, of_exp)
    assert found.p_best.tolist() == [best.p_best for best in wanted]
    assert found.p_paper.tolist() == [best.p_at_theta for best in wanted]
    assert found.theta_low.tolist() == [best.low for best in wanted]


@pytest.mark.parametrize("layer", LAYERS, ids=LAYER_NAMES)
def test_several_n_at_once_are_as_one_by_one(layer):
    sizes = [20, 40, 200, 20_000, 10**9, 10**12]
    for name in ("exp", "hedgehog", "efficient", "linear_unnormalised"):
        kernel = KERNELS[name]
        together = best_probabilities(kernel, layer, PAPERS, sizes)
        alone = [best_probabilities(kernel, layer, PAPERS, [n])[0] for n in sizes]
        np.testing.assert_array_equal(together, alone)


def test_rows_that_float64_does_not_tell_apart_have_no_number():
    """In cross-attention the special token's weight under a sigmoid of positive scores differs
    from the others' by 1/n of itself: by 1/n^2 of a row."""
    cross = LAYERS[2]
    assert np.isnan(best_probabilities(KERNELS["sigmoid"], cross, PAPERS, [2 * 10**8])[0])
    assert best_probabilities(KERNELS["sigmoid"], cross, PAPERS, [10**6])[0] > 0.1
    # Rows that are equal are told apart by nothing: that is a number.
    assert best_probabilities(KERNELS["uniform"], cross, PAPERS, [10**12])[0] == 0.0
    assert np.isnan(best_probabilities(KERNELS["exp"], cross, PAPERS, [2 * 10**12])[0])


def test_n_that_do_not_stack_are_refused():
    with pytest.raises(ValueError, match="n=210 with d=22"):
        score_columns(KERNELS["exp"], LAYERS[0], PAPERS, [210])


def test_the_control_reads_one_value_in_n():
    """Uniform weights: 1 - (3/4)^m is out of reach, and in cross-attention nothing is told."""
    floor = best_probabilities(KERNELS["uniform"], LAYERS[0], PAPERS, [2000])[0]
    assert floor == pytest.approx(0.16145974, abs=1e-8)
    assert best_probabilities(KERNELS["exp"], LAYERS[0], PAPERS, [2000])[0] == pytest.approx(
        1 - 0.75**15, abs=2e-4
    )
