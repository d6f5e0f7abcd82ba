"""Settings as they are written: sections in files of their own, faults below the name of their
file, and once where they are written once, under an anchor of YAML."""

import re

import pytest
import yaml
from making import ROOT, settings_text, values, with_config

from attention_separation.__main__ import main
from attention_separation.config import IN_CONFIG_YAML, WITH_FILES, Config, load_config, read_config
from attention_separation.settings.faults import ConfigError

TEXT = (ROOT / "config.yaml").read_text(encoding="utf-8")


@pytest.fixture
def path(tmp_path):
    """A config.yaml of the first paper alone, beside it the files of all other sections."""
    return with_config(tmp_path, TEXT)


def file_of(path, section):
    return path.parent / "config" / f"{section}.yaml"


def error_of(path, overrides=None) -> ConfigError:
    with pytest.raises(ConfigError) as error:
        load_config(path, overrides)
    return error.value


def test_every_section_but_the_first_papers_has_a_file():
    assert {*IN_CONFIG_YAML} | {*WITH_FILES} == {*Config.model_fields}
    assert {path.stem for path in (ROOT / "config").glob("*.yaml")} == {*WITH_FILES}


def test_each_section_can_stand_in_its_file_or_in_config_yaml(path):
    """One after another moved from its file."""
    wanted = read_config(path).values
    text = TEXT
    for section in WITH_FILES:
        file = file_of(path, section)
        text = f"{text}\n{file.read_text(encoding='utf-8')}"
        path.write_text(text, encoding="utf-8")
        file.unlink()
        found = read_config(path)
        assert (found.values, found.note()) == (wanted, "")
    assert wanted.keys() == Config.model_fields.keys()


def test_a_section_of_config_yaml_stands_in_place_of_its_file_whole_and_that_is_said(path):
    own = {"recall": {**values()["recall"], "scale": "smoke"}}
    del own["recall"]["scales"]["desk"]
    path.write_text(TEXT + yaml.safe_dump(own), encoding="utf-8")
    file_of(path, "recall").write_text("nothing: that is read")
    config = load_config(path)
    assert config.recall.scale == "smoke"
    assert config.recall.scales.keys() == {"smoke"}
    said = "not read, as config.yaml has the section itself: config/recall.yaml"
    assert read_config(path).note() == said


def test_a_command_says_once_which_files_are_not_read(path, monkeypatch, capsys):
    path.write_text(settings_text(), encoding="utf-8")
    monkeypatch.chdir(path.parent)
    main(["rank-summary"])
    said = capsys.readouterr()
    assert said.err.count("not read, as config.yaml has the section itself: ") == 1
    assert all(said.err.count(f"config/{section}.yaml") == 1 for section in WITH_FILES)
    assert "not read" not in said.out
    path.write_text(TEXT, encoding="utf-8")
    main(["rank-summary"])
    assert "not read" not in capsys.readouterr().err


def test_overrides_beat_a_file_key_by_key(path):
    config = load_config(path, {"needle": {"scale": "smoke"}, "recall": {"level": "0.02"}})
    assert (config.needle.scale, config.recall.level) == ("smoke", 0.02)
    assert config.needle.scales == load_config(path).needle.scales


def test_each_fault_stands_below_the_file_that_it_is_in(path):
    wrong = {"trails": 3, "needle": {"scale": "des"}, "recall": {"levl": 1, "level": 2}}
    lines = str(error_of(path, wrong)).splitlines()
    heads = [line for line in lines if not line.startswith("  ")]
    assert heads == ["config.yaml: 1 fault", "config/needle.yaml: 1 fault",
                     "config/recall.yaml: 2 faults"]  # fmt: skip
    assert lines[1].startswith("  --config trails: unknown key")
    assert lines[3].startswith("  --config needle.scale: 'des' is not among the scales")
    assert lines[5].startswith("  --config recall.level: 2 is not allowed")


def test_a_fault_between_sections_names_the_file_of_the_setting(path):
    file = file_of(path, "any_attention")
    file.write_text(file.read_text().replace("smoke:", "smok:"))
    first, line = str(error_of(path)).splitlines()
    assert first == "config/any_attention.yaml: 1 fault"
    assert line.startswith("  any_attention.scales.smok: is no scale of softmax_vs_linear")


def test_what_a_file_must_not_say(subtests, path):
    """A file that is no YAML is named with its path, as one finds it."""
    for text, words in [
        ("recal: {}\n", "recal: unknown key; did you mean 'recall'? allowed: recall"),
        ("scale: desk\n", "scale: unknown key; allowed: recall"),
        ("", "the file is empty"),
        ("- recall\n", "['recall'] is no mapping of settings"),
        ("{}", "recall: is missing (n pairs"),
        ("recall: 3", "recall: 3 is not allowed; should be a mapping"),
        ("recall: {}\nrecall: {}\n", "line 2: key 'recall' stands twice, first on line 1"),
        ("recall:\n\tscale: desk\n", "line 2, column 1: not valid YAML"),
        ("recall:\n  level: *level\n", "line 2, column 10: not valid YAML"),
        (b"recall:\n  scale: \xff\n", "line 2: cannot be read: 'utf-8'"),
    ]:
        with subtests.test(text=text, words=words):
            file = file_of(path, "recall")
            file.write_bytes(text if isinstance(text, bytes) else text.encode())
            first, line = str(error_of(path)).splitlines()
            assert first == "config/recall.yaml: 1 fault"
            begin = f"  {file}, {words}" if words.startswith("line ") else f"  {words}"
            assert line.startswith(begin), line


def test_another_section_in_a_file_is_refused(path):
    file = file_of(path, "needle")
    file.write_text(file.read_text() + "recall: {}\n")
    assert (
        str(error_of(path)) == "config/needle.yaml: 1 fault\n  recall: unknown key; allowed: needle"
    )


@pytest.mark.parametrize("overrides", [{}, {"needle": {"scale": "smoke"}}])
def test_a_section_that_is_nowhere_is_missed_in_both_places(path, overrides):
    file_of(path, "needle").unlink()
    first, *lines = str(error_of(path, overrides)).splitlines()
    assert re.fullmatch(r"config\.yaml or config/needle\.yaml: \d faults?", first)
    assert all("is missing" in line for line in lines)


def test_a_file_that_cannot_be_read_is_named(path):
    file = file_of(path, "needle")
    file.unlink()
    file.mkdir()
    assert f"{file}: cannot be read" in str(error_of(path))


# A fault that several settings share.


def edit(path, old, new):
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def test_a_misspelt_key_that_scales_share_is_told_once(path):
    edit(file_of(path, "head_rank"), "draws: 20000", "drawn: 20000")
    missing, unknown = error_of(path).faults
    above = "head_rank.scales.desk.temperature"
    assert missing.startswith(f"{above}.draws: is missing (")
    assert unknown.startswith(f"{above}.drawn: unknown key; did you mean 'draws'? ")
    text = (ROOT / "config/head_rank.yaml").read_text(encoding="utf-8")
    others = text.count("*temperature")
    assert others > 5
    for line in (missing, unknown):
        assert line.endswith(f"; and in {others} scales that share it")


def test_a_value_that_scales_share_is_told_once(path):
    edit(file_of(path, "head_rank"), "draws: 20000", "draws: many")
    (line,) = error_of(path).faults
    assert line.startswith("head_rank.scales.desk.temperature.draws: 'many' is not allowed; ")
    assert line.endswith(" scales that share it")


def test_a_key_that_is_merged_is_told_once(path):
    """With <<, its mapping is another, and the key is written once all the same."""
    edit(path, "fixed: &figure_4\n", "fixed: &figure_4\n        colour: 3\n")
    (line,) = error_of(path).faults
    assert line.startswith("softmax_vs_linear.figures.fig4.fixed.colour: unknown key; ")
    assert line.endswith("; and in 1 figure that shares it")


@pytest.mark.parametrize("value", ["[4, 4]", "many"])
def test_an_alias_of_a_list_or_of_a_word_is_told_once(path, value):
    edit(path, "    fig3a:\n", f"    fig3a:\n      trials: &one {value}\n")
    edit(path, "    fig3b:\n", "    fig3b:\n      trials: *one\n")
    (line,) = error_of(path).faults
    assert line.startswith("softmax_vs_linear.panels.fig3a.trials: ")
    assert line.endswith("; and in 1 panel that shares it")


def test_what_is_written_twice_is_told_twice(path):
    edit(file_of(path, "head_rank"), "temperature: *temperature", "temperature: 3")
    edit(file_of(path, "head_rank"), "temperature: *temperature", "temperature: 3")
    lines = error_of(path).faults
    assert len(lines) == 2
    assert not any("share" in line for line in lines)


def test_what_overrides_say_is_shared_by_none(path):
    drawn = {"temperature": {"draws": "many"}}
    lines = error_of(path, {"head_rank": {"scales": {"desk": drawn, "paper": drawn}}}).faults
    assert len(lines) == 2
    assert not any("share" in line for line in lines)
