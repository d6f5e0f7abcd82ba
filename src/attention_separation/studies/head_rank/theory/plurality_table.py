"""Theorem 7's vote of rank-1 heads among more than two points: its error against their number.

A head with the direction g votes for the x_i with the largest <x_i, g><g, y>; the point with most
votes wins. For two points it is the majority vote of `constructions.vote`.

Rank 0 is uniform attention with a skip connection, a y + b sum_i x_i with the best a and b. Of
independent points, y stands to the nearest of N as -y to the farthest: it is section 7's error with
N + 1 points. On D_N E t.y = E max_i x_i.y and E t.sum_i x_i = 1, and the error is
1 - (E max_i x_i.y)^2 - 1/N.
"""

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.integrate import quad
from scipy.special import gammaln, log_ndtr

from ....messages.progress import Progress
from ....pages.table_page import write_result
from ....results.provenance import record
from ....results.tables import Row, schema, table_from_rows
from ....statistics.means import mean_of
from ....statistics.seeding import stream
from ..constructions.data import DISTRIBUTIONS
from ..constructions.farthest_point import least_error
from ..settings.jobs import Distribution, PluralityJob
from ..settings.titles import NUMBERED
from .one_head import LEAST_DIMENSION, chance_right


def votes_of(x: np.ndarray, y: np.ndarray, g: np.ndarray) -> np.ndarray:
    """The index of the column of X (d, N) that the head with each row of g (H, d) votes for,
    (H,)."""
    return np.argmax((g @ x) * (g @ y)[:, None], axis=1)


def winners(votes: np.ndarray, points: int, heads: Sequence[int]) -> np.ndarray:
    """The index of the point with most of the first votes, for each number of votes in `heads`; of
    equals, the first."""
    votes_per_point = [np.bincount(votes[:count], minlength=points) for count in heads]
    return np.argmax(votes_per_point, axis=1)


def uniform_attention_error(distribution: Distribution, d: int, n: int) -> float:
    """The least error of uniform attention with a skip connection, rank 0."""
    if distribution == "uniform":
        return least_error(d, n + 1)
    # The largest of n normals, over the length of d of them, which is independent of the direction.
    return 1 - (_largest_of_normals(n) / _length_of_normals(d)) ** 2 - 1 / n


def _largest_of_normals(n: int) -> float:
    """The mean of the largest of n standard normals."""

    def term(v: float) -> float:
        """The integrand at v."""
        return float(n * v * math.exp(-v * v / 2 + (n - 1) * log_ndtr(v)))

    integral, _ = quad(term, -12, 12, limit=200)
    return integral / math.sqrt(2 * math.pi)


def _length_of_normals(d: int) -> float:
    """The mean length of d standard normals."""
    return math.sqrt(2) * math.exp(gammaln((d + 1) / 2) - gammaln(d / 2))


def heads_reaching(heads: np.ndarray, errors: np.ndarray, error: float) -> float | None:
    """The number of heads at which errors that fall with the heads first reach `error`,
    interpolated on a logarithmic scale; None where they do not, or have it with the fewest
    already."""
    reaching = np.flatnonzero(errors <= error)
    if not len(reaching) or reaching[0] == 0:
        return None
    after = reaching[0]
    before = after - 1
    share = (errors[before] - error) / (errors[before] - errors[after])
    return float(heads[before] * (heads[after] / heads[before]) ** share)


SCHEMA = schema(
    distribution=str,
    d=int,
    n=int,
    heads=int,
    draws=int,
    error=float,
    ci_low=float,
    ci_high=float,
    right=float,
    one_right=float,
    one_right_low=float,
    one_right_high=float,
    one_right_exact=float,
    one_right_error=float,
    rank_0=float,
)
ABOUT = (
    "N points, independent (uniform) or orthogonal, and a query: of so many heads of rank 1 with "
    "random directions each votes for one point, and the point with most votes is the answer. "
    "error is its mean "
    "squared distance from the nearest point, a mean over draws of heads and data, with its 95 % "
    "interval; right is the share of draws in which it is that point. "
    "one_right is the chance that a single head votes for that point, a mean over draws and over "
    "all of their heads, with its 95 % interval; one_right_exact is that chance by integrals, and "
    "one_right_error their estimated numerical error; none below d = 4. "
    "Rows of one d and distribution share draws. "
    "rank_0 is the error of uniform attention, the best a y + b times the mean of all points. "
    "Predicting zero has error 1."
)


def plurality_rows(job: PluralityJob) -> Iterator[Row]:
    """The rows of the table: of each distribution, d, N and number of heads; fewer heads and fewer
    points are the first of more."""
    for distribution in job.distributions:
        for d in job.dimensions:
            points = [n for n in job.points if distribution == "uniform" or n <= d]
            errors, shares = _vote_outcomes(job, distribution, d, points)
            for i, n in enumerate(points):
                one_right = mean_of(shares[:, i])
                exact = chance_right(distribution, d, n) if d >= LEAST_DIMENSION else None
                rank_0 = uniform_attention_error(distribution, d, n)
                for j, heads in enumerate(job.heads):
                    sample = errors[:, i, j]
                    estimate = mean_of(sample)
                    yield {
                        "distribution": distribution,
                        "d": d,
                        "n": n,
                        "heads": heads,
                        "draws": job.draws,
                        "error": estimate.value,
                        "ci_low": max(estimate.low, 0.0),
                        "ci_high": estimate.high,
                        "right": float(np.mean(sample == 0)),
                        "one_right": one_right.value,
                        "one_right_low": max(one_right.low, 0.0),
                        "one_right_high": min(one_right.high, 1.0),
                        "one_right_exact": exact and exact.value,
                        "one_right_error": exact and exact.error,
                        "rank_0": rank_0,
                    }


class VoteOutcomes(NamedTuple):
    """Squared distances of the winners from the nearest points, (draws, points, heads), and the
    shares of all heads that vote for these, (draws, points)."""

    distances: np.ndarray
    shares: np.ndarray


def _vote_outcomes(
    job: PluralityJob, distribution: Distribution, d: int, points: list[int]
) -> VoteOutcomes:
    """The outcomes of all draws of points, query and heads in d dimensions."""
    distances = np.zeros((job.draws, len(points), len(job.heads)))
    shares = np.zeros((job.draws, len(points)))
    progress = Progress(f"rank-plurality {distribution}, d = {d}", job.draws, "draws")
    for draw in range(job.draws):
        rng = stream(job.seed, "head_rank", "plurality", distribution, f"d={d}", str(draw))
        x, y = DISTRIBUTIONS[distribution](rng, 1, d, max(points))
        every_point, query = x[0], y[0]
        directions = rng.standard_normal((max(job.heads), d))
        for i, n in enumerate(points):
            first = every_point[:, :n]
            votes = votes_of(first, query, directions)
            winning = first[:, winners(votes, n, job.heads)]
            nearest = np.argmax(first.T @ query)
            distances[draw, i] = np.sum((winning - first[:, [nearest]]) ** 2, axis=0)
            shares[draw, i] = np.mean(votes == nearest)
        progress.advance()
    return VoteOutcomes(distances, shares)


def run(job: PluralityJob, output: Path) -> None:
    table = table_from_rows(plurality_rows(job), SCHEMA)
    provenance = record(job.canonical(), __name__)
    write_result(table, output, provenance, NUMBERED["rank_plurality"], ABOUT)
