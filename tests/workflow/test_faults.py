"""Bad input gives one clear message and writes nothing; an interrupted job leaves no table."""

import os
import re
import shlex
import signal
import subprocess
import sys
import time

import pytest
from making import ROOT, study_of
from project import said_by

from attention_separation.__main__ import main
from attention_separation.results.tables import metadata_of, read_table, write_parquet

JOB = "studies.softmax_vs_linear.simulation.simulate"


DRAWN = {"fig3a": "fig3", "fig7b": "fig7"}
"""A figure of one panel each."""


def nothing_made(project):
    return not (project.folder / "results").exists() or not any(project.files())


def test_bad_settings_and_an_unknown_target(small):
    """All other ways to be wrong are tests of the settings themselves."""

    def refused(*arguments):
        done = small.run(*arguments)
        assert done.returncode != 0
        assert "Traceback" not in done.stdout
        assert nothing_made(small)
        return done.stdout

    assert "fig9z" in refused("fig9z")
    assert "did you mean 'seed'" in refused("--config", "sede=3")
    small.edit("config.yaml", "engine: reduced", "engine: [reduced")
    assert "not valid YAML" in refused()


def test_a_run_makes_files_in_the_place_of_tables_again_and_a_job_refuses_them(made):
    """Truncated, and of other settings, such as another panel's. A job may meet one that was put
    there after its run had begun."""
    broken = {
        "fig3a": ("no parquet file that can be read", "no parquet file that can be read"),
        "fig7b": ("of other settings", "made with other settings than these"),
    }
    paths = {name: made.folder / f"results/panels/{name}.parquet" for name in broken}
    whole = made.files()
    paths["fig3a"].write_bytes(paths["fig3a"].read_bytes()[:-100])
    paths["fig7b"].write_bytes((made.folder / "results/panels/fig4b.parquet").read_bytes())
    for name, (_, words) in broken.items():
        log = (made.folder / f"results/logs/{DRAWN[name]}.log").read_text()
        (alone,) = [line for line in log.splitlines() if " -m attention_separation job " in line]
        again = made.run_command(*shlex.split(alone.removeprefix("# "))[3:])
        assert again.returncode == 1
        (line,) = [
            line for line in again.stdout.splitlines() if f"/{name}.parquet: {words}" in line
        ]
        assert line.endswith("remove the file and run again")
        assert "Traceback" not in again.stdout
    said = made.make(*DRAWN.values())
    for name, (words, _) in broken.items():
        assert f"{words}, so made again: results/panels/{name}.parquet\n" in said
    assert made.files() == whole


def environment(project):
    return os.environ | {"PYTHONPATH": str(project.folder / "src")}


def heed_interrupts():
    """A shell that starts the tests in the background makes its children ignore SIGINT."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def test_a_killed_job_leaves_no_table(small):
    """Three simulations of many minutes, each ended by another signal."""
    output = small.folder / "out" / "fig3a.parquet"
    settings = study_of(small.folder / "config.yaml", {"trials": 10**8}).panels.simulated["fig3a"]
    job = [sys.executable, "-m", "attention_separation", "job", JOB]
    job += ["--settings", settings.canonical(), "--output", str(output)]
    jobs = {
        number: subprocess.Popen(
            job, cwd=small.folder, env=environment(small), stderr=subprocess.DEVNULL,
            preexec_fn=heed_interrupts,
        )
        for number in (signal.SIGTERM, signal.SIGKILL, signal.SIGINT)
    }  # fmt: skip
    try:
        time.sleep(2.5)
        for number, process in jobs.items():
            assert process.poll() is None
            process.send_signal(number)
            assert process.wait(60) != 0
    finally:
        for process in jobs.values():
            process.kill()
            process.wait()
    assert not output.exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["job", JOB], "--settings"),
        (["job", JOB, "--settings", "{}", "--output", "x.parquet"], "name\n  is missing"),
        (["job", JOB, "--settings", "none.json", "--output", "x.parquet"], "none.json"),
        (["summary"], "no panels there; run snakemake first"),
        (["summary", "trials=x"], "--config trials: 'x' is not allowed"),
    ],
)
def test_the_command_line_names_what_is_missing(small, monkeypatch, capsys, arguments, words):
    monkeypatch.chdir(small.folder)
    try:
        status = main(arguments)
    except SystemExit as end:
        status = end.code
    assert status != 0
    assert words in capsys.readouterr().err
    assert nothing_made(small)


@pytest.mark.parametrize(
    ("put", "place", "words"),
    [
        ("touch", "results", "a file stands where a folder must be"),
        ("ln -s gone", ".snakemake/settings", "a link that leads nowhere stands where a folder"),
    ],
)
def test_what_stands_in_the_way_is_named_before_any_job(small, put, place, words):
    """tests/results has all places."""
    (small.folder / place).parent.mkdir(parents=True, exist_ok=True)
    subprocess.run([*put.split(), place], cwd=small.folder, check=True)
    done = small.run("fig4b")
    assert done.returncode == 1
    assert f"\n{place}: {words}" in f"\n{done.stdout}"
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
def test_what_is_wrong_with_a_job_whose_log_another_run_has_taken_is_heard(small, is_removed):
    """Two runs without Snakemake's lock: each removes the log before its own job begins."""
    rule = (small.folder / "workflow/rules/lemmas.smk").read_text()
    redirection = '3>&2 >> {log:q} 2>&1"'
    assert redirection in rule
    as_shell_reads_it = redirection.removesuffix('"').replace("{log:q}", "job.log")
    job = shlex.join([sys.executable, "-m", "attention_separation", "job", JOB])
    job += " --settings none.json --output x.parquet"
    remove = "rm job.log; " if is_removed else ""
    done = subprocess.run(
        ["bash", "-c", f"(echo of another run; {remove} exec {job}) {as_shell_reads_it}"],
        cwd=small.folder,
        env=environment(small),
        text=True,
        capture_output=True,
        check=False,
    )
    log = small.folder / "job.log"
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
    assert made.would_run() == set()
    page = (ROOT / "docs/run.md").read_text(encoding="utf-8")
    (command,) = re.findall(r"`(touch now; .*?)`", page)
    subprocess.run(command, shell=True, cwd=made.folder, check=True)
    assert {"fig7", "verdicts"} <= made.would_run()
