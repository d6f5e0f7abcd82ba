"""What is recorded along training: the share of the outputs that depends on the points. It falls
first, and comes back or does not."""

import pyarrow.parquet as pq
import pytest
import torch
from training_jobs import small, train_small

from attention_separation.studies.head_rank.training.train_cell import Transformers
from attention_separation.studies.head_rank.training.transformer import (
    embed_parameters,
    share_and_norm,
    transformer,
)

WIDE = {
    "d": 8, "n": 4, "layers": 3, "width": 3, "heads": 4, "feed_forward": 1024, "batch": 32,
    "steps": 600, "warm_up": 0.25, "shares": True,
}  # fmt: skip


def last_layer(steps, **changes):
    """Of three runs: the shares after the last layer, by step, and the norms at the last one."""
    ensemble = Transformers(small(**WIDE, **changes))
    for step in range(steps + 1):
        ensemble.advance(ensemble.batch(step))
    recorded = [step for step in range(steps + 1) if ensemble.job.has_shares(step)]
    layers = [layers[-1] for layers in ensemble.history["shares"]]
    return dict(zip(recorded, (of[0] for of in layers), strict=True)), layers[-1][1]


def test_the_share_falls_and_comes_back_without_an_encoding():
    shares, norms = last_layer(100)
    assert min(shares[0]) > 0.5
    assert max(min(share[run] for share in shares.values()) for run in range(3)) < 1e-3
    assert min(shares[100]) > 0.5
    assert norms == pytest.approx([0.675] * 3, abs=0.01)


def test_from_the_published_additive_encoding_it_is_not_back_when_the_norm_has_fallen_as_far():
    shares, norms = last_layer(100, encoding="additive")
    assert max(shares[100]) < 1e-4
    assert norms == pytest.approx([0.675] * 3, abs=0.01)


def test_shares_and_norms_of_streams_with_known_ones():
    x = torch.randn(2, 5, 3, 400, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    constant = torch.ones(2, 5, 3, 1, dtype=torch.float64)
    share, norm = share_and_norm(constant.expand(-1, -1, -1, 400))
    assert torch.equal(share, torch.zeros(2, dtype=torch.float64))
    assert torch.allclose(norm, torch.full((2,), 5**0.5, dtype=torch.float64))
    moved = x - x.mean(3, keepdim=True)
    # Three parts in four of the mean square are constant.
    size = moved.square().mean((1, 2, 3), keepdim=True)
    share, _ = share_and_norm(moved + (3 * size).sqrt() * constant)
    assert torch.allclose(share, torch.full((2,), 0.25, dtype=torch.float64))


def test_recorded_shares_are_rows_of_the_table_and_survive_a_stop(tmp_path):
    train_small(tmp_path / "a.parquet", shares=True)
    row = pq.read_table(tmp_path / "a.parquet").to_pylist()[0]
    assert row["share_step"][:42:2] == [*range(21)]
    assert row["share_step"][-2:] == [190, 190]
    assert row["share_layer"][:2] == [1, 2]
    ensemble = Transformers(small(shares=True))
    for step in range(60):
        ensemble.advance(ensemble.batch(step))
    other = Transformers(small(shares=True))
    other.restore(ensemble.saved())
    other.train()
    assert other.table().to_pylist()[0]["share"] == row["share"]
    without = Transformers(small())
    without.train()
    assert without.table().to_pylist()[0] | {name: row[name] for name in SHARES} == row


SHARES = ("share_step", "share_layer", "share", "stream_norm")


def test_an_embedded_network_does_what_it_did():
    before = Transformers(small(), dtype=torch.float64)
    after = Transformers(small(encoding="concatenated", d_e=4, heads=4), dtype=torch.float64)
    x = before._tensor(before.batches(0)).double()
    with torch.no_grad():
        for tensor in after.tensors:
            tensor.zero_()
        embed_parameters(before.tensors, after.tensors)
        assert torch.allclose(
            transformer(before.job, before.tensors, x), transformer(after.job, after.tensors, x)
        )


def test_a_warm_start_begins_with_a_trained_network():
    job = small(encoding="concatenated", d_e=4, heads=4, warm_start=100)
    ensemble = Transformers(job)
    encoding = ensemble.tensors[0].detach().clone()
    ensemble.advance(ensemble.batch(0))
    before = Transformers(job.before_warm_start())
    before.train()
    # One step of Adam moves no number further than the rate of the first step.
    moved = ensemble.tensors[-5][:, :, :4] - before.tensors[-5]
    assert moved.abs().max() <= 1.01 * job.lr / 20
    assert (ensemble.tensors[0] - encoding / 5).abs().max() <= 1.01 * job.lr / 20


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"batches": 10}, "batches is 10 with regime: fresh; allowed: a divisor of 100"),
        ({"batches": 30, "regime": "repeated"}, "batches is 30 with regime: repeated"),
        ({"warm_start": 5}, "warm_start is 5 with encoding: none; allowed: steps with concat"),
    ],
)
def test_what_cannot_be_asked_for(changes, said):
    with pytest.raises(ValueError, match=said):
        small(**changes)
