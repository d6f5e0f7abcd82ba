"""The error of a vote of rank-1 heads against the number of points."""

import itertools
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa

from attention_separation.pages.table_page import write_result
from attention_separation.results.progress import Progress
from attention_separation.results.provenance import record
from attention_separation.results.tables import table_from_rows
from attention_separation.statistics.means import mean_of
from attention_separation.statistics.seeding import stream

from ..constructions.distributions import DISTRIBUTIONS
from ..settings.theory import PluralityJob
from .plurality import rank_0, winners

SCHEMA = pa.schema(
    [
        ("distribution", pa.string()),
        ("d", pa.int64()),
        ("n", pa.int64()),
        ("heads", pa.int64()),
        ("draws", pa.int64()),
        ("error", pa.float64()),
        ("ci_low", pa.float64()),
        ("ci_high", pa.float64()),
        ("right", pa.float64()),
        ("rank_0", pa.float64()),
    ]
)
TITLE = "A vote of rank-1 heads among N points"
ABOUT = (
    "N points, independent (uniform) or orthogonal, and a query: of so many heads of rank 1 with "
    "random directions each votes for one point, and the point with most votes is the answer. "
    "error is its mean "
    "squared distance from the nearest point, a mean over draws of heads and data, with its 95 % "
    "interval; right is the share of draws in which it is that point. "
    "Rows of one d and distribution share draws. "
    "rank_0 is the error of uniform attention, the best a y + b times the mean of all points. "
    "Predicting zero has error 1."
)


def plurality_rows(job: PluralityJob) -> Iterator[dict]:
    """The table's rows: fewer heads and fewer points are the first of more."""
    for distribution in job.distributions:
        for d in job.dimensions:
            points = [n for n in job.points if distribution == "uniform" or n <= d]
            errors = _errors(job, distribution, d, points)
            for (i, n), (j, heads) in itertools.product(enumerate(points), enumerate(job.heads)):
                found = mean_of(errors[:, i, j])
                yield {
                    "distribution": distribution,
                    "d": d,
                    "n": n,
                    "heads": heads,
                    "draws": job.draws,
                    "error": found.value,
                    "ci_low": max(found.low, 0.0),
                    "ci_high": found.high,
                    "right": float(np.mean(errors[:, i, j] == 0)),
                    "rank_0": rank_0(distribution, d, n),
                }


def _errors(job: PluralityJob, distribution: str, d: int, points: list[int]) -> np.ndarray:
    """Squared distances (draws, points, heads)."""
    errors = np.zeros((job.draws, len(points), len(job.heads)))
    name = f"{distribution}, d = {d}"
    progress = Progress(f"rank-plurality {name}", job.draws, "draws")
    for draw in range(job.draws):
        rng = stream(job.seed, "head_rank", "plurality", distribution, f"d={d}", str(draw))
        x, y = DISTRIBUTIONS[distribution](rng, 1, d, max(points))
        g = rng.standard_normal((max(job.heads), d))
        for i, n in enumerate(points):
            first = x[0, :, :n]
            won = first[:, winners(first, y[0], g, job.heads)]
            nearest = first[:, np.argmax(first.T @ y[0])]
            errors[draw, i] = np.sum((won - nearest[:, None]) ** 2, axis=0)
        progress.advance()
    return errors


def run(job: PluralityJob, output: Path) -> None:
    table = table_from_rows(list(plurality_rows(job)), SCHEMA)
    stem = output.with_suffix("")
    write_result(table, stem, record(job.canonical(), __name__), TITLE, ABOUT)
