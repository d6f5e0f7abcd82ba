"""Curves read off the paper's figures, which a reader may put into docs/published: their files."""

from dataclasses import dataclass
from pathlib import Path

PUBLISHED = Path("docs/published")

MOST_BYTES = 10**6
"""Of a file: a curve has a hundred points."""


@dataclass(frozen=True)
class PublishedFiles:
    """The files of PUBLISHED that are called PANEL.csv.

    `texts` : what is in each, by PANEL
    `unreadable` : why one cannot be read, by PANEL
    """

    texts: dict[str, str]
    unreadable: dict[str, str]


NO_CURVES = PublishedFiles({}, {})


def read_published(project: Path) -> PublishedFiles:
    """The curves that lie in a project's folder; a file that cannot be read stops nobody but who
    asks for what is made of it."""
    texts: dict[str, str] = {}
    unreadable: dict[str, str] = {}
    for path in sorted((project / PUBLISHED).glob("*.csv")):
        # A name that is no Unicode text can be written to no file of settings.
        name = path.stem.encode(errors="backslashreplace").decode()
        try:
            texts[name] = _text(path)
        except OSError as error:
            unreadable[name] = error.strerror or str(error)
    return PublishedFiles(texts, unreadable)


def _text(path: Path) -> str:
    """The text of a file, what is no text in it replaced; OSError if it is no file of a curve."""
    size = path.stat().st_size
    if not path.is_file():
        raise OSError("it is no file")
    if size > MOST_BYTES:
        raise OSError(f"it has {size} bytes; allowed: at most {MOST_BYTES}")
    return path.read_text("utf-8-sig", errors="replace")
