"""What is not known is NaN, in rows, in summaries, in pictures and in words: never a verdict."""

import numpy as np
import pandas as pd
import pytest
from head_rows import RNG, one, quietly, row_a
from matplotlib import pyplot
from scipy.special import softmax

from attention_separation import head
from attention_separation.head.measuring import trust

EVERYTHING = np.ones(1024, bool)
KNOWN = ["share", "n", "reach", "share_at_n", "temperature", "coldest", "louder"]


def sharp_rows(rows, sharp):
    """Weights in half precision of a head, in the first rows of which all of the rest is 0."""
    scores = RNG(1).standard_normal((rows, 1024))
    scores[:, 300] += 8
    scores[:sharp, 300] += 40
    return scores, softmax(scores, axis=1).astype(np.float16)


def test_a_row_whose_rest_was_rounded_to_0_has_no_check_and_every_temperature():
    table = one(np.r_[1.0, np.zeros(1023)], 0, weights=True, n=5000, mask=EVERYTHING)
    assert table[KNOWN].tolist() == [1, 1024, np.inf, 1, np.inf, 0, 0]
    unknown = ["held_out", "drift", "reach_low", "reach_high", "n_rest", "n_rest_at_t", "mu"]
    assert table[unknown].isna().all()
    assert table["ssmax_s"] == 0


def test_rows_without_a_check_do_not_count_in_the_mean_of_checks():
    scores, weights = sharp_rows(100, 40)
    mask = np.ones((1, 1024), bool)
    rows = head.measure(weights, 300, weights=True, n=5000, mask=mask)
    assert rows["held_out"][:40].isna().all()
    assert rows["drift"][:40].isna().all()
    others = head.measure(scores[40:], 300, n=5000)
    assert rows["held_out"][40:].tolist() == others["held_out"].tolist()
    [summary] = head.summary(rows).itertuples()
    assert summary.held_out == others["held_out"].mean() > 0.85
    assert summary.rows == 100
    np.testing.assert_allclose(rows["temperature"][40:], others["temperature"], rtol=0.01)
    assert (rows["temperature"][:40] == np.inf).all()


def test_a_check_that_rests_on_0_is_not_known():
    """The first eighth, or all but it, was rounded to 0."""
    for is_known, zero in ((False, slice(0, 128)), (True, slice(128, 1024))):
        weights = np.full(1024, 1e-4)
        weights[zero] = 0
        weights[300] = 0
        weights[300] = 1 - weights.sum()
        table = one(weights, 300, weights=True, n=5000, mask=EVERYTHING)
        assert np.isnan(table["held_out"]) == (not is_known)
        assert np.isnan(table["drift"]) == (not is_known)
        assert np.isfinite(table["reach"])


@pytest.mark.parametrize("gap", [40, 700, 720, 745, 800, 5000])
def test_a_far_peak_is_measured_as_exactly_as_a_near_one(gap):
    """What no float64 holds is inf; all that does not hang on the peak is as with any."""
    scores = row_a()
    scores[300] = 9.0
    mask = EVERYTHING
    near = one(scores, 300, mask=mask, n=1e5)
    scores[300] = gap
    far = one(scores, 300, mask=mask, n=1e5)
    same = ["n_rest", "drift", "held_out", "louder", "coldest"]
    np.testing.assert_allclose(far[same].tolist(), near[same].tolist(), rtol=1e-9)
    with np.errstate(over="ignore"):
        larger = np.exp(gap - 9.0)
    assert far["reach"] == pytest.approx(1 + (near["reach"] - 1) * larger, rel=1e-9)
    assert far["share"] == pytest.approx(1)
    at_t = one(scores / far["temperature"], 300, mask=mask, n=1e5)
    assert at_t["share_at_n"] == pytest.approx(0.5, abs=1e-9)


def test_temperature_of_few_tokens_keeps_the_level_whatever_it_is():
    """N below what softmax shares at any temperature: every T does."""
    table = one(row_a(), 300, n=2)
    assert table["temperature"] == np.inf
    assert table["ssmax_s"] == 0
    assert table["n_rest_at_t"] == pytest.approx(1023)


def test_ssmax_has_no_s_where_no_temperature_does():
    scores = 2 * RNG(5).standard_normal(2048)
    scores[[0, 77]] = 9, 6
    table = one(scores, 77, fixed=[0], n=300)
    assert table[["temperature", "coldest"]].tolist() == [0, 0]
    assert table[["ssmax_s", "n_rest_at_t"]].isna().all()


def test_a_target_of_weight_0_has_no_share_at_any_temperature():
    weights = np.r_[np.full(600, 1 / 600), 0.0]
    weights = np.insert(weights, 300, 0.0)
    table, [said] = quietly(one, weights, 300, weights=True, n=900)
    assert "1 weight of 0" in said
    assert table[["share", "reach", "share_at_n", "temperature"]].tolist() == [0, 1, 0, 0]
    assert table["share_bf16"] == 0
    assert table["louder"] == 600
    assert table["held_out"] == 1  # of the rest, which the target has no part in
    sunk = one(weights, 300, weights=True, n=900, fixed=[5], mask=weights >= 0)
    assert sunk["reach"] == 0
    assert sunk["sink"] == pytest.approx(1 / 600)


def test_rows_of_no_weight_are_left_out():
    weights = softmax(RNG(1).standard_normal((3, 64)), axis=1)
    weights[1] = 0
    for mask in (None, np.ones((3, 64), bool)):
        table, said = quietly(head.measure, weights, 5, weights=True, mask=mask)
        assert table["query"].tolist() == [0, 2]
        assert not any("no token" in sentence for sentence in said)


def test_quartiles_of_reaches_that_have_no_end():
    rows = pd.DataFrame({"reach": [3.0, 4, np.inf, np.inf, np.nan], "share": 0.5, "held_out": 1.0})
    [summary] = head.summary(rows).itertuples()
    assert [summary.reach_q25, summary.reach, summary.reach_q75] == [3.75, np.inf, np.inf]
    ordinary = pd.DataFrame({"reach": RNG(1).random(11), "share": 0.5, "held_out": 1.0})
    [summary] = head.summary(ordinary).itertuples()
    assert summary.reach_q25 == pytest.approx(ordinary["reach"].quantile(0.25))
    assert summary.reach_q75 == pytest.approx(ordinary["reach"].quantile(0.75))


@pytest.mark.parametrize(
    ("reaches", "quartiles"),
    [
        ([0.0, 100], [0, 0, 0]),
        ([0.0, 0, 100, 200], [0, 0, 125]),
        ([0.0, 100, 200, 300, 400], [100, 200, 300]),
        ([0.0, np.inf], [0, 0, 0]),
    ],
)
def test_a_reach_of_0_is_no_number_between_others(reaches, quartiles):
    rows = pd.DataFrame({"reach": [*reaches, np.nan], "share": 0.5, "held_out": 1.0})
    [summary] = head.summary(rows).itertuples()
    assert [summary.reach_q25, summary.reach, summary.reach_q75] == quartiles
    assert summary.below == np.mean(np.array(reaches) == 0)


def test_a_causal_map_is_drawn_from_where_every_row_has_room():
    scores = RNG(2).standard_normal((200, 200))
    scores[:, 3] += 5
    target = np.where(np.arange(200) > 100, 3, -1)
    axes = head.plot(scores, target, causal=True)
    tokens, share = axes.lines[0].get_data()
    assert tokens[0] >= 101
    assert np.isfinite(share).all()
    pyplot.close("all")


def test_pictures_and_words_do_not_judge_what_is_not_known():
    heads = pd.DataFrame(
        {
            "layer": [0, 0, 1, 1],
            "head": [0, 1, 0, 1],
            "reach": [10.0, np.inf, 0, 100],
            "held_out": [0.5, np.nan, 0.9, 1],
        }
    )
    axes = head.plot_heads(heads)
    marked = {line.get_marker(): line.get_xydata().tolist() for line in axes.lines}
    assert marked == {"x": [[0, 0]], ".": [[1, 0]], "v": [[0, 1]], "^": [[1, 0]]}
    assert np.isnan(axes.images[0].get_array().filled(np.nan)).tolist() == [
        [False, True],
        [True, False],
    ]
    row = RNG(1).standard_normal(100)
    row[3] = 5
    assert head.plot(row, 3).get_title().startswith("held out: not known")
    assert "not known" in trust(np.nan)
    pyplot.close("all")


def test_counts_within_no_gap_are_refused():
    with pytest.raises(ValueError, match="gaps=nan; allowed: numbers"):
        head.counting(row_a(), 300, [1, np.nan])
