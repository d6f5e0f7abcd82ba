"""Values and names in sentences: cut where they are long, and the nearest of what is allowed."""

import difflib
import re
import reprlib
from typing import Any

MOST_SHOWN = 60
"""Characters of a value or a name that a sentence shows."""

PLAIN_KEY = re.compile(r"[\w/+-]([\w/+ -]{0,98}[\w/+-])?")

# The whole of a value in which aliases multiply would take all memory.
_SHOWN = reprlib.Repr()
_SHOWN.maxlevel = 4
_SHOWN.maxdict = _SHOWN.maxlist = _SHOWN.maxtuple = _SHOWN.maxset = 12
_SHOWN.maxstring = _SHOWN.maxother = _SHOWN.maxlong = MOST_SHOWN


def plain_or_quoted(name: str) -> str:
    """A key as it stands, or in quotes where it would not be seen to be one."""
    return name if PLAIN_KEY.fullmatch(name) else shown(name)


def suggestion(name: str, allowed: list[str]) -> str:
    """What may stand in a name's place, the likeliest first."""
    close = difflib.get_close_matches(name, allowed, n=1)
    hint = f"did you mean {close[0]!r}? " if close else ""
    return f"{hint}allowed: {', '.join(map(plain_or_quoted, allowed)) or 'none'}"


def shown(value: Any) -> str:
    """A value as text, cut where it is long."""
    text = _SHOWN.repr(value)
    return text if len(text) <= MOST_SHOWN else f"{text[: MOST_SHOWN - 3]}..."
