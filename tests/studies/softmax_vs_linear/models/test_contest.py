"""Contests: their networks, events, streams and words, and what success is, by its sentence."""

import dataclasses
import re

import numpy as np
import pandas as pd
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from making import ROOT, SECTION, STUDY, contest, point, run_trials, study_of

import attention_separation as asep
from attention_separation.attention.kernels import KERNELS
from attention_separation.config import load_config
from attention_separation.settings.faults import ConfigError
from attention_separation.statistics.seeding import BlockStreams
from attention_separation.studies.any_attention import own_kernel_faults
from attention_separation.studies.softmax_vs_linear.exact.compute import compute_exact, references
from attention_separation.studies.softmax_vs_linear.models.attention import SELF_ATTENTION_MODEL
from attention_separation.studies.softmax_vs_linear.models.contest import (
    CONTEST_OF_PAPER,
    contests_in_words,
)
from attention_separation.studies.softmax_vs_linear.simulation.signs import stream_names


def test_the_papers_contest():
    assert (CONTEST_OF_PAPER.fires, CONTEST_OF_PAPER.silent, CONTEST_OF_PAPER.kernels) == (
        "exp",
        ("linear",),
        ("exp", "linear"),
    )
    assert CONTEST_OF_PAPER.networks == (("exp", 1), ("linear", 1), ("exp", 0), ("linear", 0))
    assert CONTEST_OF_PAPER.events == (
        "f_exp_d1_positive",
        "f_lin_d1_zero",
        "f_exp_d0_zero",
        "f_lin_d0_zero",
    )
    assert CONTEST_OF_PAPER.outcomes == ("successes", *CONTEST_OF_PAPER.events)
    assert [network.stream for network in CONTEST_OF_PAPER.networks] == [
        "signs exp D1", "signs lin D1", "signs exp D0", "signs lin D0",
    ]  # fmt: skip
    others = stream_names("fresh", contest("power_2", "uniform"))
    assert others == [f"signs {name} D{k}" for name in ("none", "power_2") for k in (0, 1)]
    assert all(STUDY.panels.simulated[name].contest == CONTEST_OF_PAPER for name in SECTION.panels)


def test_networks_and_events_of_another_contest():
    own = contest("power_2", "exp_sqrt_d", "linear")
    assert own.networks == (
        ("power_2", 1), ("exp_sqrt_d", 1), ("linear", 1),
        ("power_2", 0), ("exp_sqrt_d", 0), ("linear", 0),
    )  # fmt: skip
    assert own.events == (
        "power_2_d1_positive", "exp_sqrt_d_d1_zero", "linear_d1_zero",
        "power_2_d0_zero", "exp_sqrt_d_d0_zero", "linear_d0_zero",
    )  # fmt: skip
    assert contest("exp").events == ("exp_d1_positive", "exp_d0_zero")
    # Only the paper's contest has the paper's names, whatever kernels another shares with it.
    assert contest("linear", "exp").events[:2] == ("linear_d1_positive", "exp_d1_zero")


def test_one_network_on_the_wrong_side_spoils_success():
    of = contest("exp", "linear", "cosh")
    right = np.array([True] + [False] * 5)
    assert of.event_flags(right).all()
    for k in range(6):
        wrong = right.copy()
        wrong[k] ^= True
        assert not of.event_flags(wrong).all()
        assert of.event_flags(wrong).tolist() == [j != k for j in range(6)]


def test_words():
    words = "uccess: F_exp is positive on D1 and zero on D0; F_lin is zero on both"
    assert CONTEST_OF_PAPER.in_words() == f"s{words}"
    own = contest("power_2", "exp", "linear", "cosh")
    sentence = "success: F_power_2 is positive on D1 and zero on D0"
    assert own.in_words() == f"{sentence}; F_exp, F_lin and F_cosh are zero on both"
    assert contest("power_2").in_words() == sentence
    named = {"a": CONTEST_OF_PAPER, "b": own, "c": contest("power_2"), "d": own}
    assert contests_in_words(named) == [
        f"S{words}.", f"In b and d, {own.in_words()}.", f"In c, {sentence}."
    ]  # fmt: skip
    (of_all,) = contests_in_words({"b": own, "d": own})
    assert of_all == f"S{own.in_words()[1:]}."


def load(section, name, own):
    return study_of(ROOT / "config.yaml", {section: {name: {"contest": own}}})


def test_a_panels_contest_beats_its_models():
    own = {"fires": "power_2", "silent": ["linear", "uniform"]}
    config = load("panels", "fig4a", own)
    for job in (config.panels.simulated["fig4a"], config.panels.exact["fig4a"]):
        assert job.contest == contest("power_2", "linear", "uniform")
    assert config.panels.simulated["fig4b"].contest == CONTEST_OF_PAPER
    of_model = load("models", "self_attention", own)
    assert of_model.panels.simulated["fig5a"].contest == contest("power_2", "linear", "uniform")
    assert of_model.panels.simulated["fig7a"].contest == CONTEST_OF_PAPER
    alias = load("panels", "fig4a", {"fires": "power_2", "silent": ["linear", "none"]})
    assert alias.panels.simulated["fig4a"] == config.panels.simulated["fig4a"]
    nothing_silent = load("panels", "fig7a", {"fires": "cosh", "silent": []})
    assert nothing_silent.panels.simulated["fig7a"].contest == contest("cosh")


PAPERS_ALONE = "softmax regression takes exp and linear alone; allowed: {fires: exp, silent: ["
WRONG = {
    # what is wrong: (panel, contest, the fault's path below the panel, words of its sentence)
    "regression's other kernel": (
        "fig3a", {"fires": "exp", "silent": ["power_2"]}, "contest",
        ["contest of exp, power_2", PAPERS_ALONE + "linear]}"],
    ),
    "regression's one kernel": (
        "fig3b", {"fires": "exp", "silent": []}, "contest", ["contest of exp:", PAPERS_ALONE],
    ),
    "unknown kernel that is silent": (
        "fig7a", {"fires": "exp", "silent": ["linear", "lin"]}, "contest.silent[1]",
        ["'lin' is no kernel; did you mean 'linear'? allowed: exp, exp_half", *KERNELS],
    ),
    "a kernel under both of its names": (
        "fig4a", {"fires": "exp", "silent": ["uniform", "none"]}, "contest.silent",
        ["has 'uniform' twice; allowed: each value once"],
    ),
    "a kernel that does both": (
        "fig4a", {"fires": "exp", "silent": ["linear", "exp"]}, "contest",
        ["'exp' both fires and is silent; allowed: other kernels"],
    ),
    "no list": (
        "fig4a", {"fires": "exp", "silent": "linear"}, "contest.silent",
        ["'linear' is not allowed; should be a list"],
    ),
}  # fmt: skip


@given(name=st.sampled_from([*WRONG]))
def test_a_contest_that_is_none(name):
    panel, own, path, words = WRONG[name]
    with pytest.raises(ConfigError) as error:
        load("panels", panel, own)
    (fault,) = error.value.faults
    assert fault.startswith(f"--config panels.{panel}.{path}: ")
    for part in words:
        assert part in fault


def test_a_models_contest_is_checked_in_each_of_its_panels():
    with pytest.raises(ConfigError) as error:
        load("models", "regression", {"fires": "exp", "silent": ["uniform"]})
    starts = [fault.partition(": ")[0] for fault in error.value.faults]
    assert starts == [f"softmax_vs_linear.panels.{name}.contest" for name in ("fig3a", "fig3b")]
    with pytest.raises(ConfigError) as error:
        load("models", "self_attention", {"fires": "exp", "silent": ["lin"]})
    (fault,) = error.value.faults
    assert fault.startswith("--config models.self_attention.contest.silent[0]: 'lin' is no kernel")


def loaded(contest, kernels=None):
    """The panel 4d of a configuration with a contest, and kernels of one's own."""
    overrides = {"panels": {"fig4d": {"contest": contest}}}
    overrides["any_attention"] = {"kernels": kernels or {}}
    config = load_config(ROOT / "config.yaml", overrides)
    return config.softmax_vs_linear.panels["fig4d"].panel("fig4d")


SMALL = {"n": 60, "d": 12, "m": 5, "a0": 0.01, "a1": 1.2, "b": 0.2, "c": 0.8, "theta": 0.5}

OWN = {"cube": {"score": "x**3"}, "elu": {"feature_map": "where(x > 0, x + 1, exp(x))"}}


@pytest.fixture
def untried(monkeypatch):
    """Kernels of one's own are taken as they are: to try them takes most of the time."""
    monkeypatch.setattr(own_kernel_faults, "own_kernel_faults", lambda kernels, data, sizes: [])


def test_a_formula_and_a_kernel_of_ones_own_stand_for_a_name(untried):
    """Exact values are those of the built-in ones, and of n x n attention trial by trial."""
    panel = loaded({"fires": "exp", "silent": ["linear", "cube", "elu", " x**4 "]}, OWN)
    assert panel.contest.kernels == ("exp", "linear", "cube", "elu", "x**4")
    assert panel.contest.events[2] == "cube_d1_zero"
    built_in = loaded({"fires": "exp", "silent": ["linear", "power_3", "elu_plus_one", "power_4"]})
    points = panel.points()[::20]
    found = references(SELF_ATTENTION_MODEL, points)
    wanted = references(SELF_ATTENTION_MODEL, built_in.points()[::20])
    for one, other in zip(found, wanted, strict=True):
        assert one.success == pytest.approx(other.success, abs=1e-13)
        assert one.events == pytest.approx(other.events, abs=1e-13)
    exact = asep.success({"fires": "exp", "silent": ["linear", "x**3"]}, n=200).probability
    of_formula = loaded({"fires": "exp", "silent": ["linear", "x**3"]}).points()
    default = dataclasses.replace(of_formula[0], a1=1.2, m=15)
    assert references(SELF_ATTENTION_MODEL, [default])[0].success == pytest.approx(exact, abs=1e-13)
    small = dataclasses.replace(point("self_attention", **SMALL), contest=panel.contest)
    streams = BlockStreams(0, "test", small.name, 0)
    dense, reduced = (run_trials(engine, small, streams, 8) for engine in ("dense", "reduced"))
    np.testing.assert_array_equal(dense, reduced)
    assert dense.shape == (8, 10)


def test_a_digest_has_the_formula_and_no_other_kernel(untried):
    contest = {"fires": "exp", "silent": ["cube"]}
    panel = loaded(contest, OWN)
    digest = panel.digest()
    assert loaded(contest, OWN | {"elu": {"score": "x"}}).digest() == digest
    assert loaded(contest, OWN | {"cube": {"score": "x**3 + 1"}}).digest() != digest
    by_formula = loaded({"fires": "exp", "silent": ["x**3"]}).digest()
    assert loaded({"fires": "exp", "silent": ["x**5"]}).digest() != by_formula
    assert type(panel).model_validate_json(panel.canonical()) == panel


def test_what_is_no_kernel_in_a_contest_is_named(subtests):
    for wrong, said in [
        ({"fires": "exp", "silent": ["x**"]}, r"silent\[0\]: 'x\*\*' is no kernel and no formula"),
        ({"fires": "cub", "silent": []}, "fires: 'cub' is no kernel; .* or one of any_attention"),
        ({"fires": "exp", "silent": ["x - 100"]}, "contest: x - 100: a row of weights sums to"),
        ({"fires": "x**2", "silent": ["x**2"]}, "'x\\*\\*2' both fires and is silent"),
        (
            {"fires": "exp", "silnt": []},
            "unknown key; did you mean 'silent'[?] allowed: fires",
        ),
    ]:
        with subtests.test(contest=wrong), pytest.raises(ConfigError, match=said):
            loaded(wrong, OWN)


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
