"""Numbers of docs/reproducibility.md are those of tracked tables."""

import re

import pandas as pd
import pytest
from making import CONFIG, ROOT, SECTION, config_points

from attention_separation.head_rank.training.published_values import FIGURE_1
from attention_separation.pages.facts import First
from attention_separation.pages.rendering import Tables

DOCS = ROOT / "docs"
PAGE = " ".join((DOCS / "reproducibility.md").read_text(encoding="utf-8").split())
CLAIMS = pd.read_csv(DOCS / "head_rank/rank_claims.csv", comment="#")
PAPERS, PUBLISHED = "the paper's", "the paper's, judged on its published values alone"


def verdicts(origin: str) -> dict[str, int]:
    """How many claims of the second paper have which verdict."""
    return CLAIMS[CLAIMS.origin == origin].verdict.value_counts().to_dict()


def test_the_first_paper():
    first = First(Tables(DOCS))
    parts = first.bounds
    all_, some, none = (parts[kind] for kind in ("all", "some", "none"))
    assert f"{all_} of {parts.total()} parts with a stated bound hold at every size tested" in PAGE
    told = f"{all_} hold at all sizes tested, {some} at some or from a larger n on"
    assert f"of {parts.total()} parts with a stated bound {told}, {none} at none." in PAGE
    of_parts = f"Of {parts.total()} parts of lemmas and theorems with a bound that the paper states"
    assert f"{of_parts}, {told}, and {none} at none." in PAGE
    assert first.fails("1.1.m", "6.2.m", "1.2.m")
    points, softmax = len(first.rows), first.ahead
    high, low = first.at_least(0.9), sum(row["p_exact"] <= 0.1 for row in first.rows)
    assert f"at least 0.9 at {high} of {points:,} points and at most 0.1 at {low}" in PAGE
    ahead = f"softmax is ahead at {softmax[0]:,} of them and linear attention at {softmax[1]}."
    assert ahead in PAGE
    verdicts_on_panels = pd.read_csv(DOCS / "gallery/verdicts.csv").verdict
    assert {*verdicts_on_panels} == {"agrees"}
    assert f"in all {len(verdicts_on_panels)} panels" in PAGE
    own, best = first.medians
    assert f"is {own:.3f} in median at the threshold taken here, and {best:.3f} at the best" in PAGE
    count = len(Tables(DOCS)("gallery/theta", kind="paper"))
    assert f"Over {count:,} points of attention" in PAGE


def test_grids_and_trials():
    points = {name: config_points(name) for name in SECTION.panels}
    lost = sum(len(points[name]) for name in points if name.startswith("fig7"))
    total = sum(map(len, points.values()))
    assert f"text has them: {total - lost:,} of {total:,} points" in PAGE
    assert f"{lost} points" in PAGE
    studies = CONFIG.studies()["softmax_vs_linear"]
    trials = {name: studies.simulated[name].trials for name in points}
    assert {count for name, count in trials.items() if name.startswith("fig3")} == {1000}
    assert {count for name, count in trials.items() if not name.startswith("fig3")} == {100}
    assert (
        f"All of the first paper's {total:,} points have 100 trials each in attention and 1,000"
        in PAGE
    )


def test_the_second_papers_claims():
    own, published = verdicts(PAPERS), verdicts(PUBLISHED)
    count = sum(own.values())
    agree, differ, open_ = own["agrees"], own["differs"], own["undecided"]
    left = own["not judged"]
    assert f"claims {agree} of {count} agree" in PAGE
    counts = f"{agree} agree, {differ} differ, {open_} are undecided"
    assert f"of {count} claims {counts}, {left} are not judged" in PAGE
    assert (
        f"the paper's {count} claims, theory and training together, {counts} and {left} are not "
        "judged" in PAGE
    )
    assert published == {"agrees": 1, "differs": 1}
    assert "of 2 more that only its published values can decide, 1 agrees and 1 differs" in PAGE


def test_the_runs_at_the_second_papers_size():
    runs = pd.read_csv(DOCS / "head_rank/reference/runs.csv")
    runs = runs[(runs.layers == 1) & (runs.width == 1)]
    dead, runs = sorted(runs[runs.dead]["rank"]), runs.groupby("rank").test_error.mean()
    full, low = runs[64], runs.drop(64)
    assert f"of {full:.3f} at full rank and {low.min():.3f} to {low.max():.3f} below it" in PAGE
    assert f"below it, dead at r = {dead[0]}, {dead[1]} and {dead[2]}; published" in PAGE
    published = FIGURE_1[1, 1]
    values = f"published are {published[-1]:.4f} and {min(published[:-1])} to {max(published)}"
    assert values in PAGE


@pytest.mark.parametrize("origin", [PAPERS, PUBLISHED])
def test_every_claim_that_does_not_agree_is_named(origin):
    """And no other."""
    text = (DOCS / "reproducibility.md").read_text(encoding="utf-8")
    before = "" if origin == PAPERS else "On its published values alone: "
    rows = re.findall(r"^\| (.*) \| (differs|undecided|not judged) \|$", text, re.M)
    listed = {row for row in rows if row[0].startswith("On its published") == bool(before)}
    claims = CLAIMS[(CLAIMS.origin == origin) & (CLAIMS.verdict != "agrees")]
    assert listed == {
        (before + statement, verdict)
        for statement, verdict in zip(claims.statement, claims.verdict, strict=True)
    }


def test_the_bound():
    table = pd.read_csv(DOCS / "head_rank/rank_bound.csv", comment="#")
    one = table[(table.d == 64) & (table["rank"] * table.heads == 64) & (table["rank"] < 64)]
    assert f"below {one.bound.min():.3f} if value maps are multiples of the identity" in PAGE
    assert f"or {one.bound_any_value.min():.3f} for any value maps" in PAGE


def test_kernels_and_laws():
    table = pd.read_csv(DOCS / "kernels/kernels.csv", comment="#")
    still = table.assign(last_n=table.last_n.fillna(0)).groupby("kernel").last_n.min()
    names = sorted(still[still == float("inf")].index)
    assert f"Of {len(still)} kernels on the first paper's data, {len(names)} separate" in PAGE
    assert f"in all three layers: {', '.join(names[:-1])} and {names[-1]}." in PAGE
    laws = pd.read_csv(DOCS / "kernels/kernel_laws.csv", comment="#")
    laws = laws[laws.verdict != "not applicable"]
    agree = laws[laws.verdict == "agrees"].kind.value_counts()
    every, numbers = laws.kind.value_counts(), laws[laws.kind == "number"]
    assert f"Of {every['number']} numbers that {numbers.law.nunique()} laws predict" in PAGE
    assert f"{agree['number']} agree with exact values" in PAGE
    others = every["statement"] + every["identity"]
    agree = agree["statement"] + agree["identity"]
    assert f"of {others} statements and identities {agree}." in PAGE
