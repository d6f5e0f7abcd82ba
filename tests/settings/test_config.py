"""Settings: one test per way to be wrong, and overrides."""

import copy
import re

import pytest
from faulty import SMALL
from making import ROOT, spelled_out, study_of, values, with_config

from attention_separation.config import Config, checked_config, load_config
from attention_separation.settings.faults import ConfigError
from attention_separation.settings.section_files import WrittenSettings

TEXT = (ROOT / "config.yaml").read_text(encoding="utf-8")


def faults_of_text(tmp_path, text):
    path = with_config(tmp_path, text)
    with pytest.raises(ConfigError) as error:
        load_config(path)
    assert str(error.value).startswith("config.yaml: ")
    return error.value.faults


def faults_of(values, overrides=None):
    with pytest.raises(ConfigError) as error:
        checked_config(WrittenSettings("config.yaml", values, {}, []), overrides or {})
    return error.value.faults


def in_section(keys):
    """Where a setting stands: in the first study's section, unless it is of all."""
    return tuple(keys) if keys[0] in Config.model_fields else ("softmax_vs_linear", *keys)


def changed(*keys, to):
    """A small configuration with one value changed, or removed where `to` is None."""
    values = copy.deepcopy(SMALL)
    keys = in_section(keys)
    inner = values
    for key in keys[:-1]:
        inner = inner[key]
    if to is None:
        del inner[keys[-1]]
    else:
        inner[keys[-1]] = to
    return values


A = ("panels", "fig4a")
SMOKE_RANK = values()["head_rank"]["scales"]["smoke"]
FIG1 = ("head_rank", "scales", "smoke", "training", "fig1")
FIG3 = (*FIG1[:-1], "fig3")
FIG1_PATH, FIG3_PATH = ".".join(FIG1), ".".join(FIG3)
WRONG = {
    # what is wrong: (where, what stands there instead, the fault's path, words of its sentence)
    "misspelt key": ((*A, "trails"), 3, "panels.fig4a.trails", "did you mean 'trials'"),
    "misspelt parameter": ((*A, "fixed", "alpha"), 3, "panels.fig4a.fixed.alpha", "allowed: n, m"),
    "misspelt section": (("panel",), {}, "panel", "did you mean 'panels'"),
    "missing key": ((*A, "trials"), None, "panels.fig4a.trials", "is missing"),
    "missing section": (("models",), None, "models", "is missing"),
    "negative trials": ((*A, "trials"), -1, "panels.fig4a.trials", "-1 is not allowed"),
    "fractional trials": ((*A, "trials"), 2.5, "panels.fig4a.trials", "2.5 is not allowed"),
    "NaN": ((*A, "fixed", "a1"), float("nan"), "panels.fig4a.fixed.a1", "nan is not allowed"),
    "zero b": ((*A, "fixed", "b"), 0.0, "panels.fig4a.fixed.b", "or equal to 0.000001"),
    "delta above one": ((*A, "fixed", "delta"), 1.5, "panels.fig4a.fixed.delta", "less than 1"),
    "unknown model": ((*A, "model"), "self_atention", "panels.fig4a.model", "did you mean"),
    "a model that is no text": ((*A, "model"), {"a": [1]}, "panels.fig4a.model", "is unknown"),
    "unknown scale": (("scale",), "papre", "scale", "did you mean 'paper'"),
    "scale of a folder's name": (
        ("scales", "Head_rank"), {}, "scales.Head_rank", "name of a folder of results",
    ),
    "rank scale of a folder's name": (
        ("head_rank", "scales", "cells"), SMOKE_RANK, "head_rank.scales.cells", "name of a folder",
    ),
    "rank that does not divide": (
        (*FIG1, "ranks"), [4, 3], FIG1_PATH,
        "3, which does not divide the dimension 4; allowed: 1, 2, 4",
    ),
    "rank of an encoding": (
        (*FIG3, "ranks"), [3], FIG3_PATH, "does not divide the dimension 4",
    ),
    "unknown encoding": (
        (*FIG3, "encodings"), ["rotary"], f"{FIG3_PATH}.encodings[0]", "'none', 'additive' or",
    ),
    "a part's rank that does not divide": (
        (*FIG1, "also"), [{"steps": 200}, {"ranks": [3]}], FIG1_PATH,
        "also[1]: ranks has 3, which does not divide the dimension 4",
    ),
    "a part's misspelt setting": (
        (*FIG1, "also"), [{"step": 200}], f"{FIG1_PATH}.also[0].step", "did you mean 'steps'",
    ),
    "part of an epoch": ((*FIG1, "steps"), 150, FIG1_PATH, "steps is 150; allowed: a multiple of"),
    "too many cells": ((*FIG1, "n"), [*range(2, 300)], FIG1_PATH, "cells; allowed: at most 1000"),
    "even number of votes": (
        ("head_rank", "scales", "smoke", "vote", "heads"), [2],
        "head_rank.scales.smoke.vote.heads[0]", "2 heads; allowed: odd numbers",
    ),
    "no grid": (
        ("head_rank", "scales", "smoke", "training"),
        {"fig1": None, "fig3": None, "fig4": None, "fresh": None},
        "head_rank.scales.smoke.training", "has no grids",
    ),
    "a parameter of another model": (
        ("panels", "fig7b", "fixed", "b"), 0.2, "panels.fig7b.fixed.b", "unknown key",
    ),
    "theta of another form": (
        ("models", "self_attention", "theta"), "b + 0.1", "models.self_attention.theta",
        "'c + NUMBER'",
    ),
    "m of another form": (
        (*A, "fixed", "m"), {"log_of": "m", "round": "floor"}, "panels.fig4a.fixed.m.log_of",
        "'n' or 'n/delta'",
    ),
    "nothing swept": ((*A, "sweep"), {}, "panels.fig4a.sweep", "one or two"),
    "three swept": (
        (*A, "sweep"), {"n": [200], "a1": [1.0], "b": [0.2]}, "panels.fig4a.sweep", "one or two",
    ),
    "held and swept": ((*A, "fixed", "n"), 200, "panels.fig4a.fixed.n", "swept too"),
    "neither held nor swept": ((*A, "fixed", "d"), None, "panels.fig4a.fixed.d", "missing"),
    "delta needed": ((*A, "fixed", "delta"), None, "panels.fig4a.fixed.delta", "log(n/delta)"),
    "delta of no use": (
        ("panels", "fig3a", "fixed", "delta"), 0.01, "panels.fig3a.fixed.delta", "remove it",
    ),
    "empty grid": ((*A, "sweep"), {"n": []}, "panels.fig4a.sweep.n", "no values"),
    "a value twice": ((*A, "sweep"), {"n": [200, 200]}, "panels.fig4a.sweep.n", "twice"),
    "grid is no list": ((*A, "sweep"), {"n": 200}, "panels.fig4a.sweep.n", "200 is not allowed"),
    "grid value of another type": (
        (*A, "sweep"), {"n": [200, "x"]}, "panels.fig4a.sweep.n[1]", "'x' is not allowed",
    ),
    "fractional n": (
        (*A, "sweep"), {"n": {"from": 200, "to": 210, "step": 2.5}}, "panels.fig4a.sweep.n",
        "makes the value 202.5, which should be a valid integer",
    ),
    "misspelt range": (
        (*A, "sweep"), {"n": {"form": 1, "to": 2, "step": 1}}, "panels.fig4a.sweep.n.form",
        "did you mean 'from'",
    ),
    "descending range": (
        (*A, "sweep"), {"n": {"from": 210, "to": 200, "step": 10}}, "panels.fig4a.sweep.n", "down",
    ),
    "no step": (
        (*A, "sweep"), {"n": {"from": 200, "to": 210, "step": 0}}, "panels.fig4a.sweep.n.step",
        "greater than 0",
    ),
    "endless range": (
        (*A, "sweep"), {"n": {"from": 200, "to": 1e9, "step": 1}}, "panels.fig4a.sweep.n",
        "at most",
    ),
    "n that breaks the definition": (
        (*A, "sweep"), {"n": [201]}, "panels.fig4a.sweep.n", "nearest valid n: 200 or 210",
    ),
    "a later d that is too small": (
        ("panels", "fig4b", "sweep"), {"d": [4, 10, 2]}, "panels.fig4b.sweep.d", "d >= 3",
    ),
    "a reconstructed parameter that is none": (
        (*A, "reconstructed"), ["e"], "panels.fig4a.reconstructed", "'e' is no parameter",
    ),
    "a figure's panel that is none": (
        ("figures", "fig4", "panels"), ["fig4z"], "figures.fig4.panels[0]", "no panel 'fig4z'",
    ),
    "a figure without panels": (
        ("figures", "fig4", "panels"), [], "figures.fig4.panels", "at least 1",
    ),
    "a figure named as a panel": (
        ("figures", "fig4a"), {"title": "x", "panels": ["fig4a"]}, "panels.fig4a", "another name",
    ),
    "a panel named as a rule": (("panels", "all"), {}, "panels.all", "is the name of a rule"),
    "a panel without a name": (("panels", "4 a"), {}, "panels.4 a", "letters, digits and _"),
    "a panel that is no mapping": (("panels", "mine"), 3, "panels.mine", "should be a mapping"),
    "theta that needs a c": (
        ("models", "cross_attention", "theta"), "c + 0.1", "models.cross_attention.theta",
        "should be a valid number",
    ),
    "text as a key of the top level": (("text",), 3, "text", "unknown key; allowed: scale"),
    "a key in angle brackets": (("<range>",), 3, "'<range>'", "unknown key; allowed: scale"),
    "a tag's name as a key": (
        (*A, "fixed", "rule"), 3, "panels.fig4a.fixed.rule", "unknown key; allowed: n, m",
    ),
    "the model's name as a key": (
        (*A, "self_attention"), {}, "panels.fig4a.self_attention", "unknown key",
    ),
    "times beyond floats": (
        (*A, "fixed", "m", "times"), 1e308, "panels.fig4a.fixed.m.times", "1000000",
    ),
    "a rule that makes m too large": (
        (*A, "fixed", "m", "times"), 1e6, "panels.fig4a.sweep.n", "at most 1000000 sign columns",
    ),
    "n beyond memory": (
        ("panels", "fig3a", "sweep"), {"n": [10**12]}, "panels.fig3a.sweep.n", "n <= 100000000",
    ),
    "a panel twice in a figure": (
        ("figures", "fig3", "panels"), ["fig3a", "fig3a"], "figures.fig3.panels[1]",
        "each panel once",
    ),
    "names that differ by case": (("panels", "FIG4A"), {}, "panels.FIG4A", "another name"),
    "a long name": (("panels", "x" * 51), {}, "panels." + "x" * 51, "at most 50"),
}  # fmt: skip


def test_one_way_to_be_wrong(subtests):
    for name in WRONG:
        with subtests.test(name=name):
            keys, value, path, words = WRONG[name]
            faults = faults_of(changed(*keys, to=value))
            whole = ".".join(in_section(path.split(".")))
            about = [fault for fault in faults if fault.partition(": ")[0] == whole]
            assert about, faults
            assert any(words in fault for fault in about), about


def test_all_faults_at_once():
    whole = spelled_out()
    values = whole["softmax_vs_linear"]
    whole["sede"] = 1
    values["panels"]["fig3a"]["trials"] = 0
    values["panels"]["fig4a"]["fixed"]["d"] = 13
    values["panels"]["fig7b"]["trails"] = 3
    values["engine"] = "sparse"
    values["scale"] = "none"
    paths = {fault.partition(":")[0] for fault in faults_of(whole)}
    assert paths == {
        "softmax_vs_linear.panels.fig3a.trials",
        "softmax_vs_linear.panels.fig4a.sweep.n",
        "softmax_vs_linear.panels.fig7b.trails",
        "softmax_vs_linear.engine",
        "softmax_vs_linear.scale",
        "sede",
    }


def test_many_points_that_break_a_definition_are_one_short_list():
    whole = spelled_out()
    whole["softmax_vs_linear"]["panels"]["fig4a"]["fixed"]["d"] = 13
    faults = faults_of(whole)
    assert len(faults) == 3
    assert faults[-1].endswith("and 71 more points like these")
    whole["softmax_vs_linear"]["panels"]["fig4a"]["sweep"] = {"n": [200, 210, 230]}
    assert faults_of(whole)[-1].endswith("and 1 more point like these")
    whole["softmax_vs_linear"]["panels"]["fig4a"]["sweep"] = {"n": [200, 210]}
    faults = faults_of(whole)
    assert len(faults) == 2
    assert not any("more points" in fault for fault in faults)


def test_broken_yaml_names_file_and_line(tmp_path):
    fault = faults_of_text(tmp_path, TEXT.replace("engine: reduced", "engine: [reduced"))[0]
    assert re.search(r"config\.yaml, line \d+, column \d+: not valid YAML", fault)


def test_a_tab_names_its_line(tmp_path):
    fault = faults_of_text(tmp_path, "seed: 1\n\tscale: paper\n")[0]
    assert "line 2" in fault


def test_duplicate_keys_name_both_lines(tmp_path):
    (fault,) = faults_of_text(tmp_path, "seed: 1\nscale: paper\nseed: 2\n")
    assert "line 3: key 'seed' stands twice, first on line 1" in fault


@pytest.mark.parametrize("text", ["- 1\n", "just text\n", "3\n"])
def test_no_mapping(text, tmp_path):
    assert "no mapping" in faults_of_text(tmp_path, text)[0]


def test_an_empty_file(tmp_path):
    assert faults_of_text(tmp_path, "# nothing\n") == ["the file is empty"]


def test_a_key_that_is_no_text_names_its_line(subtests, tmp_path):
    for key in ["4", "yes", "null", "2020-01-01", "1.5", "[a, b]", "{a: b}"]:
        with subtests.test(key=key):
            (fault,) = faults_of_text(tmp_path, TEXT + f"  ? {key}\n  : 3\n")
            line = len(TEXT.splitlines()) + 1
            assert f"line {line}: key" in fault
            assert "is no text" in fault


def test_what_yaml_cannot_construct(subtests, tmp_path):
    for text in ["seed: \0\n", "seed: !!bool abc\n", "seed: !!int ''\n", "a: *b\n"]:
        with subtests.test(text=text):
            assert "not valid YAML" in faults_of_text(tmp_path, text)[0]


def test_one_section_that_is_none_is_one_fault():
    whole = values()
    whole["softmax_vs_linear"]["panels"] = None
    (fault,) = faults_of(whole)
    assert fault.startswith("softmax_vs_linear.panels: None is not allowed")


def test_a_list_of_wrong_values_is_one_short_list():
    faults = faults_of(changed(*A, "sweep", to={"n": ["x"] * 50}))
    assert len(faults) == 4
    assert faults[-1] == "softmax_vs_linear.panels.fig4a.sweep.n: and 47 more such faults"


def test_titles_from_overrides_stay_text():
    title = {"figures": {"fig3": {"title": "2024"}}}
    assert (
        load_config(ROOT / "config.yaml", title).softmax_vs_linear.figures["fig3"].title == "2024"
    )


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(ConfigError, match="cannot be read"):
        load_config(tmp_path / "config.yaml")


def test_numbers_in_exponent_notation(tmp_path):
    path = with_config(tmp_path, TEXT.replace("trials: null", "trials: 1e6"))
    assert load_config(path).softmax_vs_linear.trials == 1_000_000


def test_overrides_are_typed_and_beat_the_file():
    path = ROOT / "config.yaml"
    plain = study_of(path)
    over = study_of(path, {"trials": "20", "seed": 7, "engine": "dense", "scale": "smoke"})
    assert (plain.panels.seed, plain.folder) == (2310, "results")
    assert (over.panels.seed, over.folder) == (7, "results/smoke")
    job = over.panels.simulated["fig4a"]
    assert (job.trials, job.seed, job.engine, job.most_values) == (20, 7, "dense", 5)


def test_overrides_reach_only_what_they_touch():
    path = ROOT / "config.yaml"
    plain = study_of(path)
    over = study_of(path, {"panels": {"fig4a": {"trials": "7"}}})
    assert over.panels.simulated["fig4a"].trials == 7
    same = [
        name
        for name in plain.section.panels
        if plain.panels.simulated[name] == over.panels.simulated[name]
    ]
    assert same == [name for name in plain.section.panels if name != "fig4a"]


def test_overrides_are_checked_and_named_as_such():
    assert faults_of(SMALL, {"trials": "abc"})[0].startswith("--config trials: 'abc'")
    assert faults_of(SMALL, {"trails": 3})[0].startswith("--config trails: unknown key")
    assert faults_of(SMALL, {"trials": 0})[0].startswith("--config trials: 0")


@pytest.mark.parametrize(
    ("overrides", "words"),
    [
        ({"trails": 1}, "config of module 'a': trails: unknown key; did you mean 'trials'?"),
        (["trials"], "config of module 'a': 1 fault\n  ['trials'] is no mapping of settings"),
    ],
)
def test_overrides_of_another_workflow_are_named_as_such(overrides, words):
    with pytest.raises(ConfigError, match=re.escape(words)):
        load_config(ROOT / "config.yaml", overrides, "config of module 'a':")


OLD_PLACES = {
    ("claims",): "softmax_vs_linear.claims: has another place now: lemmas",
    ("phase",): "softmax_vs_linear.phase: has another place now: open_choices.phase",
    ("scales", "smoke", "audited"): "softmax_vs_linear.scales.smoke.audited: has another place "
    "now: open_choices.scales.smoke.audited, and lemmas.scales.smoke.sizes",
    ("scales", "smoke", "claims"): "softmax_vs_linear.scales.smoke.claims: has another place now: "
    "lemmas.scales.smoke.claims",
}


def test_a_setting_that_moved_is_refused_with_its_new_place():
    for place, sentence in OLD_PLACES.items():
        assert faults_of(changed(*place, to=1)) == [sentence]
    (fault,) = faults_of(SMALL, {"phase": {}})
    assert fault == "--config phase: has another place now: open_choices.phase"


@pytest.mark.parametrize("section", ["lemmas", "open_choices", "any_attention"])
def test_a_scale_that_the_first_paper_has_not_is_refused(section):
    (fault,) = faults_of(changed(section, "scales", to={"smok": {}}))
    assert fault.startswith(f"{section}.scales.smok: is no scale of softmax_vs_linear; did you")


def test_scales():
    path = ROOT / "config.yaml"
    deep = study_of(path, {"scale": "deep"})
    assert deep.folder == "results/deep"
    assert deep.panels.simulated["fig3a"].trials == 1_000_000
    assert deep.panels.simulated["fig7c"].trials == 1_000_000
    assert deep.panels.simulated["fig7c"].most_values is None


def test_what_is_reconstructed_is_said():
    config = study_of(ROOT / "config.yaml")
    assert {"m", "tau", "law"} <= set(config.panels.marked["fig3a"].reconstructed)
    # Figures say so; tables do not depend on it.
    assert config.panels.simulated["fig3a"].reconstructed == []
    assert "theta" in config.panels.marked["fig4a"].reconstructed
    assert "theta" not in config.panels.marked["fig5a"].reconstructed
    assert {"n", "d", "theta", "a1"} <= set(config.panels.marked["fig7b"].reconstructed)
    assert config.panels.marked["fig5a"].reconstruction == "data, signs; V the identity"
    assert config.panels.marked["fig7b"].reconstruction.endswith(
        "; V the identity; the datasets themselves"
    )
    assert config.panels.marked["fig5f"].reconstructed == ["a0", "data", "signs"]
    assert config.panels.marked["fig5f"].marked_notes == ["V the identity"]
