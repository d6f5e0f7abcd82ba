"""A sink: softmax of scores mu z_j with one more answer, that no token matters, of a logit S.

D0 is n tokens of noise; on D1 one of them, the needle, has mu added. L is the mean of
exp(mu z - mu^2 / 2) over the tokens, and c = exp(S - the logit that is right at n).
Its weight is below 1/2 where L > c. P(L <= c) on D0 less that on D1 is the inverse transform of
l^(n-1) (l - l1) / s at c, in the terms of `bayes`, where l1 is the needle's l; of scores beta z_j,
L has beta for mu.
"""

import math

import numpy as np
from scipy.special import ndtr

from ..messages.number_check import number
from ..messages.question import question
from . import bayes
from .accuracy import Accuracy, of_events
from .kernel_limits import checked_mu, checked_n


def right_sink(mu: float, n: float, prior: float = 0.5) -> float:
    """The logit at which the sink's weight is the probability that there is no needle."""
    return math.log(n) + mu * mu / 2 + math.log((1 - prior) / prior)


def sink_accuracy(mu: float, n: int, logit: float, scale: float | None = None) -> Accuracy:
    """The accuracy of saying D1 where the sink's weight is below 1/2, beside scores scale * z; the
    scale is mu if it is not given."""
    scale = scale or mu
    if n == 1:
        above_on_d1 = float(ndtr(mu - logit / scale))
        above_on_d0 = float(ndtr(-logit / scale))
        return Accuracy(of_events(above_on_d1, above_on_d0), 0.0)
    c = math.exp(min(logit - right_sink(scale, n), 700.0))
    difference = _detection_difference(mu, n, scale, c, step=bayes.STEP_OF_Z, times=1)
    finer_step = 0.6 * bayes.STEP_OF_Z
    finer_difference = _detection_difference(mu, n, scale, c, step=finer_step, times=2)
    value = of_events(difference, 0.0)
    finer = of_events(finer_difference, 0.0)
    return Accuracy(value, abs(value - finer))


def _detection_difference(
    mu: float, n: int, scale: float, c: float, step: float, times: int
) -> float:
    """The probability that the sink's weight is below 1/2 on D1 less that on D0: P(L <= c) on D0
    less that on D1.

    `step` is that of the integral over z, `times` a factor of the number of terms of the inversion.

    What is inverted is the law of L - (c - width), at `width`.
    """
    # L is hardly ever below 1 less this, and never below 0: so far c - width may reach up.
    below_1 = bayes.lower_width(scale, n)
    width = min(c, max(below_1, c - 1 + below_1))

    def transform(s: np.ndarray) -> np.ndarray:
        """The Laplace transform at s of the difference of the two laws."""
        token, needle = bayes.transforms(scale, n, s, step, needles=(0.0, mu))
        of_others = np.exp(s * (c - width) + (n - 1) * bayes.log1p(token))
        return of_others * (token - needle) / s

    terms = bayes.count_terms(scale, n, c, width, share=0.25)
    return bayes.inverse_laplace(transform, width, times * terms)


@question
def sink(mu: float, n: int, prior: float = 0.5) -> float:
    """The logit with which an attention sink's weight is the probability that no token matters.

    log n + mu^2 / 2 + log((1 - prior) / prior), beside the scores mu z of n tokens, of which one
    has mu added with the probability `prior`, above 0 and below 1. mu, n and errors are as of
    `limit`.
    """
    allowed = "numbers above 0 and below 1"
    checked_prior = number("prior", prior, allowed, lambda x: 0 < x < 1)
    return right_sink(checked_mu(mu), checked_n(n), checked_prior)


@question
def sink_limit(mu: float, n: int, right_at: int) -> float:
    """The accuracy at n tokens of the sink that is right for `right_at` of them, at equal priors.

    A needle is detected where the sink's weight is below 1/2. At right_at = n it is the limit of
    "bayes". mu, n, right_at and errors are as of `limit`.
    """
    mu = checked_mu(mu)
    logit = right_sink(mu, checked_n(right_at, "right_at"))
    return sink_accuracy(mu, checked_n(n), logit).value
