"""Names of kernels: the built-in ones, families with a number, and what a wrong name is told."""

import re

import numpy as np
import pytest

import attention_separation as asep
from attention_separation.attention import kernel_names
from attention_separation.attention.kernel import KernelInputs
from attention_separation.attention.kernel_names import UnknownKernelError, kernel_named
from attention_separation.attention.kernels import KERNELS

SCORES = np.array([[0.5, 2.0, 3.0]])


def test_built_in_kernels_have_their_names(subtests):
    for name in KERNELS:
        with subtests.test(name):
            assert kernel_names.kernel_named(name) is KERNELS[name]
            assert kernel_names.is_kernel(name)


WEIGHTS = {
    "power_5": SCORES[0] ** 5,
    "power_0.5": SCORES[0] ** 0.5,
    "power_1000": np.array([0.0, 0.0, 1.0]),
    "taylor_5": sum(SCORES[0] ** k / np.prod(np.arange(1, k + 1.0)) for k in range(6)),
    "exp_over_3": np.exp(SCORES[0] / 3),
    "exp_over_0.25": np.exp(4 * SCORES[0]),
}


def test_a_family_has_the_number_of_its_name(subtests):
    for name in WEIGHTS:
        with subtests.test(name):
            seen, weights = (
                KernelInputs(SCORES, None, None, np.ones((1, 3), dtype=int), 3, 1),
                WEIGHTS[name],
            )
            (found,) = kernel_names.kernel_named(name).attention_weights(seen)
            np.testing.assert_allclose(found, weights / weights.sum(), rtol=1e-12, atol=1e-150)
            assert kernel_names.kernel_named(name).name == name
            assert kernel_names.kernel_named(name) is kernel_names.kernel_named(name)


@pytest.mark.parametrize(("name", "part", "of"), [
    ("minus_mean_0.95_linear", 0.95, "linear"), ("minus_mean_1_power_5", 1, "power_5"),
    ("minus_mean_0_taylor_5", 0, "taylor_5"), ("minus_mean_0.5_sparsemax", 0.5, "sparsemax"),
])  # fmt: skip
def test_another_kernel_in_a_name(name, part, of):
    seen = KernelInputs(SCORES, None, None, np.ones((1, 3), dtype=int), 3, 1)
    found, plain = (kernel_names.kernel_named(each).attention_weights(seen) for each in (name, of))
    np.testing.assert_allclose(found, plain - part / 3, atol=1e-15)
    assert kernel_names.kernel_named(name).name == name


WRONG = {
    "softmx": "'softmx' is no kernel; did you mean 'exp' (softmax)? allowed: exp, exp_half, ",
    "zzz": "'zzz' is no kernel; allowed: exp, ",
    "power_1001": "allowed: power_P (x^P) with P from 0.01 to 1000",
    "taylor_2.5": "(Taylor's sum of e^x to degree P) with a whole P from 1 to 200",
    "exp_over_0": "allowed: exp_over_P (e^(x/P)) with P from 0.001 to 10000",
    "minus_mean_1.1_exp": "minus_mean_P_KERNEL (f − P/n, f of a kernel divided by the "
    "row's sum) with P from 0 to 1",
    "minus_mean_0.5_softmax_one": "'minus_mean_0.5_softmax_one' is no kernel; allowed: minus_mea",
    "minus_mean_1_ex": "'ex' is no kernel; did you mean 'exp'?",
    "": "'' is no kernel; allowed: ",
    "e" * 10_000: f"'{'e' * 60}...' is no kernel",
}


def test_what_is_no_kernel(subtests):
    for name, words in WRONG.items():
        with (
            subtests.test(name[:20]),
            pytest.raises(kernel_names.UnknownKernelError, match=re.escape(words)),
        ):
            kernel_names.kernel_named(name)


def test_other_words_lead_to_kernels_and_are_no_names_of_their_own():
    for words in (kernel_names.SAID_OTHERWISE, kernel_names.ALIASES):
        assert {*words.values()} <= KERNELS.keys()
        assert not {*words} & KERNELS.keys()
    assert kernel_names.kernel_named("none") is KERNELS["uniform"]


def test_own_kernels_can_have_no_name_of_a_family():
    names = (
        "none",
        "power_77",
        "power_1001",
        "minus_mean_1_exp",
        "power_x",
        "minus_mean_1",
        "mine",
    )
    assert [kernel_names.is_kernel(name) for name in names] == [True] * 4 + [False] * 3


FAMILY_OF_BUILT_IN = [
    ("cosine_softmax_10", "cosine_softmax_10"), ("ssmax", "ssmax_0.43"), ("focused_3", "focused_3"),
    ("entmax_15", "entmax_1.5"), ("entmax_125", "entmax_1.25"), ("sparsemax", "entmax_2"),
    ("entmax_15_sqrt_d", "entmax_1.5_sqrt_d"), ("sigmoid_log_n", "sigmoid_1_log_n"),
]  # fmt: skip


def test_numbers_frozen_in_names_are_members_of_families(subtests):
    for built_in, member in FAMILY_OF_BUILT_IN:
        with subtests.test(member):
            frozen = asep.separate(built_in, n=2000)
            asked = asep.separate(member, n=2000)
            assert (asked.probability, asked.share) == (frozen.probability, frozen.share)


NEAREST = [
    ("cosine_5", "did you mean 'cosine_softmax_5' [(]cosine_5[)][?]"),
    ("sigmoid_3_logn", "did you mean 'sigmoid_3_log_n'[?]"),
    # As in entmax_15, which is built in.
    ("entmax_17", "did you mean 'entmax_1.7'[?] allowed: entmax_P .* from 1.01 to 2"),
    ("entmax_1", "did you mean 'exp', which it would be[?] allowed: entmax_P"),
    ("power_0", "did you mean 'uniform', which it would be[?]"),
    ("entmax_3", "is no kernel; allowed: entmax_P .* from 1.01 to 2"),
]


def test_the_nearest_name_has_the_number_that_was_given(subtests):
    for name, words in NEAREST:
        with subtests.test(name), pytest.raises(UnknownKernelError, match=words):
            kernel_named(name)
