"""What a scale makes smaller: trials, points, and what audits and the study of kernels look at."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from making import CONFIG, ROOT

from attention_separation.config import load_config
from attention_separation.settings.faults import ConfigError
from attention_separation.studies.any_attention.figures import DRAWN, Map
from attention_separation.studies.any_attention.laws.law_table import LAWS, law_table
from attention_separation.studies.lemmas.claims_table import all_claims

PAPER = CONFIG.studies()
SMOKE = load_config(ROOT / "config.yaml", {"scale": "smoke"}).studies()
FIGURES = PAPER["softmax_vs_linear"].section.figures
AUDITS = ("theta", "threshold", "choices", "phase")


def settings(studies, study, name):
    return studies[study].results[name].settings


@given(name=st.sampled_from(AUDITS))
def test_an_audit_looks_at_a_third_of_the_panels_at_most(name):
    of_paper, of_smoke = (settings(each, "open_choices", name) for each in (PAPER, SMOKE))
    assert 1 <= len(of_smoke.panels) <= len(of_paper.panels) / 3
    assert {panel.name for panel in of_smoke.panels} <= {panel.name for panel in of_paper.panels}
    assert all(max(map(len, [panel.points()])) <= 25 for panel in of_smoke.panels)


def test_every_figure_has_a_panel_in_the_audits():
    names = {panel.name for panel in settings(SMOKE, "open_choices", "threshold").panels}
    assert all(names & {*figure.panels} for figure in FIGURES.values())


def test_few_claims_at_one_size_each():
    of_smoke = settings(SMOKE, "lemmas", "claims")
    assert of_smoke.most <= len(all_claims()) / 10
    for name in type(of_smoke.sizes).model_fields:
        assert len(getattr(of_smoke.sizes, name)) == 1
    assert settings(PAPER, "lemmas", "claims").most is None


def test_few_kernels_few_claims_of_each_law_and_few_points():
    of_smoke = settings(SMOKE, "any_attention", "kernels_laws")
    rows = law_table(of_smoke).to_pylist()
    counts = [sum(row["law"] == law.name for row in rows) for law in LAWS]
    assert max(counts) == of_smoke.points
    assert min(counts) >= 1
    assert len(settings(SMOKE, "any_attention", "kernels_values").only) < 6
    assert len(settings(SMOKE, "any_attention", "kernels_values").sizes) == of_smoke.points
    assert settings(SMOKE, "any_attention", "kernels_simulated").simulated.trials == 20


def rows_of(figure, data):
    """How many rows the table of a figure has, without the numbers of kernels in them."""
    if isinstance(figure, Map):
        return len(figure.numbers(data))

    def nothing(kernel, layer, data, n):
        return {name: np.zeros(len(n)) for name in figure.columns}

    return len(replace(figure, compute=nothing).numbers(data, {}))


@given(name=st.sampled_from([*DRAWN]))
def test_the_figures_of_kernels_have_few_points(name):
    job = settings(SMOKE, "any_attention", name)
    many, few = (rows_of(each, job.data) for each in (DRAWN[name], DRAWN[name].at_most(job.points)))
    assert few <= many / 3


def test_what_is_asked_for_by_hand_beats_the_scale():
    overrides = {"scale": "smoke", "any_attention": {"only": ["rbf"], "simulated": {"trials": 5}}}
    studies = load_config(ROOT / "config.yaml", overrides).studies()
    assert settings(studies, "any_attention", "kernels_values").only == ["rbf"]
    assert settings(studies, "any_attention", "kernels_simulated").simulated.trials == 5


def test_a_scale_that_the_first_study_does_not_have_is_named():
    overrides = {"any_attention": {"scales": {"smok": {"points": 3}}}}
    with pytest.raises(ConfigError, match=r"any_attention\.scales\.smok: is no scale") as error:
        load_config(ROOT / "config.yaml", overrides)
    assert "did you mean 'smoke'" in str(error.value)


def test_the_pages_that_one_reads_first_say_how_to_make_the_figures_alone():
    command = f"snakemake {' '.join(FIGURES)}"
    for name in ("README.md", "docs/run.md"):
        assert command in (ROOT / name).read_text(encoding="utf-8"), name
