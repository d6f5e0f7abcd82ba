"""A sink: softmax of scores mu z_j with one more answer, that no token matters, of a logit S.

With S = log n + mu^2 / 2, at equal priors, the sink's weight is the probability that there is no
needle, and "a weight below 1/2" is L > 1, the best possible detector. With another S it is L > c,
for log c by how much S is larger: what is right for n0 tokens has c = n0 / n among n.

P(L <= c) on D0 less that on D1 is the inverse transform of l^(n-1) (l - l1) / s at c, in the terms
of `bayes`, where l1 is the needle's l. The same holds of scores beta z_j, whose L has beta for mu.
"""

import math
from numbers import Real

import numpy as np
from scipy.special import ndtr

from . import bayes
from .accuracy import Accuracy, of_events
from .limits import checked_mu, checked_n

SHARE = 0.25
"""Of the series' width, in which a narrow L may lie for few terms to do."""


def right_sink(mu: float, n: float, prior: float = 0.5) -> float:
    """The logit S at which the sink's weight is the probability that there is no needle."""
    return math.log(n) + mu * mu / 2 + math.log((1 - prior) / prior)


def sink_accuracy(mu: float, n: int, logit: float, scale: float | None = None) -> Accuracy:
    """Of saying D1 where the sink's weight is below 1/2, beside scores scale * z; scale is mu if it
    is not given."""
    scale = scale or mu
    if n == 1:
        edge = logit / scale
        return Accuracy(of_events(float(ndtr(mu - edge)), float(ndtr(-edge))), 0.0)
    c = math.exp(logit - right_sink(scale, n))
    value, finer = (
        of_events(_difference(mu, n, scale, c, bayes.STEP * part, times), 0.0)
        for part, times in ((1.0, 1), (0.6, 2))
    )
    return Accuracy(value, abs(value - finer))


def _difference(mu: float, n: int, scale: float, c: float, step: float, times: int) -> float:
    """P(L <= c) on D0 less that on D1, with a step of z and so many times the terms."""
    lower = bayes.lower_width(scale, n)
    width = min(c, max(lower, c - 1 + lower))
    s = bayes.nodes(width, times * bayes.count_terms(scale, n, c, width, SHARE))
    token, needle = bayes.transforms(scale, n, s, step, (0.0, mu))
    of_others = np.exp(s * (c - width) + (n - 1) * bayes.log1p(token))
    return bayes.inverse(of_others * (token - needle) / s, width)


def sink(mu: float, n: int, prior: float = 0.5) -> float:
    """The logit S with which an attention sink's weight is the probability that no token matters.

    Beside the scores mu z_j of n tokens, of which one has mu added with probability `prior`:
    S = log n + mu^2 / 2 + log((1 - prior) / prior).

    Parameters
    ----------
    mu, n : as of `limit`
    prior : probability that there is a needle, above 0 and below 1

    Raises
    ------
    ValueError, TypeError
        As `limit` does.
    """
    allowed = "allowed: above 0 and below 1"
    if not isinstance(prior, Real) or isinstance(prior, bool):
        raise TypeError(f"prior={prior!r} is no number; {allowed}")
    if not 0 < prior < 1:
        raise ValueError(f"prior={prior!r} is out of range; {allowed}")
    return right_sink(checked_mu(mu), checked_n(n), float(prior))


def sink_limit(mu: float, n: int, right_at: int) -> float:
    """The accuracy at n tokens of a sink that is right for `right_at` of them, at equal priors.

    A needle is detected where the sink's weight is below 1/2. At right_at = n it is the limit of
    "bayes".

    Parameters
    ----------
    mu, n : as of `limit`
    right_at : number of tokens that the sink's logit is right for, as n

    Raises
    ------
    ValueError, TypeError
        As `limit` does.
    """
    mu, right_at = checked_mu(mu), checked_n(right_at, "right_at")
    return sink_accuracy(mu, checked_n(n), right_sink(mu, right_at)).value
