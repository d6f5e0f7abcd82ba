"""Random streams from names."""

from attention_separation.statistics.seeding import BLOCK_TRIALS, BlockStreams, blocks, stream


def first(*names, seed=1):
    return stream(seed, *names).integers(0, 2**63)


def test_a_stream_depends_on_its_name_alone():
    assert first("a", "b") == first("a", "b")
    values = {
        first("a", "b"),
        first("b", "a"),
        first("ab"),
        first("a", "b", seed=2),
        first("a", "b", ""),
    }
    assert len(values) == 5


def test_generators_start_afresh_and_differ_by_kind_point_and_block():
    one = BlockStreams(1, "fig4a", "n=200", 0)
    assert one.generator("signs").random() == one.generator("signs").random()
    others = [
        one.generator("places"),
        BlockStreams(1, "fig4a", "n=200", 1).generator("signs"),
        BlockStreams(1, "fig4a", "n=210", 0).generator("signs"),
        BlockStreams(1, "fig5a", "n=200", 0).generator("signs"),
    ]
    values = [one.generator("signs").random(), *(rng.random() for rng in others)]
    assert len(set(values)) == len(values)


def test_seeds_have_128_bits():
    entropies = [stream(0, str(k)).bit_generator.seed_seq.entropy for k in range(64)]
    assert max(entropies).bit_length() > 120
    assert all(entropy < 2**128 for entropy in entropies)


def test_blocks_cover_the_trials_and_a_shorter_run_is_a_prefix():
    assert blocks(100) == [(0, 100)]
    assert blocks(2 * BLOCK_TRIALS) == [(0, BLOCK_TRIALS), (1, BLOCK_TRIALS)]
    assert blocks(2 * BLOCK_TRIALS + 7)[-1] == (2, 7)
    assert sum(size for _, size in blocks(123_456)) == 123_456
