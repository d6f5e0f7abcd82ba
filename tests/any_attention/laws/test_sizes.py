"""Laws of the largest n."""

import math

import numpy as np
import pytest

from attention_separation.any_attention.exact.layers import LAYERS
from attention_separation.any_attention.laws import sizes
from attention_separation.any_attention.laws.judged import LINEAR, POWERS
from attention_separation.any_attention.settings.data import Data

DATA = Data(a0=0.01, a1=1.2, b=0.2, c=0.8, classes=20, delta=0.01, at_least=15)


def test_none_is_0_and_counts_in_steps_of_k():
    claim = sizes._claim(LINEAR, LAYERS[2], DATA)
    assert (claim.predicted, claim.measured, claim.verdict) == (0.0, 0.0, "agrees")


def test_the_tolerance_of_small_n_is_two_steps():
    small, large = (sizes._claim(POWERS[p], LAYERS[0], DATA) for p in (2, 8))
    assert small.tolerance == pytest.approx(2 * DATA.classes / small.measured)
    assert large.tolerance == sizes.TOLERANCE


def test_what_is_not_resolved_is_not_measured(monkeypatch):
    def unresolved(kernel, layer, data, n):
        return np.where(np.array(n) > 1e9, np.nan, 0.5)

    monkeypatch.setattr(sizes, "best_probabilities", unresolved)
    claim = sizes._claim(POWERS[2], LAYERS[0], DATA)
    assert math.isnan(claim.measured)
    assert claim.verdict == "undecided"
