"""The best possible detector: the likelihood ratio L, the mean of exp(mu z - mu^2 / 2), above 1.

On D0 all n tokens z are noise, N(0, 1); on D1 one of them, the needle, has mu added.
Its accuracy is 1/2 + E(1 - L)^+ / 2 under D0. E(x - L)^+ is the inverse Laplace transform of
l(s/n)^n / s^2 at x = 1, where l(s) = E exp(-s X) for one X = exp(mu z - mu^2 / 2), by Fourier
series with Euler's summation (Abate and Whitt).
"""

import math
from collections.abc import Callable, Sequence

import numpy as np
from scipy.special import comb, ndtr

from .accuracy import Accuracy, of_one_token

Z_REACH = 9.0
"""Standard deviations of a token, and of the needle, to both sides."""

STEP_OF_Z = 0.25
"""Of z, over mu where mu > 1: exp(-s X) has poles' distance pi / (2 mu) from the path."""

DAMPING = 27.0
"""The series repeats with exp(-DAMPING) of what lies a period on; rounding grows with its half."""

EULER = 24
"""Partial sums that Euler's summation averages."""

TERMS = 60
"""Of the series before these, at least."""


def best_accuracy(mu: float, n: int) -> Accuracy:
    """The accuracy of the likelihood ratio of all n tokens, in any order."""
    if n == 1:
        return Accuracy(of_one_token(mu), 0.0)
    value = 0.5 + 0.5 * _mean_shortfall(mu, n, STEP_OF_Z, 1)
    finer = 0.5 + 0.5 * _mean_shortfall(mu, n, 0.6 * STEP_OF_Z, 2)
    return Accuracy(value, abs(value - finer))


def _mean_shortfall(mu: float, n: int, step: float, times: int) -> float:
    """E(1 - L)^+ under D0; `step` is that of the integral over z, `times` a factor of the number of
    terms of the inversion."""
    width = lower_width(mu, n)

    def transform(s: np.ndarray) -> np.ndarray:
        """The Laplace transform at s of E(x - L)^+, as a function of x less 1 - width."""
        # About 1 - width, below which L does not fall.
        of_token = transforms(mu, n, s, step)[0]
        exponent = s * (1 - width) + n * log1p(of_token)
        return np.exp(exponent) / s**2

    terms = count_terms(mu, n, 1.0, width, share=0.5)
    return inverse_laplace(transform, width, times * terms)


def inverse_laplace(
    transform: Callable[[np.ndarray], np.ndarray], width: float, terms: int
) -> float:
    """The inverse of a Laplace transform at `width`, by so many terms and Euler's summation of
    those behind them (Abate and Whitt 1995)."""
    k = np.arange(terms + EULER + 1)
    values = transform((DAMPING / 2 + 1j * math.pi * k) / width)
    summed = np.cumsum(np.where(k, 1.0, 0.5) * (-1.0) ** k * values.real)
    euler = comb(EULER, np.arange(EULER + 1)) / 2.0**EULER
    return math.exp(DAMPING / 2) / width * float(euler @ summed[terms:])


def lower_width(mu: float, n: int) -> float:
    """A width of at most 1 such that L falls below 1 - width with a probability below exp(-32).

    Bernstein: P(L < 1 - w) <= exp(-n w^2 / (2 (v + w / 3))) for the variance v of X, as X >= 0.
    """
    variance = math.expm1(mu * mu)
    return min(1.0, 32 / (3 * n) + math.sqrt((32 / (3 * n)) ** 2 + 64 * variance / n))


def count_terms(mu: float, n: int, c: float, width: float, share: float) -> int:
    """The number of terms after which the Fourier series at L = c, of a period of `width`, is
    smooth.

    It is more than TERMS where L spreads little beside the width, unless c lies in the first
    `share` of the width, far from L's mean.
    """
    edge = (math.log(n * c) + mu * mu / 2) / mu  # the z beyond which one token alone makes L > c
    mean = ndtr(edge - mu)
    square = math.exp(mu * mu) * ndtr(edge - 2 * mu)
    if mean - (c - width) < share * width:
        return TERMS
    spread = math.sqrt(max(square - mean * mean, 1e-12 * square) / n)
    return max(TERMS, math.ceil(24 * width / (math.pi * spread)))


def transforms(
    mu: float, n: int, s: np.ndarray, step: float, needles: Sequence[float] = (0.0,)
) -> list[np.ndarray]:
    """E exp(-s X / n) - 1 at each s, (S,), for z normal around each of the means in `needles`; a
    mean of 0 is that of an ordinary token."""
    step = step / max(mu, 1.0)
    z = np.arange(-Z_REACH, mu + Z_REACH + step, step) - 1j * np.angle(s)[:, None] / max(mu, 1.0)
    # Less 1, which is what a density integrates to: else n would magnify the rounding of 1.
    less = np.expm1(-s[:, None] / n * np.exp(mu * z - mu * mu / 2))
    scale = step / math.sqrt(2 * math.pi)
    densities = (np.exp(-away * away / 2) * scale for away in (z - mean for mean in needles))
    return [(less * density).sum(axis=1) for density in densities]


def log1p(z: np.ndarray) -> np.ndarray:
    """log(1 + z) of complex numbers; NumPy's is not exact for small ones. Finite at z = -1."""
    square = np.maximum(2 * z.real + z.real**2 + z.imag**2, np.nextafter(-1.0, 0.0))
    return np.log1p(square) / 2 + 1j * np.arctan2(z.imag, 1 + z.real)
