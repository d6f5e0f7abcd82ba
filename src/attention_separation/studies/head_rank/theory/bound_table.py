"""Tables of what no heads of low rank can do, and of how many an error takes at least.

A budget is a number of parameters of a layer, r d H, for which the paper states a theorem.
"""

import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa

from ....pages.table_page import write_result
from ....rank_bound.bound import BOUND_DIGITS, bound, correlation, heads_needed
from ....results.provenance import record
from ....results.tables import Row, schema, table_from_rows
from ..settings.jobs import BoundSettings
from ..settings.titles import NUMBERED
from .points_bound import points_bound

BUDGET_POWERS = {"d^2": 1.0, "d^2.5": 1.5, "d^3": 2.0}
"""The paper's budgets, by the parameters r d H of a layer, and the power of d in H r."""


def ranks_of_dimension(d: int) -> list[int]:
    """The powers of 2 below d, and d."""
    return [2**k for k in range((d - 1).bit_length())] + [d]


def heads_by_budget(d: int, r: int) -> dict[str, int]:
    """The number of heads of rank r that each budget has, rounded, at least 1."""
    return {name: max(1, round(d**power / r)) for name, power in BUDGET_POWERS.items()}


CORRELATION_DEGREES = (1, 3, 99)
"""Up to which the squared correlation is shown."""

BOUND_SCHEMA = schema(
    d=int,
    rank=int,
    heads=int,
    budget=str,
    bound=float,
    bound_any_value=float,
    **{f"correlation_{degree}": float for degree in CORRELATION_DEGREES},
)
NEEDED = schema(
    d=int,
    rank=int,
    error=float,
    heads=str,
    heads_any_value=str,
    log10_heads=float,
    log10_heads_any_value=float,
    heads_of_d3=int,
)
"""Whole numbers of heads are text, for many pass 2^63."""
POINTS_SCHEMA = schema(
    d=int, n=int, rank=int, heads=int, budget=str, bound=float, bound_any_value=float
)

BOUND_ABOUT = (
    "On two orthogonal points and a uniform query, no one layer of so many generalised heads of "
    "this rank has a smaller mean squared error: bound, for value maps that are multiples of the "
    "identity, bound_any_value, for any. Encodings of positions, if any, enter scores alone; no "
    "MLP stands behind. No constant is open; docs/rank-bound.md derives it. "
    "Predicting zero has 1, the mean of the two points 0.5. A budget is the paper's, by the "
    "parameters r d H of a layer: H is d/r, d^1.5/r and d^2/r, rounded. correlation_l: along "
    "x_1 - x_2 no such layer, V = aI, has a larger squared correlation with the target's degrees "
    "up to l; of all degrees it is 1 - 2 bound."
)
NEEDED_ABOUT = (
    "With fewer heads of this rank in one layer the mean squared error on two orthogonal points is "
    "surely above the error that is named: by the same bounds, for value maps that are multiples "
    f"of the identity and for any. Numbers above 10^{BOUND_DIGITS} are rounded down to "
    f"{BOUND_DIGITS} digits. heads_of_d3 is the number of heads of the paper's "
    "largest budget, d^2/r."
)
POINTS_ABOUT = (
    "The bounds of rank_bound on N orthogonal points (D_N). For N > 2 heads may know all but one "
    "direction: the bounds may be far below what heads can do, and exclude nothing where the rank "
    "is above d - N. The mean of the points has 1 - 1/N."
)


def bound_rows(job: BoundSettings) -> Iterator[Row]:
    """The rows of the table of bounds: of each d, rank and number of heads."""
    for d in job.dimensions:
        for r in ranks_of_dimension(d):
            yield from _bounds_of_rank(d, r, job.doublings)


def _bounds_of_rank(d: int, r: int, doublings: int) -> Iterator[Row]:
    """The rows of bounds of one d and rank, one a number of heads: the powers of 2 up to
    2^doublings, and those of budgets."""
    budget_by_heads = {heads: budget for budget, heads in heads_by_budget(d, r).items()}
    powers_of_2 = {2**k for k in range(doublings + 1)}
    heads = np.array(sorted(powers_of_2 | budget_by_heads.keys()))
    columns = {"bound": bound(d, r, heads), "bound_any_value": bound(d, r, heads, any_value=True)}
    for degree in CORRELATION_DEGREES:
        columns[f"correlation_{degree}"] = correlation(d, r, heads[:, None], degree)
    for index, count in enumerate(heads.tolist()):
        size = {"d": d, "rank": r, "heads": count, "budget": budget_by_heads.get(count)}
        bounds = {name: float(column[index]) for name, column in columns.items()}
        yield size | bounds


def needed_rows(job: BoundSettings) -> Iterator[Row]:
    """The rows of the table of heads needed: of each d, rank and error."""
    for d in job.dimensions:
        for r in ranks_of_dimension(d):
            needed = heads_needed(d, r, job.errors)
            needed_any_value = heads_needed(d, r, job.errors, any_value=True)
            for error, heads, heads_any_value in zip(
                job.errors, needed, needed_any_value, strict=True
            ):
                yield {
                    "d": d,
                    "rank": r,
                    "error": error,
                    "heads": str(heads),
                    "heads_any_value": str(heads_any_value),
                    "log10_heads": math.log10(heads),
                    "log10_heads_any_value": math.log10(heads_any_value),
                    "heads_of_d3": heads_by_budget(d, r)["d^3"],
                }


def points_rows(job: BoundSettings) -> Iterator[Row]:
    """The rows of the table of bounds on N points: of each d, N, rank and budget."""
    for d in job.dimensions:
        for n in job.points:
            if n <= d:
                yield from _bounds_on_points(d, n)


def _bounds_on_points(d: int, n: int) -> Iterator[Row]:
    """The rows of bounds on n points in d dimensions: of each rank and budget."""
    for r in ranks_of_dimension(d):
        for budget, heads in heads_by_budget(d, r).items():
            yield {
                "d": d,
                "n": n,
                "rank": r,
                "heads": heads,
                "budget": budget,
                "bound": points_bound(d, r, heads, points=n),
                "bound_any_value": points_bound(d, r, heads, points=n, any_value=True),
            }


def run(job: BoundSettings, output: Path) -> None:
    provenance = record(job.canonical(), __name__)

    def write(name: str, rows: Iterator[Row], columns: pa.Schema, about: str) -> None:
        """Write rows as a table beside the output."""
        table = table_from_rows(rows, columns)
        write_result(table, output.with_name(name), provenance, NUMBERED[name], about)

    write("rank_bound", bound_rows(job), BOUND_SCHEMA, BOUND_ABOUT)
    write("rank_heads_needed", needed_rows(job), NEEDED, NEEDED_ABOUT)
    write("rank_bound_points", points_rows(job), POINTS_SCHEMA, POINTS_ABOUT)
