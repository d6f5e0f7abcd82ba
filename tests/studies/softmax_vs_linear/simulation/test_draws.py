"""What a trial of attention draws: special tokens, and signs as bits; who shares them."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from making import contest, point

from attention_separation.statistics.seeding import BlockStreams, stream
from attention_separation.studies.softmax_vs_linear.models.contest import CONTEST_OF_PAPER
from attention_separation.studies.softmax_vs_linear.simulation import attention_trials
from attention_separation.studies.softmax_vs_linear.simulation.signs import (
    CHUNK_MULTIPLE,
    bit_at,
    bits_at,
    draw_lanes,
    lane_bits,
    lanes_per_column,
    pluses,
    sign_matrix,
    unpack,
)

SELF = {"n": 40, "d": 10, "m": 3, "a0": 0.0, "a1": 1.0, "b": 0.2, "c": 0.8}
STREAMS = BlockStreams(1, "test", "x", 0)


def attention_draws(trials=3000, tokens=2, of=CONTEST_OF_PAPER, **settings):
    p = replace(point("self_attention", **SELF, **settings), contest=of)
    chunks = list(attention_trials.draws(p, tokens, STREAMS, trials))
    lanes = {name: np.concatenate([chunk[1][name] for chunk in chunks]) for name in chunks[0][1]}
    return np.concatenate([chunk[0] for chunk in chunks]), lanes


def test_special_tokens_of_both_datasets_are_independent_or_the_same():
    same, _ = attention_draws(data="same")
    np.testing.assert_array_equal(same[:, 0], same[:, 1])
    independent, _ = attention_draws()
    assert (independent[:, 0] != independent[:, 1]).any(axis=1).mean() > 0.9
    # D1 has the same tokens either way: the choice touches D0 alone.
    np.testing.assert_array_equal(same[:, 1], independent[:, 1])


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


@pytest.mark.parametrize("size", [1, 64, 10**6])
def test_the_size_of_chunks_changes_nothing(size, monkeypatch):
    before = attention_draws()
    monkeypatch.setattr(attention_trials, "CHUNK_COLUMNS", size)
    after = attention_draws()
    np.testing.assert_array_equal(before[0], after[0])
    np.testing.assert_array_equal(before[1]["signs"], after[1]["signs"])


SIZES = [1, 2, 15, 16, 17, 31, 32, 33, 63, 64, 65, 128, 130]


@given(case=st.sampled_from([(12, 16, 1), (22, 32, 1), (64, 64, 1), (66, 64, 2)]))
def test_lanes_are_as_narrow_as_a_column_allows(case):
    d, bits, lanes = case
    assert (lane_bits(d), lanes_per_column(d)) == (bits, lanes)


def test_a_set_bit_is_a_plus_at_its_place():
    lanes = np.array([[0b101], [0b010]], dtype=np.uint16)
    assert sign_matrix(lanes, 3).T.tolist() == [[1, -1, 1], [-1, 1, -1]]


@given(st.sampled_from(SIZES), st.integers(1, 4), st.integers(1, 9))
def test_counts_and_bits_are_those_of_the_signs(d, m, trials):
    lanes = draw_lanes(stream(1, "test"), trials, m, d)
    bits = unpack(lanes, d)
    assert bits.shape == (trials, m, d)
    start, stop = d // 3, d
    assert (pluses(lanes, d, start, stop) == bits[..., start:stop].sum(-1)).all()
    assert (bit_at(lanes, d, d - 1) == bits[..., d - 1]).all()
    places = stream(2, "test").integers(0, d, trials)
    expected = bits[np.arange(trials), :, places]
    assert (bits_at(lanes, d, places) == expected).all()


@given(st.sampled_from(SIZES), st.integers(1, 4), st.integers(0, 5), st.integers(1, 9))
def test_chunks_read_on_where_the_last_one_ended(d, m, first, rest):
    whole = draw_lanes(stream(3, "x"), CHUNK_MULTIPLE * first + rest, m, d)
    rng = stream(3, "x")
    parts = [draw_lanes(rng, count, m, d) for count in (CHUNK_MULTIPLE * first, rest)]
    assert (np.concatenate(parts) == whole).all()


def test_every_sign_is_fair():
    """False-alarm budget 1e-9: 65 means of 40,000 fair bits within 7 standard errors."""
    bits = unpack(draw_lanes(stream(5, "x"), 10_000, 4, 65), 65)
    error = 0.5 / np.sqrt(40_000)
    assert (np.abs(bits.mean(axis=(0, 1)) - 0.5) < 7 * error).all()
