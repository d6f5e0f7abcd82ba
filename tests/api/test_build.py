"""Kernels of one's own: what they may be, and what is found out about them."""

import gc
import math
import re
import warnings
import weakref

import numexpr
import numpy as np
import pytest

import attention_separation as asep
from attention_separation import recall
from attention_separation.attention.kernels import KERNELS

LAYERS = (
    ("self_attention", "identity"), ("self_attention", "ones"), ("cross_attention", "identity"),
)  # fmt: skip


def own_elu(z):
    return np.where(z > 0, z + 1, np.exp(np.minimum(z, 0)))


def test_names_of_kernels():
    def mine(x):
        return x

    assert asep.separate(mine).kernel == "mine"
    assert asep.separate(asep.scores(mine, name="ours")).kernel == "ours"
    assert asep.separate(lambda x: x).kernel == "kernel"
    assert asep.separate("x**4").kernel == "x**4"
    assert asep.kernel_of(KERNELS["exp"]) is KERNELS["exp"]
    assert asep.kernel_of("x").symbol == "x"


def softmax(x):
    return np.exp(x) / np.exp(x).sum()


WRONG = {
    # What is wrong: the kernel, the error's type, and words of what is said.
    "negative rows": (
        lambda: asep.scores(lambda x: -x), ArithmeticError,
        ["a row of weights sums to -", "allowed: sums > 0; give weights that are positive, or"],
    ),
    "no finite weight": (
        lambda: asep.scores(lambda x: x / 0), ArithmeticError,
        ["a weight, of score x = ", "is inf; allowed: finite numbers"],
    ),
    "NaN": (lambda: "log(0 * x - 1)", ArithmeticError, ["is nan; allowed: finite numbers"]),
    "classes told apart": (
        lambda: asep.features(lambda z: z * np.arange(1, z.shape[-1] + 1)), ArithmeticError,
        ["tokens that are alike but for their class or place have weights", "method='dense'"],
    ),
    "float32": (
        lambda: asep.rows(lambda x, counts: softmax(np.float32(x + np.log(counts))) / counts),
        ArithmeticError, ["allowed: the same weight, in float64"],
    ),
    "places told apart": (
        lambda: asep.scores(lambda x: x + np.arange(x.shape[-1])), ArithmeticError,
        ["allowed: a function of the score alone", "method='dense'"],
    ),
    "a row function that forgets counts": (
        lambda: asep.rows(lambda x, counts: np.exp(x) / np.exp(x).sum(), normalised=False),
        ArithmeticError,
        ["allowed: the same weight"],
    ),
    "another shape": (
        lambda: asep.scores(lambda x: x.sum()), ArithmeticError,
        ["gave an array of shape () for scores of shape"],
    ),
    "features of another shape": (
        lambda: asep.features(lambda z: z[..., 0]), ArithmeticError,
        ["gave an array of shape", "allowed: (", "features)"],
    ),
    "features that do not fit": (
        lambda: asep.pair(lambda z: z, lambda z: z[..., :2]), ArithmeticError,
        ["features of queries and 2 of keys; allowed: as many"],
    ),
    "it raises": (
        lambda: asep.scores(lambda x: x.nothing), ArithmeticError,
        ["raised AttributeError: 'numpy.ndarray' object has no attribute 'nothing'"],
    ),
    "text": (lambda: asep.scores(lambda x: x.astype(str)), ArithmeticError, ["numbers of type"]),
    "a number": (lambda: 3, TypeError, ["3 is no kernel; allowed: a name, a formula in x"]),
}  # fmt: skip


def test_what_is_found_out(subtests):
    for name, (kernel, kind, words) in WRONG.items():
        with subtests.test(name):
            with pytest.raises(kind) as error:
                asep.separate(kernel())
            for part in words:
                assert part in str(error.value)


OF_ALL = {
    # They know the largest number of their array, which their rows' sums divide out.
    "scores": lambda: asep.scores(lambda x: np.exp((x - x.max()) / 3)),
    "features": lambda: asep.features(lambda z: np.exp(z - z.max())),
}


@pytest.mark.usefixtures("few_looks")
@pytest.mark.parametrize("name", OF_ALL)
def test_an_answer_does_not_depend_on_what_else_is_asked(name):
    kernel, sizes = OF_ALL[name](), [200, 20_000, 10**9]
    alone = [asep.separate(kernel, n=n).probability for n in sizes]
    assert asep.compare(kernel, sizes)["probability"].tolist() == alone
    last = asep.largest_n(kernel)
    half = [asep.separate("exp", n=n).probability / 2 for n in (last, last + 20)]
    assert asep.separate(kernel, n=last).probability > half[0]
    assert asep.separate(kernel, n=last + 20).probability <= half[1]


@pytest.mark.usefixtures("few_looks")
def test_nothing_of_a_function_is_remembered():
    temperature = [1.0]
    kernel = asep.scores(lambda x: np.exp(x / temperature[0]))
    assert asep.largest_n(kernel) == np.inf
    temperature[0] = 4.0
    assert asep.largest_n(kernel) == asep.largest_n("exp_quarter")
    big = np.ones(10)
    gone = weakref.ref(big)
    asep.largest_n(lambda x, big=big: x * big[0])
    del big
    gc.collect()
    assert gone() is None


@pytest.mark.parametrize("make", [asep.scores, asep.features, asep.rows])
def test_what_is_no_function(make):
    with pytest.raises(TypeError, match=re.escape(f"{make.__name__}('elu'); allowed: functions")):
        make("elu")


def test_a_formula_leaves_other_threads_alone():
    before = numexpr.set_num_threads(2)
    try:
        asep.separate("x**3 + 1")
        assert numexpr.set_num_threads(2) == 2
    finally:
        numexpr.set_num_threads(before)


def test_memory_for_vectors_is_told_before_it_is_taken():
    with pytest.raises(MemoryError, match=re.escape("vectors at d=8002 take about 4.8 GiB")):
        asep.separate(asep.features(own_elu), n=16_000, d=8002)


def test_every_question_finds_out():
    wrong = asep.scores(lambda x: -x)
    for ask in (
        lambda: asep.compare([wrong]), lambda: asep.largest_n(wrong), lambda: asep.simulate(wrong),
        lambda: asep.success({"fires": "exp", "silent": [wrong]}),
    ):  # fmt: skip
        with pytest.raises(ArithmeticError, match=re.escape("allowed: sums > 0")):
            ask()


def test_built_in_kernels_are_listed():
    text = repr(asep.kernels)
    assert all(name in text for name in KERNELS)
    assert len(asep.kernels) == len(KERNELS)
    assert "power_P (x^P)" in text
    assert asep.kernels["power_7"].name == "power_7"
    assert "power_7" in asep.kernels
    assert "nothing" not in asep.kernels
    assert 3 not in asep.kernels
    assert asep.kernels.get("nothing") is None
    with pytest.raises(KeyError, match="'softmx' is no kernel; did you mean 'exp'") as error:
        _ = asep.kernels["softmx"]
    assert str(error.value).startswith("'softmx'")


@pytest.mark.parametrize("layer", LAYERS, ids="-".join)
def test_a_temperature_is_the_kernel_of_scores_or_vectors_so_divided(subtests, layer):
    for t in (0.5, 7.5):
        with subtests.test(t):
            softmax = asep.rows(
                lambda x, counts: np.exp(x) / (counts * np.exp(x)).sum(), name="row"
            )
            given = [
                ("exp", f"exp_over_{t:g}"),
                ("x**3 + x", f"(x/{t})**3 + x/{t}"),
                ("elu_plus_one", asep.features(lambda z, t=t: own_elu(z / math.sqrt(t)))),
                (softmax, f"exp_over_{t:g}"),
            ]
            for kernel, same in given:
                found = asep.separate(asep.at_temperature(kernel, t), *layer, n=420)
                wanted = asep.separate(same, *layer, n=420)
                assert found.probability == pytest.approx(wanted.probability, abs=1e-10)
                assert found.share == pytest.approx(wanted.share, rel=1e-9)
                assert found.kernel == f"{asep.kernel_of(kernel).name} at T={t:g}"


def test_a_temperature_by_the_literal_definition_too():
    assert asep.at_temperature("exp", 1) is asep.kernels["exp"]
    of = asep.at_temperature("rbf", 3.0)
    literal, rows = (
        asep.simulate(of, n=40, trials=50, seed=2, theta=0.9, method=method)
        for method in ("dense", "rows")
    )
    assert literal.successes == rows.successes
    assert literal.d1_positive == rows.d1_positive


def test_what_is_no_temperature():
    for t in (0, -1, np.nan, 1e5, "2", None, True):
        with pytest.raises(ValueError, match=r"temperature=.*; allowed: numbers from 0.001 to"):
            asep.at_temperature("exp", t)


VECTORS = tuple(kernel.name for kernel in KERNELS.values() if kernel.kind == "features")


@pytest.mark.parametrize("layer", LAYERS, ids="-".join)
@pytest.mark.filterwarnings("ignore:.*a temperature (does not|multiplies)")
def test_less_a_part_of_the_mean_of_a_feature_map(subtests, layer):
    """By n x n attention; weights are negative by design, and nobody is warned of them."""
    for place, name in enumerate(VECTORS):
        if place % 3 == LAYERS.index(layer):
            part = ("0", "0.4", "1")[place // 3 % 3]
            with subtests.test(f"{name}, {part}"):
                hold_less_a_part(layer, name, part)


def hold_less_a_part(layer, name, part):
    kernel, d = f"minus_mean_{part}_{name}", 6 if layer[0] == "self_attention" else 5
    sizes = {"n": 12, "d": d, "m": 2, "a0": 0.3}
    found = asep.separate(kernel, *layer, **sizes)
    theta = sum(found.theta) / 2 if found.theta else 0.1
    rows, literal = (
        asep.simulate(kernel, *layer, trials=60, theta=theta, method=method, **sizes)
        for method in ("rows", "dense")
    )
    assert rows.d1_positive == literal.d1_positive
    assert rows.d0_zero == literal.d0_zero
    if part == "0":
        plain = asep.separate(name, *layer, **sizes)
        assert found.probability == pytest.approx(plain.probability, abs=1e-12)
    asep.at_temperature(kernel, 2)
    asep.compare([kernel, asep.at_temperature(kernel, 2)], 12, *layer, d=d)


@pytest.mark.filterwarnings("ignore:.*a temperature (does not|multiplies)")
def test_negative_weights_of_ones_own_are_warned_of_and_no_built_in_ones():
    with pytest.warns(UserWarning, match="some weights are negative"):
        asep.separate(
            asep.rows(
                lambda x, counts: x / (counts * x).sum() - 0.99 / counts.sum(), normalised=False
            )
        )
    for kernel in ("minus_mean_0.9_linear", "minus_mean_1_hedgehog", "minus_mean_0.5_power_5"):
        asep.separate(kernel)
        asep.separate(asep.at_temperature(kernel, 3))
        asep.largest_n(kernel, level=0.01)


# Kernels at a temperature: where it has an effect, and where a warning says that it has none.

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


def test_a_temperature_without_effect_is_said(subtests):
    """By the rows of the data itself: the probability of one that has an effect need not move."""
    for name in asep.kernels:
        with subtests.test(name):
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


def test_the_same_of_ones_own(subtests):
    for name, (kernel, is_said) in OWN.items():
        with subtests.test(name):
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


@pytest.mark.parametrize("give", [asep.scores, asep.features, lambda f: asep.pair(f, f)])
def test_a_function_that_writes_into_its_argument_moves_no_other_answer(give):
    """What tokens give to kernels is remembered, and all kernels are shown the same."""

    def halved(x):
        x *= 0.5
        return np.exp(x)

    own = give(halved)
    first = asep.separate(own, n=240).probability
    other = asep.separate("exp_features", n=240).probability
    for _ in range(3):
        assert asep.separate(own, n=240).probability == first
    assert asep.separate("exp_features", n=240).probability == other
    assert first == asep.separate(give(lambda x: np.exp(x / 2)), n=240).probability
