"""Laws of the largest n: how far each family of kernels separates."""

import math
from collections.abc import Iterable, Iterator

import numpy as np

from attention_separation.any_attention.exact.layers import LAYERS, Layer
from attention_separation.any_attention.exact.limits import reach
from attention_separation.any_attention.laws import predictions
from attention_separation.any_attention.laws.judged import (
    EXPONENTIALS,
    POWERS,
    TAYLORS,
    Pair,
    stacked,
    usual_softmax,
)
from attention_separation.any_attention.laws.loudness import Family, of_kernel
from attention_separation.any_attention.laws.margins import (
    FAINT,
    OF_SLOPES,
    SPANS,
    margins_of,
    slope,
)
from attention_separation.any_attention.laws.mixture import ROUNDING, law_holds
from attention_separation.any_attention.laws.predictions import largest_n
from attention_separation.any_attention.laws.verdicts import Claim, Law, measured, statement
from attention_separation.attention.kernels import Kernel
from attention_separation.attention.threshold_curves import LARGEST_N
from attention_separation.datasets.data import Data

TOLERANCE = 0.005
ASKED = 100
"""Numbers of tokens at which a user's weights have to be positive."""

LARGE = 2000
"""From here on a largest n is known to TOLERANCE; below to two steps of K."""

ENDS = (
    "Below n of about 500 shifts of order 1/n count, and largest n differ by one or two steps of K."
)


def _claim(pair: Pair, layer: Layer, data: Data) -> Claim:
    kernel, family = pair
    predicted, found = largest_n(family, layer, data), measured_n(kernel, layer, data)
    holds = law_holds(layer, data)
    if predicted == 0:
        some = found if math.isnan(found) else found > 0
        return statement(kernel.name, layer, "separates at some n", False, some, holds=holds)
    if math.isinf(predicted):
        still = found if math.isnan(found) else math.isinf(found)
        last = LARGEST_N - LARGEST_N % data.classes
        return statement(kernel.name, layer, "separates still", True, still, last, holds)
    large = predicted >= LARGE
    return Claim(
        kernel.name, layer, "last n", predicted, found,
        TOLERANCE if large else 2.0 * data.classes, holds=holds, absolute=not large,
    )  # fmt: skip


def measured_n(kernel: Kernel, layer: Layer, data: Data) -> float:
    """0 where it separates at no n that was asked; NaN where float64 does not tell at each."""
    found = reach(kernel, layer, data)
    if not math.isnan(found.undecided_from):
        return math.nan
    return 0.0 if math.isnan(found.last) else found.last


def own_law(kernels: Iterable[Kernel]) -> Law:
    """The law of a user's own kernels: as far as the mixture law tells, else what is measured."""
    own = tuple(kernels)
    return Law(
        "own kernels",
        "A function of scores that does not fall, is above 0 and is divided by the row's sum "
        "separates up to the n that solves n = C R(n), and its margin falls like R / n: with "
        "random signs, V = I and X = I or all ones.",
        TOLERANCE,
        ENDS + " Where the special token's share is above 1 % at n = 10^6 its margin bends, and of "
        "feature maps, of weights that fall with the score or are not above 0, and of what is not "
        "divided no law is known: there is what is measured alone.",
        lambda data: (
            claim
            for kernel in own
            for layer in LAYERS
            for claim in (_own_last_n(kernel, layer, data), _own_slope(kernel, layer, data))
        ),
    )


def _own_last_n(kernel: Kernel, layer: Layer, data: Data) -> Claim:
    if _is_known(kernel, layer, data):
        return _claim((kernel, of_kernel(kernel)), layer, data)
    return measured(kernel.name, layer, "last n", measured_n(kernel, layer, data))


def _own_slope(kernel: Kernel, layer: Layer, data: Data) -> Claim:
    """p of a margin that falls like n^p."""
    sizes = stacked(data, *SPANS[0])
    found = slope(margins_of(kernel, layer, data, sizes), sizes)
    name, what, family = kernel.name, "d log(2 eps) / d log n", of_kernel(kernel)
    if not _is_known(kernel, layer, data) or not _is_faint(family, layer, data, sizes):
        return measured(name, layer, what, found, sizes[1])
    predicted = [predictions.margin(family, layer, data, n) / n for n in sizes]
    return Claim(
        name, layer, what, slope(predicted, sizes), found, OF_SLOPES, sizes[1],
        law_holds(layer, data), absolute=True,
    )  # fmt: skip


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


def _is_faint(family: Family, layer: Layer, data: Data, sizes: list[int]) -> bool:
    """Whether the special token is heard, and has but a small share."""
    n = np.array(sizes)
    shares = np.exp(predictions.log_share(family(layer, data, n, 0.0), layer, data, n))
    return bool((n * shares > ROUNDING).all() and shares.max() < FAINT)


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
