"""One check of numbers: every question refuses the same values, in the same words."""

import inspect
import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import attention_separation as asep
from attention_separation import needle, recall
from attention_separation.messages.number_check import number, whole_number

NO_NUMBERS = [None, "8", True, np.True_, [8], np.array([8, 9]), {}, 8j, math.nan, np.float32("nan")]
NOT_WHOLE = [1.5, np.float32(2.5), Fraction(5, 2), math.inf, -math.inf, 10**400, -1]

WHOLE = {
    "separate n": ("n", lambda x: asep.separate("exp", n=x)),
    "separate d": ("d", lambda x: asep.separate("exp", n=200, d=x)),
    "simulate trials": ("trials", lambda x: asep.simulate("exp", trials=x)),
    "simulate seed": ("seed", lambda x: asep.simulate("exp", trials=1, seed=x)),
    "needle n": ("n", lambda x: needle.limit("exp", 5, x)),
    "sink n": ("n", lambda x: needle.sink(5, x)),
    "sink right_at": ("right_at", lambda x: needle.sink_limit(5, 8, x)),
    "recall n": ("n", lambda x: recall.accuracy("linear", n=x, d=4)),
    "recall d": ("d", lambda x: recall.accuracy("linear", n=8, d=x)),
    "recall seed": ("seed", lambda x: recall.accuracy("linear", n=8, d=4, seed=x)),
    "recall age": ("age", lambda x: recall.accuracy("linear", n=8, d=4, age=x)),
    "recall age of largest": ("age", lambda x: recall.largest_n("linear", 4, age=x)),
    "recall window": ("size", lambda x: recall.window("linear", x)),
}
NUMBERS = {
    "separate a0": ("a0", lambda x: asep.separate("exp", n=200, a0=x)),
    "separate margin": ("margin", lambda x: asep.separate("exp", n=200, margin=x)),
    "needle mu": ("mu", lambda x: needle.limit("exp", x, 8)),
    "critical mu": ("mu", lambda x: needle.critical_n("exp", x)),
    "sink prior": ("prior", lambda x: needle.sink(5, 8, x)),
    "recall cosine": ("cosine", lambda x: recall.accuracy("linear", n=8, d=4, cosine=x)),
    "recall decay": ("factor", lambda x: recall.decay("linear", x)),
    "recall beta": ("beta", recall.delta),
    "recall level": ("level", lambda x: recall.largest_n("linear", 8, x)),
}
MAY_BE_NONE = {"separate d", "separate margin", "recall age", "recall age of largest"}
"""Where None has a meaning of its own."""


def hold_refused(subtests, questions, wrong, words):
    """Every question refuses every wrong value by its parameter's name, and by what is allowed."""
    for title, (name, ask) in questions.items():
        for value in wrong:
            if value is None and title in MAY_BE_NONE:
                continue
            refused = pytest.raises(ValueError, match=rf"^{name}=.*; allowed: {words} ")
            with subtests.test(f"{title}, {value!r:.60}"), refused:
                ask(value)


def test_what_is_no_whole_number_is_refused(subtests):
    hold_refused(subtests, WHOLE, NO_NUMBERS + NOT_WHOLE, r"whole numbers from \d+ to")


def test_what_is_no_number_in_range_is_refused(subtests):
    wrong = [*NO_NUMBERS, -2.5, -math.inf]
    hold_refused(subtests, NUMBERS, wrong, "numbers (above|from|between)")


def test_a_norm_that_is_none_is_refused():
    for value in (0, 3, "sqrt", True, math.nan, 10**400, [1]):
        with pytest.raises(ValueError, match=r"^norm=.*; allowed: 'sqrt_d', 1$"):
            recall.simulate("linear", n=8, d=4, trials=3, norm=value)


def test_a_whole_number_of_any_type_is_taken():
    for value in (8, 8.0, np.int64(8), np.uint8(8), np.float32(8), Fraction(8), np.array(8)):
        taken = whole_number("n", value, least=1, most=10)
        assert (type(taken), taken) == (int, 8), value


def test_both_ends_are_allowed_and_nothing_beyond_them():
    assert [whole_number("n", end, least=2, most=10) for end in (2, 10)] == [2, 10]
    for beyond in (1, 11, 1.999, 10.001):
        with pytest.raises(ValueError, match=f"^n={beyond}; allowed: whole numbers from 2 to 10$"):
            whole_number("n", beyond, least=2, most=10)


def test_a_number_of_any_type_is_taken():
    for value in (0.5, np.float32(0.5), Fraction(1, 2)):
        taken = number("x", value, "numbers", lambda x: not math.isnan(x))
        assert (type(taken), taken) == (float, 0.5), value


# A number of hundreds or thousands of digits is refused in a sentence that names its parameter.

HUGE = {
    "310 digits": 10**310,
    "310 digits below 0": -(10**310),
    "5000 digits": 10**5000,
    "a fraction": Fraction(10**400),
    "a decimal": Decimal("1e400"),
}
SIZES = ("d", "m", "a0", "a1", "b", "c", "split")
QUESTIONS: dict[Callable[..., Any], dict[str, Any]] = {
    asep.separate: {"kernel": "exp", "n": 200},
    asep.success: {"contest": {"fires": "exp", "silent": ["linear"]}, "n": 200},
    asep.compare: {"kernels": ["exp"], "n": [200]},
    asep.largest_n: {"kernel": "linear"},
    asep.critical_temperature: {"n": 200},
    asep.least_degree: {"n": 200},
    asep.least_weight: {"kernel": "linear", "n": 200},
    asep.simulate: {"kernel": "exp", "n": 200, "trials": 2},
    asep.at_temperature: {"kernel": "exp", "temperature": 2.0},
    needle.limit: {"kernel": "exp", "mu": 5, "n": 100},
    needle.critical_n: {"kernel": "exp", "mu": 5},
    needle.sink: {"mu": 5, "n": 100},
    needle.sink_limit: {"mu": 5, "n": 100, "right_at": 50},
}
FREE = ("kernels", "kernel")
"""Parameters whose values are named by what they are."""


def parameters(question: Callable[..., Any]) -> list[str]:
    names = [*inspect.signature(question).parameters]
    more = SIZES if "options" in names or "kwargs" in names else ()
    left_out = {*FREE, "options", "kwargs", "margin" if question is asep.compare else ""}
    return [name for name in dict.fromkeys([*names, *more]) if name not in left_out]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.__name__)
def test_a_huge_number_is_refused_by_its_parameters_name(subtests, question):
    for name in parameters(question):
        for words, value in HUGE.items():
            with subtests.test(f"{name}, {words}"):
                with pytest.raises((ValueError, TypeError)) as error:
                    question(**QUESTIONS[question] | {name: value})
                text = str(error.value)
                assert name in text or name.replace("_", " ") in text
                # The number itself is cut.
                assert len(text) < 600
                assert "too large to convert" not in text
                assert "Exceeds the limit" not in text
