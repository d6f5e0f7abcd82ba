"""What `verify` says makes each kind of file again, byte for byte, once damaged or missing."""

import os
import sys
from pathlib import Path

import pytest
from damage import flipped
from project import said_by

KINDS = (
    "panels/fig4a.parquet", "exact/fig4a.parquet", "figures/fig4.parquet", "figures/fig4.csv",
    "figures/fig4.svg", "figures/fig4.png", "figures/fig4.pdf", "tables/claims.parquet",
    "tables/claims.csv", "tables/claims.html", "figures/threshold.svg", "checks/check.txt",
    "index.html", "manifest.json",
)  # fmt: skip


def healed(project):
    """Do what `verify` says makes all current, until nothing is wrong: once must do."""
    said = project.run_command("verify", "results", "--sample", "0").stdout
    commands = said.partition("these commands, in this folder, make all current:\n")[2]
    lines = [line for line in commands.splitlines() if line.startswith(("rm ", "snakemake"))]
    assert lines, said
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    shell = ["bash", "-ec", "\n".join(lines)]
    done = said_by(shell, project.folder, PATH=path, PYTHONPATH="")
    assert done.returncode == 0, done.stdout
    again = project.run_command("verify", "results", "--sample", "0")
    assert again.returncode == 0, again.stdout
    return lines


@pytest.mark.parametrize("kind", KINDS)
def test_damage(made, kind):
    """One bit in the middle, and the time that Snakemake compares as before."""
    whole = made.files()
    path = made.folder / "results" / kind
    before = path.stat()
    path.write_bytes(flipped(path.read_bytes(), 4 * before.st_size))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    *removed, run = healed(made)
    assert run == "snakemake"
    # A manifest of which one bit is another may still be one: of a file with other bytes.
    assert kind == "manifest.json" or any(f"results/{kind}" in line for line in removed)
    assert made.files() == whole


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_missing(made, kind):
    whole = made.files()
    (made.folder / "results" / kind).unlink()
    lines = healed(made)
    assert lines[-1] == "snakemake"
    # Nothing is then compared with what a manifest has of it, so pictures are made again.
    assert (len(lines) == 1) == (kind != "manifest.json")
    assert made.files() == whole
