"""Formulas of a user's kernels: what they may say, and where one does not.

They are read with Python's own parser and written anew from the few nodes that are allowed, so that
nothing else is ever evaluated.
"""

import ast
import math
import re
import warnings
from dataclasses import dataclass

from attention_separation.settings.words import shown, suggestion

NAMES = ("x", "n", "d", "log_n")
FUNCTIONS = {
    "where": 3, "exp": 1, "log": 1, "log1p": 1, "expm1": 1, "sqrt": 1, "tanh": 1, "abs": 1,
    "sin": 1, "cos": 1, "minimum": 2, "maximum": 2,
}  # fmt: skip
"""Those of numexpr that a formula may call, with their numbers of arguments."""

OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow)
SIGNS = (ast.USub, ast.UAdd)
COMPARISONS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)

ALLOWED = (
    f"{', '.join(NAMES)}, numbers, + - * / **, comparisons, parentheses, and {', '.join(FUNCTIONS)}"
)


class FormulaError(ValueError):
    """A text is no formula; it says in which column, and what is allowed."""


@dataclass(frozen=True)
class Formula:
    """A formula as numexpr reads it, all numbers floats, and the quantities that it names."""

    expression: str
    names: tuple[str, ...]


def parse_formula(text: str) -> Formula:
    """The formula that a text is.

    Raises
    ------
    FormulaError
        If it is none, or holds what is not allowed.
    """
    # On one line; a column is that of the text as it was written.
    flat = re.sub(r"\s", " ", text).rstrip()
    written = flat.lstrip()
    indent = len(flat) - len(written)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(written, mode="eval")
        body = _Writer(written, indent).number(tree.body)
        expression = ast.unparse(ast.fix_missing_locations(body))
    except SyntaxError as error:
        # At the end of the text the parser has no offset.
        column = (error.offset or len(written) + 1) + indent
        raise FormulaError(f"column {column}: {error.msg}; allowed: {ALLOWED}") from error
    except FormulaError:
        raise
    except (RecursionError, MemoryError, ValueError) as error:
        raise FormulaError(f"it cannot be read; allowed: {ALLOWED}") from error
    used = {node.id for node in ast.walk(body) if isinstance(node, ast.Name)}
    return Formula(expression, tuple(name for name in NAMES if name in used))


class _Writer:
    """Writes the allowed nodes of a syntax tree anew."""

    def __init__(self, text: str, indent: int):
        self._text, self._indent = text, indent

    def number(self, node: ast.expr) -> ast.expr:
        """A node that stands for a number; a comparison stands for 1 or 0."""
        match node:
            case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
                return self._constant(node, value)
            case ast.Name(id=name):
                return self._name(node, name)
            case ast.BinOp(left=left, op=op, right=right):
                if not isinstance(op, OPERATORS):
                    raise self._operator(left, right)
                return ast.BinOp(self.number(left), op, self.number(right))
            case ast.UnaryOp(op=op, operand=operand) if isinstance(op, SIGNS):
                inner = self.number(operand)
                return ast.UnaryOp(op, inner) if isinstance(op, ast.USub) else inner
            case ast.Compare():
                return _call("where", [self._comparison(node), _float(1), _float(0)])
            case ast.Call():
                return self._call(node)
        text = f"{shown(self._segment(node))} is no part of a formula"
        raise self._fault(node, text, ALLOWED)

    def _condition(self, node: ast.expr) -> ast.expr:
        """A node that stands for true or false; a number that is not 0 is true."""
        if isinstance(node, ast.Compare):
            return self._comparison(node)
        return ast.Compare(self.number(node), [ast.NotEq()], [_float(0)])

    def _comparison(self, node: ast.Compare) -> ast.expr:
        if len(node.ops) > 1:
            raise self._fault(node, "several comparisons in a row", "one, as in where(x > 0, x, 0)")
        if not isinstance(node.ops[0], COMPARISONS):
            raise self._operator(node.left, node.comparators[0])
        return ast.Compare(
            self.number(node.left), node.ops, [self.number(node.comparators[0])]
        )  # fmt: skip

    def _constant(self, node: ast.expr, value: float) -> ast.expr:
        # As whole numbers they would be divided and overflow as such.
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        if math.isinf(number):
            text = f"{shown(self._segment(node))} is too large"
            raise self._fault(node, text, "numbers below 1e308")
        return _float(number)

    def _name(self, node: ast.expr, name: str) -> ast.expr:
        if name in FUNCTIONS:
            raise self._fault(node, f"{name} without arguments", _usage(name))
        if name not in NAMES:
            raise self._fault(node, f"no quantity {shown(name)}", hint=suggestion(name, [*NAMES]))
        return ast.Name(name, ast.Load())

    def _call(self, node: ast.Call) -> ast.expr:
        name = node.func.id if isinstance(node.func, ast.Name) else self._segment(node.func)
        if not isinstance(node.func, ast.Name) or name not in FUNCTIONS:
            hint = suggestion(name[:50], [*FUNCTIONS])
            raise self._fault(node, f"no function {shown(name)}", hint=hint)
        if node.keywords or any(isinstance(one, ast.Starred) for one in node.args):
            raise self._fault(node, f"an argument of {name} has a name or a star", _usage(name))
        if len(node.args) != FUNCTIONS[name]:
            raise self._fault(node, f"{len(node.args)} arguments of {name}", _usage(name))
        if name == "where":
            return _call(name, [self._condition(node.args[0]), *map(self.number, node.args[1:])])
        return _call(name, [*map(self.number, node.args)])

    def _operator(self, left: ast.expr, right: ast.expr) -> FormulaError:
        """What stands between two operands is no operator of ours."""
        between = self._text.encode()[left.end_col_offset : right.col_offset]
        operator = between.strip(b" ()")
        hint = "did you mean **? " if operator == b"^" else ""
        text = f"{shown(operator.decode())} is no operator here"
        return self._fault_at(
            left.end_col_offset + between.index(operator),
            f"{text}; {hint}allowed: + - * / ** < <= > >= == !=",
        )

    def _fault(self, node: ast.expr, what: str, allowed: str = "", hint: str = "") -> FormulaError:
        return self._fault_at(node.col_offset, f"{what}; {hint or f'allowed: {allowed}'}")

    def _fault_at(self, offset: int, text: str) -> FormulaError:
        # Python counts bytes.
        column = len(self._text.encode()[:offset].decode()) + self._indent + 1
        return FormulaError(f"column {column}: {text}")

    def _segment(self, node: ast.expr) -> str:
        return ast.get_source_segment(self._text, node) or ""


def _usage(name: str) -> str:
    return f"{name}({', '.join('abc'[: FUNCTIONS[name]])})"


def _float(value: float) -> ast.Constant:
    return ast.Constant(float(value))


def _call(name: str, arguments: list[ast.expr]) -> ast.Call:
    return ast.Call(ast.Name(name, ast.Load()), arguments, [])
