"""Laws of the margin."""

import math

import pytest

from attention_separation.any_attention.layers import LAYERS
from attention_separation.attention.kernels import KERNELS
from attention_separation.studies.any_attention.laws.margins import margin_claim, margins_of
from attention_separation.studies.any_attention.settings import Data

DATA = Data(a0=0.01, a1=1.2, b=0.2, c=0.8, classes=20, delta=0.01, at_least=15)


def test_no_margin_where_float64_resolves_none():
    (found,) = margins_of(KERNELS["linear"], LAYERS[0], DATA, [10**13])
    assert math.isnan(found)


@pytest.mark.parametrize("a1", [1.0, 1.2])
def test_shares_between_small_and_1_have_margins_too(a1):
    """Of e^(x/2) the share is 3 % at 10^6; of e^x in cross-attention 1/2 at a1 = 1."""
    data, n = DATA.model_copy(update={"a1": a1}), 10**6
    for name, layer in (("exp_half", LAYERS[0]), ("exp", LAYERS[2])):
        (found,) = margins_of(KERNELS[name], layer, data, [n])
        claim = margin_claim(KERNELS[name], layer, data, n, found)
        assert claim.verdict == "agrees", claim
        assert claim.tolerance < 1e-3


def test_a_threshold_below_what_d0s_special_token_makes_of_a_level():
    """Columns with that are lost, and half is left: a large a0 makes the difference."""
    changes = {"a0": 0.2, "a1": 1.12, "b": 0.31, "c": 1.14, "classes": 8, "at_least": 40}
    data, n = DATA.model_copy(update=changes), 10**6
    (found,) = margins_of(KERNELS["exp"], LAYERS[1], data, [n])
    claim = margin_claim(KERNELS["exp"], LAYERS[1], data, n, found)
    assert claim.difference > 1e-5
    assert claim.verdict == "agrees"
    assert claim.tolerance < 1e-3


def test_a_margin_of_states_that_are_not_in_order_is_not_applicable():
    changes = {"a0": 0.2, "a1": 1.17, "b": 0.43, "c": 1.0, "classes": 16, "delta": 0.1}
    data, n = DATA.model_copy(update=changes), 10**10
    (found,) = margins_of(KERNELS["exp_half"], LAYERS[0], data, [n])
    claim = margin_claim(KERNELS["exp_half"], LAYERS[0], data, n, found)
    assert claim.difference > 0.01
    assert claim.verdict == "not applicable"
