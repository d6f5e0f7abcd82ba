"""What values alone say is masked, by docs/head.md: scores far below all, runs of weights of 0."""

import literal_sight as literal
import ml_dtypes
import numpy as np
import pytest
from head_rows import RNG, quietly
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import softmax
from seen_keys import N, assert_same, scored, weights_of

from attention_separation import head
from attention_separation.head.visibility import far_below, zero_runs

pytestmark = pytest.mark.filterwarnings("ignore:a window hides")
"""Said of windows, whoever says that there is one."""

DTYPES = (np.float64, np.float32, np.float16, ml_dtypes.bfloat16)


@pytest.mark.parametrize("way", literal.WAYS)
@pytest.mark.parametrize("kind", literal.KINDS)
def test_masked_scores_are_what_a_mask_says(kind, way):
    scores, is_visible, target = scored(kind)
    masked = literal.masked_scores(scores, is_visible, way, RNG(2))
    table, said = quietly(head.measure, masked, target, n=100)
    # The least number of single precision leaves no more of others.
    seen = scores.astype(np.float32) if way == "least number added" else scores
    right, silence = quietly(head.measure, seen, target, n=100, mask=is_visible)
    assert table["n"].tolist() == is_visible.sum(1)[target >= 0].tolist()
    assert_same(table, right)
    assert len(silence) == (kind == "window")
    assert all("a window hides" in sentence for sentence in silence)
    is_guessed = way != "-inf"
    assert len(said) == (is_guessed or kind == "window")
    if is_guessed:
        assert "50 or more below" in said[0]
        assert "mask=" in said[0]


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda dtype: np.dtype(dtype).name)
@pytest.mark.parametrize("kind", literal.KINDS)
def test_masked_scores_of_every_precision(kind, dtype):
    scores, is_visible, target = scored(kind)
    rounded = scores.astype(dtype).astype(np.float64)
    added = (scores - 100 * ~is_visible).astype(dtype).astype(np.float64)
    if dtype is not ml_dtypes.bfloat16:
        added = added.astype(dtype)
    table, _ = quietly(head.measure, added, target)
    assert_same(table, head.measure(rounded, target, mask=is_visible))


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
@pytest.mark.parametrize("kind", literal.KINDS[:-1])
def test_weights_of_0_in_runs_are_what_a_mask_says(kind, dtype):
    scores, is_visible, target = scored(kind)
    weights = weights_of(scores, is_visible).astype(dtype)
    table, said = quietly(head.measure, weights, target, n=100, weights=True)
    right = head.measure(weights, target, n=100, weights=True, mask=is_visible)
    assert_same(table, right)
    assert len(said) == 1
    assert "mask= says" in said[0]


def test_a_window_of_a_causal_map_of_1024_tokens():
    rng = RNG(3)
    query, key = np.ogrid[:1024, :1024]
    is_visible = (key <= query) & (key > query - 128)
    scores = rng.standard_normal((1024, 1024))
    scores[:, 500] += 4
    target = np.where(is_visible[:, 500] & (np.arange(1024) % 8 == 0), 500, -1)
    weights = softmax(np.where(is_visible, scores, -np.inf), axis=1).astype(np.float32)
    table, _ = quietly(head.measure, weights, target, weights=True)
    assert set(table["n"]) == {128}
    right = head.measure(scores, target, mask=is_visible)
    np.testing.assert_allclose(table["reach"], right["reach"], rtol=1e-5)


def row_of_64():
    scores = RNG(0).standard_normal(64)
    scores[60] += 5
    return scores


def test_known_numbers_of_a_window_of_16():
    scores = row_of_64()
    weights = np.r_[np.zeros(48), softmax(scores[48:])]
    constant = np.r_[np.full(48, -100.0), scores[48:]]
    added = scores - 100.0 * (np.arange(64) < 48)
    for values, is_weights in ((weights, True), (constant, False), (added, False)):
        table, said = quietly(head.measure, values, 60, weights=is_weights)
        assert table["n"].tolist() == [16]
        assert table["reach"][0] == pytest.approx(53.949, abs=1e-3)
        assert len(said) == 1


DEPTHS = (0, 0.5, 1, 25, 49.5, 50, 50.5, 51, 99, 100, 100.5, 150, 200)


@given(st.lists(st.tuples(st.sampled_from(DEPTHS), st.booleans()), min_size=1, max_size=12))
def test_scores_far_below_are_literally_those(keys):
    scores = np.array([[-depth for depth, _ in keys]], float)
    is_seen = np.array([[seen for _, seen in keys]])
    masked = far_below(scores, is_seen)
    assert masked[is_seen].tolist() == literal.far_below(scores[is_seen])
    assert not masked[~is_seen].any()


@given(st.lists(st.sampled_from([0.0, 0.25, 0.5]), min_size=1, max_size=20))
def test_runs_of_zeros_are_literally_those(weights):
    array = np.array([weights])
    is_seen = np.ones(array.shape, bool)
    for target in (0, len(weights) - 1):
        masked = zero_runs(array, is_seen, np.array([target]))[0].tolist()
        assert masked == literal.zero_runs(weights, target)


def test_scores_that_fall_by_steps_below_50_are_all_seen():
    """A linear bias, as far as it goes: no gap, no mask."""
    scores = RNG(1).standard_normal(200) - 7.0 * np.arange(200)[::-1]
    scores[190] += 30
    assert head.measure(scores, 190)["n"].tolist() == [200]


@pytest.mark.parametrize("constant", [-1e4, 1e4, -1e6])
def test_a_constant_added_masks_nothing(constant):
    scores = row_of_64()
    moved = head.measure(scores + constant, 60)
    np.testing.assert_allclose(moved["reach"], head.measure(scores, 60)["reach"], rtol=1e-6)


def test_rows_of_one_least_number_see_nothing():
    scores = RNG(1).standard_normal((3, N))
    scores[1] = np.finfo(np.float32).min
    table, said = quietly(head.measure, scores, 5)
    assert table["query"].tolist() == [0, 2]
    assert "1 of 3 rows" in said[0]


def test_a_peak_50_above_all_others_is_refused_without_a_mask_and_measured_with_one():
    scores = RNG(1).standard_normal(N)
    scores[9] = 60
    with pytest.raises(ValueError, match=r"every row has fewer.*50 or more below.*mask="):
        head.measure(scores, 9)
    table = head.measure(scores, 9, mask=np.ones(N, bool))
    w = np.exp(np.delete(scores, 9) - 60).mean()
    assert table["reach"][0] == pytest.approx(1 + 1 / w)
    with pytest.raises(ValueError, match=r"target 4 is masked at query 0.*50 or more below.*mask="):
        head.measure(scores, 4)
    weights = np.zeros(N)
    weights[9] = 1
    with pytest.raises(ValueError, match=r"every row has fewer.*weights of 0 in whole runs.*mask="):
        head.measure(weights, 9, weights=True)


def test_what_was_guessed_is_said_once(capsys):
    from matplotlib import pyplot

    scores = row_of_64() - 100.0 * (np.arange(64) < 48)
    maps = np.broadcast_to(scores, (2, 3, 1, 64))
    for call in (
        lambda: head.measure(maps, 60, n=100),
        lambda: head.share(maps, 60, [20, 50, 100]),
        lambda: head.plot(maps, 60),
        lambda: head.counting(maps, 60, [1, 2]),
    ):
        _, said = quietly(call)
        assert [sentence for sentence in said if "6 of 6 rows" in sentence] == said
        assert len(said) == 1
    pyplot.close("all")


def test_a_warning_stands_where_the_call_does():
    scores = row_of_64() - 100.0 * (np.arange(64) < 48)
    for call in (head.measure, head.plot, lambda *given: head.share(*given, n=[50])):
        with pytest.warns(UserWarning, match="50 or more") as warned:
            call(scores, 60)
        assert warned[0].filename == __file__
