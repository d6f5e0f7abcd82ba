"""The error of one full-rank head against its softmax temperature."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import numpy as np
import pyarrow as pa

from ....messages.progress import Progress
from ....results.provenance import record
from ....results.tables import Row, schema, table_from_rows, write_parquet
from ....statistics.means import mean_of
from ....statistics.seeding import blocks, stream
from ..settings.jobs import BiasedCase, Case, TemperatureJob
from . import full_rank_head as heads
from .data import DISTRIBUTIONS, biased_nearest, nearest, orthogonal, squared_error


class Fact(StrEnum):
    """Whose head it is: the column `construction`."""

    FACT_1 = "fact_1"
    FACT_3 = "fact_3"


class AddedBias(StrEnum):
    """What the head of Fact 3 adds to the scores: what Equation 8 takes, or the text's."""

    RIGHT = "-b/2"
    AS_PRINTED = "+b"


SCHEMA = schema(
    construction=str,
    b_1=float,
    b_2=float,
    added=str,
    distribution=str,
    d=int,
    n=int,
    temperature=float,
    draws=int,
    error=float,
    ci_low=float,
    ci_high=float,
    error_exact=float,
    error_law=float,
)
"""`construction` is a `Fact`; `b_1` and `b_2` are the biases of Equation 8 and `added` an
`AddedBias`, all null in Fact 1. A `temperature` that is null is the hardmax head. `error` is the
mean over `draws` draws, `ci_low` to `ci_high` its 95 % interval. `error_exact` is by quadrature,
null for N > 2; `error_law` is the limit law of large temperatures, null where there is none."""


def _mean_error(blocks_of_errors: list[np.ndarray]) -> Row:
    """The columns of a row on the mean of a head's errors over draws, given in blocks."""
    errors = np.concatenate(blocks_of_errors)
    mean = mean_of(errors)
    return {
        "draws": len(errors),
        "error": mean.value,
        "ci_low": mean.low,
        "ci_high": mean.high,
    }


def fact_1_rows(job: TemperatureJob, case: Case) -> Iterator[Row]:
    """The table's rows for one case of Fact 1; all temperatures see the same draws."""
    errors: list[list[np.ndarray]] = [[] for _ in job.temperatures]
    for block, draws in blocks(job.draws):
        name = f"d={case.d},n={case.n}"
        rng = stream(job.seed, "head_rank", "temperature", case.distribution, name, str(block))
        x, y = DISTRIBUTIONS[case.distribution](rng, draws, case.d, case.n)
        target = nearest(x, y)
        for c, errors_at_c in zip(job.temperatures, errors, strict=True):
            errors_at_c.append(squared_error(target, heads.full_rank_head(x, y, c)))
    for c, errors_at_c in zip(job.temperatures, errors, strict=True):
        exact = heads.fact_1_exact(case.d, case.distribution, c) if case.n == 2 else None
        yield {
            "construction": Fact.FACT_1,
            "distribution": case.distribution,
            "d": case.d,
            "n": case.n,
            "temperature": c,
            **_mean_error(errors_at_c),
            "error_exact": exact,
            "error_law": heads.fact_1_asymptote(case.d, case.n, case.distribution, c),
        }


@dataclass(frozen=True)
class BiasedHead:
    """A head of Fact 3: what it adds to the scores, in words and as numbers, and its temperature,
    None of the hardmax head."""

    added: AddedBias
    biases: np.ndarray
    temperature: float | None


def _biased_heads(job: TemperatureJob, case: BiasedCase) -> list[BiasedHead]:
    """The heads with the right bias, and with the text's, at each temperature and as hardmax."""
    biases = np.array(case.biases)
    temperatures: list[float | None] = [*job.temperatures, None]
    right = [BiasedHead(AddedBias.RIGHT, -biases / 2, c) for c in temperatures]
    as_printed = [BiasedHead(AddedBias.AS_PRINTED, biases, c) for c in temperatures]
    return right + as_printed


def fact_3_rows(job: TemperatureJob, case: BiasedCase) -> Iterator[Row]:
    """The table's rows for one case of Fact 3; all heads see the same draws."""
    biased_heads = _biased_heads(job, case)
    errors: list[list[np.ndarray]] = [[] for _ in biased_heads]
    b_1, b_2 = case.biases
    point = f"d={case.d},b_1={b_1},b_2={b_2}"
    for block, draws in blocks(job.draws):
        rng = stream(job.seed, "head_rank", "temperature", "biased", point, str(block))
        x, y = orthogonal(rng, draws, case.d, 2)
        target = biased_nearest(x, y, np.array(case.biases))
        for head, errors_of_head in zip(biased_heads, errors, strict=True):
            output = heads.full_rank_head(x, y, head.temperature, head.biases)
            errors_of_head.append(squared_error(target, output))
    for head, errors_of_head in zip(biased_heads, errors, strict=True):
        c = head.temperature
        first, second = head.biases.tolist()
        law = None
        if head.added is AddedBias.RIGHT and c is not None:
            law = heads.fact_3_asymptote(case.d, (b_1, b_2), c)
        yield {
            "construction": Fact.FACT_3,
            "b_1": b_1,
            "b_2": b_2,
            "added": head.added,
            "distribution": "orthogonal",
            "d": case.d,
            "n": 2,
            "temperature": c,
            **_mean_error(errors_of_head),
            "error_exact": heads.fact_3_exact(
                case.d, bias=(b_1, b_2), head=(first, second), c=math.inf if c is None else c
            ),
            "error_law": law,
        }


def errors_of_temperature(job: TemperatureJob) -> pa.Table:
    """The table of a job, case by case."""
    progress = Progress("rank-temperature", len(job.cases) + len(job.biased), "cases")
    rows: list[Row] = []
    for case in job.cases:
        rows += fact_1_rows(job, case)
        progress.advance()
    for biased_case in job.biased:
        rows += fact_3_rows(job, biased_case)
        progress.advance()
    return table_from_rows(rows, SCHEMA)


def run(job: TemperatureJob, output: Path) -> None:
    write_parquet(errors_of_temperature(job), output, record(job.canonical(), __name__))
