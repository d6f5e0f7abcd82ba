"""From which temperature and which weight a kernel separates: both sides of each."""

import numpy as np
import pytest

from attention_separation.any_attention.layers import LAYERS
from attention_separation.any_attention.least_values import critical_temperatures, least_weights
from attention_separation.any_attention.verdicts import separates
from attention_separation.attention.kernels import KERNELS, exponential
from attention_separation.studies.any_attention.settings import Data

PAPERS = Data(a0=0.01, a1=1.2, b=0.2, c=0.8, classes=20, delta=0.01, at_least=15)


@pytest.mark.parametrize("layer", LAYERS, ids=lambda layer: layer.words)
def test_softmax_separates_below_its_critical_temperature(layer):
    sizes = np.array([200, 2000, 10**6])
    found = critical_temperatures(layer, PAPERS, sizes.tolist())
    for t, n in zip(found, sizes, strict=True):
        for factor, wanted in ((1 - 1e-6, True), (1 + 1e-6, False)):
            kernel = exponential("", "", lambda _, at=t * factor: at, "")
            assert separates(kernel, layer, PAPERS, np.array([n]))[0] == wanted
    assert (np.diff(found) < 0).all()


@pytest.mark.parametrize("name", ["linear", "power_2", "exp_sqrt_d", "elu_plus_one"])
@pytest.mark.parametrize("layer", [LAYERS[0], LAYERS[2]], ids=lambda layer: layer.model)
def test_a_kernel_separates_from_its_least_weight_on(layer, name):
    sizes = np.array([400, 2000])
    weights = least_weights(KERNELS[name], layer, PAPERS, sizes.tolist())
    assert (np.diff(weights) > 0).all()
    above = separates(KERNELS[name], layer, PAPERS, sizes, weights * (1 + 1e-6))
    below = separates(KERNELS[name], layer, PAPERS, sizes, weights * (1 - 1e-6))
    assert above.tolist() == [True, True]
    assert below.tolist() == [False, False]
