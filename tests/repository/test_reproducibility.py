"""Numbers of docs/reproducibility.md that its template does not take from tables."""

from making import CONFIG, ROOT, config_points
from papers_panels import PAPERS_PANELS

DOCS = ROOT / "docs"
PAGE = " ".join((DOCS / "reproducibility.md").read_text(encoding="utf-8").split())


def test_grids_and_trials():
    points = {name: config_points(name) for name in PAPERS_PANELS}
    lost = sum(len(points[name]) for name in points if name.startswith("fig7"))
    total = sum(map(len, points.values()))
    assert f"the paper's at {total - lost:,} of {total:,} points" in PAGE
    studies = CONFIG.studies()["softmax_vs_linear"]
    trials = {name: studies.panels.simulated[name].trials for name in points}
    assert {count for name, count in trials.items() if name.startswith("fig3")} == {1000}
    assert {count for name, count in trials.items() if not name.startswith("fig3")} == {100}
    assert "Attention has 100 trials a point, softmax regression 1,000." in PAGE
