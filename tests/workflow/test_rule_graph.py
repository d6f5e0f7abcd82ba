"""The graph of rules on docs/run.md is Snakemake's of now."""

import re

import pytest
from making import ROOT


@pytest.mark.exhaustive
def test_the_page_shows_the_rules_that_there_are(project):
    graph = project.make("fig4", "--rulegraph", "mermaid-js")
    names = dict(re.findall(r"^\s*(id\d+)\[(\w+)\]$", graph, re.M))
    edges = re.findall(r"^\s*(id\d+) --> (id\d+)$", graph, re.M)
    page = (ROOT / "docs/run.md").read_text(encoding="utf-8")
    shown = re.findall(r"^    (\w+) --> (\w+)$", page, re.M)
    assert len(edges) == 7
    assert shown == sorted((names[before], names[after]) for before, after in edges)
