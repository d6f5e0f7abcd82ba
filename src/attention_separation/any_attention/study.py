"""Any attention as a study: kernels on the first paper's data, in its folder of results."""

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

from attention_separation.own_kernels.modules import module_digest
from attention_separation.own_kernels.section import PythonKernel
from attention_separation.results.result import TABLE, Output, Result, outputs_of
from attention_separation.results.study import Study

from . import results
from .settings.jobs import DataJob, OverviewJob, SimulatedJob, SplitsJob, ValuesJob
from .settings.section import AnyAttentionSection


class AnyAttention(Study):
    """All that a run makes of kernels."""

    name = "any_attention"
    prefix = "kernels"
    title = "any attention: which kernels separate"
    category = "2 Any attention"

    def __init__(self, section: AnyAttentionSection, seed: int, folder: str):
        self.section, self.seed, self._folder = section, seed, folder

    @property
    def folder(self) -> str:
        return self._folder

    def declare_results(self) -> list[Result]:
        return list(results.declare_results(self))

    def values_job(self) -> ValuesJob:
        """All that the tables of kernels and of their values depend on."""
        section = self.section
        return ValuesJob(
            data=section.data, sizes=section.sizes, only=section.only, **self._own_kernels
        )

    def splits_job(self) -> SplitsJob:
        """All that the table of splits depends on."""
        return SplitsJob(data=self.section.data, only=self.section.only, **self._own_kernels)

    def data_job(self) -> DataJob:
        """All that figures of built-in kernels alone depend on."""
        return DataJob(data=self.section.data)

    def simulated_job(self) -> SimulatedJob:
        """All that the table of simulated kernels depends on."""
        return SimulatedJob(
            data=self.section.data, simulated=self.section.simulated, seed=self.seed
        )

    def kernels_job(self) -> DataJob:
        """All that the laws depend on, and figures that show own kernels too."""
        return DataJob(data=self.section.data, **self._own_kernels)

    @cached_property
    def _own_kernels(self) -> dict[str, dict | None]:
        """The settings of `OfKernels`."""
        kernels = self.section.kernels
        modules = {
            name: module_digest(one.python)
            for name, one in kernels.items()
            if isinstance(one, PythonKernel)
        }
        return {"kernels": kernels or None, "modules": modules or None}

    def overview_job(self, outputs: list[Output]) -> OverviewJob:
        made = {output.name: result.settings for result, output in outputs_of(self.results)}
        digests = [(output, made[output.name].digest()) for output in outputs]
        return OverviewJob(
            data=self.section.data,
            figures={output.name: text for output, text in digests if output.kind is not TABLE},
            tables={output.name: text for output, text in digests if output.kind is TABLE},
        )

    def labels(self, output: Output, folder: Path) -> dict[str, str]:
        if output.kind is TABLE:
            return {"table": output.title}
        return {"figure": output.name, "model": "attention", "swept": "n", "verdict": "exact"}

    def summary(self, folder: Path) -> Iterator[str]:
        from .pages.summary import summary

        return summary(folder)
