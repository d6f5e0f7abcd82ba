"""All questions answer the same whatever NumPy is told to do with errors of floating point."""

import numpy as np
import pytest

import attention_separation as asep
from attention_separation import needle, recall
from attention_separation.__main__ import main

QUESTIONS = {
    "separate": lambda: asep.separate("exp", n=2000, margin=0.1).probability,
    "margin": lambda: asep.separate("hedgehog").margin,
    "after the signs": lambda: asep.separate("power_8").probability_after_signs,
    "each bias": lambda: asep.separate("exp_sqrt_d").probability_each_bias,
    "compare": lambda: asep.compare([*asep.kernels], [20, 10**12])["probability"].sum(),
    "largest_n": lambda: asep.largest_n("exp(x/0.001)"),
    "spans": lambda: asep.spans("ssmax", "cross_attention"),
    "critical_temperature": lambda: asep.critical_temperature(2000),
    "least_degree": lambda: asep.least_degree(2000),
    "least_weight": lambda: asep.least_weight("linear", 2000),
    "success": lambda: asep.success({"fires": "exp", "silent": ["x**3"]}).probability,
    "simulate": lambda: asep.simulate("exp", n=40, trials=50).successes,
    "at_temperature": lambda: asep.separate(asep.at_temperature("rbf", 3)).probability,
    "limit": lambda: [needle.limit(name, 5, 512) for name in ("linear", "bayes")],
    "critical_n": lambda: [needle.critical_n(name, 5) for name in ("uniform", "exp", "bayes")],
    "sink_limit": lambda: needle.sink_limit(10, 2048, 512),
    "accuracy": lambda: recall.accuracy("exp", 64, 16).value,
    "recall's largest_n": lambda: recall.largest_n(recall.decay("linear", 0.9), 16),
    "recall's simulate": lambda: recall.simulate("rbf", 8, 4, trials=20).value,
}


def test_no_answer_depends_on_the_callers_seterr(subtests):
    for name, ask in QUESTIONS.items():
        with subtests.test(name):
            # First: what was asked before may be remembered.
            with np.errstate(all="raise"):
                found = ask()
            assert found == ask()


# What the command line says of words that it does not take.


def said_of(arguments, capsys):
    with pytest.raises(SystemExit):
        main(arguments)
    return capsys.readouterr().err


def test_a_formula_that_begins_with_a_minus_is_told_of_two_of_them(capsys):
    for words in (
        ["separate", "-x**2"],
        ["largest-n", "exp", "-(x-3)"],
        ["needle", "-x", "--mu", "5"],
        ["recall", "-x", "--d", "16"],
    ):
        formula = next(word for word in words if word.startswith("-"))
        assert f"begins with a minus comes after --: -- {formula}" in said_of(words, capsys)
    # Of a number below 0 nothing is said.
    assert "minus" not in said_of(["separate", "exp", "--theta", "-1", "--nothing", "-2"], capsys)
