"""Every line against trials of the literal detector that it is of."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from needle_trials import average_above, count_right, likelihood_above, ratio_above, sharp_softmax
from scipy.stats import binomtest, chi2, ncx2, norm

from attention_separation.needle import bayes, kernel_limits, power

FALSE_ALARM = 1e-6
"""Chance that any of the comparisons here fails though all is right, each an equal part of it."""

TRIALS = 10_000
"""Of D0 and of D1 each: an accuracy that is off by 0.03 is found in all but one of 1,000 cases."""

AT = ((3.0, 8), (4.0, 32), (5.0, 128))
"""mu and n of the lines without a power."""

OF_POWERS = ((2, 5.0, 8), (3, 4.0, 100))
COMPARISONS = 4 * len(AT) + 2 * len(OF_POWERS)


def is_likely(right: int, accuracy: float) -> bool:
    return binomtest(right, 2 * TRIALS, accuracy).pvalue > FALSE_ALARM / COMPARISONS


def stream(*of: float) -> np.random.Generator:
    return np.random.default_rng([int(1000 * each) for each in of])


def uniform_weights(mu, n):
    return average_above(np.ones_like, mu / (2 * n))


def best_of_linear_scores(mu, n):
    """The likelihood ratio of the sum and the sum of squares, by SciPy's laws."""

    def says(z):
        u, v = z.sum(axis=1) / np.sqrt(n), z.var(axis=1) * n
        shift = mu / np.sqrt(n)
        of_sum = norm.logpdf(u, shift) - norm.logpdf(u)
        of_squares = ncx2.logpdf(v, n - 1, mu * mu * (1 - 1 / n)) - chi2.logpdf(v, n - 1)
        return of_sum + of_squares > 0

    return says


def sharp_softmax_at_the_best_threshold(mu, n):
    """The threshold by a plain grid of the two laws of the largest token."""
    t = np.linspace(-2, mu + 4, 2001)
    gain = norm.cdf(t) ** n - norm.cdf(t) ** (n - 1) * norm.cdf(t - mu)
    return average_above(sharp_softmax, t[gain.argmax()])


DETECTORS = [
    (uniform_weights, kernel_limits.uniform_accuracy),
    (best_of_linear_scores, kernel_limits.linear_accuracy),
    (lambda mu, n: likelihood_above(mu), bayes.best_accuracy),
    (sharp_softmax_at_the_best_threshold, kernel_limits.largest_token_accuracy),
]


@given(which=st.sampled_from(range(len(DETECTORS))), case=st.sampled_from(AT))
def test_a_detector_is_right_as_often_as_its_line_says(which, case):
    mu, n = case
    detector, line = DETECTORS[which]
    right = count_right(detector(mu, n), mu, n, TRIALS, stream(1 + which, mu, n))
    assert is_likely(right, line(mu, n).value)


@given(case=st.sampled_from(OF_POWERS))
def test_powers_at_the_best_reading_and_at_another(case):
    p, mu, n = case
    best = power.sought_reading(p, mu, n)
    for k, reading in enumerate((best, power.Reading(0.8, 0.3))):
        detector = ratio_above(lambda z, d=reading.delta: (z + d) ** p, reading.threshold(p, n))
        right = count_right(detector, mu, n, TRIALS, stream(5, p, mu, n, k))
        assert is_likely(right, power.accuracy_of(p, mu, n, reading))
