"""Answers as a notebook shows them, and in one line."""

import re
import sys

import pytest

import attention_separation as asep
from attention_separation.messages.words import range_in_words

ANSWERS = {
    "separation": lambda: asep.separate("exp", n=200),
    "one threshold": lambda: asep.separate("x**2", "cross_attention", n=220, theta=0.9),
    "no threshold": lambda: asep.separate("uniform", "cross_attention", n=10_500),
    "success": lambda: asep.success({"fires": "exp", "silent": ["linear"]}, n=200),
    "simulation": lambda: asep.simulate("exp", n=200, trials=50),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_an_answer_is_one_line_and_says_its_condition(name):
    answer = ANSWERS[name]()
    text = repr(answer)
    assert "\n" not in text
    assert len(text) < 200
    for part in (f"n = {answer.n:,}", f"d = {answer.d}", f"m = {answer.m}"):
        assert part in text
    html = answer._repr_html_()
    assert html.startswith("<p><strong>")
    assert f"n = {answer.n:,}" in html


def test_a_separation_has_a_picture_to_open():
    html = asep.separate("exp", n=200)._repr_html_()
    assert html.count("<svg") == html.count("<details>") == 1
    assert "<?xml" not in html


def test_without_matplotlib_there_is_no_picture(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    html = asep.separate("exp", n=200)._repr_html_()
    assert "0.986637" in html
    assert "<svg" not in html


def test_a_name_of_a_kernel_is_text():
    html = asep.separate("where(x<0.5, 1, 2)", n=200)._repr_html_()
    # The picture, which has a title of its own, is not asked.
    words, _, _ = html.partition("<details>")
    assert "x&lt;0.5" in words
    assert "x<0.5" not in words


def test_the_kernels_are_a_table_in_a_notebook():
    html = asep.kernels._repr_html_()
    assert html.count("<tr>") == 1 + len(asep.kernels)
    assert "<td>exp_sqrt_d</td><td>e^(x/√d)</td>" in html
    assert "cosine_softmax_P" in html


@pytest.mark.parametrize(
    ("ends", "text"),
    [
        ((0.86, 0.8607), "0.8600 to 0.8607"),
        ((0.860481, 0.860489), "0.86048 to 0.86049"),
        ((1, 12.345), "1.00 to 12.35"),
        ((0.5, 0.5), "0.5000 to 0.5000"),
        ((0.0, 0.0), "0 to 0"),
        ((2, 12345.6), "2 to 12346"),
    ],
)
def test_two_ends_have_like_digits(ends, text):
    assert range_in_words(*ends, digits=4) == text
    ends = asep.separate("linear", n=2000).theta
    low, high = re.search(r"θ = (\S+) to (\S+) √", repr(asep.separate("linear", n=2000))).groups()
    assert len(low) == len(high)
