"""How loud the special token is for kernels of vectors: against weights of exact rows."""

import numpy as np
import pytest
from any_attention.laws.test_loudness import DATA, SIZES, of_rows

from attention_separation.any_attention.laws.bounded import DEAF
from attention_separation.any_attention.laws.judged import ELU, IDENTITY
from attention_separation.any_attention.laws.vectors import of_features, of_vectors
from attention_separation.attention.kernels import KERNELS

FAMILIES = {
    **DEAF,
    **{name: of_vectors(of_features(name)) for name in ("exp_features", "focused_3")},
}


@pytest.mark.parametrize("layer", IDENTITY, ids=lambda layer: layer.words)
@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("weight", [0.0, 7.5])
def test_kernels_of_vectors(name, layer, weight):
    on_d1, on_d0, own = of_rows(KERNELS[name], layer, weight)
    found = FAMILIES[name](layer, DATA, np.array(SIZES), weight)
    np.testing.assert_allclose(found.on_d1, on_d1, rtol=1e-9, atol=1e-10)
    np.testing.assert_allclose(found.on_d0, on_d0, rtol=1e-9, atol=1e-10)
    np.testing.assert_allclose(found.own, own, rtol=1e-9)


@pytest.mark.parametrize("layer", IDENTITY, ids=lambda layer: layer.words)
def test_elu_plus_one_in_closed_form(layer):
    sizes = np.array(SIZES)
    closed = ELU[1](layer, DATA, sizes, 3.0)
    found = of_vectors(of_features("elu_plus_one"))(layer, DATA, sizes, 3.0)
    for one, other in zip(
        (closed.on_d1, closed.on_d0, closed.own), (found.on_d1, found.on_d0, found.own), strict=True
    ):
        np.testing.assert_allclose(one, other, rtol=1e-9)
