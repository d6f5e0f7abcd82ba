"""Laws of the largest n: how far each family of kernels separates."""

import math
from collections.abc import Iterable, Iterator

import numpy as np

from attention_separation.attention.kernel import Kernel
from attention_separation.attention.threshold_curves import LARGEST_N
from attention_separation.datasets.dataset import Data

from ..exact.layers import LAYERS, Layer
from ..exact.limits import reach
from .loudness import of_kernel
from .margins import OF_MARGINS, margin_claim, margins_of
from .mixture import ROUNDING, law_holds
from .predictions import IS_TEST, OF_LAST, largest_n, margins, shifted
from .test_cases import EXPONENTIALS, POWERS, TAYLORS, Pair, stacked, usual_softmax
from .verdicts import Law, Prediction, between, extreme, measured

ASKED = 100
"""Numbers of tokens at which a user's weights have to be positive."""

OWN_MARGIN = 10**6
"""Tokens at which the margin of a user's kernel is predicted."""


def _claim(pair: Pair, layer: Layer, data: Data) -> Prediction:
    kernel, family = pair
    low, predicted, high = (largest_n(shifted(family, sign), layer, data) for sign in (-1, 0, 1))
    of = predicted, (low, high), measured_n(kernel, layer, data)
    holds = law_holds(layer, data)
    if predicted == 0:
        return extreme(kernel.name, layer, "separates at some n", False, *of, None, holds)
    if math.isinf(predicted):
        last = LARGEST_N - LARGEST_N % data.classes
        return extreme(kernel.name, layer, "separates still", True, *of, last, holds)
    return between(kernel.name, layer, "last n", *of, None, holds, data.classes)


def measured_n(kernel: Kernel, layer: Layer, data: Data) -> float:
    """0 where it separates at no n that was asked; NaN where float64 does not tell."""
    found = reach(kernel, layer, data)
    if not found.decided:
        return math.nan
    return 0.0 if math.isnan(found.last) else found.last


def own_law(kernels: Iterable[Kernel]) -> Law:
    """The law of a user's own kernels: as far as the mixture law tells, else what is measured."""
    own = tuple(kernels)
    return Law(
        "own kernels",
        "A function of scores separates up to the n that solves n = C R(n), and has the margin of "
        f"its R at n = {OWN_MARGIN:,}.",
        "It does not fall, is above 0, and is divided by the row's sum: of other kernels no law is "
        "known, and there is what is measured alone.",
        f"Of n: {OF_LAST} Of a margin: {OF_MARGINS}",
        lambda data: (
            claim
            for kernel in own
            for layer in LAYERS
            for claim in (_own_last_n(kernel, layer, data), _own_margin(kernel, layer, data))
        ),
    )


def _own_last_n(kernel: Kernel, layer: Layer, data: Data) -> Prediction:
    if _is_known(kernel, layer, data):
        return _claim((kernel, of_kernel(kernel)), layer, data)
    return measured(kernel.name, layer, "last n", measured_n(kernel, layer, data))


def _own_margin(kernel: Kernel, layer: Layer, data: Data) -> Prediction:
    (n,) = stacked(data, OWN_MARGIN)
    (found,) = margins_of(kernel, layer, data, [n])
    pair = kernel, of_kernel(kernel)
    if _is_known(kernel, layer, data) and margins(pair[1], layer, data, n)[0] > ROUNDING:
        return margin_claim(pair, layer, data, n, found)
    return measured(kernel.name, layer, "2 eps", found, n)


def _is_known(kernel: Kernel, layer: Layer, data: Data) -> bool:
    """Whether the mixture law tells of a kernel: its weights are above 0, and none of them falls as
    its score rises, as far as some n show it."""
    if kernel.kind != "score" or not kernel.normalised:
        return False
    sizes = np.geomspace(2 * data.classes, LARGEST_N, ASKED)
    found = of_kernel(kernel)(layer, data, sizes)
    with np.errstate(all="ignore"):
        rises = [found.on_d0, found.on_d1 - found.on_d0, np.log(found.own)]
    return bool(np.isfinite(rises).all() and np.min(rises) >= -ROUNDING)


def _of_all(pairs: Iterable[Pair], data: Data) -> Iterator[Prediction]:
    for pair in pairs:
        for layer in LAYERS:
            yield _claim(pair, layer, data)


SIZES = (
    Law(
        "polynomials",
        "x^p separates up to n = C r^p, r the ratio of the special token's score on itself to that "
        "on another class, and up to C r^p - (C + 1) r_0^p in cross-attention, r_0 that on D0.",
        IS_TEST,
        OF_LAST,
        lambda data: _of_all(POWERS.values(), data),
    ),
    Law(
        "Taylor sums",
        "Taylor's sum of e^x to degree p separates up to the n that solves n = C R(n), R the ratio "
        "of its two values.",
        IS_TEST,
        OF_LAST,
        lambda data: _of_all(TAYLORS.values(), data),
    ),
    Law(
        "exponents",
        "e^(x/T) makes the special token n^(gamma_1 / T) times as loud, so it separates at all "
        "large n where T is at most gamma_1 and up to n = C^(1 / (1 - gamma_1 / T)) where it is "
        "above; so does the usual e^(x / sqrt d), d = K + 2, in cross-attention K + 1.",
        IS_TEST,
        OF_LAST,
        lambda data: (
            _claim(pair, layer, data)
            for layer in LAYERS
            for pair in (EXPONENTIALS[2.0], EXPONENTIALS[4.0], usual_softmax(layer, data))
        ),
    ),
)
