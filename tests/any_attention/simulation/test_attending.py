"""X"""

import math

import numpy as np
import pytest
from literal_features import cosformer_weights, favor_weights, positive_features
from scipy.stats import chi2, kstest

from attention_separation.any_attention.simulation.attending import (
    SIMULATED,
    attend_cosformer,
    attend_exp,
    attend_favor,
    attend_linear,
    draw_projections,
)

DEVIATIONS = 5.5
"""Standard errors that a mean may be off: 4e-8 a comparison, so a false alarm of all 24 that a test
makes has probability 1e-6."""


def vectors(*shape, seed=3, size=1.0):
    return size * np.random.default_rng(seed).random(shape)


def rows(sums):
    """Divided by the sum of the row, which the last column of the mass has."""
    return sums[..., :-1] / sums[..., -1:]


def mass_of(*shape):
    found = vectors(*shape, seed=9) - 0.5
    found[..., -1] = 1.0
    return found


def test_cosformer_by_a_double_loop():
    queries, keys = vectors(7, 4) - 0.3, vectors(7, 4, seed=4) - 0.3
    found = cosformer_weights(queries, keys)
    for i in range(7):
        for j in range(7):
            product = sum(max(q, 0) * max(k, 0) for q, k in zip(queries[i], keys[j], strict=True))
            assert found[i, j] == pytest.approx(
                product * math.cos(math.pi / 2 * (i - j) / 7), abs=1e-15
            )


def test_positive_features_by_their_formula():
    x, w = vectors(4), draw_projections(np.random.default_rng(0), 1, 6, 4)[0]
    found = positive_features(x[None], w)[0]
    for feature, row in zip(found, w, strict=True):
        wanted = math.exp(row @ x - x @ x / 2) / math.sqrt(6)
        assert feature == pytest.approx(wanted, rel=1e-14)


@pytest.mark.parametrize("features", [3, 8, 12])
def test_the_mean_of_favor_over_w_is_exp(features):
    """False-alarm budget 1e-6, see DEVIATIONS: 4 queries over 6 keys, short ones, for the features
    of long ones have heavy tails."""
    queries, keys = vectors(4, 8, size=0.25), vectors(6, 8, seed=4, size=0.25)
    w = draw_projections(np.random.default_rng(5), 40_000, features, 8)
    found = favor_weights(queries, keys, w)
    error = found.std(axis=0, ddof=1) / math.sqrt(len(w))
    off = (found.mean(axis=0) - np.exp(queries @ keys.T)) / error
    assert np.abs(off).max() < DEVIATIONS
    assert error.max() < 0.01


def test_rows_of_favor_tend_to_those_of_exp():
    """Of one W with many features, an error that falls with them."""
    queries, keys = vectors(4, 8, size=0.5), vectors(6, 8, seed=4, size=0.5)
    mass = mass_of(1, 6, 3)
    wanted = rows(attend_exp(queries[None], keys[None], mass))
    w = draw_projections(np.random.default_rng(5), 1, 2**17, 8)
    errors = []
    for features in (2**5, 2**17):
        found = rows(attend_favor(queries[None], keys[None], mass, w[:, :features]))
        errors.append(np.abs(found - wanted).max())
    assert errors[1] < 0.01 < 5 * errors[0]
    assert errors[1] < errors[0] / 4


def test_features_attend_as_weights_do():
    queries, keys, mass = vectors(3, 9, 5), vectors(3, 9, 5, seed=4) - 0.2, mass_of(3, 9, 4)
    w = draw_projections(np.random.default_rng(5), 3, 12, 5)
    scores = queries @ np.swapaxes(keys, -1, -2)
    for attend, weights in (
        (attend_favor, favor_weights(queries, keys, w)),
        (attend_cosformer, cosformer_weights(queries, keys)),
        (attend_exp, np.exp(scores)),
        (attend_linear, scores),
    ):
        found, wanted = rows(attend(queries, keys, mass, w)), rows(weights @ mass)
        np.testing.assert_allclose(found, wanted, rtol=1e-11, atol=1e-12)


def test_favor_neither_overflows_nor_vanishes():
    """Where each feature alone would: logarithms go up to thousands."""
    queries, keys = vectors(2, 3, 4, size=50.0), vectors(2, 5, 4, seed=4, size=50.0)
    w = draw_projections(np.random.default_rng(5), 2, 6, 4)
    with np.errstate(all="ignore"):
        literal = rows(favor_weights(queries, keys, w) @ mass_of(2, 5, 2))
    assert not np.isfinite(literal).all()
    found = rows(attend_favor(queries, keys, mass_of(2, 5, 2), w))
    assert np.isfinite(found).all()
    # An average of the mass.
    assert np.abs(found).max() <= 0.5


def test_every_kernel_has_a_name_of_its_own():
    assert [kernel.name for kernel in SIMULATED] == ["favor", "cosformer", "exp", "linear"]


FALSE_ALARM = 1e-6
"""Chance that any of the tests of laws here fails though W is right, each an equal part of it."""


def drawn(trials, features, d, seed=1):
    return draw_projections(np.random.default_rng(seed), trials, features, d)


@pytest.mark.parametrize(("features", "d"), [(16, 22), (22, 22), (64, 21), (7, 1)])
def test_rows_are_orthogonal_in_blocks(features, d):
    w = drawn(3, features, d)
    assert w.shape == (3, features, d)
    for start in range(0, features, d):
        block = w[:, start : start + d]
        products = block @ np.swapaxes(block, -1, -2)
        lengths = np.einsum("tii->ti", products)
        apart = products - lengths[..., None] * np.eye(block.shape[1])
        np.testing.assert_allclose(apart, 0.0, atol=1e-12 * lengths.max())


def test_every_row_is_gaussian():
    """Each coordinate of the first, of a middle and of the last row of a block, the squared length,
    and the product of one row's length and another's side: 26 tests."""
    d, trials = 8, 20_000
    w = drawn(trials, d, d)
    samples = [(w[:, row, k], "norm") for row in (0, 4, 7) for k in range(d)]
    squares = (w**2).sum(axis=-1)
    samples += [(squares[:, row], chi2(d).cdf) for row in (0, 7)]
    for sample, law in samples:
        assert kstest(sample, law).pvalue > FALSE_ALARM / 2 / len(samples)
    # Lengths of two rows are independent: the correlation is normal with deviation 1/sqrt trials.
    correlation = np.corrcoef(squares[:, 0], squares[:, 7])[0, 1]
    assert abs(correlation) < 5.1 / np.sqrt(trials)  # FALSE_ALARM / 2 is 5.03


def test_fewer_rows_and_trials_are_the_first_of_more():
    w = drawn(5, 64, 22)
    np.testing.assert_array_equal(drawn(3, 64, 22), w[:3])
    rng = np.random.default_rng(1)
    in_two = [draw_projections(rng, count, 64, 22) for count in (2, 3)]
    np.testing.assert_array_equal(np.concatenate(in_two), w)
    np.testing.assert_array_equal(drawn(1, 16, 22)[0], w[0, :16])
