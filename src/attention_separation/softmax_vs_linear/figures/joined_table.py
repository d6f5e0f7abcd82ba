"""A panel's simulated points beside their exact values, row by row."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Protocol

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


class Digests(Protocol):
    """A panel, by its contest and the digests of the settings of its two tables."""

    contest: Contest
    table_settings: str
    exact_settings: str


def read_joined(
    simulated: Sequence[Path], exact: Sequence[Path], panels: Sequence[Digests]
) -> list[pa.Table]:
    """Read the two tables of each panel and join them.

    Raises
    ------
    TableError
        If a file is no such table, or was made with other settings.
    ValueError
        If the two tables of a panel are not of the same points.
    """
    return [
        join_exact(
            read_parquet(trials, panel_table.schema(panel.contest), panel.table_settings),
            read_parquet(values, exact_table.schema(panel.contest), panel.exact_settings),
        )
        for trials, values, panel in zip(simulated, exact, panels, strict=True)
    ]
