"""Snakemake in processes forked from one that has loaded it: loading is most of a short run.

Runs import the package of their own folder, so nothing here may import the project's.
"""

import multiprocessing
import os
import subprocess
import sys
import tempfile
from pathlib import Path

SERVER = multiprocessing.get_context("forkserver")
SERVER.set_forkserver_preload(["snakemake.cli", "docutils.core", "requests", "scipy.special"])


def run(
    command: list[str], folder: Path, timeout: float | None = None, hidden: tuple[str, ...] = ()
) -> subprocess.CompletedProcess:
    """Run `python -m snakemake ...` in a folder; all that it says is in stdout.

    `hidden` packages are not installed to Snakemake; to its jobs they are.

    Raises subprocess.TimeoutExpired after `timeout` seconds.
    """
    assert command[:3] == [sys.executable, "-m", "snakemake"]
    with tempfile.NamedTemporaryFile() as said:
        path = Path(said.name)
        job = SERVER.Process(
            target=_snakemake, args=(command[3:], folder, path, {**os.environ}, hidden)
        )
        job.start()
        job.join(timeout)
        if job.exitcode is None:
            job.kill()
            job.join()
            raise subprocess.TimeoutExpired(command, timeout)
        return subprocess.CompletedProcess(command, job.exitcode, path.read_text())


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
    from snakemake.cli import main

    main()
