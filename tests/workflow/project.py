"""A copy of the project in a folder of its own, and snakemake in it."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

from making import ROOT

PARTS = ("Snakefile", "config.yaml", "workflow", "profiles", "src")


class Project:
    """The project copied to `folder`, with nothing made yet."""

    def __init__(self, folder: Path):
        self.folder = folder
        for part in PARTS:
            source = ROOT / part
            if source.is_dir():
                ignored = shutil.ignore_patterns("__pycache__", "*.egg-info")
                shutil.copytree(source, folder / part, ignore=ignored)
            else:
                shutil.copy(source, folder / part)

    def command(self, *arguments: str) -> list[str]:
        """The command line of snakemake."""
        return [sys.executable, "-m", "snakemake", "--cores", "2", *arguments]

    def run(self, *arguments: str) -> subprocess.CompletedProcess:
        """Run snakemake; its output, all of it, is in stdout."""
        return subprocess.run(
            self.command(*arguments),
            cwd=self.folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )

    def make(self, *arguments: str) -> str:
        """Run snakemake, which must succeed; returns its output."""
        done = self.run(*arguments)
        assert done.returncode == 0, done.stdout
        return done.stdout

    def would_run(self, *arguments: str) -> set[str]:
        """Names of the rules that a run would execute, from the table of jobs; but for `all`, and
        for the manifest, which any of them brings along."""
        output = self.make("--dry-run", "--quiet", "host", "reason", *arguments)
        return set(re.findall(r"^(\w+) +\d+$", output, re.M)) - {"all", "manifest", "total"}

    def edit(self, path: str, old: str, new: str) -> None:
        """Replace a text that stands in a file."""
        file = self.folder / path
        text = file.read_text()
        assert old in text
        file.write_text(text.replace(old, new))

    def files(self, under: str = "results") -> dict[str, bytes]:
        """All files below a folder with their bytes, but for logs and benchmarks."""
        return {
            str(path.relative_to(self.folder)): path.read_bytes()
            for path in sorted((self.folder / under).rglob("*"))
            if path.is_file() and not {"logs", "benchmarks"} & set(path.parts)
        }
