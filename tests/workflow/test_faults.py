"""Bad input gives one clear message and writes nothing; an interrupted job leaves no table."""

import os
import signal
import subprocess
import sys
import time

import pytest

BAD = {
    "n that breaks the definition": (
        "n:\n      - 200\n", "n:\n      - 201\n", "nearest valid n: 200 or 210",
    ),
    "m=0": ("m: 15", "m: 0", "fixed.m: 0 is not allowed"),
    "negative trials": ("trials: 20", "trials: -1", "-1 is not allowed"),
    "unknown panel": ("- fig4b", "- fig4z", "no panel 'fig4z'; did you mean 'fig4"),
    "malformed YAML": ("engine: reduced", "engine: [reduced", "not valid YAML"),
    "duplicate key": ("engine: reduced", "engine: reduced\nengine: dense", "stands twice"),
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
        "m:\n        log_of: n/delta\n        at_least: 15\n        round: floor",
        "m: 15",
    )
    small.edit("config.yaml", "      delta: 0.01\n", "")
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


def test_a_failing_job_shows_its_error_and_logs_it(small):
    small.make("fig3a")
    (small.folder / "results/panels/fig3a.parquet").write_bytes(b"PAR1 but not quite")
    done = small.run("fig3a", "--forcerun", "fig3a")
    assert done.returncode != 0
    words = "fig3a.parquet: no parquet file that can be read"
    assert words in done.stdout
    assert words in (small.folder / "results/logs/fig3a.log").read_text()


def test_a_table_that_an_orphan_left_is_refused(small):
    """A job outlives its killed workflow and writes after a later run of other settings."""
    small.make("fig3a", "--config", "trials=30")
    late = (small.folder / "results/panels/fig3a.parquet").read_bytes()
    small.make("fig3a")
    (small.folder / "results/panels/fig3a.parquet").write_bytes(late)
    done = small.run("fig3a")
    assert done.returncode != 0
    assert "made with other settings than these; remove the file and run again" in done.stdout


def test_the_gallery_shows_config_yaml_alone(small):
    done = small.run("gallery", "--config", "trials=5")
    assert done.returncode != 0
    assert "gallery" in done.stdout
    assert nothing_made(small)


def job(project, output, *more):
    """Command line of a simulation of many minutes."""
    settings = subprocess.run(
        [
            sys.executable, "-c",
            "from attention_separation.config import load_config; from pathlib import Path;"
            "c = load_config(Path('config.yaml'), {'trials': 10**8});"
            "print(c.panel_job('fig3a').model_dump_json(by_alias=True, exclude_none=True))",
        ],
        cwd=project.folder, env=environment(project), text=True, capture_output=True, check=True,
    ).stdout.strip()  # fmt: skip
    verb = [sys.executable, "-m", "attention_separation", "simulate"]
    return [*verb, "--settings", settings, "--output", str(output), *more]


def environment(project):
    return os.environ | {"PYTHONPATH": str(project.folder / "src")}


def heed_interrupts():
    """A shell that starts the tests in the background makes its children ignore SIGINT."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL, signal.SIGINT])
def test_a_killed_job_leaves_no_table(small, number):
    output = small.folder / "out" / "fig3a.parquet"
    process = subprocess.Popen(
        job(small, output), cwd=small.folder, env=environment(small), stderr=subprocess.DEVNULL,
        preexec_fn=heed_interrupts,
    )  # fmt: skip
    try:
        time.sleep(1.5)
        assert process.poll() is None
        process.send_signal(number)
        assert process.wait(10) != 0
    finally:
        process.kill()
        process.wait()
    assert not output.exists()


def test_after_kill_9_the_same_command_goes_on_to_the_same_bytes(small):
    small.edit("config.yaml", "trials: 20\n", "trials: 3000\n")
    process = subprocess.Popen(
        small.command(), cwd=small.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        start_new_session=True,
    )  # fmt: skip
    time.sleep(2.5)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait(10)
    small.make("--unlock")
    small.make()
    resumed = small.files()
    small.make("--forceall")
    assert small.files() == resumed


def test_the_command_line_names_what_is_missing(small):
    for arguments, words in (
        (["nothing"], "invalid choice"),
        (["simulate"], "--settings"),
        (["simulate", "--settings", "{}", "--output", "x.parquet"], "Field required"),
        (["summary"], "no panels there; run snakemake first"),
        (["summary", "trials=x"], "--config trials: 'x' is not allowed"),
    ):
        done = subprocess.run(
            [sys.executable, "-m", "attention_separation", *arguments],
            cwd=small.folder, env=environment(small), text=True, capture_output=True, check=False,
        )  # fmt: skip
        assert done.returncode != 0
        assert words in done.stderr
        assert "Traceback" not in done.stderr
