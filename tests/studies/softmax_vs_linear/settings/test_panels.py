"""Panels, their grids and points: the paper's, and any user's; what they take from figures and
models is said where it is written, once."""

import math
from decimal import Decimal

import pytest
from making import ROOT, SECTION, STUDY, config_points, panel, study_of
from papers_panels import PAPERS_PANELS

from attention_separation.config import load_config
from attention_separation.settings.faults import ConfigError
from attention_separation.settings.strict_model import subsample
from attention_separation.studies.softmax_vs_linear.models.model import MRule


def test_the_papers_panels_and_grids():
    """As the paper states them; other panels may stand beside."""
    for name, size in PAPERS_PANELS.items():
        assert len(config_points(name)) == size, name
        regression = SECTION.panels[name].model == "regression"
        assert STUDY.panels.simulated[name].trials == (1000 if regression else 100)
        if not regression and "m" not in STUDY.panels.exact[name].sweep:
            assert {p.m for p in config_points(name)} == {15}


OF_ATTENTION = "data signs"
OF_FIGURE_7 = f"n d m a0 a1 theta attention_x {OF_ATTENTION}"
RECONSTRUCTED = {
    "fig3a": "m tau law data signs", "fig3b": "tau law data signs",
    **{f"fig4{panel}": f"theta {OF_ATTENTION}" for panel in "abcde"},
    "fig4f": f"theta a0 {OF_ATTENTION}",
    **{f"fig5{panel}": OF_ATTENTION for panel in "abcde"},
    "fig5f": f"a0 {OF_ATTENTION}",
    **{f"fig7{panel}": f"delta {OF_FIGURE_7}" for panel in "abde"},
    "fig7c": OF_FIGURE_7,
}  # fmt: skip
"""What the paper does not state of each of its panels."""


def test_what_the_paper_does_not_state_is_marked_in_every_panel():
    for name in PAPERS_PANELS:
        marked = STUDY.panels.marked[name]
        assert {*marked.reconstructed} == {*RECONSTRUCTED[name].split()}, name
        assert all(mark in marked.reconstruction for mark in marked.reconstructed)


def test_ends_of_grids(subtests):
    for name, first, last in [
        ("fig3a", 100, 2000),
        ("fig3b", 1, 100),
        ("fig4a", 200, 1000),
        ("fig4b", 4, 66),
        ("fig4c", 1, 80),
        ("fig5d", 0.1, 2.98),
        ("fig5e", 0.01, 0.8),
        ("fig5f", 0.5, 0.9),
        ("fig7b", 3, 65),
        ("fig7d", 0.1, 2.98),
    ]:
        with subtests.test(name=name, first=first, last=last):
            values = [p.swept[0] for p in config_points(name)]
            assert (values[0], values[-1]) == (first, last)
            assert values == sorted(values)


def test_grid_values_are_exact_decimals():
    values = [p.a1 for p in config_points("fig5d")]
    exact = [float(Decimal("0.1") + k * Decimal("0.036")) for k in range(81)]
    assert values == exact
    assert values != [0.1 + k * 0.036 for k in range(81)]
    assert values[50] == 1.9
    assert config_points("fig5d")[50].name == "a1=1.9"


def test_points_hold_all_parameters_and_the_absolute_threshold():
    p = config_points("fig4a")[0]
    s = math.sqrt(math.log(200))
    held = (p.n, p.d, p.m, p.a0, p.a1, p.b, p.c, p.delta)
    assert held == (200, 12, 15, 0.01, 1.2, 0.2, 0.8, 0.01)
    assert p.tau == pytest.approx(0.9 * s, rel=1e-15)
    assert (p.s, p.attention_x, p.law) == (s, "identity", None)
    assert config_points("fig5a")[0].attention_x == "ones"
    f = config_points("fig4f")
    assert f[0].tau == pytest.approx(0.6 * f[0].s)
    assert config_points("fig7a")[0].tau == pytest.approx(0.9 * s)
    r = config_points("fig3a")[0]
    assert (r.tau, r.s, r.m, r.d, r.delta, r.attention_x) == (0.25, 1.0, 4, None, None, None)


def test_delta_is_null_where_nothing_depends_on_it():
    assert {p.delta for p in config_points("fig4c")} == {None}
    assert {p.delta for p in config_points("fig3a")} == {None}


def test_rules_for_m(subtests):
    for rule, n, delta, m in [
        ({"log_of": "n", "round": "floor"}, 1000, None, 6),
        ({"log_of": "n", "round": "nearest"}, 1000, None, 7),
        ({"log_of": "n", "round": "ceil"}, 1000, None, 7),
        ({"log_of": "n", "round": "floor", "base": 10}, 1000, None, 3),
        ({"log_of": "n", "round": "floor", "base": 2}, 1024, None, 10),
        ({"log_of": "n/delta", "round": "floor", "at_least": 15}, 200, 0.01, 15),
        ({"log_of": "n/delta", "round": "ceil", "times": 2.0}, 200, 0.01, 20),
    ]:
        with subtests.test(rule=rule, n=n, delta=delta, m=m):
            assert MRule.model_validate(rule).m(n, delta) == m


def test_two_swept_parameters_make_their_product():
    both = panel("cross_attention", {"d": [3, 5], "a1": [1.0, 2.0]}, n=16, m=5, a0=0.01).points()
    assert [(p.d, p.a1) for p in both] == [(3, 1.0), (3, 2.0), (5, 1.0), (5, 2.0)]
    assert both[1].name == "a1=2.0,d=3"


def test_a_points_name_does_not_depend_on_the_grid_around_it():
    coarse = panel("regression", {"n": [100, 300]}, m=3).points()
    fine = panel("regression", {"n": [100, 200, 300]}, m=3).points()
    assert coarse[1].name == fine[2].name == "n=300"


def test_thinning_keeps_the_ends():
    assert subsample(list(range(81)), 5) == [0, 20, 40, 60, 80]
    assert subsample([1, 2, 3], 5) == [1, 2, 3]
    assert subsample([1, 2, 3], 1) == [1]
    assert subsample([1, 2, 3], None) == [1, 2, 3]


OF_MODEL, OF_FIGURE = "models.self_attention", "figures.fig4"


def faults_of(overrides):
    with pytest.raises(ConfigError) as error:
        load_config(ROOT / "config.yaml", overrides)
    return [fault.removeprefix("--config ") for fault in error.value.faults]


def test_a_fault_of_what_panels_share_is_said_once(subtests):
    for place, own, path in [
        (OF_MODEL, {"theta": "b + 0.1"}, "theta"),
        (OF_MODEL, {"contest": {"fires": "exp", "silent": ["lin"]}}, "contest.silent[0]"),
        (OF_FIGURE, {"fixed": {"n": 0}}, "fixed.n"),
        (OF_FIGURE, {"fixed": {"dd": 22}}, "fixed.dd"),
        (OF_FIGURE, {"trials": "many"}, "trials"),
        (OF_FIGURE, {"reconstructed": ["e"]}, "reconstructed"),
    ]:
        with subtests.test(place=place, own=own, path=path):
            section, name = place.split(".")
            (fault,) = faults_of({section: {name: own}})
            assert fault.startswith(f"{place}.{path}: ")


@pytest.mark.parametrize("models", [None, "none"])
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
