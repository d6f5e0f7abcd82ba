"""The whole workflow on a SLURM cluster, and what becomes of it when things go wrong there.

Whatever happens to jobs and daemons ends in the bytes of an undisturbed local run, by itself or
after the same command again; never in a partial table.
"""

import re
import subprocess
from pathlib import Path

import pytest
from cluster.conftest import SLOW, ClusterProject, processes, squeue
from cluster.throwaway import crash_node, restart_slurmctld, restart_slurmd
from making import CONFIG

TWO = ("simulate_quick", "simulate_cancelled")
OF_TWO = ("results/panels/quick.parquet", "results/panels/cancelled.parquet")


@pytest.fixture(scope="module", autouse=True)
def troubled(make_small):
    """A run in which much goes wrong at once; it takes its time while the other tests run."""
    project = make_small()
    rules = "workflow/rules/panels.smk"
    # Less memory than simulating takes, and a minute, the least that SLURM knows.
    project.edit(rules, "doubled(1000)", "doubled(230 if panel == 'greedy' else 1000)")
    project.edit(rules, "doubled(120)", "doubled(1 if panel == 'stopped' else 120)")
    run = project.start("simulate_quick", *(f"simulate_{panel}" for panel in SLOW))
    held = run.hold("cancelled", "stopped")
    # slurmd killed with -9, slurmctld stopped, both back after some seconds: the jobs live on.
    restart_slurmd(away=2)
    restart_slurmctld(away=2)
    for panel, pid in held.items():
        assert processes(project.folder, "simulate", f"{panel}.parquet") == [pid]
    subprocess.run(["scancel", run.job_of("cancelled")], check=True)
    return run


def test_the_whole_workflow_gives_the_bytes_of_a_local_run(tmp_path_factory):
    here = ClusterProject(tmp_path_factory.mktemp("here"))
    there = ClusterProject(tmp_path_factory.mktemp("there"))
    settings = "--config", "scale=smoke", "jobs={local_below: 0}"
    here.locally(*settings)
    output = there.make(*settings)
    assert there.files() == here.files()
    assert len(there.files()) >= 100

    # Every panel was a job of SLURM's, and nothing else was.
    (name,) = re.findall(r"SLURM run ID: (attention_\S+)", output)
    jobs = squeue("--states=all", f"--name={name}", "--format=%k %T")
    assert sorted(jobs) == sorted(f"rule_simulate_{panel} COMPLETED" for panel in CONFIG.panels)

    # What a cluster has made is made, for a local run too.
    assert "Nothing to be done" in there.locally(*settings)


def test_after_kill_9_of_snakemake_orphans_do_no_harm(small, undisturbed):
    """And without retries, a cancelled job is named and the same command finishes."""
    run = small.start(*TWO)
    (orphan,) = run.hold("cancelled").values()
    run.kill()
    small.make("--unlock")
    again = small.start(*TWO, "--retries", "0")
    again.hold("cancelled")
    number = again.job_of("cancelled")
    subprocess.run(["scancel", number], check=True)
    assert again.wait() == 1
    assert f"SLURM-job '{number}' failed, SLURM status is: 'CANCELLED'" in again.output
    assert set(small.files()) == {"results/panels/quick.parquet"}

    # The orphan goes on beside the third job for the same file.
    subprocess.run(["kill", "-CONT", str(orphan)], check=True)
    small.make(*TWO)
    assert small.files() == {name: undisturbed[name] for name in OF_TWO}


def test_the_jobs_of_a_crashed_node_are_run_again(small, undisturbed, troubled):
    troubled.wait()
    run = small.start(*TWO)
    run.hold("cancelled")
    number = run.job_of("cancelled")
    crash_node()
    assert run.wait() == 0, run.output
    assert f"SLURM-job '{number}' failed" in run.output
    assert small.files() == {name: undisturbed[name] for name in OF_TWO}


def test_killed_jobs_are_run_again_with_more_memory_and_time(troubled, undisturbed):
    """Killed daemons, a job cancelled, one above its memory, one above its time: one command."""
    assert troubled.wait() == 0, troubled.output
    found = dict(
        re.findall(
            r"Error in rule simulate_(\w+):\n +message: SLURM-job '\d+' failed, "
            r"SLURM status is: '(\w+)'",
            troubled.output,
        )
    )
    assert found == {"cancelled": "CANCELLED", "greedy": "FAILED", "stopped": "TIMEOUT"}
    assert troubled.output.count("Trying to restart job") == len(found)
    # The message names the log that says why.
    (log,) = re.findall(r"(\S+/logs/slurm/rule_simulate_greedy/\d+\.log) \(check", troubled.output)
    assert "exceeded memory limit" in Path(log).read_text()
    assert troubled.project.files() == undisturbed
