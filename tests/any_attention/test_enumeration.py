"""What every kernel can do, from its formula: n x n attention, all places and all sign matrices."""

from dataclasses import dataclass
from functools import cache

import numpy as np
import pytest
from enumerated_signs import SAME, enumerate_signs
from literal_layers import literal_scores

from attention_separation.any_attention.layers import LAYERS
from attention_separation.any_attention.values import separate
from attention_separation.attention.kernels import KERNELS
from attention_separation.studies.any_attention.settings import Data

TARGETS = (0.02, 0.1, 0.3)
"""Probabilities of margins, beside half of exp's best one."""


@dataclass(frozen=True)
class Case:
    """Data so small that all its sign matrices are gone through, m by its n."""

    data: Data
    m: dict[int, int]


CASES = {
    # Of hardmax some scores are 0, or rounded to more.
    "two classes": Case(
        Data(a0=0.6, a1=0.9, b=0.3, c=0.6, classes=2, delta=0.5, at_least=2), {2: 2, 4: 2, 12: 3}
    ),
    "three classes": Case(
        Data(a0=0.3, a1=1.2, b=0.2, c=0.8, classes=3, delta=0.6, at_least=1), {3: 1, 6: 2}
    ),
    # With uniform weights some scores tie the threshold c + 0.1.
    "four classes, a0 > a1": Case(
        Data(a0=1.2, a1=0.4, b=0.4, c=0.7, classes=4, delta=0.5, at_least=1), {4: 2}
    ),
    "one class": Case(
        Data(a0=0.1, a1=0.9, b=0.5, c=0.4, classes=1, delta=0.9, at_least=3), {3: 3}
    ),
}  # fmt: skip


@cache
def enumerated(name, layer, case, n):
    """And the share of the special token on D1."""
    data = CASES[case].data
    (d0, _), (d1, share) = (literal_scores(name, layer, data, n, dataset) for dataset in (0, 1))
    np.testing.assert_allclose(share, share[0], rtol=1e-12)
    return enumerate_signs(d0, d1, CASES[case].m[n]), share[0]


@pytest.mark.parametrize("case", CASES)
def test_every_quantity_over_all_sign_matrices(subtests, case):
    """Of every kernel, each in one of the layers: in every one over the cases."""
    shift = [*CASES].index(case)
    for k, name in enumerate(KERNELS):
        layer = LAYERS[(shift + k) % len(LAYERS)]
        with subtests.test(f"{name}, {layer.words}"):
            hold(layer, case, name)


def hold(layer, case, name):
    """All n at once, each with several targets of its margin."""
    data = CASES[case].data
    sizes = [n for n in CASES[case].m for _ in range(1 + len(TARGETS))]
    targets = np.concatenate(
        [(enumerated("exp", layer, case, n)[0].best() / 2, *TARGETS) for n in CASES[case].m]
    )
    found = separate(KERNELS[name], layer, data, sizes, 2 * targets)
    assert found.resolved.all()
    theta = 0.9 if layer.model == "cross_attention" else data.c + 0.1
    for k, n in enumerate(sizes):
        wanted, share = enumerated(name, layer, case, n)
        best = wanted.best()
        low, high = found.theta_low[k], found.theta_high[k]
        assert found.p_best[k] == pytest.approx(best, abs=1e-12)
        assert np.isnan([low, high]).all() == (found.p_best[k] == 0)
        if found.p_best[k] > 0:
            assert wanted.at((low + high) / 2) == pytest.approx(best, abs=1e-12)
            assert high - low == pytest.approx(wanted.widest_best(), abs=SAME)
        assert found.p_paper[k] == pytest.approx(wanted.at(theta), abs=1e-12)
        assert found.p_after_y[k] == pytest.approx(wanted.after_signs(), abs=1e-12)
        assert found.p_each_bias[k] == pytest.approx(wanted.each_bias, abs=1e-12)
        assert wanted.widest_margin_is(found.margin[k], best / 2 if best > 1e-12 else 2)
        assert wanted.widest_margin_is(found.margin_of_exp[k], targets[k])
        assert found.share[k] == pytest.approx(share, rel=1e-11)
