"""Theorem 7: rank-1 heads vote for the nearest of two points; its error against their number.

A head votes for the nearer point where <x_1 - x_2, g> and <y, g> have the sign that <x_1 - x_2, y>
has: with probability 1/2 + phi / pi, sin(phi) = |cos| of the angle of x_1 - x_2 and y.
"""

import math
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path

import numpy as np
import pyarrow as pa
from scipy.special import bdtr

from ....messages.progress import Progress
from ....results.provenance import record
from ....results.tables import Row, schema, table_from_rows, write_parquet
from ....statistics.bisection import bracket
from ....statistics.counts import clopper_pearson
from ....statistics.goodness_of_fit import PanelPoints
from ....statistics.panel_agreement import holm, point_p_values
from ....statistics.seeding import stream
from ..settings.jobs import VoteJob
from .data import uniform
from .sphere import angle_rule, density_at_zero


def votes_for_first(x: np.ndarray, y: np.ndarray, g: np.ndarray) -> np.ndarray:
    """Whether each head votes for x_1, (..., H), for X (..., d, 2), y (..., d) and directions g
    (..., H, d): where <x_1 - x_2, g><g, y> is positive.
    """
    difference = (x[..., 0] - x[..., 1])[..., None]
    return ((g @ difference) * (g @ y[..., None]))[..., 0] > 0


def wrong_probability(d: int, heads: int) -> float:
    """The probability that the vote of an odd number of heads picks the farther point, over random
    g_h, x_1, x_2 and y.

    Given the angle the number of right votes is binomial; the angle of x_1 - x_2 and y is that of a
    uniform point and a fixed direction, on the sphere as on D_2.
    """
    phi, weights = angle_rule(d, [(0.0, min(1.0, math.pi / (2 * math.sqrt(heads))))])
    right = np.minimum(0.5 + np.abs(phi) / math.pi, 1.0)
    return float(weights @ bdtr((heads - 1) // 2, heads, right))


def error(d: int, heads: int) -> float:
    """The vote's error E||f - x_winner||^2: twice the probability of a wrong vote, since
    ||x_1 - x_2||^2 has mean 2 and no part in the vote."""
    return 2 * wrong_probability(d, heads)


def error_law(d: int, heads: float) -> float:
    """The law of the error for many heads: 2 f_d(0) sqrt(pi / 2H), about sqrt(d / H)."""
    return 2 * density_at_zero(d) * math.sqrt(math.pi / (2 * heads))


def heads_needed(d: int, epsilon: float) -> int:
    """The smallest odd H whose error is at most epsilon < 1; the error falls with H."""
    too_few = -1
    enough = 1
    while error(d, enough) > epsilon:
        too_few = enough
        enough = 2 * enough + 1

    def are_too_few(heads: int) -> bool:
        return error(d, heads) > epsilon

    _, fewest = bracket(too_few, enough, are_too_few, _odd_between)
    return fewest


def _odd_between(low: int, high: int) -> int | None:
    """The odd number in the middle of two, rounded up; None between neighbours."""
    if high - low == 2:
        return None
    middle = (low + high) // 2
    return middle if middle % 2 else middle + 1


class VoteSeries(StrEnum):
    """What a row of the table is of."""

    ERROR = "error"
    HEADS_NEEDED = "heads_needed"


SCHEMA = schema(
    series=str,
    d=int,
    heads=int,
    epsilon=float,
    draws=int,
    wrong=int,
    error=float,
    ci_low=float,
    ci_high=float,
    error_exact=float,
    error_law=float,
    p_value=float,
)
"""Rows of the `series` "error" are simulated: of `draws` draws of heads, points and query, `wrong`
votes pick the farther point; `error` is 2 wrong / draws, with its 95 % interval (Clopper-Pearson),
for ||x_1 - x_2||^2 has mean 2 and no part in the vote. `p_value` is that of the exact value, by
Holm over the whole table. Points of one d share draws. Rows of "heads_needed" have the smallest odd
number of heads whose exact error is at most `epsilon`. `error_law` is 2 f_d(0) sqrt(pi / 2H)."""


def wrong_votes(job: VoteJob, d: int) -> np.ndarray:
    """The number of draws on which the vote of each number of heads is wrong, (heads,).

    A draw has its own stream, the heads last: fewer heads are the first of more, and fewer draws
    the first of more.
    """
    head_counts = np.array(job.heads)
    wrong = np.zeros(len(job.heads), dtype=np.int64)
    progress = Progress(f"rank-vote d = {d}", job.draws, "draws")
    for draw in range(job.draws):
        rng = stream(job.seed, "head_rank", "vote", f"d={d}", str(draw))
        points, queries = uniform(rng, 1, d, 2)
        x = points[0]
        y = queries[0]
        # Gaussian vectors vote as unit ones do: only signs count.
        votes = votes_for_first(x, y, rng.standard_normal((max(job.heads), d)))
        votes_of_first_heads = np.cumsum(votes)[head_counts - 1]
        first_wins = 2 * votes_of_first_heads > head_counts
        first_is_nearer = (x[:, 0] - x[:, 1]) @ y > 0
        wrong += first_wins != first_is_nearer
        progress.advance()
    return wrong


def error_rows(job: VoteJob) -> Iterator[Row]:
    """The simulated rows: the share of wrong votes of each d and number of heads."""
    for d in job.dimensions:
        wrong = wrong_votes(job, d)
        low, high = clopper_pearson(wrong, job.draws)
        for index, heads in enumerate(job.heads):
            yield {
                "series": VoteSeries.ERROR,
                "d": d,
                "heads": heads,
                "draws": job.draws,
                "wrong": int(wrong[index]),
                "error": 2 * float(wrong[index] / job.draws),
                "ci_low": 2 * float(low[index]),
                "ci_high": 2 * float(high[index]),
                "error_exact": error(d, heads),
                "error_law": error_law(d, heads),
            }


def needed_rows(job: VoteJob) -> Iterator[Row]:
    """The rows that say how many heads an error takes."""
    for d in job.dimensions:
        for epsilon in job.epsilons:
            heads = heads_needed(d, epsilon)
            yield {
                "series": VoteSeries.HEADS_NEEDED,
                "d": d,
                "heads": heads,
                "epsilon": epsilon,
                "error_exact": error(d, heads),
                "error_law": error_law(d, heads),
            }


def vote_table(job: VoteJob) -> pa.Table:
    """The table of a job."""
    rows = list(error_rows(job))
    measured = PanelPoints(
        successes=np.array([row["wrong"] for row in rows]),
        trials=np.array([row["draws"] for row in rows]),
        reference=np.array([row["error_exact"] / 2 for row in rows]),
        error=np.zeros(len(rows)),
    )
    p_values = holm(point_p_values(measured))
    for row, p_value in zip(rows, p_values, strict=True):
        row["p_value"] = float(p_value)
    return table_from_rows([*rows, *needed_rows(job)], SCHEMA)


def run(job: VoteJob, output: Path) -> None:
    write_parquet(vote_table(job), output, record(job.canonical(), __name__))
