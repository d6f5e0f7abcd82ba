"""What a query sees: the rule of docs/head.md, for scores and for weights."""

import literal_sight as literal
import ml_dtypes
import numpy as np
import pytest
from head_rows import RNG, quietly
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import softmax

from attention_separation import head
from attention_separation.head.visibility import far_below, zero_runs

pytestmark = pytest.mark.filterwarnings("ignore:a window hides")
"""Said of windows, whoever says that there is one."""

N = 64
QUERIES = np.arange(N)
TARGET = 40
DTYPES = (np.float64, np.float32, np.float16, ml_dtypes.bfloat16)


def scored(kind, seed=1, least=10):
    """Scores of a head, which keys are visible, and a target for each query that sees it, and
    enough others."""
    rng = RNG(seed)
    is_visible = literal.visible(kind, N, rng)
    scores = rng.standard_normal((N, N))
    scores[:, TARGET] += 3
    has_target = is_visible[:, TARGET] & (is_visible.sum(1) >= least)
    return scores, is_visible, np.where(has_target, TARGET, -1)


def weights_of(scores, is_visible):
    """Softmax's, 0 for a query that sees nothing."""
    exponentials = np.where(is_visible, np.exp(scores), 0)
    return exponentials / np.maximum(exponentials.sum(-1, keepdims=True), 1e-300)


def assert_same(table, other):
    np.testing.assert_allclose(
        table.to_numpy(float), other[list(table)].to_numpy(float), rtol=1e-9, atol=1e-12
    )


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


# Weights that were rounded to 0.


@pytest.mark.parametrize("deviation", [3, 4, 6, 8])
def test_zeros_of_half_precision_are_seen_and_said(deviation):
    scores = deviation * RNG(deviation).standard_normal((100, 1024))
    scores[:, 300] += 8 + deviation
    weights = softmax(scores, axis=1).astype(np.float16)
    assert (weights == 0).mean() > 0.05
    table, [said] = quietly(head.measure, weights, 300, weights=True)
    assert set(table["n"]) == {1024}
    assert "read as seen, rounded to 0" in said
    assert "read as masked" not in said
    right = head.measure(scores, 300)
    np.testing.assert_allclose(table["reach"], right["reach"], rtol=0.02)


@pytest.mark.parametrize("deviation", [2, 4, 6])
def test_zeros_of_half_precision_in_a_window_are_seen_and_others_are_not(deviation):
    """Zeros of the window and of rounding in one row, the window on both sides."""
    scores = deviation * RNG(deviation).standard_normal((50, 1024))
    scores[:, 500] += 8 + deviation
    key = np.arange(1024)
    is_visible = (key >= 300) & (key < 700)
    weights = softmax(np.where(is_visible, scores, -np.inf), axis=1).astype(np.float16)
    # Zeros beside the edges are of the run, for all that a row shows.
    table, _ = quietly(head.measure, weights, 500, weights=True)
    short = 400 - table["n"]
    assert short.min() >= 0
    assert short.mean() < 10


def test_a_short_run_beside_a_long_one_is_whole_too():
    """Padding of 12 keys, a window of 112 and nothing behind it, in half precision."""
    scores = 2 * RNG(2).standard_normal((50, 1024))
    scores[:, 60] += 10
    key = np.arange(1024)
    is_visible = (key >= 12) & (key < 124)
    weights = weights_of(scores, is_visible).astype(np.float16)
    table, _ = quietly(head.measure, weights, 60, weights=True)
    assert np.abs(table["n"] - 112).max() <= 3


def test_a_window_at_whose_edge_weights_are_low_is_one():
    """A linear bias, to 1/50 of the largest at the edge, and a few weights near 0 anywhere."""
    rng = RNG(6)
    key = np.arange(1024)
    is_visible = key >= 700
    scores = 0.5 * rng.standard_normal((50, 1024)) - (1023 - key) * 4 / 324
    scores[:, 1000] += 5
    is_low = (rng.random((50, 1024)) < 0.08) & (key != 1000)
    low = rng.uniform(-17, -8, (50, 1024))
    weights = weights_of(np.where(is_low, low, scores), is_visible).astype(np.float16)
    assert ((weights > 0) & (weights < 2**-18)).any(axis=1).all()
    table, said = quietly(head.measure, weights, 1000, weights=True)
    assert (np.abs(table["n"] - 324) <= 3).all()
    assert "rounded to 0" in said[0]


@pytest.mark.parametrize(
    ("dtype", "slope"), [(np.float16, 0.25), (np.float16, 0.0625), (np.float32, 0.25)]
)
def test_zeros_that_a_linear_bias_makes_are_seen(dtype, slope):
    """Weights fall from the query on until they are rounded to 0: a long run, and no window."""
    rng = RNG(5)
    distance = np.arange(1024)[::-1]
    scores = rng.standard_normal((40, 1024)) - slope * distance
    weights = softmax(scores, axis=1).astype(dtype)
    assert (weights[:, :100] == 0).all()
    table, [said] = quietly(head.measure, weights, 1000, weights=True)
    assert set(table["n"]) == {1024}
    assert "rounded to 0" in said
    assert_same(table, head.measure(weights, 1000, weights=True, mask=np.ones((1, 1024), bool)))


def test_one_weight_of_0_is_seen_and_said():
    weights = np.full(64, 1 / 63)
    weights[20] = 0
    table, [said] = quietly(head.measure, weights, 5, weights=True)
    assert table["n"].tolist() == [64]
    assert "1 weight of 0 between others read as seen" in said


# An explicit mask decides alone.


def test_an_explicit_mask_decides_alone():
    scores, is_visible, target = scored("window")
    weights = softmax(np.where(is_visible, scores, -np.inf), axis=1)
    low = scores - 100 * ~is_visible
    everything = np.ones((N, N), bool)
    for values, is_weights in ((weights, True), (low, False)):
        table = head.measure(values, target, weights=is_weights, mask=everything)
        assert set(table["n"]) == {N}
    tagged = head.induction_targets(np.arange(N) % 7)
    assert set(head.measure(scores, tagged, mask=everything)["n"]) == {N}
    other = RNG(3).random((N, N)) < 0.7
    other[:, TARGET] = True
    table = head.measure(low, target, mask=other)
    assert table["n"].tolist() == other.sum(1)[target >= 0].tolist()


@pytest.mark.parametrize("nothing", [np.nan, np.inf, -np.inf, 1e300, -5.0])
@pytest.mark.parametrize("is_weights", [False, True])
def test_anything_may_stand_where_the_mask_is_false(nothing, is_weights):
    scores, is_visible, target = scored("window")
    weights = softmax(np.where(is_visible, scores, -np.inf), axis=1)
    values = weights if is_weights else scores
    right = head.measure(values, target, weights=is_weights, mask=is_visible)
    spoilt = np.where(is_visible, values, nothing)
    table = head.measure(spoilt, target, weights=is_weights, mask=is_visible)
    assert_same(table, right)


@pytest.mark.parametrize("how", [{}, {"causal": True}, {"causal": False}, {"mask": True}])
def test_no_number_is_refused_wherever_the_mask_is_not_false(how):
    scores, is_visible, target = scored("causal")
    named = {"mask": np.ones((N, N), bool)} if "mask" in how else how
    for nothing in (np.nan, np.inf):
        for values, is_weights in ((scores, False), (softmax(scores, axis=1), True)):
            spoilt = np.where(is_visible, values, nothing)
            with pytest.raises(ValueError, match=r"have (nan|inf) at query .*mask= is False"):
                head.measure(spoilt, target, weights=is_weights, **named)


def test_a_mask_of_layers_is_a_list_as_scores_are():
    scores = RNG(1).standard_normal((2, 3, N, N))
    mask = RNG(2).random((2, 3, N, N)) < 0.7
    mask[..., TARGET] = True
    right = head.measure(scores[:, None], TARGET, mask=mask[:, None])
    table = head.measure(list(scores[:, None]), TARGET, mask=list(mask[:, None]))
    assert_same(table, right)


def test_a_mask_of_0_and_1_is_one_and_others_are_refused():
    scores, is_visible, target = scored("window")
    right = head.measure(scores, target, mask=is_visible)
    assert_same(head.measure(scores, target, mask=is_visible.astype(int)), right)
    with pytest.raises(ValueError, match="mask has 2; allowed: true or false, or 0 and 1"):
        head.measure(scores, target, mask=np.full((N, N), 2))
    with pytest.raises(ValueError, match=r"mask has type float64.* mask == 0"):
        head.measure(scores, target, mask=np.where(is_visible, 0.0, -100.0))


# Later keys.


def test_targets_of_induction_say_that_the_model_is_causal():
    scores = RNG(1).standard_normal((2, N, N))
    targets = head.induction_targets(RNG(2).integers(0, 12, N))
    is_visible = np.tri(N, dtype=bool)
    right = head.measure(scores, np.asarray(targets), mask=is_visible)
    for tagged in (targets, targets[None]):
        table, [said] = quietly(head.measure, scores, tagged)
        assert_same(table, right)
        assert "the targets are of induction" in said
        assert "causal=" in said
        assert "--no-causal" in said
    assert_same(head.measure(scores, targets, causal=True), right)
    assert set(head.measure(scores, targets, causal=False)["n"]) == {N}
    assert set(head.measure(scores, np.asarray(targets))["n"]) == {N}


def test_targets_of_induction_outside_a_window_are_left_out_and_others_refused():
    scores, is_visible, _ = scored("window")
    targets = head.induction_targets(RNG(2).integers(0, 12, N))
    sees = is_visible[QUERIES, targets] & (targets >= 0)
    assert 0 < sees.sum() < (targets >= 0).sum()
    right = head.measure(scores, np.where(sees, targets, -1), mask=is_visible)
    low = np.where(is_visible, scores, -np.inf)
    for values, is_weights in ((low, False), (weights_of(scores, is_visible), True)):
        table, [said] = quietly(head.measure, values, targets, weights=is_weights)
        # Weights have lost what rounding does to scores.
        assert_same(table.drop(columns="share_bf16"), right)
        assert f"{(targets >= 0).sum() - sees.sum()} of {(targets >= 0).sum()} rows left" in said
        with pytest.raises(ValueError, match=r"target \d+ is masked at query"):
            quietly(head.measure, values, np.asarray(targets), weights=is_weights)


def test_the_last_queries_alone_see_what_they_saw_among_all():
    scores = RNG(1).standard_normal((N, N))
    targets = head.induction_targets(RNG(2).integers(0, 12, N))
    weights = softmax(np.where(np.tri(N, dtype=bool), scores, -np.inf), axis=1)
    for values, is_weights in ((scores, False), (weights, True)):
        whole = head.measure(values, targets, causal=True, weights=is_weights)
        part = head.measure(values[50:], targets[50:], causal=True, weights=is_weights)
        assert part["reach"].tolist() == whole["reach"][-len(part) :].tolist()
        assert part["n"].tolist() == whole["n"][-len(part) :].tolist()


def test_weights_above_the_diagonal_say_that_the_model_is_causal():
    scores, is_visible, target = scored("causal")
    weights = softmax(np.where(is_visible, scores, -np.inf), axis=1)
    table, [said] = quietly(head.measure, weights, target, weights=True)
    assert table["n"].tolist() == is_visible.sum(1)[target >= 0].tolist()
    assert "later keys in 23 of 24 rows (all weights there are 0)" in said
    assert_same(head.measure(weights, target, weights=True, causal=True), table)
    # Of a model that sees later keys, few rows have none of weight.
    whole = softmax(scores, axis=1)
    whole[60, 61:] = 0
    table, [said] = quietly(head.measure, whole, TARGET, weights=True)
    assert "later keys" not in said


def test_a_prefix_that_sees_all_of_itself_is_seen():
    query, key = np.ogrid[:N, :N]
    is_visible = (key <= query) | ((key < 20) & (query < 20))
    weights = weights_of(RNG(1).standard_normal((N, N)), is_visible)
    table, _ = quietly(head.measure, weights, 3, weights=True, mask=None)
    assert table["n"].tolist() == is_visible.sum(1).tolist()


def test_later_keys_that_have_weight_are_not_masked_by_targets_of_induction():
    weights = softmax(RNG(1).standard_normal((N, N)), axis=1)
    targets = head.induction_targets(RNG(2).integers(0, 12, N))
    assert set(head.measure(weights, targets, weights=True)["n"]) == {N}
    with pytest.raises(ValueError, match=r"causal=True, but weights have .* which is later"):
        head.measure(weights, targets, weights=True, causal=True)


def test_causal_is_true_false_or_none():
    with pytest.raises(ValueError, match="causal='yes'; allowed: True, False, or None"):
        head.measure(RNG(1).standard_normal((N, N)), 0, causal="yes")


def test_weight_that_a_mask_hides_is_of_no_sink():
    weights = softmax(RNG(1).standard_normal((4, N)), axis=1)
    mask = np.arange(N) % 3 > 0
    table = head.measure(weights, 4, weights=True, mask=mask)
    own = weights[:, mask] / weights[:, mask].sum(1, keepdims=True)
    assert table["sink"].tolist() == [0] * 4
    np.testing.assert_allclose(table["n_squares"], 1 / (own**2).sum(1))


def test_a_mask_and_causal_mask_together():
    scores, is_visible, target = scored("padding at the left")
    mask = np.arange(N) >= N // 8
    assert_same(
        head.measure(scores, target, mask=mask, causal=True),
        head.measure(scores, target, mask=is_visible),
    )


# A tokenizer's mask.


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("dtype", [np.int64, bool])
@pytest.mark.parametrize("is_weights", [False, True])
def test_a_mask_of_padding_is_one_of_each_sequence(side, dtype, is_weights):
    rng = RNG(4)
    sequences, heads = 3, 2
    lengths = np.array([N, 50, 33])
    is_token = np.arange(N) < lengths[:, None]
    if side == "left":
        is_token = is_token[:, ::-1]
    is_visible = np.tri(N, dtype=bool) & is_token[:, None, None]
    scores = rng.standard_normal((2, sequences, heads, N, N))
    tokens = rng.integers(1, 9, (sequences, N)) * is_token
    target = head.induction_targets(tokens)[:, None]
    explicit = np.broadcast_to(is_visible & is_token[:, None, :, None], scores.shape)
    values = scores
    if is_weights:
        # Models give queries of padding some row: all keys alike.
        low = np.where(explicit, scores, np.finfo(np.float64).min)
        values = softmax(low, axis=-1)
    right = head.measure(values, np.asarray(target), weights=is_weights, mask=explicit)
    for layers in (values, list(values)):
        table, _ = quietly(
            head.measure, layers, target, weights=is_weights, mask=is_token.astype(dtype)
        )
        assert_same(table, right)


def test_a_mask_of_padding_of_one_sequence():
    _, is_visible, _ = scored("causal")
    scores = RNG(5).standard_normal((N, N))
    is_token = np.arange(N) >= 8
    targets = head.induction_targets(RNG(3).integers(0, 5, N) * is_token)
    right = head.measure(
        scores, np.asarray(targets), mask=is_visible & is_token & is_token[:, None]
    )
    for mask in (is_token.astype(int), is_token.astype(int)[None]):
        table, _ = quietly(head.measure, scores, targets, mask=mask)
        assert_same(table, right)
        table, _ = quietly(head.measure, scores[None, None], targets, mask=mask)
        assert_same(table[right.columns], right)


@pytest.mark.parametrize("side", ["left", "right"])
def test_queries_of_padding_are_left_out(side):
    is_token = np.ones((2, N), int)
    is_token[1, : N // 4] = 0
    if side == "right":
        is_token = is_token[:, ::-1]
    scores = RNG(1).standard_normal((2, 3, N, N))
    table = head.measure(scores, 30, mask=is_token)
    assert len(table) == 3 * is_token.sum()
    assert set(table["n"]) == {N, N - N // 4}
    # The queries of a part, or of another sequence, are none of these keys.
    assert len(head.measure(scores[:, :, :10], 30, mask=is_token)) == 2 * 3 * 10


def test_a_mask_that_could_be_read_in_two_ways_is_refused():
    scores = RNG(1).standard_normal((20, 2, 20, 40))
    for dtype in (int, bool):
        with pytest.raises(ValueError, match=r"\(sequences, keys\) or \(queries, keys\)"):
            head.measure(scores, 3, mask=np.ones((20, 40), dtype))
    for mask in (np.ones((20, 1, 1, 40), bool), np.ones((1, 1, 20, 40), bool)):
        assert len(head.measure(scores, 3, mask=mask)) == 800


# What looks like a mask and is none, and what is said.


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


# What a model gives.


@pytest.mark.parametrize("attentions", [(), (None, None), ((), ()), [(), ()], (None,)])
def test_attentions_that_are_not_there_say_what_to_do(attentions):
    with pytest.raises(ValueError, match='attn_implementation="eager"'):
        head.measure(attentions, 1, weights=True)


def causal_layers(windows):
    """Weights of layers of two sequences and three heads."""
    query, key = np.ogrid[:N, :N]
    scores = RNG(7).standard_normal((len(windows), 2, 3, N, N))
    is_visible = np.array([(key <= query) & (key > query - window) for window in windows])
    return weights_of(scores, is_visible[:, None, None])


@pytest.mark.parametrize("windows", [(N, N), (16, 16), (N, 16), (16, N)])
@pytest.mark.parametrize("cache", ["growing", "static", "static and longer"])
def test_the_steps_of_a_model_that_generates_are_one_map(windows, cache):
    layers = causal_layers(windows)
    spare = 10 * (cache == "static and longer")
    longer = np.pad(layers, [(0, 0)] * 4 + [(0, spare)])
    steps = []
    for begin, end in [(0, 40), *[(query, query + 1) for query in range(40, N)]]:
        step = []
        for layer, window in zip(longer, windows, strict=True):
            first = max(0, end - window) if begin else 0
            keys = slice(first, end) if cache == "growing" else slice(None)
            step.append(layer[:, :, begin:end, keys])
        steps.append(tuple(step))
    targets = np.where(QUERIES >= 20, QUERIES - 3, -1)
    for causal in (None, True):
        named = {"weights": True, "causal": causal}
        right, _ = quietly(head.measure, list(layers), targets, **named)
        for attentions in (tuple(steps), [list(step) for step in steps]):
            table, _ = quietly(head.measure, attentions, targets, **named)
            assert_same(table, right)
    if windows == (N, N):  # with no window what is later is all that scores may show
        scores = [[np.log(np.maximum(layer, 1e-9)) for layer in step] for step in steps]
        unmasked = [np.log(np.maximum(layer, 1e-9)) for layer in layers]
        table = head.measure(scores, targets, causal=True)
        assert_same(table, head.measure(unmasked, targets, causal=True))


def test_steps_over_another_sequence_have_all_its_keys():
    weights = softmax(RNG(3).standard_normal((4, 1, 2, 30, 20)), axis=-1)
    steps = [[layer[:, :, query : query + 1] for layer in weights] for query in range(30)]
    assert_same(head.measure(steps, 5, weights=True), head.measure(list(weights), 5, weights=True))


@pytest.mark.parametrize(
    ("shapes", "words"),
    [
        ([[(1, 2, 5, 5), (1, 2, 5, 5)], [(1, 2, 1, 6)]], r"steps have \[1, 2\] layers"),
        ([[(2, 2, 5, 5)], [(4, 2, 1, 6)]], "steps have shapes .*one batch"),
        ([[(1, 2, 5, 5)], [(1, 2, 1, 9)]], "steps have shapes .*those so far"),
        ([[(1, 2, 5, 7)], [(1, 2, 1, 9)]], "steps have shapes .*one pass of the model"),
    ],
)
def test_steps_that_do_not_belong_together_are_refused(shapes, words):
    steps = [[np.full(shape, 1 / shape[-1]) for shape in step] for step in shapes]
    with pytest.raises(ValueError, match=words):
        head.measure(steps, 1, weights=True)


def test_layers_of_several_shapes_say_what_to_do():
    ragged = [np.full((1, 2, 1, keys), 1 / keys) for keys in (20, 20, 21, 21)]
    with pytest.raises(ValueError, match=r"layers have shapes .*one pass of the model"):
        head.measure(ragged, 1, weights=True)


# A sink that is no token.


def test_weights_that_are_short_of_1_have_a_sink_and_it_is_said():
    scores = RNG(1).standard_normal((4, 100))
    scores[:, 7] += 3
    sink = np.full((4, 1), 2.0)
    weights = softmax(np.hstack([scores, sink]), axis=1)[:, :-1]
    table, [said] = quietly(head.measure, weights, 7, weights=True, n=500)
    assert "sum to less than 0.98 in 4 of 4 rows" in said
    ours = head.measure(scores, 7, sinks=sink[:, 0], n=500)
    assert_same(ours.drop(columns="share_bf16"), table.drop(columns="share_bf16"))
    key = head.measure(np.hstack([scores, sink]), 7, fixed=[100], n=501)
    np.testing.assert_allclose(ours["sink"], key["sink"])
    np.testing.assert_allclose(ours["reach"], np.maximum(key["reach"] - 1, 0))
    np.testing.assert_allclose(ours["share_at_n"], key["share_at_n"])
    np.testing.assert_allclose(ours["temperature"], key["temperature"])


def test_sinks_of_layers_and_what_is_refused_of_them():
    scores = RNG(1).standard_normal((2, 3, 4, 5, 40))
    logits = RNG(2).standard_normal((2, 4))
    whole = head.measure(scores, 7, sinks=logits[:, None, :, None])
    parts = [np.broadcast_to(layer[None, :, None], (3, 4, 5)) for layer in logits]
    assert_same(head.measure(list(scores), 7, sinks=parts), whole)
    row = whole[(whole["layer"] == 1) & (whole["head"] == 2)].iloc[0]
    alone = scores[1, int(row["sequence"]), 2, int(row["query"])]
    assert row["sink"] == pytest.approx(softmax(np.r_[alone, logits[1, 2]])[-1])
    for named, words in (
        ({"sinks": np.nan}, "sinks have nan"),
        ({"sinks": np.zeros(7)}, r"sinks has shape \(7,\)"),
        ({"sinks": 0.0, "kernel": "x**4"}, "sinks with kernel="),
        ({"sinks": 0.0, "weights": True}, "sinks with weights=True"),
    ):
        with pytest.raises(ValueError, match=words):
            head.measure(scores, 7, **named)


# Types of scores.


def test_whole_numbers_are_scores_and_truths_are_not():
    scores = RNG(1).integers(-20, 20, (4, N))
    for dtype in (np.int8, np.int64):
        assert_same(head.measure(scores.astype(dtype), 3), head.measure(scores * 1.0, 3))
    unsigned = (scores + 20).astype(np.uint8)
    assert_same(head.measure(unsigned, 3), head.measure(unsigned * 1.0, 3))
    one_hot = np.zeros((1, N), int)
    one_hot[0, 3] = 1
    assert head.measure(one_hot, 3, weights=True, mask=np.ones((1, N), bool))["share"][0] == 1
    with pytest.raises(ValueError, match=r"scores has type bool: .*real numbers; .*mask="):
        head.measure(scores > 0, 3)


def test_an_array_that_hides_numbers_is_refused():
    scores = np.ma.masked_less(RNG(1).standard_normal((4, N)), 0)
    with pytest.raises(ValueError, match=r"scores is a masked array.*mask=~array.mask"):
        head.measure(scores, 3)
