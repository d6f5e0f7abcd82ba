"""Laws of the margin, and of the least weight g on the special token's coordinate."""

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np

from attention_separation.any_attention.exact.layers import LAYERS, Layer
from attention_separation.any_attention.exact.limits import least_weights
from attention_separation.any_attention.exact.values import best_probabilities, separate
from attention_separation.any_attention.laws import judged, predictions
from attention_separation.any_attention.laws.judged import (
    ELU,
    EXPONENTIALS,
    LINEAR,
    POWERS,
    TAYLORS,
    Pair,
    stacked,
)
from attention_separation.any_attention.laws.loudness import special_gain
from attention_separation.any_attention.laws.mixture import law_holds
from attention_separation.any_attention.laws.verdicts import Claim, Law, statement
from attention_separation.attention.kernels import KERNELS, Kernel
from attention_separation.datasets.data import Data

OF_MARGINS = {10**6: 2e-4, 10**8: 1e-5, 10**10: 1e-5}
"""At n: at 10^6 R is not yet so far below it."""

OF_ALL = 0.005
OF_WEIGHTS, OF_ELU = 0.005, 0.01
OF_SLOPES = 0.01
"""Absolute."""

SPANS = ((10**6, 10**9), (10**9, 10**12))
"""Numbers of tokens between which margins are seen to fall."""

BUDGETS, GROWTH = (2000, 200_000), (10**10, 10**12)
"""Numbers of tokens at which weights are predicted, and between which they are seen to grow."""

OF_FEATURES = {10**10: 1e-3}

FAINT, LOUD = 0.01, 0.9
"""The special token's share, at the smaller n, below and above which a slope is the last one."""


def margins_of(kernel: Kernel, layer: Layer, data: Data, sizes: list[int]) -> list[float]:
    """The largest 2 eps at which half of a kernel's own P is left, NaN where not resolved."""
    of_exp = best_probabilities(KERNELS["exp"], layer, data, sizes)
    found = separate(kernel, layer, data, sizes, of_exp)
    return np.where(found.resolved, found.margin, np.nan).tolist()


def _margins(data: Data) -> Iterator[Claim]:
    sizes = stacked(data, *OF_MARGINS)
    for layer in LAYERS:
        for kernel, family in (LINEAR, POWERS[2], POWERS[4]):
            measured = margins_of(kernel, layer, data, sizes)
            for n, found, tolerance in zip(sizes, measured, OF_MARGINS.values(), strict=True):
                predicted = predictions.margin(family, layer, data, n)
                yield Claim(
                    kernel.name, layer, "n x 2 eps", predicted, n * found, tolerance, n,
                    law_holds(layer, data),
                )  # fmt: skip


def _margins_of_exp(data: Data) -> Iterator[Claim]:
    (n,) = stacked(data, 10**12)
    kernel, family = EXPONENTIALS[1.0]
    for layer in LAYERS:
        (found,) = margins_of(kernel, layer, data, [n])
        predicted = predictions.margin_of_all(family, layer, data, n)
        yield Claim("exp", layer, "2 eps", predicted, found, OF_ALL, n, law_holds(layer, data))


def _slopes(data: Data) -> Iterator[Claim]:
    sizes = stacked(data, *sorted({n for span in SPANS for n in span}))
    for layer in LAYERS:
        for (kernel, family), exponent in _exponents(layer, data):
            margins = margins_of(kernel, layer, data, sizes)
            heard = family(layer, data, np.array(sizes), 0.0)
            shares = np.exp(predictions.log_share(heard, layer, data, np.array(sizes)))
            for k, n in enumerate(sizes[1:]):
                if FAINT <= shares[k] <= LOUD:
                    continue
                found = slope(margins[k : k + 2], sizes[k : k + 2])
                yield Claim(
                    kernel.name, layer, "d log(2 eps) / d log n", min(exponent, 1.0) - 1, found,
                    OF_SLOPES, n, law_holds(layer, data), absolute=True,
                )  # fmt: skip


def _exponents(layer: Layer, data: Data) -> Iterator[tuple[Pair, float]]:
    """Kernels, and the power of n that R is."""
    for pair in (LINEAR, POWERS[2], POWERS[4]):
        yield pair, 0.0
    gamma = special_gain(layer, data)
    for temperature, pair in EXPONENTIALS.items():
        yield pair, gamma / temperature
    yield judged.usual_softmax(layer, data), gamma / math.sqrt(layer.d(data.classes))


def slope(values: Sequence[float], sizes: Sequence[float]) -> float:
    """p of what grows like n^p between two numbers of tokens; NaN where it is not finite."""
    with np.errstate(all="ignore"):
        return float(np.diff(np.log(values))[0] / np.diff(np.log(sizes))[0])


def _weights(data: Data) -> Iterator[Claim]:
    sizes = stacked(data, *BUDGETS)
    for layer in judged.IDENTITY:
        usual = judged.usual_softmax(layer, data)
        for kernel, family in (LINEAR, POWERS[2], POWERS[4], ELU, usual):
            predicted = predictions.least_weights(family, layer, data, sizes).tolist()
            measured = _measured_weights(kernel, layer, data)
            tolerance = OF_ELU if family is ELU[1] else OF_WEIGHTS
            for n, claimed in zip(sizes, predicted, strict=True):
                yield _weight(kernel, layer, data, n, claimed, measured[n], tolerance)


@lru_cache(maxsize=32)
def _measured_weights(kernel: Kernel, layer: Layer, data: Data) -> dict[int, float]:
    """The least g at all n that a law asks for."""
    sizes = stacked(data, *BUDGETS, *GROWTH)
    return dict(zip(sizes, least_weights(kernel, layer, data, sizes).tolist(), strict=True))


def _weight(
    kernel: Kernel, layer: Layer, data: Data, n: int, predicted: float, measured: float,
    tolerance: float,
) -> Claim:  # fmt: skip
    holds = law_holds(layer, data)
    if predicted == 0:
        return statement(kernel.name, layer, "separates at g = 0", True, measured == 0, n, holds)
    if math.isinf(predicted):
        some = math.isfinite(measured)
        return statement(kernel.name, layer, "separates at some g", False, some, n, holds)
    return Claim(kernel.name, layer, "g", predicted, measured, tolerance, n, holds)


def _growth(data: Data) -> Iterator[Claim]:
    sizes = stacked(data, *GROWTH)
    for layer in judged.IDENTITY:
        holds = law_holds(layer, data)
        cold = EXPONENTIALS[4.0], judged.usual_softmax(layer, data)
        grow = {LINEAR: 1.0, POWERS[2]: 1 / 2, TAYLORS[2]: 1 / 2, POWERS[4]: 1 / 4}
        for (kernel, _), power in (grow | dict.fromkeys(cold, 0.0)).items():
            measured = _measured_weights(kernel, layer, data)
            found = slope([1 + measured[n] for n in sizes], sizes)
            yield Claim(
                kernel.name, layer, "d log(1 + g) / d log n", power, found, OF_SLOPES, sizes[1],
                holds, absolute=True,
            )  # fmt: skip
        sizes_of_features = stacked(data, *OF_FEATURES)
        found = least_weights(KERNELS["exp_features"], layer, data, sizes_of_features)
        for n, g, tolerance in zip(sizes_of_features, found, OF_FEATURES.values(), strict=True):
            predicted = predictions.weight_of_exp_features(layer, data, n)
            yield Claim(
                "exp_features", layer, "sqrt(1 + g)", predicted, math.sqrt(1 + g), tolerance, n,
                holds,
            )  # fmt: skip


MARGIN_LAWS = (
    Law(
        "margin",
        "Where R is bounded, at n = 10^6, 10^8 and 10^10: n times the largest 2 eps at half of the "
        "kernel's own P is K / (K - 1 + rho) (a1 R - a0 R_0 + (R - R_0) (b - level)), and (R - R_0)"
        " (2 - level) in cross-attention, with random signs, V = I, X = I or all ones, in units of "
        "sqrt(log n).",
        OF_MARGINS[10**10],
        "With another X a margin need not fall with n at all; and R has to be far below n.",
        _margins,
    ),
    Law(
        "margin of exp",
        "Where the special token's share is nearly 1, that of exp at n = 10^12, the largest 2 eps "
        "at half of P is a1 + b - level, in cross-attention 2 - level, whatever n is: with random "
        "signs, V = I and X = I or all ones.",
        OF_ALL,
        "The level jumps as m grows, and the share has to be near 1: in cross-attention it is "
        "1 - n^-0.2 and at 10^9 the margin 2 % smaller.",
        _margins_of_exp,
    ),
    Law(
        "margin slopes",
        "The margin falls like R / n: like 1 / n for polynomials, like n^(gamma_1 / T - 1) for "
        "e^(x/T) with T above gamma_1, and not at all below: between n = 10^6 and 10^9, and "
        "10^9 and 10^12, with random signs, V = I and X = I or all ones.",
        OF_SLOPES,
        "Where the special token's share at the smaller n is between 1 and 90 % the margin bends: "
        "such slopes are left out. The level jumps as m grows.",
        _slopes,
    ),
    Law(
        "weight budget",
        "With X = I + g e_1 e_1^T a kernel separates from the g on that solves n = C R(g), "
        "at n = 2,000 and 200,000, with random signs and V = I.",
        OF_WEIGHTS,
        "elu + 1 in self-attention, whose special row tells classes apart otherwise than ordinary "
        "rows: 1 % at 20 classes, 3 % at 7. In cross-attention 1 % at 40 classes: a threshold may "
        "then lie between what D0's special row lifts and what it does not.",
        _weights,
    ),
    Law(
        "growth of the weight",
        "The g that is needed grows like n^(1/p) for x^p and Taylor's sum to degree p, not at all "
        "for e^(x/T), and sqrt(1 + g) is log(n / C) / (a1 sqrt(log n)) for element-wise exp, "
        "without a1 in cross-attention: slopes of 1 + g between n = 10^10 and 10^12, with random "
        "signs and V = I.",
        OF_SLOPES,
        "At smaller n constants beside g count: x^8 has 0.134 there, not 1/8. C jumps as m grows.",
        _growth,
    ),
)
