"""Random features: closed forms against their definitions, and the published computation.

False-alarm budget of the random tests: BUDGET together.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from literal_heads import attention_layer
from scipy.integrate import quad
from scipy.special import eval_gegenbauer
from scipy.stats import binomtest, norm

from attention_separation.studies.head_rank.constructions import (
    data,
    full_rank_head,
    rank_1_heads,
    sphere,
)
from attention_separation.studies.head_rank.constructions.features import SCHEMA, features_table
from attention_separation.studies.head_rank.constructions.published_features import (
    RANDOM_FEATURES,
    published_errors,
)
from attention_separation.studies.head_rank.constructions.rank_1_heads import representing_weight
from attention_separation.studies.head_rank.settings.jobs import FeaturesJob

BUDGET = 1e-6
T = np.linspace(-1, 1, 21)


@given(d=st.sampled_from([3, 4, 8, 30]))
def test_the_polynomials_are_gegenbauers_with_value_1_at_1(d):
    for degree, value in sphere.polynomials(d, T, 12):
        expected = eval_gegenbauer(degree, d / 2 - 1, T) / eval_gegenbauer(degree, d / 2 - 1, 1.0)
        np.testing.assert_allclose(value, expected, atol=1e-12)


def test_in_the_plane_they_are_cosines():
    for degree, value in sphere.polynomials(2, T, 9):
        np.testing.assert_allclose(value, np.cos(degree * np.arccos(T)), atol=1e-12)


@pytest.mark.parametrize("d", [2, 3, 8])
def test_the_coefficients_of_the_sign_by_quadrature(d):
    total = quad(lambda a: np.sin(a) ** (d - 2), 0, np.pi)[0]
    for degree in range(1, 8):

        def product(angle, degree=degree):
            *_, (_, value) = sphere.polynomials(d, np.cos(np.array(angle)), degree + 1)
            return float(np.sign(np.cos(angle)) * value) * np.sin(angle) ** (d - 2)

        found = quad(product, 0, np.pi, points=[np.pi / 2])[0] / total
        assert sphere.sign_coefficient(d, degree) == pytest.approx(found, abs=1e-10)


def test_the_number_of_harmonics():
    assert sphere.harmonics(8, 1) == pytest.approx(8)
    assert sphere.harmonics(8, 3) == pytest.approx(112)
    assert [sphere.harmonics(2, k) for k in (1, 5)] == pytest.approx([2, 2])
    assert [sphere.harmonics(3, k) for k in (1, 5)] == pytest.approx([3, 11])


@given(d=st.sampled_from([2, 3, 8, 64]))
def test_the_degrees_share_the_energy_of_the_sign(d):
    energies = [sphere.sign_energy(d, k) for k in range(1, 4001)]
    assert 0.99 < sum(energies) < 1
    assert rank_1_heads.error_beyond_degree(d, 1) == pytest.approx((1 - energies[0]) / 2)


def test_head_against_target_in_the_plane():
    theta = np.arccos(T)
    nearer = np.minimum(theta, np.pi - theta)
    expected = 0.5 + np.sign(np.pi / 2 - theta) * (0.25 - (nearer / np.pi) ** 2)
    found = rank_1_heads.head_vs_target(2, T, terms=20_001)
    np.testing.assert_allclose(found, expected, atol=1e-12)


def test_the_terms_are_enough():
    for d, tail in ((3, 1e-6), (8, 1e-8), (64, 1e-12)):
        more = rank_1_heads.head_vs_target(d, T, terms=2001)
        np.testing.assert_allclose(rank_1_heads.head_vs_target(d, T), more, atol=tail)


@pytest.mark.parametrize("d", [3, 8])
def test_both_kernels_by_the_layers_they_speak_of(d):
    """Two heads on data of D_2: they give the target, and each other's point, so often."""
    rng, draws = np.random.default_rng(d), 40_000
    pair = rank_1_heads.compromise_heads(2, d, 5, "kernels", str(d))
    x, y = data.orthogonal(rng, draws, d, 2)
    eye = np.eye(d)[None]
    f = data.nearest(x, y)
    given = [
        attention_layer(
            x, y[..., None], k[None, :, None], q[None, :, None], eye, eye, full_rank_head.hardmax
        )[..., 0]
        for q, k in zip(pair.q, pair.k, strict=True)
    ]
    expected = [
        *rank_1_heads.head_vs_target(d, pair.cosines),
        rank_1_heads.head_vs_head(pair.q[:1] @ pair.q[1:].T, pair.k[:1] @ pair.k[1:].T).item(),
    ]
    same = [np.all(a == b, axis=-1).sum() for a, b in ((given[0], f), (given[1], f), given)]
    for count, probability in zip(same, expected, strict=True):
        assert binomtest(int(count), draws, probability).pvalue > BUDGET / 12


def dense(heads):
    c = rank_1_heads.head_vs_head(heads.q @ heads.q.T, heads.k @ heads.k.T)
    return c, rank_1_heads.head_vs_target(heads.q.shape[1], heads.cosines)


@pytest.mark.parametrize("law", rank_1_heads.HEAD_LAWS)
def test_one_factor_gives_the_error_of_every_number_of_heads(law, monkeypatch):
    monkeypatch.setattr(rank_1_heads, "KERNEL_ROWS", 7)
    made = rank_1_heads.HEAD_LAWS[law](40, 6, 1, "solve")
    c, b = dense(made)
    errors, pivot = rank_1_heads.best_errors(made)
    for count in (1, 2, 7, 8, 40):
        expected = 1 - b[:count] @ np.linalg.solve(c[:count, :count], b[:count])
        assert errors[count - 1] == pytest.approx(expected, abs=1e-12)
    assert pivot == pytest.approx(np.diag(np.linalg.cholesky(c)).min() ** 2)
    weights = [np.linalg.solve(c[:count, :count], b[:count]) for count in (1, 8, 40)]
    found = rank_1_heads.errors_of_weights(made, weights)
    np.testing.assert_allclose(found, errors[[0, 7, 39]], atol=1e-12)


def test_the_laws_of_heads():
    made = rank_1_heads.compromise_heads(4000, 5, 2, "law")
    np.testing.assert_allclose(np.linalg.norm(made.k, axis=1), 1)
    t = np.sort(made.cosines)
    # Kolmogorov-Smirnov with the bound of Dvoretzky, Kiefer, Wolfowitz and Massart.
    distance = np.abs((t + 1) / 2 - (np.arange(4000) + 0.5) / 4000).max()
    assert 2 * np.exp(-2 * 4000 * (distance - 1 / 8000) ** 2) > BUDGET / 12
    few = rank_1_heads.compromise_heads(10, 5, 2, "law")
    np.testing.assert_array_equal(few.k, made.k[:10])


def test_with_unit_keys_the_published_computation_is_right():
    made = rank_1_heads.compromise_heads(300, 8, 6, "published")
    best, _ = rank_1_heads.best_errors(made)
    reported, attained = published_errors(made, [1, 100, 300])
    np.testing.assert_allclose(attained, best[[0, 99, 299]], atol=1e-4)
    np.testing.assert_allclose(reported, attained, atol=1e-3)


def test_short_keys_report_less_than_is_attained():
    made = rank_1_heads.compromise_heads(1024, 8, 6, "published", renormalised=False)
    lengths = np.linalg.norm(made.k, axis=1)
    assert lengths.max() <= 1 + 1e-12
    assert lengths.mean() < 0.99
    reported, attained = published_errors(made, [512, 1024])
    right = rank_1_heads.compromise_heads(1024, 8, 6, "published")
    best = rank_1_heads.best_errors(right)[0][[511, 1023]]
    assert np.all(reported < best - 0.005)
    assert np.all(attained > best + 0.005)
    # The published curve, of other draws, whose spread at so many heads is below 0.002.
    np.testing.assert_allclose(reported, RANDOM_FEATURES[8][9:11], atol=0.004)


def test_the_weight_that_represents_the_target_has_no_extra_root():
    """The published plot of it multiplies N_l / s_l by sqrt(N_l) P_l; degree by degree."""
    d, draws = 4, 400_000
    rng = np.random.default_rng(12)
    q, k = data.unit_vectors(rng, 2, draws, d)
    x, y = data.unit_vectors(rng, 2, d)
    signs = np.sign(k @ x) * np.sign(q @ y)
    products = np.sum(q * k, axis=1)
    for terms in (2, 4):
        sample = representing_weight(d, products, terms) * signs
        wanted = sphere.odd_series(
            d, np.array([x @ y]), terms,
            lambda d, k: sphere.harmonics(d, k) * sphere.sign_coefficient(d, k),
        ).item()  # fmt: skip
        spread = sample.std() / np.sqrt(draws)
        assert 2 * norm.sf(abs(sample.mean() - wanted) / spread) > BUDGET / 12
    # At degree 1 the root of N_1 is 2: such a weight gives twice the target.
    alone = representing_weight(d, products, 2) * signs
    spread = alone.std() / np.sqrt(draws)
    target = sphere.harmonics(d, 1) * sphere.sign_coefficient(d, 1) * (x @ y)
    assert abs(2 * alone.mean() - target) > 6 * spread
    published = representing_weight(d, products, 2, published=True)
    np.testing.assert_allclose(published, 2 * representing_weight(d, products, 2))


RUN = {"law": "compromise", "dimensions": [3, 8], "draws": 2, "heads": 20}
JOB = {"seed": 1, "runs": [RUN, {**RUN, "law": "published"}, {**RUN, "draws": 1, "heads": 64}]}


def test_the_table_has_each_draw_once_with_its_most_heads():
    table = features_table(FeaturesJob.model_validate(JOB))
    assert table.schema.equals(SCHEMA)
    rows = table.to_pylist()
    found = {(r["law"], r["quantity"], r["d"], r["draw"], r["heads"]): r["error"] for r in rows}
    assert len(found) == len(rows)
    counts = {k: sorted(h for *key, h in found if key == list(k)) for k in {f[:4] for f in found}}
    assert counts["compromise", "best", 8, 0] == [1, 2, 4, 8, 16, 32, 64]
    assert counts["compromise", "best", 8, 1] == [1, 2, 4, 8, 16]
    assert counts["published", "reported", 3, 1] == [1, 2, 4, 8, 16]
    assert counts["published", "read", 8, None] == [1, 2, 4, 8, 16]
    assert found["published", "read", 8, None, 4] == RANDOM_FEATURES[8][2]
    short = features_table(FeaturesJob.model_validate(JOB | {"runs": [RUN]})).to_pylist()
    for row in short:
        key = tuple(row[name] for name in ("law", "quantity", "d", "draw", "heads"))
        assert found[key] == pytest.approx(row["error"], abs=1e-12)
