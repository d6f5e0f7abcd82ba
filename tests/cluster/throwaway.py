#!/usr/bin/env python3
"""A SLURM cluster of this one machine, for tests: `throwaway.py up`, `throwaway.py down`.

Real daemons (munged, slurmctld, and a slurmd for each node) on ports of their own, with no
accounting database: the least that a cluster can be. All files lie in FOLDER but one,
/etc/slurm/slurm.conf, the only place where jobs are sure to look for it: the executor takes
SLURM_CONF away from them. A file that lies there already is kept beside it and put back by `down`.

Needs root, for only root may start jobs, and Debian's packages slurm-wlm and munge.
"""

import contextlib
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

FOLDER = Path("/run/throwaway-cluster")
CONF = Path("/etc/slurm/slurm.conf")
KEPT = CONF.with_suffix(".conf.before-throwaway")
FIRST_LINE = "# Of the throw-away cluster of a test; `throwaway.py down` removes it."
PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "srun", "squeue", "scancel", "scontrol")
NODES = ("node1", "node2")
"""All run on this machine. Jobs of the partition `main` run on the first; those of `spare`, which
go first, on the second as long as it is up."""

PORTS = {"slurmctld": 16817, "slurmd-node1": 16818, "slurmd-node2": 16819}
READY = ("idle", "mixed", "allocated", "completing")
"""States of a node that is up."""

MEMORY = 8000
"""Megabytes of a node that jobs share, by their requests."""


class ClusterError(Exception):
    """Why there is no cluster, in one sentence."""


def slurm_conf(host: str, jobs: int, more: str) -> str:
    """The least that makes so many jobs start at a time, and be killed at their limits."""
    first, second = NODES
    here = f"NodeHostname={host} NodeAddr=127.0.0.1"
    return f"""{FIRST_LINE}
ClusterName=throwaway
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={PORTS["slurmctld"]}
SlurmUser=root
SlurmdUser=root
# Keys and sockets of its own: nothing of this machine's munge is used or disturbed.
AuthType=auth/munge
AuthInfo=socket={FOLDER}/munge.socket
CredType=cred/munge
SlurmctldPidFile={FOLDER}/slurmctld.pid
SlurmctldLogFile={FOLDER}/slurmctld.log
SlurmdPidFile={FOLDER}/slurmd-%n.pid
SlurmdLogFile={FOLDER}/slurmd-%n.log
SlurmdSpoolDir={FOLDER}/spool-%n
StateSaveLocation={FOLDER}/state
MpiDefault=none
# Containers often have no cgroups to hand out: processes are followed through /proc.
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
# Cores and memory are what jobs ask for and get.
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
# Without cgroups it is this that ends a job above its memory: looked at every second.
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=task=1
JobAcctGatherParams=OverMemoryKill
# No database.
AccountingStorageType=accounting_storage/none
# A killed slurmd may come back to the same node; a job has 2 seconds to end when told to.
ReturnToService=2
KillWait=2
# Nodes have as many cores and as much memory as said here, whatever the machine has.
SlurmdParameters=config_overrides
NodeName=DEFAULT CPUs={jobs} RealMemory={MEMORY}
NodeName={first} {here} Port={PORTS[f"slurmd-{first}"]} Weight=2
NodeName={second} {here} Port={PORTS[f"slurmd-{second}"]} Weight=1
PartitionName=main Nodes={first} Default=YES MaxTime=INFINITE State=UP
PartitionName=spare Nodes=ALL PriorityTier=2 MaxTime=INFINITE State=UP
{more}
"""


def call(*command: str) -> str:
    """Output of a command that must succeed."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ClusterError(f"{' '.join(command)}: {(done.stderr or done.stdout).strip()}")
    return done.stdout


def wait_for(what: str, true, seconds: float = 20) -> None:
    """Wait until something holds."""
    end = time.monotonic() + seconds
    while not true():
        if time.monotonic() > end:
            raise ClusterError(f"{what}: not within {seconds:g} s; the logs are in {FOLDER}")
        time.sleep(0.1)


def pid_of(daemon: str) -> int | None:
    """The process of a daemon of this cluster, if it lives."""
    try:
        pid = int((FOLDER / f"{daemon}.pid").read_text())
    except (OSError, ValueError):
        return None
    name = daemon.partition("-")[0]
    return pid if name_of(Path(f"/proc/{pid}")) == name and is_alive(pid) else None


def node_state(node: str) -> str:
    """What the controller thinks of a node; an asterisk would say that it waits for an answer."""
    command = ["sinfo", "--noheader", "--partition=spare", f"--nodes={node}", "--format=%T"]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    return found.stdout.strip().rstrip("*")


def start_slurmctld() -> None:
    """Start the controller, and wait until it answers."""
    call("slurmctld")
    wait_for("slurmctld", lambda: pid_of("slurmctld") and node_state(NODES[0]))


def start_slurmd(node: str) -> None:
    """Start the daemon that starts a node's jobs, and wait until the controller knows it."""
    call("slurmd", "-N", node)
    wait_for(node, lambda: pid_of(f"slurmd-{node}") and node_state(node) in READY)


def restart_slurmd(node: str, away: float) -> None:
    """kill -9 of slurmd, which comes back after some seconds; jobs live on in slurmstepd."""
    kill(f"slurmd-{node}")
    time.sleep(away)
    start_slurmd(node)


def restart_slurmctld(away: float) -> None:
    """Stop slurmctld, which comes back after some seconds and knows its jobs again.

    Not with -9: it would take jobs that ended within its last seconds to run until nodes tell.
    """
    kill("slurmctld", signal.SIGTERM)
    time.sleep(away)
    start_slurmctld()
    for node in NODES:
        wait_for(node, lambda node=node: node_state(node) in READY)


def crash(node: str) -> None:
    """A power cut: slurmd and all that it has started are gone at once, and slurmd is back.

    The controller would notice after SlurmdTimeout, five minutes; here it is told.
    """
    jobs = call("squeue", "--noheader", f"--nodelist={node}", "--format=%i").split()
    kill(f"slurmd-{node}")
    kill_jobs(jobs)
    call("scontrol", "update", f"NodeName={node}", "State=DOWN", "Reason=crashed")
    start_slurmd(node)


def kill_jobs(numbers: list[str] | None = None) -> None:
    """kill -9 of all processes of jobs, of all if no numbers are given, and of their keepers."""
    for path in every_process():
        with contextlib.suppress(OSError):
            environment = (path / "environ").read_bytes().decode(errors="replace").split("\0")
            variables = dict(entry.partition("=")[::2] for entry in environment)
            ours = variables.get("SLURM_CLUSTER_NAME") == "throwaway"
            number = variables.get("SLURM_JOB_ID")
            if name_of(path).startswith("slurmstepd"):
                # Its title: `slurmstepd: [NUMBER.STEP]`.
                found = re.search(r"\[(\d+)\.", (path / "cmdline").read_text())
                ours, number = True, found and found[1]
            if ours and (numbers is None or number in numbers):
                os.kill(int(path.name), signal.SIGKILL)


def is_alive(pid: int) -> bool:
    """Whether a process is more than an entry that no parent has fetched."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def every_process() -> list[Path]:
    """Folders of all processes."""
    return list(Path("/proc").glob("[0-9]*"))


def name_of(process: Path) -> str:
    """The name of a process; none if it is gone."""
    try:
        return (process / "comm").read_text().strip()
    except OSError:
        return ""


def kill(daemon: str, how: signal.Signals = signal.SIGKILL) -> None:
    """End a daemon, and wait until it has."""
    os.kill(pid_of(daemon), how)
    wait_for(f"the end of {daemon}", lambda: not pid_of(daemon))


def refuse() -> None:
    """Say why a cluster cannot be brought up here."""
    missing = [name for name in PROGRAMS if not shutil.which(name)]
    if missing:
        raise ClusterError(
            f"no {', '.join(missing)} here: the tests of the cluster need SLURM, on Debian "
            "`apt-get install slurm-wlm munge`"
        )
    if os.geteuid() != 0:
        raise ClusterError("only root can bring up a cluster whose jobs run")
    for daemon in ("slurmd", "slurmctld", "slurmstepd"):
        if any(name_of(path) == daemon and is_alive(int(path.name)) for path in every_process()):
            raise ClusterError(f"{daemon} runs on this machine: it is part of a cluster already")
    for daemon, port in PORTS.items():
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                raise ClusterError(f"something listens on port {port}, which {daemon} needs")


def up(jobs: int = os.cpu_count() or 1, more: str = "") -> None:
    """Bring up a cluster, each of whose nodes runs so many jobs of one core at a time.

    `more` is another line of its slurm.conf.
    """
    down()
    refuse()
    for name in ("", "state", *(f"spool-{node}" for node in NODES)):
        (FOLDER / name).mkdir(parents=True, mode=0o755, exist_ok=True)
    CONF.parent.mkdir(parents=True, exist_ok=True)
    if CONF.exists():
        CONF.rename(KEPT)
    host = socket.gethostname().partition(".")[0]
    CONF.write_text(slurm_conf(host, jobs, more))
    try:
        key = FOLDER / "munge.key"
        key.touch(mode=0o600)
        key.write_bytes(os.urandom(1024))
        files = {
            "key-file": "munge.key",
            "socket": "munge.socket",
            "pid-file": "munged.pid",
            "log-file": "munged.log",
            "seed-file": "munge.seed",
        }
        call("munged", "--force", *(f"--{k}={FOLDER / name}" for k, name in files.items()))
        start_slurmctld()
        for node in NODES:
            start_slurmd(node)
    except BaseException:
        down(keep_logs=True)
        raise


def down(keep_logs: bool = False) -> None:
    """End all jobs and daemons, and leave the machine as it was."""
    if FOLDER.exists():
        for daemon in (*PORTS, "munged"):
            if pid_of(daemon):
                kill(daemon, signal.SIGTERM)
        kill_jobs()
    if CONF.exists() and CONF.read_text().startswith(FIRST_LINE):
        CONF.unlink()
        if KEPT.exists():
            KEPT.rename(CONF)
    if FOLDER.exists() and not keep_logs:
        shutil.rmtree(FOLDER)


if __name__ == "__main__":
    steps = {"up": up, "down": down}
    if len(sys.argv) != 2 or sys.argv[1] not in steps:
        sys.exit(f"usage: {Path(__file__).name} up|down")
    try:
        steps[sys.argv[1]]()
        print("a cluster is up: `sinfo` shows it" if sys.argv[1] == "up" else "no cluster is up")
    except ClusterError as error:
        sys.exit(str(error))
