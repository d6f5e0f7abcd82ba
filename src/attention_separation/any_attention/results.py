"""What a run of this study makes, each result declared once."""

from collections.abc import Iterator

from attention_separation.results.result import FIGURE, TABLE, Output, Result
from attention_separation.settings.closed import Closed

from .settings.titles import FIGURES, TABLES, WITH_OWN_KERNELS


def declare_results(study) -> Iterator[Result]:
    """The results of a `study.AnyAttention`."""
    kernels, values, splits, laws, simulated = (
        Output(TABLE, name, title) for name, title in TABLES.items()
    )
    yield _made(
        "kernels_values", "exact.value_table", study.values_job(),
        {"output": (kernels,), "": (values,)},
        words="Any attention: what each kernel can do, and up to which n",
    )  # fmt: skip
    yield _made(
        "kernels_splits", "exact.splits", study.splits_job(), {"output": (splits,)},
        words="Any attention: feature maps and the split of X",
    )  # fmt: skip
    yield _made(
        "kernels_laws", "laws.law_table", study.kernels_job(), {"output": (laws,)},
        words="Any attention: laws against exact values",
    )  # fmt: skip
    yield _made(
        "kernels_simulated", "simulation.simulated_table", study.simulated_job(),
        {"output": (simulated,)}, words="Any attention: kernels without distinct rows, simulated",
    )  # fmt: skip
    for name in study.section.figures:
        title = FIGURES[name]
        settings = study.kernels_job() if name in WITH_OWN_KERNELS else study.data_job()
        yield _made(
            name, "figures.kernels_figure", settings, {"output": (Output(FIGURE, name, title),)},
            options=("--figure", name), words=title,
        )  # fmt: skip


def _made(
    name: str, module: str, settings: Closed, outputs: dict[str, tuple[Output, ...]], **more
) -> Result:  # fmt: skip
    return Result(
        name=name, module=f"any_attention.{module}", settings=settings, outputs=outputs, priority=6,
        **more,
    )  # fmt: skip
