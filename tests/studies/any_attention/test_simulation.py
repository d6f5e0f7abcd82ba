"""Kernels that are simulated: their features against the formulas, each trial against the literal
n x n attention on its own draw, and their table."""

import itertools
import math

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from making import CONFIG
from scipy.stats import binomtest, chi2, kstest

from attention_separation.__main__ import run_job
from attention_separation.any_attention.layers import LAYERS
from attention_separation.any_attention.values import separate
from attention_separation.attention.dense import attention_weights
from attention_separation.attention.kernels import KERNELS
from attention_separation.results.tables import select_rows
from attention_separation.studies.any_attention import simulation
from attention_separation.studies.any_attention.settings import Data, Simulated
from attention_separation.studies.any_attention.simulation import (
    SIMULATED,
    attend_favor,
    draw_projections,
    draws,
    simulate,
)

FALSE_ALARM = 1e-6
"""Chance that the tests of W, of trials, or of the table fail though all is right."""

DEVIATIONS = 5.5
"""Standard errors that a mean may be off: 4e-8 a comparison, so a false alarm of all 24 that a test
makes has probability 1e-6."""


def positive_features(x: np.ndarray, projections: np.ndarray) -> np.ndarray:
    """phi(x) = e^(W x - |x|^2 / 2) / sqrt(features), (..., T, features), of W (..., features, d):
    the mean of phi(q) . phi(k) over Gaussian W is e^(q . k) (arXiv 2009.14794)."""
    squares = (x**2).sum(axis=-1, keepdims=True)
    logs = x @ np.swapaxes(projections, -1, -2) - squares / 2
    return np.exp(logs) / math.sqrt(projections.shape[-2])


def favor_weights(queries: np.ndarray, keys: np.ndarray, projections: np.ndarray) -> np.ndarray:
    """phi(q) . phi(k), (..., R, T), before a row is divided by its sum."""
    of_keys = positive_features(keys, projections)
    return positive_features(queries, projections) @ np.swapaxes(of_keys, -1, -2)


def cosformer_weights(queries: np.ndarray, keys: np.ndarray) -> np.ndarray:
    """relu(q_i) . relu(k_j) cos(pi (i - j) / 2n), (..., n, n), before a row is divided by its sum
    (arXiv 2202.08791, with its M the number of tokens)."""
    n = keys.shape[-2]
    order = np.arange(n)
    apart = order[:, None] - order
    products = np.maximum(queries, 0.0) @ np.swapaxes(np.maximum(keys, 0.0), -1, -2)
    return products * np.cos(math.pi * apart / (2 * n))


def vectors(*shape, seed=3, size=1.0):
    return size * np.random.default_rng(seed).random(shape)


def rows(sums):
    """Divided by the sum of the row, which the last column of the mass has."""
    return sums[..., :-1] / sums[..., -1:]


def mass_of(*shape):
    found = vectors(*shape, seed=9) - 0.5
    found[..., -1] = 1.0
    return found


@pytest.mark.parametrize("features", [3, 12])
def test_the_mean_of_favor_over_w_is_exp(features):
    """False-alarm budget 1e-6, see DEVIATIONS: 4 queries over 6 keys, short ones, for the features
    of long ones have heavy tails."""
    queries, keys = vectors(4, 8, size=0.25), vectors(6, 8, seed=4, size=0.25)
    w = draw_projections(np.random.default_rng(5), 20_000, features, 8)
    found = favor_weights(queries, keys, w)
    error = found.std(axis=0, ddof=1) / math.sqrt(len(w))
    off = (found.mean(axis=0) - np.exp(queries @ keys.T)) / error
    assert np.abs(off).max() < DEVIATIONS
    assert error.max() < 0.01


def test_favor_neither_overflows_nor_vanishes():
    """Where each feature alone would: logarithms go up to thousands."""
    queries, keys = vectors(2, 3, 4, size=50.0), vectors(2, 5, 4, seed=4, size=50.0)
    w = draw_projections(np.random.default_rng(5), 2, 6, 4)
    with np.errstate(all="ignore"):
        literal = rows(favor_weights(queries, keys, w) @ mass_of(2, 5, 2))
    assert not np.isfinite(literal).all()
    found = rows(attend_favor(queries, keys, mass_of(2, 5, 2), w))
    assert np.isfinite(found).all()
    # An average of the mass.
    assert np.abs(found).max() <= 0.5


def drawn(trials, features, d, seed=1):
    return draw_projections(np.random.default_rng(seed), trials, features, d)


@given(case=st.sampled_from([(16, 22), (22, 22), (64, 21), (7, 1)]))
def test_rows_are_orthogonal_in_blocks(case):
    features, d = case
    w = drawn(3, features, d)
    assert w.shape == (3, features, d)
    for start in range(0, features, d):
        block = w[:, start : start + d]
        products = block @ np.swapaxes(block, -1, -2)
        lengths = np.einsum("tii->ti", products)
        apart = products - lengths[..., None] * np.eye(block.shape[1])
        np.testing.assert_allclose(apart, 0.0, atol=1e-12 * lengths.max())


def test_every_row_is_gaussian():
    """Each coordinate of the first, of a middle and of the last row of a block, the squared length,
    and the product of one row's length and another's side: 26 tests."""
    d, trials = 8, 20_000
    w = drawn(trials, d, d)
    samples = [(w[:, row, k], "norm") for row in (0, 4, 7) for k in range(d)]
    squares = (w**2).sum(axis=-1)
    samples += [(squares[:, row], chi2(d).cdf) for row in (0, 7)]
    for sample, law in samples:
        assert kstest(sample, law).pvalue > FALSE_ALARM / 2 / len(samples)
    # Lengths of two rows are independent: the correlation is normal with deviation 1/sqrt trials.
    correlation = np.corrcoef(squares[:, 0], squares[:, 7])[0, 1]
    assert abs(correlation) < 5.1 / np.sqrt(trials)  # FALSE_ALARM / 2 is 5.03


PAPERS = CONFIG.any_attention.data
SMALL = Data(a0=0.3, a1=1.1, b=0.4, c=0.7, classes=3, delta=0.01, at_least=4)
NAMES = ("self, identity", "self, ones", "cross")
each_kernel = pytest.mark.parametrize("kernel", SIMULATED, ids=lambda kernel: kernel.name)


def literal_rows(kernel, a1, a2, q, k, w):
    """The n x n weights, each row divided by its sum."""
    if kernel.name in KERNELS:
        return attention_weights(a1, a2, q, k, KERNELS[kernel.name])
    if kernel.features:
        weights = favor_weights(a1 @ q, a2 @ k, w)
    else:
        weights = cosformer_weights(a1 @ q, a2 @ k)
    return weights / weights.sum(axis=1, keepdims=True)


def literal_trial(kernel, layer, data, n, draw, trial, features):
    """What comes of one trial, from the definitions: after y, at the paper's threshold, share."""
    tokens = layer.tokens(data, n)
    w = None if features is None else draw.projections[trial, :features]
    largest = []
    for dataset in (0, 1):
        places = draw.places[trial, dataset]
        a1, a2, a3, q, k = layer.dataset.literal(tokens, dataset, places)
        f = literal_rows(kernel, a1, a2, q, k, w)
        largest.append((f @ a3 @ draw.y[trial]).max())
    tau = layer.theta(data) * tokens.s
    after_y = largest[1] > max(largest[0], 0.0) + 1e-9
    return after_y, largest[0] <= tau < largest[1], f[places[0], places[-1]]


@settings(max_examples=20)
@given(
    layer=st.sampled_from(LAYERS),
    kernel=st.sampled_from(SIMULATED),
    n=st.sampled_from([3, 12]),
)
def test_each_trial_is_that_of_the_definitions(layer, kernel, n):
    """With n = K no other token has the special one's class."""
    trials = 10
    (draw,) = draws(kernel, layer, SMALL, n, 7, trials)
    found = simulate(kernel, layer, SMALL, n, 7, trials)
    assert [*found] == [*kernel.features] or [*found] == [None]
    for features, outcome in found.items():
        for trial in range(trials):
            after_y, paper, share = literal_trial(kernel, layer, SMALL, n, draw, trial, features)
            assert outcome.after_y[trial] == after_y
            assert outcome.paper[trial] == paper
            assert outcome.share[trial] == pytest.approx(share, rel=1e-9)


@each_kernel
def test_fewer_trials_are_the_first_of_more(kernel, monkeypatch):
    """Whether or not they are worked on together."""
    layer = LAYERS[2]
    more = simulate(kernel, layer, SMALL, 6, 7, 23)
    for trials, most in ((23, 1), (10, 2**20), (9, 3000)):
        monkeypatch.setattr(simulation, "MOST_DRAWN_NUMBERS", most)
        fewer = simulate(kernel, layer, SMALL, 6, 7, trials)
        for features, outcome in fewer.items():
            for part in ("after_y", "paper", "share"):
                found, wanted = getattr(outcome, part), getattr(more[features], part)
                np.testing.assert_allclose(found, wanted[:trials], rtol=1e-12)


def test_fewer_trials_are_the_first_of_more_blocks():
    exp = next(kernel for kernel in SIMULATED if kernel.name == "exp")
    found, more = (simulate(exp, LAYERS[0], SMALL, 3, 7, t)[None] for t in (5003, 5010))
    np.testing.assert_array_equal(found.after_y, more.after_y[:5003])
    ends = [
        next(draws(exp, LAYERS[0], SMALL, 3, 7, 10)).y,
        [*draws(exp, LAYERS[0], SMALL, 3, 7, 5010)][-1].y,
    ]
    assert ends[1].shape == ends[0].shape
    assert not np.array_equal(*ends)


def test_another_seed_kernel_layer_or_n_is_another_draw():
    first, other = SIMULATED[:2]
    asked = [
        (first, LAYERS[0], SMALL, 12, 7), (first, LAYERS[0], SMALL, 12, 8),
        (other, LAYERS[0], SMALL, 12, 7), (first, LAYERS[1], SMALL, 12, 7),
        (first, LAYERS[0], SMALL, 15, 7),
    ]  # fmt: skip
    signs = [next(draws(*of, 10)).y.tolist() for of in asked]
    assert all(a != b for a, b in itertools.combinations(signs, 2))


def test_against_exact_values(subtests):
    """24 binomial tests of exp and linear in all layers; and their shares, which do not vary."""
    for layer in LAYERS:
        for data, n, trials in [(PAPERS, 200, 800), (SMALL, 12, 2000)]:
            with subtests.test(layer=layer, n=n):
                for kernel in SIMULATED:
                    if kernel.name not in KERNELS:
                        continue
                    exact = separate(KERNELS[kernel.name], layer, data, [n])
                    found = simulate(kernel, layer, data, n, 11, trials)[None]
                    for told, p in (
                        (found.after_y, exact.p_after_y[0]),
                        (found.paper, exact.p_paper[0]),
                    ):
                        assert binomtest(int(told.sum()), trials, p).pvalue > FALSE_ALARM / 24
                    np.testing.assert_allclose(found.share, exact.share[0], rtol=1e-10)


JOB = CONFIG.studies()["any_attention"].results["kernels_simulated"].settings
FEW = JOB.model_copy(update={"simulated": Simulated(n=40, trials=30)})


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The files of two runs of the job with few trials."""
    outputs = [tmp_path_factory.mktemp("simulated") / "kernels_simulated.parquet" for _ in range(2)]
    for output in outputs:
        words = ["--settings", FEW.canonical(), "--output", str(output)]
        run_job("studies.any_attention.simulation", *words)
    return outputs


def test_a_row_for_each_kernel_number_of_features_and_layer(made):
    table = pq.read_table(made[0])
    assert table.schema.names == simulation.SCHEMA.names
    assert JOB.seed == CONFIG.seed
    assert (JOB.simulated.n, JOB.simulated.trials) == (200, 400)
    kernels = [("favor", 16), ("favor", 64), ("favor", 256), ("favor", 1024)]
    kernels += [("cosformer", None), ("exp", None), ("linear", None)]
    rows = table.to_pylist()
    found = [(r["kernel"], r["features"], r["model"], r["attention_x"]) for r in rows]
    assert sorted(found, key=str) == sorted(
        ((*kernel, *layer.columns.values()) for kernel in kernels for layer in LAYERS), key=str
    )
    for row in rows:
        assert (row["n"], row["m"], row["trials"]) == (40, 15, 30)
        assert row["d"] == (21 if row["model"] == "cross_attention" else 22)
        assert row["p_after_y"] == row["successes_after_y"] / 30
        assert row["p_paper"] == row["successes_paper"] / 30
        assert row["ci_low"] <= row["p_after_y"] <= row["ci_high"]
        assert row["paper_ci_low"] <= row["p_paper"] <= row["paper_ci_high"]
        # A threshold that is chosen after the signs can be the paper's.
        assert row["successes_paper"] <= row["successes_after_y"]
        assert 0 < row["share"] < 1


def test_exact_values_stand_beside(made):
    for layer in LAYERS:
        for row in select_rows(pq.read_table(made[0]), **layer.columns).to_pylist():
            if row["kernel"] not in KERNELS:
                assert row["exact_after_y"] is row["exact_paper"] is None
                continue
            exact = separate(KERNELS[row["kernel"]], layer, JOB.data, [40])
            assert row["exact_after_y"] == exact.p_after_y[0]
            assert row["exact_paper"] == exact.p_paper[0]


def test_the_same_bytes_twice(made):
    for suffix in (".parquet", ".csv", ".html"):
        one, other = (output.with_suffix(suffix).read_bytes() for output in made)
        assert one == other
    assert "cosFormer" in made[0].with_suffix(".html").read_text()
