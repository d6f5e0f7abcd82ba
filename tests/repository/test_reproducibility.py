"""Numbers of docs/reproducibility.md that its template does not take from tables."""

import re

import pandas as pd
from making import CONFIG, ROOT, SECTION, config_points

from attention_separation.studies.head_rank.facts import PAPERS, PUBLISHED

DOCS = ROOT / "docs"
TEXT = (DOCS / "reproducibility.md").read_text(encoding="utf-8")
PAGE = " ".join(TEXT.split())


def test_grids_and_trials():
    points = {name: config_points(name) for name in SECTION.panels}
    lost = sum(len(points[name]) for name in points if name.startswith("fig7"))
    total = sum(map(len, points.values()))
    assert f"the paper's at {total - lost:,} of {total:,} points" in PAGE
    studies = CONFIG.studies()["softmax_vs_linear"]
    trials = {name: studies.simulated[name].trials for name in points}
    assert {count for name, count in trials.items() if name.startswith("fig3")} == {1000}
    assert {count for name, count in trials.items() if not name.startswith("fig3")} == {100}
    assert "Attention has 100 trials a point, softmax regression 1,000." in PAGE


def test_every_claim_that_does_not_agree_is_named():
    """And no other."""
    claims = pd.read_csv(DOCS / "head_rank/rank_claims.csv", comment="#")
    claims = claims[claims.origin.isin([PAPERS, PUBLISHED])]
    assert f"Every other of the {len(claims)} agrees" in PAGE
    rows = re.findall(r"^\| (.*) \| \S (differs|undecided|not judged) \|", TEXT, re.M)
    open_claims = claims[claims.verdict != "agrees"]
    assert rows == [*zip(open_claims.claim, open_claims.verdict, strict=True)]
