"""Formulas beyond float64's range, by decimal numbers of 40 digits that no exponent is too large
for; and in its range, by NumPy."""

import ast
from decimal import Context, Decimal, localcontext

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_separation.own_kernels.formula import FUNCTIONS, parse_formula
from attention_separation.own_kernels.wide_numbers import evaluate, row_weights, wide

EXACT = Context(prec=40, Emax=10**17, Emin=-(10**17))
TINY = Decimal("1e-20")

OPERATIONS = {
    ast.Add: lambda a, b: a + b, ast.Sub: lambda a, b: a - b, ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: a / b, ast.Pow: lambda a, b: a**b,
}  # fmt: skip
CALLS = {
    "exp": Decimal.exp, "log": Decimal.ln, "sqrt": Decimal.sqrt, "abs": abs, "minimum": min,
    "maximum": max, "log1p": lambda a: (1 + a).ln() if a > TINY else a - a * a / 2,
}  # fmt: skip


def literal(node, x):
    """A formula's value, by its definition."""
    match node:
        case ast.Constant(value=value):
            return Decimal(value)
        case ast.Name():
            return x
        case ast.UnaryOp(operand=operand):
            return -literal(operand, x)
        case ast.BinOp(left=left, op=op, right=right):
            return OPERATIONS[type(op)](literal(left, x), literal(right, x))
        case ast.Call(func=ast.Name(id=name), args=arguments):
            return CALLS[name](*[literal(each, x) for each in arguments])


def positive_formulas(deep=4):
    """Texts whose values are above 0 for x > 0: no digits are lost in differences."""
    leaf = st.sampled_from(["x", "2", "0.3", "7", "x", "x"])
    return st.recursive(
        leaf,
        lambda inner: st.one_of(
            st.builds("({} {} {})".format, inner, st.sampled_from("+*/"), inner),
            st.builds("exp({}*{})".format, st.sampled_from(["1", "30", "-30", "-1"]), leaf),
            st.builds("exp({}*log({}))".format, st.sampled_from(["40", "-40"]), leaf),
            st.builds("({})**{}".format, inner, st.sampled_from(["2", "0.5", "25", "-3", "-30"])),
            st.builds("{}({})".format, st.sampled_from(["sqrt", "abs", "log1p"]), inner),
            st.builds("{}({}, {})".format, st.sampled_from(["minimum", "maximum"]), inner, inner),
        ),
        max_leaves=2**deep,
    )


LARGEST_EXPONENT = 1e9
"""Beyond, a 10^-16th of an exponent is a digit of the number."""


@given(positive_formulas(), st.floats(0.01, 400))
def test_a_formula_is_what_decimal_numbers_say(text, x):
    formula = parse_formula(text)
    with localcontext(EXACT):
        wanted = literal(ast.parse(formula.expression, mode="eval").body, Decimal(x))
        wanted_log = float(wanted.ln())
    found = evaluate(formula.expression, {"x": np.array([x])})
    log = (np.log(found.mantissa) + found.exponent).item()
    if abs(wanted_log) < LARGEST_EXPONENT:
        # A power multiplies what its base's exponent was rounded by.
        assert log == pytest.approx(wanted_log, rel=1e-12, abs=1e-9), text


SMALL = {
    "x": 1, "2": 1, "(x + 3)": 1, "exp(x/3)": 1, "(x**2 - x)": 1, "log(x + 2)": 1, "tanh(x)": 1,
    "sin(x)": 1, "cos(2*x)": 1, "where(x > 1, x, 0.5)": 1, "minimum(x, 1)": 1, "expm1(-x)": 1,
    "abs(x - 1.5)": 1, "-x": 1, "log1p(x)": 1, "maximum(x, 2)": 1, "sqrt(x)": 1, "(x == 1)": 1,
}  # fmt: skip


@given(st.sampled_from([*SMALL]), st.sampled_from("+-*/"), st.sampled_from([*SMALL]))
def test_ordinary_numbers_have_numpys_bits(one, operator, other):
    formula = parse_formula(f"{one} {operator} {other}")
    x = np.array([0.25, 1.0, 1.5, 3.7, 12.0])
    names = {name: getattr(np, name) for name in FUNCTIONS}
    with np.errstate(all="ignore"):
        wanted = np.broadcast_to(eval(formula.expression, names, {"x": x}), x.shape)
    found = evaluate(formula.expression, {"x": x}).to_float()
    np.testing.assert_array_equal(np.broadcast_to(found, x.shape), wanted)


OUT_OF_RANGE = {
    # A formula of x = 100, and the sign and the logarithm of its value.
    "exp(10*x)": (1, 1000), "-exp(10*x)": (-1, 1000), "exp(-10*x)": (1, -1000),
    "3*exp(5*x)*exp(5*x)": (1, 1000 + np.log(3)), "exp(20*x)/exp(10*x)": (1, 1000),
    "exp(10*x)**2": (1, 2000), "2**(10*x)": (1, 1000 * np.log(2)), "x**400": (1, 400 * np.log(100)),
    "(0-x)**401": (-1, 401 * np.log(100)), "(0-x)**400": (1, 400 * np.log(100)),
    "exp(10*x) + exp(9.99*x)": (1, 1000 + np.log1p(np.exp(-1))), "sqrt(exp(20*x))": (1, 1000),
    "exp(10*x) - exp(11*x)": (-1, 1100), "log(exp(10*x))": (1, np.log(1000)),
    "log(1 + exp(10*x))": (1, np.log(1000)), "log1p(exp(10*x))": (1, np.log(1000)),
    "expm1(10*x)": (1, 1000), "expm1(-10*x)": (-1, 0), "1/(1 + exp(10*x))": (1, -1000),
    "exp(x**2)*exp(-x**2)": (1, 0), "(x**200)**0.005": (1, np.log(100)),
    "(x**-200)**-0.005": (1, np.log(100)), "tanh(exp(10*x))": (1, 0),
    "minimum(exp(10*x), exp(9*x))": (1, 900), "maximum(0-exp(10*x), 0-exp(9*x))": (-1, 900),
    "where(exp(10*x) > exp(9*x), 2, 3)": (1, np.log(2)),
    "2**2000*x": (1, np.log(100) + 2000 * np.log(2)),
    "where(exp(-10*x) < exp(-9*x), 2, 3)": (1, np.log(2)), "abs(0-exp(10*x))": (1, 1000),
    "1e300*x**4*1e300": (1, 4 * np.log(100) + 600 * np.log(10)),
}  # fmt: skip


def test_numbers_out_of_range(subtests):
    for text, (sign, log) in OUT_OF_RANGE.items():
        with subtests.test(text):
            found = evaluate(parse_formula(text).expression, {"x": np.array([100.0])})
            assert np.sign(found.mantissa) == sign
            assert np.log(np.abs(found.mantissa)) + found.exponent == pytest.approx(log, rel=1e-12)


WITHOUT_END = [
    ("exp(10*x) - exp(10*x)", 0.0), ("0*exp(10*x)", 0.0), ("0**x", 0.0), ("x**0", 1.0),
    ("1/(x - 100)", np.inf), ("log(0*x)", -np.inf), ("log(0-x)", np.nan),
    ("(0-x)**0.5", np.nan), ("sqrt(0-exp(10*x))", np.nan), ("exp(exp(exp(x)))", np.inf),
    ("exp(0-exp(exp(x)))", 0.0), ("sin(exp(10*x))", np.nan),
]  # fmt: skip


def test_what_is_no_number_or_has_no_end():
    for text, value in WITHOUT_END:
        found = evaluate(parse_formula(text).expression, {"x": np.array([100.0])})
        np.testing.assert_array_equal(found.to_float(), [value], text)


def test_rows_are_over_the_largest_of_keys_that_exist():
    logs = np.array([[5000.0, 4000.0, 3999.0], [-4000.0, -4001.0, 1e6], [0.0, 1.0, 2.0]])
    exists = np.array([[False, True, True], [True, True, False], [True, True, True]])
    with np.errstate(over="ignore"):
        found = row_weights(wide(np.ones((3, 3)), logs), exists)
    shares = np.where(exists, found, 0) / np.where(exists, found, 0).sum(axis=1, keepdims=True)
    e = np.exp(-1)
    wanted = [[0, 1 / (1 + e), e / (1 + e)], [1 / (1 + e), e / (1 + e), 0]]
    np.testing.assert_allclose(shares[:2], wanted, rtol=1e-12)
    # Plain numbers stay as they are.
    np.testing.assert_array_equal(found[2], np.exp(logs[2]))
