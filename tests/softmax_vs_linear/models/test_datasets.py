"""The dataset of Definition 3.8 against numbers written out, and the models by name."""

import math

import numpy as np
import pytest

from attention_separation.softmax_vs_linear.models import MODELS, regression
from attention_separation.softmax_vs_linear.models.cross_attention import CROSS_ATTENTION
from attention_separation.softmax_vs_linear.models.regression import REGRESSION
from attention_separation.softmax_vs_linear.models.self_attention import SELF_ATTENTION


def test_regression_z_has_the_stated_entries():
    uniforms = np.array([0.0, 0.5, 0.999])
    log_n = math.log(3)
    d0 = regression.dataset_z(3, uniforms, "uniform", None)
    np.testing.assert_allclose(d0, log_n * np.array([1.0, 1.2, 1.3996]), rtol=1e-14)
    d1 = regression.dataset_z(3, uniforms, "uniform", 1)
    np.testing.assert_allclose(d1, log_n * np.array([1.0, 4.0, 1.3996]), rtol=1e-14)
    two = regression.dataset_z(3, uniforms, "two-point", None)
    np.testing.assert_allclose(two, log_n * np.array([1.0, 1.4, 1.4]))
    for law, value in regression.LEVELS.items():
        np.testing.assert_allclose(regression.dataset_z(3, uniforms, law, None), log_n * value)


def test_regression_functions_by_hand():
    z = np.array([math.log(2), math.log(3)])
    np.testing.assert_allclose(regression.normalise(regression.u_exp(z)), [0.4, 0.6])
    np.testing.assert_allclose(
        regression.normalise(regression.u_lin(np.array([1.0, 3.0]))), [0.25, 0.75]
    )


def test_regression_needs_nothing_of_a_and_x_but_their_product():
    z = regression.dataset_z(5, np.linspace(0, 0.9, 5), "uniform", 2)
    x = np.array([0.3, -2.0, 1.0])
    a = np.outer(z, x) / (x @ x)
    np.testing.assert_allclose(a @ x, z, rtol=1e-14)


@pytest.mark.parametrize(
    ("model", "sizes", "words"),
    [
        (REGRESSION, (1, None), ["n=1", "2 <= n"]),
        (REGRESSION, (10**9, None), ["n=1000000000", "2 <= n <= 100000000"]),
    ],
)
def test_broken_structure_is_named_with_what_is_valid(model, sizes, words):
    with pytest.raises(ValueError, match=words[0]) as error:
        model.check(*sizes)
    for word in words:
        assert word in str(error.value)


def test_models_by_name():
    assert {name: model.name for name, model in MODELS.items()} == {
        name: name for name in ("regression", "self_attention", "cross_attention")
    }
    assert SELF_ATTENTION.scale(200) == CROSS_ATTENTION.scale(200) == math.sqrt(math.log(200))
    assert REGRESSION.scale(200) == 1.0
