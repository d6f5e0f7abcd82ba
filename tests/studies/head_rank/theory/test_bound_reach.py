"""Where the bound for one layer of low-rank heads holds, and where it ends: layers taken literally,
and the biased target: its energies by quadrature, its bound at bias 0, and what the page says.

Random tests have a false-alarm chance below 1e-7 together: they allow for SIGMAS standard errors.
docs/rank-bound.md has these numbers.
"""

import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from making import ROOT
from scipy.integrate import quad
from scipy.special import betainc, eval_gegenbauer, eval_legendre

from attention_separation.rank_bound.bound import (
    bound,
    energy,
    heads_needed,
    log_harmonics,
    reached_shares,
)
from attention_separation.studies.head_rank.constructions import data
from attention_separation.studies.head_rank.constructions.sphere import (
    density_at_zero,
    sign_coefficient,
    threshold_coefficients,
)
from attention_separation.studies.head_rank.theory.found_table import linear_limit

SIGMAS = 6
PAGE = " ".join((ROOT / "docs/rank-bound.md").read_text(encoding="utf-8").split())


def mean_and_sigmas(errors: np.ndarray) -> tuple[float, float]:
    return float(errors.mean()), SIGMAS * float(errors.std()) / math.sqrt(len(errors))


def test_values_that_see_an_encoding_fall_below_the_bound_for_scores():
    """Two heads of rank 1 with values a_h x_i + w_(h,i) at d = 3: their sum has the part along u
    that degrees 1, 3 and 5 allow, and along the third axis a function of y, as no x_i gives it."""
    rng = np.random.default_rng(13)
    x, y = data.orthogonal(rng, 150_000, 3, 2)
    u = (x[:, :, 0] - x[:, :, 1]) / math.sqrt(2)
    along = sum(
        (2 * j + 1) * sign_coefficient(3, j) * eval_legendre(j, u) * eval_legendre(j, y)
        for j in (1, 3, 5)
    ).T
    tiny, large = 0.005, 200.0
    of_y = y[:, 2] / (2 * tiny)
    layer = np.zeros_like(y)
    for a, w, g in (
        (large + 0.5, tiny * (large + 0.5), along[0] + of_y), (0.5 - large, 0.0, along[1] - of_y)
    ):  # fmt: skip
        p = (1 + g / a) / 2
        assert 0 <= p.min() <= p.max() <= 1
        shift = w / math.sqrt(2) * np.array([0.0, 0.0, 1.0])
        first, second = a * x[:, :, 0] + shift, a * x[:, :, 1] - shift
        layer += p[:, None] * first + (1 - p)[:, None] * second
    error, sigmas = mean_and_sigmas(data.squared_error(data.nearest(x, y), layer))
    degrees = np.array([1.0, 3.0, 5.0])
    exact = (1 - energy(3, degrees) @ (2 / (2 * degrees + 1))) / 2 - 1 / 24
    assert error == pytest.approx(exact, abs=sigmas + 2e-4)
    encoded = bound(3, 1, 2, encoded=True)
    assert encoded + sigmas < error < bound(3, 1, 2) - 0.03 - sigmas
    assert f"it is {bound(3, 1, 2):.4f}, and two such heads have {exact:.3f}." in PAGE
    assert f"is {encoded:.4f} there" in PAGE


def of_one_head(d: int, u: np.ndarray, y: np.ndarray) -> np.ndarray:
    """E sgn<u, y> given the first coordinates of u and y: the best head of rank 1 on D_2."""
    t = u * y / np.sqrt(np.maximum((1 - u**2) * (1 - y**2), 1e-300))
    return np.sign(t) * betainc(0.5, (d - 2) / 2, np.minimum(t**2, 1.0))


@pytest.mark.parametrize("points", [data.orthogonal, data.uniform])
def test_it_holds_for_two_independent_points_as_for_orthogonal_ones(points):
    rng, d = np.random.default_rng(14), 16
    x, y = points(rng, 80_000, d, 2)
    u, v = x[:, :, 0] - x[:, :, 1], x[:, :, 0] + x[:, :, 1]
    lengths = np.linalg.norm(u, axis=1) / 2
    assert np.abs(np.sum(u * v, axis=1)).max() < 1e-12
    half, sigmas = mean_and_sigmas(lengths**2)
    assert half == pytest.approx(0.5, abs=sigmas + 1e-12)
    # The directions are a Haar pair, independent of the length: no moment depends on it.
    for w in (u / (2 * lengths)[:, None], v / np.linalg.norm(v, axis=1, keepdims=True)):
        moment, sigmas = mean_and_sigmas((lengths**2 - half) * (d * w[:, 0] ** 2 - 1))
        assert abs(moment) <= sigmas + 1e-12
    # A head sees u's part along its key as if points were orthogonal; its error against what all
    # of y and u's direction have in the mean, which is less noisy than their signs.
    own = np.clip(u[:, 0] / math.sqrt(2), -1.0, 1.0)
    g, best = of_one_head(d, own, y[:, 0]), of_one_head(d, u[:, 0] / (2 * lengths), y[:, 0])
    error, sigmas = mean_and_sigmas(0.5 - lengths**2 * (2 * best * g - g**2))
    assert bound(d, 1, 1) - sigmas <= error <= bound(d, 1, 1) + 5e-4 + sigmas
    layer = (v + g[:, None] * u) / 2
    literal, sigmas = mean_and_sigmas(data.squared_error(data.nearest(x, y), layer))
    assert literal == pytest.approx(error, abs=sigmas)


def test_weights_that_ignore_the_points_have_half():
    x, y = data.orthogonal(np.random.default_rng(5), 1000, 5, 2)
    np.testing.assert_allclose(data.squared_error(data.nearest(x, y), x.mean(axis=2)), 0.5)


def test_a_skip_connection_changes_no_bound_where_heads_have_all_dimensions():
    for d in (3, 8, 12, 64):
        for r in range(1, d):
            for any_value, encoded in ((False, False), (True, False), (False, True), (True, True)):
                common, own = reached_shares(d, r, np.array([1.0]), any_value, encoded)
                assert common + -(-d // r) * own >= 1 - 1e-12


def softmax_part(u: np.ndarray, y: np.ndarray, r: int, a: np.ndarray, c: np.ndarray) -> np.ndarray:
    """The factor of u / sqrt(2) in a layer of softmax heads that each see r coordinates."""
    seen = np.sum((u * y).reshape(len(u), -1, r), axis=2)
    return np.tanh(seen * c) @ a


def test_a_norm_behind_the_layer_breaks_the_bound():
    """What is known of MLPs: they can do no less than bring the sum to one length."""
    rng, d = np.random.default_rng(64), 64
    x, y = data.orthogonal(rng, 20_000, d, 2)
    u, v = ((x[:, :, 0] + sign * x[:, :, 1]) / math.sqrt(2) for sign in (-1, 1))
    a = np.where(np.arange(d) < d / 2, 1 + 2 / d, -1.0)
    assert a.sum() == pytest.approx(1)
    part = softmax_part(u, y, 1, a, 11.2 / a)
    layer = (v + part[:, None] * u) / math.sqrt(2)
    layer *= math.sqrt(1 - 0.126) / np.linalg.norm(layer, axis=1, keepdims=True)
    error, sigmas = mean_and_sigmas(data.squared_error(data.nearest(x, y), layer))
    assert error == pytest.approx(0.126, abs=5e-4 + sigmas)
    assert error + sigmas < bound(d, 1, d) - 0.04
    assert f"fixed length. They have 0.126, where the bound is {bound(d, 1, d):.3f}." in PAGE


def test_at_large_rank_limited_value_weights_do_better_than_the_limit():
    rng = np.random.default_rng(32)
    u, y = data.unit_vectors(rng, 100_000, 64), data.unit_vectors(rng, 100_000, 64)
    part = softmax_part(u, y, 32, np.array([2.0, -1.0]), np.array([3.6, -9.3]))
    error, sigmas = mean_and_sigmas((np.sign(np.sum(u * y, axis=1)) - part) ** 2 / 2)
    assert error == pytest.approx(0.168, abs=5e-4 + sigmas)
    assert bound(64, 32, 2) < error < linear_limit(64, 32, 2) - 0.005 - sigmas
    assert f"{linear_limit(64, 32, 2):.3f} at d = 64" in PAGE
    assert "Two heads of rank 32 with V = 2I and −I have 0.168" in PAGE


@given(d=st.sampled_from([3, 5, 8]), a=st.sampled_from([-0.4, 0.0, 0.7]))
def test_the_coefficients_by_quadrature(d, a):
    found = threshold_coefficients(d, np.array([a]), 6)[:, 0]
    for degree in range(1, 6):

        def product(t, degree=degree):
            top = eval_gegenbauer(degree, d / 2 - 1, 1.0)
            p = eval_gegenbauer(degree, d / 2 - 1, t) / top
            return np.sign(t + a) * p * density_at_zero(d) * (1 - t * t) ** ((d - 3) / 2)

        expected = quad(product, -1, -a)[0] + quad(product, -a, 1)[0]
        assert found[degree - 1] == pytest.approx(expected, abs=1e-7)
    assert (threshold_coefficients(d, np.array([1.0, 1.5, -2.0]), 6) == 0).all()


@given(
    case=st.sampled_from([(4, 2, 2), (8, 3, 4), (8, 8, 1), (64, 32, 2)]),
    any_value=st.sampled_from([False, True]),
)
def test_without_a_bias_it_is_the_bound(case, any_value):
    d, r, h = case
    assert biased_bound(d, r, h, 0.0, any_value) == pytest.approx(
        bound(d, r, h, any_value), abs=1e-4
    )


def test_the_page_has_the_heads_that_theorem_4s_error_takes():
    page = (ROOT / "docs/rank-bound.md").read_text(encoding="utf-8")
    page = page.partition("## The biased target")[2]
    lines = re.findall(r"^\| (\d+) \| (.*) \|$", page, re.M)
    assert [int(d) for d, _ in lines] == [16, 32, 64]
    for d, cells in ((int(d), cells.split(" | ")) for d, cells in lines):
        for r, cell in zip((d // 2, 3 * d // 4, d - 4, d - 2), cells, strict=True):
            (heads,) = heads_needed(d, r, [1 / 20 / d], any_value=True)
            mantissa, _, power = cell.replace(",", "").partition("·10^")
            shown = float(mantissa) * 10.0 ** int(power or 0)
            assert shown <= heads < shown * 1.01 if power else shown == heads
            assert heads > math.exp(d - r)


@pytest.mark.parametrize(("d", "r", "h"), [(6, 1, 1), (8, 2, 2)])
def test_with_any_value_map_a_constant_reaches_degree_2(d, r, h):
    """The sum by its definition, over all degrees, M(r, 0) = 1 among them."""
    tau, total = 1.0, 0.0
    e = energies(d, tau)
    for degree, share in enumerate(e, start=1):
        count = math.comb(d + degree - 2, degree) + math.comb(d + degree - 3, degree - 1)
        around = [j for j in (degree - 2, degree, degree + 2) if j >= 0]
        reached = sum(math.comb(r + j - 1, j) for j in around)
        total += share * max(0.0, 1 - h * reached / count)
    rest = 1 - constant_energy(d, tau) - e.sum()
    found = biased_bound(d, r, h, tau, any_value=True)
    assert total / 2 <= found + 1e-12 <= (total + rest) / 2 + 2e-12


DEGREES = 400
"""Degrees that are added one by one: of those beyond, as much is claimed as at the last."""


LENGTHS = 400
"""Nodes of the mean over the length of a normal vector."""

REACH = 8.0
"""Standard deviations, 1/sqrt(2), of that length that the nodes span to both sides of its mean."""


def lengths(d: int) -> tuple[np.ndarray, np.ndarray]:
    """Nodes rho and weights of the mean over the length of d standard normals."""
    x, w = np.polynomial.legendre.leggauss(LENGTHS)
    low, high = max(0.0, math.sqrt(d) - REACH), math.sqrt(d) + REACH
    rho = low + (high - low) / 2 * (1 + x)
    log = (d - 1) * np.log(rho) - rho**2 / 2
    weights = np.exp(log - log.max()) * w
    return rho, weights / weights.sum()


def energies(d: int, tau: float) -> np.ndarray:
    """e_l for l = 1 .. DEGREES - 1; what is missing to 1 is of degree 0 and of higher degrees."""
    rho, weights = lengths(d)
    squares = threshold_coefficients(d, tau / rho, DEGREES) ** 2 @ weights
    return np.exp(log_harmonics(d, np.arange(1.0, DEGREES))) * squares


def constant_energy(d: int, tau: float) -> float:
    """e_0: the mean of (E sgn(t + tau / rho))^2."""
    rho, weights = lengths(d)
    a = np.minimum(np.abs(tau) / rho, 1.0)
    return float(betainc(0.5, (d - 1) / 2, a**2) ** 2 @ weights)


def biased_bound(d: int, r: int, heads: float, tau: float, any_value: bool = False) -> float:
    """No so many generalised heads of rank r have a smaller error over E|f_b|^2 = d.

    Of any norm; for value maps a_h I, or any.
    """
    degree = np.arange(1.0, DEGREES)
    common, own = reached_shares(d, r, degree, any_value)
    left = np.maximum(0.0, 1 - common - heads * own)
    e = energies(d, tau)
    beyond = max(0.0, 1 - constant_energy(d, tau) - e.sum())
    return float(0.5 * (e @ left + beyond * left[-1]))
