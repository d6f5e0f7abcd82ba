"""Laws of kernels that hear the special token boundedly: they separate at no large n."""

from collections.abc import Iterator

import numpy as np

from attention_separation.attention.kernels import KERNELS
from attention_separation.datasets.dataset import Data

from ..exact.layers import LAYERS, Layer
from ..exact.limits import separates
from ..exact.values import best_probabilities
from . import test_cases
from .loudness import Family
from .mixture import ROUNDING, largest_probability, law_holds, of_whole_levels
from .predictions import ERROR, SAME_AT_ENDS, holds_at, shifted
from .test_cases import by_rows, measured_probabilities, stacked
from .verdicts import Law, Prediction, statement

BOUNDED = (
    "elu_plus_one", "relu_features", "relu2_features", "exp_features", "hedgehog", "hedgehog_fla",
    "focused_3", "efficient", "cosine_softmax_10", "one_plus_cosine",
)  # fmt: skip
DEAF = (
    *map(by_rows, ("hedgehog", "hedgehog_fla", "one_plus_cosine", "cosine_softmax_10")),
    test_cases.SIGMOID,
)
"""Kernels that hear the special token boundedly, whatever its weight g."""

STAYS = (
    "Where e is not 0, all states of one level have less than half of exp's P: max_J (1 - p)^m - "
    "(1 - p - P(Sigma = J) / E)^m, p = P(Sigma > J) / E, E = 2, in cross-attention 1."
)

WEIGHTS = np.geomspace(1e-2, 1e13, 31)


def _never(data: Data) -> Iterator[Prediction]:
    sizes = stacked(data, 10**6, 10**9, 10**12)
    for layer in LAYERS:
        of_exp = np.array(measured_probabilities(KERNELS["exp"], layer, data, sizes))
        for kernel, family in map(by_rows, BOUNDED):
            found = best_probabilities(kernel, layer, data, sizes)
            told = np.where(np.isnan(found - of_exp), np.nan, found > of_exp / 2)
            far = ~holds_at(shifted(family, 1), layer, data, np.array(sizes))
            for n, measured, holds in zip(sizes, told.tolist(), far.tolist(), strict=True):
                holds &= law_holds(layer, data) and stays_below(family, layer, data, n)
                yield statement(kernel.name, layer, "separates", False, measured, n, holds)


def stays_below(family: Family, layer: Layer, data: Data, n: int) -> bool:
    """Whether a kernel whose special row tells classes apart otherwise than ordinary ones, so that
    its levels move by order 1, has less than half of exp's P by that."""
    found, m = family(layer, data, np.array([n]), 0.0), data.m(n)
    alike = np.abs(found.same - found.own) < ROUNDING
    return bool(alike) or of_whole_levels(m, layer, data) < largest_probability(m) / 2


def _some_weight(data: Data) -> Iterator[Prediction]:
    for layer in test_cases.IDENTITY:
        for kernel, family in DEAF:
            sizes = stacked(data, 2000, 200_000, 10**7)
            each = np.repeat(sizes, len(WEIGHTS)), np.tile(WEIGHTS, len(sizes))
            told = (
                *(holds_at(shifted(family, sign), layer, data, *each) for sign in (-1, 0, 1)),
                separates(kernel, layer, data, *each),
            )
            some = (part.reshape(len(sizes), -1).any(axis=1).tolist() for part in told)
            for n, least, so, most, found in zip(sizes, *some, strict=True):
                holds = law_holds(layer, data) and least == so == most
                holds = holds and (so or stays_below(family, layer, data, n))
                yield statement(kernel.name, layer, "separates at some g", so, found, n, holds)


BOUNDED_LAWS = (
    Law(
        "bounded feature maps",
        f"{', '.join(BOUNDED)} separate at none of n = 10^6, 10^9 and 10^12.",
        f"n is above C R, and above its error term. {STAYS}",
        ERROR,
        _never,
    ),
    Law(
        "weight in vain",
        "A kernel that hears the special token boundedly, whatever its weight g in X = I + g e_1 "
        "e_1^T, separates at some g up to n = C times the most that it hears, and beyond at none: "
        "at 31 weights g up to 10^13.",
        f"{SAME_AT_ENDS} {STAYS}",
        ERROR,
        _some_weight,
    ),
)
