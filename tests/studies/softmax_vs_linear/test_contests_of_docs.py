"""docs/contests.yaml: other kernels in the paper's figures, from the configuration alone."""

import re

import numpy as np
import pandas as pd
import yaml
from making import ROOT

from attention_separation.config import load_config
from attention_separation.studies.softmax_vs_linear.exact.compute import compute_exact

FIGURES = {"fig4": "power_4", "fig5": "power_4", "fig7": "power_8"}


def study(overrides):
    return load_config(ROOT / "config.yaml", overrides).studies()["softmax_vs_linear"]


def test_elu_plus_one_beside_linear_changes_no_exact_value():
    overrides = yaml.safe_load((ROOT / "docs/contests.yaml").read_text(encoding="utf-8"))
    both = study(overrides)
    for figure in overrides["softmax_vs_linear"]["figures"].values():
        figure["contest"]["silent"].remove("elu_plus_one")
    linear = study(overrides)
    points = 0
    for figure, fires in FIGURES.items():
        for panel in both.section.figures[figure].panels:
            job = both.panels.exact[panel]
            assert (job.contest.fires, job.contest.silent[0]) == (fires, "linear")
            found, wanted = (
                np.array(compute_exact(of.panels.exact[panel])["p_exact"].to_pylist())
                for of in (both, linear)
            )
            np.testing.assert_array_equal(found, wanted)
            points += len(found)
    assert points > 1000
    assert both.folder == "results/contests"


def test_the_page_shows_its_pictures():
    page = (ROOT / "docs/gallery.md").read_text(encoding="utf-8")
    for figure in FIGURES:
        assert f"(contests/{figure}.svg)" in page
    verdicts = pd.read_csv(ROOT / "docs/contests/verdicts.csv", comment="#")
    assert verdicts["verdict"].eq("agrees").all()
    rates = verdicts["points"] * verdicts["mean_p_exact"]
    for figure in FIGURES:
        of_figure = verdicts["panel"].str.startswith(figure)
        mean = rates[of_figure].sum() / verdicts["points"][of_figure].sum()
        assert re.search(rf"\| Figure {figure[-1]}, x. \| {mean:.3f} \|", page)
