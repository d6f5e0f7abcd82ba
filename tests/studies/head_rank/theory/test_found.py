"""Heads of low rank that exist: their kernels against simulation, and their errors.

Random tests have a false-alarm chance below 1e-6 together: they allow for SIGMAS standard errors.
"""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import approx_fprime

from attention_separation.rank_bound.bound import bound
from attention_separation.studies.head_rank.constructions import data, full_rank_head, rank_1_heads
from attention_separation.studies.head_rank.settings.jobs import FoundJob
from attention_separation.studies.head_rank.theory import optimised_heads, projected_heads
from attention_separation.studies.head_rank.theory.bound_table import (
    heads_by_budget,
    ranks_of_dimension,
)
from attention_separation.studies.head_rank.theory.found_table import found_rows, linear_limit

SIGMAS = 6
COUNT = 40_000


def close(sample: np.ndarray, expected: float) -> bool:
    return abs(sample.mean() - expected) < SIGMAS * sample.std() / math.sqrt(len(sample)) + 1e-12


def layer(x: np.ndarray, y: np.ndarray, forms: np.ndarray, a: np.ndarray, c: float | None):
    """Equation 1 with K Q^T = forms, V = a I, hardmax where c is None."""
    d = x.shape[1]
    out = np.zeros(y.shape)
    for form, weight in zip(forms, a, strict=True):
        scores = np.swapaxes(x, 1, 2) @ (y @ form.T)[..., None]
        attend = full_rank_head.hardmax(scores) if c is None else full_rank_head.softmax(c * scores)
        out += weight * (x @ attend)[..., 0]
    assert out.shape[1] == d
    return out


@given(case=st.sampled_from([(3, 1), (4, 2), (6, 4), (8, 1)]))
def test_the_means_of_projector_heads(case):
    d, r = case
    rng = np.random.default_rng(d + r)
    ranges = projected_heads.random_ranges(rng, d, r, 3)
    np.testing.assert_allclose(ranges.swapaxes(1, 2) @ ranges, [np.eye(r)] * 3, atol=1e-12)
    x, y = data.orthogonal(rng, COUNT, d, 2)
    u = (x[..., 0] - x[..., 1]) / math.sqrt(2)
    g = np.sign(np.einsum("nd,hdr,her,ne->nh", u, ranges, ranges, y, optimize=True))
    sign = np.sign(np.sum(u * y, axis=1))
    found = projected_heads.head_means(ranges, data.unit_vectors(rng, 4000, d))
    for h in range(3):
        assert close(g[:, h] * sign, projected_heads.target_mean(d, r))
        assert found.target[h] == pytest.approx(projected_heads.target_mean(d, r), abs=0.03)
        assert found.gram[h, h] == pytest.approx(1)
        for other in range(h):
            sample = g[:, h] * g[:, other]
            assert abs(sample.mean() - found.gram[h, other]) < 0.04
    lengths = np.linalg.norm(y @ ranges[0], axis=1)
    assert found.length[0] == pytest.approx(lengths.mean(), abs=0.02)


def test_the_means_of_rank_1_are_the_closed_ones():
    for d in (3, 8, 64):
        expected = 2 * rank_1_heads.head_vs_target(d, np.array([1.0]))[0] - 1
        assert projected_heads.target_mean(d, 1) == pytest.approx(expected, abs=1e-6)
    # Half of all dimensions: by symmetry a head is right with probability 3/4.
    assert projected_heads.target_mean(64, 32) == pytest.approx(0.5)


@pytest.mark.parametrize(("d", "r"), [(8, 2), (6, 3), (7, 2)])
def test_orthogonal_ranges_are_orthogonal(d, r):
    ranges = projected_heads.orthogonal_ranges(np.random.default_rng(1), d, r, 7)
    assert ranges.shape == (7, d, r)
    per = d // r
    for first in range(0, 7, per):
        block = np.hstack(list(ranges[first : first + per]))
        np.testing.assert_allclose(block.T @ block, np.eye(block.shape[1]), atol=1e-12)


@pytest.mark.parametrize("linear", [0.0, 1.3])
def test_the_error_of_some_weights_is_that_of_the_layer(linear):
    rng = np.random.default_rng(5)
    d, r = 6, 2
    ranges = projected_heads.random_ranges(rng, d, r, 4)
    weights = np.array([0.4, -0.3, 0.5, 0.2])
    signs = np.array([1, -1, -1, 1])
    # Of value maps a_h I and heads with signs * P_h.
    a = weights * signs
    x, y = data.orthogonal(rng, COUNT, d, 2)
    forms = signs[:, None, None] * (ranges @ ranges.swapaxes(1, 2))
    out = layer(x, y, forms, a, None)
    u = (x[..., 0] - x[..., 1]) / math.sqrt(2)
    out += linear * np.sum(u * y, axis=1)[:, None] * u / math.sqrt(2)
    sample = data.squared_error(data.nearest(x, y), out)
    given = projected_heads.errors_given_y(ranges, y[:4000], weights, linear, a.sum())
    assert close(sample, given.mean())
    # u is integrated out: what is left scatters less.
    assert given.std() < sample.std()


def test_the_best_weights_are_the_best():
    rng = np.random.default_rng(2)
    d, r = 8, 2
    ranges = projected_heads.random_ranges(rng, d, r, 9)
    y = data.unit_vectors(rng, 500, d)
    found = projected_heads.head_means(ranges, y)
    signs = projected_heads.best_signs(found.gram, found.target)
    assert {*signs} == {-1.0, 1.0}
    gram, target = found.gram * np.outer(signs, signs), found.target * signs
    a, error = projected_heads.best_weights(gram, target)

    def own(a):
        return projected_heads.errors_given_y(ranges, y, signs * a, 0.0, a.sum()).mean()

    assert error == pytest.approx(own(a))
    assert all(own(a + 0.01 * rng.standard_normal(9)) > error for _ in range(20))
    # Signs help: with none of them the sum of value maps is far from 1.
    assert error < projected_heads.best_weights(found.gram, found.target).error - 0.005
    a, linear = projected_heads.best_beside_linear_part(d, found)

    def mixed(a, linear):
        return projected_heads.errors_given_y(ranges, y, a, linear, 1.0).mean()

    least = mixed(a, linear)
    assert least < min(error, linear_limit(d, r, 9) + 1e-9)
    for _ in range(20):
        step = 0.01 * rng.standard_normal(10)
        assert mixed(a + step[:9], linear + step[9]) > least


@given(case=st.sampled_from([(8, 4, 2), (8, 1, 8), (6, 2, 3), (8, 2, 2)]))
def test_softmax_heads_of_a_small_temperature_come_to_their_limit(case):
    d, r, count = case
    rng = np.random.default_rng(d * r)
    ranges = projected_heads.orthogonal_ranges(rng, d, r, count)
    projections = ranges @ ranges.swapaxes(1, 2)
    x, y = data.orthogonal(rng, COUNT, d, 2)
    # tanh(c<u, Py> / sqrt(2)) is about c<u, Py> / sqrt(2); the best factor of <u, y> is d s_1.
    u = data.unit_vectors(rng, COUNT, d)
    c, factor = 0.05, d * np.abs(u[:, 0]).mean()
    size = factor * math.sqrt(2) / c
    signs = np.where(np.arange(count) % 2, -1.0, 1.0)
    a = signs * size
    # Value maps of sum 1: the first head takes what is missing, at a temperature that undoes it.
    missing = 1 - a.sum()
    forms = signs[:, None, None] * projections
    forms[0] *= a[0] / (a[0] + missing)
    a[0] += missing
    assert a.sum() == pytest.approx(1)
    sample = data.squared_error(data.nearest(x, y), layer(x, y, forms, a, c))
    expected = linear_limit(d, r, count)
    assert abs(sample.mean() - expected) < SIGMAS * sample.std() / math.sqrt(COUNT) + 2e-3
    assert expected > bound(d, r, count)


def test_the_limit_of_softmax_heads():
    assert linear_limit(8, 4, 2) == linear_limit(8, 1, 64) < linear_limit(8, 1, 7)
    # At no d is it as large as 1/2 - 1/pi, which d heads of rank 1 stay below.
    limits = [linear_limit(d, 1, d) for d in (2, 8, 64, 1024)]
    assert limits == sorted(limits)
    assert 0.5 - 1 / math.pi - 2e-4 < limits[-1] < 0.5 - 1 / math.pi


def test_the_gradient_of_rank_1_heads():
    rng = np.random.default_rng(4)
    d = 8
    x = rng.standard_normal(2 * 5 * d)
    error, gradient = optimised_heads.error_and_gradient(x, d)
    numeric = approx_fprime(x, lambda v: optimised_heads.error_and_gradient(v, d)[0], 1e-7)
    np.testing.assert_allclose(gradient, numeric, atol=1e-5)
    q, k = (v / np.linalg.norm(v, axis=1, keepdims=True) for v in x.reshape(2, 5, d))
    assert error == pytest.approx(
        optimised_heads.error_of_best_weights(rank_1_heads.Heads(q, k)), abs=1e-6
    )
    assert error == pytest.approx(
        rank_1_heads.best_errors(rank_1_heads.Heads(q, k))[0][-1], abs=1e-6
    )


def test_sizes():
    assert ranks_of_dimension(8) == [1, 2, 4, 8]
    assert ranks_of_dimension(6) == [1, 2, 4, 6]
    assert heads_by_budget(64, 32) == {"d^2": 2, "d^2.5": 16, "d^3": 128}
    assert heads_by_budget(8, 8) == {"d^2": 1, "d^2.5": 3, "d^3": 8}


@pytest.fixture(scope="module")
def rows():
    return list(found_rows(FoundJob(
        dimensions=[4, 8], draws=200, most_heads=12, most_optimised=12,
        steps=30, temperatures=[10, 100], seed=3
    )))  # fmt: skip


def test_the_table_of_heads_found(rows):
    for row in rows:
        assert row["heads_used"] <= row["heads"]
        assert row["bound_any_value"] <= row["bound"] <= (row["ci_high"] or row["error"])
        assert (row["ci_low"] is None) == (row["kind"] not in ("random", "orthogonal", "mixed")
                                           or row["rank"] == 1)  # fmt: skip
        assert (row["rank"] == row["d"]) == (row["kind"] == "full_rank")
    sizes = {(row["d"], row["rank"], row["heads"]) for row in rows}
    assert sizes == {(d, r, h) for d in (4, 8) for r in ranks_of_dimension(d)
                     for h in heads_by_budget(d, r).values()}  # fmt: skip
    by = {(row["d"], row["rank"], row["heads"], row["kind"]): row["error"] for row in rows}
    # Two orthogonal heads of half the rank: b = 3/4 each, and they agree half of the time.
    assert by[8, 4, 2, "orthogonal"] == pytest.approx(1 - 2 * 0.75**2 / 1.5, abs=0.02)
    assert by[8, 1, 8, "optimised"] <= by[8, 1, 8, "orthogonal"] < by[8, 1, 8, "random"]
    assert by[8, 1, 64, "linear"] == by[8, 4, 2, "linear"] < by[8, 1, 8, "optimised"]
