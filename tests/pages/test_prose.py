"""Sentences as HTML and as reStructuredText, and bounds in them."""

import pytest
from docutils.core import publish_parts

from attention_separation.pages.prose import as_html, as_rst, rounded_up, rst_list


def published(rst: str) -> str:
    return publish_parts(rst, writer="html")["body"]


def test_sentences_as_html():
    assert as_html("**Lead <1>.** a & b") == "<b>Lead &lt;1&gt;.</b> a &amp; b"


@pytest.mark.parametrize(
    "text",
    [
        "a * b * c",
        "x_ and _y",
        "`code`",
        "|a|",
        "back\\slash",
        ":math:`x`",
        "a::",
        "fig_4a_",
        "<a>",
    ],
)
def test_sentences_as_rst_are_taken_literally(text):
    page = published(f"{as_rst(f'**{text}** then {text}')}\n\n{rst_list([text])}")
    assert "system-message" not in page
    shown = text.replace("<", "&lt;").replace(">", "&gt;")
    assert page.count(shown) == 3
    assert page.count("<strong>") == 1


def test_a_bound_is_rounded_up():
    assert [rounded_up(x) for x in (1.3e-6, 2e-6, 0.0123)] == ["2e-6", "2e-6", "0.012"]
