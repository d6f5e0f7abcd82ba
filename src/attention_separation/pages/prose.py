"""Sentences of ours, their numbers and lists in words, and how they stand in HTML,
reStructuredText and Markdown; `**so**` sets their first words bold."""

import math
import re
from collections.abc import Iterable, Sequence
from html import escape

from attention_separation.statistics.means import mean_of

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


def html_list(sentences: Iterable[str]) -> str:
    """The sentences as a list in HTML; nothing where there are none."""
    items = "".join(f"<li>{as_html(sentence)}</li>\n" for sentence in sentences)
    return f"<ul>{items}</ul>" if items else ""


def markdown_list(sentences: Iterable[str]) -> str:
    """The sentences as a list in Markdown; nothing where there are none."""
    return "".join(f"- {sentence}\n" for sentence in sentences)


def markdown_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in Markdown, each of its lines ended."""
    cells = "".join(f"| {' | '.join(row)} |\n" for row in rows)
    return f"| {' | '.join(head)} |\n{'|---' * len(head)}|\n{cells}"


def rst_list(sentences: Iterable[str]) -> str:
    """The sentences as a list in reStructuredText; nothing where there are none."""
    return "".join(f"- {as_rst(sentence)}\n" for sentence in sentences)


def _literal(text: str) -> str:
    # A line break could end a paragraph; a backslash makes any other character itself.
    return re.sub(r"([\\*_`|<>:])", r"\\\1", text.replace("\n", " "))


def counted(count: int, what: str) -> str:
    """How many there are of something whose plural ends in s: 1 point, 2,000 points."""
    return f"{count:,} {what}{'s' * (count != 1)}"


def is_or_are(count: int) -> str:
    """The verb of so many."""
    return "is" if count == 1 else "are"


def joined(words: Sequence[str], conjunction: str = "and") -> str:
    """At least one word as a list: a, b and c."""
    *most, last = words
    return f"{', '.join(most)} {conjunction} {last}" if most else last


def from_to(low: str, high: str) -> str:
    """A range of numbers that are written so; one of them where both are the same."""
    return low if low == high else f"{low} to {high}"


def mean_with_interval(sample: Sequence[float]) -> str:
    """The mean of numbers and its 95 % interval: 0.010 (0.004 to 0.017)."""
    mean = mean_of(sample)
    return f"{mean.value:.3f} ({mean.low:.3f} to {mean.high:.3f})"


def rounded_up(value: float) -> str:
    """A positive number as text of one digit, never too small: 1.3e-6 is 2e-6."""
    power = math.floor(math.log10(value))
    return f"{math.ceil(value / 10**power - 1e-9):d}e{power}" if power < -3 else f"{value:.2g}"
