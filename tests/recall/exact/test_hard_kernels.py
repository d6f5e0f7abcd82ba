"""Kernels whose weights are of very many sizes, or jump: the integral tells, or is not asked."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta, binom

from attention_separation import recall
from attention_separation.recall.exact.roughness import roughness
from attention_separation.recall.layers import layer_of

DRAWS = 40_000
SIGMAS = 5.0
"""Of the literal draws: false in one of 10^6 comparisons, of which there are eleven."""

KERNELS = {
    "exp": np.exp,
    "exp(2*x)": lambda x: np.exp(2 * x),
    "cosh(x)": np.cosh,
    "x**30": lambda x: x**30,
    "exp(x**2/8)": lambda x: np.exp(x**2 / 8),
    "1/x": lambda x: 1 / x,
    "1/x**2": lambda x: x**-2.0,
    "exp(1/abs(x))": lambda x: np.exp(np.minimum(1 / abs(x), 700)),
    "tanh(30*x)": lambda x: np.tanh(30 * x),
    "where(abs(x-3)<0.01,100,x)": lambda x: np.where(abs(x - 3) < 0.01, 100.0, x),
    "where(x>1,x,-1)": lambda x: np.where(x > 1, x, -1.0),
}


def literal(kernel, n, d, cosine=1.0, decay=1.0, age=None):
    """The share of draws that recall, and its standard error."""
    rng = np.random.default_rng(7)
    first = rng.standard_normal((DRAWS, n))
    cosines = first / np.sqrt(first**2 + rng.chisquare(d - 1, (DRAWS, n)))
    ages = rng.integers(0, n, DRAWS) if age is None else np.full(DRAWS, age)
    draws = np.arange(DRAWS)
    cosines[draws, ages] = cosine
    weights = kernel(d * cosines) * decay ** np.arange(n)
    weights /= np.abs(weights).max(axis=1, keepdims=True)
    values = rng.choice([-1.0, 1.0], (DRAWS, n))
    agreement = (weights * values).sum(axis=1) * values[draws, ages]
    right = np.where(np.abs(agreement) < 1e-14, 0.5, agreement > 0)
    return right.mean(), max(right.std(), 1 / math.sqrt(DRAWS)) / math.sqrt(DRAWS)


DECAYED = {"n": 20, "d": 16, "decay": 0.6, "age": 3}
NOISY = {"n": 10, "d": 64, "cosine": 0.3}
HARD = [
    ("exp", DECAYED), ("exp(2*x)", NOISY), ("cosh(x)", DECAYED), ("x**30", DECAYED),
    ("exp(x**2/8)", NOISY), ("1/x", {"n": 2, "d": 3}), ("1/x**2", {"n": 6, "d": 16, "cosine": 0.6}),
    ("exp(1/abs(x))", DECAYED), ("tanh(30*x)", NOISY), ("where(abs(x-3)<0.01,100,x)", NOISY),
    ("where(x>1,x,-1)", NOISY),
]  # fmt: skip


@pytest.mark.parametrize(("name", "asked"), HARD)
def test_an_answer_is_within_its_error(name, asked):
    share, deviation = literal(KERNELS[name], **asked)
    sizes = dict(asked)
    formula = "(exp(x)+exp(-x))/2" if name == "cosh(x)" else name
    layer = recall.decay(formula, sizes.pop("decay", 1.0))
    found = recall.accuracy(layer, **sizes, trials=400)
    assert found.error < 0.05
    assert abs(found.value - share) < SIGMAS * deviation + 2.6 * found.error


def chance(low, high, d):
    """That a cosine is between two positive numbers."""
    tails = beta.sf(np.square([low, high]), 0.5, (d - 1) / 2)
    return (tails[0] - tails[1]) / 2


def of_ones(keys, share):
    """The accuracy where the own weight is 1, and each other one 1 with a probability, else 0."""
    counts = np.arange(60)
    ways = binom.pmf(counts, keys, share)
    # As many others against the value as for it, or one less, and it is a tie or right.
    right = binom.cdf((counts) // 2, counts, 0.5)
    ties = np.where(counts % 2 == 1, binom.pmf((counts + 1) // 2, counts, 0.5), 0.0)
    return float(ways @ (right + ties / 2)) + binom.sf(59, keys, share) / 2


@pytest.mark.parametrize(("edge", "d", "n"), [(0.9, 16, 1000), (0.99, 3, 1000), (0.5, 16, 300)])
def test_a_kernel_that_jumps_is_counted(edge, d, n):
    found = recall.accuracy(f"where(x>{edge}*d,1,0)", n=n, d=d)
    wanted = of_ones(n - 1, chance(edge, 1.0, d))
    assert found.value == pytest.approx(wanted, abs=1e-6)
    assert abs(found.value - wanted) <= found.error


def test_a_narrow_piece_of_a_kernel_is_not_missed():
    kernel = "where(abs(x/d-0.1)<0.001,1,where(x>0.999*d,1,0))"
    share = chance(0.099, 0.101, 16) + chance(0.999, 1.0, 16)
    found = recall.accuracy(kernel, n=1000, d=16)
    assert found.value == pytest.approx(of_ones(999, share), abs=1e-6)


@pytest.mark.parametrize("kernel", ["where(sin(300*x)>0.995,9,1)", "where(sin(5000*x)>0.999,30,x)"])
def test_a_kernel_too_rough_for_any_rule_is_simulated(kernel):
    assert recall.accuracy(kernel, n=20, d=16, trials=50).kind == "simulated"


@pytest.mark.parametrize("window", [3, 6, 20])
def test_a_kernel_in_a_window_knows_the_n_of_the_window(window):
    layer = recall.window("where(n>5,-x,x)", window)
    found = recall.accuracy(layer, n=8, d=16)
    drawn = recall.simulate(layer, n=8, d=16, trials=500)
    assert (found.value < 0.5) == (window > 5)
    assert abs(found.value - drawn.value) < 2.6 * drawn.error


def test_jumps_are_found():
    d = 16
    kernel = layer_of("where(x>4,where(x<8,3,exp(x)),x)").kernel
    rough = roughness(kernel, d, 10)
    assert np.cos(rough.jumps) == pytest.approx([0.5, 0.25], abs=1e-12)
    assert roughness(layer_of("exp").kernel, d, 10).jumps == ()


@given(
    case=st.sampled_from(
        [("exp_sqrt_d", 47), ("exp_sqrt_d", 90), ("exp", 90), ("where(x>0.9*d,1,0)", 90)]
    )
)
def test_a_decay_leaves_out_what_has_no_weight_beside_others(case):
    """Not what has a small factor: a large weight, or one beside zeros, is seen through it."""
    kernel, age = case
    d = 1024 if kernel == "exp_sqrt_d" else 64
    decay = 0.6 if kernel == "exp_sqrt_d" else 0.5
    found = recall.accuracy(recall.decay(kernel, decay), n=100, d=d, age=age, trials=200)
    # Of e^64 and e^32 nothing is left beside others of the latest writes, whose factor is 1.
    is_gone = kernel != "where(x>0.9*d,1,0)" and age == 90
    assert (found.value > 0.999) != is_gone
    assert (found.value < 0.7) == is_gone
