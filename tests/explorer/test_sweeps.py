"""Curves: the same numbers as `separate` gives one by one."""

import numpy as np
import pytest

import attention_separation as asep
from attention_separation.explorer.setting import (
    ONLY_SELF_ATTENTION,
    PARAMETERS,
    Setting,
    nearest_multiple,
)
from attention_separation.explorer.sweeps import probabilities

LAYERS = [
    Setting(n=420),
    Setting(attention_x="ones", n=420, theta=0.9, temperature=2.0),
    Setting("cross_attention", n=420, m=9),
]
KERNELS = ("exp", "linear", "elu_plus_one", "sparsemax", "rbf", "x**3", "linear_unnormalised")


def literally(kernel, setting):
    try:
        return setting.of(kernel).probability
    except ArithmeticError:
        return np.nan


@pytest.mark.parametrize("parameter", PARAMETERS.values(), ids=lambda each: each.name)
@pytest.mark.parametrize("base", LAYERS, ids=lambda each: each.layer.words)
def test_a_curve_is_what_separate_says_at_each_value(base, parameter):
    if base.model != "self_attention" and parameter.name in ONLY_SELF_ATTENTION:
        return
    values = parameter.values(base)[:: 7 if parameter.name != "theta" else 40]
    settings = [base.with_value(parameter.name, value) for value in values]
    for kernel in KERNELS:
        found = probabilities(kernel, settings)
        wanted = [literally(kernel, each) for each in settings]
        assert np.allclose(found, wanted, rtol=0, atol=1e-12, equal_nan=True), kernel


def test_where_a_kernel_has_no_answer_the_curve_has_a_gap():
    # With the paper's sizes no score is above 60.
    settings = [Setting(n=10**6, a1=a1) for a1 in (0.1, 3.0)]
    gap = asep.scores(lambda x: np.where(x < 100, 1.0, np.inf), name="gap")
    found = probabilities(gap, settings)
    assert np.isfinite(found[0])
    assert np.isnan(found[1])
    with pytest.raises(ArithmeticError, match="no finite number"):
        probabilities(gap, settings[1:])


def test_a_function_may_change_and_is_asked_again():
    power = [1]
    changing = asep.scores(lambda x: x ** power[0], name="changing")
    settings = [Setting(n=200)]
    before = probabilities(changing, settings)
    power[0] = 8
    assert probabilities(changing, settings) != before


@pytest.mark.parametrize(
    ("n", "classes", "wanted"),
    [
        (2000, 20, 2000), (2000, 21, 1995), (2000, 64, 1984), (10, 64, 64), (1, 2, 2),
        (10**12, 21, 10**12 - 10**12 % 21), (30, 20, 40), (0, 1, 2),
    ],
)  # fmt: skip
def test_the_nearest_n_that_stacks(n, classes, wanted):
    assert nearest_multiple(n, classes) == wanted
