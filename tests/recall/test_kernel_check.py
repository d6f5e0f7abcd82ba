"""A kernel of one's own whose weights are not those of one query and one key is refused."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from no_functions import cooling, random_weights

from attention_separation import features, recall, rows, scores


def with_dropout(rng=np.random.default_rng(2)):  # noqa: B008
    return lambda z: z * (rng.random(z.shape) > 0.1)


RANDOM = random_weights()
NO_FUNCTIONS = {
    "random weights": scores(random_weights()),
    "a temperature that rises": scores(cooling()),
    "features with dropout": features(with_dropout()),
    "random rows": rows(lambda x, counts: RANDOM(x), normalised=True),
}

OF_OTHERS = {
    "the largest score of all": (lambda x: np.exp(x / np.abs(x).max()), r"rows\(f\)"),
    "the largest of a row": (lambda x: np.exp(x / np.abs(x).max(-1, keepdims=True)), "which keys"),
    "the number of queries": (lambda x: np.exp(x / len(x)), "which queries"),
    "the number of keys": (lambda x: np.exp(x / x.shape[-1]), "which keys"),
    "the place": (lambda x: np.exp(x) * (1 + np.arange(x.shape[-1])), "which keys"),
    "a quantile": (lambda x: np.where(x > np.quantile(x, 0.9), x, 0.0), r"rows\(f\)"),
    "the largest of all vectors": (features(lambda z: np.exp(z / np.abs(z).max())), "axis=-1"),
}

ASKED = [recall.accuracy, recall.simulate, lambda kernel, n, d: recall.largest_n(kernel, d)]


@given(ask=st.sampled_from(ASKED), kernel=st.sampled_from([*NO_FUNCTIONS.values()]))
def test_a_kernel_that_keeps_a_state_or_is_random_is_refused(ask, kernel):
    with pytest.raises(ValueError, match="it keeps a state or is random"):
        ask(kernel, n=16, d=16)


@given(ask=st.sampled_from(ASKED), case=st.sampled_from([*OF_OTHERS.values()]))
def test_a_weight_that_depends_on_others_is_refused(ask, case):
    kernel, said = case
    known = kernel if not callable(kernel) else scores(kernel)
    with pytest.raises(ValueError, match=f"weights depend on .*{said}"):
        ask(known, n=16, d=16)


ALLOWED = {
    "less the largest of all": lambda x: np.exp(x - x.max()),
    "less the largest of a row": lambda x: np.exp(x - x.max(-1, keepdims=True)),
    "less the mean": lambda x: np.exp(x - x.mean()),
    "with n": lambda x, n: np.exp(x) * n,
}


@given(function=st.sampled_from([*ALLOWED.values()]))
def test_a_factor_that_a_row_shares_is_none_of_a_weights(function):
    found = recall.accuracy(scores(function), n=64, d=16).value
    assert found == pytest.approx(recall.accuracy("exp", n=64, d=16).value, abs=1e-9)


def test_a_row_may_depend_on_its_other_keys():
    kernel = rows(lambda x, counts: np.where(x >= x.max() / 2, x, 0.0), normalised=True)
    assert recall.accuracy(kernel, n=8, d=16, trials=60).kind == "simulated"
