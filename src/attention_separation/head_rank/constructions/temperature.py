"""The error of one full-rank head against its softmax temperature."""

import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa

from ...results.progress import Progress
from ...results.provenance import record
from ...results.tables import schema, table_from_rows, write_parquet
from ...statistics.means import mean_of
from ...statistics.seeding import blocks, stream
from ..settings.jobs import BiasedCase, Case, TemperatureJob
from . import full_rank_head as heads
from .data import DISTRIBUTIONS, biased_nearest, nearest, orthogonal, squared_error

SCHEMA = schema(
    construction=str, b_1=float, b_2=float, added=str, distribution=str, d=int, n=int,
    temperature=float, draws=int, error=float, ci_low=float, ci_high=float, error_exact=float,
    error_law=float,
)  # fmt: skip
"""`construction` is "fact_1" or "fact_3"; `b_1` and `b_2` are the biases of Equation 8 and `added`
what the head of Fact 3 adds to the scores, "-b/2" or the text's "+b", all null in Fact 1. A
`temperature` that is null is the hardmax head. `error` is the mean over `draws` draws, `ci_low` to
`ci_high` its 95 % interval. `error_exact` is by quadrature, null for N > 2; `error_law` is the
limit law of large temperatures, null where there is none."""


def _row(construction: str, d: int, n: int, c: float | None, sample: np.ndarray) -> dict:
    """A row of the table, of errors of a head (draws,)."""
    found = mean_of(sample)
    return {
        "construction": construction, "d": d, "n": n, "temperature": c, "draws": len(sample),
        "error": found.value, "ci_low": found.low, "ci_high": found.high,
    }  # fmt: skip


def fact_1_rows(job: TemperatureJob, case: Case) -> Iterator[dict]:
    """The table's rows for one case of Fact 1; all temperatures see the same draws."""
    errors = []
    for block, draws in blocks(job.draws):
        name = f"d={case.d},n={case.n}"
        rng = stream(job.seed, "head_rank", "temperature", case.distribution, name, str(block))
        x, y = DISTRIBUTIONS[case.distribution](rng, draws, case.d, case.n)
        f = nearest(x, y)
        errors.append([squared_error(f, heads.full_rank_head(x, y, c)) for c in job.temperatures])
    for c, sample in zip(job.temperatures, np.concatenate(errors, axis=1), strict=True):
        exact = heads.fact_1_exact(case.d, case.distribution, c) if case.n == 2 else None
        law = heads.fact_1_asymptote(case.d, case.n, case.distribution, c)
        more = {"distribution": case.distribution, "error_exact": exact, "error_law": law}
        yield _row("fact_1", case.d, case.n, c, sample) | more


def fact_3_rows(job: TemperatureJob, case: BiasedCase) -> Iterator[dict]:
    """The same for a case of Fact 3, with the right bias, the text's, and the hardmax heads."""
    b = np.array(case.biases)
    b_1, b_2 = case.biases
    point = f"d={case.d},b_1={b_1},b_2={b_2}"
    added = {"-b/2": -b / 2, "+b": b}
    temperatures = [*job.temperatures, None]
    errors: dict[tuple, list[np.ndarray]] = {}
    for block, draws in blocks(job.draws):
        rng = stream(job.seed, "head_rank", "temperature", "biased", point, str(block))
        x, y = orthogonal(rng, draws, case.d, 2)
        f = biased_nearest(x, y, b)
        for name, bias in added.items():
            for c in temperatures:
                sample = squared_error(f, heads.full_rank_head(x, y, c, bias))
                errors.setdefault((name, c), []).append(sample)
    for (name, c), parts in errors.items():
        head = tuple(added[name].tolist())
        lawful = name == "-b/2" and c is not None
        yield _row("fact_3", case.d, 2, c, np.concatenate(parts)) | {
            "b_1": b_1,
            "b_2": b_2,
            "added": name,
            "distribution": "orthogonal",
            "error_exact": heads.fact_3_exact(case.d, (b_1, b_2), head, c or math.inf),
            "error_law": heads.fact_3_asymptote(case.d, (b_1, b_2), c) if lawful else None,
        }


def errors_of_temperature(job: TemperatureJob) -> pa.Table:
    """The table of a job, case by case."""
    progress = Progress("rank-temperature", len(job.cases) + len(job.biased), "cases")
    rows: list[dict] = []
    for rows_of, cases in ((fact_1_rows, job.cases), (fact_3_rows, job.biased)):
        for case in cases:
            rows += rows_of(job, case)
            progress.advance()
    return table_from_rows(rows, SCHEMA)


def run(job: TemperatureJob, output: Path) -> None:
    write_parquet(errors_of_temperature(job), output, record(job.canonical(), __name__))
