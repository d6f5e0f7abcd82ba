"""The error of one full-rank head against its softmax temperature.

Exact where two points compete, and as c grows. Fact 1, V = I and K Q^T = cI. Only the two best
points matter for large c: with a gap z between their scores the head gives the second the weight
1 / (1 + exp(cz)), so the error tends to ||x_1 - x_2||^2 times the integral of (1 + exp(cz))^-2 over
z, times the density of the gap at 0.
"""

import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
from scipy.integrate import quad
from scipy.special import betainc, expit, gammaln, log_ndtr

from attention_separation.results.progress import Progress
from attention_separation.results.provenance import record
from attention_separation.results.tables import table_from_rows, write_parquet
from attention_separation.statistics.means import mean_of
from attention_separation.statistics.seeding import blocks, stream

from ..settings.jobs import BiasedCase, Case, TemperatureJob
from .data import DISTRIBUTIONS, biased_nearest, nearest, orthogonal, squared_error
from .heads import full_rank_head
from .sphere import angle_rule, density_at_zero

SOFTMAX_TAIL = math.log(2) - 0.5
"""The integral of (1 + e^s)^-2 over s > 0."""


def fact_1_exact(d: int, distribution: str, c: float) -> float:
    """E||f - head||^2 for N = 2 at temperature c.

    The head misses x_1 or x_2, whichever is nearer, by ||x|| / (1 + exp(c |x.y|)), x = x_1 - x_2,
    and x.y = ||x|| t with t a coordinate of a uniform point. On D_2 ||x||^2 = 2; on the sphere it
    is 2 - 2u with u another such coordinate.
    """
    phi, weights = angle_rule(d, [(0.0, 1 / (2 * c))])
    t = np.abs(np.sin(phi))
    if distribution == "orthogonal":
        return 2 * float(weights @ expit(-c * math.sqrt(2) * t) ** 2)
    outer, outer_weights = angle_rule(d, [(math.pi / 2, 1 / c)])
    squared = 2 - 2 * np.sin(outer)
    inner = expit(-c * np.sqrt(squared)[:, None] * t) ** 2 @ weights
    return float(outer_weights @ (squared * inner))


def fact_1_asymptote(d: int, n: int, distribution: str, c: float) -> float:
    """The limit law of E||f - head||^2 for large c, a constant over c.

    On D_N the gap of y's two largest coordinates among N has at 0 the density N (N-1) E[g] where,
    for Gaussian coordinates, g = phi(v)^2 Phi(v)^(N-2) integrated over v; the length of the
    Gaussian vector, independent of the direction, is divided out. On the sphere, given y, the
    scores are independent coordinates v, and the mean of ||x_1 - x_2||^2 is 2 (1 - v^2). For N = 2
    both are 2 f_d(0) E||x_1 - x_2|| (ln 2 - 1/2) / c.
    """
    pairs = n * (n - 1)
    if distribution == "orthogonal":
        gap = pairs * quad(lambda v: math.exp(-v * v + (n - 2) * log_ndtr(v)), -12, 12)[0]
        gap /= 2 * math.pi
        inverse_length = math.exp(gammaln((d - 1) / 2) - gammaln(d / 2)) / math.sqrt(2)
        return 2 * gap / inverse_length * SOFTMAX_TAIL / c
    phi, weights = angle_rule(d)
    v = np.sin(phi)
    below = np.where(v < 0, 1.0, -1.0) * betainc((d - 1) / 2, 0.5, np.cos(phi) ** 2) / 2
    below = np.where(v < 0, below, 1.0 + below)
    # The density of v is that of phi over cos(phi): f(v) dv = weight, and f(v) = f(0) cos^(d-3).
    density = density_at_zero(d) * np.cos(phi) ** (d - 3)
    integral = weights @ (density * below ** (n - 2) * 2 * np.cos(phi) ** 2)
    return float(pairs * integral * SOFTMAX_TAIL / c)


def fact_3_exact(d: int, bias: tuple[float, float], head: tuple[float, float], c: float) -> float:
    """E||f_b - head||^2 on D_2 for a head that adds head_i to the score of x_i; c may be infinite.

    f_b is x_1 where sqrt(2) t > (b_1 - b_2) / 2, t a coordinate of a uniform point (Equation 8);
    the head gives x_1 the weight 1 / (1 + exp(-c (sqrt(2) t + head_1 - head_2))).
    """
    root = math.sqrt(2)
    at_target, at_head = (bias[0] - bias[1]) / 2 / root, (head[1] - head[0]) / root
    width = 1e-6 if math.isinf(c) else min(1 / c, 1.0)
    angles = [math.asin(max(-1.0, min(1.0, at))) for at in (at_target, at_head)]
    phi, weights = angle_rule(d, [(angle, width) for angle in angles])
    t = np.sin(phi)
    wanted = t > at_target
    given = t > at_head if math.isinf(c) else expit(c * root * (t - at_head))
    return 2 * float(weights @ (wanted - 1.0 * given) ** 2)


def fact_3_asymptote(d: int, bias: tuple[float, float], c: float) -> float:
    """The limit law of the right head's error on D_2: the density of the gap at 0, times 2 / c."""
    at = (bias[0] - bias[1]) / 2 / math.sqrt(2)
    if abs(at) >= 1:
        return 0.0
    density = density_at_zero(d) * (1 - at * at) ** ((d - 3) / 2) / math.sqrt(2)
    return 2 * density * 2 * SOFTMAX_TAIL / c


SCHEMA = pa.schema(
    [
        ("construction", pa.string()),
        ("b_1", pa.float64()),
        ("b_2", pa.float64()),
        ("added", pa.string()),
        ("distribution", pa.string()),
        ("d", pa.int64()),
        ("n", pa.int64()),
        ("temperature", pa.float64()),
        ("draws", pa.int64()),
        ("error", pa.float64()),
        ("ci_low", pa.float64()),
        ("ci_high", pa.float64()),
        ("error_exact", pa.float64()),
        ("error_law", pa.float64()),
    ]
)
"""`construction` is "fact_1" or "fact_3"; `b_1` and `b_2` are the biases of Equation 8 and `added`
what the head of Fact 3 adds to the scores, "-b/2" or the text's "+b", all null in Fact 1. A
`temperature` that is null is the hardmax head. `error` is the mean over `draws` draws, `ci_low` to
`ci_high` its 95 % interval. `error_exact` is by quadrature, null for N > 2; `error_law` is the
limit law of large temperatures, null where there is none."""


def fact_1_rows(job: TemperatureJob, case: Case) -> Iterator[dict]:
    """The table's rows for one case of Fact 1; all temperatures see the same draws."""
    errors = []
    for block, draws in blocks(job.draws):
        name = f"d={case.d},n={case.n}"
        rng = stream(job.seed, "head_rank", "temperature", case.distribution, name, str(block))
        x, y = DISTRIBUTIONS[case.distribution](rng, draws, case.d, case.n)
        f = nearest(x, y)
        errors.append([squared_error(f, full_rank_head(x, y, c)) for c in job.temperatures])
    for c, sample in zip(job.temperatures, np.concatenate(errors, axis=1), strict=True):
        found = mean_of(sample)
        exact = fact_1_exact(case.d, case.distribution, c) if case.n == 2 else None
        yield {
            "construction": "fact_1",
            "distribution": case.distribution,
            "d": case.d,
            "n": case.n,
            "temperature": c,
            "draws": job.draws,
            "error": found.value,
            "ci_low": found.low,
            "ci_high": found.high,
            "error_exact": exact,
            "error_law": fact_1_asymptote(case.d, case.n, case.distribution, c),
        }


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
                sample = squared_error(f, full_rank_head(x, y, c, bias))
                errors.setdefault((name, c), []).append(sample)
    for (name, c), parts in errors.items():
        found = mean_of(np.concatenate(parts))
        head = tuple(added[name].tolist())
        lawful = name == "-b/2" and c is not None
        yield {
            "construction": "fact_3",
            "b_1": b_1,
            "b_2": b_2,
            "added": name,
            "distribution": "orthogonal",
            "d": case.d,
            "n": 2,
            "temperature": c,
            "draws": job.draws,
            "error": found.value,
            "ci_low": found.low,
            "ci_high": found.high,
            "error_exact": fact_3_exact(case.d, (b_1, b_2), head, math.inf if c is None else c),
            "error_law": fact_3_asymptote(case.d, (b_1, b_2), c) if lawful else None,
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
