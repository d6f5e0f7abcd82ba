"""Scores divided by a temperature."""

import math

import numpy as np
import pytest

import attention_separation as asep

LAYERS = (
    ("self_attention", "identity"),
    ("self_attention", "ones"),
    ("cross_attention", "identity"),
)


def elu_plus_one(z):
    return np.where(z > 0, z + 1, np.exp(np.minimum(z, 0)))


@pytest.mark.parametrize("t", [0.5, 2, 7.5])
@pytest.mark.parametrize("layer", LAYERS, ids="-".join)
def test_it_is_the_kernel_of_scores_or_vectors_so_divided(t, layer):
    softmax = asep.rows(lambda x, counts: np.exp(x) / (counts * np.exp(x)).sum(), name="row")
    given = [
        ("exp", f"exp_over_{t:g}"),
        ("x**3 + x", f"(x/{t})**3 + x/{t}"),
        ("elu_plus_one", asep.features(lambda z: elu_plus_one(z / math.sqrt(t)))),
        (softmax, f"exp_over_{t:g}"),
    ]
    for kernel, same in given:
        found = asep.separate(asep.at_temperature(kernel, t), *layer, n=420)
        wanted = asep.separate(same, *layer, n=420)
        assert found.probability == pytest.approx(wanted.probability, abs=1e-10)
        assert found.share == pytest.approx(wanted.share, rel=1e-9)
        assert found.kernel == f"{asep.kernel_of(kernel).name} at T={t:g}"


def test_by_the_literal_definition_too():
    of = asep.at_temperature("rbf", 3.0)
    literal, rows = (
        asep.simulate(of, n=40, trials=50, seed=2, theta=0.9, method=method)
        for method in ("dense", "rows")
    )
    assert literal.successes == rows.successes
    assert literal.d1_positive == rows.d1_positive


def test_at_1_it_is_the_kernel_itself():
    assert asep.at_temperature("exp", 1) is asep.kernels["exp"]


@pytest.mark.parametrize("t", [0, -1, np.nan, 1e5, "2", None, True])
def test_what_is_no_temperature(t):
    with pytest.raises(ValueError, match=r"temperature=.*; allowed: numbers from 0.001 to 10000"):
        asep.at_temperature("exp", t)
