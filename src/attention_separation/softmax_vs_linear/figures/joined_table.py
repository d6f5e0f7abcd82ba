"""A panel's simulated points beside their exact values, row by row."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import pyarrow as pa

from attention_separation.results.tables import read_parquet

from ..exact import exact_table
from ..exact.exact_table import POINTS
from ..models.contest import Contest
from ..simulation import panel_table


def joined_schema(contests: Iterable[Contest]) -> pa.Schema:
    """The columns of panels' points with their exact values, those of any of the contests."""
    return pa.unify_schemas(
        [
            pa.schema(
                [*panel_table.schema(contest), *list(exact_table.schema(contest))[len(POINTS) :]]
            )
            for contest in contests
        ]
    )


def join_exact(simulated: pa.Table, exact: pa.Table) -> pa.Table:
    """A panel's simulated points with their exact values, row by row.

    Raises
    ------
    ValueError
        If the two tables are not of the same points.
    """
    if not simulated.select(POINTS).equals(exact.select(POINTS)):
        raise ValueError(f"{simulated['panel'][0]}: simulated and exact values of other points")
    for name in exact.column_names[len(POINTS) :]:
        simulated = simulated.append_column(exact.schema.field(name), exact[name])
    return simulated


def read_joined(
    simulated: Sequence[Path], exact: Sequence[Path], contests: Iterable[Contest]
) -> list[pa.Table]:
    """Read the two tables of each panel, of the contests given, and join them.

    Raises
    ------
    TableError
        If a file is no such table.
    ValueError
        If the two tables of a panel are not of the same points.
    """
    return [
        join_exact(
            read_parquet(trials, panel_table.schema(contest)),
            read_parquet(values, exact_table.schema(contest)),
        )
        for trials, values, contest in zip(simulated, exact, contests, strict=True)
    ]
