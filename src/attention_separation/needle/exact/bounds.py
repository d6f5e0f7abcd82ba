"""Bounds: the accuracies that no layer of uniform weights or of linear attention can pass."""

import math

import numpy as np
from numpy.polynomial.legendre import leggauss
from scipy.special import gammaln, logsumexp, ndtr

from .accuracy import Accuracy, of_events, of_one_token


def uniform_accuracy(mu: float, n: int) -> Accuracy:
    """Phi(mu / (2 sqrt n)): the likelihood ratio of two normal laws with one variance."""
    return Accuracy(float(ndtr(mu / (2 * math.sqrt(n)))), 0.0)


NODES, FINER = 200, 400
"""Nodes of Gauss and Legendre: what is stated, and what its error is measured by."""

WIDTH = 9.0
"""Standard deviations of the chi law to both sides: beyond lies less than 1e-18."""

MANY = 100
"""Degrees of freedom from which on Stirling's series of three terms is exact to rounding."""


def linear_accuracy(mu: float, n: int) -> Accuracy:
    """1/2 + TV / 2 of the pair (sum, sum of squares) between D0 and D1."""
    if n == 1:
        return Accuracy(of_one_token(mu), 0.0)
    value, finer = (_total_variation_accuracy(mu, n, nodes) for nodes in (NODES, FINER))
    return Accuracy(value, abs(value - finer))


def _total_variation_accuracy(mu: float, n: int, nodes: int) -> float:
    freedom, noncentrality = n - 1, mu * mu * (1 - 1 / n)
    # In w = sqrt v both laws have standard deviations of about 1 / sqrt 2.
    low = max(math.sqrt(max(freedom - 1, 0)) - WIDTH, 0.0)
    high = math.sqrt(freedom + noncentrality) + WIDTH
    at, weight = leggauss(nodes)
    w, weight = low + (at + 1) * (high - low) / 2, weight * (high - low) / 2
    log_ratio = _log_ratio(freedom, noncentrality, w)
    of_d0 = weight * np.exp(_log_chi(freedom, w))
    of_d1 = of_d0 * np.exp(log_ratio)
    shift = mu / math.sqrt(n)
    threshold = shift / 2 - log_ratio / shift
    return of_events(float(of_d1 @ ndtr(shift - threshold)), float(of_d0 @ ndtr(-threshold)))


def _log_chi(freedom: int, w: np.ndarray) -> np.ndarray:
    """Log density of the chi law; of many degrees of freedom about its mode, by Stirling's series,
    for terms as large as n log n would cancel."""
    if freedom < MANY:
        constant = (1 - freedom / 2) * math.log(2) - gammaln(freedom / 2)
        return constant + (freedom - 1) * np.log(w) - w * w / 2
    half, mode = freedom / 2, math.sqrt(freedom - 1)
    series = 1 / (12 * half) - 1 / (360 * half**3) + 1 / (1260 * half**5)
    largest = (freedom - 1) / 2 * math.log1p(-1 / freedom) + 0.5 - math.log(math.pi) / 2 - series
    step = w / mode - 1
    return largest + (freedom - 1) * (np.log1p(step) - step - step * step / 2)


def _log_ratio(freedom: int, noncentrality: float, w: np.ndarray) -> np.ndarray:
    """Log of the noncentral chi density over the central one at w: a mixture over a Poisson index
    j, whose terms are (noncentrality w^2 / 4)^j / (j! (freedom/2)_j)."""
    half = freedom / 2
    most = noncentrality * float(w.max()) ** 2 / 4
    # The largest term is where j (half + j) is about `most`; beyond, they fall fast.
    peak = 2 * most / (half + math.sqrt(half * half + 4 * most))
    j = np.arange(int(peak + 12 * math.sqrt(peak + 1) + 40))
    rising = np.concatenate([[0.0], np.cumsum(np.log(half + j[:-1]))])
    terms = j * np.log(noncentrality / 4 * w * w)[:, None] - gammaln(j + 1) - rising
    return logsumexp(terms, axis=1) - noncentrality / 2
