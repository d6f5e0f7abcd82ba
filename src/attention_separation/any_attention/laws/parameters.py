"""Laws of a kernel's parameter: the temperature, degree or bias that separates at an n."""

from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import pairwise

import numpy as np

from attention_separation.any_attention.exact.layers import LAYERS, Layer
from attention_separation.any_attention.exact.limits import (
    critical_temperatures,
    least_numbers,
    separates,
)
from attention_separation.any_attention.laws import predictions
from attention_separation.any_attention.laws.judged import stacked
from attention_separation.any_attention.laws.loudness import special_gain
from attention_separation.any_attention.laws.mixture import law_holds
from attention_separation.any_attention.laws.verdicts import Claim, Law, statement
from attention_separation.attention.kernels import Kernel
from attention_separation.attention.seen import Seen
from attention_separation.datasets.data import Data

SIZES = (2000, 20_000, 10**6, 10**9)
SMALL, LARGE = 200, 10**12
NEAR = (4 * 10**11, 7 * 10**11)
"""Between these m does not jump where delta is 0.01, and with it C does not."""


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


def _temperatures(data: Data) -> Iterator[Claim]:
    sizes = stacked(data, SMALL, *SIZES, LARGE)
    for layer in LAYERS:
        predicted = predictions.critical_temperatures(layer, data, sizes)
        measured = _measured_temperatures(layer, data)
        for n, claimed in zip(sizes, predicted.tolist(), strict=True):
            tolerance = 0.001 if n >= SIZES[0] // 2 else 0.0165
            holds = law_holds(layer, data)
            yield Claim("e^(x/T)", layer, "T*", claimed, measured[n], tolerance, n, holds)


@lru_cache(maxsize=8)
def _measured_temperatures(layer: Layer, data: Data) -> dict[int, float]:
    """T* at all n that a law asks for."""
    sizes = stacked(data, SMALL, *SIZES, LARGE, *NEAR)
    return dict(zip(sizes, critical_temperatures(layer, data, sizes).tolist(), strict=True))


def _limits(data: Data) -> Iterator[Claim]:
    sizes, near = stacked(data, *SIZES, LARGE), stacked(data, *NEAR)
    for layer in LAYERS:
        measured = _measured_temperatures(layer, data)
        gamma, holds = special_gain(layer, data), law_holds(layer, data)
        alike = len({data.m(n) for n in near}) == 1
        found = limit_of_temperatures(np.array([measured[n] for n in near]), np.log(near))
        yield Claim("e^(x/T)", layer, "limit of T*", gamma, found, 0.001, near[1], holds and alike)
        for smaller, n in pairwise(sizes):
            falls = gamma < measured[n] < measured[smaller]
            yield statement("e^(x/T)", layer, "T* falls to its limit", True, falls, n, holds)


def limit_of_temperatures(found: np.ndarray, log_n: np.ndarray) -> float:
    """gamma_1 of two T*: by the law 1/T* is (1 - log C / log n) / gamma_1, whatever C is."""
    with np.errstate(all="ignore"):  # Of no T* there is no limit.
        return float(np.diff(log_n)[0] / np.diff(log_n / found)[0])


def _degrees(data: Data) -> Iterator[Claim]:
    sizes = stacked(data, *SIZES)
    for layer in LAYERS:
        predicted = predictions.least_degrees(layer, data, sizes)
        measured = measured_degrees(layer, data, sizes)
        for n, claimed, found in zip(sizes, predicted.tolist(), measured.tolist(), strict=True):
            yield Claim("x^p", layer, "least p", claimed, found, 0.001, n, law_holds(layer, data))


def _biases(data: Data) -> Iterator[Claim]:
    sizes = stacked(data, SMALL, *SIZES)
    for layer in LAYERS:
        predicted = predictions.critical_biases(layer, data, sizes)
        measured = measured_biases(layer, data, sizes)
        for n, claimed, found in zip(sizes, predicted.tolist(), measured.tolist(), strict=True):
            yield Claim(
                "sigmoid(x - beta log n)", layer, "least beta", claimed, found,
                0.004 if n >= SIZES[0] // 2 else 0.03,
                n, law_holds(layer, data), absolute=True,
            )  # fmt: skip


PARAMETERS = (
    Law(
        "critical temperature",
        "e^(x/T) separates at n up to T* = gamma_1 log n / (log n - log C), gamma_1 = a1^2 + "
        "b^2 with X = I, a1 (a1 + b + c) with X all ones and a1 in cross-attention, at n = 200 to "
        "10^12: with random signs and V = I.",
        0.001,
        "At n = 200 it errs by up to 1.6 %.",
        _temperatures,
    ),
    Law(
        "limit of the temperature",
        "T* falls towards gamma_1 and is above it at every n. Two measured T*, at n = 4 and 7 "
        "times 10^11, give the limit without C: 1 / T* is (1 - log C / log n) / gamma_1. With "
        "random signs and V = I.",
        0.001,
        "It falls from 2,000 to 20,000, 10^6, 10^9 and 10^12, not from every n to the next: where "
        "m jumps C may, and T* then is up to 2 % higher at the larger n. With X = I the own class "
        "grows louder with n, which moves the limit that is found by 0.0002.",
        _limits,
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
