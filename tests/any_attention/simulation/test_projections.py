"""W of FAVOR+: Gaussian rows, orthogonal in blocks, fewer of them the first of more."""

import numpy as np
import pytest
from scipy.stats import chi2, kstest

from attention_separation.any_attention.simulation.projections import draw_projections

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
