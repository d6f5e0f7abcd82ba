"""Signs as bits: layout, packing, prefixes and counting."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from making import contest

from attention_separation.softmax_vs_linear.models.contest import PAPERS, Network
from attention_separation.softmax_vs_linear.simulation.signs import (
    CHUNK_MULTIPLE,
    bit_at,
    bits_at,
    draw_lanes,
    lane_bits,
    lanes_per_column,
    pluses,
    sign_matrix,
    stream_name,
    stream_names,
    unpack,
)
from attention_separation.statistics.seeding import stream

SIZES = [1, 2, 15, 16, 17, 31, 32, 33, 63, 64, 65, 128, 130]


@pytest.mark.parametrize(
    ("d", "bits", "lanes"), [(12, 16, 1), (22, 32, 1), (64, 64, 1), (66, 64, 2)]
)
def test_lanes_are_as_narrow_as_a_column_allows(d, bits, lanes):
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


@given(st.sampled_from(SIZES), st.integers(1, 4), st.integers(1, 20), st.integers(1, 20))
def test_a_shorter_run_is_a_prefix(d, m, short, more):
    long = draw_lanes(stream(4, "x"), short + more, m, d)
    assert (draw_lanes(stream(4, "x"), short, m, d) == long[:short]).all()


def test_every_sign_is_fair():
    """False-alarm budget 1e-9: 65 means of 40,000 fair bits within 7 standard errors."""
    bits = unpack(draw_lanes(stream(5, "x"), 10_000, 4, 65), 65)
    error = 0.5 / np.sqrt(40_000)
    assert (np.abs(bits.mean(axis=(0, 1)) - 0.5) < 7 * error).all()


def test_networks_share_or_do_not_share_their_signs():
    assert stream_names("shared", PAPERS) == ["signs"]
    assert len(stream_names("fresh", PAPERS)) == 4
    assert len(stream_names("fresh", contest("exp", "cosh", "uniform"))) == 6
    for of in (PAPERS, contest("linear"), contest("exp", "linear", "cosh")):
        for network in of.networks:
            assert stream_name("shared", network) == "signs"
            assert stream_name("fresh", network) in stream_names("fresh", of)
    assert stream_name("fresh", Network("linear", 1)) == "signs lin D1"
    assert stream_name("fresh", Network("uniform", 0)) == "signs none D0"
