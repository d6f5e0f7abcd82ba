"""What a package index shows is short, and whole in itself: no relative link works there."""

import re

from making import ROOT

PAGE = ROOT / "docs/site/long_description.md"
TEXT = PAGE.read_text(encoding="utf-8")
MOST_LINES = 40


def test_it_is_short():
    assert len(TEXT.splitlines()) <= MOST_LINES


def test_it_has_no_link_within_the_repository_and_no_picture():
    targets = re.findall(r"\]\((.*?)\)|(?:href|src)=[\"'](.*?)[\"']|^\[.*?\]: (.*)$", TEXT, re.M)
    assert [one for found in targets for one in found if one and "://" not in one] == []
    assert "![" not in TEXT


def test_it_says_how_to_begin():
    for command in ("pip install", "make paper", "attention-separation explore"):
        assert command in TEXT
