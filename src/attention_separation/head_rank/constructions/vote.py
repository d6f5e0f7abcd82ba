"""The error of Theorem 7's majority vote against its number of heads."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa

from attention_separation.results.progress import Progress
from attention_separation.results.provenance import record
from attention_separation.results.tables import table_from_rows, write_parquet
from attention_separation.statistics.counts import clopper_pearson
from attention_separation.statistics.panel_points import PanelPoints
from attention_separation.statistics.seeding import stream
from attention_separation.statistics.verdict import holm, point_p_values

from ..settings.jobs import VoteJob
from . import majority_vote
from .data import uniform

SCHEMA = pa.schema(
    [
        ("series", pa.string()),
        ("d", pa.int64()),
        ("heads", pa.int64()),
        ("epsilon", pa.float64()),
        ("draws", pa.int64()),
        ("wrong", pa.int64()),
        ("error", pa.float64()),
        ("ci_low", pa.float64()),
        ("ci_high", pa.float64()),
        ("error_exact", pa.float64()),
        ("error_law", pa.float64()),
        ("p_value", pa.float64()),
    ]
)
"""Rows of the `series` "error" are simulated: of `draws` draws of heads, points and query, `wrong`
votes pick the farther point; `error` is 2 wrong / draws, with its 95 % interval (Clopper-Pearson),
for ||x_1 - x_2||^2 has mean 2 and no part in the vote. `p_value` is that of the exact value, by
Holm over the whole table. Points of one d share draws. Rows of "heads_needed" have the smallest odd
number of heads whose exact error is at most `epsilon`. `error_law` is 2 f_d(0) sqrt(pi / 2H)."""


def wrong_votes(job: VoteJob, d: int) -> np.ndarray:
    """How many of the draws each number of heads votes wrongly on, (heads,).

    A draw has its own stream, the heads last: fewer heads are the first of more, and fewer draws
    the first of more.
    """
    most, wrong = max(job.heads), np.zeros(len(job.heads), dtype=np.int64)
    last = np.array(job.heads) - 1
    progress = Progress(f"rank-vote d = {d}", job.draws, "draws")
    for draw in range(job.draws):
        rng = stream(job.seed, "head_rank", "vote", f"d={d}", str(draw))
        x, y = uniform(rng, 1, d, 2)
        # Gaussian vectors vote as unit ones do: only signs count.
        votes = majority_vote.votes_for_first(x[0], y[0], rng.standard_normal((most, d)))
        first = 2 * np.cumsum(votes)[last] > np.array(job.heads)
        first_is_nearer = (x[0, :, 0] - x[0, :, 1]) @ y[0] > 0
        wrong += first != first_is_nearer
        progress.advance()
    return wrong


def error_rows(job: VoteJob) -> Iterator[dict]:
    """The simulated rows."""
    for d in job.dimensions:
        wrong = wrong_votes(job, d)
        low, high = clopper_pearson(wrong, job.draws)
        for index, heads in enumerate(job.heads):
            yield {
                "series": "error",
                "d": d,
                "heads": heads,
                "draws": job.draws,
                "wrong": int(wrong[index]),
                "error": 2 * float(wrong[index] / job.draws),
                "ci_low": 2 * float(low[index]),
                "ci_high": 2 * float(high[index]),
                "error_exact": majority_vote.error(d, heads),
                "error_law": majority_vote.error_law(d, heads),
            }


def needed_rows(job: VoteJob) -> Iterator[dict]:
    """The rows that say how many heads an error takes."""
    for d in job.dimensions:
        for epsilon in job.epsilons:
            heads = majority_vote.heads_needed(d, epsilon)
            yield {
                "series": "heads_needed",
                "d": d,
                "heads": heads,
                "epsilon": epsilon,
                "error_exact": majority_vote.error(d, heads),
                "error_law": majority_vote.error_law(d, heads),
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
    for row, p in zip(rows, holm(point_p_values(measured)), strict=True):
        row["p_value"] = float(p)
    return table_from_rows([*rows, *needed_rows(job)], SCHEMA)


def run(job: VoteJob, output: Path) -> None:
    write_parquet(vote_table(job), output, record(job.canonical(), __name__))
