"""Names of kernels: the built-in ones, families with a number, and what a wrong name is told."""

import re

import numpy as np
import pytest

from attention_separation.attention.kernel import Seen
from attention_separation.attention.kernel_names import (
    ALIASES,
    FAMILIES,
    SAID_OTHERWISE,
    UnknownKernelError,
    is_kernel,
    kernel_named,
)
from attention_separation.attention.kernels import KERNELS

SCORES = np.array([[0.5, 2.0, 3.0]])


def rows(name):
    seen = Seen(SCORES, None, None, np.ones((1, 3), dtype=int), 3, 1)
    return kernel_named(name).attention_weights(seen)[0]


@pytest.mark.parametrize("name", KERNELS)
def test_built_in_kernels_have_their_names(name):
    assert kernel_named(name) is KERNELS[name]
    assert is_kernel(name)


WEIGHTS = {
    "power_5": SCORES[0] ** 5,
    "power_0.5": SCORES[0] ** 0.5,
    "power_1000": np.array([0.0, 0.0, 1.0]),
    "taylor_5": sum(SCORES[0] ** k / np.prod(np.arange(1, k + 1.0)) for k in range(6)),
    "exp_over_3": np.exp(SCORES[0] / 3),
    "exp_over_0.25": np.exp(4 * SCORES[0]),
}


@pytest.mark.parametrize("name", WEIGHTS)
def test_a_family_has_the_number_of_its_name(name):
    weights = WEIGHTS[name]
    np.testing.assert_allclose(rows(name), weights / weights.sum(), rtol=1e-12, atol=1e-150)
    assert kernel_named(name).name == name
    assert kernel_named(name) is kernel_named(name)


def test_a_family_is_where_built_in_kernels_are():
    for family, name, p in ((FAMILIES[0], "power_4", 4), (FAMILIES[1], "taylor_3", 3)):
        np.testing.assert_allclose(
            rows(name), family.of(p).attention_weights(
                Seen(SCORES, None, None, np.ones((1, 3), dtype=int), 3, 1)
            )[0], rtol=1e-14,
        )  # fmt: skip


WRONG = {
    "softmx": "'softmx' is no kernel; did you mean 'exp' (softmax)? allowed: exp, exp_half, ",
    "lin": "'lin' is no kernel; did you mean 'linear'? ",
    "elu": "did you mean 'elu_plus_one' (elu)? ",
    "Exp": "did you mean 'exp'? ",
    "zzz": "'zzz' is no kernel; allowed: exp, ",
    "power_0": "'power_0' is no kernel; allowed: power_P (x^P) with P from 0.01 to 1000",
    "power_1001": "allowed: power_P (x^P) with P from 0.01 to 1000",
    "taylor_2.5": "(Taylor's sum of e^x to degree P) with a whole P from 1 to 200",
    "taylor_201": "with a whole P from 1 to 200",
    "exp_over_0": "allowed: exp_over_P (e^(x/P)) with P from 0.001 to 10000",
    "power_02": "'power_02' is no kernel; did you mean 'power_2'?",
    "power_5.0": "did you mean 'power_5'?",
    "power_": "did you mean 'power_",
    "power_1e3": "is no kernel; did you mean 'power_",
    "": "'' is no kernel; allowed: ",
    "e" * 10_000: f"'{'e' * 60}...' is no kernel",
}


@pytest.mark.parametrize("name", WRONG, ids=lambda name: name[:20])
def test_what_is_no_kernel(name):
    with pytest.raises(UnknownKernelError, match=re.escape(WRONG[name])):
        kernel_named(name)


def test_what_people_say_leads_to_a_kernel():
    assert {*SAID_OTHERWISE.values()} <= KERNELS.keys()
    assert not {*SAID_OTHERWISE} & KERNELS.keys()


def test_an_alias_leads_to_the_kernel_and_is_no_name_of_its_own():
    assert kernel_named("none") is KERNELS["uniform"]
    assert is_kernel("none")
    assert not {*ALIASES} & KERNELS.keys()
    assert {*ALIASES.values()} <= KERNELS.keys()


def test_own_kernels_can_have_no_name_of_a_family():
    assert is_kernel("power_77")
    assert is_kernel("power_1001")
    assert not is_kernel("power_x")
    assert not is_kernel("mine")
