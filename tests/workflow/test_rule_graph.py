"""docs/run/fig4_rules.svg, the rules that make Figure 4, is Snakemake's graph of now."""

import re
from importlib.util import module_from_spec, spec_from_file_location

from making import ROOT


def test_it_shows_the_rules_that_there_are():
    spec = spec_from_file_location("rule_graph", ROOT / "docs/site/rule_graph.py")
    script = module_from_spec(spec)
    spec.loader.exec_module(script)
    names, edges = script.rule_graph("fig4")
    assert len(names) == 8
    columns = script.layers(names, edges)
    assert [names[rule] for rule in columns[-1]] == ["fig4"]
    picture = (ROOT / "docs/run/fig4_rules.svg").read_text(encoding="utf-8")
    assert sorted(re.findall(r"<text [^>]*>([^<]+)</text>", picture)) == sorted(names.values())


def test_layers_follow_the_longest_way():
    spec = spec_from_file_location("rule_graph", ROOT / "docs/site/rule_graph.py")
    script = module_from_spec(spec)
    spec.loader.exec_module(script)
    names = {"0": "end", "1": "start", "2": "middle"}
    edges = [("1", "0"), ("1", "2"), ("2", "0")]
    assert script.layers(names, edges) == [["1"], ["2"], ["0"]]
