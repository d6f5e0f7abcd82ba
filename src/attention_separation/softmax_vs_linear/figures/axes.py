"""How parameters and choices read on axes, in titles and in notes."""

from collections.abc import Collection, Iterable
from typing import Any

import numpy as np

from ..models.parameters import SYMBOLS, MRule
from ..settings.panels import MARK

TITLE_ITEMS_PER_LINE = 4


def held_title(
    held: dict[str, Any], m: Iterable[int], reconstructed: Collection[str] = (),
    per_line: int = TITLE_ITEMS_PER_LINE,
) -> str:  # fmt: skip
    """The numeric parameters held fixed, as lines of text; an asterisk marks reconstructed ones.

    `m` are the sign columns of the points: of a rule that makes one number, that is what is said.
    """
    items = [
        f"{symbol} = {_value(name, held[name], m)}{MARK * (name in reconstructed)}"
        for name, symbol in SYMBOLS.items()
        if name in held
    ]
    lines = [
        ",  ".join(items[start : start + per_line]) for start in range(0, len(items), per_line)
    ]
    return "\n".join(lines)


def _value(name: str, value: object, m: Iterable[int]) -> str:
    if isinstance(value, MRule):
        used = set(m)
        return str(*used) if len(used) == 1 else _rule(value)
    if isinstance(value, str):
        return value.replace("c", SYMBOLS["c"])
    return f"{value:g}"


def _rule(rule: MRule) -> str:
    log = {"e": "log", 2: "log₂", 10: "log₁₀"}[rule.base]
    times = "" if rule.times == 1 else f"{rule.times:g} "
    text = f"{times}{log}{'(𝑛/δ)' if rule.log_of == 'n/delta' else ' 𝑛'}"
    text = {"floor": "⌊{}⌋", "ceil": "⌈{}⌉", "nearest": "[{}]"}[rule.round].format(text)
    return text if rule.at_least == 1 else f"max({text}, {rule.at_least})"


def symbol_of(name: str, reconstructed: Collection[str] = ()) -> str:
    """A parameter as text; theta, a fraction, has an asterisk behind brackets."""
    if name not in reconstructed:
        return SYMBOLS[name]
    return f"({SYMBOLS[name]}){MARK}" if name == "theta" else f"{SYMBOLS[name]}{MARK}"


def edges(values: np.ndarray) -> np.ndarray:
    """Ends of the cells around sorted values: midway between neighbours."""
    if len(values) == 1:
        return values + np.array([-0.5, 0.5])
    middles = (values[1:] + values[:-1]) / 2
    ends = values[0] - (middles[0] - values[0]), values[-1] + (values[-1] - middles[-1])
    return np.array([ends[0], *middles, ends[1]])
