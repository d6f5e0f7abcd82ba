"""Kernels at a temperature: where it has an effect, and where a warning says that it has none."""

import warnings

import numpy as np
import pytest
from few import few

import attention_separation as asep
from attention_separation import recall

WITHOUT_EFFECT = {
    "cosine_softmax_10", "one_plus_cosine", "linear", "uniform", "hardmax", "power_log_n",
    "relu_features", "relu2_features", "focused_3", "linear_unnormalised", "relu_over_n",
    "relu2_over_n", *(f"power_{p}" for p in (2, 3, 4, 6, 8, 10, 12)),
}  # fmt: skip


def said_at_temperature(kernel):
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        asep.at_temperature(kernel, 3)
    return [str(warning.message) for warning in said]


@few(9, "name", asep.kernels)
def test_a_temperature_without_effect_is_said(name):
    """By the rows of the data itself: the probability of one that has an effect need not move."""
    sentences = said_at_temperature(name)
    assert len(sentences) == (name in WITHOUT_EFFECT)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        hotter = asep.separate(asep.at_temperature(name, 3)).rows["share"]
    shares = asep.separate(name).rows["share"]
    if name in WITHOUT_EFFECT and not name.endswith(("unnormalised", "over_n")):
        np.testing.assert_allclose(hotter, shares, rtol=1e-9)
        assert f"{name}: a temperature does not change its weights; " in sentences[0]
        assert "cosine_softmax_P, power_P" in sentences[0]
    elif name in WITHOUT_EFFECT:
        assert "multiplies all its weights by one number, which the best" in sentences[0]
        assert np.ptp(hotter / shares) < 1e-9
    else:
        assert not np.allclose(hotter, shares, rtol=1e-9)


OWN = {
    "a power": ("x**2.5", True),
    "a ReLU": ("where(x > 0, x, 0)", True),
    "a function": (lambda x: x**3, True),
    "features": (asep.features(lambda z: np.maximum(z, 0)), True),
    "exp": ("exp(x)", False),
    "a sum": ("x + 1", False),
    "what cannot be weighed here": (lambda x: x[0, 0, 0], False),
}


@pytest.mark.parametrize(("kernel", "is_said"), OWN.values(), ids=OWN)
def test_the_same_of_ones_own(kernel, is_said):
    assert len(said_at_temperature(kernel)) == is_said


@pytest.mark.parametrize("cosine", [1.0, 0.8])
def test_weights_of_negative_scores_have_the_temperature_too(cosine):
    at = {"n": 64, "d": 16, "cosine": cosine}
    wanted = recall.accuracy("1 + x/4 + x**2/32", **at).value
    found = recall.accuracy(asep.at_temperature("taylor_2", 4), **at).value
    assert found == pytest.approx(wanted, abs=1e-9)


def test_the_scale_of_a_cosine_is_asked_by_name():
    """e^(s cos), of tokens of D1 by hand: cosines are those of (a, b, c), (0, b, c) and others."""
    found = [asep.separate(f"cosine_softmax_{s}").probability for s in (2, 5, 10, 20)]
    assert found == pytest.approx([0.16146, 0.62390, 0.98664, 0.98664], abs=1e-4)
    special = np.array([1.2, 0.2, 0, 0.8])
    same = np.array([0, 0.2, 0, 0.8])
    other = np.array([0, 0, 0.2, 0.8])
    cosines = [
        special @ key / np.linalg.norm(special) / np.linalg.norm(key)
        for key in (special, same, other)
    ]
    for s in (2.5, 7):
        weights = np.exp(s * np.array(cosines))
        share = weights[0] / (weights @ [1, 9, 190])
        rows = asep.separate(f"cosine_softmax_{s}").rows
        assert rows["share"][3] == pytest.approx(share, rel=1e-9)
