"""The columns of a panel's exact or reference values: one row per point, in grid order."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Protocol

import pyarrow as pa

from attention_separation.softmax_vs_linear import panel_table
from attention_separation.softmax_vs_linear.contest import Contest
from attention_separation.tables import column_names, read_parquet

POINTS = ("panel", "parameter", "value")


def schema(contest: Contest) -> pa.Schema:
    """`p_error` is the estimated error of p_exact, and so is each event's of its probability: 0
    where these are exact, else they are reference values."""
    return _schema(contest.events)


def _schema(events: Sequence[str]) -> pa.Schema:
    return pa.schema(
        [
            ("panel", pa.string()),
            ("parameter", pa.string()),
            ("value", pa.float64()),
            ("p_exact", pa.float64()),
            ("p_error", pa.float64()),
            ("p_method", pa.string()),
            *((f"prob_{event}", pa.float64()) for event in events),
            *((f"error_{event}", pa.float64()) for event in events),
        ]
    )


def joined_schema(contests: Iterable[Contest]) -> pa.Schema:
    """The columns of panels' points with their exact values, those of any of the contests."""
    return pa.unify_schemas(
        [
            pa.schema([*panel_table.schema(contest), *list(schema(contest))[len(POINTS) :]])
            for contest in contests
        ]
    )


def joined(simulated: pa.Table, exact: pa.Table) -> pa.Table:
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


def read_exact(path: Path) -> pa.Table:
    """The exact values of a panel, whatever its contest and settings.

    Raises
    ------
    TableError
        If the file is no such table.
    """
    names = column_names(path)
    events = [name.removeprefix("prob_") for name in names if name.startswith("prob_")]
    return read_parquet(path, _schema(events))


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
        joined(
            read_parquet(trials, panel_table.schema(panel.contest), panel.table_settings),
            read_parquet(values, schema(panel.contest), panel.exact_settings),
        )
        for trials, values, panel in zip(simulated, exact, panels, strict=True)
    ]
