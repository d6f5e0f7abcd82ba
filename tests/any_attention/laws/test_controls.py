"""Laws of P itself."""

import math

import numpy as np
import pytest

from attention_separation.any_attention.exact.layers import LAYERS
from attention_separation.any_attention.exact.values import best_probabilities
from attention_separation.any_attention.laws import mixture
from attention_separation.any_attention.laws.controls import FLOORS
from attention_separation.any_attention.laws.mixture import control, floor
from attention_separation.any_attention.laws.predictions import as_none_from
from attention_separation.any_attention.laws.test_cases import (
    EXPONENTIALS,
    LINEAR,
    POWERS,
    measured_probabilities,
)
from attention_separation.any_attention.settings.jobs import Data
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


@pytest.mark.parametrize("layer", LAYERS[:2], ids=lambda layer: layer.words)
@pytest.mark.parametrize("pair", [LINEAR, POWERS[2], POWERS[3]], ids=lambda pair: pair[0].name)
@pytest.mark.parametrize("classes", [10, 20, 31])
def test_from_when_on_a_kernel_is_as_good_as_none_by_asking_at_every_n(layer, pair, classes):
    data = DATA.model_copy(update={"classes": classes})
    every = np.arange(1, 6000 // classes) * classes
    found = best_probabilities(pair[0], layer, data, every.tolist())
    of_none = np.array([control(data.m(n), layer, data) for n in every.tolist()])
    last = every[np.abs(found - of_none) > 1e-12][-1]
    # Of few classes there are few tokens, and shifts of order 1 / n^2.
    assert abs(as_none_from(pair[1], layer, data) - last - classes) <= classes


def test_from_when_on_it_is_as_good_as_none_in_closed_form():
    # K = 20, m = 15: the best level is 4 of 20, and from 2 a1's is lifted over it; rho is 1.
    level, louder, by_d0 = 0.04, 2.2**8, 1.01**8
    n = 20 / 0.4 * (louder * (1.4 - level) - by_d0 * (0.21 - level))
    assert as_none_from(POWERS[8][1], LAYERS[1], DATA) == pytest.approx(n, rel=0.005)
    assert as_none_from(EXPONENTIALS[1.0][1], LAYERS[1], DATA) == math.inf


@pytest.mark.parametrize("factor", [0.95, 1.05])
def test_another_step_between_levels_would_be_found_out(monkeypatch, factor):
    (law,) = (law for law in FLOORS if law.name == "equal to uniform from n on")
    levels = mixture._levels
    monkeypatch.setattr(mixture, "_levels", lambda *of: levels(*of) * factor)
    verdicts = [claim.verdict for claim in law.claims(DATA)]
    applicable = len(verdicts) - verdicts.count("not applicable")
    assert verdicts.count("differs") >= applicable / 2


def verdicts_of(law, changes, **of):
    (law,) = (one for one in FLOORS if one.name == law)
    claims = law.claims(DATA.model_copy(update=changes))
    return [c.verdict for c in claims if all(getattr(c, name) == x for name, x in of.items())]


def test_what_is_not_yet_or_not_in_order_as_good_as_none_is_not_applicable():
    # With 62 classes x^2 still lifts a level at n = 2,000 with X = I.
    at = {"kernel": "power_2", "layer": LAYERS[0]}
    assert verdicts_of("equal to uniform", {"classes": 62}, **at)[0] == "not applicable"
    assert verdicts_of("equal to uniform", {}, **at) == ["agrees"] * 3
    # D0's special token, nearly as large as D1's, is then above D1's ordinary rows.
    assert verdicts_of("equal to uniform", {"a0": 1.1}, **at) == ["not applicable"] * 3


def test_a_special_token_that_ordinary_rows_hardly_hear_is_not_as_good_as_none():
    changes = {"a1": 1.06, "b": 0.3, "c": 0.54, "classes": 7}
    found = verdicts_of("equal to uniform", changes, kernel="focused_3", layer=LAYERS[0])
    assert found == ["not applicable"] * 3


def test_a_step_of_the_staircase_is_not_applicable():
    # f is 1/2 at a1 = 1, and the states of level -4 are at the threshold's 18.
    found = verdicts_of("mixture", {"a1": 1.0}, kernel="exp", layer=LAYERS[2])
    assert found[0] == "not applicable"
