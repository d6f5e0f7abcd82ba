"""Laws of a kernel's parameter: what is measured."""

import numpy as np
import pytest

from attention_separation.any_attention.exact.layers import LAYERS
from attention_separation.any_attention.exact.limits import separates
from attention_separation.any_attention.laws.parameters import measured_bias, measured_degree
from attention_separation.any_attention.settings.data import Data
from attention_separation.attention.kernels import KERNELS, power

DATA = Data(a0=0.01, a1=1.2, b=0.2, c=0.8, classes=20, delta=0.01, at_least=15)


@pytest.mark.parametrize("layer", LAYERS, ids=lambda layer: layer.words)
def test_a_power_separates_from_the_measured_degree_on(layer):
    n = 20_000
    found = measured_degree(layer, DATA, n)
    for p, expected in ((found * (1 - 1e-6), False), (found * (1 + 1e-6), True)):
        assert separates(power(p), layer, DATA, np.array([n]))[0] == expected


@pytest.mark.parametrize("layer", LAYERS, ids=lambda layer: layer.words)
def test_a_bias_of_log_n_separates_where_the_measured_one_is_at_most_1(layer):
    for n in (40, 100, 200):
        found = separates(KERNELS["sigmoid_log_n"], layer, DATA, np.array([n]))[0]
        assert found == (measured_bias(layer, DATA, n) <= 1)
