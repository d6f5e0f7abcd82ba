"""What people ask of recall: known answers, holes, and what is asked wrongly."""

import math
import re
import subprocess
import sys
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import attention_separation
from attention_separation import recall
from attention_separation.recall.exact.answer import Recall
from attention_separation.recall.exact.reach import LARGEST_N, reach, simulated_reach

KNOWN = [("linear", 16, 10), ("linear", 64, 39), ("exp_sqrt_d", 16, 295)]


@given(case=st.sampled_from(KNOWN))
def test_largest_n(case):
    kernel, d, n = case
    assert recall.largest_n(kernel, d=d, level=0.9) == n
    assert recall.accuracy(kernel, n=n, d=d).value >= 0.9
    assert recall.accuracy(kernel, n=n + 1, d=d).value < 0.9


def test_largest_n_of_softmax_at_64():
    assert recall.largest_n("exp_sqrt_d", d=64) == pytest.approx(774_652, rel=1e-4)


def test_largest_n_of_a_window():
    assert recall.largest_n(recall.window("exp", 40), d=64, level=0.89) == 51


def test_where_the_integral_of_a_decay_is_far_off_the_literal_layer_answers(subtests):
    for kernel, d, n, rewrites in [
        ("linear", 16, 4, 1),
        ("exp_sqrt_d", 16, 4, 1),
        ("exp_sqrt_d", 16, 4, 3),
        ("exp_sqrt_d", 64, 16, 1),
        ("exp_sqrt_d", 64, 16, 3),
    ]:
        with subtests.test(kernel=kernel, d=d, n=n, rewrites=rewrites):
            layer = recall.decay(kernel, 0.99)
            found = recall.accuracy(layer, n, d, rewrites=rewrites, trials=200)
            assert found.kind == "simulated"
            literal = recall.simulate(layer, n, d, rewrites=rewrites, trials=200)
            assert (found.value, found.error) == (literal.value, literal.error)


def flattens(x, n):
    """A kernel that is flat from a million keys on, which a window never shows it."""
    return x**2 if n < 10**6 else 1 + 0 * x


OF_DECAYS = [
    # The layer, the age and the level.
    (recall.decay("linear", 0.8), None, 0.9),
    # At a level that a decay leaves to few ages, the excess over 1/2 falls as 1 / n.
    (recall.decay(recall.window("linear", 12), 0.9), None, 0.501),
    (recall.decay("linear", 0.8), 5, 0.6),
    (recall.decay(recall.window("linear", 1), 0.9), 5, 0.6),
    (recall.decay(recall.window(flattens, 3), 0.8), 0, 0.8),
]


def test_largest_n_is_the_last_that_reaches_the_level(subtests):
    """Of one age a decay's accuracy falls no more once all that it sees is there."""
    ends = []
    for layer, age, level in OF_DECAYS:
        with subtests.test(layer=layer, age=age, level=level):
            last = recall.largest_n(layer, d=16, level=level, age=age)
            ends.append(last)
            sides = {10 if last is None else 10**12: last == math.inf}
            if last not in (None, math.inf):
                sides |= {last: True, last + 1: False}
            for n, reaches in sides.items():
                found = recall.accuracy(layer, n=n, d=16, age=age)
                assert (found.value >= level) == reaches, n
    assert ends[2:] == [math.inf, None, math.inf]


def test_an_accuracy_that_is_the_level_reaches_it(subtests):
    """Of uniform attention's signs it is counted, and of three keys of R^3, whose cosines are
    uniform, a wrong sign has 1 / 8; no n before is below the level."""
    for kernel, d, level, last in [
        ("uniform", 8, 0.65625, 7),
        ("linear", 3, 0.875, 3),
    ]:
        with subtests.test(kernel=kernel, d=d, level=level), warnings.catch_warnings():
            warnings.simplefilter("error")
            assert recall.largest_n(kernel, d, level) == last


def test_an_error_that_leaves_the_level_open_is_said():
    layer = recall.decay("uniform", 0.5)
    with pytest.warns(UserWarning, match=r"leaves open whether it is 0\.9995 at n from \d"):
        recall.largest_n(layer, 8, 0.9995, age=0)


def test_what_no_integral_tells_is_sought_by_simulation():
    with pytest.warns(UserWarning, match=r"exp: simulated: "):
        last = recall.largest_n("exp", 32, 0.9, cosine=0.3, trials=100)
    assert 4 <= last <= 7


def test_largest_n_of_what_is_simulated_says_so():
    with pytest.warns(UserWarning, match=r"delta\(1\): simulated: .* leaves about n = \d+ to \d+"):
        found = recall.largest_n(recall.delta(1), d=16, trials=20_000)
    assert found == pytest.approx(10, abs=1)


def test_no_n_and_every_n():
    assert recall.largest_n("exp", d=64) == math.inf
    assert recall.largest_n("linear", d=16, cosine=0) is None


def test_holes_are_said():
    """A kernel that sharpens with n: with few keys it is flat."""
    with pytest.warns(UserWarning, match="below 0.9 at smaller n too, first at 2 and last at 7"):
        found = recall.largest_n(lambda x, n: x**2 if n > 7 else 1 + 0 * x, d=16)
    assert found == 59


def accuracy_of(value_at):
    return lambda n: Recall(value_at(n), 0.001, "exact")


@given(critical=st.sampled_from([1, 2, 30, 77, 5000, 123_456_789]))
def test_a_known_end(critical):
    found = reach(accuracy_of(lambda n: 0.95 if n <= critical else 0.85), 0.9, 1, LARGEST_N)
    assert (found.last, found.warnings) == (critical, [])


def test_known_holes():
    found = reach(
        accuracy_of(lambda n: 0.85 if 107 <= n <= 411 or n > 9000 else 0.95), 0.9, 1, LARGEST_N
    )
    assert found.last == 9000
    (said,) = found.warnings
    assert "first at 107 and last at 411" in said


def test_a_known_end_by_simulation():
    found = simulated_reach(accuracy_of(lambda n: 0.95 - 0.001 * (n - 20)), 0.9, 1, 10**6)
    assert found.last in (69, 70)
    assert found.low <= 69
    assert found.high >= 70
    assert found.high - found.low < 15
    said = re.search(r"leaves about n = (\d+) to (\d+) open", found.warnings[0])
    assert said.groups() == (str(found.low), str(found.high))
    # Of an error of ten times that, n are sure to 60 and from 81 on: to a step of 8 %.
    rough = simulated_reach(
        lambda n: Recall(0.95 - 0.001 * (n - 20), 0.01, "simulated"), 0.9, 1, 10**6
    )
    assert 55 <= rough.low <= 60
    assert 81 <= rough.high <= 88
    assert simulated_reach(accuracy_of(lambda n: 1.0), 0.9, 1, 10**4).last == math.inf
    assert simulated_reach(accuracy_of(lambda n: 0.6), 0.9, 1, 10**4).last is None


def looked_at(accuracy_at, level=0.66, also=()):
    """What is found of an accuracy that is simulated to 0.0014, and all that is said."""
    asked = []

    def recall_at(n):
        asked.append(n)
        return Recall(accuracy_at(n), 0.0014, "simulated")

    found = simulated_reach(recall_at, level, 1, 10**6, also)
    return found, " ".join(found.warnings), asked


def test_an_island_beyond_the_first_end_is_the_answer():
    found, said, _ = looked_at(lambda n: 0.669 if n <= 13 or 24 <= n <= 32 else 0.64)
    assert found.last == 32
    assert re.search(r"0.66 at n = 1 to 13, below it at n = 1. to 20, at least .* 25 to 32", said)
    assert (found.low, found.high) == (13, 33)


def test_a_hole_before_the_end_is_said():
    def accuracy(n):
        return 0.55 if 30 <= n <= 34 else 0.7 - 0.04 * n / 242.5

    found, said, _ = looked_at(accuracy, also=[32])
    assert found.last == 242
    assert "below it at n = 32, at least 0.66 at n = 40 to " in said
    assert found.low < 30


def test_an_island_within_the_error_is_left_open():
    found, said, _ = looked_at(lambda n: 0.7 if n <= 13 else 0.6605 if 24 <= n <= 32 else 0.6)
    assert found.last == 13
    assert found.low == 13
    assert found.high > 32
    assert f"leaves about n = 13 to {found.high} open" in said


def test_an_island_alone_is_found_where_it_is_looked_for():
    found, said, _ = looked_at(lambda n: 0.7 if 14 <= n <= 18 else 0.6, also=[16, 32])
    assert found.last == 18
    assert "below it at n = 1 to 13, at least 0.66 at n = 16 to 18, below it" in said
    found, said, asked = looked_at(lambda n: 0.6, also=[16, 32])
    assert found.last is None
    assert f"below 0.66 at {len(asked)} n that were looked at, from 1 to 32" in said


def test_it_is_said_which_n_were_looked_at():
    found, said, asked = looked_at(lambda n: 0.7 if n <= 100 else 0.6)
    assert found.last == 100
    assert f"of {len(asked)} n that were looked at, from 1 to 300" in said
    assert "does not only fall" not in said
    assert {126, 158, 200, 251} <= {*asked}


def test_the_largest_n_of_least_squares_is_beyond_the_hole_at_d():
    """Of noisy queries the accuracy is 0.60 at n = d, and 0.67 at n = 12."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        last = recall.largest_n(recall.least_squares(), 8, 0.66, cosine=0.7, trials=300)
    assert 12 <= last <= 24
    sentence = str(said[-1].message)
    assert re.search(r"does not only fall .* at n = 1 to \d, below it at n = [78] to", sentence)


@given(
    layer=st.sampled_from([recall.delta(1), recall.least_squares(), "sparsemax"]),
    trials=st.sampled_from([2, 99]),
)
def test_the_largest_n_of_what_is_simulated_takes_trials(layer, trials):
    allowed = f"trials={trials}; allowed: whole numbers from 100 to"
    with pytest.raises(ValueError, match=allowed):
        recall.largest_n(layer, 16, 0.9, trials=trials, seed=13)


@given(seed=st.sampled_from([1, 13]), age=st.sampled_from([None, 1]))
def test_largest_n_and_accuracy_agree_where_a_decay_leaves_few_keys(seed, age):
    layer = recall.delta(1, 0.5)
    with pytest.warns(UserWarning, match="simulated"):
        last = recall.largest_n(layer, 16, 0.6, trials=2000, seed=seed, age=age)

    def reaches(n):
        return recall.accuracy(layer, n, 16, trials=2000, seed=seed, age=age).value >= 0.6

    if last == math.inf:
        assert reaches(10**12)
    else:
        assert reaches(last)
        assert not reaches(last + 1)


def test_an_interval_of_few_trials_holds_what_is_right_in_most_of_them():
    """None of 100 trials fails by chance where 98 % are right."""
    found = recall.accuracy(recall.delta(1), n=1, d=4, trials=100)
    assert found.value == 1
    assert found.value - found.error < 0.975


def test_what_is_asked_wrongly_is_named(subtests):
    for wrong, said in [
        ({"n": 0}, r"n=0; allowed: whole numbers from 1 to 1,000,000,000,000"),
        ({"n": 2.5}, r"n=2.5; allowed: whole"),
        ({"d": 1}, r"d=1; allowed: whole numbers from 2 to 10,000"),
        ({"age": 8}, r"age=8; allowed: whole numbers from 0 to 7"),
        ({"cosine": 1.5}, r"cosine=1.5; allowed: numbers from -1 to 1"),
        ({"cosine": math.nan}, r"cosine=nan; allowed: numbers"),
        ({"rewrites": -1}, r"rewrites=-1; allowed: whole numbers from 0 to 100"),
        ({"trials": 1}, r"trials=1; allowed: whole numbers from 2"),
        ({"seed": -1}, r"seed=-1; allowed: whole"),
        ({"layer": "linaer"}, r"'linaer' is no kernel; did you mean 'linear'"),
        ({"layer": recall.decay("linear", 0.9999999), "n": 10**9}, r"decay=0.9999999 leaves"),
    ]:
        with subtests.test(wrong=wrong, said=said):
            asked = {"layer": "linear", "n": 8, "d": 4} | wrong
            with pytest.raises(ValueError, match=said):
                recall.accuracy(**asked)
            if "trials" not in asked and asked["layer"] == "linear":
                with pytest.raises(ValueError, match=said):
                    recall.simulate(**asked, trials=3)


def test_what_is_made_wrongly_is_named(subtests):
    for make, said in [
        (lambda: recall.decay("linear", 9e-4), "^factor=0.0009; allowed: numbers from 0.001 to 1"),
        (lambda: recall.decay("linear", 1.1), "^factor=1.1; allowed"),
        (lambda: recall.decay("sparsemax", 0.9), r"decay\(sparsemax\): its weights need more"),
        (
            lambda: recall.decay(recall.delta(1), 0.9),
            r"decay\(delta\(1\)\); allowed: kernels of the score; .* delta\(beta, decay=\)$",
        ),
        (
            lambda: recall.decay(recall.least_squares(), 0.9),
            r"decay\(least_squares\(\)\); allowed: kernels of the score$",
        ),
        (
            lambda: recall.window(recall.delta(1), 3),
            r"window\(delta\(1\)\); allowed: kernels of the score$",
        ),
        (lambda: recall.window("linear", 0), "^size=0; allowed: whole numbers from 1"),
        (lambda: recall.delta(0), "beta=0; allowed: numbers above 0, to 2"),
        (lambda: recall.delta(1, 0), "decay=0; allowed"),
        (lambda: recall.largest_n("linear", 8, 0.5), "level=0.5; allowed: numbers above 0.5"),
        (lambda: recall.largest_n("linear", 8, 1), "level=1; allowed: numbers above 0.5 and below"),
        (lambda: recall.simulate("linear", 8, 4, 3, norm=3), "norm=3; allowed: 'sqrt_d', 1"),
        (
            lambda: recall.simulate("linear", 8, 4, trials=None),
            "trials=None; allowed: whole numbers from 2",
        ),
        (lambda: recall.simulate("linear", 10**7, 64, 3), "allowed: n times d up to 50,000,000"),
        (lambda: recall.accuracy("sparsemax", 10**7, 64), "allowed: n times d up to 50,000,000"),
    ]:
        with subtests.test(make=make, said=said), pytest.raises(ValueError, match=said):
            make()


def test_what_is_no_layer():
    with pytest.raises(TypeError, match="3 is no kernel"):
        recall.accuracy(3, n=8, d=4)


def test_a_numpy_number_is_a_number():
    found = recall.accuracy("linear", n=np.int64(8), d=np.int32(4), cosine=np.float64(0.5))
    assert found == recall.accuracy("linear", n=8.0, d=4, cosine=0.5)


def test_decays_and_windows_go_together():
    layer = recall.decay(recall.window(recall.decay("linear", 0.9), 12), 0.5)
    assert (layer.decay, layer.window) == (0.45, 12)
    assert recall.window(layer, 20).window == 12
    assert layer.name == "window(decay(linear, 0.45), 12)"
    assert recall.decay("linear", 0.001).decay == 0.001


def test_nothing_is_warned_of_a_plain_answer():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        recall.largest_n("linear", d=16)
        recall.accuracy(recall.delta(1), n=8, d=4, trials=1000)


def test_nothing_is_imported_before_it_is_asked_for():
    text = (
        "import sys, attention_separation as asep, attention_separation.recall as recall\n"
        "assert 'accuracy' in dir(recall) and 'recall' in dir(asep) and asep.recall is recall\n"
        "assert 'scipy' not in sys.modules and 'pyarrow' not in sys.modules\n"
        "recall.accuracy('linear', 8, 4), recall.delta(1)\n"
        "assert not {'pyarrow', 'pydantic', 'matplotlib', 'torch'} & sys.modules.keys()\n"
    )
    subprocess.run([sys.executable, "-c", text], check=True, env={"PYTHONPATH": ":".join(sys.path)})
    with pytest.raises(AttributeError, match="no attribute 'limits'"):
        recall.limits  # noqa: B018
    assert "recall" in attention_separation.__all__
