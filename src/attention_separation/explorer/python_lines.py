"""The Python that gives the same number, and makes the same picture."""

from typing import Any

from .setting import Setting


def called(function: str, *positional: Any, **named: Any) -> str:
    """A call as it is written."""
    words = [*map(repr, positional), *(f"{name}={value!r}" for name, value in named.items())]
    return f"{function}({', '.join(words)})"


def number_lines(kernel: str, setting: Setting) -> str:
    """What prints the probability of a kernel, which is a name or a formula."""
    asked = setting.written("temperature")
    if setting.temperature == 1:
        return f"from attention_separation import separate\n\n{_printed(repr(kernel), asked)}"
    cooled = called("at_temperature", kernel, setting.temperature)
    return f"from attention_separation import at_temperature, separate\n\n{_printed(cooled, asked)}"


def picture_lines(function: str, *positional: Any, **named: Any) -> str:
    """What writes a picture of the explorer's to a file."""
    return (
        f"from attention_separation.explorer import {function}\n\n"
        f'{called(function, *positional, **named)}.savefig("{function}.svg")'
    )


def _printed(kernel: str, asked: dict[str, Any]) -> str:
    words = [kernel, *(f"{name}={value!r}" for name, value in asked.items())]
    return f"print(separate({', '.join(words)}).probability)"
