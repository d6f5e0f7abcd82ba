"""Any attention as a study: kernels on the first paper's data, in its folder of results."""

import math
from collections.abc import Iterator
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from ..own_kernels.section import PythonKernel, module_digest
from ..results.declaration import FIGURE, TABLE, Output, Result, Study
from ..settings.strict_model import StrictModel, subsample
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
        self.section, self.seed, self._folder = section, seed, folder
        self._smaller = section.scales.get(scale, KernelScale())

    @property
    def folder(self) -> str:
        return self._folder

    def declare_results(self) -> Iterator[Result]:
        section, own = self.section, self._own_kernels
        job, table = partial(KernelsJob, data=section.data), partial(Output, TABLE)
        # Long tables of numbers are what a report does without.
        long = partial(table, is_listed=False)
        values = long("kernel_values", "what each kernel can do at some n")
        kernels = table("kernels", "up to which n each kernel separates")
        smaller = self._smaller
        only = section.only or smaller.only
        sizes = subsample(section.sizes, smaller.points)
        of_values = job(sizes=sizes, only=only, **own)
        yield _result("values", "exact.value_table", of_values, kernels, values)
        splits = long("kernels_splits", "feature maps and the split of X")
        yield _result("splits", "exact.splits", job(only=only, **own), splits)
        laws = table("kernel_laws", "laws of which kernels separate")
        yield _result("laws", "laws.law_table", job(points=smaller.points), laws)
        sharpness = table("temperature", "how sharp softmax has to be, against n")
        yield _result("sharpness", "laws.temperature", job(), sharpness)
        simulated = table("kernels_simulated", "FAVOR+ and cosFormer, simulated")
        trials = min(section.simulated.trials, smaller.trials or section.simulated.trials)
        of_trials = section.simulated.model_copy(update={"trials": trials})
        of_simulated = SimulatedJob(data=section.data, simulated=of_trials, seed=self.seed)
        yield _result("simulated", "simulation", of_simulated, simulated)
        on_request = {"in_default_run": False, "is_for_pages": True, "priority": 0}
        elsewhere = table("laws_elsewhere", "the laws at other data")
        of = {"outputs": {"elsewhere": (elsewhere,)}} | on_request
        yield _result("elsewhere", "laws.law_table", job(), elsewhere, **of)
        precision = table("precision", "in 16 bits, and less a part of the mean")
        yield _result("precision", "exact.precision", job(), precision, **on_request)
        for name in section.figures:
            settings = job(points=smaller.points, **(own if name in WITH_OWN_KERNELS else {}))
            figure = Output(FIGURE, name, FIGURES[name])
            of = {"options": ("--figure", name), "description": FIGURES[name]}
            yield _result(name.removeprefix("kernels_"), "figures", settings, figure, **of)

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
        """A line for each layer; ValueError where there is no table of kernels."""
        from ..results.tables import read_parquet, select_rows
        from .exact.value_table import LAYERS, REACHES

        path = folder / "tables/kernels.parquet"
        if not path.exists():
            raise ValueError(f"{path}: no such file; `snakemake kernels` makes it")
        table = read_parquet(path, REACHES)
        for layer in LAYERS:
            rows = select_rows(table, **layer.columns).to_pylist()
            always = [row["kernel"] for row in rows if row["last_n"] == math.inf]
            yield f"{layer.words}: separating at n = 10^12 still: {', '.join(always) or 'none'}"


def _result(
    name: str, module: str, settings: StrictModel, output: Output, *more: Output, **rest: Any
) -> Result:
    """A result with an output, and what is written beside it."""
    usual = {
        "outputs": {"output": (output,)} | ({"": more} if more else {}),
        "description": f"Any attention: {output.title}",
        "priority": 6,
    }
    return Result(f"kernels_{name}", f"any_attention.{module}", settings, **usual | rest)
