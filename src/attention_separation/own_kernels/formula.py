"""Formulas of a user's kernels: what they may say, and where one does not.

They are read with Python's own parser and written anew from the few nodes that are allowed, so that
nothing else is ever evaluated.
"""

import ast
import re
import sys
import warnings
from typing import NamedTuple

from ..settings.words import short_repr, suggestion

NAMES = ("x", "n", "d", "log_n")
FUNCTIONS = {
    "where": 3, "exp": 1, "log": 1, "log1p": 1, "expm1": 1, "sqrt": 1, "tanh": 1, "abs": 1,
    "sin": 1, "cos": 1, "minimum": 2, "maximum": 2,
}  # fmt: skip
"""Those of numexpr that a formula may call, with their numbers of arguments."""

OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow)
COMPARISONS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)
ALLOWED = (
    f"{', '.join(NAMES)}, numbers, + - * / **, comparisons, parentheses, and {', '.join(FUNCTIONS)}"
)


class FormulaError(ValueError):
    """A text is no formula; it says in which column, and what is allowed."""


class Formula(NamedTuple):
    """A formula as numexpr reads it, all numbers floats, and the quantities that it names."""

    expression: str
    names: tuple[str, ...]


def parse_formula(text: str) -> Formula:
    """The formula that a text is; FormulaError if it is none, or holds what is not allowed."""
    # On one line; a column is that of the text as it was written.
    flat = re.sub(r"\s", " ", text).rstrip()
    written = flat.lstrip()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(written, mode="eval")
        body = _number(tree.body, written)
        expression = ast.unparse(body)
    except SyntaxError as error:
        # At the end of the text the parser has no offset.
        column = (error.offset or len(written) + 1) + len(flat) - len(written)
        allowed = "" if "allowed: " in error.msg else f"; allowed: {ALLOWED}"
        raise FormulaError(f"column {column}: {error.msg}{allowed}") from error
    except (RecursionError, MemoryError, ValueError) as error:
        why = str(error) or "it is too deeply nested"
        raise FormulaError(f"it cannot be read: {why}; allowed: {ALLOWED}") from error
    used = {node.id for node in ast.walk(body) if isinstance(node, ast.Name)}
    return Formula(expression, tuple(name for name in NAMES if name in used))


def _number(node: ast.expr, text: str) -> ast.expr:
    """A node of a text that stands for a number, written anew; a comparison is 1 or 0."""
    match node:
        case ast.Constant(value=value) if _is_number(value) and abs(value) <= sys.float_info.max:
            # As whole numbers they would be divided and overflow as such.
            return ast.Constant(float(value))
        case ast.Name(id=name) if name in NAMES:
            return node
        case ast.BinOp(left=left, op=op, right=right) if isinstance(op, OPERATORS):
            return ast.BinOp(_number(left, text), op, _number(right, text))
        case ast.UnaryOp(op=ast.UAdd(), operand=operand):
            return _number(operand, text)
        case ast.UnaryOp(op=ast.USub() as op, operand=operand):
            return ast.UnaryOp(op, _number(operand, text))
        case ast.Compare(left=left, ops=[op], comparators=[right]) if isinstance(op, COMPARISONS):
            is_so = ast.Compare(_number(left, text), [op], [_number(right, text)])
            return ast.Call(ast.Name("where"), [is_so, ast.Constant(1.0), ast.Constant(0.0)], [])
        case ast.Call(func=ast.Name(id=name) as function, args=[first, *_] as arguments) if (
            FUNCTIONS.get(name) == len(arguments) and _is_plain(node)
        ):
            values = [_number(each, text) for each in arguments]
            if name == "where" and isinstance(first, ast.Compare):
                values[0] = values[0].args[0]
            elif name == "where":
                values[0] = ast.Compare(values[0], [ast.NotEq()], [ast.Constant(0.0)])
            return ast.Call(function, values, [])
    raise _fault(node, text)


def _fault(node: ast.expr, text: str) -> SyntaxError:
    """What is said of a node that is not allowed, and at which column."""
    segment, start = ast.get_source_segment(text, node), node.col_offset
    match node:
        case ast.Constant(value=value) if _is_number(value):
            fault = f"{short_repr(segment)} is too large; allowed: numbers below 1e308"
        case ast.Name(id=name) if name in FUNCTIONS:
            fault = f"{name} without arguments; {_usage(name)}"
        case ast.Name(id=name):
            fault = f"no quantity {short_repr(name)}; {suggestion(name, [*NAMES])}"
        case ast.Call(func=ast.Name(id=name), args=values) if name in FUNCTIONS:
            named = f"an argument of {name} has a name or a star"
            fault = f"{len(values)} arguments of {name}" if _is_plain(node) else named
            fault += f"; {_usage(name)}"
        case ast.Call(func=function):
            name = getattr(function, "id", None) or ast.get_source_segment(text, function)
            fault = f"no function {short_repr(name)}; {suggestion(name[:50], [*FUNCTIONS])}"
        case ast.Compare(ops=[_, _, *_]):
            fault = "several comparisons in a row; allowed: one, as in where(x > 0, x, 0)"
        case ast.BinOp(left=left, right=right) | ast.Compare(left=left, comparators=[right]):
            between = text.encode()[left.end_col_offset : right.col_offset]
            operator = between.strip(b" ()")
            start = left.end_col_offset + between.index(operator)
            hint = "did you mean **? " if operator == b"^" else ""
            symbol = short_repr(operator.decode())
            fault = f"{symbol} is no operator here; {hint}allowed: + - * / ** < <= > >= == !="
        case _:
            fault = f"{short_repr(segment)} is no part of a formula"
    # Python counts bytes.
    return SyntaxError(fault, ("", 1, len(text.encode()[:start].decode()) + 1, ""))


def _is_number(value: object) -> bool:
    return type(value) in (int, float)


def _is_plain(call: ast.Call) -> bool:
    return not call.keywords and not any(isinstance(each, ast.Starred) for each in call.args)


def _usage(name: str) -> str:
    return f"allowed: {name}({', '.join('abc'[: FUNCTIONS[name]])})"
