"""Laws of a kernel's parameter: what is measured."""

import numpy as np
import pytest

from attention_separation.any_attention.exact.layers import LAYERS
from attention_separation.any_attention.exact.limits import separates
from attention_separation.any_attention.laws import parameters
from attention_separation.any_attention.laws.parameters import (
    PARAMETERS,
    measured_biases,
    measured_degrees,
)
from attention_separation.any_attention.settings.jobs import Data
from attention_separation.attention.kernels import KERNELS, power

DATA = Data(a0=0.01, a1=1.2, b=0.2, c=0.8, classes=20, delta=0.01, at_least=15)


@pytest.mark.parametrize("layer", LAYERS, ids=lambda layer: layer.words)
def test_a_power_separates_from_the_measured_degree_on(layer):
    n = 20_000
    (found,) = measured_degrees(layer, DATA, [n])
    for p, expected in ((found * (1 - 1e-6), False), (found * (1 + 1e-6), True)):
        assert separates(power(p), layer, DATA, np.array([n]))[0] == expected


@pytest.mark.parametrize("layer", LAYERS, ids=lambda layer: layer.words)
def test_a_bias_of_log_n_separates_where_the_measured_one_is_at_most_1(layer):
    sizes = [40, 100, 200]
    found = separates(KERNELS["sigmoid_log_n"], layer, DATA, np.array(sizes))
    assert (found == (measured_biases(layer, DATA, sizes) <= 1)).all()


@pytest.mark.parametrize("law", PARAMETERS, ids=lambda law: law.name)
def test_other_parameters_would_be_found_out(monkeypatch, law):
    for name in ("critical_temperatures", "measured_degrees", "measured_biases"):
        found = getattr(parameters, name)
        monkeypatch.setattr(parameters, name, lambda *of, found=found: found(*of) * 1.001)
    large = [claim.verdict for claim in law.claims(DATA) if claim.at >= 10**6]
    assert large == ["differs"] * 6


def test_the_error_term_falls_with_n_and_is_none_of_what_is_measured():
    (law,) = (law for law in PARAMETERS if law.name == "critical temperature")
    of_layer = [claim for claim in law.claims(DATA) if claim.layer is LAYERS[2]]
    assert [claim.tolerance for claim in of_layer] == sorted(
        (claim.tolerance for claim in of_layer), reverse=True
    )
    # 2 R_0 / R beside log R, R = n / C: at n = 200 R is 25, and 2,500 at 20,000.
    for claim, share in zip(of_layer[::2], (2 / 25, 2 / 2500), strict=False):
        expected = share / np.log(2 / share)
        assert claim.tolerance == pytest.approx(expected, rel=0.25)
