"""Limits for large d and n with y = n / d and x = age / d, in closed form.

A *gate* g is a decay of e^(-g / d) a step: of e^(-g x) at the age x.
"""

import math
from functools import cache

import numpy as np
from scipy.special import ndtr, roots_legendre

from ..layers import Delta

LEGENDRE_NODES = 60
"""Of the mean over ages."""

FORGOTTEN = 40
"""Exponent of a signal from which on nothing is left of it: e^-40 is below a float's precision."""

SMALL = 1e-8
"""Exponent from which on its exponential differs from 1."""


def linear_limit(y: float) -> float:
    """The accuracy of linear attention, whatever the age: Phi(1 / sqrt y)."""
    return float(ndtr(1 / math.sqrt(y)))


def least_squares_limit(y: float) -> float:
    """The accuracy of least squares: Phi(1 / sqrt(y - 1)), and 1 up to y = 1."""
    return float(ndtr(1 / math.sqrt(y - 1))) if y > 1 else 1.0


def delta_limit(layer: Delta, n: int, d: int, age: int | None, cosine: float = 1.0) -> float:
    """The accuracy of a delta rule at an age, or its mean over ages, with queries at a cosine to
    their keys."""
    y = n / d
    gate = -d * math.log(layer.decay)
    if age is not None:
        return float(delta_accuracy(layer.beta, gate, np.array([age / d]), y, cosine)[0])
    # Of older keys the accuracy is that of a guess, 1/2.
    oldest = min(y, FORGOTTEN / (layer.beta + gate))
    nodes, weights = _unit_rule()
    above_guess = delta_accuracy(layer.beta, gate, oldest * nodes, y, cosine) - 0.5
    mean_up_to_oldest = float(weights @ above_guess)
    return 0.5 + mean_up_to_oldest * oldest / y


def delta_accuracy(
    beta: float, gate: float, x: np.ndarray, y: float, cosine: float = 1.0
) -> np.ndarray:
    """The accuracies at ages x = age / d, (A,), for a decay of e^(-gate / d) and y = n / d:
    Phi(signal / noise)."""
    forgetting = beta * (2 - beta)
    rate = forgetting + 2 * gate
    signal = cosine * beta * np.exp(-(beta + gate) * x)
    later = _mean_of_exponential(rate, x)
    length = np.exp(-forgetting * x) - forgetting * cosine**2 * np.exp(-2 * beta * x)
    earlier = np.maximum(length, 0.0) * np.exp(-2 * gate * x) * _mean_of_exponential(rate, y - x)
    noise = beta * np.sqrt(later + earlier)
    # Without noise the sign is the signal's: that of the latest key with beta = 1, and of one key.
    without_noise = np.copysign(np.inf, signal)
    ratio = np.divide(signal, noise, out=without_noise, where=noise > 0)
    return np.asarray(np.where(signal == 0, 0.5, ndtr(ratio)))


def _mean_of_exponential(rate: float, x: np.ndarray) -> np.ndarray:
    """The integral of e^(-rate s) over s from 0 to x."""
    if rate < SMALL:
        return x
    return -np.expm1(-rate * x) / rate


@cache
def _unit_rule() -> tuple[np.ndarray, np.ndarray]:
    """The nodes and weights of the rule of Gauss and Legendre on 0 to 1."""
    nodes, weights = roots_legendre(LEGENDRE_NODES)
    return (nodes + 1) / 2, weights / 2


def of_equal_values(rewrites: int) -> float:
    """The accuracy of the mean of a value and of r earlier ones, fair signs all: what least squares
    gives back of at most d keys that were rewritten."""
    ways_of_more = 0.0
    for minuses in range(rewrites + 1):
        # The sum of the value, taken to be 1, and of the others.
        total = 1 + rewrites - 2 * minuses
        ways = math.comb(rewrites, minuses)
        if total > 0:
            ways_of_more += ways
        elif total == 0:
            ways_of_more += ways / 2
    return ways_of_more / 2**rewrites
