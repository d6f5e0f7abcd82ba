"""Rows of heads and layers: each as if alone, and what a summary says of them."""

import io
import sys
import tracemalloc

import numpy as np
import pytest
from head_rows import RNG, one

from attention_separation import head


def test_the_first_token_of_few_rows_is_no_sink_of_all():
    scores = RNG(1).standard_normal((4, 40))
    scores[:2, 0] = 9
    assert len(head.measure(scores, 1)) == 4  # a warning would be an error
    scores[2, 0] = 9
    with pytest.warns(UserWarning, match="token 0"):
        head.measure(scores, 1)
    assert len(head.measure(scores, 0)) == 4


def test_heads_layers_masks_and_blocks_are_rows_one_by_one(monkeypatch):
    rng = RNG(4)
    layers = [rng.standard_normal((2, 3, 30, 90)).astype(np.float32) for _ in range(2)]
    target = rng.integers(-1, 90, (2, 2, 3, 30))
    mask = rng.random((30, 90)) < 0.8
    mask[:, 5] = True
    target = np.where(np.take_along_axis(mask[None, None, None], np.maximum(target, 0)[..., None], 4)[..., 0], target, -1)  # fmt: skip # noqa: E501
    target[target == 5] = -1
    given = {"fixed": [5], "n": 1000, "level": 0.3}
    whole = head.measure(layers, target, mask=mask, **given)
    assert len(whole) == (target >= 0).sum()
    monkeypatch.setattr("attention_separation.head.scores.BLOCK", 200)
    again = head.measure(np.stack(layers), target, mask=mask, **given)
    np.testing.assert_allclose(whole, again, rtol=1e-12)
    for _, row in whole.sample(12, random_state=0).iterrows():
        at = [int(row[name]) for name in ("sequence", "head", "query")]
        scores = np.where(mask[at[2]], layers[int(row["layer"])][tuple(at)], -np.inf)
        alone = one(scores, int(row["target"]), **given)
        names = [name for name in alone.index if name != "query"]
        np.testing.assert_allclose(row[names].to_numpy(float), alone[names].to_numpy(float))


def test_a_row_at_n_is_a_share_and_a_summary_counts_heads():
    scores = RNG(2).standard_normal((3, 4, 20, 600))
    scores[:, :, :, 7] += 6
    rows = head.measure(scores, 7, n=2000)
    shares = head.share(scores, 7, n=[100, 2000])
    np.testing.assert_array_equal(shares["share"][len(rows) :], rows["share_at_n"])
    of_heads = head.summary(rows)
    assert list(of_heads)[:2] == ["head", "held_out"]
    own = rows[rows["head"] == 2]
    of = of_heads.iloc[2]
    assert of["rows"] == len(own) == 60
    assert of["reach"] == own["reach"].median()
    assert of["found_at_n"] == (own["reach"] >= 2000).mean()
    assert [of["reach_q25"], of["reach_q75"]] == own["reach"].quantile([0.25, 0.75]).tolist()
    layers = head.summary(head.measure([scores[0], -scores[1]], 7))
    assert layers[["layer", "head"]].to_numpy().tolist() == [
        [x, y] for x in (0, 1) for y in range(4)
    ]
    assert 0 < of["held_out"] == own["held_out"].mean() <= 1


def test_few_others_have_no_columns_and_short_rows_no_interval():
    scores = RNG(6).standard_normal((2, 40))
    mask = np.ones((2, 40), bool)
    mask[0, 8:] = False
    found = head.measure(scores, 0, mask=mask)
    assert found["n"].tolist() == [8, 40]
    assert np.isnan(found.loc[0, "reach"])
    assert found.loc[1, "reach"] > 0
    assert found[["reach_low", "held_out"]].isna().to_numpy().all()
    # A kernel that cannot weigh a row that is too short says nothing of it.
    found = head.measure(np.abs(scores) * [[-1], [1]], 0, mask=mask, kernel="x")
    assert np.isnan(found["share"]).tolist() == [True, False]


def test_rows_without_a_reach_are_neither_found_nor_lost():
    """Under a causal mask the first rows are too short to be measured."""
    rng = np.random.default_rng(4)
    scores = np.where(np.tri(40, dtype=bool), rng.standard_normal((40, 40)), -np.inf)
    scores[3:, 2] = 9
    rows = head.measure(scores, np.where(np.arange(40) < 3, -1, 2), n=100, near=0)
    [found] = head.summary(rows).itertuples()
    assert rows["reach"].isna().sum() == 5
    assert (found.rows, found.found_at_n) == (32, 1.0)


class Tensor:
    """What a tensor of bfloat16 is to the package: it becomes an array of single precision, twice
    as large, when it is fetched."""

    def __init__(self, values):
        self.values = values
        self.shape = values.shape
        self.ndim = values.ndim

    def __getitem__(self, place):
        return Tensor(self.values[place])

    def detach(self):
        return self

    def is_floating_point(self):
        return True

    def float(self):
        return Tensor(self.values.astype(np.float32))

    def cpu(self):
        return self

    def numpy(self):
        return self.values


@pytest.mark.parametrize("kind", ["array", "layers", "tensors", "mask"])
def test_a_map_is_measured_with_half_of_its_memory_more(kind):
    """64 MiB of single precision, or half as much: without what was there before."""
    rng = RNG(1)
    shape = (4, 4, 256, 4096)
    dtype = np.float16 if kind == "tensors" else np.float32
    scores = np.empty(shape, dtype)
    scores[:] = rng.standard_normal(shape[1:])
    scores[..., 7] += 8
    maps = scores
    named = {}
    if kind == "layers":
        maps = list(scores)
    elif kind == "tensors":
        maps = [Tensor(layer) for layer in scores]
    elif kind == "mask":
        named = {"mask": np.tri(256, 4096, 3840, dtype=bool)}
    head.measure(scores[:1, :1, :8], 7)
    tracemalloc.start()
    table = head.measure(maps, 7, n=1e5, causal=None if named else True, **named)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(table) == 4 * 4 * 256
    assert most < 0.5 * scores.nbytes


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize("stream", [Terminal, io.StringIO])
def test_progress_stands_on_a_terminal_alone(stream, monkeypatch):
    monkeypatch.setattr("attention_separation.results.progress.LEAST_SECONDS", 0)
    monkeypatch.setattr(sys, "stderr", stream())
    head.measure(RNG(1).standard_normal((2, 3, 40, 300)), 7)
    lines = sys.stderr.getvalue().splitlines()
    if stream is Terminal:
        assert lines[-1].startswith("head: 240 of 240 rows")
    else:
        assert lines == []
