"""Answers as a notebook shows them, and in one line."""

import sys

import pytest

import attention_separation as asep

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
