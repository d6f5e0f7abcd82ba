"""Sentences as HTML and as reStructuredText, and bounds in them."""

import pytest
from docutils.core import publish_parts

from attention_separation.pages.prose import (
    as_html,
    as_rst,
    counted,
    from_to,
    html_list,
    is_or_are,
    joined,
    markdown_list,
    mean_with_interval,
    rounded_up,
    rst_list,
)


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


def test_counts_have_their_plural_and_thousands():
    assert [counted(k, "point") for k in (0, 1, 2, 2000)] == [
        "0 points", "1 point", "2 points", "2,000 points",
    ]  # fmt: skip
    assert [is_or_are(k) for k in (0, 1, 2)] == ["are", "is", "are"]


def test_lists_and_ranges_in_words():
    assert [joined(["a", "b", "c"][:k]) for k in (1, 2, 3)] == ["a", "a and b", "a, b and c"]
    assert joined(["a", "b", "c"], "or") == "a, b or c"
    assert (from_to("1", "2"), from_to("1", "1")) == ("1 to 2", "1")


def test_a_mean_is_said_with_its_interval():
    # Student's quantile of two values is 12.706, times a standard error of 0.1.
    assert mean_with_interval([0.3, 0.5]) == "0.400 (-0.871 to 1.671)"


def test_lists_of_sentences():
    said = ["**Lead.** a < b", "c"]
    assert html_list(said) == "<ul><li><b>Lead.</b> a &lt; b</li>\n<li>c</li>\n</ul>"
    assert markdown_list(said) == "- **Lead.** a < b\n- c\n"
    assert html_list([]) == markdown_list([]) == rst_list([]) == ""
