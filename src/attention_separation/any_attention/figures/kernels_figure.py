"""One of the figures of this study, with its numbers."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
from matplotlib.figure import Figure

from attention_separation.own_kernels.values import own_kernels
from attention_separation.pages.drawing import save_with_numbers
from attention_separation.results.provenance import record

from ..settings.jobs import KernelsJob
from ..settings.titles import WITH_OWN_KERNELS
from . import accuracy, budget, maps, margins


class Drawn(NamedTuple):
    """The numbers of a figure, and the figure of these; with own kernels where it shows them."""

    numbers: Callable[..., pa.Table]
    draw: Callable[..., Figure]


DRAWN = {
    "kernels_accuracy": Drawn(accuracy.numbers, accuracy.draw),
    "kernels_degrees": Drawn(partial(maps.numbers, maps.DEGREES), partial(maps.draw, maps.DEGREES)),
    "kernels_temperature": Drawn(
        partial(maps.numbers, maps.TEMPERATURE), partial(maps.draw, maps.TEMPERATURE)
    ),
    "kernels_margins": Drawn(margins.numbers, margins.draw),
    "kernels_budget": Drawn(budget.numbers, budget.draw),
}


def run(job: KernelsJob, figure: str, output: Path) -> None:
    drawn = DRAWN[figure]
    own = (own_kernels(job.kernels),) if figure in WITH_OWN_KERNELS else ()
    table = drawn.numbers(job.data, *own)
    provenance = record(job.canonical(), __name__)
    stem = output.with_suffix("")
    save_with_numbers(drawn.draw(table, job.data, *own), stem, table, provenance)
