"""Bad input gives one clear message and writes nothing; an interrupted job leaves no table."""

import os
import shlex
import signal
import subprocess
import sys
import time

import pyarrow.parquet as pq
import pytest
from forked import command
from making import study_of

from attention_separation.__main__ import main

JOB = "softmax_vs_linear.simulation.simulate"

BAD = {
    "n that breaks the definition": (
        "n:\n        - 200\n", "n:\n        - 201\n", "nearest valid n: 200 or 210",
    ),
    "m=0": ("m: 15", "m: 0", "fixed.m: 0 is not allowed"),
    "negative trials": ("trials: 20", "trials: -1", "-1 is not allowed"),
    "unknown panel": ("- fig4b", "- fig4z", "no panel 'fig4z'; did you mean 'fig4"),
    "malformed YAML": ("engine: reduced", "engine: [reduced", "not valid YAML"),
    "duplicate key": ("engine: reduced", "engine: reduced\n  engine: dense", "stands twice"),
    "NaN": ("a1: 1.2", "a1: .nan", "nan is not allowed"),
    "misspelt key": ("trials: 20", "trails: 20", "did you mean 'trials'"),
}  # fmt: skip


def nothing_made(project):
    return not (project.folder / "results").exists() or not any(project.files())


@pytest.mark.parametrize("name", BAD)
def test_bad_settings(small, name):
    old, new, words = BAD[name]
    small.edit(
        "config.yaml",
        "m:\n          log_of: n/delta\n          at_least: 15\n          round: floor",
        "m: 15",
    )
    small.edit("config.yaml", "        delta: 0.01\n", "")
    small.edit("config.yaml", old, new)
    done = small.run()
    assert done.returncode != 0
    assert words in done.stdout
    assert "Traceback" not in done.stdout
    assert nothing_made(small)


@pytest.mark.parametrize(
    ("override", "words"),
    [
        ("trials=many", "--config trials: 'many' is not allowed"),
        ("trials=0", "--config trials: 0 is not allowed"),
        ("scale=smok", "did you mean 'smoke'"),
        ("engine=fast", "'reduced' or 'dense'"),
        ("sede=3", "did you mean 'seed'"),
    ],
)
def test_bad_overrides(small, override, words):
    done = small.run("--config", override)
    assert done.returncode != 0
    assert words in done.stdout
    assert "Traceback" not in done.stdout
    assert nothing_made(small)


def test_an_unknown_target(small):
    done = small.run("fig9z")
    assert done.returncode != 0
    assert "fig9z" in done.stdout
    assert nothing_made(small)


@pytest.mark.whole_run
def test_files_in_the_place_of_tables_are_named_and_logged(small):
    """Truncated, with other columns, and of other settings, such as another panel's."""
    broken = {
        "fig3a": "no parquet file that can be read",
        "fig4b": "not a table of this version",
        "fig7b": "made with other settings than these",
    }
    paths = {name: small.folder / f"results/panels/{name}.parquet" for name in broken}
    small.make(*broken)
    made = small.files()
    table = pq.ParquetFile(paths["fig4b"]).read()
    paths["fig3a"].write_bytes(paths["fig3a"].read_bytes()[:-100])
    paths["fig7b"].write_bytes(paths["fig4b"].read_bytes())
    other = table.rename_columns({"trials": "tries"})
    pq.write_table(other.replace_schema_metadata(table.schema.metadata), paths["fig4b"])
    done = small.run(*broken)
    assert done.returncode != 0
    assert "Traceback" not in done.stdout
    for name, words in broken.items():
        log = (small.folder / f"results/logs/{name}.log").read_text()
        for said in (done.stdout, log):
            (line,) = [line for line in said.splitlines() if f"/{name}.parquet: {words}" in line]
            assert "remove the file and run again" in line
        # The last line runs the job alone, to the same end.
        alone = shlex.split(log.splitlines()[-1])
        assert alone[1:4] == ["-m", "attention_separation", "job"]
        again = command(small.folder, *alone[3:])
        assert (again.returncode, again.stdout) == (1, log)
        paths[name].unlink()
    small.make(*broken)
    assert small.files() == made


def environment(project):
    return os.environ | {"PYTHONPATH": str(project.folder / "src")}


def heed_interrupts():
    """A shell that starts the tests in the background makes its children ignore SIGINT."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def test_a_killed_job_leaves_no_table(small):
    """Three simulations of many minutes, each ended by another signal."""
    output = small.folder / "out" / "fig3a.parquet"
    settings = study_of(small.folder / "config.yaml", {"trials": 10**8}).simulated["fig3a"]
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
