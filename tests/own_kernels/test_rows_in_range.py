"""Formulas whose rows are divided: no weight of theirs is out of range, in all layers and up to the
largest n; by logarithms of the weights."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import attention_separation as asep
from attention_separation.any_attention.layers import LAYERS
from attention_separation.any_attention.values import score_columns
from attention_separation.attention.kernel import Kernel
from attention_separation.datasets.dataset import FixedData
from attention_separation.settings.kernel_section import FeatureKernel, ScoreKernel
from attention_separation.settings.kernel_values import own_kernel

DATA = FixedData()
SIZES = [20, 2000, 10**6, 10**9, 10**12]

each_layer = pytest.mark.parametrize("layer", LAYERS, ids=lambda layer: layer.words)

LOGARITHMS = {
    # A formula, and the logarithm of its weight but for a number that all weights share.
    "exp(10*x)": lambda x: 10 * x,
    "7e200*exp(10*x)*1e200": lambda x: 10 * x,
    "exp(20*x)/exp(10*x)": lambda x: 10 * x,
    "exp(0-60*x)": lambda x: -60 * x,
    "exp(x**2)": lambda x: x**2,
    "exp(exp(x/4))": lambda x: np.exp(x / 4),
    "x**400": lambda x: 400 * np.log(x),
    "(x/100)**400": lambda x: 400 * np.log(x),
    "(x**300)**0.01": lambda x: 3 * np.log(x),
    "exp(9*x) + exp(10*x)": lambda x: np.logaddexp(9 * x, 10 * x),
    "exp(10*x) - exp(9*x)": lambda x: 10 * x + np.log1p(-np.exp(-x)),
    "log(1 + exp(10*x))": lambda x: np.log(np.logaddexp(0, 10 * x)),
    "where(x > 1, exp(10*x), exp(9*x))": lambda x: np.where(x > 1, 10 * x, 9 * x),
    "1/(1 + exp(800 - 10*x))": lambda x: -np.logaddexp(0, 800 - 10 * x),
    "x*exp(800)": np.log,
}
"""All of them overflow, or vanish, at some n."""


def shares(kernel, layer, sizes=SIZES):
    rows = score_columns(kernel, layer, DATA, sizes).rows
    return np.stack([of.weights / np.abs(of.weights).max() for of in rows])


@each_layer
def test_rows_are_those_of_the_logarithms(subtests, layer):
    for text, log in LOGARITHMS.items():
        with subtests.test(text):
            literal = Kernel(
                "", "", "score", lambda seen, log=log: log(seen.scores), logarithmic=True
            )
            own = own_kernel("mine", ScoreKernel(score=text))
            for kernel in (asep.kernel_of(text), own):
                # An exponent of thousands is rounded by 1e-12.
                np.testing.assert_allclose(
                    shares(kernel, layer), shares(literal, layer), rtol=1e-10, atol=1e-150
                )


@settings(max_examples=20)
@given(
    st.floats(-40, 40), st.floats(-1e4, 1e4), st.sampled_from(["x", "sqrt(x)", "log(x)", "x**1.5"])
)
def test_a_factor_of_all_weights_changes_nothing(slope, shift, inner):
    kernels = [
        asep.kernel_of(f"exp({slope!r}*{inner}{more})")
        for more in ("", f" + {shift!r}", f" - {abs(shift)!r}")
    ]
    plain, *shifted = (shares(kernel, LAYERS[1], [200, 10**9]) for kernel in kernels)
    for found in shifted:
        np.testing.assert_allclose(found, plain, rtol=1e-10, atol=1e-150)


@each_layer
def test_feature_maps_are_in_range_too(layer):
    sharp = own_kernel("mine", FeatureKernel(feature_map="exp(100*x)"))
    literal = Kernel(
        "",
        "",
        "features",
        lambda seen: np.logaddexp.reduce(
            100 * (seen.queries[..., :, None, :] + seen.keys[..., None, :, :]), axis=-1
        ),
        logarithmic=True,
    )
    np.testing.assert_allclose(
        shares(sharp, layer), shares(literal, layer), rtol=1e-10, atol=1e-150
    )
    large = own_kernel("large", FeatureKernel(feature_map="1e300*(1 + x)"))
    plain = own_kernel("plain", FeatureKernel(feature_map="1 + x"))
    np.testing.assert_allclose(shares(large, layer), shares(plain, layer), rtol=1e-10, atol=1e-150)


@pytest.mark.parametrize("text", ["exp(10*x)", "x**400", "1e300*x**4*1e9"])
def test_where_rows_are_not_divided_overflow_is_said(text):
    kernel = own_kernel("mine", ScoreKernel(score=text, normalised=False))
    with pytest.raises(ArithmeticError, match="finite"):
        score_columns(kernel, LAYERS[1], DATA, [10**12])


def test_what_a_formula_cannot_be_is_said_as_before():
    for text, words in (
        ("log(0*x)", "is -inf"),
        ("x - 1e9", "a row of weights sums to -"),
        ("0*x", "sums to 0"),
        ("sqrt(0-x)", "is nan"),
        ("exp(exp(exp(10*x)))", "finite number"),
    ):
        with pytest.raises(ArithmeticError, match=words):
            asep.separate(text, n=10**12)


def test_a_function_is_told_what_to_write():
    sharp = asep.scores(lambda x: np.exp(10 * x))
    with pytest.raises(ArithmeticError, match=r"np.exp\(y - y.max\(-1, keepdims=True\)\)"):
        asep.separate(sharp, attention_x="ones", n=10**12)
    undivided = asep.scores(lambda x: np.exp(10 * x), normalised=False)
    with pytest.raises(ArithmeticError, match="allowed: finite") as error:
        asep.separate(undivided, attention_x="ones", n=10**12)
    assert "y.max(" not in str(error.value)
    stable = asep.scores(lambda x: np.exp(10 * (x - x.max(-1, keepdims=True))))
    at = {"attention_x": "ones", "n": 10**12}
    found, wanted = (asep.separate(each, **at).share for each in (stable, "exp(10*x)"))
    assert found == pytest.approx(wanted, rel=1e-12)
