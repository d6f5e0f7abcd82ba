"""What people ask, and critical n: against known values, at the ends, and asked wrongly."""

import itertools
import math
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import attention_separation
from attention_separation import needle
from attention_separation.needle.accuracy import MOST_N, Accuracy, crossing
from attention_separation.needle.kernel_limits import KINDS_OF_LIMIT, LIMITS_BY_KERNEL

KNOWN = {
    "uniform": 13.74, "linear": 162.5, "power_3": 3533.3, "exp": 186_073.5, "bayes": 196_312.0,
}  # fmt: skip
"""Critical n at mu = 5, found by another program, too."""


@given(kernel=st.sampled_from([*KNOWN]))
def test_critical_n(kernel):
    found = needle.critical_n(kernel, 5)
    assert found == pytest.approx(KNOWN[kernel], rel=3e-4)
    assert (
        needle.limit(kernel, 5, math.floor(found))
        >= 0.75
        > needle.limit(kernel, 5, math.floor(found) + 1)
    )


def test_uniform_weights_have_an_alias():
    assert needle.limit("none", 5, 8) == needle.limit("uniform", 5, 8)
    assert needle.critical_n("none", 5) == needle.critical_n("uniform", 5)


def test_of_uniform_weights_it_is_a_closed_form():
    for mu in (2.0, 5.0, 10.0):
        wanted = (mu / 2 / 0.6744897501960817) ** 2
        assert needle.critical_n("uniform", mu) == pytest.approx(wanted, rel=5e-3)


def test_the_ends():
    assert needle.critical_n("exp", 1.3) == 0
    assert needle.critical_n("bayes", 9) == math.inf
    # One token alone is the same to every kernel.
    assert {round(needle.limit(kernel, 3, 1), 12) for kernel in LIMITS_BY_KERNEL} == {
        0.933192798731
    }
    assert needle.limit("bayes", 5, 1e6) == needle.limit("bayes", np.float64(5), np.int64(10**6))
    assert needle.limit("linear", 5, MOST_N) == pytest.approx(0.5, abs=1e-6)


def test_what_is_asked_wrongly_is_named(subtests):
    for wrong, error, said in [
        (("expp", 5, 8), ValueError, "kernel='expp' has no line; did you mean 'exp'? allowed: un"),
        ((None, 5, 8), ValueError, "kernel=None has no line; allowed: uniform, linear"),
        (("exp", 0, 8), ValueError, "mu=0; allowed: numbers from 0.1 to 10"),
        (("exp", 5, 0), ValueError, "n=0; allowed: whole numbers from 1 to 1,000,000,000,000,000"),
        (("exp", 5, 2.5), ValueError, "n=2.5; allowed: whole"),
    ]:
        with subtests.test(wrong=wrong, error=error, said=said):
            with pytest.raises(error) as raised:
                needle.limit(*wrong)
            assert str(raised.value).startswith(said) or said in str(raised.value)


def test_critical_n_asked_wrongly():
    with pytest.raises(ValueError, match="did you mean 'power_2'"):
        needle.critical_n("power2", 5)
    with pytest.raises(ValueError, match="mu=11; allowed"):
        needle.critical_n("exp", 11)


def test_nothing_is_imported_before_it_is_asked_for():
    text = (
        "import sys, attention_separation as asep, attention_separation.needle as needle\n"
        "assert 'limit' in dir(needle) and 'needle' in dir(asep) and asep.needle is needle\n"
        "assert 'scipy' not in sys.modules and 'pyarrow' not in sys.modules\n"
        "needle.limit('exp', 5, 8), needle.sink(5, 8)\n"
        "assert not {'pyarrow', 'pydantic', 'matplotlib', 'torch'} & sys.modules.keys()\n"
    )
    subprocess.run([sys.executable, "-c", text], check=True, env={"PYTHONPATH": ":".join(sys.path)})
    with pytest.raises(AttributeError, match="no attribute 'limits'"):
        needle.limits  # noqa: B018
    assert attention_separation.needle.__all__ == ["critical_n", "limit", "sink", "sink_limit"]


@given(
    critical=st.sampled_from([1.0, 1.5, 2.0, 77.7, 1e5 + 0.25, 3e12]),
    about=st.sampled_from([1, 50, 1e9, 1e17]),
)
def test_a_crossing_that_is_known(critical, about):
    asked = []

    def accuracy(n):
        asked.append(n)
        return Accuracy(0.75 - 0.02 * math.log(n / critical), 1e-6)

    found = crossing(accuracy, about)
    assert found.n == pytest.approx(critical, rel=1e-3 if critical > 1e9 else 1e-9)
    assert found.error == pytest.approx(found.n * 1e-6 / 0.02, rel=1e-3)
    assert len(asked) == len({*asked}) < 120


def test_what_crosses_nowhere():
    assert crossing(lambda n: Accuracy(0.7, 0.0), 100) == (0.0, 0.0)
    assert crossing(lambda n: Accuracy(0.8, 0.0), 100) == (math.inf, 0.0)


def test_every_line_says_what_it_is():
    assert {line.kind for line in LIMITS_BY_KERNEL.values()} == {*KINDS_OF_LIMIT}
    assert [name for name, line in LIMITS_BY_KERNEL.items() if line.kind == "bound"] == [
        "uniform",
        "linear",
    ]


def test_errors_are_what_the_studys_page_says(subtests):
    for most, kernels, mus, sizes in [
        (1e-11, ["linear"], (1.0, 6.0), (2, 1000, 10**12)),
        (5e-8, ["linear"], (8.0, 10.0), (1000, 10**6)),
        (1e-10, ["bayes"], (1.0, 10.0), (2, 1000, 10**15)),
        (6e-8 + 5e-8, ["power_4"], (8.0,), (8,)),
        (5e-6 + 5e-8, ["power_3"], (10.0,), (64,)),
    ]:
        with subtests.test(most=most, kernels=kernels, mus=mus, sizes=sizes):
            for kernel, mu, n in itertools.product(kernels, mus, sizes):
                assert LIMITS_BY_KERNEL[kernel].accuracy(mu, n).error <= most, (kernel, mu, n)


def test_far_beyond_critical_even_uniform_weights_pass_softmaxs_reference():
    def passes(mu, n):
        return needle.limit("uniform", mu, n) > needle.limit("exp", mu, n)

    assert [passes(2.0, n) for n in (10**7, 10**8)] == [False, True]
    assert [passes(2.5, MOST_N), passes(2.9, MOST_N)] == [True, False]
