"""What is kept of a context that a model has run on: shares of all heads, scores of some.

A *share* is the weight of a target. A head's scores are those that softmax gets, of every query and
key in single precision, as the bytes of an array.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from ..results.tables import read_parquet, table_from_rows

SCORE = np.dtype("<f4")

SCHEMA = pa.schema(
    {
        "target": pa.string(),
        "layer": pa.int64(),
        "head": pa.int64(),
        "queries": pa.list_(pa.int64()),
        "keys": pa.list_(pa.int64()),
        "shares": pa.list_(pa.float64()),
        "scores": pa.binary(),
    }
)
"""A row for each kind of target, layer and head; `queries` and `keys` are positions, of queries and
their targets; `scores` is null where they are not kept."""


@dataclass(frozen=True)
class CaughtHead:
    """A head on one context.

    Attributes
    ----------
    target : the kind of target
    queries, keys : positions of queries and of their targets, (Q,)
    shares : weights of the targets, (Q,)
    scores : (Q, n) in single precision, -inf where masked; None where they are not kept
    """

    target: str
    layer: int
    head: int
    queries: np.ndarray
    keys: np.ndarray
    shares: np.ndarray
    scores: np.ndarray | None


def cell_table(heads: list[CaughtHead]) -> pa.Table:
    """Returns heads as a table."""
    names = [name for name in SCHEMA.names if name != "scores"]
    rows = [{name: getattr(caught, name) for name in names} for caught in heads]
    table = table_from_rows(rows, pa.schema([SCHEMA.field(name) for name in names]))
    contents = [None if caught.scores is None else _bytes(caught.scores) for caught in heads]
    return table.append_column(SCHEMA.field("scores"), pa.array(contents, pa.binary()))


def _bytes(scores: np.ndarray) -> bytes:
    return np.ascontiguousarray(scores, SCORE).tobytes()


def read_cell(path: Path) -> list[CaughtHead]:
    """Returns the heads of a table; TableError if it is none."""
    heads = []
    for row in read_parquet(path, SCHEMA).to_pylist():
        scores = None
        if row["scores"] is not None:
            scores = np.frombuffer(row["scores"], SCORE).reshape(len(row["queries"]), -1)
        heads.append(
            CaughtHead(
                target=row["target"],
                layer=row["layer"],
                head=row["head"],
                queries=np.array(row["queries"]),
                keys=np.array(row["keys"]),
                shares=np.array(row["shares"]),
                scores=scores,
            )
        )
    return heads
