"""A detector's accuracy where D0 and D1 are equally likely, and how far the number may be off."""

from typing import NamedTuple

from scipy.special import ndtr

CRITICAL = 0.75
"""The accuracy at which n is critical: halfway between certainty and a guess."""


class Accuracy(NamedTuple):
    """The share of right answers at equal priors, 1/2 to 1, and the measured `error` of its
    numerics: how far a finer grid moves it."""

    value: float
    error: float


def of_events(on_d1: float, on_d0: float) -> float:
    """The accuracy of saying D1 in an event that has these probabilities on D1 and on D0."""
    return 0.5 + 0.5 * (on_d1 - on_d0)


def of_one_token(mu: float) -> float:
    """With n = 1 every kernel's average is the token itself, z or z + mu: Phi(mu / 2)."""
    return float(ndtr(mu / 2))
