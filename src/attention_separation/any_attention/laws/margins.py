"""Laws of the margin, with another X too, and of the least weight g on the special coordinate."""

import math
from collections.abc import Iterator

import numpy as np

from attention_separation.attention.kernel import Kernel
from attention_separation.attention.kernels import KERNELS
from attention_separation.datasets.another_x import literal_margin, margin
from attention_separation.datasets.dataset import Data

from ..exact.layers import LAYERS, Layer
from ..exact.limits import least_weights
from ..exact.values import best_probabilities, separate
from . import predictions, test_cases
from .mixture import law_holds
from .predictions import IS_TEST, OF_SEARCH
from .test_cases import EXPONENTIALS, LINEAR, POWERS, TAYLORS, Pair, stacked
from .verdicts import LARGEST_ERROR, Law, Prediction, between, extreme

ROUNDING, EQUAL = 1e-15, 1e-12
"""Of a score, in units of s; and of a margin, relative."""

MARGINS = (10**6, 10**8, 10**10)
BUDGETS = (2000, 200_000, 10**10)
"""Numbers of tokens at which margins and weights are predicted."""

WEIGHT = 1.0
"""g."""

ANOTHER = Layer("self_attention", "another", "Self-attention, X = e_d e_d^T + g e_1 e_k^T")

OF_SCORES = 1e-13
"""The rounding of scores with it, in units of s."""

SIZES = (200, 2_000, 20_000)

OF_MARGINS = (
    "1e-12, and 1e-15, the rounding of scores, beside the gap. Where half of P is left without the "
    "columns in which D0's special token moves the threshold's level up, also how far it moves it "
    "up and down."
)


def margins_of(kernel: Kernel, layer: Layer, data: Data, sizes: list[int]) -> list[float]:
    """The largest 2 eps at which half of a kernel's own P is left, NaN where not resolved."""
    of_exp = best_probabilities(KERNELS["exp"], layer, data, sizes)
    found = separate(kernel, layer, data, sizes, of_exp)
    return np.where(found.resolved, found.margin, np.nan).tolist()


def _margins(data: Data) -> Iterator[Prediction]:
    sizes = stacked(data, *MARGINS)
    for layer in LAYERS:
        usual = test_cases.usual_softmax(layer, data)
        for pair in (LINEAR, POWERS[2], POWERS[4], *EXPONENTIALS.values(), usual):
            for n, found in zip(sizes, margins_of(pair[0], layer, data, sizes), strict=True):
                yield margin_claim(pair, layer, data, n, found)


def margin_claim(pair: Pair, layer: Layer, data: Data, n: int, found: float) -> Prediction:
    """That a margin is what the law says."""
    kernel, family = pair
    loud = family(layer, data, np.array([n]), 0.0)
    predicted, wide = predictions.margins(family, layer, data, n)
    error = EQUAL + (wide - predicted + ROUNDING) / predicted
    ordered = bool(predictions.keeps_order(loud, layer, data))
    holds = ordered and law_holds(layer, data) and error <= LARGEST_ERROR
    return Prediction(kernel.name, layer, "2 eps", predicted, found, error, n, holds)


def _weights(data: Data) -> Iterator[Prediction]:
    sizes = stacked(data, *BUDGETS)
    for layer in test_cases.IDENTITY:
        of_scores = LINEAR, POWERS[2], POWERS[4], TAYLORS[2], EXPONENTIALS[4.0]
        of_vectors = map(test_cases.by_rows, ("elu_plus_one", "exp_features"))
        for kernel, family in (*of_scores, test_cases.usual_softmax(layer, data), *of_vectors):
            predicted = (
                predictions.least_weights(predictions.shifted(family, sign), layer, data, sizes)
                for sign in (-1, 0, 1)
            )
            measured = least_weights(kernel, layer, data, sizes)
            parts = (part.tolist() for part in (*predicted, measured))
            for n, *of in zip(sizes, *parts, strict=True):
                yield _weight(kernel, layer, n, *of, law_holds(layer, data))


def _weight(
    kernel: Kernel, layer: Layer, n: int, low: float, predicted: float, high: float,
    measured: float, holds: bool,
) -> Prediction:  # fmt: skip
    of = predicted, (low, high), measured, n, holds
    if predicted == 0:
        return extreme(kernel.name, layer, "separates at g = 0", True, *of)
    if math.isinf(predicted):
        return extreme(kernel.name, layer, "separates at some g", False, *of)
    return between(kernel.name, layer, "g", *of)


def _margins_with_another_x(data: Data) -> Iterator[Prediction]:
    predicted = margin(data, WEIGHT)
    for n in stacked(data, *SIZES):
        measured = literal_margin(data, n, WEIGHT)
        yield Prediction("linear", ANOTHER, "2 eps", predicted, measured, OF_SCORES / predicted, n)


MARGIN_LAWS = (
    Law(
        "margin",
        "The largest 2 eps at half of the kernel's own P, in units of sqrt(log n), falls like R/n "
        "where the special token's shares f on D1 and f_0 on D0 are small. It is f (a1 + b - "
        "level) - f_0 (a0 + b - level), in cross-attention (f - f_0) (2 - level). Where f is near "
        "1 it is a1 + b - level, in cross-attention 2 - level, whatever n is. Between, states of "
        "lower levels are over the threshold as well.",
        "The error term is at most 10 %, and states of one level are in order. Another X has "
        "another margin, which need not fall.",
        OF_MARGINS,
        _margins,
    ),
    Law(
        "weight budget",
        "With X = I + g e_1 e_1^T a kernel separates from the g on that solves n = C R(g). It "
        "grows like n^(1/p) for x^p and Taylor's sum to degree p, and not at all for e^(x/T); 1 + "
        "g is log(n/C)^2 / (a1^2 log n) for element-wise exp, without a1 in cross-attention.",
        IS_TEST,
        OF_SEARCH,
        _weights,
    ),
)

ANOTHER_X = Law(
    "another X",
    "In self-attention with X = e_d e_d^T + g e_1 e_k^T, here g = 1, read by y = e_k, which is no "
    "sign vector, the gap of linear attention between D1 and D0 is b (c^2 + g a b) / (K c^2 + g a "
    "b) at a1 less that at a0, in units of sqrt(log n): the same at every n.",
    "None: it is so at all data and every n.",
    "1e-13, the rounding of scores, beside the gap.",
    _margins_with_another_x,
)
