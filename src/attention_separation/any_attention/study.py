"""Any attention as a study: kernels on the first paper's data, in its folder of results."""

import math
from collections.abc import Iterator
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from ..own_kernels.section import PythonKernel, module_digest
from ..results.declaration import FIGURE, TABLE, Output, Result, Study
from .settings import FIGURES, WITH_OWN_KERNELS, AnyAttentionSection, KernelsJob, SimulatedJob


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
        result, table = partial(Result, priority=6), partial(Output, TABLE)
        # Long tables of numbers are what a report does without.
        values = table("kernel_values", "what each kernel can do at some n", is_listed=False)
        yield result(
            name="kernels_values",
            module="any_attention.exact.value_table",
            settings=KernelsJob(data=section.data, sizes=section.sizes, only=section.only, **own),
            outputs={
                "output": (table("kernels", "up to which n each kernel separates"),),
                "": (values,),
            },
            description="Any attention: what each kernel can do, and up to which n",
        )
        splits = table("kernels_splits", "feature maps and the split of X", is_listed=False)
        yield result(
            name="kernels_splits",
            module="any_attention.exact.splits",
            settings=KernelsJob(data=section.data, only=section.only, **own),
            outputs={"output": (splits,)},
            description="Any attention: feature maps and the split of X",
        )
        yield result(
            name="kernels_laws",
            module="any_attention.laws.law_table",
            settings=KernelsJob(data=section.data, **own),
            outputs={"output": (table("kernel_laws", "laws of which kernels separate"),)},
            description="Any attention: laws against exact values",
        )
        yield result(
            name="kernels_sharpness",
            module="any_attention.laws.temperature",
            settings=KernelsJob(data=section.data),
            outputs={"output": (table("temperature", "how sharp softmax has to be, against n"),)},
            description="Any attention: the critical temperature and SSMax's scale",
        )
        yield result(
            name="kernels_simulated",
            module="any_attention.simulation",
            settings=SimulatedJob(data=section.data, simulated=section.simulated, seed=self.seed),
            outputs={"output": (table("kernels_simulated", "FAVOR+ and cosFormer, simulated"),)},
            description="Any attention: kernels without distinct rows, simulated",
        )
        on_request = partial(Result, in_default_run=False, is_for_pages=True)
        yield on_request(
            name="kernels_elsewhere",
            module="any_attention.laws.law_table",
            settings=KernelsJob(data=section.data),
            outputs={"elsewhere": (table("laws_elsewhere", "the laws at other data"),)},
            description="Any attention: the laws at other data",
        )
        yield on_request(
            name="kernels_precision",
            module="any_attention.exact.precision",
            settings=KernelsJob(data=section.data),
            outputs={"output": (table("precision", "in 16 bits, and less a part of the mean"),)},
            description="Any attention: kernels in 16 bits, and less a part of their row's mean",
        )
        for name in section.figures:
            yield result(
                name=name,
                module="any_attention.figures",
                settings=KernelsJob(data=section.data, **(own if name in WITH_OWN_KERNELS else {})),
                outputs={"output": (Output(FIGURE, name, FIGURES[name]),)},
                options=("--figure", name),
                description=FIGURES[name],
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
