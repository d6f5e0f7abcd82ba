"""The bound for one layer on N > 2 orthogonal points: its parts by their definitions, and layers,
taken literally, that try to beat it.

Random tests have a false-alarm chance below 1e-6 together: they allow for SIGMAS standard errors.
"""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from making import ROOT
from scipy.linalg import null_space
from scipy.special import eval_gegenbauer

from attention_separation.rank_bound.bound import bound, log_harmonics, reached_shares
from attention_separation.studies.head_rank.constructions import data, sphere
from attention_separation.studies.head_rank.settings.jobs import BoundSettings
from attention_separation.studies.head_rank.theory.bound_table import points_rows
from attention_separation.studies.head_rank.theory.plurality_table import uniform_attention_error
from attention_separation.studies.head_rank.theory.points_bound import (
    degree_energies,
    points_bound,
    threshold_rule,
)

SIGMAS = 6


def mean_and_sigmas(sample: np.ndarray) -> tuple[float, float]:
    return float(sample.mean()), SIGMAS * float(sample.std()) / math.sqrt(len(sample))


def zonal(n: int, degree: int, t: np.ndarray) -> np.ndarray:
    """P_l of n dimensions; of two, a cosine."""
    if n == 2:
        return np.cos(degree * np.arccos(t))
    return eval_gegenbauer(degree, n / 2 - 1, t) / eval_gegenbauer(degree, n / 2 - 1, 1.0)


def literal_parts(rng, draws: int, d: int, points: int):
    """Of two targets that differ in u alone: u's part of each, and the cosine of u and y there."""
    frame, y = data.orthogonal(rng, draws, d, d)
    v = (frame[:, :, 0] + frame[:, :, 1]) / math.sqrt(2)
    difference = (frame[:, :, 0] - frame[:, :, 1]) / math.sqrt(2)
    # What v and the other points leave.
    rest = np.concatenate([difference[:, :, None], frame[:, :, points:]], axis=2)
    y_there = np.einsum("tdk,td->tk", rest, y)
    another = np.einsum("tdk,tk->td", rest, data.unit_vectors(rng, draws, rest.shape[2]))
    found = []
    for u in (difference, another):
        x = frame[:, :, :points].copy()
        x[:, :, 0], x[:, :, 1] = (v + u) / math.sqrt(2), (v - u) / math.sqrt(2)
        assert np.allclose(np.swapaxes(x, 1, 2) @ x, np.eye(points))
        part = np.einsum("td,td->t", data.nearest(x, y), u)
        found.append((part, np.einsum("td,td->t", u, y) / np.linalg.norm(y_there, axis=1)))
    return found


@pytest.mark.parametrize(("d", "points"), [(4, 3), (6, 3), (7, 5)])
def test_energies_by_the_definition(d, points):
    n, draws = d - points + 1, 4000
    (first, t), (second, s) = literal_parts(np.random.default_rng(d), draws, d, points)
    # Along the pair's direction the target has half of 2/N.
    total, sigmas = mean_and_sigmas(first**2)
    assert total == pytest.approx(1 / points, abs=sigmas)
    degrees, found = degree_energies(n, points)
    for degree, energy in list(zip(degrees, found, strict=True))[:2]:
        # Given all but u, two draws of u and of y's direction are independent.
        count = math.exp(log_harmonics(n, np.array([degree]))[0])
        sample = 2 * count * first * zonal(n, int(degree), t) * second * zonal(n, int(degree), s)
        mean, sigmas = mean_and_sigmas(sample)
        assert energy == pytest.approx(mean, abs=sigmas)
    assert energy > sigmas / 4


@given(case=st.sampled_from([(4, 3), (8, 5), (64, 16), (64, 62)]))
def test_energies_add_up_to_the_share_of_two_points(case):
    d, points = case
    n = d - points + 1
    a, weights = threshold_rule(n, points)
    phi, mass = sphere.angle_rule(n, [(0.0, 0.1)])
    above = np.array([mass @ (np.abs(np.sin(phi)) > each) for each in a[1:]])
    assert weights[0] + weights[1:] @ above == pytest.approx(2 / points, abs=2e-3)
    assert 0.93 * 2 / points < degree_energies(n, points).energies.sum() < 2 / points


def test_the_largest_of_many_has_no_nodes_missing():
    rng = np.random.default_rng(9)
    n, points = 6, 9
    g = rng.standard_normal((200_000, n + points - 1))
    rest = np.linalg.norm(g[:, points - 1 :], axis=1)
    a = (math.sqrt(2) * g[:, 1 : points - 1].max(axis=1) - g[:, 0]) / rest
    nodes, weights = threshold_rule(n, points)
    for function in (lambda a: 1.0 * (a < 1), lambda a: np.maximum(1 - np.maximum(a, 0), 0) ** 2):
        mean, sigmas = mean_and_sigmas(function(a))
        assert weights @ function(nodes) == pytest.approx(mean, abs=sigmas)


def odd_monomials(z: np.ndarray, degree: int) -> np.ndarray:
    """(draws, columns): all products of 1, 3, .., degree coordinates."""
    columns = []
    for count in range(1, degree + 1, 2):
        for places in itertools.combinations_with_replacement(range(z.shape[1]), count):
            columns.append(z[:, list(places)].prod(axis=1))
    return np.column_stack(columns)


@given(case=st.sampled_from([(4, 3, 1), (5, 3, 1), (5, 3, 2), (6, 4, 2)]))
def test_given_the_rest_the_best_functions_leave_what_it_says(case):
    """X and y are fixed but for u and the direction of y there; heads may know all that is."""
    d, points, h = case
    rng, n, degree, draws = np.random.default_rng(10 * d + h), d - points + 1, 5, 10_000
    a = 1.0
    while not 0 < a < 0.6:
        x, y = (part[0] for part in data.orthogonal(rng, 1, d, points))
        v = (x[:, 0] + x[:, 1]) / math.sqrt(2)
        rest = null_space(np.column_stack([v, x[:, 2:]]).T)
        a = (math.sqrt(2) * (y @ x[:, 2:]).max() - v @ y) / np.linalg.norm(rest.T @ y)
    k, weights = rng.standard_normal((d, h)), None
    for _ in range(2):
        u, eta = (data.unit_vectors(rng, draws, n) @ rest.T for _ in range(2))
        queries = y - rest @ (rest.T @ y) + np.linalg.norm(rest.T @ y) * eta
        own = np.repeat(x[None], draws, axis=0)
        own[:, :, 0], own[:, :, 1] = (v + u) / math.sqrt(2), (v - u) / math.sqrt(2)
        wanted = np.sum(data.nearest(own, queries) * u, axis=1)
        of_y = odd_monomials(eta @ rest, degree)
        columns = np.hstack(
            [(u @ k[:, [j]]) ** power * of_y for j in range(h) for power in range(1, degree + 1, 2)]
        )
        if weights is None:
            weights = np.linalg.lstsq(columns, wanted, rcond=1e-9)[0]
    error, sigmas = mean_and_sigmas((wanted - columns @ weights) ** 2)
    degrees = np.arange(1.0, 2001, 2)
    e = np.exp(log_harmonics(n, degrees)) * (
        sphere.threshold_coefficients(n, np.array([a]), 2001)[::2, 0] ** 2
    )
    common, share = reached_shares(n, 1, degrees, False)
    left = np.maximum(0, 1 - common - h * share)
    beyond = 0.5 * e[degrees > degree] @ (1 - left[degrees > degree])
    assert 0.02 < 0.5 * e @ left - sigmas < error
    assert error < (0.5 * e @ left + beyond + 2e-3) * (1 + len(weights) / draws) + sigmas


def test_all_pairs_together_have_what_weights_that_ignore_the_points_have():
    """The mean of the points errs by 1 - 1/N, and few heads of a large dimension no less."""
    for points in (3, 4, 9):
        assert 0 < 1 - 1 / points - points_bound(256, 1, 1, points) < 0.006
    x, y = data.orthogonal(np.random.default_rng(2), 500, 6, 4)
    np.testing.assert_allclose(data.squared_error(data.nearest(x, y), x.mean(axis=2)), 0.75)


def linear(d: int, points: int) -> float:
    """d heads of rank 1 come as near as one likes to sum_i (1/N + b <x_i, y>) x_i, whose best b
    leaves 1 - 1/N - d (E max <x_i, y>)^2 / (N - 1)."""
    largest = 1 - 1 / points - uniform_attention_error("orthogonal", d, points)
    return 1 - 1 / points - d / (points - 1) * largest


@given(points=st.sampled_from([2, 3, 4, 8, 16]))
def test_heads_of_small_temperature_do_not_fall_below_it(points):
    assert 0.17 < points_bound(64, 1, 64, points) < linear(64, points)


def heads(k, x, y) -> np.ndarray:
    """Outputs of heads whose weights are monomials, to degree 2, of what they see: (draws, d,
    columns).

    A head sees K^T x_i of all points and all of y; its weights are any numbers, of any sum.
    """
    columns = []
    for own in k:
        seen = np.concatenate([np.einsum("dr,ndi->nri", own, x).reshape(len(x), -1), y], axis=1)
        ones = np.ones((len(x), 1))
        rows, others = np.triu_indices(seen.shape[1])
        weights = np.concatenate([ones, seen, seen[:, rows] * seen[:, others]], axis=1)
        columns += [x[:, :, i, None] * weights[:, None, :] for i in range(x.shape[2])]
    return np.concatenate(columns, axis=2)


def fitted(rng, draws, d, points, k):
    """The error of the best such layer of some draws on others."""
    solution = None
    for _ in range(2):
        x, y = data.orthogonal(rng, draws, d, points)
        target = data.nearest(x, y)
        layer = heads(k, x, y)
        flat = layer.reshape(-1, layer.shape[2])
        if solution is None:
            solution = np.linalg.lstsq(flat, target.ravel(), rcond=1e-10)[0]
    return mean_and_sigmas(data.squared_error(target, (flat @ solution).reshape(target.shape)))


@pytest.mark.parametrize(("d", "points"), [(5, 3), (6, 4)])
def test_no_head_with_weights_of_any_kind_falls_below_it(d, points):
    """A bound that is 0.2 too large is seen."""
    rng = np.random.default_rng(d)
    error, sigmas = fitted(rng, 2000, d, points, rng.standard_normal((1, d, 1)))
    assert points_bound(d, 1, 1, points) <= error + sigmas


def test_where_it_claims_nothing_and_sizes_that_make_no_sense():
    assert points_bound(8, 8, 9, 4) == 0
    assert points_bound(8, 5, 1, 4) == 0
    assert points_bound(8, 4, 1, 4) > 0
    assert points_bound(8, 3, 2, 2, True) == bound(8, 3, 2, True)
    for sizes in ((8, 1, 1, 9), (8, 0, 1, 3), (8, 9, 1, 3), (8, 1, 0, 3), (8, 1, 1, 1)):
        with pytest.raises(ValueError, match="allowed"):
            points_bound(*sizes)


def test_the_sum_by_its_definition():
    """At n = 4 there are (l + 1)^2 harmonics. A head of rank 1 reaches one at each degree; with any
    value map those of l - 2, l and l + 2, one more at l, and one for each of N - 1 = 2 vectors."""
    degree, e = degree_energies(4, 3)
    rest = 2 / 3 - e.sum()
    for any_value, own in ((False, 1), (True, 6)):
        for h in (1, 3):
            reached = own * h - h * (degree == 1) * any_value
            left = e @ np.maximum(0, 1 - reached / (degree + 1) ** 2)
            found = points_bound(6, 1, h, 3, any_value)
            assert 0 <= left + rest - found < 3e-4 * rest


def test_the_page_has_the_numbers():
    page = " ".join((ROOT / "docs/rank-bound.md").read_text(encoding="utf-8").split())
    for n in (2, 4, 8, 16):
        cells = (
            f"{points_bound(64, r, 64 // r, n):.3f} ({points_bound(64, r, 64 // r, n, True):.3f})"
            for r in (1, 8, 32)
        )
        assert f"| {n} | {' | '.join(cells)} | {1 - 1 / n:.3g} |" in page
    assert f"At N = 4 heads of rank 1 and small scores have {linear(64, 4):.3f}." in page


def test_a_row_has_the_bounds_of_its_heads():
    job = BoundSettings(dimensions=[4], doublings=1, errors=[0.1], points=[2, 3])
    rows = [*points_rows(job)]
    assert {row["rank"] for row in rows} == {1, 2, 4}
    for row in rows:
        of = row["d"], row["rank"], row["heads"], row["n"]
        assert row["bound"] == points_bound(*of)
        assert row["bound_any_value"] == points_bound(*of, any_value=True)
    assert any(row["bound_any_value"] < row["bound"] for row in rows)
