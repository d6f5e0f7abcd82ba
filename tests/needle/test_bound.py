"""Linear attention's bound: layers just outside its class that pass it."""

import numpy as np
import pytest
from few import few
from needle_trials import count_right, likelihood_above
from scipy.stats import binomtest

from attention_separation.needle import bayes, kernel_limits
from attention_separation.studies.needle.accuracy_limits import FEW, MU, N, ends

FALSE_ALARM = 1e-6
"""Chance that any of the comparisons with trials fails though all is right."""

TRIALS = 4_000
"""Of D0 and of D1 each, and as many to choose a threshold on; of fewer tokens more."""


def rms(x):
    return x / np.sqrt((x * x).mean(axis=-1, keepdims=True))


def layer_norm(x):
    return rms(x - x.mean(axis=-1, keepdims=True))


def behind(norm):
    """One linear head: of each token, embedded and normed, score and value are 1 + y_1 / sqrt 2."""

    def statistic(z):
        x = 5 * (z - 3.75)
        y = norm(np.stack([x, np.full_like(x, 2.5), -x, np.full_like(x, -2.5)], axis=-1))
        first = 1 + y[..., 0] / np.sqrt(2)
        return (first * first).mean(axis=1)

    return statistic


def one_feature(z):
    key = 5 * z - 18.75
    return (np.where(key > 0, key + 1, np.exp(np.minimum(key, 0))) * z).mean(axis=1)


def uniform_weights(z):
    return np.maximum(z - 3.5, 0).mean(axis=1)


def positions(z):
    """Values (x, p_j), p_j a basis vector of 256, twice each: what softplus neurons make of it."""
    of_position = z[:, : N // 2] + z[:, N // 2 :]
    squares = (z * z).sum(axis=1) - (of_position**2).sum(axis=1) / 2
    return np.logaddexp(0, 4.3 / np.sqrt(2) * of_position - 13.4).sum(axis=1) + squares / 42


def own_token(z):
    """The first token is the query and is added to the mean."""
    query, others = z[:, 0], z[:, 1:].sum(axis=1)
    of_others = np.exp((MU * others - MU * MU / 2) / (FEW - 1))
    return np.exp(MU * query - MU * MU / 2) + (FEW - 1) * of_others


LAYERS = {
    "affine embedding and RMSNorm or LayerNorm before": [behind(rms), behind(layer_norm)],
    "one feature, elu + 1": [one_feature],
    "values relu(z − 3.5)": [uniform_weights],
    "positions in the values, in 256 dimensions": [positions],
    "the query one of the tokens, and added to the output": [own_token],
}
COMPARISONS = 7


@pytest.fixture(scope="module")
def rows():
    return {row["layer"]: row for row in ends()}


def test_what_the_layers_come_to(rows):
    found = [(row["n"], round(row["accuracy"], 3), round(row["limit"], 3)) for row in rows.values()]
    assert found == [
        (512, 0.928, 0.654), (512, 0.928, 0.654), (512, 0.928, 0.544), (512, 0.780, 0.654),
        (512, 0.928, 0.654), (15, 0.756, 0.741),
    ]  # fmt: skip


@few(
    2,
    ("layer", "statistic"),
    [(layer, statistic) for layer, all_of_it in LAYERS.items() for statistic in all_of_it],
)
def test_literal_layers_reach_what_is_computed(rows, layer, statistic):
    n, rng = rows[layer]["n"], np.random.default_rng([3, len(layer)])
    of_d0, of_d1, trials = [], [], TRIALS * (N // n)
    for _ in range(2 * trials // 500):
        z = rng.standard_normal((2, 500, n))
        z[1, np.arange(500), rng.integers(n, size=500)] += MU
        of_d0.append(statistic(z[0]))
        of_d1.append(statistic(z[1]))
    of_d0, of_d1 = np.concatenate(of_d0), np.concatenate(of_d1)
    tried = np.sort(np.concatenate([of_d0[:trials], of_d1[:trials]]))
    # What lies below on D0 less what does on D1.
    below = [np.searchsorted(np.sort(each[:trials]), tried) for each in (of_d0, of_d1)]
    t = tried[np.argmax(below[0] - below[1])]
    right = int((of_d0[trials:] < t).sum() + (of_d1[trials:] >= t).sum())
    found, limit = (
        binomtest(right, 2 * trials, rows[layer][name]).pvalue for name in ("accuracy", "limit")
    )
    assert found > FALSE_ALARM / COMPARISONS > limit


def test_with_a_dimension_for_each_position_the_output_is_the_tokens(rows):
    right = count_right(likelihood_above(MU), MU, N, TRIALS, np.random.default_rng(4))
    accuracy = rows["positions in the values, in n dimensions"]["accuracy"]
    assert binomtest(right, 2 * TRIALS, accuracy).pvalue > FALSE_ALARM / COMPARISONS


def test_how_far_the_largest_token_falls_short_of_the_likelihood_ratio():
    def gap(mu, n):
        return bayes.best_accuracy(mu, n).value - kernel_limits.largest_token_accuracy(mu, n).value

    assert max(gap(mu, 2**k) for mu in (4.0, 5.0) for k in range(3, 21)) < 0.00385
    assert round(gap(2.0, 64), 4) == 0.0085
