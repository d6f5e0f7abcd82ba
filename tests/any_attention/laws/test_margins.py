"""Laws of the margin."""

import math

from attention_separation.any_attention.exact.layers import LAYERS
from attention_separation.any_attention.laws.judged import LINEAR
from attention_separation.any_attention.laws.margins import _margins_of
from attention_separation.any_attention.laws.predictions import margin
from attention_separation.any_attention.settings.data import Data

DATA = Data(a0=0.01, a1=1.2, b=0.2, c=0.8, classes=20, delta=0.01, at_least=15)


def test_the_level_follows_m():
    for layer in LAYERS:
        for n in (10**6, 10**7, 10**9):
            (found,) = _margins_of(LINEAR[0], layer, DATA, [n])
            assert math.isclose(margin(LINEAR[1], layer, DATA, n), n * found, rel_tol=1e-5)


def test_no_margin_where_float64_resolves_none():
    (found,) = _margins_of(LINEAR[0], LAYERS[0], DATA, [10**13])
    assert math.isnan(found)
