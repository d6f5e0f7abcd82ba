"""Formulas in numbers beyond float64's range: exp(10 * x) is one of them where a score x is 100.

A wide number is mantissa * e^exponent. It is plain where its logarithm is within PLAIN_LOG: its
exponent is then 0, so that ordinary numbers have the same bits as by NumPy. Elsewhere its mantissa
is 1 or -1, and its exponent the logarithm.
"""

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ..attention.kernel import VANISHING, not_quite_0

PLAIN_LOG = 300.0
"""Products and quotients of two plain numbers, to e^300 each, are in float64's range."""


@dataclass(frozen=True, eq=False)
class WideNumbers:
    """mantissa * e^exponent, two arrays of one shape."""

    mantissa: np.ndarray
    exponent: np.ndarray

    def to_float(self) -> np.ndarray:
        """The numbers as float64: 0 or infinite where they are out of range."""
        return self.mantissa * np.exp(self.exponent)

    def over(self, exponent: np.ndarray) -> np.ndarray:
        """The numbers over e^exponent, in float64."""
        return self.mantissa * np.exp(self.exponent - exponent)

    def times(self, counts: np.ndarray) -> "WideNumbers":
        """The numbers, each multiplied by a count."""
        return wide(self.mantissa * counts, self.exponent)

    def exponents_of_sizes(self) -> np.ndarray:
        """The exponents of the numbers' sizes; -inf for the number 0."""
        return np.where(self.mantissa == 0, -np.inf, self.exponent)


def wide(mantissa: np.ndarray | float, exponent: np.ndarray | float = 0.0) -> WideNumbers:
    """The numbers mantissa * e^exponent as wide numbers, plain ones where they are in range."""
    mantissa, exponent = np.broadcast_arrays(mantissa, exponent)
    log = np.log(np.abs(mantissa)) + exponent
    # 0, infinities and what is no number are plain as well.
    is_plain = (np.abs(log) <= PLAIN_LOG) | ~np.isfinite(log)
    plain = np.where(np.isneginf(log), 0.0, mantissa * np.exp(exponent))
    return WideNumbers(
        mantissa=np.where(is_plain, plain, np.sign(mantissa)),
        exponent=np.where(is_plain, 0.0, log),
    )


def row_weights(numbers: WideNumbers, exists: np.ndarray) -> np.ndarray:
    """Rows of wide weights, (..., T), as float64, each row divided by its largest power of e among
    the keys that exist."""
    exponents = np.where(exists, numbers.exponents_of_sizes(), -np.inf)
    largest = exponents.max(axis=-1, keepdims=True)
    weights = numbers.over(np.where(np.isneginf(largest), 0.0, largest))
    return not_quite_0(weights, (numbers.mantissa > 0) & exists)


def inner_products(queries: WideNumbers, keys: WideNumbers) -> WideNumbers:
    """The inner products (..., R, T) of queries (..., R, F) and keys (..., T, F) of F features."""
    products = _multiply(
        WideNumbers(queries.mantissa[..., :, None, :], queries.exponent[..., :, None, :]),
        WideNumbers(keys.mantissa[..., None, :, :], keys.exponent[..., None, :, :]),
    )
    exponent = products.exponents_of_sizes().max(axis=-1)
    exponent = np.where(np.isneginf(exponent), 0.0, exponent)
    return wide(products.over(exponent[..., None]).sum(axis=-1), exponent)


def evaluate(expression: str, known: Mapping[str, np.ndarray | float]) -> WideNumbers:
    """The value of a formula's expression, given the arrays that its names stand for."""
    with np.errstate(all="ignore"):
        names = {name: wide(np.asarray(values, dtype=float)) for name, values in known.items()}
        return _value(_parsed(expression), names)


@lru_cache(maxsize=256)
def _parsed(expression: str) -> ast.expr:
    """The expression of a formula's text as a syntax tree."""
    return ast.parse(expression, mode="eval").body


def _value(node: ast.expr, names: Mapping[str, WideNumbers]) -> WideNumbers:
    """The value of a part of a formula, given the values of its names."""
    match node:
        case ast.Constant(value=float(value)):
            return wide(value)
        case ast.Name(id=name):
            return names[name]
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return _negative(_value(operand, names))
        case ast.BinOp(left=left, op=op, right=right):
            return OPERATORS[type(op)](_value(left, names), _value(right, names))
        case ast.Call(
            func=ast.Name(id="where"),
            args=[ast.Compare(left=left, ops=[op], comparators=[right]), yes, no],
        ):
            difference = _subtract(_value(left, names), _value(right, names))
            holds = COMPARISONS[type(op)](difference.mantissa, 0.0)
            return _where(holds, _value(yes, names), _value(no, names))
        case ast.Call(func=ast.Name(id=name), args=arguments):
            return WIDE_FUNCTIONS[name](*[_value(argument, names) for argument in arguments])
    raise TypeError(f"{ast.unparse(node)} is no part of a formula")


def _negative(a: WideNumbers) -> WideNumbers:
    return WideNumbers(-a.mantissa, a.exponent)


def _add(a: WideNumbers, b: WideNumbers) -> WideNumbers:
    """a + b, computed over the larger of both powers of e."""
    exponent = np.maximum(a.exponents_of_sizes(), b.exponents_of_sizes())
    exponent = np.where(np.isneginf(exponent), 0.0, exponent)
    return wide(a.over(exponent) + b.over(exponent), exponent)


def _subtract(a: WideNumbers, b: WideNumbers) -> WideNumbers:
    return _add(a, _negative(b))


def _multiply(a: WideNumbers, b: WideNumbers) -> WideNumbers:
    """a * b."""
    return wide(a.mantissa * b.mantissa, a.exponent + b.exponent)


def _divide(a: WideNumbers, b: WideNumbers) -> WideNumbers:
    """a / b."""
    return wide(a.mantissa / b.mantissa, a.exponent - b.exponent)


def _power(a: WideNumbers, b: WideNumbers) -> WideNumbers:
    """a to the power b: by NumPy where both are plain numbers, else by logarithms."""
    power = b.to_float()
    plain = np.power(a.mantissa, power)
    log = power * (np.log(np.abs(a.mantissa)) + a.exponent)
    # NumPy has the powers of 0 and of infinity, too.
    by_numpy = (a.exponent == 0) & ((np.abs(log) <= PLAIN_LOG) | ~np.isfinite(log))
    sign = np.where(a.mantissa < 0, np.power(-1.0, power), 1.0)
    return wide(np.where(by_numpy, plain, sign), np.where(by_numpy, 0.0, log))


def _exp(a: WideNumbers) -> WideNumbers:
    """e^a, whose logarithm is a itself where e^a is beyond the range of plain numbers."""
    log = a.to_float()
    is_plain = np.abs(log) <= PLAIN_LOG
    return wide(np.where(is_plain, np.exp(log), 1.0), np.where(is_plain, 0.0, log))


def _log(a: WideNumbers) -> WideNumbers:
    """log a."""
    return wide(np.log(a.mantissa) + a.exponent)


def _log1p(a: WideNumbers) -> WideNumbers:
    """log(1 + a): by NumPy where a is plain, as log of the sum where it is larger."""
    log1p_of_large = _log(_add(wide(1.0), a))
    log1p = _where(a.exponent > 0, log1p_of_large, wide(np.log1p(a.mantissa)))
    return _or_itself(log1p, a)


def _expm1(a: WideNumbers) -> WideNumbers:
    """e^a - 1: by NumPy where e^a is plain, as a difference of wide numbers elsewhere."""
    log = a.to_float()
    is_plain = np.abs(log) <= PLAIN_LOG
    expm1_of_large = _subtract(_exp(a), wide(1.0))
    expm1 = _where(is_plain, wide(np.expm1(log)), expm1_of_large)
    return _or_itself(expm1, a)


def _or_itself(values: WideNumbers, a: WideNumbers) -> WideNumbers:
    """The values of a function, and a itself where a is too small for float64: there such a
    function equals its argument."""
    return _where(a.exponent < 0, a, values)


def _sqrt(a: WideNumbers) -> WideNumbers:
    """The square root of a."""
    return wide(np.sqrt(a.mantissa), a.exponent / 2)


def _abs(a: WideNumbers) -> WideNumbers:
    return WideNumbers(np.abs(a.mantissa), a.exponent)


def _where(holds: np.ndarray, a: WideNumbers, b: WideNumbers) -> WideNumbers:
    """The numbers of `a` where a condition holds, elsewhere those of `b`."""
    return WideNumbers(
        mantissa=np.where(holds, a.mantissa, b.mantissa),
        exponent=np.where(holds, a.exponent, b.exponent),
    )


def _minimum(a: WideNumbers, b: WideNumbers) -> WideNumbers:
    """The smaller one of a and b, number by number."""
    return _where(_subtract(a, b).mantissa < 0, a, b)


def _maximum(a: WideNumbers, b: WideNumbers) -> WideNumbers:
    """The larger one of a and b, number by number."""
    return _where(_subtract(a, b).mantissa > 0, a, b)


def _tanh(a: WideNumbers) -> WideNumbers:
    return _or_itself(wide(np.tanh(a.to_float())), a)


def _sin(a: WideNumbers) -> WideNumbers:
    return _or_itself(wide(np.sin(a.to_float())), a)


def _cos(a: WideNumbers) -> WideNumbers:
    return wide(np.cos(a.to_float()))


def _to_whole(whole: Callable[[np.ndarray], np.ndarray]) -> Callable[[WideNumbers], WideNumbers]:
    """A rounding function, such as floor, for wide numbers.

    Numbers beyond float64 are whole already. One that is too small for float64 is rounded as the
    smallest number that stands for it: its ceil is 1.
    """

    def of_wide(a: WideNumbers) -> WideNumbers:
        plain = np.where(a.exponent < 0, np.sign(a.mantissa) * VANISHING, a.mantissa)
        return _where(a.exponent > 0, a, wide(whole(plain)))

    return of_wide


OPERATORS: dict[type[ast.operator], Callable[[WideNumbers, WideNumbers], WideNumbers]] = {
    ast.Add: _add, ast.Sub: _subtract, ast.Mult: _multiply, ast.Div: _divide, ast.Pow: _power,
}  # fmt: skip

COMPARISONS: dict[type[ast.cmpop], np.ufunc] = {
    ast.Lt: np.less, ast.LtE: np.less_equal, ast.Gt: np.greater, ast.GtE: np.greater_equal,
    ast.Eq: np.equal, ast.NotEq: np.not_equal,
}  # fmt: skip

WIDE_FUNCTIONS: dict[str, Callable[..., WideNumbers]] = {
    "exp": _exp, "log": _log, "log1p": _log1p, "expm1": _expm1, "sqrt": _sqrt, "abs": _abs,
    "tanh": _tanh, "sin": _sin, "cos": _cos, "minimum": _minimum, "maximum": _maximum,
    "floor": _to_whole(np.floor), "ceil": _to_whole(np.ceil), "round": _to_whole(np.round),
}  # fmt: skip
"""Those of a formula but `where`, by their names there."""
