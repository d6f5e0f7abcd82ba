"""A throw-away SLURM cluster, a project with a panel of some seconds, and snakemake on both."""

import importlib.util
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import ClassVar

import pytest
import yaml
from cluster.throwaway import ClusterError, down, up
from making import spelled_out
from processes import processes
from project import Project

SNAKEMAKE = (sys.executable, "-m", "snakemake")
QUICKLY = (
    "--seconds-between-status-checks", "1",
    "--slurm-init-seconds-before-status-checks", "1",
    "--latency-wait", "5",
)  # fmt: skip
"""Looks for ended jobs more often than the profile, which is made for jobs of minutes."""

QUICK, CANCELLED, GREEDY, STOPPED = "fig4b", "fig3a", "fig3b", "fig7a"
SLOW = (CANCELLED, GREEDY, STOPPED)
"""Panels of some seconds, by what befalls them; under names whose rules are the paper's."""

RESULTS = "src/attention_separation/studies/softmax_vs_linear/study.py"


class ClusterProject(Project):
    """The project, and snakemake in it with a cluster's profile."""

    profile = "slurm"

    def command(self, *arguments: str) -> list[str]:
        """The command line that docs/run.md shows, and how often to look for ended jobs."""
        return [*SNAKEMAKE, "--workflow-profile", self.profile, *arguments, *QUICKLY]

    def start(self, *arguments: str) -> "Run":
        """Snakemake at work."""
        return Run(self, self.command(*arguments))

    def start_locally(self, *arguments: str) -> "Run":
        """Snakemake at work without a cluster."""
        return Run(self, [*SNAKEMAKE, "--cores", "1", *arguments])


class Run:
    """A snakemake that runs beside the test; what it says goes to a file."""

    started: ClassVar[list["Run"]] = []

    def __init__(self, project: ClusterProject, command: list[str]):
        self.started.append(self)
        self.project = project
        self.said = project.folder / f"said-{time.time_ns()}.txt"
        with self.said.open("w") as file:
            self.process = subprocess.Popen(
                command,
                cwd=project.folder,
                stdout=file,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    @property
    def output(self) -> str:
        """What it has said by now."""
        return self.said.read_text()

    def wait(self, seconds: float = 400) -> int:
        """Its exit status, once it has ended."""
        return self.process.wait(seconds)

    def must_succeed(self) -> str:
        """What it has said once it has ended, which must be well."""
        assert self.wait() == 0, self.output
        return self.output

    def submitted(self) -> list[str]:
        """Rules of the jobs that it has given to SLURM."""
        return re.findall(r"submitted with SLURM jobid \d+ \(log: \S+/rule_(\w+)/", self.output)

    def failed(self) -> list[tuple[str, str]]:
        """Rules of SLURM's jobs that failed, and how."""
        return re.findall(
            r"Error in rule (\w+):\n +message: SLURM-job '\d+' failed.*? SLURM status is: '(\w+)'",
            self.output,
        )

    def running(self) -> dict[str, str]:
        """SLURM's numbers of its jobs that run, by their comments."""
        (name,) = re.findall(r"SLURM run ID: (\S+)", self.output)
        lines = squeue("--states=running", f"--name={name}", "--format=%k %i")
        return dict(line.split() for line in lines)

    def hold(self, *tables: str, seconds: float = 240) -> dict[str, int]:
        """Stop the processes that make some tables, each in the midst of its trials.

        On a busy machine a job may end above its time before that: it is not waited for.
        """
        held: dict[str, int] = {}
        late: set[str] = set()
        end = time.monotonic() + seconds
        while len(held) + len(late) < len(tables):
            late = {t for t in tables if (f"simulate_{t}", "TIMEOUT") in self.failed()} - set(held)
            for table in set(tables) - set(held) - late:
                for pid in processes(self.project.folder, "simulate", f"{table}.parquet"):
                    # NumPy takes half a second to load, a slice of the trials two. One that is
                    # stopped already is another run's.
                    if cpu_seconds(pid) > 1 and not is_stopped(pid):
                        os.kill(pid, signal.SIGSTOP)
                        held[table] = pid
            assert time.monotonic() < end, f"{tables} did not begin\n{self.output}"
            assert self.process.poll() is None, self.output
            time.sleep(0.1)
        return held

    def kill(self) -> None:
        """kill -9 of snakemake and what it runs here; jobs on the cluster live on."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait(10)


def squeue(*options: str) -> list[str]:
    """Lines of squeue."""
    command = ["squeue", "--noheader", *options]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


def cpu_seconds(pid: int) -> float:
    """Processor time of a process."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def is_stopped(pid: int) -> bool:
    """Whether a process is stopped, as by SIGSTOP."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "T"


@pytest.fixture(scope="session", autouse=True)
def cluster():
    """The cluster; without one there is no test here, and that is a failure."""
    if importlib.util.find_spec("snakemake_executor_plugin_slurm") is None:
        pytest.exit("no SLURM executor of Snakemake here: `make setup WITH=cluster`", returncode=1)
    try:
        # Two more than there are cores: a job that is stopped takes none and holds one.
        up(jobs=(os.cpu_count() or 1) + 2)
    except ClusterError as error:
        pytest.exit(str(error), returncode=1)
    yield
    for run in Run.started:
        run.kill()
    down()


@pytest.fixture(scope="session")
def make_small(tmp_path_factory):
    """Makes projects with panels of one model, one of no time and three of some seconds."""

    def make() -> ClusterProject:
        project = ClusterProject(tmp_path_factory.mktemp("project"))
        path = project.folder / "config.yaml"
        whole = spelled_out()
        values = whole["softmax_vs_linear"]
        slow = values["panels"]["fig3a"] | {"sweep": {"n": [1000, 1100, 1200]}, "trials": 800_000}
        values["panels"] = {QUICK: values["panels"]["fig4b"]} | dict.fromkeys(SLOW, slow)
        values["figures"] = {"all_of_them": {"title": "All", "panels": [QUICK, *SLOW]}}
        whole["jobs"]["local_below"] = 0
        path.write_text(yaml.dump(whole, Dumper=NoAliases, sort_keys=False))
        # A job that a test has stopped lasts as long as the test.
        project.edit(RESULTS, "FEWEST_MINUTES = 5", "FEWEST_MINUTES = 120")
        return project

    return make


class NoAliases(yaml.SafeDumper):
    """Writes a value that stands in several places into each."""

    def ignore_aliases(self, data: object) -> bool:
        """Always."""
        return True


@pytest.fixture
def small(make_small):
    """Such a project."""
    return make_small()
