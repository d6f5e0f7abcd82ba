"""Confidence interval of the mean of several success rates, from the sum of all successes.

The law of the sum depends on all rates. Here it runs along one curve through them: the rates
smoothed, (k + 1/2) / (n + 1), all logits shifted by the same theta (an exponential tilt). The
limits are the means at the two tilts under which a sum as far off as the observed one has
probability alpha / 2. Tails are the saddlepoint approximation of Lugannani and Rice (1980) with
Daniels' correction (1987) for lattices: the saddlepoint under a tilt theta is theta_hat - theta,
where theta_hat is the tilt whose mean is the sum. Sums of no successes, or of nothing else, have
exact probabilities.
"""

import math

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, ndtr, ndtri

RELATIVE = 1e-12
"""To this the tilts are found, in units of a limit's own shift."""


def mean_rate_interval(
    successes: np.ndarray, trials: np.ndarray, alpha: float
) -> tuple[float, float]:
    """Limits of the mean of the rates of all trials, each missed with probability alpha / 2.

    Parameters
    ----------
    successes, trials : (P,) counts; points of more trials weigh more in the mean
    alpha : probability, about, that the interval misses the mean
    """
    missed = int(trials.sum()) - int(successes.sum())
    logits = np.log((successes + 0.5) / (trials - successes + 0.5))
    high = _upper_limit(logits, trials, int(successes.sum()), alpha / 2) if missed else 1.0
    if not successes.any():
        return 0.0, high
    return 1 - _upper_limit(-logits, trials, missed, alpha / 2), high


def _upper_limit(logits: np.ndarray, trials: np.ndarray, total: int, tail: float) -> float:
    """The mean at the tilt where a sum of at most `total` has probability `tail`."""

    def mean(theta: float) -> float:
        return float(trials @ expit(logits + theta))

    if total == 0:
        none = _root(lambda theta: -trials @ np.logaddexp(0, logits + theta) - math.log(tail), 1.0)
        return mean(none) / float(trials.sum())
    at = _root(lambda theta: total - mean(theta), 1.0)
    rates = expit(logits + at)
    spread = math.sqrt(trials @ (rates * (1 - rates)))
    about = -float(ndtri(tail)) / spread
    above = _root(lambda shift: _at_most(rates, trials, spread, shift) - tail, about, about / 4)
    return mean(at + above) / float(trials.sum())


def _at_most(rates: np.ndarray, trials: np.ndarray, spread: float, shift: float) -> float:
    """P(S <= its mean under `rates`), where all logits of the rates are shifted up.

    In terms of the rates the exponent is a sum of small numbers, which loses nothing to rounding
    however many the trials are.
    """
    exponent = trials @ (np.log1p(rates * math.expm1(shift)) - rates * shift)
    w, u = -math.sqrt(2 * exponent), math.expm1(-shift) * spread
    return float(ndtr(w)) + math.exp(-exponent) / math.sqrt(2 * math.pi) * (1 / w - 1 / u)


def _root(falling, step: float, least: float | None = None) -> float:
    """Where a falling function is zero; above `least`, where it is still positive, if given."""
    low = -step if least is None else least
    while least is None and falling(low) < 0:
        low *= 2
    high = step
    while falling(high) > 0:
        high *= 2
    return float(brentq(falling, low, high, xtol=RELATIVE * step, rtol=1e-15))
