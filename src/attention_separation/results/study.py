"""What a study is to the workflow, to checks and to reports: its results, and what they say."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import ClassVar

from attention_separation.settings.closed import Closed
from attention_separation.settings.jobs import PageJob

from .result import Output, Result, outputs_of, shown_outputs
from .verifying import Current


class Study(ABC):
    """All that a run makes of one section of the configuration.

    Attributes
    ----------
    name : of its section, and of its room in this package
    prefix : before the names of its commands and rules, with - or _; may be empty
    title : in the list of a report's pages
    category : of a report's list that its figures and tables stand in; None for the first paper's,
        whose figures and tables stand apart
    """

    name: ClassVar[str]
    prefix: ClassVar[str]
    title: ClassVar[str]
    category: ClassVar[str | None]

    @property
    @abstractmethod
    def folder(self) -> str:
        """Folder that the results of its scale go to."""

    @abstractmethod
    def declare_results(self) -> Iterable[Result]:
        """What a run can make."""

    def overview_job(self, outputs: list[Output]) -> Closed:
        """What the report's page on it depends on, for the figures and tables that it shows."""
        return PageJob(**self.page_digests(outputs))

    @abstractmethod
    def labels(self, output: Output, folder: Path) -> dict[str, str]:
        """What stands beside a figure or a table in a report's list, for results in a folder."""

    @abstractmethod
    def summary(self, folder: Path) -> Iterator[str]:
        """What the results in a folder say, line by line; ValueError where there are none."""

    def targets(self) -> Mapping[str, tuple[str, ...]]:
        """What else can be asked for by one name: the names of the results that it stands for."""
        return {}

    def recompute(self, folder: Path, sample: int, seed: int) -> list[str]:
        """Compute a sample again: a sentence on each, what differs or "the same"."""
        return []

    @cached_property
    def results(self) -> dict[str, Result]:
        """What a run can make, by name; what a job reads is declared before it."""
        found: dict[str, Result] = {}
        made: dict[str, str] = {}
        for result in self.declare_results():
            result = result.with_inputs(made)
            found[result.name] = result
            made |= {output.path(): result.settings_digest(output) for output in result.made()}
        return found

    def page_digests(self, outputs: list[Output]) -> dict[str, dict[str, str]]:
        """The digests that the figures and tables which a page shows must carry, by name."""
        # By path: a figure may have the name of a table.
        made = {
            output.path(): result.settings_digest(output)
            for result, output in outputs_of(self.results)
        }
        digests = {"figures": {}, "tables": {}}
        for output in outputs:
            digests[output.kind.folder][output.name] = made[output.path()]
        return digests

    def rule(self, name: str) -> str:
        """A rule's name, with the prefix."""
        return f"{self.prefix}_{name}" if self.prefix else name

    @property
    def page(self) -> str:
        """Name of its page in a report."""
        return self.prefix or "overview"

    def shown_outputs(self, folder: Path | None = None) -> list[Output]:
        """The outputs in a folder that a report shows; without one, those of a whole run."""
        return shown_outputs(self.results, folder)

    def expected_tables(self) -> dict[str, Current]:
        """The parquet files of a run, by their path below the folder of results, each with the
        digests that it carries when it is current."""
        return {
            output.path("parquet"): result.current(output)
            for result, output in outputs_of(self.results)
            if "parquet" in output.kind.suffixes
        }


def sharing_folder(study: Study, studies: Mapping[str, Study]) -> list[Study]:
    """The studies whose results lie in the folder of one, itself among them."""
    return [other for other in studies.values() if other.folder == study.folder]
