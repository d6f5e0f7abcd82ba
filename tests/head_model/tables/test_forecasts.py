"""Forecasts of made-up heads: what the instrument says of each query, and what really was."""

from dataclasses import replace

import numpy as np
import pytest
from making import CONFIG
from scipy.special import softmax

from attention_separation.head_model.cells import CaughtHead
from attention_separation.head_model.probes import INDUCTION, PREVIOUS
from attention_separation.head_model.settings.section import HeadModelScale
from attention_separation.head_model.tables.columns import FAR, FORECASTS
from attention_separation.head_model.tables.errors import error_rows, logit
from attention_separation.head_model.tables.forecasts import (
    Context,
    far_rows,
    forecast_rows,
    measured,
    shares_of_old,
)
from attention_separation.head_model.tables.found_targets import target_rows

QUERIES, SHORT, LONG = 16, 1024, 4096
SETTINGS = CONFIG.head_model.scales["smoke"].model_dump(mode="json") | {
    "contexts": [SHORT, LONG],
    "texts": ["topics", "random"],
}
JOBS = {cell.name: cell for cell in HeadModelScale.model_validate(SETTINGS).cells(seed=0)}
TARGET_SCORES = {0: 9.0, 1: 10.0}
"""Scores of the targets of two heads; all others are standard normal."""


def head_at(n: int, head: int, is_kept: bool = True) -> CaughtHead:
    """A head on n tokens, of which those near the end are the same for every n."""
    generator = np.random.default_rng(head)
    scores = generator.standard_normal((QUERIES, LONG))[:, LONG - n :]
    queries = np.arange(n - QUERIES, n)
    keys = queries - 63
    rows = np.arange(QUERIES)
    scores[rows, keys] = TARGET_SCORES[head]
    scores[rows[:, None] + n - QUERIES < np.arange(n)] = -np.inf
    shares = softmax(scores, axis=1)[rows, keys]
    kept = scores.astype(np.float32) if is_kept else None
    return CaughtHead(INDUCTION, 0, head, queries, keys, shares, kept)


@pytest.fixture(scope="module")
def contexts():
    """The first head is kept on both contexts, the second on the short one alone."""
    return [
        Context(JOBS["topics_1_1024"], [head_at(SHORT, 0), head_at(SHORT, 1)]),
        Context(JOBS["topics_1_4096"], [head_at(LONG, 0), head_at(LONG, 1, is_kept=False)]),
        Context(JOBS["random_1_1024"], [head_at(SHORT, 0)]),
    ]


@pytest.fixture(scope="module")
def forecasts(contexts):
    return list(forecast_rows(contexts))


def test_a_forecast_is_of_the_longer_context_of_the_same_text(forecasts):
    assert [(row["text"], row["head"], row["n"], row["at"]) for row in forecasts] == [
        ("topics", 0, SHORT, LONG),
        ("topics", 1, SHORT, LONG),
    ]
    assert {*forecasts[0]} == {*FORECASTS.names}


def test_what_was_real_is_the_median_share_of_the_longer_context(forecasts):
    for row in forecasts:
        long = head_at(LONG, row["head"])
        short = head_at(SHORT, row["head"])
        assert row["real"] == pytest.approx(np.median(long.shares))
        assert row["share"] == pytest.approx(np.median(short.shares), rel=1e-6)


def test_what_old_tokens_gave_leaves_out_new_ones(forecasts):
    """A text in front that no token heeds: the first token, and the last ones, are as they were."""
    short = head_at(SHORT, 0)
    long = head_at(LONG, 0)
    for caught in (short, long):
        caught.scores[:, 0] = 11.0  # a sink, which is the first token of both
    expected = softmax(short.scores, axis=1)[np.arange(QUERIES), short.keys]
    np.testing.assert_allclose(shares_of_old(long, SHORT), expected, rtol=1e-5)
    of_kept, of_dropped = forecasts
    assert of_kept["real_of_old"] == pytest.approx(of_kept["share"], rel=0.01)
    assert of_dropped["real_of_old"] is None


def test_independent_scores_are_foretold(forecasts):
    for row in forecasts:
        assert row["low"] < row["real"] < row["high"]
        assert logit(row["foretold"]) == pytest.approx(logit(row["real"]), abs=0.25)
        assert row["share"] > 1.1 * row["real"]
        assert row["rows_within"] >= 0.5


def test_rows_are_those_of_the_instrument_in_the_order_of_queries():
    caught = head_at(SHORT, 0)
    rows = measured(caught, LONG)
    assert rows["query"].tolist() == [*range(QUERIES)]
    assert rows["n"].tolist() == (caught.queries + 1).tolist()
    np.testing.assert_allclose(rows["share"], caught.shares, rtol=1e-6)


def test_reaches_are_of_every_kept_head_and_horizon(contexts):
    rows = list(far_rows(contexts, [10_000, 10**6]))
    assert len(rows) == 2 * 4
    for row in rows:
        assert {*row} == {*FAR.names}
        assert row["reach_low"] <= row["reach"] <= row["reach_high"]
        assert row["found"] == pytest.approx(float(row["reach"] >= row["at"]), abs=0.5)
    least = min(row["foretold"] for row in rows if row["at"] == 10_000)
    assert least > max(row["foretold"] for row in rows if (row["at"], row["head"]) == (10**6, 0))


def test_a_reach_below_what_counts_once_has_ends_there(contexts):
    """Of most queries the target is so soft that near tokens alone outweigh it."""
    caught = head_at(SHORT, 0)
    scores = caught.scores.copy()
    soft = np.arange(QUERIES) < 0.75 * QUERIES
    scores[soft, caught.keys[soft]] = 1.0
    (far,) = far_rows([Context(contexts[0].job, [replace(caught, scores=scores)])], [10_000])
    assert (far["reach"], far["reach_low"], far["reach_high"]) == (0, 0, 0)


def row(text="topics", n=1024, at=8192, **changed):
    common = {"text": text, "n": n, "at": at, "held_out": 0.9, "share": 0.5, "foretold": 0.4}
    ends = {"low": 0.3, "high": 0.5, "real": 0.4, "real_of_old": None}
    return common | ends | changed


def test_errors_are_counted_by_filler_and_contexts():
    rows = [
        row(),
        row(foretold=0.6, real=0.5, held_out=0.8),
        row(real=0.6, held_out=None),
        row(foretold=None, low=None, high=None),
        row(text="random", real=0.2),
    ]
    first, second = error_rows(rows)
    assert (first["filler"], first["n"], first["at"]) == ("text", 1024, 8192)
    assert (first["heads"], first["known"], first["held"]) == (4, 3, 2)
    assert (first["trusted"], first["trusted_held"]) == (1, 1)
    wrong = [0, logit(0.6), logit(0.4) - logit(0.6)]
    assert first["error"] == pytest.approx(sum(wrong) / 3)
    assert first["absolute_error"] == pytest.approx(sum(map(abs, wrong)) / 3)
    unchanged = [-logit(0.4), 0, -logit(0.6)]
    assert first["unchanged_error"] == pytest.approx(sum(unchanged) / 3)
    assert first["unchanged_absolute_error"] == pytest.approx(sum(map(abs, unchanged)) / 3)
    assert (second["filler"], second["trusted"], second["trusted_held"]) == ("random", 1, 0)


def test_changes_are_parted_into_those_of_old_and_of_new_tokens():
    """Scores moved from .5 to .6 of the weight, and new tokens took from .6 to .5, as foretold."""
    fair = row(share=0.5, real_of_old=0.6, real=0.5, foretold=1 - 0.6, low=0.35, high=0.45)
    (one,) = error_rows([fair, row()])
    change = logit(0.6)
    assert one["rescored"] == 1
    assert (one["old_change"], one["new_change"]) == pytest.approx((change, change))
    assert one["new_error"] == pytest.approx(0, abs=1e-12)
    assert one["new_held"] == 1
    (other,) = error_rows([fair, row(real_of_old=0.4, real=0.5)])
    assert other["rescored"] == 2
    assert other["new_held"] == 1
    assert other["new_error"] == pytest.approx(logit(0.6))
    (none,) = error_rows([row()])
    assert none["rescored"] == 0


def test_targets_are_medians_over_queries_and_means_over_texts_and_segments(contexts):
    more = CaughtHead(PREVIOUS, 0, 0, np.arange(3), np.arange(3), np.array([0.2, 0.4, 0.9]), None)
    less = CaughtHead(PREVIOUS, 0, 0, np.arange(3), np.arange(3), np.array([0.1, 0.1, 0.7]), None)
    (only,) = target_rows([(contexts[0].job, [more]), (contexts[0].job, [less])])
    assert (only["target"], only["filler"], only["contexts"]) == (PREVIOUS, "text", 2)
    assert only["share"] == pytest.approx(0.25)
    assert only["least_share"] == pytest.approx(0.1)
