"""Snakemake and its jobs in processes forked from ones that have loaded the libraries they need.

Runs import the package of their own folder, so nothing here may import the project's. What is
forked has its parent's string hashes; runs with `jobs_started` have new processes for their jobs.
Where processes are not FORKED, everything has a new one, and takes longer.
"""

import atexit
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
from functools import cache
from pathlib import Path

FORKED = sys.platform == "linux" and os.environ.get("FORKED") != "0"
"""On macOS, system libraries that a process has loaded need not bear a fork."""

SERVER = multiprocessing.get_context("forkserver")
SERVER.set_forkserver_preload(
    [
        "snakemake.cli", "snakemake.profiles", "snakemake.report.html_reporter",
        "snakemake.storage", "docutils.core", "platformdirs.unix", "pyarrow.parquet", "pydantic",
        "requests", "scipy.special",
    ]
)  # fmt: skip
HERE = Path(__file__).parent
PYTHON = HERE / "forked_python"


@cache
def job_server() -> dict[str, str]:
    """Environment with which PYTHON asks the server of this process's jobs."""
    folder = tempfile.TemporaryDirectory(prefix="jobs")
    path = Path(folder.name) / "socket"
    server = subprocess.Popen(
        [sys.executable, HERE / "job_server.py", path],
        env={key: value for key, value in os.environ.items() if key != "PYTHONPATH"},
        stdin=subprocess.PIPE,
    )

    @atexit.register
    def end() -> None:
        server.stdin.close()
        server.wait()
        folder.cleanup()

    while not path.exists():
        assert server.poll() is None
        time.sleep(0.02)
    return {"JOB_SERVER": str(path), "JOB_PYTHON": sys.executable}


def command(folder: Path, *arguments: str) -> subprocess.CompletedProcess:
    """Run `python -m attention_separation ...` in a project's folder; stdout has all it says."""
    return subprocess.run(
        [PYTHON if FORKED else sys.executable, "-m", "attention_separation", *arguments],
        env=(job_server() if FORKED else {}) | {"PYTHONPATH": "src", "PATH": "/bin:/usr/bin"},
        cwd=folder, text=True, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip


def run(
    command: list[str],
    folder: Path,
    timeout: float | None = None,
    hidden: tuple[str, ...] = (),
    jobs_started: bool = False,
) -> subprocess.CompletedProcess:
    """Run `python -m snakemake ...` in a folder; all that it says is in stdout.

    `hidden` packages are not installed to Snakemake; to its jobs they are.

    Raises subprocess.TimeoutExpired after `timeout` seconds.
    """
    assert command[:3] == [sys.executable, "-m", "snakemake"]
    if not FORKED:
        return _run_started(command, folder, timeout, hidden)
    environment = {**os.environ} if jobs_started else os.environ | job_server()
    with tempfile.NamedTemporaryFile() as said:
        path = Path(said.name)
        job = SERVER.Process(
            target=_snakemake, args=(command[3:], folder, path, environment, hidden)
        )
        job.start()
        job.join(timeout)
        if job.exitcode is None:
            job.kill()
            job.join()
            raise subprocess.TimeoutExpired(command, timeout)
        return subprocess.CompletedProcess(command, job.exitcode, path.read_text())


def _run_started(
    command: list[str], folder: Path, timeout: float | None, hidden: tuple[str, ...]
) -> subprocess.CompletedProcess:
    """The same in a new process, its jobs in others."""
    code = (
        "import sys\n"
        f"sys.modules.update(dict.fromkeys({hidden}))\n"
        "sys.argv[0] = 'snakemake'\n"
        "from snakemake.cli import main\n"
        "main()"
    )
    # Into a file: what outlives a timeout would keep a pipe open.
    with tempfile.NamedTemporaryFile() as said:
        done = subprocess.run(
            [sys.executable, "-c", code, *command[3:]],
            cwd=folder, stdout=said, stderr=subprocess.STDOUT, timeout=timeout, check=False,
        )  # fmt: skip
        text = Path(said.name).read_text()
    return subprocess.CompletedProcess(command, done.returncode, text)


def _snakemake(
    arguments: list[str], folder: Path, said: Path, environment: dict, hidden: tuple[str, ...]
) -> None:
    sys.modules.update(dict.fromkeys(hidden))
    with said.open("a") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = ["snakemake", *arguments]
    if "JOB_SERVER" in environment:
        sys.executable = str(PYTHON)
    from snakemake.cli import main

    main()
