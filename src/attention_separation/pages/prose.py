"""Sentences of ours, as HTML and as reStructuredText; `**so**` sets their first words bold."""

import math
import re
from html import escape

BOLD = re.compile(r"\*\*(.+?)\*\*")


def as_html(sentence: str) -> str:
    """The sentence as HTML."""
    return BOLD.sub(r"<b>\1</b>", escape(sentence))


def as_rst(sentence: str) -> str:
    """The sentence as reStructuredText: nothing in it but what is bold is markup."""
    parts = BOLD.split(sentence)
    return "".join(
        f"**{_literal(part)}**" if index % 2 else _literal(part) for index, part in enumerate(parts)
    )


def rst_list(sentences: list[str]) -> str:
    """The sentences as a list in reStructuredText; nothing where there are none."""
    return "".join(f"- {as_rst(sentence)}\n" for sentence in sentences)


def _literal(text: str) -> str:
    # A line break could end a paragraph; a backslash makes any other character itself.
    return re.sub(r"([\\*_`|<>:])", r"\\\1", text.replace("\n", " "))


def rounded_up(value: float) -> str:
    """A positive number as text of one digit, never too small: 1.3e-6 is 2e-6."""
    power = math.floor(math.log10(value))
    return f"{math.ceil(value / 10**power - 1e-9):d}e{power}" if power < -3 else f"{value:.2g}"
