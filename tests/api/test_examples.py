"""Every example of README, of what a package index shows and of pages of docs/, run."""

import doctest
import re

import pytest
from making import ROOT

PAGES = ("README.md", "docs/api.md", "docs/site/long_description.md")


@pytest.mark.parametrize("page", PAGES)
def test_examples_answer_as_they_say(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, re.S)
    # No example is without its answer.
    assert blocks
    assert all(block.startswith(">>> ") for block in blocks)
    test = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, page, page, 0)
    said: list[str] = []
    found = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, out=said.append)
    assert found.attempted >= 2
    assert found.failed == 0, "".join(said)
