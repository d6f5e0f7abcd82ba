"""How README and the pages of docs/ read: words, words a sentence, the part in bold, numbers.

`python docs/site/prose.py` prints a line a page and ends with 1 where one is over its limit; so
does the site's build. What is no prose is left out: code, tables, pictures, headings, addresses.
"""

import math
import re
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]

NO_PROSE = (
    r"(?s)<!--.*?-->",
    r"(?s)```.*?```",
    r"(?m)^\|.*$",
    r"!\[[^\]]*\]\([^)]*\)",
    r"(?m)^#.*$",
    r"(?m)^ {4,}.*$",
)
ADDRESS = r"\]\([^)\s]*\)"
END_OF_SENTENCE = r"(?<=[.!?])\**\s+"
BOLD = r"(?s)\*\*(.+?)\*\*|<(?:b|strong)>(.+?)</"
NUMBER = r"\d[\d,.]*"

FEWEST_WORDS = 3
"""Of a sentence that counts."""


@dataclass(frozen=True)
class Prose:
    """How a text reads, or the most that it may have.

    Attributes
    ----------
    words : of prose
    sentence : words of a sentence, in the mean
    bold : part of the words that are in bold
    numbers : of a hundred words
    """

    words: float
    sentence: float
    bold: float
    numbers: float


README = Prose(words=480, sentence=14, bold=0.03, numbers=5)
PAGE = Prose(words=math.inf, sentence=16, bold=0.03, numbers=9)
"""The most that README and a page may have."""

OTHERS = {"settings.md"}
"""Pages that are generated from the code."""


def prose(text: str) -> Prose:
    """How a page reads."""
    for pattern in NO_PROSE:
        text = re.sub(pattern, "", text)
    text = re.sub(ADDRESS, "]", text)
    words = max(len(text.split()), 1)
    paragraphs = re.split(r"\n\s*\n", text)
    sentences = [s for p in paragraphs for s in re.split(END_OF_SENTENCE, " ".join(p.split()))]
    lengths = [len(s.split()) for s in sentences if len(s.split()) >= FEWEST_WORDS]
    in_bold = [" ".join(parts) for parts in re.findall(BOLD, text)]
    return Prose(
        words=words,
        sentence=sum(lengths) / max(len(lengths), 1),
        bold=sum(len(part.split()) for part in in_bold) / words,
        numbers=100 * len(re.findall(NUMBER, text)) / words,
    )


def faults(name: str, found: Prose, limit: Prose) -> list[str]:
    """What of a page is over its limit, in words."""
    return [
        f"{name}: {key} {value:.3g}; allowed: at most {most:.3g}"
        for key, value in vars(found).items()
        if value > (most := vars(limit)[key])
    ]


def pages(root: Path) -> dict[str, tuple[Prose, Prose]]:
    """Of README and each page: how it reads, and its limit."""
    paths = [path for path in sorted(root.glob("docs/*.md")) if path.name not in OTHERS]
    limits = {root / "README.md": README} | dict.fromkeys(paths, PAGE)
    return {
        path.relative_to(root).as_posix(): (prose(path.read_text(encoding="utf-8")), limit)
        for path, limit in limits.items()
    }


def all_faults(root: Path) -> list[str]:
    """What of README and the pages is over a limit."""
    return [
        fault
        for name, (found, limit) in pages(root).items()
        for fault in faults(name, found, limit)
    ]


def main() -> int:
    for name, (found, _) in pages(ROOT).items():
        print(
            f"{name}: {found.words} words, {found.sentence:.1f} a sentence, {found.bold:.0%} bold, "
            f"{found.numbers:.1f} numbers a hundred words"
        )
    over = all_faults(ROOT)
    print("\n".join(over), file=sys.stderr)
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main())
