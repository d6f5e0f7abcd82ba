"""Verb `kernels-figures`: the figures of this study, with their numbers."""

import argparse
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
from matplotlib.figure import Figure

from attention_separation.any_attention.figures import accuracy, budget, maps, margins
from attention_separation.any_attention.settings.data import Data
from attention_separation.any_attention.settings.jobs import DataJob
from attention_separation.pages.drawing import save_with_numbers
from attention_separation.results.provenance import record


class Drawn(NamedTuple):
    """The numbers of a figure, and the figure of these."""

    numbers: Callable[[Data], pa.Table]
    draw: Callable[[pa.Table, Data], Figure]


FIGURES = {
    "accuracy": Drawn(accuracy.numbers, accuracy.draw),
    "degrees": Drawn(partial(maps.numbers, maps.DEGREES), partial(maps.draw, maps.DEGREES)),
    "temperature": Drawn(
        partial(maps.numbers, maps.TEMPERATURE), partial(maps.draw, maps.TEMPERATURE)
    ),
    "margins": Drawn(margins.numbers, margins.draw),
    "budget": Drawn(budget.numbers, budget.draw),
}
"""By option."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--settings", required=True, help="the data, as JSON")
    for option in FIGURES:
        parser.add_argument(
            f"--{option}", required=True, type=Path, help="svg to write, the rest beside"
        )


def run(arguments: argparse.Namespace) -> None:
    data = DataJob.model_validate_json(arguments.settings).data
    provenance = record(arguments.settings, __name__)
    for option, drawn in FIGURES.items():
        table = drawn.numbers(data)
        stem = getattr(arguments, option).with_suffix("")
        save_with_numbers(drawn.draw(table, data), stem, table, provenance)
