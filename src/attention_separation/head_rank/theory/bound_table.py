"""What no heads of low rank can do, and how many an error takes at least."""

import itertools
import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from ...pages.table_page import write_result
from ...results.provenance import record
from ...results.tables import schema, table_from_rows
from ..settings.jobs import BoundSettings
from ..settings.titles import NUMBERED
from .bound import DIGITS, bound, correlation, heads_needed
from .points_bound import points_bound

BUDGETS = {"d^2": 1.0, "d^2.5": 1.5, "d^3": 2.0}
"""The paper's budgets, by the parameters r d H of a layer, and the power of d in H r."""


def ranks(d: int) -> list[int]:
    """The powers of 2 below d, and d."""
    return [2**k for k in range((d - 1).bit_length())] + [d]


def budget_heads(d: int, r: int) -> dict[str, int]:
    """H of each budget, rounded to a whole number, at least 1."""
    return {name: max(1, round(d**power / r)) for name, power in BUDGETS.items()}


DEGREES = (1, 3, 99)
"""Up to which the squared correlation is shown."""

BOUND = schema(
    d=int, rank=int, heads=int, budget=str, bound=float, bound_any_value=float,
    **{f"correlation_{degree}": float for degree in DEGREES},
)  # fmt: skip
NEEDED = schema(
    d=int, rank=int, error=float, heads=str, heads_any_value=str, log10_heads=float,
    log10_heads_any_value=float, heads_of_d3=int,
)  # fmt: skip
"""Whole numbers of heads are text, for many pass 2^63."""
POINTS = schema(
    d=int, n=int, rank=int, heads=int, budget=str, bound=float, bound_any_value=float
)  # fmt: skip

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
    f"of the identity and for any. Numbers above 10^{DIGITS} are rounded down to {DIGITS} digits. "
    "heads_of_d3 is the number of heads of the paper's largest budget, d^2/r."
)
POINTS_ABOUT = (
    "The bounds of rank_bound on N orthogonal points (D_N). For N > 2 heads may know all but one "
    "direction: the bounds may be far below what heads can do, and exclude nothing where the rank "
    "is above d - N. The mean of the points has 1 - 1/N."
)


def bound_rows(job: BoundSettings) -> Iterator[dict]:
    """The table of bounds, row by row."""
    for d in job.dimensions:
        for r in ranks(d):
            budgets = {heads: name for name, heads in budget_heads(d, r).items()}
            counts = sorted({2**k for k in range(job.doublings + 1)} | budgets.keys())
            found, any_value = (bound(d, r, np.array(counts), each) for each in (False, True))
            parts = [correlation(d, r, np.array(counts)[:, None], degree) for degree in DEGREES]
            for heads, *values in zip(counts, found, any_value, *parts, strict=True):
                sizes = (d, r, heads, budgets.get(heads), *map(float, values))
                yield dict(zip(BOUND.names, sizes, strict=True))


def needed_rows(job: BoundSettings) -> Iterator[dict]:
    """The table of heads, row by row."""
    for d in job.dimensions:
        for r in ranks(d):
            of_d3 = budget_heads(d, r)["d^3"]
            found, any_value = (heads_needed(d, r, job.errors, each) for each in (False, True))
            for error, heads, other in zip(job.errors, found, any_value, strict=True):
                yield {
                    "d": d, "rank": r, "error": error, "heads_of_d3": of_d3,
                    "heads": str(heads), "log10_heads": math.log10(heads),
                    "heads_any_value": str(other), "log10_heads_any_value": math.log10(other),
                }  # fmt: skip


def points_rows(job: BoundSettings) -> Iterator[dict]:
    """The table of bounds on N points, row by row."""
    for d in job.dimensions:
        for n, r in itertools.product([n for n in job.points if n <= d], ranks(d)):
            for budget, heads in budget_heads(d, r).items():
                found = (points_bound(d, r, heads, n, any_value) for any_value in (False, True))
                yield dict(zip(POINTS.names, (d, n, r, heads, budget, *found), strict=True))


def run(job: BoundSettings, output: Path) -> None:
    provenance = record(job.canonical(), __name__)
    for name, rows, columns, about in (
        ("rank_bound", bound_rows, BOUND, BOUND_ABOUT),
        ("rank_heads_needed", needed_rows, NEEDED, NEEDED_ABOUT),
        ("rank_bound_points", points_rows, POINTS, POINTS_ABOUT),
    ):
        table = table_from_rows(rows(job), columns)
        write_result(table, output.with_name(name), provenance, NUMBERED[name], about)
