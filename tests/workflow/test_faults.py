"""Bad input gives one clear message and writes nothing; what is killed, changed meanwhile or
started twice ends in the bytes of a quiet run. Of kills tests/faults/campaign.py has more, at
random moments and by other signals."""

import os
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from faults.campaign import make_project
from making import ROOT, study_of
from processes import wait_for
from project import said_by

from attention_separation.__main__ import main
from attention_separation.results.tables import metadata_of, read_table, write_parquet
from attention_separation.studies.softmax_vs_linear.simulation.simulate import metadata, simulate

JOB = "studies.softmax_vs_linear.simulation.simulate"


def nothing_made(project):
    return not (project.folder / "results").exists() or not any(project.files())


def test_bad_settings_and_an_unknown_target(small):
    """All other ways to be wrong are tests of the settings themselves."""
    faults = {("fig9z",): "fig9z", ("--config", "sede=3"): "did you mean 'seed'"}
    for arguments, words in faults.items():
        done = small.run(*arguments)
        assert done.returncode != 0
        assert words in done.stdout
        # Neither Python's words nor Snakemake's, which would name a line of the rules.
        assert "Traceback" not in done.stdout
        assert "ConfigError" not in done.stdout
        assert nothing_made(small)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["job", JOB], "--settings"),
        (["job", JOB, "--settings", "{}", "--output", "x.parquet"], "name\n  is missing"),
        (["summary"], "no panels there; run snakemake first"),
        (["summary", "trials=x"], "--config trials: 'x' is not allowed"),
    ],
)
def test_the_command_line_names_what_is_missing(tmp_path, monkeypatch, capsys, arguments, words):
    for name in ("config.yaml", "config"):
        (tmp_path / name).symlink_to(ROOT / name)
    monkeypatch.chdir(tmp_path)
    try:
        status = main(arguments)
    except SystemExit as end:
        status = end.code
    assert status != 0
    assert words in capsys.readouterr().err
    assert {path.name for path in tmp_path.iterdir()} == {"config.yaml", "config"}


def test_what_stands_in_the_way_is_named_before_any_job(small):
    """tests/results has all places."""
    (small.folder / "results").touch()
    done = small.run("fig4b")
    assert done.returncode == 1
    assert "\nresults: a file stands where a folder must be" in f"\n{done.stdout}"
    assert "Traceback" not in done.stdout
    assert "simulate" not in done.stdout


def test_a_limit_on_files_that_a_run_begins_with_is_named(small):
    command = shlex.join(small.command("fig4b"))
    done = said_by(["bash", "-c", f"ulimit -f 8; {command}"], small.folder)
    assert done.returncode == 1
    words = r"^/\S+: no file of 65,536 bytes can be made in this folder: File too large$"
    assert re.search(words, done.stdout, re.M), done.stdout
    assert "Traceback" not in done.stdout
    assert nothing_made(small)


@pytest.mark.parametrize("is_removed", [False, True])
def test_what_is_wrong_with_a_job_whose_log_another_run_has_taken_is_heard(tmp_path, is_removed):
    """Two runs without Snakemake's lock: each removes the log before its own job begins."""
    rule = (ROOT / "workflow/rules/lemmas.smk").read_text(encoding="utf-8")
    redirection = '3>&2 >> {log:q} 2>&1"'
    assert redirection in rule
    as_shell_reads_it = redirection.removesuffix('"').replace("{log:q}", "job.log")
    job = shlex.join([sys.executable, "-m", "attention_separation", "job", JOB])
    job += " --settings none.json --output x.parquet"
    remove = "rm job.log; " if is_removed else ""
    done = subprocess.run(
        ["bash", "-c", f"(echo of another run; {remove} exec {job}) {as_shell_reads_it}"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT / "src")},
        text=True,
        capture_output=True,
        check=False,
    )
    log = tmp_path / "job.log"
    assert done.returncode != 0
    if is_removed:
        assert not log.exists()
        heard = done.stderr
    else:
        assert done.stderr == ""
        heard = log.read_text().partition("of another run\n")[2]
    assert "none.json: cannot be read" in heard


def test_after_a_clock_was_set_back_touch_makes_a_changed_input_seen(made):
    """As docs/run.md says; of another table in a table's place, which itself is whole."""
    date_ahead = "find results -type f -exec touch -t 203701010000 {} +"
    subprocess.run(date_ahead, shell=True, cwd=made.folder, check=True)
    path = made.folder / "results/panels/fig7b.parquet"
    table = read_table(path)
    write_parquet(table.slice(0, 0), path, metadata_of(table.schema))
    assert made.would_run("verdicts") == set()
    page = (ROOT / "docs/run.md").read_text(encoding="utf-8")
    (command,) = re.findall(r"`(touch now; .*?)`", page)
    subprocess.run(command, shell=True, cwd=made.folder, check=True)
    assert {"fig7", "verdicts"} <= made.would_run("fig7", "verdicts")


PANEL = "fig4b"
TRIALS = f"simulate_{PANEL}"
TABLE = f"results/panels/{PANEL}.parquet"


@pytest.fixture
def started(tmp_path):
    """A project and a snakemake at its trials; it knows that a slice is whole, and jobs run."""
    project = make_project(tmp_path.resolve())
    project.edit("config.yaml", "slices: 2", "slices: 3")
    project.edit("config.yaml", "trials: 100000", "trials: 20000")
    said = tmp_path / "said.txt"
    with said.open("w") as file:
        process = subprocess.Popen(
            project.command(TRIALS),
            cwd=tmp_path,
            stdout=file,
            stderr=file,
            start_new_session=True,
        )
    try:
        wait_for(lambda: re.search(r"^1 of 4: ", said.read_text(), re.M), "a slice")
        yield project, process, said
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait(10)


def undisturbed(project) -> bytes:
    """The panel's table as its job makes it, without a workflow and in one piece."""
    job = study_of(project.folder / "config.yaml").panels.simulated[PANEL]
    path = project.folder / f"undisturbed/{PANEL}.parquet"
    write_parquet(simulate(job), path, metadata(job))
    return path.read_bytes()


def test_settings_changed_after_a_kill_give_the_bytes_of_the_new_settings(started):
    project, process, _ = started
    os.killpg(process.pid, signal.SIGKILL)
    process.wait(10)
    assert not Path(project.folder, TABLE).exists()
    project.edit("config.yaml", "trials: 20000", "trials: 5000")
    project.make("--unlock")
    project.make(TRIALS)
    assert project.files() == {TABLE: undisturbed(project)}


def test_a_run_is_disturbed_neither_by_another_in_the_folder_nor_by_a_change_of_settings(started):
    """The other one is refused; jobs that start after the change have the settings that the run
    began with."""
    project, process, said = started
    # Stopped first: the run must not end before the other one looks.
    os.killpg(process.pid, signal.SIGSTOP)
    table = undisturbed(project)
    done = project.run(TRIALS)
    os.killpg(process.pid, signal.SIGCONT)
    assert done.returncode != 0
    assert "Directory cannot be locked" in done.stdout
    assert "--unlock" in done.stdout
    assert "Traceback" not in done.stdout
    project.edit("config.yaml", "trials: 20000", "trials: 5000")
    assert process.wait(600) == 0, said.read_text()
    assert project.files() == {TABLE: table}
    assert project.would_run(TRIALS) == {TRIALS, "slice"}
    assert len({*(project.folder / ".snakemake/settings").iterdir()}) == 2
