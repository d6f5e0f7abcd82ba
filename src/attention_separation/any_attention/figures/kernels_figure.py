"""One of the figures of this study, with its numbers."""

from pathlib import Path
from types import ModuleType

from attention_separation.own_kernels.values import own_kernels
from attention_separation.pages.drawing import save_with_numbers
from attention_separation.results.provenance import record

from ..settings.jobs import KernelsJob
from ..settings.titles import WITH_OWN_KERNELS
from . import lines, maps
from .lines import Lines
from .maps import Map

DRAWN: dict[str, tuple[ModuleType, Lines | Map]] = {
    "kernels_accuracy": (lines, lines.ACCURACY),
    "kernels_degrees": (maps, maps.DEGREES),
    "kernels_temperature": (maps, maps.TEMPERATURE),
    "kernels_margins": (lines, lines.MARGINS),
    "kernels_budget": (lines, lines.BUDGET),
}
"""What each figure is, and the module that computes its numbers and draws it."""


def run(job: KernelsJob, figure: str, output: Path) -> None:
    module, of = DRAWN[figure]
    own = (own_kernels(job.kernels),) if figure in WITH_OWN_KERNELS else ()
    table = module.numbers(of, job.data, *own)
    drawn = module.draw(of, table, job.data, *own)
    save_with_numbers(drawn, output, table, record(job.canonical(), __name__))
