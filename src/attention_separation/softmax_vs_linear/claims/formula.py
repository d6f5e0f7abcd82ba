"""Formulas as they are printed, such as "a₁ s n^(−(1−a₁))": what a table shows is computed."""

import math
import re
from collections.abc import Callable
from functools import cache

PYTHON = str.maketrans(
    {"−": "-", "^": "**", "²": "**2", "⁴": "**4", "₀": "0", "₁": "1", "L": "log", "√": "sqrt"}
)
NAMES = {"log": math.log, "sqrt": math.sqrt, "__builtins__": {}}


@cache
def formula(text: str) -> Callable[[dict[str, float]], float]:
    """The formula that a text of ours prints, as a function of the values of its letters.

    What stands side by side is multiplied, and log and √ are of the number, letter or parenthesis
    behind them. Letters are named as in Python: a₁ is a1.

    Raises
    ------
    SyntaxError
        If it is none.
    """
    # One letter for the logarithm, and parentheses around what it and √ are of.
    python = re.sub(r"([L√]) ?([a-zδτ]|[\d.]+)", r"\1(\2)", text.replace("log", "L"))
    python = re.sub(r"(?<=[\w.)])(?<!L) ?(?=[a-zδτ(L√])", "*", python)
    code = compile(python.translate(PYTHON), f"<{text}>", "eval")
    return lambda letters: eval(code, NAMES, letters)
