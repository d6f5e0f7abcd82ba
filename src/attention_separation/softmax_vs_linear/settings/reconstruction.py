"""How pages, tables and pictures mark what the paper's text does not state."""

from collections.abc import Sequence

MARK = "*"
KEY = f"{MARK} reconstructed: the paper's text does not state it."

COLUMN = (
    "Reconstructed lists what the paper's text does not state of a panel, and is read or chosen "
    "here."
)
"""What stands in the words on a table with a column `reconstructed`."""


def marked_notes(notes: Sequence[str]) -> list[str]:
    """Those of a model's notes that end in the mark, without it."""
    return [note.removesuffix(MARK) for note in notes if note.endswith(MARK)]


def reconstruction(settings: Sequence[str], notes: Sequence[str]) -> str:
    """What is reconstructed of a panel, as one text: names of settings, then its model's notes."""
    return "; ".join([*filter(None, [", ".join(settings)]), *marked_notes(notes)])
