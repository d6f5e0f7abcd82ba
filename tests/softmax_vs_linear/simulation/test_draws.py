"""What a trial draws: special tokens, entries of Ax, and who shares them."""

from dataclasses import replace

import numpy as np
import pytest
from making import contest, point

from attention_separation.softmax_vs_linear.models.contest import PAPERS
from attention_separation.softmax_vs_linear.simulation import attention_trials, regression_trials
from attention_separation.statistics.seeding import BlockStreams

SELF = {"n": 40, "d": 10, "m": 3, "a0": 0.0, "a1": 1.0, "b": 0.2, "c": 0.8}
STREAMS = BlockStreams(1, "test", "x", 0)


def attention_draws(trials=3000, tokens=2, of=PAPERS, **settings):
    p = replace(point("self_attention", **SELF, **settings), contest=of)
    chunks = list(attention_trials.draws(p, tokens, STREAMS, trials))
    lanes = {name: np.concatenate([chunk[1][name] for chunk in chunks]) for name in chunks[0][1]}
    return np.concatenate([chunk[0] for chunk in chunks]), lanes


def regression_draws(trials=3000, **settings):
    p = point("regression", n=40, m=3, **settings)
    chunks = list(regression_trials.draws(p, STREAMS, trials))
    return [np.concatenate([chunk.uniforms[dataset] for chunk in chunks]) for dataset in (0, 1)]


def test_special_tokens_of_both_datasets_are_independent_or_the_same():
    same, _ = attention_draws(data="same")
    np.testing.assert_array_equal(same[:, 0], same[:, 1])
    independent, _ = attention_draws()
    assert (independent[:, 0] != independent[:, 1]).any(axis=1).mean() > 0.9
    # D1 has the same tokens either way: the choice touches D0 alone.
    np.testing.assert_array_equal(same[:, 1], independent[:, 1])


def test_entries_of_ax_are_independent_or_the_same():
    d0, d1 = regression_draws(data="same")
    np.testing.assert_array_equal(d0, d1)
    d0, other_d1 = regression_draws()
    assert (d0 != other_d1).all()
    np.testing.assert_array_equal(d1, other_d1)


def test_signs_are_shared_or_fresh():
    _, shared = attention_draws()
    assert list(shared) == ["signs"]
    _, fresh = attention_draws(signs="fresh")
    values = list(fresh.values())
    assert len(values) == 4
    assert all((values[0] != other).any() for other in values[1:])


def test_networks_of_two_contests_read_the_same_signs():
    """Shared signs are those of any contest, and fresh ones those of any that has the network."""
    indices, fresh = attention_draws(signs="fresh")
    others = contest("power_2", "linear", "exp", "cosh")
    same_indices, found = attention_draws(signs="fresh", of=others)
    np.testing.assert_array_equal(same_indices, indices)
    assert [*fresh] == ["signs exp D0", "signs exp D1", "signs lin D0", "signs lin D1"]
    assert [*found] == sorted(
        [*fresh, *(f"signs {k} D{i}" for k in ("power_2", "cosh") for i in (0, 1))]
    )
    for name, lanes in fresh.items():
        np.testing.assert_array_equal(found[name], lanes)
    _, shared = attention_draws()
    np.testing.assert_array_equal(attention_draws(of=others)[1]["signs"], shared["signs"])


def test_special_tokens_are_uniform():
    """False-alarm budget 1e-9: each of 40 counts within 7.1 standard deviations."""
    indices, _ = attention_draws(trials=5000)
    for column in indices.reshape(len(indices), -1).T:
        counts = np.bincount(column, minlength=40)
        expected = len(indices) / 40
        assert (np.abs(counts - expected) < 7.1 * np.sqrt(expected)).all()


@pytest.mark.parametrize("size", [1, 64, 10**6])
def test_the_size_of_chunks_changes_nothing(size, monkeypatch):
    before = attention_draws(), regression_draws()
    monkeypatch.setattr(attention_trials, "CHUNK_COLUMNS", size)
    monkeypatch.setattr(regression_trials, "CHUNK_NUMBERS", size)
    after = attention_draws(), regression_draws()
    np.testing.assert_array_equal(before[0][0], after[0][0])
    np.testing.assert_array_equal(before[0][1]["signs"], after[0][1]["signs"])
    np.testing.assert_array_equal(before[1], after[1])
