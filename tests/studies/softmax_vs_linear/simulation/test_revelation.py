"""Trials of softmax regression that draw what decides them, against drawing everything.

False-alarm budget: BUDGET for the whole module. Every comparison is at level BUDGET / COMPARISONS.
"""

from dataclasses import replace

import numpy as np
import pytest
from few import few
from literal_regression import by_definition
from making import point, run_trials
from regression_ways import force_way, switches, times_of_literal, way
from scipy.stats import chi2, chi2_contingency, kstest, norm

from attention_separation.statistics.seeding import BlockStreams
from attention_separation.studies.softmax_vs_linear.simulation import regression_trials, revelation

BUDGET, COMPARISONS = 1e-6, 60
LEVEL = BUDGET / COMPARISONS
LAWS = ("uniform", "two-point", "low", "middle", "high")


@pytest.fixture(params=["bits", "counts"])
def signs_as(request, monkeypatch):
    """All trials begin with bounds: they draw their signs as bits, or count pluses."""
    force_way(monkeypatch, request.param)
    return request.param


@pytest.fixture(params=["at once", "bits", "counts"])
def way_of_drawing(request, monkeypatch):
    force_way(monkeypatch, request.param)
    return request.param


def streams_of(p, seed=1):
    return BlockStreams(seed, "lazy", p.name, 0)


@few(4, "seed", range(30))
def test_a_completed_trial_is_decided_alike(seed, signs_as, monkeypatch):
    """Whatever the parameters, ties included: whether bounds decided it or not."""
    monkeypatch.setattr(revelation, "CHUNK_TRIALS", 200)
    rng = np.random.default_rng([37, seed])
    p = point(
        "regression", n=int(rng.choice([2, 3, 8, 9, 16, 40, 63, 64, 65, 130, 200])),
        m=int(rng.integers(1, 6)), law=str(rng.choice(LAWS)),
        tau=float(rng.choice([1e-3, 0.04, 0.1, 0.15, 0.25, 0.5, 0.95, 1.0])),
        data=str(rng.choice(["same", "independent"])), signs=str(rng.choice(["shared", "fresh"])),
    )  # fmt: skip
    dense, reduced = (run_trials(engine, p, streams_of(p), 500) for engine in ("dense", "reduced"))
    np.testing.assert_array_equal(dense, reduced)


@few(5, "seed", range(10))
def test_a_shorter_run_is_the_prefix_of_a_longer_one(seed, way_of_drawing, monkeypatch):
    monkeypatch.setattr(revelation, "CHUNK_TRIALS", 200)
    rng = np.random.default_rng([38, seed])
    p = point(
        "regression", n=int(rng.choice([2, 3, 15, 16, 17, 31, 33, 64, 65, 130, 3000])),
        m=int(rng.integers(1, 6)), law=str(rng.choice(LAWS)), tau=float(rng.choice([0.04, 0.25])),
        data=str(rng.choice(["same", "independent"])), signs=str(rng.choice(["shared", "fresh"])),
    )  # fmt: skip
    longer = run_trials("reduced", p, streams_of(p), 500)
    for shorter in (1, 100, 301):
        np.testing.assert_array_equal(
            run_trials("reduced", p, streams_of(p), shorter), longer[:shorter]
        )


JOINT = {
    "uniform": {"n": 24, "m": 2, "tau": 0.2},
    "two-point, the same data": {"n": 17, "m": 2, "law": "two-point", "data": "same"},
    "fresh signs": {"n": 20, "m": 2, "tau": 0.2, "signs": "fresh"},
    "tau large": {"n": 4, "m": 2, "tau": 0.9},
    "many bins": {"n": 80, "m": 2, "tau": 0.1},
}


@few(1, "name", JOINT)
def test_the_joint_law_is_that_of_drawing_everything(name, way_of_drawing):
    """Chi-square over the 16 outcomes of four networks; outcomes seen too seldom together."""
    p = point("regression", **JOINT[name])
    blocks = [run_trials("reduced", p, BlockStreams(5, name, p.name, b), 5000) for b in range(6)]
    rng = np.random.default_rng([37, list(JOINT).index(name)])
    found = np.concatenate(blocks), by_definition(p, 30_000, rng)
    counts = np.array([np.bincount(x @ [8, 4, 2, 1], minlength=16) for x in found])
    rare = counts.sum(axis=0) < 40
    counts = np.column_stack([counts[:, ~rare], counts[:, rare].sum(axis=1)])
    counts = counts[:, counts.sum(axis=0) >= 10]
    assert chi2_contingency(counts).pvalue > LEVEL, counts


@few(1, "tau", [0.03, 0.25])
def test_completed_data_and_signs_have_their_law(tau, signs_as):
    """After whatever refinement: entries uniform, signs fair, and nothing goes with another."""
    p = point("regression", n=60, m=2, tau=tau)
    streams = streams_of(p, 9)
    rng, completion = streams.generator("revelation"), revelation.Completion(p, streams)
    columns = []
    for start in range(0, 4000, 1000):
        revealed = revelation.reveal(p, rng, start)
        for cells in regression_trials.Chunk(p, revealed).refine(rng):
            if not len(cells.rows):
                continue
            trials = np.arange(len(cells.rows))
            data = [completion.uniforms(revealed, cells, dataset) for dataset in (0, 1)]
            y = [completion.signs(revealed, cells, trials, 0, 0 * trials + c) for c in (0, 1)]
            columns.append(np.stack([*data, *y])[..., 1:])
    d0, d1, first, second = np.concatenate(columns, axis=1)
    assert d0.shape == (4000, 59)
    for u in (d0, d1):
        assert kstest(u.ravel(), "uniform").pvalue > LEVEL
    highest = (d0**59).max(axis=1)
    assert kstest(highest, "uniform").pvalue > LEVEL
    pluses = (first + 1).sum(axis=1) / 2
    assert abs(pluses.mean() - 29.5) < 6 * np.sqrt(59 / 4 / 4000)
    assert abs(pluses.var() / (59 / 4) - 1) < 6 * np.sqrt(2 / 4000)
    for x, of in ((d0, first), (d1, first), (d0, second), (first, second), (d0, d1)):
        together = ((x - x.mean()) / x.std() * (of - of.mean()) / of.std()).ravel()
        assert abs(together.mean()) < 6 / np.sqrt(together.size)
        # Nor their sums over a trial, which refinement looks at.
        by_trial = np.corrcoef(x.sum(axis=1), of.sum(axis=1))[0, 1]
        assert abs(by_trial) < 6 / np.sqrt(4000)


@few(1, "part", ["entries over D1", "entries over D0", "signs of a column"])
def test_completions_of_trials_and_columns_are_uncorrelated(part, monkeypatch):
    """Independent numbers of n coordinates: the squares of their sums over all trials and columns
    are those of n normal numbers, and products of trials some trials apart cancel."""
    force_way(monkeypatch, "counts")
    # One bin of D0, and D1 is not yet divided: all that a completion has is what it draws.
    p = point("regression", n=2000, m=2, law="middle")
    streams = streams_of(p, 11)
    revealed = revelation.reveal(p, streams.generator("revelation"), 0)
    completion = revelation.Completion(p, streams)
    if part == "signs of a column":
        trials = np.repeat(np.arange(len(revealed.entry)), p.m)
        columns = np.tile(np.arange(p.m), len(revealed.entry))
        numbers = completion.signs(revealed, revealed.cells, trials, 0, columns)
    else:
        uniforms = completion.uniforms(revealed, revealed.cells, int(part == "entries over D1"))
        numbers = (uniforms - 0.5) * np.sqrt(12)
    assert numbers.shape == (1000 * (p.m if part == "signs of a column" else 1), 2000)
    numbers = numbers[:, 1:]
    squares = (numbers.sum(axis=0) ** 2 / len(numbers)).sum()
    assert LEVEL < chi2.cdf(squares, numbers.shape[1]) < 1 - LEVEL
    apart = [1, 2, 3, 4, 8, 16, 32, 64, 128, 256, 512]
    for lag in apart:
        products = numbers[lag:] * numbers[:-lag]
        assert abs(products.sum()) / np.sqrt(products.size) < norm.isf(LEVEL / 2 / len(apart)), lag


def test_a_billion_entries():
    p = point("regression", n=10**9, m=3, tau=0.15)
    positive = run_trials("reduced", p, streams_of(p), 1000)
    assert not positive[:, 1:].any()
    assert abs(positive[:, 0].mean() - 7 / 8) < 6 * np.sqrt(7 / 64 / 1000)


def test_what_bounds_cannot_decide_is_said(monkeypatch):
    monkeypatch.setattr(revelation, "CHUNK_TRIALS", 10)
    monkeypatch.setattr(regression_trials, "MOST_CELLS", 64)
    monkeypatch.setattr(revelation, "MOST_COMPLETED", 10**4)
    p = replace(point("regression", n=20_000, m=2), theta=1e-4)
    with pytest.raises(ValueError, match=r"n=20000, tau=0.0001: .* allowed: n <= 10000"):
        run_trials("reduced", p, streams_of(p), 10)


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("m", "tau", "law"),
    [(2, 0.02, "uniform"), (7, 0.05, "two-point"), (1, 0.25, "two-point"), (7, 0.25, "uniform")],
)
def test_no_n_takes_longer_than_twice_the_literal_draw(m, tau, law):
    """On either side of every n where the way of drawing changes; it takes 0.8 times at most."""
    p = point("regression", n=12, m=m, tau=tau, law=law)
    ends = switches(p, 12, 10**5)
    assert ends
    for n in {12, *ends, *(end + 1 for end in ends), 4096, 4097, 10**5}:
        at_n = replace(p, n=n)
        assert times_of_literal(at_n, signs=500_000, repeats=2) < 2, (n, way(at_n))
