"""The interval of a mean rate: its tails, and how often it misses the truth."""

import math

import numpy as np
import pytest
from making import STUDY
from scipy.optimize import brentq
from scipy.special import expit
from scipy.stats import binom, norm

from attention_separation.statistics.goodness_of_fit import sum_law
from attention_separation.statistics.panel_agreement import mean_rate_interval
from attention_separation.studies.softmax_vs_linear.exact.compute import compute_exact

BUDGET = 1e-6
"""Chance of a false alarm of the tests of coverage, all together."""

ALPHAS = (0.05, 0.01, 0.001)
PANELS = 1000
WIDEST = 1.25
"""Times twice z standard deviations, for an interval."""

SHAPES = {
    "constant": (np.full(6, 0.5), 100),
    "nearly never": (np.full(80, 0.002), 100),
    "nearly always": (np.full(12, 0.98), 100),
    "bimodal": (np.array([0.02, 0.98] * 20), 100),
    "all between": (np.linspace(0.01, 0.99, 9), 40),
}


def counts(*values):
    return np.array(values, dtype=np.int64)


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize(
    ("successes", "trials"),
    [
        (counts(30), counts(100)), (counts(1), counts(200)), (counts(4, 9), counts(5, 10)),
        (counts(3, 50, 97, 100, 99, 0), counts(*[100] * 6)), (counts(0, 1, 2), counts(*[90] * 3)),
        (counts(700, 200), counts(1000, 500)),
    ],
)  # fmt: skip
def test_the_limits_tails_by_convolution(successes, trials, alpha):
    """Along the shifted logits, each limit leaves alpha / 2 to its tail, to 8 per cent."""
    logits = np.log((successes + 0.5) / (trials - successes + 0.5))
    share = trials / trials.sum()
    for limit, side in zip(mean_rate_interval(successes, trials, alpha), (1, -1), strict=True):
        shift = brentq(lambda x, at=limit: share @ expit(logits + x) - at, -40, 40, xtol=1e-13)
        start, law = sum_law(trials, expit(logits + shift))
        at = int(successes.sum()) - start
        tail = law[at:].sum() if side > 0 else law[: at + 1].sum()
        assert tail == pytest.approx(alpha / 2, rel=0.08)


def test_no_success_or_nothing_else():
    """One rate: the exact limits of Clopper and Pearson, whose one end is exact too."""
    for alpha in ALPHAS:
        low, high = mean_rate_interval(counts(0), counts(50), alpha)
        assert low == 0
        assert binom.cdf(0, 50, high) == pytest.approx(alpha / 2, rel=1e-9)
        assert mean_rate_interval(counts(50), counts(50), alpha) == pytest.approx((1 - high, 1))
        low, high = mean_rate_interval(counts(0, 0), counts(25, 25), alpha)
        assert (1 - high) ** 50 == pytest.approx(alpha / 2, rel=1e-9)


def shape(name):
    if name in SHAPES:
        return SHAPES[name]
    trials = STUDY.panels.simulated[name].trials
    return compute_exact(STUDY.panels.exact[name])["p_exact"].to_numpy(), trials


REAL = ("fig4a", "fig4b", "fig4d", "fig5e", "fig7c")


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", [*SHAPES, *REAL])
def test_how_often_the_interval_misses_and_how_wide_it_is(name):
    rates, trials = shape(name)
    rng = np.random.default_rng([6, len(rates)])
    trials = np.full(len(rates), trials)
    drawn = rng.binomial(trials, rates, size=(PANELS, len(rates)))
    spread = math.sqrt((trials * rates * (1 - rates)).sum()) / trials.sum()
    for alpha in ALPHAS:
        limits = np.array([mean_rate_interval(successes, trials, alpha) for successes in drawn])
        missed = (limits[:, 0] > rates.mean()) | (limits[:, 1] < rates.mean())
        tests = len(ALPHAS) * (len(SHAPES) + len(REAL))
        assert missed.sum() <= binom.isf(BUDGET / tests, PANELS, alpha)
        width = np.diff(limits).mean() / (2 * norm.isf(alpha / 2) * spread)
        assert 0.95 < width < WIDEST
