"""What kernels can do: against the literal definition, and against the first paper's own engine."""

import itertools

import numpy as np
import pytest

from attention_separation.any_attention import values
from attention_separation.any_attention.layers import LAYERS, token_types
from attention_separation.attention.dense import attention
from attention_separation.attention.kernels import KERNELS
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
