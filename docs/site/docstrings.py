"""For the reference: `a, b : what they are`, as docstrings here have it, is no name with a type."""

import re

import griffe

ENTRY = re.compile(r"^(\*{0,2}\w+(?:, \*{0,2}\w+)*) : (.+(?:\n {4}.+)*)$", re.M)


def described(text: str) -> str:
    """A docstring with an entry for each name, and what it is on lines of its own."""

    def entries(found: re.Match) -> str:
        names, words = found.groups()
        return "\n".join(f"{name}\n    {words}" for name in names.split(", "))

    return ENTRY.sub(entries, text)


class Described(griffe.Extension):
    def on_object(self, *, obj: griffe.Object, **_) -> None:
        if obj.docstring:
            obj.docstring.value = described(obj.docstring.value)
