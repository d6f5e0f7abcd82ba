"""Captions of figures, and the parts of the report's own pages that show them."""

import re
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

from attention_separation.pages.prose import as_html, as_rst, rst_list
from attention_separation.results.files import replacing

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
class Caption:
    """A title, sentences about the whole, and one sentence about each part."""

    title: str
    sentences: list[str]
    parts: list[str] = field(default_factory=list)


def figures_element(figures: list[tuple[Caption, str]]) -> str:
    """Figures, each a caption and its picture as SVG, under a heading; nothing where there are
    none."""
    parts = ["<h2>The figures</h2>"] if figures else []
    left = MOST_BYTES
    for caption, svg in figures:
        picture = inline(svg)
        left -= len(picture.encode())
        if left < 0:
            picture = "<p class='note'>The picture is in the report's list of figures.</p>"
        text = caption_html(caption)
        parts.append(f"<figure>{picture}<figcaption>{text}</figcaption></figure>")
    return "\n".join(parts)


def inline(svg: str) -> str:
    """A picture as it may stand in a page: without what only a file of its own has."""
    return re.sub(r"<metadata>.*?</metadata>", "", svg[svg.index("<svg") :], flags=re.S)


def caption_html(caption: Caption) -> str:
    """A caption as HTML."""
    items = "".join(f"<li>{as_html(part)}</li>" for part in caption.parts)
    text = " ".join(as_html(sentence) for sentence in caption.sentences)
    return f"<p><b>{escape(caption.title)}.</b> {text}</p>{f'<ul>{items}</ul>' if items else ''}\n"


def caption_rst(caption: Caption) -> str:
    """A caption as reStructuredText."""
    paragraphs = [f"**{as_rst(caption.title)}.**", *map(as_rst, caption.sentences)]
    return "\n\n".join([*paragraphs, rst_list(caption.parts)]).rstrip() + "\n"


def write_text(path: Path, text: str) -> None:
    """Write a file of text at once."""
    with replacing(path) as part:
        part.write_text(text, encoding="utf-8")
