"""Intervals, the check and the reach, by simulation."""

import numpy as np
import pytest
from head_rows import RNG
from making import ROOT
from scipy.signal import lfilter
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


def neighbours(correlation):
    """Draws of scores of deviation 1, each correlated with the one before."""

    def draw(rng, shape):
        steps = rng.standard_normal((*shape[:-1], shape[-1] + 400)) * np.sqrt(1 - correlation**2)
        return lfilter([1], [1, -correlation], steps, axis=-1)[..., 400:]

    return draw


def normal(deviation):
    return lambda rng, shape: deviation * rng.standard_normal(shape)


LAWS = {
    "normal, sd 0.5": normal(0.5),
    "normal, sd 1": normal(1),
    "normal, sd 1.5": normal(1.5),
    "normal, sd 2": normal(2),
    "uniform, 0 to 10": lambda rng, shape: rng.uniform(0, 10, shape),
    "logistic, scale 0.3": lambda rng, shape: 0.3 * rng.logistic(size=shape),
    "normal, sd 3": normal(3),
    "logistic, scale 1": lambda rng, shape: rng.logistic(size=shape),
    "Laplace, scale 0.7": lambda rng, shape: 0.7 * rng.laplace(size=shape),
    "exponential, scale 0.7": lambda rng, shape: 0.7 * rng.exponential(size=shape),
    "Student, 5 degrees, scale 0.5": lambda rng, shape: 0.5 * rng.standard_t(5, shape),
    "neighbours, correlation 0.9": neighbours(0.9),
    "neighbours, correlation 0.98": neighbours(0.98),
}
MILD = list(LAWS)[:6]
"""Independent scores without heavy tails."""

PAGE = (ROOT / "docs/head.md").read_text(encoding="utf-8")
TABLE = PAGE.partition("| scores | within | passed |")[2].partition("\n\n")[0]
CELLS = [line.strip("| ").split(" | ") for line in TABLE.splitlines()[2:]]
SAID = {law: (float(within), float(passed)) for law, within, passed in CELLS}
"""By law, the two columns of the page: parts of rows within their interval, and that pass."""

SLACK = 0.02
"""The page's numbers are of 1,500 rows: two of their standard errors or less."""


def test_the_check_notices_neighbours_that_are_alike_and_heavy_tails():
    rng = RNG(12)
    for draw in (neighbours(0.98), normal(3)):
        scores = draw(rng, (300, 1025))
        scores[:, 0] = 20
        assert head.measure(scores, 0)["held_out"].sum() < binom.ppf(1 - ALARM, 300, 0.80)


# With near tokens: those that are there stay, seven times as many come in at the far end.

ROWS = 400
M = 1024


def tables_of(draw, seed):
    """Rows of M tokens and a target: measured with all of the rest, and with half of it near, at
    8 M; and the true shares there, other tokens in front."""
    rng = RNG(seed)
    scores = draw(rng, (ROWS, M + 1))
    mean = np.exp(draw(rng, (200, 2**14))).mean()
    scores[:, 0] = np.log(8 * M * mean)
    weights = np.exp(scores)
    more = np.empty(ROWS)
    for row in range(ROWS):
        more[row] = np.exp(draw(rng, (7, M))).sum()
    true = weights[:, 0] / (weights.sum(axis=1) + more)
    last = np.full(ROWS, M)
    named = {"query_at": last, "n": 8 * M + 1}
    alike = head.measure(scores, 0, near=0, **named)
    half = head.measure(scores, 0, near="half", **named)
    return alike, half, true


def inside(table, shares):
    """How many shares are within their interval."""
    return int(((table["share_low"] <= shares) & (shares <= table["share_high"])).sum())


def assert_part(count, part):
    """That a count of ROWS is as of a part, give or take SLACK."""
    assert count >= binom.ppf(ALARM, ROWS, part - SLACK)
    assert count <= binom.ppf(1 - ALARM, ROWS, min(part + SLACK, 1))


@pytest.mark.parametrize("law", LAWS)
def test_intervals_with_near_tokens_cover_and_rows_pass_as_the_page_says(law):
    assert {*SAID} == {*LAWS}
    _, half, true = tables_of(LAWS[law], 8)
    within, passed = SAID[law]
    assert_part(inside(half, true), within)
    assert_part(int(half["held_out"].sum()), passed)


@pytest.mark.parametrize("law", MILD)
def test_with_independent_scores_the_answer_stays_within_its_interval(law):
    alike, half, _ = tables_of(LAWS[law], 9)
    assert inside(half, alike["share_at_n"]) >= binom.ppf(ALARM, ROWS, 0.93)


ALARMS = {
    ("normal, sd 1", 1024): 0.055,
    ("normal, sd 2", 1024): 0.10,
    ("neighbours, correlation 0.9", 1024): 0.12,
    ("normal, sd 1", 512): 0.06,
    ("normal, sd 2", 512): 0.11,
    ("normal, sd 1", 2048): 0.055,
}
"""How often rows of so many tokens fail the check though their farther half is like their nearer
one: the most."""


@pytest.mark.parametrize(("law", "m"), ALARMS)
def test_false_alarms_of_the_check_by_order(law, m):
    """Of 1,000 rows no more than a proportion, and no fewer than a third of it."""
    most = ALARMS[law, m]
    scores = LAWS[law](RNG(m), (1000, m + 1))
    table = head.measure(scores, 0, near="half", query_at=np.full(1000, m))
    alarms = int((table["held_out"] == 0).sum())
    assert binom.ppf(ALARM, 1000, most / 3) <= alarms <= binom.ppf(1 - ALARM, 1000, most)


def test_the_check_by_order_notices_that_far_tokens_weigh_less():
    """A linear bias of 4 over 1,024 tokens: what comes in weighs less than the nearer half says."""
    scores = RNG(3).standard_normal((300, 1025)) - 4 * np.arange(1025)[::-1] / 1024
    table = head.measure(scores, 0, near="half", query_at=np.full(300, 1024))
    assert table["held_out"].mean() < 0.1
    assert table["drift"].median() < -1


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
