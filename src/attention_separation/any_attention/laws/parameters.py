"""Laws of a kernel's parameter: the temperature, degree or bias that separates at an n."""

from collections.abc import Callable, Iterator

import numpy as np

from attention_separation.any_attention.exact.layers import LAYERS, Layer
from attention_separation.any_attention.exact.limits import (
    critical_temperatures,
    least_number,
    separates,
)
from attention_separation.any_attention.laws import predictions
from attention_separation.any_attention.laws.judged import stacked
from attention_separation.any_attention.laws.mixture import law_holds
from attention_separation.any_attention.laws.verdicts import Claim, Law
from attention_separation.attention.kernels import Kernel
from attention_separation.attention.seen import Seen
from attention_separation.datasets.data import Data

SIZES = (2000, 20_000, 10**6, 10**9)
SMALL = 200


def measured_degree(layer: Layer, data: Data, n: int) -> float:
    """The least real p at which x^p separates at n tokens."""

    def log_weights(p: np.ndarray, seen: Seen) -> np.ndarray:
        return p * np.log(seen.scores)

    return _measured(log_weights, predictions.DEGREES, layer, data, n)


def measured_bias(layer: Layer, data: Data, n: int) -> float:
    """The least beta at which sigmoid(x - beta log n), divided by the row's sum, separates."""

    def log_weights(beta: np.ndarray, seen: Seen) -> np.ndarray:
        return -np.logaddexp(0.0, beta * seen.log_n - seen.scores)

    return _measured(log_weights, predictions.BIASES, layer, data, n)


def _measured(
    log_weights: Callable[[np.ndarray, Seen], np.ndarray], ends: tuple[float, float], layer: Layer,
    data: Data, n: int,
) -> float:  # fmt: skip
    def holds(parameters: np.ndarray) -> np.ndarray:
        column = parameters[:, None, None]
        kernel = Kernel("", "", "score", lambda seen: log_weights(column, seen), logarithmic=True)
        return separates(kernel, layer, data, np.full(len(parameters), n))

    return least_number(holds, *ends)


def _temperatures(data: Data) -> Iterator[Claim]:
    for layer in LAYERS:
        for n in stacked(data, SMALL, *SIZES):
            yield Claim(
                "e^(x/T)", layer, "T*",
                predictions.critical_temperature(layer, data, n),
                float(critical_temperatures(layer, data, [n])[0]),
                0.001 if n >= SIZES[0] // 2 else 0.0165,
                n, law_holds(layer, data),
            )  # fmt: skip


def _degrees(data: Data) -> Iterator[Claim]:
    for layer in LAYERS:
        for n in stacked(data, *SIZES):
            yield Claim(
                "x^p", layer, "least p",
                predictions.least_degree(layer, data, n), measured_degree(layer, data, n), 0.001,
                n, law_holds(layer, data),
            )  # fmt: skip


def _biases(data: Data) -> Iterator[Claim]:
    for layer in LAYERS:
        for n in stacked(data, SMALL, *SIZES):
            measured = measured_bias(layer, data, n)
            absolute = 0.004 if n >= SIZES[0] // 2 else 0.03
            yield Claim(
                "sigmoid(x - beta log n)", layer, "least beta",
                predictions.critical_bias(layer, data, n), measured, absolute / measured,
                n, law_holds(layer, data),
            )  # fmt: skip


PARAMETERS = (
    Law(
        "critical temperature",
        "e^(x/T) separates at n up to T* = gamma_1 log n / (log n - log C), gamma_1 = a1^2 + "
        "b^2 with X = I, a1 (a1 + b + c) with X all ones and a1 in cross-attention, at n = 200 to "
        "10^9: with random signs and V = I.",
        0.001,
        "At n = 200 it errs by up to 1.6 %.",
        _temperatures,
    ),
    Law(
        "least degree",
        "x^p separates at n from the real degree p = log(n / C) / log r on: with random signs, "
        "V = I and X = I or all ones.",
        0.001,
        "Below n = 2,000 shifts of order 1/n count: at 200 it errs by up to 2 %.",
        _degrees,
    ),
    Law(
        "critical bias",
        "sigmoid(x - beta log n), divided by the row's sum, separates at n from beta of about 1 + "
        "sigma_0 - log C / log n on, sigma_0 log n being the score of an ordinary token: with "
        "random signs, V = I and X = I or all ones.",
        0.004,
        "The tolerance is of beta itself; at n = 200 it is 0.03.",
        _biases,
    ),
)
