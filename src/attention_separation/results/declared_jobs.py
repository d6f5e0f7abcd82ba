"""The jobs of all studies by name, as rules ask for them: what each reads and writes, and what it
is expected to take. A job may be cut into slices, which have jobs of their own; a cell is a part of
a study that is trained or computed by a job of its own."""

import csv
import shlex
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from .declaration import Current, Output, Result, Study
from .job_files import input_files, output_files
from .provenance import PACKAGE


@dataclass(frozen=True)
class JobCommand:
    """How a shell runs a job, up to the job's module, and how many seconds that is to take.

    It is no text but prints as one: Snakemake compares texts of rules, and with another place of
    this package, or another estimate, files stay current.
    """

    text: str
    seconds: float

    def __str__(self) -> str:
        return self.text


def command_line(source: Path, python: str) -> str:
    """The shell command that runs a job, up to the job's module: with the package that lies in the
    folder `source`, and (`-P`) nothing imported from the folder that the shell is in."""
    return f"PYTHONPATH={shlex.quote(str(source))} {shlex.quote(python)} -P -m {PACKAGE} job"


@dataclass(frozen=True)
class OutputFile:
    """A file that a job writes, the output it is of, and whether a report lists it."""

    path: str
    output: Output
    is_reported: bool


@dataclass(frozen=True)
class DeclaredJob:
    """A job with the study that declares it."""

    study: Study
    result: Result

    def inputs(self) -> dict[str, list[str]]:
        """The paths of the files that the job reads, by option; those of a sliced job are its
        slices' tables."""
        return {
            option: [f"{self.study.folder}/{path}" for path in paths]
            for option, paths in input_files(self.result).items()
        }

    def outputs(self) -> dict[str, list[OutputFile]]:
        """The files that the job writes, by their names in its rule."""
        files: dict[str, list[OutputFile]] = {}
        for key, outputs in output_files(self.result).items():
            files[key] = [self._output_file(output, suffix) for output, suffix in outputs]
        return files

    def _output_file(self, output: Output, suffix: str) -> OutputFile:
        """The file of an output with a suffix."""
        path = f"{self.study.folder}/{output.path(suffix)}"
        return OutputFile(path, output, output.is_reported(suffix))

    def paths(self) -> list[str]:
        """All files that it writes."""
        return [file.path for files in self.outputs().values() for file in files]

    def tables(self) -> list[str]:
        """The parquet files that it writes."""
        return [path for path in self.paths() if path.endswith(".parquet")]

    def digests(self, table: str) -> Current:
        """What one of its tables carries when it is current."""
        return Current(self.result.settings_digest(self.output_of(table)), self.result.code)

    @property
    def sentence(self) -> str:
        """The job's description, with the title of its first output where that does not say it."""
        description = self.result.description
        title = self.result.all_outputs()[0].title
        if title in description:
            return description
        return f"{description}: {title}"

    def output_of(self, path: str) -> Output:
        """The output that the file at a path belongs to. LookupError if the job writes no such
        file."""
        for files in self.outputs().values():
            for file in files:
                if file.path == path:
                    return file.output
        raise LookupError(f"{path}: no file of {self.result.name}")


class DeclaredJobs:
    """The jobs of some studies, by name."""

    def __init__(self, studies: Iterable[Study]) -> None:
        self._jobs = {}
        for study in studies:
            for name, result in study.results.items():
                self._jobs[name] = DeclaredJob(study, result)

    def __contains__(self, name: str) -> bool:
        return name in self._jobs

    def __getitem__(self, name: str) -> DeclaredJob:
        """The job of a name. LookupError, whose text is a sentence, where there is none."""
        if name not in self._jobs:
            raise LookupError(f"{name}: the settings have no such panel, figure or cell")
        return self._jobs[name]

    def names(self) -> set[str]:
        """The names of the jobs."""
        return {*self._jobs}

    def paths(self) -> list[str]:
        """All files that the jobs write."""
        return [path for job in self._jobs.values() for path in job.paths()]

    def modules(self) -> set[str]:
        """The modules that the jobs run."""
        return {job.result.module for job in self._jobs.values()}

    def is_local(self, name: str) -> bool:
        """Whether a job runs on the submitting machine under a cluster's profile too; where there
        is no such job, nothing needs a cluster."""
        return name not in self or self[name].result.is_local

    def are_local(self, names: Iterable[str]) -> bool:
        """Whether all of some jobs run on the submitting machine, as `is_local` says of each."""
        return all(self.is_local(name) for name in names)

    def by_table(self) -> dict[str, DeclaredJob]:
        """The job that writes each parquet file, by its path."""
        jobs_by_table: dict[str, DeclaredJob] = {}
        for job in self._jobs.values():
            jobs_by_table |= dict.fromkeys(job.tables(), job)
        return jobs_by_table

    def without_tables(self) -> set[str]:
        """The files of jobs that write no parquet file: nothing in them says what they are of."""
        files: set[str] = set()
        for job in self._jobs.values():
            if not job.tables():
                files |= {*job.paths()}
        return files

    def slices_of(self, panel: str) -> list[str]:
        """The paths of the tables of the slices that a panel's trials are cut into; empty if they
        are not, or if there is no such panel."""
        name = f"simulate_{panel}"
        if name not in self:
            return []
        return self[name].inputs().get("merge", [])


def cells_of(study: Study) -> list[str]:
    """The names of the jobs that train or compute a cell of a study: a part of it that has a job
    of its own."""
    return [
        name
        for name, result in study.results.items()
        if result.all_outputs()[0].kind.folder == "cells"
    ]


def expected_seconds(benchmark: str | None, declared: float) -> float:
    """How many seconds a job is expected to take: as many as last time, by Snakemake's table of its
    benchmark, or `declared` if there is no such table."""
    if benchmark is None:
        return declared
    try:
        with Path(benchmark).open(encoding="utf-8") as table:
            *_, last_row = csv.DictReader(table, delimiter="\t")
            return float(last_row["s"])
    except (OSError, LookupError, ValueError):
        return declared
