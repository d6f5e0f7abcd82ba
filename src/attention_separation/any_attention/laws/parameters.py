"""Laws of a kernel's parameter: the temperature, degree or bias that separates at an n."""

from collections.abc import Callable, Iterator

import numpy as np

from attention_separation.attention.kernel import Kernel, Seen
from attention_separation.datasets.dataset import Data

from ..exact.layers import LAYERS, Layer
from ..exact.limits import critical_temperatures, least_numbers, separates
from . import predictions
from .mixture import law_holds
from .predictions import IS_TEST, OF_SEARCH
from .test_cases import stacked
from .verdicts import Law, Prediction, between

SIZES = (200, 2000, 20_000, 10**6, 10**9)
"""Beyond, float64 does not tell P at all parameters that are tried."""


def measured_degrees(layer: Layer, data: Data, sizes: list[int]) -> np.ndarray:
    """The least real p at which x^p separates, at each number of tokens."""

    def log_weights(p: np.ndarray, seen: Seen) -> np.ndarray:
        return p * np.log(seen.scores)

    return _measured(log_weights, predictions.DEGREES, layer, data, sizes)


def measured_biases(layer: Layer, data: Data, sizes: list[int]) -> np.ndarray:
    """The least beta at which sigmoid(x - beta log n), divided by the row's sum, separates."""

    def log_weights(beta: np.ndarray, seen: Seen) -> np.ndarray:
        return -np.logaddexp(0.0, beta * seen.log_n - seen.scores)

    return _measured(log_weights, predictions.BIASES, layer, data, sizes)


def _measured(
    log_weights: Callable[[np.ndarray, Seen], np.ndarray], ends: tuple[float, float], layer: Layer,
    data: Data, sizes: list[int],
) -> np.ndarray:  # fmt: skip
    def holds(which: np.ndarray, parameters: np.ndarray) -> np.ndarray:
        column = parameters[:, None, None]
        kernel = Kernel("", "", "score", lambda seen: log_weights(column, seen), logarithmic=True)
        return separates(kernel, layer, data, np.array(sizes)[which])

    return least_numbers(holds, len(sizes), *ends)


def _temperatures(data: Data) -> Iterator[Prediction]:
    return _claims("e^(x/T)", "T*", predictions.critical_temperatures, critical_temperatures, data)


def _degrees(data: Data) -> Iterator[Prediction]:
    return _claims("x^p", "least p", predictions.least_degrees, measured_degrees, data)


def _biases(data: Data) -> Iterator[Prediction]:
    name = "sigmoid(x - beta log n)"
    return _claims(name, "least beta", predictions.critical_biases, measured_biases, data)


def _claims(
    name: str, quantity: str, predict: Callable[..., np.ndarray],
    measure: Callable[..., np.ndarray], data: Data,
) -> Iterator[Prediction]:  # fmt: skip
    sizes = stacked(data, *SIZES)
    for layer in LAYERS:
        found = (*(predict(layer, data, sizes, k) for k in (-1, 0, 1)), measure(layer, data, sizes))
        for n, low, predicted, high, of in zip(
            sizes, *(part.tolist() for part in found), strict=True
        ):
            yield between(
                name, layer, quantity, predicted, (low, high), of, n, law_holds(layer, data)
            )


PARAMETERS = (
    Law(
        "critical temperature",
        "e^(x/T) separates at n up to T* = gamma_1 log n / (log n - log C), gamma_1 = a1^2 + "
        "b^2 with X = I, a1 (a1 + b + c) with X all ones and a1 in cross-attention, at n = 200 to "
        "10^9: gamma_1 is its limit.",
        IS_TEST,
        OF_SEARCH,
        _temperatures,
    ),
    Law(
        "least degree",
        "x^p separates at n from the real degree p = log(n / C) / log r on.",
        IS_TEST,
        OF_SEARCH,
        _degrees,
    ),
    Law(
        "critical bias",
        "sigmoid(x - beta log n), divided by the row's sum, separates at n from beta of about 1 + "
        "sigma_0 - log C / log n on, sigma_0 log n being the score of an ordinary token.",
        IS_TEST,
        OF_SEARCH,
        _biases,
    ),
)
