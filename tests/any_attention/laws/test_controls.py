"""Laws of P itself."""

import pytest

from attention_separation.any_attention.exact.layers import LAYERS
from attention_separation.any_attention.laws.controls import FLOORS
from attention_separation.any_attention.laws.judged import measured_probabilities
from attention_separation.any_attention.laws.mixture import floor
from attention_separation.any_attention.settings.data import Data
from attention_separation.attention.kernels import KERNELS

DATA = Data(a0=0.01, a1=1.2, b=0.2, c=0.8, classes=20, delta=0.01, at_least=15)


def test_the_floor_of_twenty_classes():
    assert floor(15, LAYERS[0], DATA) == pytest.approx(0.161460, abs=1e-6)
    assert floor(15, LAYERS[2], DATA) == pytest.approx(0.132155, abs=1e-6)


def test_a_kernel_that_is_heard_is_not_as_good_as_none():
    of_none = floor(15, LAYERS[0], DATA)
    for name in ("exp", "power_4", "cosine_softmax_10", "hedgehog_fla"):
        (found,) = measured_probabilities(KERNELS[name], LAYERS[0], DATA, [2000])
        assert found > of_none + 0.01


def test_the_staircase_is_judged_off_its_floor_too():
    (mixture,) = (law for law in FLOORS if law.name == "mixture")
    steps = {round(claim.measured, 6) for claim in mixture.claims(DATA)}
    assert len(steps) >= 10
