"""Counts merge exactly."""

import numpy as np

from attention_separation.statistics.counts import Counts


def test_merging_parts_is_counting_the_whole():
    outcomes = np.random.default_rng(1).random((1000, 5)) < 0.3
    whole = Counts.of(outcomes)
    for parts in ([outcomes[:1], outcomes[1:]], np.array_split(outcomes, 7)[::-1]):
        merged = sum((Counts.of(part) for part in parts), Counts.none(5))
        assert merged.trials == whole.trials == 1000
        assert (merged.happened == whole.happened).all()
    assert whole.happened.dtype == np.int64
