"""Formulas of a user's kernels: what they may say, and where one does not.

They are read with Python's own parser and written anew from the few nodes that are allowed, so that
nothing else is ever evaluated.
"""

import ast
import re
import sys
import warnings
from typing import NamedTuple

from ..messages.words import short_repr, suggestion

NAMES = ("x", "n", "d", "log_n")
FUNCTIONS = {
    "where": 3, "exp": 1, "log": 1, "log1p": 1, "expm1": 1, "sqrt": 1, "tanh": 1, "abs": 1,
    "sin": 1, "cos": 1, "floor": 1, "ceil": 1, "round": 1, "minimum": 2, "maximum": 2,
}  # fmt: skip
"""Those of numexpr that a formula may call, with their numbers of arguments."""

OPERATOR_NODES = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow)
COMPARISON_NODES = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)
ALLOWED_IN_FORMULA = (
    f"{', '.join(NAMES)}, numbers, + - * / **, comparisons, parentheses, and {', '.join(FUNCTIONS)}"
)


class FormulaError(ValueError):
    """A text is no formula; it says in which column, and what is allowed."""


class Formula(NamedTuple):
    """A formula as numexpr reads it, all numbers floats, and the quantities that it names; `steps`
    are the parts without x that go in steps, as floor(n/8192) and n > 100."""

    expression: str
    names: tuple[str, ...]
    steps: tuple[str, ...] = ()


def parse_formula(text: str) -> Formula:
    """The formula of a text; FormulaError if it is none, or contains what is not allowed."""
    # On one line; a column is that of the text as it was written.
    flat = re.sub(r"\s", " ", text).rstrip()
    written = flat.lstrip()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(written, mode="eval")
        body = _rewritten(tree.body, written)
        expression = ast.unparse(body)
    except SyntaxError as error:
        # At the end of the text the parser has no offset.
        column = error.offset or len(written) + 1
        column += len(flat) - len(written)
        fault = error.msg
        if "allowed: " not in fault:
            fault += f"; allowed: {ALLOWED_IN_FORMULA}"
        raise FormulaError(f"column {column}: {fault}") from error
    except (RecursionError, MemoryError, ValueError) as error:
        why = str(error) or "it is too deeply nested"
        raise FormulaError(f"it cannot be read: {why}; allowed: {ALLOWED_IN_FORMULA}") from error
    used_names = _names_in(body)
    names = tuple(name for name in NAMES if name in used_names)
    return Formula(expression, names, _steps_in(body))


def _names_in(node: ast.expr) -> set[str]:
    """The names that occur in a part of a formula."""
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


def _steps_in(body: ast.expr) -> tuple[str, ...]:
    """The parts of a formula that jump at some n, such as floor(n / 8192), as texts."""
    steps = []
    for node in ast.walk(body):
        match node:
            case ast.Compare() | ast.Call(func=ast.Name(id="floor" | "ceil" | "round")):
                names = _names_in(node)
                if "x" not in names and names & {"n", "log_n"}:
                    steps.append(ast.unparse(node))
    return tuple(dict.fromkeys(steps))


def _rewritten(node: ast.expr, text: str) -> ast.expr:
    """A node that stands for a number, built anew from allowed nodes; a comparison becomes 1 or 0.
    FormulaError where a node is not allowed."""
    match node:
        # As whole numbers they would be divided and overflow as such.
        case ast.Constant(value=float() | int() as value) if _is_in_range(value):
            return ast.Constant(float(value))
        case ast.Name(id=name) if name in NAMES:
            return node
        case ast.BinOp(left=left, op=op, right=right) if isinstance(op, OPERATOR_NODES):
            return ast.BinOp(_rewritten(left, text), op, _rewritten(right, text))
        case ast.UnaryOp(op=ast.UAdd(), operand=operand):
            return _rewritten(operand, text)
        case ast.UnaryOp(op=ast.USub() as op, operand=operand):
            return ast.UnaryOp(op, _rewritten(operand, text))
        case ast.Compare(left=left, ops=[op], comparators=[right]) if isinstance(
            op, COMPARISON_NODES
        ):
            condition = _rewritten_condition(node, text)
            one_or_zero: list[ast.expr] = [ast.Constant(1.0), ast.Constant(0.0)]
            return ast.Call(ast.Name("where"), [condition, *one_or_zero], [])
        case ast.Call(func=ast.Name(id=name) as function, args=[first, *other_nodes]) if (
            FUNCTIONS.get(name) == 1 + len(other_nodes) and _is_plain(node)
        ):
            if name == "where":
                argument = _rewritten_condition(first, text)
            else:
                argument = _rewritten(first, text)
            arguments = [
                argument,
                *(_rewritten(argument_node, text) for argument_node in other_nodes),
            ]
            return ast.Call(function, arguments, [])
    raise _fault(node, text)


def _rewritten_condition(node: ast.expr, text: str) -> ast.expr:
    """The condition of a `where`, built anew: a comparison, or whether a number is not 0."""
    match node:
        case ast.Compare(left=left, ops=[op], comparators=[right]) if isinstance(
            op, COMPARISON_NODES
        ):
            return ast.Compare(_rewritten(left, text), [op], [_rewritten(right, text)])
    return ast.Compare(_rewritten(node, text), [ast.NotEq()], [ast.Constant(0.0)])


def _fault(node: ast.expr, text: str) -> SyntaxError:
    """The error that a node is not allowed, with the column at which it stands."""
    segment = ast.get_source_segment(text, node)
    start = node.col_offset
    match node:
        case ast.Constant(value=value) if _is_number(value):
            fault = f"{short_repr(segment)} is too large; allowed: numbers below 1e308"
        case ast.Name(id=name) if name in FUNCTIONS:
            fault = f"{name} without arguments; {_usage(name)}"
        case ast.Name(id=name):
            fault = f"no quantity {short_repr(name)}; {suggestion(name, [*NAMES])}"
        case ast.Call(func=ast.Name(id=name), args=values) if name in FUNCTIONS:
            if _is_plain(node):
                fault = f"{len(values)} arguments of {name}; {_usage(name)}"
            else:
                fault = f"an argument of {name} has a name or a star; {_usage(name)}"
        case ast.Call(func=function):
            name = getattr(function, "id", None) or ast.get_source_segment(text, function) or ""
            fault = f"no function {short_repr(name)}; {suggestion(name[:50], [*FUNCTIONS])}"
        case ast.Compare(ops=[_, _, *_]):
            fault = "several comparisons in a row; allowed: one, as in where(x > 0, x, 0)"
        case ast.BinOp(left=left, right=right) | ast.Compare(left=left, comparators=[right]):
            assert left.end_col_offset is not None
            between = text.encode()[left.end_col_offset : right.col_offset]
            operator = between.strip(b" ()")
            start = left.end_col_offset + between.index(operator)
            hint = "did you mean **? " if operator == b"^" else ""
            symbol = short_repr(operator.decode())
            fault = f"{symbol} is no operator here; {hint}allowed: + - * / ** < <= > >= == !="
        case _:
            fault = f"{short_repr(segment)} is no part of a formula"
    # Python counts bytes.
    characters_before = len(text.encode()[:start].decode())
    return SyntaxError(fault, ("", 1, characters_before + 1, ""))


def _is_number(value: object) -> bool:
    return type(value) in (int, float)


def _is_in_range(value: float) -> bool:
    """Whether a constant is a number that float64 holds."""
    return _is_number(value) and abs(value) <= sys.float_info.max


def _is_plain(call: ast.Call) -> bool:
    """Whether all arguments of a call are by position, and none has a star."""
    is_starred = any(isinstance(argument, ast.Starred) for argument in call.args)
    return not call.keywords and not is_starred


def _usage(name: str) -> str:
    """How a function is called: "allowed: where(a, b, c)"."""
    arguments = ", ".join("abc"[: FUNCTIONS[name]])
    return f"allowed: {name}({arguments})"
