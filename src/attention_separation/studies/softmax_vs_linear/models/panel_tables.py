"""The tables of a panel: simulated points, their exact or reference values, and both row by row.

A point is one place of a panel's grid. Its contest has events, one for each network, which together
are success.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from ....results.tables import read_parquet, schema
from .contest import Contest

DECIMALS = 12
"""What exact values are good for."""


@dataclass(frozen=True)
class Reference:
    """The probabilities of success and of the contest's events, in their order.

    `error` and `event_errors` are the estimated errors of `success` and of `events`: 0 where these
    are exact (up to about 1e-13 of rounding), 1 where nothing is known. `method` says in a few
    words how they were computed.
    """

    success: float
    events: tuple[float, ...]
    error: float
    event_errors: tuple[float, ...]
    method: str


EXACT_EVENTS = (0.0, 0.0, 0.0, 0.0)
"""The errors of four exact events."""


PARAMETER_COLUMNS = dict.fromkeys(("n", "d", "m"), int) | dict.fromkeys(
    ("a0", "a1", "b", "c"), float
)
"""Columns of the sizes of a point: of its data and network, and of entries of its tokens."""


def simulated_schema(contest: Contest) -> pa.Schema:
    """The columns of a panel's table of trials, one row per point.

    A parameter that the model does not have is null. Two swept parameters stand in `parameter` as
    "a1,c", the first one's value in `value`, both in their own columns.
    """
    return schema(
        panel=str,
        parameter=str,
        value=float,
        **PARAMETER_COLUMNS,
        delta=float,
        tau=float,
        attention_x=str,
        trials=int,
        **dict.fromkeys(contest.outcomes, int),
        p_hat=float,
        ci_low=float,
        ci_high=float,
    )


POINT_COLUMNS = ("panel", "parameter", "value")


def exact_schema(contest: Contest) -> pa.Schema:
    """The columns of a panel's table of exact or reference values, one row per point.

    `p_error` is the estimated error of p_exact, and so is each event's of its probability: 0 where
    these are exact, else they are reference values.
    """
    return schema(
        panel=str,
        parameter=str,
        value=float,
        p_exact=float,
        p_error=float,
        p_method=str,
        **{f"prob_{event}": float for event in contest.events},
        **{f"error_{event}": float for event in contest.events},
    )


def join_exact(simulated: pa.Table, exact: pa.Table) -> pa.Table:
    """A panel's simulated points with their exact values, row by row; ValueError if the two tables
    are not of the same points."""
    if not simulated.select(POINT_COLUMNS).equals(exact.select(POINT_COLUMNS)):
        raise ValueError(f"{simulated['panel'][0]}: simulated and exact values of other points")
    for name in exact.column_names[len(POINT_COLUMNS) :]:
        simulated = simulated.append_column(exact.schema.field(name), exact[name])
    return simulated


def read_joined(
    simulated: Sequence[Path], exact: Sequence[Path], contests: Iterable[Contest]
) -> list[pa.Table]:
    """Each panel's simulated points with their exact values, from the files of its two tables;
    `contests` are the panels'. TableError if a file is no such table, ValueError if the two tables
    of a panel are not of the same points."""
    joined = []
    for trials, values, contest in zip(simulated, exact, contests, strict=True):
        simulated_table = read_parquet(trials, simulated_schema(contest))
        exact_table = read_parquet(values, exact_schema(contest))
        joined.append(join_exact(simulated_table, exact_table))
    return joined
