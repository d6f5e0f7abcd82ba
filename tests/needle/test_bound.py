"""Linear attention's bound: what its class may change, and layers just outside it that pass it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from needle_trials import count_right, likelihood_above
from scipy.stats import binomtest, chi2, ncx2

from attention_separation.needle import bayes, kernel_limits
from attention_separation.studies.needle.accuracy_limits import (
    DIMENSIONS,
    FEW_AT_END,
    MU,
    N_AT_END,
    ends,
)

FALSE_ALARM = 1e-6
"""Chance that any of the comparisons with trials fails though all is right."""

TRIALS = 2_000
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


def read_from(of_place, squares):
    """What softplus neurons make of sums of two tokens each, and of the sum of all squares."""
    rest = squares - (of_place**2).sum(axis=1) / 2
    return np.logaddexp(0, 4.3 / np.sqrt(2) * of_place - 13.4).sum(axis=1) + rest / 42


def heads(z, biases, queries):
    """What each head has along the needle's direction: scores q z_j plus a bias for each place,
    values z_j, rows not divided. Shapes (B, n), (H, n), (H,), to (B, H)."""
    return z @ biases.T + (z * z).sum(axis=1)[:, None] * queries


PLACES = np.repeat(np.eye(DIMENSIONS), 2, axis=1)
"""A basis vector for two places each: (dimensions, n)."""


def positions_in_values(z):
    """One head without biases whose values are (x, p_j), and its score is z_j."""
    return read_from(z @ PLACES.T, (z * z).sum(axis=1))


def biases_by_place(z):
    """A head for each two places, and one more that looks at the token alone."""
    biases = np.vstack([PLACES, np.zeros(N_AT_END)])
    seen = heads(z, biases, np.append(np.zeros(DIMENSIONS), 1.0))
    return read_from(seen[:, :-1], seen[:, -1])


def positions_in_keys(z):
    """Keys (x, p_j), queries (q, r_h) with r_h a basis vector: scores are q z_j + r_h p_j."""
    queries_of_place = np.vstack([np.eye(DIMENSIONS), np.zeros(DIMENSIONS)])
    seen = heads(z, queries_of_place @ PLACES, np.append(np.zeros(DIMENSIONS), 1.0))
    return read_from(seen[:, :-1], seen[:, -1])


def of_sums(z, sums, squares):
    """The logarithm of the likelihood ratio of the sum and the sum of squares."""
    n = z.shape[1]
    of_spread = squares - sums**2 / n
    shift = MU**2 * (1 - 1 / n)
    ratio = ncx2.logpdf(of_spread, n - 1, shift) - chi2.logpdf(of_spread, n - 1)
    return (MU * sums - MU**2 / 2) / n + ratio


def two_heads(z):
    """One with equal weights, one with the needle as its query."""
    seen = heads(z, np.array([[1.0] * N_AT_END, [0.0] * N_AT_END]), np.array([0.0, 1.0]))
    return of_sums(z, seen[:, 0], seen[:, 1])


def many_heads(z):
    """Each with a query and a constant score of its own; least squares behind them."""
    rng = np.random.default_rng(5)
    constants, queries = rng.standard_normal((2, N_AT_END))
    seen = heads(z, np.outer(constants, np.ones(N_AT_END)), queries)
    found = np.linalg.lstsq(np.stack([constants, queries], axis=1), seen.T, rcond=None)[0]
    return of_sums(z, *found)


def position_in_query(z):
    """The query (q, r) with a position r of its own: keys (x, 1) make of it the same score at every
    place."""
    of_query = 0.7
    seen = heads(z, np.array([[of_query] * N_AT_END, [0.0] * N_AT_END]), np.array([1.0, 1.0]))
    return of_sums(z, (seen[:, 0] - seen[:, 1]) / of_query, seen[:, 1])


def own_token(z):
    """The first token is the query and is added to the mean."""
    query, others = z[:, 0], z[:, 1:].sum(axis=1)
    of_others = np.exp((MU * others - MU * MU / 2) / (FEW_AT_END - 1))
    return np.exp(MU * query - MU * MU / 2) + (FEW_AT_END - 1) * of_others


LAYERS = {
    "one head with the needle as its query, one with equal weights": [two_heads],
    "512 heads, and an MLP or a norm behind them": [many_heads],
    "a position in the query alone": [position_in_query],
    "affine embedding, then RMSNorm or LayerNorm, before the heads": [
        behind(rms),
        behind(layer_norm),
    ],
    "one feature, elu + 1": [one_feature],
    "values relu(z − 3.5)": [uniform_weights],
    "positions in the values, 256 dimensions": [positions_in_values],
    "a bias for each place in the scores, 257 heads": [biases_by_place],
    "positions in the keys alone, 256 dimensions, 257 heads": [positions_in_keys],
    "the query one of the tokens, and added to the output": [own_token],
}
COMPARISONS = 14
EACH_PLACE = (
    "positions in the values, 512 dimensions",
    "a bias for each place in the scores, 512 heads",
    "positions in the keys alone, 512 dimensions, 512 heads",
)


@pytest.fixture(scope="module")
def rows():
    return {row["layer"]: row for row in ends()}


def test_what_the_layers_come_to(rows):
    *others, last = LAYERS
    assert list(rows) == [*others, *EACH_PLACE, last]
    found = [(row["n"], round(row["accuracy"], 3), round(row["limit"], 3)) for row in rows.values()]
    assert found == [
        (512, 0.654, 0.654), (512, 0.654, 0.654), (512, 0.654, 0.654),
        (512, 0.928, 0.654), (512, 0.928, 0.654), (512, 0.928, 0.544),
        (512, 0.780, 0.654), (512, 0.780, 0.654), (512, 0.780, 0.654),
        (512, 0.928, 0.654), (512, 0.928, 0.654), (512, 0.928, 0.654), (15, 0.756, 0.741),
    ]  # fmt: skip


def test_what_is_inside_has_the_limit_and_what_is_not_passes_it(rows):
    for row in rows.values():
        if row["inside"]:
            assert row["accuracy"] == row["limit"]
        else:
            assert row["accuracy"] > row["limit"] + 0.01
    changed = {row["changed"] for row in rows.values()}
    assert changed == {
        "nothing", "heads", "norm", "feature map", "score", "key", "value", "query",
    }  # fmt: skip


@given(
    case=st.sampled_from(
        [*[(layer, statistic) for layer, all_of_it in LAYERS.items() for statistic in all_of_it]]
    )
)
def test_literal_layers_reach_what_is_computed(rows, case):
    layer, statistic = case
    n, rng = rows[layer]["n"], np.random.default_rng([3, len(layer)])
    of_d0, of_d1, trials = [], [], TRIALS * (N_AT_END // n)
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
    found = binomtest(right, 2 * trials, rows[layer]["accuracy"]).pvalue
    assert found > FALSE_ALARM / COMPARISONS
    if not rows[layer]["inside"]:
        of_limit = binomtest(right, 2 * trials, rows[layer]["limit"]).pvalue
        assert of_limit < FALSE_ALARM / COMPARISONS


def test_where_each_place_has_a_head_or_a_dimension_the_output_is_the_tokens(rows):
    right = count_right(likelihood_above(MU), MU, N_AT_END, TRIALS, np.random.default_rng(4))
    for layer in EACH_PLACE:
        found = binomtest(right, 2 * TRIALS, rows[layer]["accuracy"]).pvalue
        assert found > FALSE_ALARM / COMPARISONS
    z = np.random.default_rng(6).standard_normal((3, N_AT_END))
    assert np.array_equal(heads(z, np.eye(N_AT_END), np.zeros(N_AT_END)), z)


def test_how_far_the_largest_token_falls_short_of_the_likelihood_ratio():
    def gap(mu, n):
        return bayes.best_accuracy(mu, n).value - kernel_limits.largest_token_accuracy(mu, n).value

    assert max(gap(mu, 2**k) for mu in (4.0, 5.0) for k in range(3, 21)) < 0.00385
    assert round(gap(2.0, 64), 4) == 0.0085
