"""Theorem 7's vote of rank-1 heads among more than two points: its error against their number.

A head with the direction g votes for the x_i with the largest <x_i, g><g, y>; the point with most
votes wins. For two points it is the majority vote of `constructions.vote`.

Rank 0 is uniform attention with a skip connection, a y + b sum_i x_i with the best a and b. Of
independent points, y stands to the nearest of N as -y to the farthest: it is section 7's error with
N + 1 points. On D_N E t.y = E max_i x_i.y and E t.sum_i x_i = 1, and the error is
1 - (E max_i x_i.y)^2 - 1/N.
"""

import itertools
import math
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from scipy.integrate import quad
from scipy.special import gammaln, log_ndtr

from ...pages.table_page import write_result
from ...results.progress import Progress
from ...results.provenance import record
from ...results.tables import schema, table_from_rows
from ...statistics.means import mean_of
from ...statistics.seeding import stream
from ..constructions.data import DISTRIBUTIONS
from ..constructions.farthest_point import least_error
from ..settings.jobs import PluralityJob
from ..settings.titles import NUMBERED


def winners(x: np.ndarray, y: np.ndarray, g: np.ndarray, heads: Sequence[int]) -> np.ndarray:
    """Which column of X (d, N) wins with the first `heads` rows of g (H, d) each; of equals, the
    first."""
    picks = np.argmax((g @ x) * (g @ y)[:, None], axis=1)
    counts = [np.bincount(picks[:h], minlength=x.shape[1]) for h in heads]
    return np.argmax(counts, axis=1)


def rank_0(distribution: str, d: int, n: int) -> float:
    """The least error of uniform attention with a skip connection."""
    if distribution == "uniform":
        return least_error(d, n + 1)
    # The largest of n normals, over the length of d of them, which is independent of the direction.
    largest = quad(
        lambda v: n * v * math.exp(-v * v / 2 + (n - 1) * log_ndtr(v)), -12, 12, limit=200
    )[0] / math.sqrt(2 * math.pi)
    length = math.sqrt(2) * math.exp(gammaln((d + 1) / 2) - gammaln(d / 2))
    return 1 - (largest / length) ** 2 - 1 / n


def heads_for(heads: np.ndarray, errors: np.ndarray, error: float) -> float | None:
    """Where errors that fall with the heads first reach this one, between heads on a logarithmic
    scale; None where they do not, or have it with the fewest already."""
    below = np.flatnonzero(errors <= error)
    if not len(below) or below[0] == 0:
        return None
    last = below[0]
    high, low = errors[last - 1], errors[last]
    share = (high - error) / (high - low)
    return float(heads[last - 1] * (heads[last] / heads[last - 1]) ** share)


SCHEMA = schema(
    distribution=str, d=int, n=int, heads=int, draws=int, error=float, ci_low=float, ci_high=float,
    right=float, rank_0=float,
)  # fmt: skip
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
                    "distribution": distribution, "d": d, "n": n, "heads": heads,
                    "draws": job.draws, "error": found.value, "ci_low": max(found.low, 0.0),
                    "ci_high": found.high, "right": float(np.mean(errors[:, i, j] == 0)),
                    "rank_0": rank_0(distribution, d, n),
                }  # fmt: skip


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
    table = table_from_rows(plurality_rows(job), SCHEMA)
    provenance = record(job.canonical(), __name__)
    write_result(table, output, provenance, NUMBERED["rank_plurality"], ABOUT)
