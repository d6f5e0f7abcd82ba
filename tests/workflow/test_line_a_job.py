"""The plugin of Snakemake's logs prints a line a job, and all that is no news of jobs as it is."""

import io
import logging
import sys
from types import SimpleNamespace

import pytest
import yte
from making import ROOT
from snakemake.logging import DefaultFilter, DefaultFormatter
from snakemake_interface_logger_plugins.common import LogEvent

import snakemake_logger_plugin_line_a_job as plugin
from snakemake_logger_plugin_line_a_job.time_left import TimeLeft

JOB = {"rule_name": "simulate", "wildcards": {"panel": "fig4b"}, "log": [], "rule_msg": "Trials"}
ERROR = {
    "rule_name": "fig4b", "rule_msg": "Figure", "jobid": 1, "input": [], "output": [], "log": [],
    "conda_env": None, "shellcmd": "false", "aux": {},
}  # fmt: skip
PREPARATIONS = ("Assuming unrestricted", "Building DAG of jobs...")


def handler(monkeypatch, is_terminal: bool = False, **settings) -> plugin.LogHandler:
    """A handler that writes to `handler.stream`, as Snakemake's manager makes it."""
    stream = io.StringIO()
    stream.isatty = lambda: is_terminal
    monkeypatch.setattr(sys, "stderr", stream)
    common = {"stdout": False, "dryrun": False, "verbose": False, "debug_dag": False} | settings
    made = plugin.LogHandler(SimpleNamespace(**common), None)
    made.addFilter(DefaultFilter(None, False, False, common["dryrun"], False))
    made.setFormatter(DefaultFormatter(None, show_failed_logs=True))
    return made


def say(made: plugin.LogHandler, text: str | None, level: int = logging.INFO, **extra) -> None:
    record = logging.LogRecord("snakemake", level, "", 0, text, None, None)
    record.__dict__.update(extra)
    made.handle(record)


def begin(made: plugin.LogHandler, **more) -> None:
    """What Snakemake says until its first job runs."""
    for text in PREPARATIONS:
        say(made, text)
    say(made, "Job stats", event=LogEvent.RUN_INFO)
    say(made, None, expected_seconds={0: 1.0, 1: 3.0}, makes_nothing=False)
    say(made, "Select jobs to execute...")
    say(made, "Execute 1 jobs...", event=LogEvent.JOB_STARTED, jobs=[0])
    say(made, "rule", event=LogEvent.JOB_INFO, jobid=0, **(JOB | more))


def finish(made: plugin.LogHandler) -> None:
    say(made, "Finished jobid: 0", event=LogEvent.JOB_FINISHED, job_id=0)
    say(made, None, event=LogEvent.PROGRESS, done=1, total=2)


def test_a_job_is_a_line_and_an_error_is_whole(monkeypatch):
    made = handler(monkeypatch)
    begin(made)
    finish(made)
    say(made, "Error in rule", logging.ERROR, event=LogEvent.JOB_ERROR, **(ERROR | {"msg": "no"}))
    say(made, "Complete log(s): LOG")
    made.close()
    first, *rest = made.stream.getvalue().splitlines()
    assert first.startswith("1 of 2: simulate fig4b; 0 s, about 0 s left")
    assert rest[1:] == [
        "Error in rule fig4b:",
        "    message: Figure",
        "    jobid: 1",
        "    shell:",
        "        false",
        "        (command exited with non-zero exit code)",
        "Complete log(s): LOG",
    ]


def test_where_nothing_runs_what_is_said_of_it_stays(monkeypatch):
    made = handler(monkeypatch)
    for text in (*PREPARATIONS, "Nothing to be done."):
        say(made, text)
    made.close()
    assert made.stream.getvalue() == "Nothing to be done.\n"


def test_where_files_are_touched_no_job_is_said_to_be_done(monkeypatch):
    made = handler(monkeypatch)
    say(made, "Job stats", event=LogEvent.RUN_INFO)
    say(made, None, expected_seconds={}, makes_nothing=True)
    finish(made)
    assert made.stream.getvalue() == ""


def test_a_plan_is_as_snakemake_writes_it(monkeypatch):
    made = handler(monkeypatch, dryrun=True)
    for text in PREPARATIONS:
        say(made, text)
    say(made, "Job stats", event=LogEvent.RUN_INFO)
    assert made.stream.getvalue().splitlines() == [*PREPARATIONS, "Job stats"]


def test_in_a_terminal_progress_is_written_over(monkeypatch, tmp_path):
    log = tmp_path / "job.log"
    log.write_text("fig4b: 1 of 9 trials\nfig4b: 2 of 9 trials\n")
    made = handler(monkeypatch, is_terminal=True)
    begin(made, log=[str(log)])
    made.write_over()
    finish(made)
    made.close()
    texts = made.stream.getvalue().split(plugin.ERASE)
    assert texts[1] == "fig4b: 2 of 9 trials"
    assert texts[2].startswith("1 of 2: simulate fig4b; ")


def test_time_left_is_weighted_by_what_jobs_are_expected_to_take():
    time_left = TimeLeft(start=10.0)
    time_left.expected = {0: 2.0, 1: 6.0, 2: 8.0}
    time_left.begin(0, 10.0)
    time_left.finish(0, 14.0)
    # Twice as slow as expected: of 16 seconds 2 are done in 4.
    assert time_left.seconds(14.0, 3) == pytest.approx(28.0)
    time_left.begin(1, 14.0)
    # Of the job that runs, 4 seconds are 2 of those expected.
    assert time_left.seconds(18.0, 3) == pytest.approx((16 - 4) * 8 / 4)
    # A job that takes longer than expected is not done for that.
    assert time_left.seconds(100.0, 3) == pytest.approx((16 - 8) * 90 / 8)


def test_where_nothing_is_expected_jobs_are_alike():
    time_left = TimeLeft(start=0.0)
    time_left.begin(5, 0.0)
    time_left.finish(5, 3.0)
    assert time_left.seconds(3.0, 4) == pytest.approx(9.0)


def test_the_profile_asks_for_the_plugin_only_where_it_is_installed(monkeypatch):
    path = ROOT / "profiles/default/config.yaml"
    with path.open() as file:
        assert yte.process_yaml(file, require_use_yte=True)["logger"] == "line-a-job"
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with path.open() as file:
        assert "logger" not in yte.process_yaml(file, require_use_yte=True)


def test_a_run_and_a_touch_that_makes_nothing(small):
    said = small.run("--touch", "fig7").stdout
    words = (
        "--touch makes nothing: what there is counts as up to date, but what is of other settings"
    )
    assert words in said
    assert " of " not in said.replace(words, "").replace("of jobs", "")
    made = small.make("exact_fig7")
    assert "1 of 1: exact_fig7; " in made
    assert "Building DAG" not in made
    # Jobs that run here wait for none of the last second: else Snakemake would look once a second,
    # for each job done, at the inputs of all that wait.
    said = small.make("exact_fig4", "--verbose")
    assert "Ready jobs: 1" in said
    assert "Submitting maximum" not in said
