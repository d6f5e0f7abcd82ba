"""What those ask who have an attention of their own: splits of X, thresholds after the signs, the
least degree, and the least weight in X; by n x n attention, all places and all sign matrices."""

import math
import re
import warnings

import numpy as np
import pytest
from enumerated_signs import enumerate_signs
from literal_kernels import OF_VECTORS
from literal_layers import sign_columns, special_places

import attention_separation as asep
from attention_separation.any_attention.layers import LAYERS
from attention_separation.datasets.dataset import FixedData

DATA = FixedData(a0=0.1, a1=1.2, b=0.2, c=0.8, classes=3, columns=3)
WITH_X_IDENTITY = [layer for layer in LAYERS if layer.attention_x == "identity"]
WEIGHTS = {
    name: OF_VECTORS[name] for name in ("elu_plus_one", "exp_features", "hedgehog", "rbf")
} | {"exp": lambda q, k: np.exp(q @ k.T), "linear": lambda q, k: q @ k.T}


def enumerated(weigh, layer, n, q=None, k=None):
    """Of weights of vectors, and Q and K, if not those of the definition."""
    d, scores = layer.d(3), []
    for dataset in (0, 1):
        largest = []
        for place in special_places(layer, n):
            a1, a2, a3, *own = layer.dataset.literal(layer.tokens(DATA, n), dataset, place)
            weights = weigh(a1 @ (own[0] if q is None else q), a2 @ (own[1] if k is None else k))
            c = weights / weights.sum(axis=1, keepdims=True) @ a3
            largest.append((c @ sign_columns(d)).max(axis=0) / math.sqrt(math.log(n)))
        scores.append(np.array(largest))
    return enumerate_signs(*scores, DATA.columns)


def options(layer):
    """Of the API."""
    sizes = {"model": layer.model, "d": layer.d(3), "m": DATA.columns, "a0": DATA.a0}
    return sizes | ({"b": DATA.b, "c": DATA.c} if layer.model == "self_attention" else {})


def q_and_k(layer, split, g=0.0):
    d = layer.d(3)
    root = np.diag([math.sqrt(1 + g), *[1.0] * (d - 1)])
    if split == "one_coordinate":
        return np.ones((d, 1)), np.ones((d, 1))
    q = np.full((d, d), 1 / math.sqrt(d)) if layer.attention_x == "ones" else root
    return split * q, q / split


@pytest.mark.parametrize("layer", LAYERS, ids=lambda layer: layer.words)
def test_splits_and_thresholds_after_the_signs(subtests, layer):
    splits = [1, 0.4, 3.0, *["one_coordinate"] * (layer.attention_x == "ones")]
    for place, name in enumerate(WEIGHTS):
        with subtests.test(name):
            for split in splits[place % 2 :: 2]:
                wanted = enumerated(WEIGHTS[name], layer, 6, *q_and_k(layer, split))
                at = {"n": 6, "attention_x": layer.attention_x, "split": split, **options(layer)}
                found = asep.separate(name, **at)
                assert found.probability == pytest.approx(wanted.best(), abs=1e-12)
                assert found.probability_after_signs == pytest.approx(
                    wanted.after_signs(), abs=1e-12
                )
                assert found.probability_each_bias == pytest.approx(wanted.each_bias, abs=1e-12)
                assert asep.compare(name, **at)["probability"].tolist() == [found.probability]
                contest = {"fires": name, "silent": []}
                alone = asep.success(contest, theta="best", **at).probability
                assert alone == pytest.approx(found.probability, abs=1e-12)
                rows, literal = (
                    asep.simulate(name, trials=40, theta=0.5, method=method, **at).successes
                    for method in ("rows", "dense")
                )
                assert rows == literal


@pytest.mark.usefixtures("few_looks")
def test_a_split_is_seen_by_every_question():
    """As by the map that has it in itself."""

    def phi(z):
        return np.exp(np.concatenate([z, -z], axis=-1))

    inside = asep.pair(lambda q: phi(5 * q), lambda k: phi(k / 5))
    last = asep.largest_n("exp_features", split=5)
    assert asep.largest_n("exp_features") != last == asep.largest_n(inside)
    found = asep.least_weight("exp_features", 2000, split=5)
    assert found == pytest.approx(asep.least_weight(inside, 2000), rel=1e-7)
    assert found != pytest.approx(asep.least_weight("exp_features", 2000), rel=0.1)


@pytest.mark.parametrize("layer", LAYERS, ids=lambda layer: layer.words)
def test_the_least_degree(layer):
    of, sizes = options(layer), {"attention_x": layer.attention_x}
    for level in (None, 0.4):
        p = asep.least_degree(12, level=level, **sizes, **of)
        need = level or enumerated(WEIGHTS["exp"], layer, 12).best() / 2
        below, above = (
            enumerated(lambda q, k, p=p * factor: (q @ k.T) ** p, layer, 12).best()
            for factor in (1 - 1e-4, 1 + 1e-4)
        )
        assert below < need <= above, (level, p)


@pytest.mark.parametrize("name", ["linear", "elu_plus_one", "exp_features"])
@pytest.mark.parametrize("layer", WITH_X_IDENTITY, ids=lambda layer: layer.words)
def test_the_least_weight(layer, name):
    n, some = (24, 0.41) if layer.model == "self_attention" else (12, 0.4)
    for level, split in ((None, 1), (some, 1), (some, 2)):
        with warnings.catch_warnings():
            # At large g both special tokens have all of their rows, and it may fail.
            warnings.filterwarnings("ignore", ".* does not separate at every larger g")
            g = asep.least_weight(name, n, level=level, split=split, **options(layer))
        need = level or enumerated(WEIGHTS["exp"], layer, n).best() / 2
        below, above = (
            enumerated(WEIGHTS[name], layer, n, *q_and_k(layer, split, g * factor)).best()
            for factor in (1 - 1e-4, 1 + 1e-4)
        )
        assert below < need <= above, (level, split, g)


def test_ends():
    assert asep.least_degree(20) == asep.least_weight("exp", 2000) == 0
    assert asep.least_degree(level=1) == asep.least_weight("hedgehog", 2000) == math.inf
    for ask in (asep.least_degree, lambda **at: asep.least_weight("linear", **at)):
        with pytest.warns(UserWarning, match="softmax itself does not separate here"):
            assert ask(m=1) is None


WRONG = {
    "split": (lambda: asep.separate("exp", split=0), "split=0; allowed: numbers from 0.001 to"),
    "word": (lambda: asep.compare("exp", split="one_coordinate"), "with X all ones also 'o"),
    "of all ones": (
        lambda: asep.largest_n("exp", "self_attention", "ones", split="one"),
        "split='one'; allowed: numbers from 0.001 to 1000, with X all ones also 'one_coordinate'",
    ),
    "n": (lambda: asep.least_degree(210), "nearest valid n: 200 or 220"),
    "level": (lambda: asep.least_weight("exp", level=0), "level=0; allowed: numbers above 0, to 1"),
}


def test_what_is_refused(subtests):
    for name, (ask, words) in WRONG.items():
        with subtests.test(name), pytest.raises(ValueError, match=re.escape(words)):
            ask()


def test_an_unknown_parameter_is_named():
    with pytest.raises(TypeError, match="splitt=3 is no parameter; did you mean 'split'"):
        asep.largest_n("exp", splitt=3)


def test_a_kernel_that_overflows_has_no_least_weight():
    with pytest.raises(ArithmeticError, match=re.escape("2,000 it has no weights at a g that has")):
        asep.least_weight(lambda x: np.where(x < 100, 1.0, np.inf), 2000)
