"""Laws of a kernel's parameter: what is measured."""

import numpy as np
import pytest

from attention_separation.any_attention.exact.layers import LAYERS
from attention_separation.any_attention.exact.limits import separates
from attention_separation.any_attention.laws import parameters
from attention_separation.any_attention.laws.parameters import (
    PARAMETERS,
    limit_of_temperatures,
    measured_biases,
    measured_degrees,
)
from attention_separation.any_attention.settings.data import Data
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


def test_the_limit_of_two_temperatures_is_without_c():
    log_n = np.log([10**6, 10**9])
    found = 1.48 * log_n / (log_n - np.log(23))
    assert limit_of_temperatures(found, log_n) == pytest.approx(1.48, rel=1e-12)


def limits():
    (law,) = (law for law in PARAMETERS if law.name == "limit of the temperature")
    return list(law.claims(DATA))


@pytest.mark.parametrize("factor", [0.99, 1.01])
def test_other_temperatures_would_be_found_out(monkeypatch, factor):
    found = parameters._measured_temperatures
    monkeypatch.setattr(
        parameters, "_measured_temperatures",
        lambda layer, data: {n: t * factor for n, t in found(layer, data).items()},
    )  # fmt: skip
    told = [claim for claim in limits() if claim.kind == "number"]
    assert [claim.verdict for claim in told] == ["differs"] * 3


@pytest.mark.parametrize("n", [20_000, 10**12])
def test_a_temperature_that_does_not_fall_would_be_found_out(monkeypatch, n):
    found = parameters._measured_temperatures
    for changed in (1.0, 10.0):
        monkeypatch.setattr(
            parameters, "_measured_temperatures",
            lambda layer, data, to=changed: found(layer, data) | {n: to},
        )  # fmt: skip
        verdicts = {
            claim.verdict for claim in limits() if claim.kind == "statement" and claim.at == n
        }
        assert verdicts == {"differs"}


def test_no_limit_is_judged_where_m_jumps_between():
    jumps = DATA.model_copy(update={"delta": 0.02})
    (law,) = (law for law in PARAMETERS if law.name == "limit of the temperature")
    told = [claim for claim in law.claims(jumps) if claim.kind == "number"]
    assert [claim.verdict for claim in told] == ["undecided"] * 3
