"""Laws of kernels that hear the special token boundedly: they separate at no large n."""

from collections.abc import Iterator

import numpy as np

from attention_separation.any_attention.exact.layers import LAYERS
from attention_separation.any_attention.exact.limits import separates
from attention_separation.any_attention.exact.values import best_probabilities
from attention_separation.any_attention.laws import judged, predictions
from attention_separation.any_attention.laws.judged import PLACES, measured_probabilities, stacked
from attention_separation.any_attention.laws.loudness import Family
from attention_separation.any_attention.laws.mixture import law_holds
from attention_separation.any_attention.laws.vectors import cosine, of_features, of_vectors
from attention_separation.any_attention.laws.verdicts import EITHER, Claim, Law, statement
from attention_separation.attention.kernels import KERNELS
from attention_separation.datasets.data import Data

BOUNDED = (
    "elu_plus_one", "relu_features", "relu2_features", "exp_features", "hedgehog", "hedgehog_fla",
    "focused_3", "efficient", "cosine_softmax_10", "one_plus_cosine",
)  # fmt: skip
DEAF: dict[str, Family] = {
    "hedgehog": of_vectors(of_features("hedgehog")),
    "hedgehog_fla": of_vectors(of_features("hedgehog_fla")),
    "one_plus_cosine": of_vectors(lambda q, k: np.log1p(cosine(q, k))),
    "cosine_softmax_10": of_vectors(lambda q, k: 10 * cosine(q, k)),
    "sigmoid_log_n": judged.SIGMOID[1],
}
"""Kernels that hear the special token boundedly, whatever its weight g."""

WEIGHTS = np.geomspace(1e-2, 1e13, 31)


def _never(data: Data) -> Iterator[Claim]:
    sizes = stacked(data, 10**6, 10**9, 10**12)
    for layer in LAYERS:
        of_exp = np.array(measured_probabilities(KERNELS["exp"], layer, data, sizes))
        for name in BOUNDED:
            found = best_probabilities(KERNELS[name], layer, data, sizes)
            told = np.where(np.isnan(found - of_exp), np.nan, found > of_exp / 2)
            for n, measured in zip(sizes, told.tolist(), strict=True):
                holds = law_holds(layer, data)
                yield statement(name, layer, "separates", False, measured, n, holds)


def _some_weight(data: Data) -> Iterator[Claim]:
    for layer in judged.IDENTITY:
        for name, family in DEAF.items():
            sizes = stacked(data, 2000, 200_000, 10**7)
            each = np.repeat(sizes, len(WEIGHTS)), np.tile(WEIGHTS, len(sizes))
            told = (
                predictions.holds_at(family, layer, data, *each),
                separates(KERNELS[name], layer, data, *each),
            )
            some = (part.reshape(len(sizes), -1).any(axis=1) for part in told)
            for n, claimed, found in zip(sizes, *some, strict=True):
                holds = law_holds(layer, data)
                yield statement(name, layer, "separates at some g", claimed, found, n, holds)


BOUNDED_LAWS = (
    Law(
        "bounded feature maps",
        f"{', '.join(BOUNDED)} separate at none of n = 10^6, 10^9 and 10^12: {PLACES}.",
        EITHER,
        "At small n all may separate: e^(10 cos) does at 2,000 with X = I. Other feature maps of "
        "finite degree do at 10^6: those of x^10 and x^12, with X = I.",
        _never,
    ),
    Law(
        "weight in vain",
        "A kernel that hears the special token boundedly, whatever its weight g in X = I + g e_1 "
        "e_1^T, separates at some g up to n = C times the most that it hears, and beyond at none: "
        "with random signs and V = I, at 31 weights g up to 10^13.",
        EITHER,
        "Within 20 % of that n, where a kernel's special row tells classes apart otherwise.",
        _some_weight,
    ),
)
