"""A full disk, and one that cannot be written, each a mount that only the test's processes see."""

import os
import re
import subprocess

import pytest
from faults.campaign import make_project

TARGET = "fig4b"


@pytest.fixture
def project(tmp_path):
    """A small project with an empty folder of results."""
    made = make_project(tmp_path)
    (tmp_path / "results").mkdir()
    made.edit("config.yaml", "trials: 100000", "trials: 50")
    made.edit("config.yaml", "slices: 2", "slices: null")
    return made


def inside(project, *commands):
    """Exit status and output of commands with mounts of their own; the first that fails ends it.

    Who may not mount sees the test fail with what `unshare` or `mount` says.
    """
    user = ["--map-root-user"] if os.geteuid() else []
    done = subprocess.run(
        ["unshare", "--mount", *user, "bash", "-exuo", "pipefail", "-c", "\n".join(commands)],
        cwd=project.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        check=False,
    )  # fmt: skip
    return done.returncode, done.stdout


def snakemake(project):
    return " ".join(project.command(TARGET))


def test_a_full_disk_is_named_and_with_space_the_same_command_goes_on(project):
    run = snakemake(project)
    status, output = inside(
        project,
        "mount -t tmpfs -o size=40k tmpfs results",
        f"if {run}; then exit 3; fi",
        "echo ENLARGED",
        "mount -o remount,size=50m results",
        run,
        "cp -a results kept",
    )
    assert status == 0, output
    full = output.partition("ENLARGED")[0]
    assert re.search(r" results/\S+: cannot be written: .*No space left on device", full), full
    assert "Traceback" not in full
    after = {path.removeprefix("kept/"): data for path, data in project.files("kept").items()}
    project.make(TARGET)
    quiet = project.files()
    assert after == {path.removeprefix("results/"): data for path, data in quiet.items()}


@pytest.mark.parametrize("folder", ["results", "results/panels"])
def test_a_folder_that_cannot_be_written_is_named_before_any_job(project, folder):
    (project.folder / "results/panels").mkdir()
    status, output = inside(
        project,
        f"mount --bind {folder} {folder}",
        f"mount -o remount,ro,bind {folder}",
        f"! {snakemake(project)}",
    )
    assert status == 0, output
    assert f"\n{folder}: no file can be made in this folder: Read-only file system\n" in output
    assert "Traceback" not in output
    assert "trials" not in output


@pytest.mark.parametrize("kilobytes", [8, 100, 500])
def test_a_full_disk_under_snakemakes_folder_is_named_before_any_job(project, kilobytes):
    (project.folder / ".snakemake").mkdir()
    status, output = inside(
        project,
        f"mount -t tmpfs -o size={kilobytes}k tmpfs .snakemake",
        f"! {snakemake(project)}",
    )
    assert status == 0, output
    words = "can be made in this folder: No space left on device"
    assert re.search(rf"^\.snakemake: no file of \S+ bytes {words}$", output, re.M), output
    assert "Traceback" not in output
    assert "trials" not in output


@pytest.mark.parametrize("folder", [".snakemake", ".snakemake/metadata", ".snakemake/settings"])
def test_a_folder_of_snakemakes_that_cannot_be_written_is_named(project, folder):
    (project.folder / folder).mkdir(parents=True)
    status, output = inside(
        project,
        f"mount --bind {folder} {folder}",
        f"mount -o remount,ro,bind {folder}",
        f"! {snakemake(project)}",
    )
    assert status == 0, output
    assert re.search(rf"^{folder}: no file .*: Read-only file system$", output, re.M), output
    assert "Traceback" not in output
    assert "trials" not in output
