"""What a function of one number is told; a bad formula, which is told once; and sizes that would be
taken for one's own number."""

import math
import traceback

import numpy as np
import pytest

import attention_separation as asep
from attention_separation import recall

OF_NUMBERS = {
    "math.exp": (lambda x: math.exp(x), "it gets arrays, so np.exp for math.exp"),
    "a choice": (lambda x: x if x > 0 else 0, r"it gets arrays, so np.where\(x > 0, x, 0\)"),
    "max": (lambda x: max(x, 0), "np.maximum for max"),
    "features": (asep.features(lambda z: math.exp(z)), "np.exp for math.exp"),
    "rows": (asep.rows(lambda x, counts: math.exp(x)), "np.exp for math.exp"),
}


def test_a_function_of_one_number_is_told_that_it_gets_arrays(subtests):
    for name, (kernel, said) in OF_NUMBERS.items():
        with subtests.test(name):
            with pytest.raises(ArithmeticError, match=said):
                asep.separate(kernel)
            with pytest.raises((ArithmeticError, ValueError), match=said):
                recall.accuracy(kernel, n=8, d=4)


def shown(ask):
    """An error as Python shows it."""
    try:
        ask()
    except Exception:
        return traceback.format_exc()
    raise AssertionError("nothing was raised")


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda: asep.separate("x**"), "column 4: invalid syntax"),
        (lambda: asep.largest_n("log(x - 3)"), "it gives|no finite number|a weight, of score"),
        (lambda: asep.separate(asep.scores(lambda x: -x, name="mine")), "allowed: sums > 0"),
        (lambda: recall.accuracy("x +", n=8, d=4), "column 4: invalid syntax"),
    ],
)
def test_a_fault_is_told_once(ask, said):
    text = shown(ask)
    assert text.count("Error: ") == 1, text
    assert "direct cause" not in text


def test_a_function_of_a_formula_takes_as_many_arguments_as_it_has():
    for text, words in (
        ("exp(x, 2)", r"2 arguments of exp; allowed: exp\(a\)"),
        ("where(x, 1)", r"2 arguments of where; allowed: where\(a, b, c\)"),
        ("maximum(x)", r"1 arguments of maximum; allowed: maximum\(a, b\)"),
    ):
        with pytest.raises(ValueError, match=words):
            asep.separate(text)


def test_what_a_function_raised_itself_is_kept():
    text = shown(lambda: asep.separate(lambda x: x[0, 0, 0]))
    assert text.count("direct cause") == 1
    assert "\nIndexError: " in text


@pytest.mark.parametrize(("name", "words"), [("n", "number of tokens"), ("d", "dimension")])
def test_a_size_with_a_number_of_its_own_is_refused(name, words):
    namespace = {}
    exec(f"def mine(x, {name}=4): return x**{name}", namespace)
    with pytest.raises(ValueError, match=rf"mine: its argument {name} = 4 would get the {words}"):
        asep.separate(namespace["mine"])
    with pytest.raises(ValueError, match="or another name"):
        recall.accuracy(namespace["mine"], n=8, d=4)


@pytest.mark.parametrize("function", ["floor", "ceil", "round"])
def test_whole_numbers_in_formulas(function):
    """By numexpr, by NumPy, and of numbers beyond float64, 1 +- tiny among them."""
    by_numpy = getattr(np, function)
    formula = asep.separate(f"exp(x*{function}(log_n)/10) + {function}(x*3.3 + 2)", n=2000)
    mine = asep.separate(
        lambda x, n: np.exp(x * by_numpy(np.log(n)) / 10) + by_numpy(x * 3.3 + 2), n=2000
    )
    assert formula.probability == pytest.approx(mine.probability, abs=1e-12)
    assert formula.share == pytest.approx(mine.share, rel=1e-12)
    tiny = {"floor": 0, "ceil": 1, "round": 0}[function]
    wide = asep.separate(f"exp(500*x + 900*({function}(exp(0-900*x)) - {tiny}))")
    assert wide.share == pytest.approx(asep.separate("exp(500*x)").share, rel=1e-9)
