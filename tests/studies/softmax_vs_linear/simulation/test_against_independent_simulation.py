"""The reduced engine against a dense simulation of its own draws, written for this test.

False-alarm budget: BUDGET for the whole module. Every comparison is a two-sided exact test
(Fisher's) of two counts at level BUDGET / comparisons, so that all of them together raise a false
alarm with probability at most BUDGET, whatever the seeds.
"""

import math
from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from making import contest, point, run_trials
from scipy.stats import fisher_exact

from attention_separation.statistics.seeding import BlockStreams
from attention_separation.studies.softmax_vs_linear.models.contest import CONTEST_OF_PAPER

BUDGET = 1e-6
SELF = {"a0": 0.01, "a1": 1.2, "b": 0.2, "c": 0.8, "m": 8}
CROSS = {"a0": 0.01, "a1": 1.2, "m": 4}
CASES = {
    "self, X = I": ("self_attention", {**SELF, "n": 60, "d": 12, "attention_x": "identity"}),
    "self, X = 1": ("self_attention", {**SELF, "n": 60, "d": 12, "attention_x": "ones"}),
    "self, one class": ("self_attention", {**SELF, "n": 6, "d": 3}),
    "self, same data": ("self_attention", {**SELF, "n": 40, "d": 10, "data": "same"}),
    "self, fresh y": ("self_attention", {**SELF, "n": 40, "d": 10, "signs": "fresh"}),
    "cross": ("cross_attention", {**CROSS, "n": 60, "d": 11}),
    "self, other kernels": (
        "self_attention",
        {**SELF, "n": 40, "d": 10, "attention_x": "ones"},
    ),
    "cross, other kernels": ("cross_attention", {**CROSS, "n": 40, "d": 11, "signs": "fresh"}),
    "self, sums not divided": ("self_attention", {**SELF, "n": 40, "d": 10, "theta": 7.75}),
    "regression": ("regression", {"n": 100, "m": 4}),
    "regression, two-point": ("regression", {"n": 64, "m": 4, "law": "two-point"}),
    "regression, constant": ("regression", {"n": 64, "m": 4, "law": "middle"}),
    "regression, low tau": ("regression", {"n": 50, "m": 2, "tau": 0.15}),
}
CONTESTS = {
    "other kernels": contest("power_8", "linear", "power_2"),
    "sums not divided": contest("sigmoid_unnormalised", "linear"),
}
TRIALS = {"dense": 500, "reduced": 20_000}
"""A probability of a half that is off by 0.15 is seen."""


def normalised(w):
    return w / w.sum(axis=-1, keepdims=True)


H = {
    "exp": lambda z: normalised(np.exp(z)),
    "linear": normalised,
    "power_2": lambda z: normalised(z**2),
    "power_8": lambda z: normalised(z**8),
    "sigmoid_unnormalised": lambda z: 1 / (1 + z.shape[-1] * np.exp(-z)),
}


def tokens_of(p, a, indices):
    """Definition D.1 or F.1 as explicit loops over entries."""
    s = math.sqrt(math.log(p.n))
    j2, j3 = indices
    blocks = p.d - 2 if p.b else p.d - 1
    key = np.zeros((p.n, p.d))
    for j in range(p.n):
        key[j, 1 + j % blocks] = (p.b or 1.0) * s
    key[j3, 0] = a * s if p.b else s
    if p.b:
        key[:, -1] = p.c * s
        return key, key
    query = np.ones((p.n, p.d)) * s
    query[:, 0] = 0
    query[j2, 0] = a * s
    return query, key


def one_trial(p, rng):
    """(networks,) bool: whether the networks on D1, then those on D0, are positive; of the paper's
    contest F_exp(D1), F_lin(D1), F_exp(D0), F_lin(D0)."""
    rows = p.n if p.d is None else p.d
    kernels = [p.contest.fires, *p.contest.silent]
    evaluations = [(H[kernel], dataset) for dataset in (1, 0) for kernel in kernels]
    ys = [rng.choice([-1.0, 1.0], size=(rows, p.m)) for _ in evaluations]
    if p.signs == "shared":
        ys = [ys[0]] * len(ys)
    index = {1: rng.integers(0, p.n, 2), 0: rng.integers(0, p.n, 2)}
    if p.data == "same":
        index[0] = index[1]
    if p.d is None:
        law = {
            "uniform": lambda: rng.uniform(1, 1.4, p.n),
            "two-point": lambda: rng.choice([1.0, 1.4], p.n),
            "middle": lambda: np.full(p.n, 1.2),
        }[p.law]
        multiples = [law(), law()]
        multiples[1][index[1][0]] = 4.0
    out = []
    for (h, dataset), y in zip(evaluations, ys, strict=True):
        if p.d is None:
            scores = h(math.log(p.n) * multiples[dataset]) @ y
            limit = p.tau + 1e-12
        else:
            query, key = tokens_of(p, p.a1 if dataset else p.a0, index[dataset])
            x = np.ones((p.d, p.d)) if p.attention_x == "ones" else np.eye(p.d)
            scores = h(query @ x @ key.T) @ key @ y
            limit = p.tau + 1e-12 * p.s
        out.append((scores > limit).any())
    return out


def point_of(name):
    model, values = CASES[name]
    _, _, what = name.partition(", ")
    return replace(point(model, **values), contest=CONTESTS.get(what, CONTEST_OF_PAPER))


def succeeded(positive):
    """Success and the events of trials, (trials, 1 + networks): the first network alone positive,
    each of the others zero."""
    events = np.column_stack([positive[:, 0], ~positive[:, 1:]])
    return np.column_stack([events.all(axis=1), events])


@given(name=st.sampled_from([*CASES]))
def test_counts_agree(name):
    p = point_of(name)
    rng = np.random.default_rng([20, list(CASES).index(name)])
    dense = np.array([one_trial(p, rng) for _ in range(TRIALS["dense"])])
    reduced = np.concatenate(
        [
            run_trials("reduced", p, BlockStreams(99, name, p.name, block), 5000)
            for block in range(TRIALS["reduced"] // 5000)
        ]
    )
    comparisons = sum(len(point_of(case).contest.outcomes) for case in CASES)
    for outcome, what in enumerate(p.contest.outcomes):
        counts = []
        for positive in (dense, reduced):
            happened = succeeded(positive)[:, outcome]
            counts.append([happened.sum(), len(happened) - happened.sum()])
        assert fisher_exact(counts).pvalue > BUDGET / comparisons, (what, counts)
