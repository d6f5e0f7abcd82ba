"""Laws of kernels that do not separate at large n, of none at all, and of what is left of P."""

from collections.abc import Iterator

import numpy as np

from attention_separation.any_attention.exact.layers import LAYERS
from attention_separation.any_attention.exact.limits import separates
from attention_separation.any_attention.exact.values import best_probabilities
from attention_separation.any_attention.laws import judged, predictions
from attention_separation.any_attention.laws.judged import measured_probabilities, stacked
from attention_separation.any_attention.laws.mixture import control, floor, law_holds
from attention_separation.any_attention.laws.verdicts import Claim, Law
from attention_separation.any_attention.settings.data import Data
from attention_separation.attention.kernels import KERNELS

EQUAL = 1e-12
"""Probabilities closer than this, relative, are the same."""

EITHER = 0.5
"""Of a statement, 0 or 1."""

BOUNDED = (
    "elu_plus_one", "relu_features", "relu2_features", "exp_features", "hedgehog", "hedgehog_fla",
    "focused_3", "efficient", "cosine_softmax_10", "one_plus_cosine",
)  # fmt: skip
AS_NONE = (
    "linear", "power_2", "taylor_1", "taylor_2", "elu_plus_one", "relu_features",
    "relu2_features", "exp_features", "focused_3", "efficient", "one_plus_cosine", "softplus",
    "sigmoid_log_n",
)  # fmt: skip
SCORES = ("linear", "power_2", "power_3", "taylor_1", "taylor_2", "softplus", "sigmoid_log_n")

DEAF = ("hedgehog", "hedgehog_fla", "one_plus_cosine", "sigmoid_log_n")
"""Kernels that hear the special token boundedly, whatever its weight g."""

WEIGHTS = np.geomspace(1e-2, 1e13, 31)
MIDDLE = (2000, 20_000, 10**6)


def _never(data: Data) -> Iterator[Claim]:
    sizes = stacked(data, 10**6, 10**9, 10**12)
    for layer in LAYERS:
        of_exp = np.array(measured_probabilities(KERNELS["exp"], layer, data, sizes))
        for name in BOUNDED:
            found = best_probabilities(KERNELS[name], layer, data, sizes)
            told = np.where(np.isnan(found - of_exp), np.nan, found > of_exp / 2)
            for n, measured in zip(sizes, told.tolist(), strict=True):
                yield Claim(name, layer, "separates", 0.0, measured, EITHER, n)


def _none(data: Data) -> Iterator[Claim]:
    for layer in LAYERS:
        yield from _probabilities("none", layer, data, control)


def _as_none(data: Data) -> Iterator[Claim]:
    for layer in judged.SELF:
        for name in AS_NONE:
            yield from _probabilities(name, layer, data, control)


def _cross_floor(data: Data) -> Iterator[Claim]:
    for layer in judged.CROSS:
        for name in SCORES:
            yield from _probabilities(name, layer, data, floor)


def _probabilities(name, layer, data, law) -> Iterator[Claim]:
    sizes = stacked(data, *MIDDLE)
    found = measured_probabilities(KERNELS[name], layer, data, sizes)
    for n, measured in zip(sizes, found, strict=True):
        predicted = law(data.m(n), layer, data)
        yield Claim(name, layer, "P", predicted, measured, EQUAL, n, law_holds(layer, data))


def _staircase(data: Data) -> Iterator[Claim]:
    sizes = stacked(data, *MIDDLE[1:])
    pairs = [judged.POWERS[p] for p in (4, 6, 8)] + [judged.TAYLORS[8]]
    for layer in LAYERS:
        for kernel, family in (*pairs, *judged.EXPONENTIALS.values()):
            found = measured_probabilities(kernel, layer, data, sizes)
            for n, measured in zip(sizes, found, strict=True):
                predicted = predictions.best_probability(family, layer, data, n)
                holds = law_holds(layer, data)
                yield Claim(kernel.name, layer, "P", predicted, measured, EQUAL, n, holds)


def _no_weight(data: Data) -> Iterator[Claim]:
    for layer in judged.IDENTITY:
        for name in DEAF:
            for n in stacked(data, 2000, 200_000):
                sizes = np.full(len(WEIGHTS), n)
                found = separates(KERNELS[name], layer, data, sizes, WEIGHTS).any()
                yield Claim(name, layer, "separates at some g", 0.0, float(found), EITHER, n)


PLACES = "with random signs, V = I and X = I or all ones"

BOUNDED_LAWS = (
    Law(
        "mixture",
        "A kernel's best P is that of rows of no attention in which one token has the share f = R "
        f"/ (R + n (K - 1 + rho) / K), a staircase in f: {PLACES}, at n from 20,000.",
        EQUAL,
        "Below, shifts of order 1/n move a step; and where f is at a step P is on either side.",
        _staircase,
    ),
    Law(
        "bounded feature maps",
        "Feature maps of finite degree, element-wise exponentials, softmaxes of features and "
        f"cosines separate at no large n: {PLACES}, at n = 10^6, 10^9 and 10^12.",
        EITHER,
        "At small n all may separate: e^(10 cos) does at 2,000 with X = I.",
        _never,
    ),
    Law(
        "no attention",
        f"Weights 1/n have the floor in self-attention and P = 0 in cross-attention: {PLACES}.",
        EQUAL,
        "Where levels of the class signs interleave with the last coordinate's.",
        _none,
    ),
    Law(
        "as good as none",
        "Kernels that hear the special token boundedly have exactly the P of no attention in "
        f"self-attention: {PLACES}, at n from 2,000.",
        EQUAL,
        "Not e^(10 cos) and the Hedgehogs with X = I, which shift levels by order 1.",
        _as_none,
    ),
    Law(
        "cross floor",
        "Functions of scores that hear the special token boundedly, but louder on D1, have the "
        "cross floor in cross-attention: with random signs, V = X = I, at n from 2,000.",
        EQUAL,
        "Feature maps may differ from it: Hedgehog does at 10^6.",
        _cross_floor,
    ),
    Law(
        "no weight",
        "Kernels that are bounded whatever the special token's size separate at no weight g in "
        "X = I + g e_1 e_1^T: with random signs and V = I, n = 2,000 and 200,000, g to 10^13.",
        EITHER,
        "Below n = C R(g -> infinity) some g does; for e^(10 cos) that is n of about 500,000.",
        _no_weight,
    ),
)
