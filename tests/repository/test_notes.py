"""The notes of studies, README.md beside their modules, name what there is, with its numbers."""

import importlib
import re

from making import ROOT
from tracked_pages import DOCS

from attention_separation.pages.rendering import Tables, one
from attention_separation.studies.head_rank.constructions.farthest_point import least_error
from attention_separation.studies.needle.facts import Needle

PACKAGE = ROOT / "src/attention_separation"
STUDIES = "attention_separation.studies"
TABLES = Tables(DOCS)


def notes(study):
    return " ".join((PACKAGE / "studies" / study / "README.md").read_text(encoding="utf-8").split())


def test_the_needles_objects_have_the_names_that_its_notes_say():
    named = re.findall(r"`((?:needle|claims)/\w+)\.(\w+)`", notes("needle"))
    assert len(named) > 8
    for place, name in named:
        room = "attention_separation" if place.startswith("needle/") else f"{STUDIES}.needle"
        module = f"{room}.{place.replace('/', '.')}"
        assert hasattr(importlib.import_module(module), name), name


def test_the_needles_numbers_are_those_of_its_tables():
    text, facts = notes("needle"), Needle(TABLES)
    own = {"arm": "query_learned", "mu": 5.0, "n": 512}
    linear = facts.trained(kernel="linear", divided_by="n", **own)
    features = facts.trained(kernel="elu_plus_one", features=12, **own)
    lines = TABLES("needle/needle_lines", kernel="linear", mu=5.0)
    bound = one(lines, n=512)["accuracy"]
    assert f"comes to {linear:.3f} there, for {bound:.3f}, and `elu_12` to {features:.3f}" in text
    lost = facts.trained(arm="query_given", kernel="linear", divided_by="n", n=2048)
    assert f"not learned: {lost:.3f}, for {one(lines, n=2048)['accuracy']:.3f}" in text
    failed = facts.trained(arm="self_attention", kernel="linear", divided_by="sum")
    assert f"its training failed, at {failed:.3f}, where" in text


def test_the_numbers_on_the_rank_of_heads_are_those_of_its_tables():
    text = notes("head_rank")
    claim = one(TABLES("head_rank/rank_claims"), claim="published random features")
    heads, reported, attained = re.search(
        r"H=(\d+), (\S+) reported for (\S+),", claim["deciding_case"]
    ).groups()
    assert f"with {int(heads):,} heads of one draw, that computation reports {reported}" in text
    assert f"while the error of its own weights is {attained}" in text
    cells = {row["cell"]: row["attention_parameters"] for row in TABLES("head_rank/rank_errors")}
    more = cells["d8_n4_L1_w12_r1"] / cells["d8_n4_L1_w3_r1_concatenated"] - 1
    assert f"(at w = 3 and d = 8, {100 * more:.0f} % more)" in text
    small, papers = least_error(8, 4), least_error(64, 16)
    assert f"{small:.3f} at d = 8 and N = 4, and {papers:.3f} at the paper's" in text
