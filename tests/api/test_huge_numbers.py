"""A number of hundreds or thousands of digits is refused in a sentence that names its parameter."""

import inspect
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from few import few

import attention_separation as api
from attention_separation import needle

HUGE = {
    "310 digits": 10**310,
    "310 digits below 0": -(10**310),
    "5000 digits": 10**5000,
    "a fraction": Fraction(10**400),
    "a decimal": Decimal("1e400"),
}
SIZES = ("d", "m", "a0", "a1", "b", "c", "split")
QUESTIONS: dict[Callable[..., Any], dict[str, Any]] = {
    api.separate: {"kernel": "exp", "n": 200},
    api.success: {"contest": {"fires": "exp", "silent": ["linear"]}, "n": 200},
    api.compare: {"kernels": ["exp"], "n": [200]},
    api.largest_n: {"kernel": "linear"},
    api.critical_temperature: {"n": 200},
    api.least_degree: {"n": 200},
    api.least_weight: {"kernel": "linear", "n": 200},
    api.simulate: {"kernel": "exp", "n": 200, "trials": 2},
    api.at_temperature: {"kernel": "exp", "temperature": 2.0},
    needle.limit: {"kernel": "exp", "mu": 5, "n": 100},
    needle.critical_n: {"kernel": "exp", "mu": 5},
    needle.sink: {"mu": 5, "n": 100},
    needle.sink_limit: {"mu": 5, "n": 100, "right_at": 50},
}
FREE = ("kernels", "kernel")
"""Parameters whose values are named by what they are."""

TRUTH = (api.compare, "margin")
"""A truth value: anything has one."""


def parameters() -> list[Any]:
    found = []
    for question in QUESTIONS:
        names = [*inspect.signature(question).parameters]
        more = SIZES if "options" in names or "kwargs" in names else ()
        for name in dict.fromkeys([*names, *more]):
            if name not in (*FREE, "options", "kwargs") and (question, name) != TRUTH:
                found.append(pytest.param(question, name, id=f"{question.__name__}-{name}"))
    return found


@pytest.mark.filterwarnings("ignore")
@few(2, "value", HUGE.values(), ids=HUGE)
@few(5, ("question", "name"), parameters())
def test_a_huge_number_is_refused_by_its_parameters_name(question, name, value):
    with pytest.raises((ValueError, TypeError)) as error:
        question(**QUESTIONS[question] | {name: value})
    text = str(error.value)
    assert name in text or name.replace("_", " ") in text
    assert len(text) < 600
    assert "too large to convert" not in text
    assert "Exceeds the limit" not in text
