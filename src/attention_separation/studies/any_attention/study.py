"""Any attention as a study: kernels on the first paper's data, in its folder of results."""

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from ...results.declaration import FIGURE, TABLE, Output, Result, Study
from ...settings.kernel_section import PythonKernel, module_digest
from ...settings.strict_model import StrictModel, subsample
from .settings import (
    FIGURES,
    WITH_OWN_KERNELS,
    AnyAttentionSection,
    KernelScale,
    KernelsJob,
    SimulatedJob,
)


class AnyAttention(Study):
    """All that a run makes of kernels."""

    name = "any_attention"
    prefix = "kernels"
    title = "Any attention"
    kept_in = "kernels"

    def __init__(self, section: AnyAttentionSection, seed: int, folder: str, scale: str = ""):
        self.section = section
        self.seed = seed
        self._folder = folder
        self._smaller = section.scales.get(scale, KernelScale())

    @property
    def folder(self) -> str:
        return self._folder

    def declare_results(self) -> Iterator[Result]:
        """The study's results: tables made by default, tables on request, and figures."""
        yield from self._tables_by_default()
        yield from self._tables_on_request()
        for name in self.section.figures:
            own = self._own_kernels if name in WITH_OWN_KERNELS else {}
            settings = KernelsJob(data=self.section.data, points=self._smaller.points, **own)
            figure = Output(FIGURE, name, FIGURES[name])
            result = _result(name.removeprefix("kernels_"), "figures", settings, figure)
            yield replace(result, options=("--figure", name), description=FIGURES[name])

    def _tables_by_default(self) -> Iterator[Result]:
        """The results that are tables of the default run, with the points and trials of its
        scale."""
        section = self.section
        smaller = self._smaller
        job = partial(KernelsJob, data=section.data)
        table = partial(Output, TABLE)
        # Long tables of numbers are what a report does without.
        long_table = partial(table, is_listed=False)
        only = section.only or smaller.only
        sizes = subsample(section.sizes, smaller.points)
        yield _result(
            "values",
            "tables.value_table",
            job(sizes=sizes, only=only, **self._own_kernels),
            table("kernels", "up to which n each kernel separates"),
            long_table("kernel_values", "what each kernel can do at some n"),
        )
        splits = long_table("kernels_splits", "feature maps and the split of X")
        yield _result("splits", "tables.splits", job(only=only, **self._own_kernels), splits)
        judged = "Laws of kernels, against exact values"
        laws = table("kernel_laws", "laws of which kernels separate", judged=judged)
        yield _result("laws", "laws.law_table", job(points=smaller.points), laws)
        sharpness = table("temperature", "how sharp softmax has to be, against n")
        yield _result("sharpness", "laws.temperature", job(), sharpness)
        trials = section.simulated.trials
        if smaller.trials is not None:
            trials = min(trials, smaller.trials)
        simulated = section.simulated.model_copy(update={"trials": trials})
        yield _result(
            "simulated",
            "simulation",
            SimulatedJob(data=section.data, simulated=simulated, seed=self.seed),
            table("kernels_simulated", "FAVOR+ and cosFormer, simulated"),
        )

    def _tables_on_request(self) -> Iterator[Result]:
        """The results that are tables for pages alone, which no run makes by default."""
        job = KernelsJob(data=self.section.data)
        elsewhere = Output(TABLE, "laws_elsewhere", "the laws at other data")
        precision = Output(TABLE, "precision", "in 16 bits, and less a part of the mean")
        results = (
            replace(
                _result("elsewhere", "laws.law_table", job, elsewhere),
                outputs={"elsewhere": (elsewhere,)},
            ),
            _result("precision", "tables.precision", job, precision),
        )
        for result in results:
            yield replace(result, in_default_run=False, is_for_pages=True, priority=0)

    @cached_property
    def _own_kernels(self) -> dict[str, Any]:
        """The fields of a `KernelsJob` for a user's own kernels: the kernels, and the digests of
        the modules of those that are Python functions."""
        kernels = self.section.kernels
        modules = {
            name: module_digest(kernel.python)
            for name, kernel in kernels.items()
            if isinstance(kernel, PythonKernel)
        }
        return {"kernels": kernels or None, "modules": modules or None}

    def labels(self, output: Output, folder: Path) -> dict[str, str]:
        """The words by which a report sorts an output."""
        if output.kind is TABLE:
            return {"table": output.title}
        return {"figure": output.name, "model": "attention", "swept": "n", "verdict": "exact"}

    def summary(self, folder: Path) -> Iterator[str]:
        """A line for each layer; ValueError where there is no table of kernels."""
        from ...any_attention.layers import LAYERS
        from ...results.tables import chosen
        from .tables.value_table import REACHES

        rows = self.made_rows(folder, "kernels", REACHES)
        for layer in LAYERS:
            rows_of_layer = chosen(rows, last_n=math.inf, **layer.columns)
            always = [row["kernel"] for row in rows_of_layer]
            yield f"{layer.words}: separating at n = 10^12 still: {', '.join(always) or 'none'}"


def _result(
    name: str, module: str, settings: StrictModel, output: Output, *further_outputs: Output
) -> Result:
    """A result of the study with its output, and further outputs that the same job writes."""
    outputs: dict[str, tuple[Output, ...]] = {"output": (output,)}
    if further_outputs:
        outputs[""] = further_outputs
    return Result(
        f"kernels_{name}",
        f"studies.any_attention.{module}",
        settings,
        outputs,
        description=f"Any attention: {output.title}",
        priority=6,
        seconds=10.0,
    )
