"""Uniform weights: the average alone is seen, and so the sum of the tokens, N(0, n) or N(mu, n)."""

import math

from scipy.special import ndtr

from .accuracy import Accuracy


def best_accuracy(mu: float, n: int) -> Accuracy:
    """Phi(mu / (2 sqrt n)): the likelihood ratio of two normal laws with one variance."""
    return Accuracy(float(ndtr(mu / (2 * math.sqrt(n)))), 0.0)
