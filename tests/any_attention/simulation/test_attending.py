"""FAVOR+ and cosFormer: formulas by loops, what they tend to, and features against weights."""

import math

import numpy as np
import pytest
from literal_features import cosformer_weights, favor_weights, positive_features

from attention_separation.any_attention.simulation.attending import (
    SIMULATED,
    attend_cosformer,
    attend_exp,
    attend_favor,
    attend_linear,
)
from attention_separation.any_attention.simulation.projections import draw_projections

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
