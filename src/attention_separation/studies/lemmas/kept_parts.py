"""What docs/ keeps of the long table of claims: the part that its pages read."""

import math

import pyarrow as pa

from ...results.tables import Row, array_of

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


def decided_claims(claims: pa.Table) -> pa.Table:
    """The row of each claim with the least margin, where its value is nearest to its bound or
    furthest beyond, in the columns CLAIM; of a claim without margins the first row."""
    rows = claims.to_pylist()
    place_of_least: dict[str, int] = {}
    for k, row in enumerate(rows):
        least = place_of_least.setdefault(row["id"], k)
        if _margin(row) < _margin(rows[least]):
            place_of_least[row["id"]] = k
    places = array_of(list(place_of_least.values()), pa.int64())
    return claims.take(places).select(CLAIM)


def _margin(claim: Row) -> float:
    """A row's margin; infinite where it has none."""
    return math.inf if claim["margin"] is None else claim["margin"]
