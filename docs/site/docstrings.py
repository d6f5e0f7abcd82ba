"""For the reference: `a, b : what they are`, as docstrings here have it, is no name with a type;
what stands after the parameters is a note, and `[axis,]` no link."""

import re

import griffe

ENTRY = re.compile(r"^(\*{0,2}\w+(?:, \*{0,2}\w+)*) : (.+(?:\n {4}.+)*)$", re.M)


AFTER = re.compile(r"^(Parameters\n-+\n(?:.+\n)+)\n(?=(?:Returns|Raises|Errors)\b.+\w)", re.M)
AXIS = re.compile(r"\[(\w+,)\]")


def described(text: str) -> str:
    """A docstring with an entry for each name, and what it is on lines of its own."""

    def entries(found: re.Match) -> str:
        names, words = found.groups()
        return "\n".join(f"{name}\n    {words}" for name in names.split(", "))

    noted = AFTER.sub(r"\1\nNotes\n-----\n", text)
    return ENTRY.sub(entries, AXIS.sub(r"\\[\1\\]", noted))


class Described(griffe.Extension):
    def on_object(self, *, obj: griffe.Object, **_) -> None:
        if obj.docstring:
            obj.docstring.value = described(obj.docstring.value)
