"""One check of numbers: every question refuses the same values, in the same words."""

import math
from fractions import Fraction

import numpy as np
import pytest
from few import few

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
MAY_BE_NONE = {
    ("separate d", None),
    ("separate margin", None),
    ("recall age", None),
    ("recall age of largest", None),
}
"""Where None has a meaning of its own."""


def asked_wrongly(questions, wrong):
    """Every question with every wrong value."""
    return [
        pytest.param(*question, value, id=f"{title}, {value!r}"[:60])
        for title, question in questions.items()
        for value in wrong
        if not (value is None and (title, None) in MAY_BE_NONE)
    ]


@few(9, ("name", "ask", "value"), asked_wrongly(WHOLE, NO_NUMBERS + NOT_WHOLE))
def test_what_is_no_whole_number_is_refused(name, ask, value):
    with pytest.raises(ValueError, match=rf"^{name}=.*; allowed: whole numbers from \d+ to "):
        ask(value)


@few(9, ("name", "ask", "value"), asked_wrongly(NUMBERS, [*NO_NUMBERS, -2.5, -math.inf]))
def test_what_is_no_number_in_range_is_refused(name, ask, value):
    with pytest.raises(ValueError, match=rf"^{name}=.*; allowed: numbers (above|from|between) "):
        ask(value)


@pytest.mark.parametrize("value", [0, 3, "sqrt", True, math.nan, 10**400, [1]])
def test_a_norm_that_is_none_is_refused(value):
    with pytest.raises(ValueError, match=r"^norm=.*; allowed: 'sqrt_d', 1$"):
        recall.simulate("linear", n=8, d=4, trials=3, norm=value)


@pytest.mark.parametrize(
    "value", [8, 8.0, np.int64(8), np.uint8(8), np.float32(8), Fraction(8), np.array(8)]
)
def test_a_whole_number_of_any_type_is_taken(value):
    taken = whole_number("n", value, least=1, most=10)
    assert type(taken) is int
    assert taken == 8


@pytest.mark.parametrize("value", [0.5, np.float32(0.5), Fraction(1, 2)])
def test_a_number_of_any_type_is_taken(value):
    taken = number("x", value, "numbers", lambda x: not math.isnan(x))
    assert type(taken) is float
    assert taken == 0.5
