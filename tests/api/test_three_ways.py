"""A kernel by its name, as a formula and as a Python function: one answer to every question, in all
layers; and rows that do not exist, which no kernel is asked for."""

import warnings

import numpy as np
import pytest

import attention_separation as asep
from attention_separation.any_attention.layers import LAYERS
from attention_separation.datasets.dataset import FixedData
from attention_separation.settings.kernel_section import FeatureKernel
from attention_separation.settings.kernel_values import own_kernel


def off(y):
    """Rows of numbers less their largest, so that no exponential of them is too large."""
    return y - y.max(axis=-1, keepdims=True)


WAYS = {
    "exp": ("exp(x)", lambda x: np.exp(off(x))),
    "exp_sqrt_d": ("exp(x/sqrt(d))", lambda x, d: np.exp(off(x / np.sqrt(d)))),
    "exp_over_0.1": ("exp(10*x)", lambda x: np.exp(off(10 * x))),
    "ssmax": (
        "exp(0.43*log_n*x/sqrt(d))", lambda x, n, d: np.exp(off(0.43 * np.log(n) * x / np.sqrt(d))),
    ),
    "linear": ("x", lambda x: x),
    "uniform": ("1", np.ones_like),
    "power_4": ("x**4", lambda x: x**4),
    "power_log_n": ("x**log_n", lambda x, n: np.exp(off(np.log(n) * np.log(x)))),
    "taylor_2": ("1 + x + x**2/2", lambda x: 1 + x + x**2 / 2),
    "cosh": ("exp(x) + exp(0-x)", lambda x: np.exp(off(np.logaddexp(x, -x)))),
    "softplus": ("log(1 + exp(x))", lambda x: np.logaddexp(0, x)),
    "sigmoid_log_n": (
        "1/(1 + exp(log_n - x))", lambda x, n: np.exp(off(-np.logaddexp(0, np.log(n) - x)))
    ),
}  # fmt: skip


def elu(z):
    return np.where(z > 0, z + 1, np.exp(np.minimum(z, 0)))


def squared_relu(z):
    return np.maximum(z, 0) ** 2


MAPS = {
    # A map's name, the map, and its formula.
    "elu_plus_one": (elu, "where(x > 0, x + 1, exp(x))"),
    "relu2_features": (squared_relu, "maximum(x, 0)**2"),
}


def separated(kernel, **at):
    found = asep.separate(kernel, **at)
    thetas = [] if found.theta is None else np.ravel(found.theta).tolist()
    numbers = [found.probability, *thetas, found.share, found.margin or 0]
    return [*numbers, found.probability_after_signs, found.probability_each_bias]


def with_x_identity(ask):
    """A question on X = I + g e_1 e_1^T alone."""

    def asked(kernel, model, attention_x, **more):
        return ask(kernel, model=model, **more) if attention_x == "identity" else None

    return asked


QUESTIONS = {
    "separate": lambda kernel, **at: [
        number for n in (20, 10**9) for number in separated(kernel, n=n, **at)
    ],
    "at the paper's threshold": lambda kernel, **at: separated(kernel, theta="paper", **at)[0],
    "few classes": lambda kernel, **at: separated(kernel, d=4, n=12, a0=0.3, m=3, **at),
    "a temperature": lambda kernel, **at: separated(asep.at_temperature(kernel, 0.7), **at),
    "compare": lambda kernel, **at: asep.compare(kernel, margin=True, **at)
    .drop(columns=["kernel", "model", "attention_x"]).to_numpy(float).ravel(),
    "success": lambda kernel, **at: [
        asep.success({"fires": kernel, "silent": ["relu_features"]}, theta=theta, **at).probability
        for theta in ("paper", "best")
    ],
    "simulate": lambda kernel, **at: asep.simulate(kernel, trials=100, **at).successes,
    "largest_n": lambda kernel, **at: asep.largest_n(kernel, **at),
    "spans at a level": lambda kernel, **at: [
        n for run in asep.spans(kernel, level=0.2, **at) for n in run
    ],
    "least_weight": with_x_identity(lambda kernel, **at: asep.least_weight(kernel, 400, **at)),
    "where softmax fails": with_x_identity(
        lambda kernel, **at: asep.least_weight(kernel, 400, m=1, **at)
    ),
}  # fmt: skip


NOT_AT_LARGE_WEIGHTS = "does not separate at every larger g"
"""A function is taken at its word where its weights are 0 only for float64: then a row that is all
the special token's is the same on D0 and D1."""


def answered(ask, kernel, layer):
    """A question's answer, or the kind of its error, and its warnings without the kernel's name."""
    name = asep.kernel_of(kernel).name

    def without_name(text):
        return f" {text}".replace(f" {name}: ", " KERNEL: ").replace(f" {name} ", " KERNEL ")

    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            answer = ask(kernel, model=layer.model, attention_x=layer.attention_x)
        except ArithmeticError as error:
            answer = without_name(str(error))
    texts = [without_name(str(warning.message)) for warning in said]
    return answer, [text for text in texts if NOT_AT_LARGE_WEIGHTS not in text]


def hold_one_answer(question, layer, name, ways):
    """A question is answered alike of a built-in kernel and of what is the same kernel."""
    ask = QUESTIONS[question]
    wanted, said = answered(ask, name, layer)
    for number, way in enumerate(ways):
        found, also_said = answered(ask, way, layer)
        assert also_said == said, number
        if wanted is None or isinstance(wanted, str):
            assert found == wanted, number
        else:
            near = pytest.approx(wanted, rel=1e-6, abs=1e-12, nan_ok=True)
            assert found == near, number


@pytest.mark.usefixtures("few_looks")
@pytest.mark.parametrize("question", QUESTIONS)
def test_one_kernel_has_one_answer(subtests, question):
    """Of three kernels each, in one of the layers: of all of them over the questions."""
    shift = [*QUESTIONS].index(question)
    for place, name in enumerate([*WAYS][shift % 4 :: 4]):
        layer = LAYERS[(place + shift) % len(LAYERS)]
        formula, function = WAYS[name]
        with subtests.test(f"{name}, {layer.words}"):
            hold_one_answer(
                question, layer, name, [formula, asep.scores(function, name="function")]
            )


@pytest.mark.usefixtures("few_looks")
@pytest.mark.parametrize("question", QUESTIONS)
def test_one_feature_map_has_one_answer(question):
    """Of one map each, in one of the layers."""
    shift = [*QUESTIONS].index(question)
    name = [*MAPS][shift % len(MAPS)]
    function, formula = MAPS[name]
    ways = [
        asep.features(function, name="map"),
        asep.features(function, name="map", elementwise=True),
        asep.pair(function, function, name="map"),
        own_kernel("map", FeatureKernel(feature_map=formula)),
    ]
    hold_one_answer(question, LAYERS[shift % len(LAYERS)], name, ways)


# Queries and keys that do not exist.

MISSING = {
    # Where there is none: the layer, d, and n.
    "another class": ("self_attention", 3, 30),
    "others of its class": ("self_attention", 8, 6),
    "either": ("self_attention", 3, 2),
    "a second class of two": ("self_attention", 4, 12),
    "another class of keys": ("cross_attention", 2, 30),
    "others of a key's class": ("cross_attention", 8, 7),
}


@pytest.mark.parametrize("where", MISSING)
def test_a_kernel_is_not_asked_for_scores_that_the_data_does_not_have(where):
    """By n x n attention, which has the scores that exist and no others."""
    model, d, n = MISSING[where]
    layer = next(each for each in LAYERS if each.model == model)
    data = FixedData(classes=layer.dataset.classes(d))
    seen = []
    for dataset in (0, 1):
        a1, a2, _, q, k = layer.dataset.literal(layer.tokens(data, n), dataset, np.zeros(2, int))
        seen.append(a1 @ q @ (a2 @ k).T)
    scores = np.unique(np.concatenate(seen).round(9))

    def weight(x):
        known = np.abs(x[..., None] - scores).min(axis=-1) < 1e-6
        return np.where(known, 1 + x, np.nan)

    at = {"model": model, "d": d, "n": n}
    assert asep.separate(weight, **at).probability == asep.separate("1 + x", **at).probability
    lowest = asep.scores(lambda x: x - scores.min() + 1e-6 * scores.max(), name="lowest")
    literal, rows = (
        asep.simulate(lowest, trials=100, theta=0.7, method=method, **at).successes
        for method in ("dense", "rows")
    )
    assert literal == rows
