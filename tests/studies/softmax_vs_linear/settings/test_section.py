"""What panels take from figures and models is said where it is written, once."""

import pytest
from making import ROOT, SECTION, study_of

from attention_separation.config import load_config
from attention_separation.settings.faults import ConfigError

OF_MODEL, OF_FIGURE = "models.self_attention", "figures.fig4"


def faults_of(overrides):
    with pytest.raises(ConfigError) as error:
        load_config(ROOT / "config.yaml", overrides)
    return [fault.removeprefix("--config ") for fault in error.value.faults]


def test_a_fault_of_what_panels_share_is_said_once(subtests):
    for place, own, path in [
        (OF_MODEL, {"theta": "b + 0.1"}, "theta"),
        (OF_MODEL, {"thta": 0.9}, "thta"),
        (OF_MODEL, {"contest": {"fires": "exp", "silent": ["lin"]}}, "contest.silent[0]"),
        (OF_MODEL, {"reconstructed": ["e"]}, "reconstructed"),
        (OF_FIGURE, {"fixed": {"n": 0}}, "fixed.n"),
        (OF_FIGURE, {"fixed": {"dd": 22}}, "fixed.dd"),
        (OF_FIGURE, {"trials": "many"}, "trials"),
        (OF_FIGURE, {"model": "self"}, "model"),
        (OF_FIGURE, {"contest": {"fires": "exp", "silent": "linear"}}, "contest.silent"),
        (OF_FIGURE, {"reconstructed": ["e"]}, "reconstructed"),
    ]:
        with subtests.test(place=place, own=own, path=path):
            section, name = place.split(".")
            (fault,) = faults_of({section: {name: own}})
            assert fault.startswith(f"{place}.{path}: ")


@pytest.mark.parametrize("models", [None, [1], "none"])
def test_models_that_are_none_are_not_missed_in_every_panel(models):
    (fault,) = faults_of({"models": models})
    assert fault.startswith("models: ")


def test_a_panels_own_faults_are_said_beside_those_of_its_figure():
    paths = {
        fault.partition(": ")[0]
        for fault in faults_of(
            {
                "figures": {"fig4": {"fixed": {"dd": 22}}},
                "panels": {"fig4b": {"sweep": {"d": [2]}}, "fig4c": {"fixed": {"a0": -1}}},
            }
        )
    }
    assert paths == {"figures.fig4.fixed.dd", "panels.fig4b.sweep.d", "panels.fig4c.fixed.a0"}


def test_a_panel_says_all_that_it_takes_when_it_is_validated():
    own, m = SECTION.panels["fig4c"], SECTION.panels["fig4a"].fixed.m
    assert (own.trials, own.fixed.theta, own.fixed.a1, own.fixed.d) == (100, "c + 0.1", 1.2, 22)
    assert own.fixed.m is own.fixed.delta is None, "it sweeps m, which no longer needs delta"
    assert (m.log_of, m.at_least) == ("n/delta", 15)
    assert own.reconstructed == ["theta", "data", "signs"]


def test_null_says_nothing():
    own = {"fixed": {"theta": None}, "contest": None}
    panel = study_of(ROOT / "config.yaml", {"panels": {"fig4a": own}}).panels.exact["fig4a"]
    assert panel == study_of(ROOT / "config.yaml").panels.exact["fig4a"]
