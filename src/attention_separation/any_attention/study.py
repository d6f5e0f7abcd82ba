"""Any attention as a study: kernels on the first paper's data, in its folder of results."""

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

from attention_separation.own_kernels.modules import module_digest
from attention_separation.own_kernels.section import PythonKernel
from attention_separation.results.result import FIGURE, TABLE, Output, Result, Study

from .settings.jobs import KernelsJob, SimulatedJob
from .settings.section import AnyAttentionSection
from .settings.titles import FIGURES, LONG, TABLES, WITH_OWN_KERNELS

PRIORITY = 6


class AnyAttention(Study):
    """All that a run makes of kernels."""

    name = "any_attention"
    prefix = "kernels"
    title = "Any attention"
    kept_in = "kernels"

    def __init__(self, section: AnyAttentionSection, seed: int, folder: str):
        self.section, self.seed, self._folder = section, seed, folder

    @property
    def folder(self) -> str:
        return self._folder

    def declare_results(self) -> Iterator[Result]:
        section, own = self.section, self._own_kernels
        kernels, values, splits, laws, simulated, elsewhere = (
            Output(TABLE, name, title, is_listed=name not in LONG) for name, title in TABLES.items()
        )
        yield Result(
            name="kernels_values",
            module="any_attention.exact.value_table",
            settings=KernelsJob(data=section.data, sizes=section.sizes, only=section.only, **own),
            outputs={"output": (kernels,), "": (values,)},
            words="Any attention: what each kernel can do, and up to which n",
            priority=PRIORITY,
        )
        yield Result(
            name="kernels_splits",
            module="any_attention.exact.splits",
            settings=KernelsJob(data=section.data, only=section.only, **own),
            outputs={"output": (splits,)},
            words="Any attention: feature maps and the split of X",
            priority=PRIORITY,
        )
        yield Result(
            name="kernels_laws",
            module="any_attention.laws.law_table",
            settings=KernelsJob(data=section.data, **own),
            outputs={"output": (laws,)},
            words="Any attention: laws against exact values",
            priority=PRIORITY,
        )
        yield Result(
            name="kernels_simulated",
            module="any_attention.simulation.simulated_table",
            settings=SimulatedJob(data=section.data, simulated=section.simulated, seed=self.seed),
            outputs={"output": (simulated,)},
            words="Any attention: kernels without distinct rows, simulated",
            priority=PRIORITY,
        )
        yield Result(
            name="kernels_elsewhere",
            module="any_attention.laws.elsewhere",
            settings=KernelsJob(data=section.data),
            outputs={"output": (elsewhere,)},
            words="Any attention: the laws at other data",
            is_asked=False,
            is_for_pages=True,
        )
        for name in section.figures:
            yield Result(
                name=name,
                module="any_attention.figures.kernels_figure",
                settings=KernelsJob(data=section.data, **(own if name in WITH_OWN_KERNELS else {})),
                outputs={"output": (Output(FIGURE, name, FIGURES[name]),)},
                options=("--figure", name),
                words=FIGURES[name],
                priority=PRIORITY,
            )

    @cached_property
    def _own_kernels(self) -> dict[str, Any]:
        """A user's own kernels, and the digests of the modules of those that are Python functions,
        as a `KernelsJob` has them."""
        kernels = self.section.kernels
        modules = {
            name: module_digest(one.python)
            for name, one in kernels.items()
            if isinstance(one, PythonKernel)
        }
        return {"kernels": kernels or None, "modules": modules or None}

    def labels(self, output: Output, folder: Path) -> dict[str, str]:
        if output.kind is TABLE:
            return {"table": output.title}
        return {"figure": output.name, "model": "attention", "swept": "n", "verdict": "exact"}

    def summary(self, folder: Path) -> Iterator[str]:
        from .pages.summary import summary

        return summary(folder)
