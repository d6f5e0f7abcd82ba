"""Intervals, the check and the reach, by simulation."""

import numpy as np
import pytest
from head_rows import RNG
from scipy.stats import binom

from attention_separation import head

ALARM = 1e-4
"""Chance that the tests of intervals below fail though intervals cover as said, each."""


def covered(draw, m, rows, seed):
    """How many intervals of rows of m tokens cover the share of fresh rows that are as long as the
    reach, at most eight times as long, and how many checks pass."""
    rng = RNG(seed)
    scores = draw(rng, (rows, m + 1))
    # A reach of about 8 m: the target's weight is that of 8 m mean ones.
    scores[:, 0] = np.log(8 * m * np.exp(draw(rng, 10**6)).mean())
    own = head.measure(scores, 0)
    fresh = np.exp(draw(rng, (rows, 8 * m))).mean(1)
    true = 1 + np.exp(scores[:, 0]) / fresh
    inside = (own["reach_low"] <= true) & (true <= own["reach_high"])
    return int(inside.sum()), int(own["held_out"].sum())


@pytest.mark.parametrize(
    ("draw", "least"),
    [
        (lambda rng, shape: rng.standard_normal(shape), 0.90),
        (lambda rng, shape: rng.uniform(0, 10, shape), 0.90),
        (lambda rng, shape: 0.3 * rng.logistic(size=shape), 0.90),
        (lambda rng, shape: 2 * rng.standard_normal(shape), 0.84),
    ],
    ids=["normal, sd 1", "uniform to 10", "logistic, scale 0.3", "normal, sd 2"],
)
def test_intervals_cover_as_said(draw, least):
    """Of 400 rows of 1,024 independent tokens: no fewer than a proportion `least`."""
    inside, passed = covered(draw, 1024, 400, 8)
    assert inside >= binom.ppf(ALARM, 400, least)
    assert inside <= binom.ppf(1 - ALARM, 400, 0.985)
    assert passed >= binom.ppf(ALARM, 400, 0.85)


@pytest.mark.parametrize(
    ("draw", "most"),
    [
        (lambda rng, shape: rng.logistic(size=shape), 0.80),
        (lambda rng, shape: 0.7 * rng.laplace(size=shape), 0.85),
    ],
    ids=["logistic, scale 1", "Laplace, scale 0.7"],
)
def test_a_larger_scale_or_heavier_tails_are_covered_less(draw, most):
    """Of 400 rows of 1,024 independent tokens: no more than a proportion `most`."""
    inside, _ = covered(draw, 1024, 400, 8)
    assert inside <= binom.ppf(1 - ALARM, 400, most)


def test_the_check_notices_neighbours_that_are_alike_and_heavy_tails():
    def neighbours(rng, shape):
        steps = rng.standard_normal(shape) * np.sqrt(1 - 0.98**2)
        found = np.empty(shape)
        found[..., 0] = rng.standard_normal(shape[:-1] if np.ndim(shape) else ())
        for k in range(1, found.shape[-1]):
            found[..., k] = 0.98 * found[..., k - 1] + steps[..., k]
        return found

    rng = RNG(12)
    for scores in (neighbours(rng, (300, 1025)), 3 * rng.standard_normal((300, 1025))):
        scores[:, 0] = 20
        assert head.measure(scores, 0)["held_out"].sum() < binom.ppf(1 - ALARM, 300, 0.80)


def test_the_reach_is_a_lower_bound_in_expectation():
    """Wald and Lorden: c/w < E K <= c/w + 1 + v^2, K the first number of rest tokens whose sum is
    over c; standard normal scores, 20,000 draws, five standard errors."""
    rng = RNG(3)
    c = np.exp(6.0)
    sums = np.cumsum(np.exp(rng.standard_normal((20_000, 400))), axis=1)
    first = (sums <= c).sum(1) + 1
    low, high = c / np.exp(0.5), c / np.exp(0.5) + 1 + (np.e - 1)
    error = first.std() / np.sqrt(20_000)
    assert low - 5 * error < first.mean() < high + 5 * error
    assert first.mean() > low
