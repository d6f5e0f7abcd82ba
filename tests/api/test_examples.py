"""Every example of README, docs/api.md and docs/explorer.md, run."""

import doctest
import re

import pytest
from making import ROOT

PAGES = ("README.md", "docs/api.md", "docs/explorer.md")
FLAGS = doctest.ELLIPSIS


@pytest.mark.parametrize("page", PAGES)
def test_examples_answer_as_they_say(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, re.S)
    assert blocks
    test = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, page, page, 0)
    said: list[str] = []
    found = doctest.DocTestRunner(optionflags=FLAGS).run(test, out=said.append)
    assert found.attempted >= 2
    assert found.failed == 0, "".join(said)


@pytest.mark.parametrize("page", PAGES)
def test_no_example_is_without_its_answer(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    for block in re.findall(r"```python\n(.*?)```", text, re.S):
        assert block.startswith(">>> ")
