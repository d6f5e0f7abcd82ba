"""The biased target: its energies by quadrature, its bound at bias 0, and what the page says."""

import math
import re

import numpy as np
import pytest
from biased_bound import biased_bound, constant_energy, energies
from hypothesis import given
from hypothesis import strategies as st
from making import ROOT
from scipy.integrate import quad
from scipy.special import eval_gegenbauer

from attention_separation.rank_bound.bound import bound, heads_needed
from attention_separation.studies.head_rank.constructions.sphere import (
    density_at_zero,
    threshold_coefficients,
)


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
