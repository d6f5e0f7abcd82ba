"""The needle literally: tokens drawn, weighed one by one, and a detector that says D1 or D0."""

from collections.abc import Callable

import numpy as np

Detector = Callable[[np.ndarray], np.ndarray]
"""Tokens along the needle (trials, n) to whether each trial is said to be D1, (trials,) bool."""


def count_right(
    detector: Detector, mu: float, n: int, trials: int, rng: np.random.Generator
) -> int:  # fmt: skip
    """How many of 2 * trials answers are right, half of them on D0 and half on D1."""
    tokens = rng.standard_normal((2, trials, n))
    tokens[1, np.arange(trials), rng.integers(n, size=trials)] += mu
    return int((~detector(tokens[0])).sum() + detector(tokens[1]).sum())


def ratio_above(weight: Callable[[np.ndarray], np.ndarray], t: float) -> Detector:
    """Whether the attention-weighted sum of z - t is above 0."""
    return lambda z: (weight(z) * (z - t)).sum(axis=1) > 0


def average_above(weight: Callable[[np.ndarray], np.ndarray], t: float) -> Detector:
    """Whether attention's output, the average of z by normalised weights, is above t."""

    def says(z: np.ndarray) -> np.ndarray:
        weights = weight(z)
        return (weights * z).sum(axis=1) / weights.sum(axis=1) > t

    return says


def likelihood_above(mu: float) -> Detector:
    """Whether the likelihood ratio of all tokens is above 1."""
    return lambda z: np.exp(mu * z - mu * mu / 2).mean(axis=1) > 1


def sharp_softmax(z: np.ndarray) -> np.ndarray:
    """Weights of softmax at a temperature of 1/200, less each row's largest score."""
    return np.exp(200 * (z - z.max(axis=1, keepdims=True)))
