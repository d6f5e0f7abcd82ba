"""What docs/ keeps of this study's long tables: the parts that its pages read."""

from collections.abc import Callable
from operator import itemgetter

import pyarrow as pa

from ...results.tables import array_of, rows_by, table_from_rows

CLAIM = (
    "id",
    "place",
    "statement",
    "source",
    "identity",
    "verdict",
    "n",
    "value",
    "relation",
    "bound",
)
BEST = ("panel", "network", "value", "p_at_theta", "p_best")


def decided_claims(claims: pa.Table) -> pa.Table:
    """A row for each claim, at the size where its value is nearest to its bound, or furthest
    beyond."""
    rows_by_claim = rows_by(claims.to_pylist(), "id")
    decided = [min(rows, key=itemgetter("margin")) for rows in rows_by_claim.values()]
    return table_from_rows(decided, pa.schema([claims.schema.field(name) for name in CLAIM]))


def without_maps(theta: pa.Table) -> pa.Table:
    """The panels' own threshold and the best one, without the maps."""
    return theta.filter(array_of([kind != "map" for kind in theta["kind"].to_pylist()], pa.bool_()))


KEPT_PARTS: dict[str, Callable[[pa.Table], pa.Table]] = {
    "claims": decided_claims,
    "theta": without_maps,
    "threshold": lambda table: table.select(BEST),
}
"""By the names of outputs."""
