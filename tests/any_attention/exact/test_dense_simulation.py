"""What every kernel can do, from its formula: n x n attention on random places and signs."""

import numpy as np
import pytest
from literal_layers import literal_scores
from scipy.stats import binomtest

from attention_separation.any_attention.exact.layers import LAYERS
from attention_separation.any_attention.exact.values import separate
from attention_separation.any_attention.settings.jobs import Data
from attention_separation.attention.kernels import KERNELS

FALSE_ALARM = 1e-6
"""Chance that any of the comparisons here fails though all is right, each an equal part of it."""

COMPARISONS = 4 * len(LAYERS) * len(KERNELS)

TRIALS = 10_000
"""A probability that is off by 0.05 is found in all but 1 of 10,000 cases, whatever it is."""

N, M = 40, 3
DATA = Data(a0=0.1, a1=1.2, b=0.2, c=0.8, classes=5, delta=0.9, at_least=1)
SPECIAL_QUERIES = (3, 22)
"""Which query is the special one changes no largest score: two that are drawn from are enough."""

TOLD = 1e-9
"""Scores further apart than this are not one score, summed in another order."""


def largest_scores(name, layer):
    """Of D0 and D1, whose places are their own and whose signs are the same: of every column,
    (TRIALS, M), and the share at every place."""
    rng = np.random.default_rng(20)
    columns = rng.integers(2 ** layer.d(DATA.classes), size=(TRIALS, M))
    for dataset in (0, 1):
        scores, share = literal_scores(name, layer, DATA, N, dataset, SPECIAL_QUERIES)
        yield scores[rng.integers(len(scores), size=(TRIALS, 1)), columns], share


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("layer", LAYERS, ids=("self, identity", "self, ones", "cross"))
def test_every_probability_in_trials(layer, name):
    exact = separate(KERNELS[name], layer, DATA, [N], np.ones(1))
    (u0, _), (u1, share) = largest_scores(name, layer)
    on_d0, on_d1 = u0.max(axis=1), u1.max(axis=1)
    best = (exact.theta_low[0] + exact.theta_high[0]) / 2
    paper = 0.9 if layer.model == "cross_attention" else DATA.c + 0.1
    told = {
        "p_best": (on_d0 <= best) & (best < on_d1),
        "p_paper": (on_d0 <= paper + TOLD) & (paper + TOLD < on_d1),
        "p_after_y": on_d1 > np.maximum(on_d0, 0) + TOLD,
        "p_each_bias": (u1 > u0 + TOLD).any(axis=1),
    }
    for quantity, happened in told.items():
        p = np.clip(getattr(exact, quantity)[0], 0, 1)
        test = binomtest(int(happened.sum()), TRIALS, p)
        assert test.pvalue > FALSE_ALARM / COMPARISONS, quantity
    np.testing.assert_allclose(share, exact.share[0], rtol=1e-11)
