"""The bound for one layer of low-rank heads: its terms, its limits, and heads that try to beat it.

Random tests have a false-alarm chance below 1e-6 together: they allow for SIGMAS standard errors.
"""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.linalg import null_space
from scipy.special import betainc

from attention_separation.rank_bound.bound import (
    bound,
    correlation,
    energy,
    heads_needed,
    log_dimension,
    log_harmonics,
    reached_shares,
)
from attention_separation.statistics.claims import Verdict
from attention_separation.studies.head_rank.claims import theory_claims, vote_claims
from attention_separation.studies.head_rank.claims.claim import Evidence
from attention_separation.studies.head_rank.constructions import data, sphere

SIGMAS = 6
DIMENSIONS = (8, 16, 32, 64)


def exponents(d: int, degree: int) -> np.ndarray:
    found = [e for e in itertools.product(range(degree + 1), repeat=d) if sum(e) == degree]
    return np.array(found).reshape(-1, d)


class Harmonics:
    """The harmonic homogeneous polynomials of a degree, from the Laplacian alone."""

    def __init__(self, d: int, degree: int):
        self.powers = exponents(d, degree)
        below = {tuple(e): row for row, e in enumerate(exponents(d, degree - 2))}
        laplacian = np.zeros((len(below) if degree > 1 else 0, len(self.powers)))
        for column, power in enumerate(self.powers):
            for axis in np.flatnonzero(power > 1):
                lower = power.copy()
                lower[axis] -= 2
                laplacian[below[tuple(lower)], column] = power[axis] * (power[axis] - 1)
        self.basis = null_space(laplacian) if len(laplacian) else np.eye(len(self.powers))

    def __call__(self, u: np.ndarray) -> np.ndarray:
        """(n, N_l) at points (n, d)."""
        return np.prod(u[:, None, :] ** self.powers, axis=-1) @ self.basis


def fixing(rng: np.random.Generator, k: np.ndarray) -> np.ndarray:
    """A random orthogonal map that leaves the range of K alone."""
    d, r = k.shape
    frame, _ = np.linalg.qr(np.hstack([k, rng.standard_normal((d, d - r))]))
    inner = np.eye(d)
    inner[r:, r:], _ = np.linalg.qr(rng.standard_normal((d - r, d - r)))
    if rng.uniform() < 0.5:
        inner[:, -1] *= -1
    return frame @ inner @ frame.T


def left_alone(rng: np.random.Generator, harmonics: Harmonics, k: np.ndarray) -> np.ndarray:
    """Coefficients (N_l, dim) of the harmonics that rotations about the range of K leave alone."""
    u = data.unit_vectors(rng, 3 * harmonics.basis.shape[1] + 5, len(k))
    maps = [fixing(rng, k) for _ in range(6)]
    return null_space(np.vstack([harmonics(u @ m.T) - harmonics(u) for m in maps]), rcond=1e-9)


CASES = [(d, r, degree) for d in (3, 4) for r in range(1, d) for degree in (1, 2, 3, 5)]
CASES += [(5, 2, 3), (5, 4, 2), (6, 3, 3)]


@given(case=st.sampled_from([*CASES]))
def test_a_head_reaches_so_many_harmonics_and_two_share_so_many(case):
    d, r, degree = case
    rng = np.random.default_rng(d * 100 + r * 10 + degree)
    harmonics = Harmonics(d, degree)
    count = harmonics.basis.shape[1]
    assert math.exp(log_harmonics(d, np.array([degree]))[0]) == pytest.approx(count)
    reached: list[np.ndarray] = []
    for h in range(1, 5):
        reached.append(left_alone(rng, harmonics, rng.standard_normal((d, r))))
        assert reached[-1].shape[1] == pytest.approx(
            math.exp(log_dimension(r, np.array([degree]))[0])
        )
        together = np.linalg.matrix_rank(np.hstack(reached), tol=1e-6)
        common, own = reached_shares(d, r, np.array([float(degree)]), False)
        allowed = count * (common[0] + h * own[0])
        assert together <= allowed + 1e-6
        # Of one direction, and of two heads, no bound can be better; so of lines with odd degree.
        if r == 1 or h <= 2 or (2 * r <= d and degree % 2):
            assert together == min(count, round(allowed))


def test_three_heads_of_more_than_half_the_rank_reach_less_than_two_by_two_they_may():
    # Where this is so a larger bound exists.
    rng = np.random.default_rng(643)
    harmonics = Harmonics(6, 3)
    reached = [left_alone(rng, harmonics, rng.standard_normal((6, 4))) for _ in range(3)]
    common, own = reached_shares(6, 4, np.array([3.0]), False)
    assert np.linalg.matrix_rank(np.hstack(reached), tol=1e-6) == 48
    assert harmonics.basis.shape[1] == 50 < round(50 * float(common[0] + 3 * own[0]))


REACHED = [(3, 1, 1), (3, 1, 3), (3, 2, 3), (4, 1, 3)]
ENCODED = [(3, 2, 3), (4, 1, 1), (4, 2, 3)]


def test_value_maps_and_encodings_that_values_see_reach_neighbouring_degrees(subtests):
    for d, r, degree, any_value, encoded in [
        *((*case, True, False) for case in REACHED),
        *((*case, any_value, True) for case in ENCODED for any_value in (False, True)),
    ]:
        with subtests.test(d=d, r=r, degree=degree, any_value=any_value, encoded=encoded):
            rng = np.random.default_rng(d + r + degree)
            far = 2 if any_value else 1
            every = {j: Harmonics(d, j) for j in range(degree + 2 * far + 2)}
            starts = np.cumsum([0] + [h.basis.shape[1] for h in every.values()])
            own = slice(starts[degree], starts[degree + 1])
            u = data.unit_vectors(rng, 2 * starts[-1], d)
            columns = np.hstack([h(u) for h in every.values()])
            k, w, value = (rng.standard_normal(shape) for shape in ((d, r), d, (d, d)))
            times = np.einsum("ni,ij,nj->n", u, value, u) if any_value else 1
            times = times + u @ w if encoded else times
            parts = {}
            # Without an encoding a head of odd degrees stays among them.
            for j in range(0 if encoded else 1, degree + far + 2, 1 if encoded else 2):
                seen = every[j](u) @ left_alone(rng, every[j], k)
                parts[j] = np.linalg.lstsq(columns, times[:, None] * seen, rcond=None)[0][own]
            assert all(
                np.abs(part).max() < 1e-9 for j, part in parts.items() if abs(j - degree) > far
            )
            count = every[degree].basis.shape[1]
            common, share = reached_shares(d, r, np.array([float(degree)]), any_value, encoded)
            assert encoded or common == 0
            most = min(count, round(float(common[0] + share[0]) * count))
            near = np.linalg.matrix_rank(np.hstack(list(parts.values())), tol=1e-6)
            # For any value map no sharpness is claimed where an encoding is seen.
            assert near <= most if any_value and encoded else near == most


@given(any_value=st.sampled_from([False, True]), case=st.sampled_from(REACHED))
def test_each_fixed_vector_reaches_its_own_of_one_degree_less(case, any_value):
    """Each with a function of its own, as the weights of N points are."""
    d, r, degree = case
    rng = np.random.default_rng(d + r + degree)
    every = {j: Harmonics(d, j) for j in range(degree + 5)}
    starts = np.cumsum([0] + [h.basis.shape[1] for h in every.values()])
    u = data.unit_vectors(rng, 2 * starts[-1], d)
    columns = np.hstack([h(u) for h in every.values()])
    k, w, value = (rng.standard_normal(shape) for shape in ((d, r), (d, 2), (d, d)))
    factors = [np.einsum("ni,ij,nj->n", u, value, u) if any_value else 1.0, *(u @ w).T]
    near = []
    for j in range(degree + 3):
        seen = every[j](u) @ left_alone(rng, every[j], k)
        for times in factors:
            fitted = np.linalg.lstsq(columns, np.reshape(times, (-1, 1)) * seen, rcond=None)[0]
            near.append(fitted[starts[degree] : starts[degree + 1]])
    count = every[degree].basis.shape[1]
    common, own = reached_shares(d, r, np.array([float(degree)]), any_value, 2)
    rank = np.linalg.matrix_rank(np.hstack(near), tol=1e-6)
    most = min(count, round(float(common[0] + own[0]) * count))
    assert rank <= most
    # A second vector has nothing of its own where one dimension is left.
    assert any_value or rank == most or d - r < 2


@given(d=st.sampled_from([2, 3, 4, 8, 17, 64]))
def test_energies(d):
    degrees = [1, 3, 5, 51, 101]
    expected = [sphere.sign_energy(d, degree) for degree in degrees]
    np.testing.assert_allclose(energy(d, np.array(degrees, dtype=float)), expected, rtol=1e-11)


@given(d=st.sampled_from([2, 3, 8, 64, 256]))
def test_the_tail_is_that_of_all_energies_together(d):
    # A bound with no head's harmonics at all is half the sum of all energies.
    from attention_separation.rank_bound.bound import LISTED, _sum_from, listed_degrees

    first = np.array([[2.0 * (LISTED + 4 * d) + 1]])
    tail = _sum_from(first, lambda degree: energy(d, degree))
    assert listed_degrees(d, 1, False, False).energies.sum() + tail[0] == pytest.approx(
        1, abs=1e-13
    )


def by_the_definition(
    d: int, r: int, h: int, any_value: bool, most: int, encoded: bool = False
) -> tuple[float, float]:
    """The sum to a degree in whole numbers, and with all of the rest beside it."""

    def m(r: int, degree: int) -> int:
        return math.comb(r + degree - 1, degree) if r > 0 and degree >= 0 else 0

    share, total, left = d * math.exp(2 * _log_sign(d)), 0.0, 1.0
    for degree in range(1, most, 2):
        count = math.comb(d + degree - 2, degree) + math.comb(d + degree - 3, degree - 1)
        if any_value:
            reached = h * (m(r, degree - 2) + m(r, degree) + m(r, degree + 2))
        else:
            reached = h * m(r, degree) - (h - 1) * m(2 * r - d, degree)
        if encoded:
            reached += h * (m(r, degree - 1) + any_value * m(r, degree))
        total += share * max(0, count - reached) / count
        left -= share
        # s_{l+2} / s_l = -l / (l + d), and N_l as above.
        after = math.comb(d + degree, degree + 2) + math.comb(d + degree - 1, degree + 1)
        share *= after / count * (degree / (degree + d)) ** 2
    return total / 2, (total + left) / 2


def _log_sign(d: int) -> float:
    return math.lgamma(d / 2) - math.lgamma((d + 1) / 2) - math.log(math.pi) / 2


@given(
    case=st.sampled_from(
        [
            (3, 1, 2),
            (3, 1, 40),
            (4, 2, 3),
            (4, 3, 1),
            (6, 4, 2),
            (8, 4, 5),
            (64, 32, 2),
            (64, 8, 64),
        ]
    ),
    any_value=st.sampled_from([False, True]),
)
def test_the_sum_by_its_definition(case, any_value):
    d, r, h = case
    for encoded in (False, True):
        low, high = by_the_definition(d, r, h, any_value, 3001, encoded)
        assert low - 1e-12 <= bound(d, r, h, any_value, encoded) <= high + 1e-12
        assert high - low < 0.05


def test_the_worked_example():
    assert bound(64, 32, 2) == pytest.approx(0.1628, abs=5e-5)
    assert bound(64, 32, 2, any_value=True) == pytest.approx(0.0918, abs=5e-5)


@given(d=st.sampled_from(DIMENSIONS))
def test_at_rank_1_every_head_takes_one_harmonic_of_each_degree(d):
    """H matrices of rank 1 leave at least 1 - H / N_l of a multiple of the identity."""
    odd = range(1, 400, 2)
    share, count = (
        np.array([f(d, k) for k in odd]) for f in (sphere.sign_energy, sphere.harmonics)
    )
    for h in 2 ** np.arange(15):
        left = np.maximum(0.0, 1 - h / count)
        known = 0.5 * (share @ left + (1 - share.sum()) * left[-1])
        assert bound(d, 1, int(h)) == pytest.approx(known, abs=1e-10)


@given(case=st.sampled_from([(3, 1, 2), (8, 1, 8), (64, 1, 64), (64, 32, 2)]))
def test_the_correlation_grows_by_degrees_to_what_the_bound_leaves(case):
    """At r = 1 its part of degree l is s_l^2 min(N_l, H)."""
    d, r, h = case
    parts = [correlation(d, r, np.array([[h]]), degree).item() for degree in (1, 3, 4001)]
    rest = 1 - energy(d, np.arange(1.0, 4002, 2)).sum()
    # Both may end on the same harmonics: then nothing is left but rounding.
    assert -1e-12 <= 1 - 2 * bound(d, r, h) - parts[-1] < rest + 1e-12
    if r == 1:
        terms = [
            sphere.sign_coefficient(d, k) ** 2 * min(sphere.harmonics(d, k), h) for k in (1, 3)
        ]
        assert parts[:2] == pytest.approx(np.cumsum(terms))


@pytest.mark.parametrize("d", [4, 8])
def test_the_largest_correlation_of_one_head_of_rank_1_by_its_conditional_mean(d):
    rng = np.random.default_rng(d)
    u, y = data.unit_vectors(rng, 2, 400_000, d)[..., 0]
    t = u * y / np.sqrt((1 - u**2) * (1 - y**2))
    mean = np.sign(t) * betainc(0.5, (d - 2) / 2, np.minimum(t**2, 1.0))
    found = correlation(d, 1, np.array([[1]]), 999).item()
    assert found == pytest.approx(
        np.mean(mean**2), abs=SIGMAS * np.std(mean**2) / math.sqrt(400_000)
    )


def test_sizes_that_make_no_sense():
    for d, r, h in ((1, 1, 1), (4, 0, 1), (4, 5, 1), (4, 2, 0)):
        with pytest.raises(ValueError, match="allowed"):
            bound(d, r, h)


def features_of_heads(k, u, y, degree) -> np.ndarray:
    """Polynomials of (K_h^T u, y), odd in u: (n, features)."""
    d = u.shape[1]
    of_y = np.hstack([Harmonics(d, j)(y) for j in range(1, degree + 1, 2)])
    found = []
    for own in k:
        seen = u @ own
        polynomials = np.hstack([np.prod(seen[:, None, :] ** exponents(own.shape[1], j), axis=-1)
                                 for j in range(1, degree + 1, 2)])  # fmt: skip
        found.append((polynomials[:, :, None] * of_y[:, None, :]).reshape(len(u), -1))
    return np.hstack(found)


def fitted(rng, count, d, k, degree):
    """The error of the best functions of a sample on another, SIGMAS standard errors, and how many
    numbers were fitted."""
    weights = None
    for _ in range(2):
        u, y = data.unit_vectors(rng, count, d), data.unit_vectors(rng, count, d)
        sign = np.sign(np.sum(u * y, axis=1))
        columns = features_of_heads(k, u, y, degree)
        if weights is None:
            weights = np.linalg.lstsq(columns, sign, rcond=1e-10)[0]
    sample = 0.5 * (sign - columns @ weights) ** 2
    return sample.mean(), SIGMAS * sample.std() / math.sqrt(count), len(weights)


@given(case=st.sampled_from([(3, 1, 2, 5), (4, 2, 2, 3)]))
def test_the_best_pointwise_functions_come_near_it_and_not_below(case):
    """For value maps a_h I the bound is what the best functions of (K_h^T u, y) leave."""
    d, r, h, degree = case
    rng, count = np.random.default_rng(7), 10_000
    k = np.linalg.qr(rng.standard_normal((h, d, r)))[0]
    error, sigmas, numbers = fitted(rng, count, d, k, degree)
    least = bound(d, r, h)
    assert error + sigmas >= least
    # What polynomials of this degree leave beyond it, and what fitting adds.
    degrees = np.arange(degree + 2.0, 4001, 2)
    common, own = reached_shares(d, r, degrees, False)
    beyond = 0.5 * energy(d, degrees) @ np.minimum(1.0, common + h * own)
    assert error < (least + beyond + 1e-3) * (1 + numbers / count) + sigmas


@given(case=st.sampled_from([(8, 1), (8, 4), (64, 32)]), any_value=st.sampled_from([False, True]))
def test_heads_needed_are_the_fewest(case, any_value):
    d, r = case
    errors = [0.4, 0.3, 0.2, 0.1, 0.05]
    found = heads_needed(d, r, errors, any_value)
    assert found == sorted(found)
    for error, h in zip(errors, found, strict=True):
        assert h == 1 or bound(d, r, h - 1, any_value) > error
        assert bound(d, r, h if h < 10**6 else h * (1 + 1e-5), any_value) <= error


def test_many_heads_needed_have_six_digits():
    (found,) = heads_needed(64, 1, [0.01])
    assert found % 10**50 == 0
    assert bound(64, 1, float(found)) > 0.01 > bound(64, 1, found * (1 + 1.1e-5))
    assert heads_needed(64, 64, [0.4, 0.001]) == [1, 1]
    with pytest.raises(ArithmeticError, match="more than"):
        heads_needed(64, 1, [1e-9])


def heads_with(error, rank, kind="linear"):
    """A row of 12 heads of a rank at d = 8, as every table of heads has it."""
    bounds = [float(bound(8, rank, 12, any_value)) for any_value in (False, True)]
    return {
        "d": 8, "rank": rank, "heads": 12, "kind": kind, "rate": 0.03, "quantity": "best",
        "law": "independent", "error": error, "bound": bounds[0], "bound_any_value": bounds[1],
    }  # fmt: skip


CLAIMS_ON_THE_BOUND = [
    # The claim, the table that it is judged on, the heads' rank, and whether value maps are any.
    (vote_claims.RANDOM_HEADS, "features", 1, False),
    (theory_claims.FOUND_HEADS, "found_heads", 2, False),
    (theory_claims.LAYERS_ABOVE_BOUND, "trained_layers", 2, True),
]


@pytest.mark.parametrize("above", [True, False])
def test_a_verdict_refuses_an_error_just_below_the_bound_and_accepts_one_just_above(above):
    off = 1e-9 if above else -1e-9
    verdict = Verdict.AGREES if above else Verdict.DIFFERS
    for claim, table, rank, any_value in CLAIMS_ON_THE_BOUND:
        row = heads_with(float(bound(8, rank, 12, any_value)) + off, rank)
        evidence = Evidence(margin=0.01, level=0.01, seed=1, **{table: [row]})
        assert claim.row(evidence)["verdict"] == verdict, claim.name
    # Theorem 2 has one head of full rank below the bound on those of lower rank.
    low_rank = heads_with(0.5, 2)
    full_rank = heads_with(low_rank["bound_any_value"] - off, 8, "full_rank")
    evidence = Evidence(margin=0.01, level=0.01, seed=1, found_heads=[low_rank, full_rank])
    assert theory_claims.THEOREM_2.row(evidence)["verdict"] == verdict
