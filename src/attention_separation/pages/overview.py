"""The page of the report that a study opens with, the words before it, and all captions."""

import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from textwrap import indent, wrap

import pyarrow as pa

from attention_separation.results.files import write_text

from .captions import Caption, caption_html, caption_rst
from .html import document, table_element
from .prose import as_html, as_rst, html_list, rst_list

LINE = 5000
"""Characters of a picture on a line of .rst."""

MOST_BYTES = 1_400_000
"""Of pictures on the page: a browser shows no page of more than 2 MiB inside the report, where it
stands in base64."""

STYLE = """
figure { margin: 2.5em 0; break-inside: avoid; } figure svg { max-width: 100%; height: auto; }
figcaption, li { max-width: 60em; } figcaption p { max-width: none; margin: .5em 0; }
figcaption ul { margin: .5em 0; font-size: 13px; } th { position: static; }
h2 { font-size: 1.15em; margin-top: 2em; } .note { color: #555; font-size: 13px; }
@media print { body { margin: 0; max-width: none; font-size: 11px; } }
"""


@dataclass(frozen=True)
class Section:
    """Tables by their heading, which may be empty, between words about them and notes on them."""

    title: str
    tables: Mapping[str, pa.Table]
    about: Sequence[str] = ()
    notes: Sequence[str] = ()


@dataclass(frozen=True)
class Overview:
    """What a study says of its results: its question, the answer `said` with `more` that follows,
    and in `honesty` what it does not claim; which tables are `missing`, and the `command` that
    makes them; what is said of each figure and table, by name. `said`, `more` and `scale`, which
    results were made at if that is to be said, are prose. The report opens with `opening`, the
    figure named `picture`, and `said`."""

    title: str
    question: str
    said: Sequence[str]
    honesty: str
    more: Sequence[str] = ()
    opening: str = ""
    picture: str | None = None
    scale: str = ""
    missing: Sequence[str] = ()
    command: str = "snakemake"
    sections: Sequence[Section] = ()
    figures: Mapping[str, Caption] = field(default_factory=dict)
    tables: Mapping[str, Sequence[str]] = field(default_factory=dict)


def overview_page(overview: Overview, pictures: Mapping[str, str]) -> str:
    """The page's text, with pictures of the figures as SVG."""
    parts = [f"<h2>The question</h2>\n<p>{escape(overview.question)}</p>"]
    if overview.said:
        parts.append(f"<h2>The answer</h2>\n{html_list(overview.said)}")
    if overview.more:
        parts.append(f"<h2>And in numbers</h2>\n{html_list(overview.more)}")
    if overview.scale:
        parts.append(f"<p>Made at the scale {as_html(overview.scale)}.</p>")
    if overview.missing:
        parts.append(
            f"<p class='note'>Not made yet: {escape(', '.join(overview.missing))}. "
            f"<code>{escape(overview.command)}</code> makes everything.</p>"
        )
    parts.append(f"<p class='note'>{escape(overview.honesty)}</p>")
    parts += map(_section_element, overview.sections)
    parts.append(_figures_element(overview.figures, pictures))
    return document(overview.title, "\n".join(filter(None, parts)), STYLE)


def _section_element(section: Section) -> str:
    about, notes = (
        [f"<p>{escape(text)}</p>" for text in texts] for texts in (section.about, section.notes)
    )
    tables = [
        f"<h3>{escape(heading)}</h3>\n" * bool(heading) + table_element(table)
        for heading, table in section.tables.items()
    ]
    return "\n".join([f"<h2>{escape(section.title)}</h2>", *about, *tables, *notes])


def _figures_element(figures: Mapping[str, Caption], pictures: Mapping[str, str]) -> str:
    parts = ["<h2>The figures</h2>"] if figures else []
    left = MOST_BYTES
    for name, caption in figures.items():
        picture = inline(pictures[name])
        left -= len(picture.encode())
        if left < 0:
            picture = "<p class='note'>The picture is in the report's list of figures.</p>"
        parts.append(f"<figure>{picture}<figcaption>{caption_html(caption)}</figcaption></figure>")
    return "\n".join(parts)


def inline(svg: str) -> str:
    """A picture as it may stand in a page: without what only a file of its own has."""
    return re.sub(r"<metadata>.*?</metadata>", "", svg[svg.index("<svg") :], flags=re.S)


def write_overview(overview: Overview, results: Path, path: Path) -> None:
    """Write the page on a folder of results; beside it what the report opens with, as .rst, and a
    caption of each figure and table, captions/figures/NAME.rst and captions/tables/NAME.rst."""
    files = {name: results / f"figures/{name}.svg" for name in overview.figures}
    pictures = {name: file.read_text(encoding="utf-8") for name, file in files.items()}
    write_text(path, overview_page(overview, pictures))
    opening = [as_rst(overview.opening), rst_list(overview.said)]
    if overview.picture in pictures:
        title = overview.figures[overview.picture].title
        opening.insert(1, _rst_picture(pictures[overview.picture], title))
    write_text(path.with_suffix(".rst"), "\n\n".join(filter(None, opening)))
    for name, caption in overview.figures.items():
        write_text(path.parent / f"captions/figures/{name}.rst", caption_rst(caption))
    for name, sentences in overview.tables.items():
        write_text(path.parent / f"captions/tables/{name}.rst", rst_list(sentences))


def _rst_picture(svg: str, title: str) -> str:
    # Docutils reads no line of more than 10,000 characters; a browser leaves out line ends.
    data = "\n".join(wrap(b64encode(svg.encode()).decode(), LINE))
    source = f"data:image/svg+xml;base64,\n{data}"
    picture = f'<img style="max-width: 100%" alt="{escape(title)}" src="{source}">'
    return f".. raw:: html\n\n{indent(picture, '   ')}"
