"""The command line: one screen of help for people, and `job MODULE` for rules."""

import argparse
import importlib
import io
import os
import re
import shlex
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from making import head_rank
from rank_cells import SMOKE

from attention_separation import __version__, commands
from attention_separation.__main__ import main
from attention_separation.commands import COMMANDS, PACKAGE_NAME, usage
from attention_separation.messages.command_line import whole_number
from attention_separation.results import file_states

LISTED = {name: command for name, command in COMMANDS.items() if command.listed}
JOB = "studies.any_attention.own_kernel_faults"


def test_help_is_one_screen_with_an_example_of_each_command(monkeypatch, capsys):
    """With all that a command may need, PyTorch and marimo too."""
    monkeypatch.setattr(commands, "find_spec", lambda library: library)
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
    module = importlib.import_module(f"{PACKAGE_NAME}.{command.module}")
    parser = argparse.ArgumentParser()
    getattr(module, f"{name.rpartition('-')[2]}_command")(parser)
    assert callable(parser.parse_args(shlex.split(command.example)[1:]).run)


@pytest.mark.parametrize("gone", ["simulate", "kernels-values", "rank-train", "verif"])
def test_what_is_no_command_says_what_to_type(gone, capsys):
    assert main([gone, "--settings", "{}"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"{gone}: no command; `attention-separation --help` lists")
    assert "`attention-separation job MODULE ...`, which `snakemake -n -p` prints whole" in line


@pytest.mark.parametrize(
    "name", ["nothing", "head_rank.none.such", "studies.head_rank.study", "-x", ""]
)
def test_what_is_no_job_is_one_sentence(name):
    with pytest.raises(SystemExit, match=f"^job {name}: there is no such job; "):
        main(["job", name])


def test_cells_with_current_tables_are_not_to_be_trained(monkeypatch, capsys):
    def all_current(folder, studies):
        (study,) = studies
        return dict.fromkeys(study.expected_tables(), file_states.CURRENT)

    monkeypatch.setattr(file_states, "states", all_current)
    assert main(["rank-time", SMOKE]) == 0
    count = len(head_rank(scale="smoke").every_cell)
    assert capsys.readouterr().out == f"all {count} cells are trained\n"


def test_a_command_imports_python_alone_until_surroundings_are_shut_out():
    """A reader's own numpy.py, in the folder that a command is started from, would be imported."""
    code = (
        "import sys; before = set(sys.modules); import attention_separation.__main__;"
        "own = {name.partition('.')[0] for name in set(sys.modules) - before};"
        "print(*sorted(own - sys.stdlib_module_names))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == [PACKAGE_NAME]


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


OUT_OF_RANGE = ["-1", "x", "", "1.5", "nan", "9" * 400, "9" * 5000, "\udcff", "1e400"]


@pytest.mark.parametrize(
    ("words", "option"),
    [
        (["verify", "results"], "--sample"),
        (["verify", "results"], "--seed"),
        (["rank-verify", "results"], "--sample"),
        (["separate", "--kernel", "exp"], "--n"),
        (["separate", "--kernel", "exp"], "--d"),
        (["separate", "--kernel", "exp"], "--m"),
        (["compare", "--kernel", "exp"], "--n"),
    ],
)
def test_a_number_that_an_option_cannot_be_is_one_sentence(words, option, capsys):
    for value in OUT_OF_RANGE:
        try:
            status = main([*words, f"{option}={value}"])
        except SystemExit as end:
            status = end.code
        said = capsys.readouterr().err
        assert status in (1, 2), value
        sentence = said[said.rindex("error: ") if "error: " in said else 0 :]
        assert option.lstrip("-") in sentence
        assert "allowed" in sentence or "invalid" in sentence, value
        assert len(sentence) < 600
        assert "Traceback" not in said


@pytest.mark.parametrize("content", [None, b"", b"\xff\xfe", b"{", b"[" * 10_000, b"[]", b"null"])
def test_settings_that_cannot_be_read_are_named(tmp_path, content, capsys):
    path = tmp_path / "settings.json"
    if content is not None:
        path.write_bytes(content)
    assert main(["job", JOB, "--settings", str(path)]) == 1
    said = capsys.readouterr().err
    assert said.startswith(f"job {JOB}: --settings {path}: ")
    assert "pydantic.dev" not in said


def test_inputs_that_a_job_does_not_read_are_named(capsys, tmp_path):
    words = ["job", "studies.softmax_vs_linear.figures.check", "--output", str(tmp_path / "out")]
    words += ["--settings", '{"inputs": {"tables": ["a"]}}', "--verdicts", "none.parquet"]
    assert main(words) == 1
    assert "--settings: inputs of --tables; allowed: " in capsys.readouterr().err


@given(st.integers(), st.integers(-5, 5), st.integers(0, 70_000))
def test_a_whole_number_is_in_its_range_or_a_sentence_says_which_is_allowed(value, least, size):
    read = whole_number(least, least + size)
    if least <= value <= least + size:
        assert read(str(value)) == value
    else:
        with pytest.raises(argparse.ArgumentTypeError, match=f"from {least} to {least + size:,}"):
            read(str(value))


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("attention-separation se", {"separate", "settings"}),
        ("attention-separation --v", {"--version"}),
        ("attention-separation separate --th", {"--theta"}),
    ],
)
def test_a_shell_is_told_what_may_follow(line, words):
    """As argcomplete asks: by variables, with the answer in the file descriptor 8."""
    asked = {"_ARGCOMPLETE": "1", "_ARGCOMPLETE_IFS": "\n", "COMP_TYPE": "9"}
    asked |= {"COMP_LINE": line, "COMP_POINT": str(len(line))}
    code = "from attention_separation.__main__ import entry; entry()"
    shell = f"{shlex.quote(sys.executable)} -c {shlex.quote(code)} 8>&1 9>&2"
    done = subprocess.run(
        ["sh", "-c", shell], env=os.environ | asked, text=True, capture_output=True, check=True
    )
    assert {word.strip() for word in done.stdout.split("\n")} == words


def test_help_lists_what_can_be_run_alone(monkeypatch):
    """Without the workflow's libraries, and without SciPy."""
    missing = {"snakemake", "marimo", "scipy"}
    monkeypatch.setattr(
        commands, "find_spec", lambda library: None if library in missing else library
    )
    text = usage()
    for name in ("separate", "largest-n", "compare", "success", "kernels"):
        assert f"  {name} " in text or f"  {name}\n" in text
    for name in ("needle", "recall", "explore", "settings", "rank-time", "summary", "verify"):
        assert f"  {name} " not in text
    assert "job MODULE" not in text
    assert "pip install '.[workflow]'" in text


def test_a_job_says_first_what_it_runs_and_at_last_how_long_that_took(capsys):
    assert main(["job", JOB, "--settings", "{}"]) == 1
    said = capsys.readouterr()
    version, line, last = said.out.splitlines()
    assert version.startswith(f"# attention-separation {__version__}, Python 3.")
    assert line.endswith(f"-m attention_separation job {JOB} --settings '{{}}'")
    assert re.fullmatch(r"# \d+\.\d s", last)
    assert "#" not in said.err
