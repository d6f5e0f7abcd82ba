"""What stands beneath a figure."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from .prose import as_html, as_rst, html_list, rst_list


@dataclass(frozen=True)
class Caption:
    """A title, sentences about the whole, and one sentence about each part."""

    title: str
    sentences: Sequence[str]
    parts: Sequence[str] = ()


def caption_html(caption: Caption) -> str:
    """A caption as HTML."""
    text = " ".join(as_html(sentence) for sentence in caption.sentences)
    return f"<p><b>{escape(caption.title)}.</b> {text}</p>{html_list(caption.parts)}\n"


def caption_rst(caption: Caption) -> str:
    """A caption as reStructuredText."""
    paragraphs = [f"**{as_rst(caption.title)}.**", *map(as_rst, caption.sentences)]
    return "\n\n".join([*paragraphs, rst_list(caption.parts)]).rstrip() + "\n"
