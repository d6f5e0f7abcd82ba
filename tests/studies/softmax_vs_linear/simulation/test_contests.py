"""The reduced engine against the dense one, trial by trial, and success by its sentence: points of
the paper, and contests of any kernels."""

import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from literal_networks import attention_network
from making import contest, model_of, point, run_trials

from attention_separation.attention.dense import attention
from attention_separation.attention.kernels import KERNELS
from attention_separation.attention.sign_columns import TIE_TOLERANCE
from attention_separation.statistics.seeding import BlockStreams
from attention_separation.studies.softmax_vs_linear.models import MODELS
from attention_separation.studies.softmax_vs_linear.models.contest import CONTEST_OF_PAPER
from attention_separation.studies.softmax_vs_linear.simulation.signs import draw_lanes, sign_matrix
from attention_separation.studies.softmax_vs_linear.simulation.simulate import trials_at

TRIALS = 8
NAMES = sorted(KERNELS)
ELEVEN = contest(
    "exp", "linear", "uniform", "taylor_4", "relu2_features", "hedgehog", "efficient", "entmax_15",
    "rbf", "linear_unnormalised", "sigmoid_unnormalised",
)  # fmt: skip
"""22 networks: more than two bytes of flags, and of kernels of every kind."""

contests = st.one_of(
    st.just(CONTEST_OF_PAPER),
    st.lists(st.sampled_from(NAMES), min_size=1, max_size=4, unique=True).map(
        lambda names: contest(*names)
    ),
)
amplitude = st.one_of(st.floats(0, 3), st.sampled_from([0.0, 0.01, 1.2]))
part = st.one_of(st.floats(0.05, 1), st.sampled_from([0.2, 0.5, 0.8]))
# Simple fractions of sqrt(log n) make exact ties likely.
theta = st.one_of(st.floats(0.05, 1.5), st.sampled_from([0.3, 0.5, 0.7, 0.9, 1.0]))
sizes = st.tuples(
    st.sampled_from([1, 2, 3, 5, 14, 15, 16, 30, 31, 32, 62, 63, 64]), st.integers(1, 3)
).filter(lambda kt: 2 <= kt[0] * kt[1] <= 64)
"""Classes, and tokens in each."""

trial_settings = st.fixed_dictionaries(
    {
        "m": st.integers(1, 6),
        "data": st.sampled_from(["independent", "same"]),
        "signs": st.sampled_from(["shared", "fresh"]),
    }
)


def run(engine, p, streams, trials=TRIALS):
    """Trials as a panel runs them: what NumPy warns of is a fault."""
    with np.errstate(all="raise", under="ignore"):
        return run_trials(engine, p, streams, trials)


def same_trials(p, seed=0, trials=TRIALS):
    """Both engines say the same of every network of every trial; what they say."""
    streams = BlockStreams(seed, "test", p.name, 0)
    dense, reduced = (run(engine, p, streams, trials) for engine in ("dense", "reduced"))
    assert dense.shape == reduced.shape == (trials, len(p.contest.networks))
    np.testing.assert_array_equal(reduced, dense)
    # A shorter run is a prefix.
    np.testing.assert_array_equal(run("reduced", p, streams, trials - 7), reduced[:-7])
    return reduced


def self_point(size=(5, 4), of=CONTEST_OF_PAPER, **values):
    own = {"m": 5, "a0": 0.01, "a1": 1.2, "b": 0.2, "c": 0.8, "theta": 0.5} | values
    p = point("self_attention", n=size[0] * size[1], d=size[0] + 2, **own)
    return replace(p, contest=of)


def cross_point(size=(5, 4), of=CONTEST_OF_PAPER, **values):
    own = {"m": 5, "a0": 0.01, "a1": 1.2} | values
    return replace(point("cross_attention", n=size[0] * size[1], d=size[0] + 1, **own), contest=of)


@settings(max_examples=40)
@given(
    size=sizes, of=contests, a0=amplitude, a1=amplitude, b=part, c=part, theta=theta,
    seed=st.integers(0, 2**32), attention_x=st.sampled_from(["identity", "ones"]),
    settings=trial_settings,
)  # fmt: skip
def test_self_attention(size, of, seed, settings, **values):
    same_trials(self_point(size, of, **settings, **values), seed)


@settings(max_examples=30)
@given(
    size=sizes, of=contests, a0=amplitude, a1=amplitude, theta=theta,
    seed=st.integers(0, 2**32), settings=trial_settings,
)  # fmt: skip
def test_cross_attention(size, of, seed, settings, **values):
    same_trials(cross_point(size, of, **settings, **values), seed)


@settings(max_examples=60)
@given(
    n=st.one_of(st.integers(2, 140), st.sampled_from([8, 16, 32, 64, 128])),
    tau=st.one_of(st.floats(0.01, 0.99), st.sampled_from([0.125, 0.25, 0.5])),
    law=st.sampled_from(["uniform", "two-point", "low", "middle", "high"]),
    seed=st.integers(0, 2**32), settings=trial_settings,
)  # fmt: skip
def test_regression(settings, seed, **values):
    same_trials(point("regression", **values, **settings), seed, trials=24)


@given(signs=st.sampled_from(["shared", "fresh"]), count=st.sampled_from([4, 5, 8, 9]))
def test_any_number_of_kernels(signs, count):
    """8, 10, 16 and 18 networks."""
    same_trials(self_point((3, 2), contest(*NAMES[:count]), m=2, signs=signs), trials=12)


OTHERWISE_IN_STREAMS = {"linear": "lin", "uniform": "none"}


def literally(p, streams, trials):
    """Success and the events of each trial by the sentence, from the networks' own definition."""
    model = model_of(p)
    places = streams.generator("places")
    indices = places.integers(0, p.n, size=(trials, 2, model.special_tokens))
    if p.data == "same":
        indices[:, 0] = indices[:, 1]
    lanes = {}

    def value(trial, kernel, dataset):
        """F of a kernel on D0 or D1, 0 where a score ties tau but for rounding."""
        stream = f"signs {OTHERWISE_IN_STREAMS.get(kernel, kernel)} D{dataset}"
        stream = "signs" if p.signs == "shared" else stream
        if stream not in lanes:
            lanes[stream] = draw_lanes(streams.generator(stream), trials, p.m, p.d)
        a1, a2, a3, q, k = model.literal(p, dataset, indices[trial, dataset])
        c = attention(a1, a2, a3, q, k, np.eye(p.d), KERNELS[kernel])
        f = attention_network(c, sign_matrix(lanes[stream][trial], p.d), p.tau)
        return f if f > TIE_TOLERANCE * p.s else 0.0

    successes, events = [], []
    for trial in range(trials):
        fires = value(trial, p.contest.fires, 1) > 0, value(trial, p.contest.fires, 0) == 0
        silent = {
            dataset: [value(trial, kernel, dataset) == 0 for kernel in p.contest.silent]
            for dataset in (0, 1)
        }
        successes.append(all(fires) and all(silent[0]) and all(silent[1]))
        events.append([fires[0], *silent[1], fires[1], *silent[0]])
    return successes, events


@settings(max_examples=25)
@given(
    make=st.sampled_from([self_point, cross_point]), of=contests, theta=st.floats(0.2, 1.2),
    size=st.sampled_from([(1, 3), (2, 2), (3, 1), (5, 3)]), a1=st.floats(1, 3),
    settings=trial_settings, seed=st.integers(0, 2**32),
)  # fmt: skip
def test_success_and_events_by_the_sentence(make, of, size, seed, settings, **values):
    p = make(size, of, **settings, **values)
    streams = BlockStreams(seed, "sentence", p.name, 0)
    successes, events = literally(p, streams, TRIALS)
    for engine in ("dense", "reduced"):
        positive = run(engine, p, streams)
        assert of.event_flags(positive).all(axis=-1).tolist() == successes
        assert of.event_flags(positive).tolist() == events


def mixed_points(model):
    """Points of several d, X, contests and draws, none beside its like, and some that are."""
    make = {"self_attention": self_point, "cross_attention": cross_point}[model]
    alike = [make((5, t), m=4, theta=theta) for t in (2, 4) for theta in (0.3, 0.6)]
    others = [
        make((12, 2)), make((63, 1), m=2), make((12, 2), ELEVEN), make((5, 3), signs="fresh"),
        make((12, 3)), make((1, 7)), make((5, 3), contest("cosh")), make((63, 2), data="same"),
    ]  # fmt: skip
    if model == "self_attention":
        others.insert(3, make((5, 3), attention_x="ones"))
    beside = [make((5, 3), contest(*NAMES[k : k + 3])) for k in (0, 0, 7)]
    return [p for pair in zip(alike * 3, others, strict=False) for p in pair] + alike + beside


@pytest.mark.parametrize("model", ["self_attention", "cross_attention"])
def test_points_together_are_points_one_by_one(model):
    of = mixed_points(model)
    together = trials_at(MODELS[model], "reduced", of)
    assert len(together) == len(of)
    streams = [BlockStreams(7, "mixed", str(k), 0) for k in range(len(of))]
    alone = [run("reduced", p, streams[k], 20) for k, p in enumerate(of)]
    # Also backwards and again: what is kept of one run of points is never taken for another's.
    for k in [*range(len(of)), *reversed(range(len(of))), 0, len(of) - 1, 0]:
        np.testing.assert_array_equal(together[k](streams[k], 20), alone[k])


MEGABYTES = 30
"""Most that trials may take: points of large d together would take several times as much."""


def peak_megabytes(of, step=1):
    """Trials of every `step`-th point, and the most memory that they took."""
    tracemalloc.start()
    try:
        together = trials_at(model_of(of[0]), "reduced", of)
        found = [of_point(BlockStreams(1, "d", "", 0), 8) for of_point in together[::step]]
        return found, tracemalloc.get_traced_memory()[1] / 2**20
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("make", [self_point, cross_point])
def test_memory_is_bounded_for_very_large_d(make):
    """30 points with 50,000 classes, then others between them."""
    large = [make((50_000, 1 + k % 3), m=1, theta=0.01 + 0.04 * k) for k in range(30)]
    found, peak = peak_megabytes(large)
    assert peak < MEGABYTES
    mixed = [p for pair in zip(large[:6], [make((12, 2))] * 6, strict=True) for p in pair]
    between, peak = peak_megabytes(mixed)
    assert peak < MEGABYTES
    for one, other in zip(found, between[::2], strict=False):
        np.testing.assert_array_equal(one, other)
    assert {*np.concatenate(found)[:, 0].tolist()} == {False, True}


def test_memory_does_not_grow_with_the_number_of_points():
    few, many = ([self_point((60, 2))] * count for count in (700, 7000))
    assert peak_megabytes(many, 100)[1] < 2 * peak_megabytes(few, 100)[1]
