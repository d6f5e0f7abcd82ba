"""The first case of docs/head.md runs as it stands, and shows the numbers that the page says."""

import re

import numpy as np
import pytest
from making import ROOT

from attention_separation.__main__ import main

PAGE = (ROOT / "docs/head.md").read_text(encoding="utf-8")
EXAMPLE = re.search(r"```python\n(.*?)```", PAGE, re.S)[1]
COMMAND = re.search(r"```bash\nattention-separation (.*?)\n```", PAGE, re.S)[1]


@pytest.fixture
def named(tmp_path, monkeypatch):
    """What the first example has named, in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    named = {}
    exec(EXAMPLE, named)
    return named


def test_the_first_case_of_the_page_runs_as_it_stands(named):
    [row] = named["rows"].itertuples()
    caption = PAGE.partition("*These scores.")[2].partition("*\n")[0]
    for value in (row.reach, row.reach_low, row.reach_high):
        assert f"{value:,.0f}" in caption
    assert f"a factor of {row.temperature:.2f}" in caption


def test_the_command_of_the_page_answers_alike(named, capsys):
    main([*COMMAND.split(), "--json"])
    assert f'"reach": {named["rows"]["reach"][0]:.6g}'[:14] in capsys.readouterr().out


def test_every_column_is_explained(named):
    table = PAGE.partition("## The columns")[2].partition("## ")[0]
    explained = set(re.findall(r"`(\w+)`", table))
    labels = {"query", "target"}
    assert {*named["rows"]} - labels <= explained
    np.testing.assert_array_equal(named["rows"]["near"], [0])
