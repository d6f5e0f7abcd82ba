"""What a run makes, each result declared once by its study: rules, checks, pages read it here.

A *result* is what one job makes; its *outputs* are the figures and tables that it writes. The
folder of results has one subfolder for each kind of output. A *digest* is a hash of settings or
code, by which a file is known to be current. A *whole run* makes all that a plain `snakemake`
makes.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from ..settings.strict_model import Job, StrictModel
from .provenance import PACKAGE, code_digest

PICTURES = ("svg", "png", "pdf")
NUMBERS = ("parquet", "csv")


@dataclass(frozen=True)
class Kind:
    """Where results of a kind lie below the folder of results, and the files that each has.

    A job is told the path of the first of them.
    """

    folder: str
    suffixes: tuple[str, ...]


FIGURE = Kind("figures", PICTURES + NUMBERS)
PICTURE = Kind("figures", PICTURES)
TABLE = Kind("tables", ("parquet", "csv", "html"))
POINTS_KIND = Kind("tables", NUMBERS)
CHECK_KIND = Kind("checks", ("txt",))
CELL = Kind("cells", ("parquet",))
"""A figure with its numbers, one whose numbers are a table of the same job; a table with a page,
one without; a sentence; a part of a study that is computed or trained by a job of its own."""

START_PAGE = Kind("", ("html",))
"""A page from which all else is reached; it lies in the folder of results itself."""


@dataclass(frozen=True)
class Output:
    """A figure or a table.

    Attributes
    ----------
    title : what it is of, in a report's list
    panels : names of the panels that a figure shows, if any
    labels : what else stands beside it there
    is_listed : whether a report lists it: not long tables of what a figure there shows
    settings : where they are not those of the job that makes it
    judged : what a table's verdicts are on, for a report's opening; empty where it has none
    """

    kind: Kind
    name: str
    title: str = ""
    panels: tuple[str, ...] = ()
    labels: Mapping[str, str] = field(default_factory=dict)
    is_listed: bool = True
    settings: StrictModel | None = None
    judged: str = ""

    def path(self, suffix: str = "") -> str:
        """The path of one of its files, below the folder of results: that with a suffix, or its
        kind's first."""
        file = f"{self.name}.{suffix or self.kind.suffixes[0]}"
        return f"{self.kind.folder}/{file}" if self.kind.folder else file

    def paths(self) -> list[str]:
        """All its files, below the folder of results."""
        return [self.path(suffix) for suffix in self.kind.suffixes]

    @property
    def page(self) -> str:
        """The suffix of the file that a report shows; empty where it shows none."""
        for suffix in ("html", "png"):
            if suffix in self.kind.suffixes:
                return suffix
        return ""

    def is_reported(self, suffix: str) -> bool:
        """Whether a report lists its file with a suffix."""
        return self.is_listed and suffix == self.page


@dataclass(frozen=True)
class Current:
    """Digests of the settings and of the code that a file depends on."""

    settings: str
    code: str
    in_default_run: bool = True
    """Whether a whole run makes the file."""


@dataclass(frozen=True)
class Result:
    """What one job makes.

    Attributes
    ----------
    name : of its rule, log and benchmark
    module : of this package, that its job runs
    settings : all that it depends on beside code and inputs
    outputs : by the job's option, what it writes; under "" what it writes beside, untold
    inputs : by the job's option, what it reads
    options : of the job, beside these
    description : what the job does, for people
    in_default_run : whether a whole run makes it
    is_for_pages : whether docs/ keeps it though a whole run does not make it
    slices : jobs that its work is cut into, merged by its own; 1 for none
    is_local : whether it runs on the submitting machine under a cluster's profile too
    memory_mb, minutes : what it asks a cluster for at the first attempt
    seconds : about how long it takes on one slow core, a slice of it where it has slices
    priority : of jobs that could run, the one with the highest runs first
    """

    name: str
    module: str
    settings: StrictModel
    outputs: Mapping[str, tuple[Output, ...]]
    inputs: Mapping[str, tuple[Output, ...]] = field(default_factory=dict)
    options: tuple[str, ...] = ()
    description: str = ""
    in_default_run: bool = True
    is_for_pages: bool = False
    slices: int = 1
    is_local: bool = True
    memory_mb: int = 500
    minutes: int = 10
    seconds: float = 3.0
    priority: int = 0

    @property
    def code(self) -> str:
        """Digest of the code that it depends on."""
        return code_digest(f"{PACKAGE}.{self.module}")

    def settings_digest(self, output: Output) -> str:
        """Digest of the settings that one of its outputs carries."""
        return (output.settings or self.settings).digest()

    def with_inputs(self, digests_by_path: Mapping[str, str]) -> "Result":
        """This result, with `inputs` in its settings: the settings' digest of each table that it
        reads, by option. `digests_by_path` has those of all tables, by their paths."""
        if not self.inputs:
            return self
        digests: dict[str, list[str]] = {}
        for option, outputs in self.inputs.items():
            digests[option] = []
            for output in outputs:
                if output.settings:
                    digest = output.settings.digest()
                else:
                    digest = digests_by_path[output.path()]
                digests[option].append(digest)
        return replace(self, settings=self.settings.model_copy(update={"inputs": digests}))

    def all_outputs(self) -> list[Output]:
        """All its outputs."""
        return [output for outputs in self.outputs.values() for output in outputs]

    def slice_path(self, number: int | str) -> str:
        """The path of the table of one of its slices, below the folder of results."""
        (output,) = self.all_outputs()
        return f"slices/{output.name}/{number}-of-{self.slices}.parquet"


def figure_of_tables(
    name: str,
    title: str,
    module: str,
    inputs: Mapping[str, tuple[Output, ...]],
    options: tuple[str, ...] = (),
) -> Result:
    """The result that is one figure, and depends on the tables that it reads and on nothing else.

    Parameters are as those of `Result` and `Output`.
    """
    return Result(
        name=name,
        module=module,
        settings=Job(),
        outputs={"output": (Output(FIGURE, name, title),)},
        inputs=inputs,
        options=options,
        description=f"Figure {name}",
    )


def outputs_of(results: Mapping[str, Result]) -> Iterator[tuple[Result, Output]]:
    """Each output of some results, with the result that it is of."""
    for result in results.values():
        for output in result.all_outputs():
            yield result, output


class Study(ABC):
    """All that a run makes of one section of the configuration.

    Attributes
    ----------
    name : of its section, and of its subpackage
    prefix : before the names of its commands and rules, with - or _; may be empty
    title : in a report's list
    kept_in : folder of docs/ that keeps its tables and pictures
    section : its section of the configuration, one of whose `scales` is its `scale`
    reads_from : studies of the same folder whose results its jobs read too
    """

    name: ClassVar[str]
    prefix: ClassVar[str]
    title: ClassVar[str]
    kept_in: ClassVar[str]
    section: Any
    reads_from: Sequence["Study"] = ()

    @property
    def chosen(self) -> Any:
        """Of the section's scales, that which is in force."""
        return self.section.scales[self.section.scale]

    @property
    def folder(self) -> str:
        """The folder of results of this study at its scale, such as "results/lemmas/smoke"; the
        scale "desk" has no subfolder."""
        scale = self.section.scale
        folder = f"results/{self.name}"
        return folder if scale == "desk" else f"{folder}/{scale}"

    @abstractmethod
    def declare_results(self) -> Iterable[Result]:
        """What a run can make."""

    def kept_part(self, output: Output, table: Any) -> Any:
        """What docs/ keeps of the numbers of a figure or table; None where it keeps none."""
        return table if output.kind is TABLE or output.panels else None

    def labels(self, output: Output, folder: Path) -> dict[str, str]:
        """What stands beside a figure or a table in a report's list, for results in a folder."""
        return {"result": output.name, "of": output.title}

    @abstractmethod
    def summary(self, folder: Path) -> Iterator[str]:
        """What the results in a folder say, line by line; ValueError where there are none."""

    def made_rows(self, folder: Path, name: str, schema: Any) -> list[dict[str, Any]]:
        """The rows of the table `name` of the run in a folder; ValueError where there is no such
        file, TableError if it was made with other settings."""
        # Asked for by people alone: a workflow does without the libraries of tables.
        from .tables import read_parquet

        path = folder / f"tables/{name}.parquet"
        if not path.exists():
            raise ValueError(f"{path}: not made yet; run `snakemake {self.prefix}` first")
        digest_by_name = {
            output.name: result.settings_digest(output)
            for result, output in outputs_of(self.results)
        }
        return read_parquet(path, schema, digest_by_name[name]).to_pylist()

    def targets(self) -> Mapping[str, tuple[str, ...]]:
        """What else can be asked for by one name: the names of the results that it stands for."""
        return {}

    def recompute(self, folder: Path, sample: int, seed: int) -> list[str]:
        """Compute a sample again: a sentence on each, what differs or "the same"."""
        return []

    @cached_property
    def results(self) -> dict[str, Result]:
        """The results that a run can make, by name, each after those that its job reads."""
        results: dict[str, Result] = {}
        digests_by_path: dict[str, str] = {}
        for study in self.reads_from:
            for result, output in outputs_of(study.results):
                digests_by_path[output.path()] = result.settings_digest(output)
        for result in self.declare_results():
            result = result.with_inputs(digests_by_path)
            results[result.name] = result
            for output in result.all_outputs():
                digests_by_path[output.path()] = result.settings_digest(output)
        return results

    def shown_outputs(self, folder: Path | None = None) -> list[Output]:
        """The outputs that a report shows: those whose page or picture is in a folder of results;
        without a folder, those that a whole run makes."""
        shown = []
        for result, output in outputs_of(self.results):
            if folder is None:
                is_shown = result.in_default_run
            else:
                is_shown = (folder / output.path(output.page)).exists()
            if output.page and is_shown:
                shown.append(output)
        return shown

    def paths_of_run(self) -> list[str]:
        """The files that a whole run makes, below the folder of results, but for the manifest."""
        return [
            path
            for result, output in outputs_of(self.results)
            if result.in_default_run
            for path in output.paths()
        ]

    def expected_tables(self) -> dict[str, Current]:
        """The digests that each parquet file of a run carries when it is current, by the file's
        path below the folder of results."""
        expected = {}
        for result, output in outputs_of(self.results):
            if "parquet" in output.kind.suffixes:
                digest = result.settings_digest(output)
                current = Current(digest, result.code, result.in_default_run)
                expected[output.path("parquet")] = current
        return expected


def sharing_folder(study: Study, studies: Mapping[str, Study]) -> list[Study]:
    """The studies whose results lie in the folder of one, itself among them."""
    return [other for other in studies.values() if other.folder == study.folder]
