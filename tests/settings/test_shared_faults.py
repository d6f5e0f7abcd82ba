"""A fault that is written once, under an anchor of YAML, is told once."""

import shutil

import pytest
from making import ROOT

from attention_separation.config import load_config
from attention_separation.settings.faults import ConfigError


@pytest.fixture
def folder(tmp_path):
    """The project's settings, to be edited."""
    shutil.copy(ROOT / "config.yaml", tmp_path)
    shutil.copytree(ROOT / "config", tmp_path / "config")
    return tmp_path


def edit(path, old, new):
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def faults_of(folder, overrides=None):
    with pytest.raises(ConfigError) as error:
        load_config(folder / "config.yaml", overrides)
    return error.value.faults


def test_a_misspelt_key_that_scales_share_is_told_once(folder):
    edit(folder / "config/head_rank.yaml", "draws: 20000", "drawn: 20000")
    missing, unknown = faults_of(folder)
    above = "head_rank.scales.desk.temperature"
    assert missing.startswith(f"{above}.draws: is missing (")
    assert unknown.startswith(f"{above}.drawn: unknown key; did you mean 'draws'? ")
    text = (ROOT / "config/head_rank.yaml").read_text(encoding="utf-8")
    others = text.count("*temperature")
    assert others > 5
    for line in (missing, unknown):
        assert line.endswith(f"; and in {others} scales that share it")


def test_a_value_that_scales_share_is_told_once(folder):
    edit(folder / "config/head_rank.yaml", "draws: 20000", "draws: many")
    (line,) = faults_of(folder)
    assert line.startswith("head_rank.scales.desk.temperature.draws: 'many' is not allowed; ")
    assert line.endswith(" scales that share it")


def test_a_key_that_is_merged_is_told_once(folder):
    """With <<, its mapping is another, and the key is written once all the same."""
    edit(folder / "config.yaml", "fixed: &figure_4\n", "fixed: &figure_4\n        colour: 3\n")
    (line,) = faults_of(folder)
    assert line.startswith("softmax_vs_linear.figures.fig4.fixed.colour: unknown key; ")
    assert line.endswith("; and in 1 figure that shares it")


@pytest.mark.parametrize("value", ["[4, 4]", "many"])
def test_an_alias_of_a_list_or_of_a_word_is_told_once(folder, value):
    edit(folder / "config.yaml", "    fig3a:\n", f"    fig3a:\n      trials: &one {value}\n")
    edit(folder / "config.yaml", "    fig3b:\n", "    fig3b:\n      trials: *one\n")
    (line,) = faults_of(folder)
    assert line.startswith("softmax_vs_linear.panels.fig3a.trials: ")
    assert line.endswith("; and in 1 panel that shares it")


def test_what_is_written_twice_is_told_twice(folder):
    edit(folder / "config/head_rank.yaml", "temperature: *temperature", "temperature: 3")
    edit(folder / "config/head_rank.yaml", "temperature: *temperature", "temperature: 3")
    lines = faults_of(folder)
    assert len(lines) == 2
    assert not any("share" in line for line in lines)


def test_what_overrides_say_is_shared_by_none(folder):
    drawn = {"temperature": {"draws": "many"}}
    lines = faults_of(folder, {"head_rank": {"scales": {"desk": drawn, "paper": drawn}}})
    assert len(lines) == 2
    assert not any("share" in line for line in lines)
