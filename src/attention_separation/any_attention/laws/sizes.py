"""Laws of the largest n: how far each family of kernels separates."""

import math
from collections.abc import Iterable, Iterator

import numpy as np

from attention_separation.any_attention.exact.layers import LAYERS, Layer
from attention_separation.any_attention.exact.limits import last_n
from attention_separation.any_attention.exact.values import best_probabilities
from attention_separation.any_attention.laws.judged import (
    EXPONENTIALS,
    POWERS,
    TAYLORS,
    Pair,
    usual_softmax,
)
from attention_separation.any_attention.laws.mixture import law_holds
from attention_separation.any_attention.laws.predictions import largest_n
from attention_separation.any_attention.laws.verdicts import Claim, Law
from attention_separation.attention.threshold_curves import LARGEST_N
from attention_separation.datasets.data import Data

TOLERANCE = 0.005
LARGE = 2000
"""From here on a largest n is known to TOLERANCE; below to two steps of K."""

ENDS = (
    "Below n of about 500 shifts of order 1/n count, and largest n differ by one or two steps of K."
)


def _claim(pair: Pair, layer: Layer, data: Data) -> Claim:
    kernel, family = pair
    predicted, measured = largest_n(family, layer, data), _measured(pair, layer, data)
    tolerance = TOLERANCE if predicted >= LARGE else 2 * data.classes / (measured or 1.0)
    return Claim(
        kernel.name, layer, "last n", predicted, measured, tolerance, holds=law_holds(layer, data)
    )


def _measured(pair: Pair, layer: Layer, data: Data) -> float:
    """0 where it separates at no n that was asked; NaN where the next n or the last is not
    resolved."""
    found = last_n(pair[0], layer, data)
    found = 0.0 if math.isnan(found) else found
    last = LARGEST_N - LARGEST_N % data.classes
    sizes = [last] if math.isinf(found) else [max(int(found), data.classes) + data.classes, last]
    resolved = not np.isnan(best_probabilities(pair[0], layer, data, sizes)).any()
    return found if resolved else math.nan


def _of_all(pairs: Iterable[Pair], data: Data) -> Iterator[Claim]:
    for pair in pairs:
        for layer in LAYERS:
            yield _claim(pair, layer, data)


SIZES = (
    Law(
        "polynomials",
        "x^p separates up to n = C r^p, r the ratio of the special token's score on itself to that "
        "on another class, and up to C r^p - (C + 1) r_0^p in cross-attention, r_0 that on D0: "
        "with random signs, V = I and X = I or all ones.",
        TOLERANCE,
        ENDS + " With X = I the own class grows louder with p, and C falls (from 23 to 20 with 20 "
        "classes and 15 columns).",
        lambda data: _of_all(POWERS.values(), data),
    ),
    Law(
        "Taylor sums",
        "Taylor's sum of e^x to degree p separates up to the n that solves n = C R(n), R the ratio "
        "of its two values: with random signs, V = I and X = I or all ones.",
        TOLERANCE,
        ENDS,
        lambda data: _of_all(TAYLORS.values(), data),
    ),
    Law(
        "exponents",
        "e^(x/T) makes the special token n^(gamma_1 / T) times as loud, so it separates at all "
        "large n where T is at most gamma_1 and up to n = C^(1 / (1 - gamma_1 / T)) where it is "
        "above: with random signs, V = I and X = I or all ones.",
        TOLERANCE,
        ENDS + " Much colder kernels keep P but lose the margin.",
        lambda data: _of_all([EXPONENTIALS[2.0], EXPONENTIALS[4.0]], data),
    ),
    Law(
        "1/sqrt d",
        "Softmax with the usual scaling e^(x / sqrt d) fails from some n on, here at d = K + 2, in "
        "cross-attention K + 1: with random signs, V = I and X = I or all ones.",
        TOLERANCE,
        ENDS,
        lambda data: (_claim(usual_softmax(layer, data), layer, data) for layer in LAYERS),
    ),
)
