"""Figures of constructions, which nobody trains: one head against its inverse temperature (Facts 1
and 3), the majority vote (Theorem 7), and random heads with the best weights."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
from matplotlib.figure import Figure

from ....pages.drawing import save_with_numbers
from ....results.provenance import record
from ....results.tables import read_parquet
from ....settings.strict_model import Job
from ..constructions import features, temperature, vote
from .features_figure import draw_features
from .temperature_figure import draw_temperature
from .vote_figure import draw_vote


@dataclass(frozen=True)
class Drawing:
    """The columns of a figure's table, and what draws it."""

    schema: pa.Schema
    draw: Callable[[pa.Table], Figure]


DRAWINGS = {
    "rank_temperature": Drawing(temperature.SCHEMA, draw_temperature),
    "rank_vote": Drawing(vote.SCHEMA, draw_vote),
    "rank_random_features": Drawing(features.SCHEMA, draw_features),
}


def run(job: Job, figure: str, table: Path, output: Path) -> None:
    drawing = DRAWINGS[figure]
    numbers = read_parquet(table, drawing.schema)
    save_with_numbers(drawing.draw(numbers), output, numbers, record(job.canonical(), __name__))
