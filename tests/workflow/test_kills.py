"""What is killed, changed meanwhile or started twice ends in the bytes of a quiet run; of kills
tests/faults/campaign.py has more, at random moments."""

import os
import re
import signal
import subprocess

import pytest
from faults.campaign import make_project
from making import study_of
from processes import wait_for

from attention_separation.results.tables import write_parquet
from attention_separation.studies.softmax_vs_linear.simulation.simulate import metadata, simulate

PANEL = "fig4b"
TRIALS = f"simulate_{PANEL}"
TABLE = f"results/panels/{PANEL}.parquet"


@pytest.fixture
def started(tmp_path):
    """A project and a snakemake at its trials; it knows that a slice is whole, and jobs run."""
    project = make_project(tmp_path.resolve())
    project.edit("config.yaml", "slices: 2", "slices: 4")
    project.edit("config.yaml", "trials: 100000", "trials: 40000")
    said = tmp_path / "said.txt"
    with said.open("w") as file:
        process = subprocess.Popen(
            project.command(TRIALS), cwd=tmp_path, stdout=file, stderr=file,
            start_new_session=True,
        )  # fmt: skip
    try:
        wait_for(lambda: re.search(r"^1 of \d+: ", said.read_text(), re.M), "a slice")
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
    project.edit("config.yaml", "trials: 40000", "trials: 10000")
    project.make("--unlock")
    project.make(TRIALS)
    assert project.files() == {TABLE: undisturbed(project)}


def test_a_run_is_disturbed_neither_by_another_in_the_folder_nor_by_a_change_of_settings(started):
    """The other one is refused; slices that start after the change have the settings that the run
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
    project.edit("config.yaml", "trials: 40000", "trials: 10000")
    assert process.wait(600) == 0, said.read_text()
    assert project.files() == {TABLE: table}
    assert project.would_run(TRIALS) == {TRIALS, "slice"}
    assert len({*(project.folder / ".snakemake/settings").iterdir()}) == 2
