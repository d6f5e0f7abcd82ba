"""The command line: one screen of help for people, and `job MODULE` for rules."""

import argparse
import importlib
import io
import shlex

import pytest

from attention_separation.__main__ import main
from attention_separation.commands import COMMANDS, PACKAGE, usage

LISTED = {name: command for name, command in COMMANDS.items() if command.listed}
JOB = "any_attention.exact.own_kernel_faults"


def test_help_is_one_screen_with_an_example_of_each_command(capsys):
    assert main(["--help"]) == main(["job", "--help"]) == 0
    text = capsys.readouterr().out
    assert text == f"{usage()}\n" * 2
    lines = usage().splitlines()
    assert len(lines) <= 24
    assert all(len(line) <= 100 for line in lines)
    for name, command in LISTED.items():
        (line,) = [line for line in lines if line.startswith(f"  {command.example} ")]
        assert command.about in line
        assert command.example.split()[0] == name


# The explorer needs marimo: tests/explorer_app starts it.
@pytest.mark.parametrize("name", sorted(COMMANDS.keys() - {"explore"}))
def test_every_example_can_be_typed(name):
    command = COMMANDS[name]
    module = importlib.import_module(f"{PACKAGE}.{command.module}")
    parser = argparse.ArgumentParser()
    getattr(module, f"{name.rpartition('-')[2]}_command")(parser)
    assert callable(parser.parse_args(shlex.split(command.example)[1:]).run)


@pytest.mark.parametrize("gone", ["simulate", "kernels-values", "rank-train", "verif"])
def test_what_is_no_command_says_what_to_type(gone, capsys):
    assert main([gone, "--settings", "{}"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"{gone}: no command; `attention-separation --help` lists")
    assert "`attention-separation job MODULE ...`, which `snakemake -n -p` prints whole" in line


@pytest.mark.parametrize("name", ["nothing", "head_rank.none.such", "head_rank.study", "-x", ""])
def test_what_is_no_job_is_one_sentence(name):
    with pytest.raises(SystemExit, match=f"^job {name}: there is no such job; "):
        main(["job", name])


@pytest.mark.parametrize("given", ["text", "standard input", "file"])
def test_settings_are_a_text_standard_input_or_a_file(given, tmp_path, monkeypatch, capsys):
    text = '{"data": {"a0": 0.0, "a1": 1.2, "b": 0.2, "c": 0.8, "classes": 20, "delta": 0.01, '
    text += '"at_least": 15}, "sizes": [200], "kernels": {"mine": {"score": "x - 9"}}}'
    file = tmp_path / "settings.json"
    file.write_text(text)
    monkeypatch.setattr("sys.stdin", io.StringIO(text))
    words = {"text": text, "standard input": "-", "file": str(file)}
    assert main(["job", JOB, "--settings", words[given]]) == 0
    assert '{"mine": "' in capsys.readouterr().out
