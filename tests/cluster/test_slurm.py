"""Panels and a figure on a SLURM cluster, and what becomes of it when things go wrong there.

Whatever happens to jobs and daemons ends in the bytes of an undisturbed local run, by itself or
after the same command again; never in a partial table.

A run on a cluster is mostly waiting: those of the fixtures go on while tests look at others.
"""

import re
import subprocess
import time
from pathlib import Path

import pytest
from cluster.conftest import CANCELLED, GREEDY, QUICK, RESULTS, SLOW, STOPPED, ClusterProject, Run
from cluster.throwaway import NODES, crash, restart_slurmctld, restart_slurmd
from making import SECTION
from processes import processes

FIRST, SECOND = NODES
ON_SECOND = ("--default-resources", "slurm_partition=spare")
"""As docs/run.md says where a cluster wants partitions named; runs of `troubled` and `figure`
are on the other node, but for jobs that `crash` takes from this one."""

FIGURE = "fig3"

SMOKE = (FIGURE, "--config", "scale=smoke", "jobs={local_below: 0}")


@pytest.fixture(scope="module", autouse=True)
def troubled(make_small) -> Run:
    """A run in which much goes wrong at once."""
    project = make_small()
    # Less memory than simulating takes, and a minute, the least that SLURM knows.
    memory, minutes = "memory_mb(panel.engine, points)", "max(FEWEST_MINUTES"
    project.edit(RESULTS, memory, f"230 if name == {GREEDY!r} else {memory}")
    project.edit(RESULTS, minutes, f"1 if name == {STOPPED!r} else {minutes}")
    run = project.start(*(f"simulate_{panel}" for panel in SLOW))
    held = run.hold(CANCELLED, STOPPED)
    # slurmd killed with -9, slurmctld stopped, both back after some seconds: the jobs live on.
    restart_slurmd(FIRST, away=2)
    restart_slurmctld(away=2)
    for panel, pid in held.items():
        assert processes(project.folder, "simulate", f"{panel}.parquet") == [pid]
    subprocess.run(["scancel", run.running()[f"rule_simulate_{CANCELLED}"]], check=True)
    return run


@pytest.fixture(scope="module", autouse=True)
def undisturbed(make_small, troubled) -> Run:
    """A local run of the same panels."""
    return make_small().start_locally(f"simulate_{QUICK}", *(f"simulate_{panel}" for panel in SLOW))


@pytest.fixture(scope="module", autouse=True)
def crashed(make_small, undisturbed) -> Run:
    """A run whose node crashes while one of a panel's two slices is made and the other has been."""
    project = make_small()
    project.edit("config.yaml", "slices: null", "slices: 2")
    run = project.start(f"simulate_{CANCELLED}", *ON_SECOND)
    run.hold("1-of-2")
    end = time.monotonic() + 90
    while len(run.running()) > 1:
        assert time.monotonic() < end, run.output
        time.sleep(0.2)
    crash(SECOND)
    return run


@pytest.fixture(scope="module", autouse=True)
def figure(tmp_path_factory, crashed) -> tuple[Run, Run]:
    """A figure of the paper at smoke scale, here and on the cluster."""
    here = ClusterProject(tmp_path_factory.mktemp("here"))
    there = ClusterProject(tmp_path_factory.mktemp("there"))
    return here.start_locally(*SMOKE), there.start(*SMOKE)


def table(panel: str) -> str:
    """Where a panel's table is."""
    return f"results/panels/{panel}.parquet"


def test_after_kill_9_of_snakemake_orphans_do_no_harm(small, undisturbed):
    """And without retries, a cancelled job is named and the same command finishes."""
    two = (f"simulate_{QUICK}", f"simulate_{CANCELLED}")
    run = small.start(*two, *ON_SECOND)
    (orphan,) = run.hold(CANCELLED).values()
    run.kill()
    small.make("--unlock")
    again = small.start(*two, "--retries", "0", *ON_SECOND)
    again.hold(CANCELLED)
    number = again.running()[f"rule_simulate_{CANCELLED}"]
    subprocess.run(["scancel", number], check=True)
    assert again.wait() == 1
    assert f"SLURM-job '{number}' failed, SLURM status is: 'CANCELLED'" in again.output
    assert set(small.files()) == {table(QUICK)}

    # The orphan goes on beside the third job for the same file.
    subprocess.run(["kill", "-CONT", str(orphan)], check=True)
    small.make(*two, *ON_SECOND)
    undisturbed.must_succeed()
    right = undisturbed.project.files()
    assert small.files() == {table(panel): right[table(panel)] for panel in (QUICK, CANCELLED)}


def test_the_generic_profile_submits_asks_and_cancels(small, undisturbed):
    """A panel with profiles/generic; its commands are SLURM's."""
    small.profile = "generic"
    output = small.make(f"simulate_{QUICK}")
    assert "with external jobid" in output
    right = undisturbed.project.files()
    assert small.files() == {table(QUICK): right[table(QUICK)]}


def test_a_crashed_node_costs_only_the_slice_that_it_worked_on(crashed, undisturbed):
    crashed.must_succeed()
    assert crashed.failed() == [("slice", "NODE_FAIL")]
    assert sorted(crashed.submitted()) == ["slice"] * 3
    right = undisturbed.project.files()
    assert crashed.project.files() == {table(CANCELLED): right[table(CANCELLED)]}


def test_killed_jobs_are_run_again_with_more_memory_and_time(troubled, undisturbed):
    """Killed daemons, a job cancelled, one above its memory, one above its time: one command."""
    output = troubled.must_succeed()
    # On a busy machine two minutes may be too few as well.
    assert set(troubled.failed()) == {
        (f"simulate_{CANCELLED}", "CANCELLED"),
        (f"simulate_{GREEDY}", "FAILED"),
        (f"simulate_{STOPPED}", "TIMEOUT"),
    }
    assert output.count("Trying to restart job") == len(troubled.failed())
    # The message names the log that says why.
    (log,) = re.findall(rf"(\S+/logs/slurm/rule_simulate_{GREEDY}/\d+\.log) \(check", output)
    assert "exceeded memory limit" in Path(log).read_text()
    right = undisturbed.project.files()
    assert troubled.project.files() == {table(panel): right[table(panel)] for panel in SLOW}


def test_a_figure_has_the_bytes_of_a_local_run(figure):
    here, there = figure
    here.must_succeed()
    there.must_succeed()
    assert there.project.files() == here.project.files()
    assert f"{FIGURE}.svg" in {Path(name).name for name in there.project.files()}

    # Every panel was a job of SLURM's, and nothing else was.
    assert sorted(there.submitted()) == sorted(
        f"simulate_{panel}" for panel in SECTION.panels if panel.startswith(FIGURE)
    )

    # What a cluster has made is made, for a local run too.
    nothing = there.project.start_locally(*SMOKE).must_succeed()
    assert "Nothing to be done" in nothing
