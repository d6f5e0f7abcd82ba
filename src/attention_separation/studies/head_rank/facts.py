"""The second paper's facts: of bounds, claims and trained networks."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

from ...pages.rendering import Tables, one
from ...results.tables import chosen
from ...statistics.claims import count_verdicts
from .settings.titles import CHECK, OURS, PAPERS, PUBLISHED


class Rank:
    """The rank of heads: `docs/head_rank/`."""

    def __init__(self, tables: Tables):
        self._tables = tables

    def bound(self, d: int, rank: int, heads: int) -> Any:
        """The row of what no layer of such heads can do."""
        return one(self._tables("head_rank/rank_bound"), d=d, rank=rank, heads=heads)

    def heads_needed(self, d: int, rank: int, error: float, column: str = "heads") -> int:
        """How many heads of one layer an error takes at least."""
        rows = self._tables("head_rank/rank_heads_needed")
        return int(one(rows, d=d, rank=rank, error=error)[column])

    @property
    def one_layer(self) -> list[dict[str, Any]]:
        """The cells of one trained layer at d = 8 and N = 4, without encodings, on new batches."""
        cells = self._tables(
            "head_rank/rank_errors",
            d=8,
            n=4,
            layers=1,
            encoding="none",
            regime="fresh",
            biases=None,
            layer_norm=None,
        )
        # Batches of 16 belong to the figure that repeats batches.
        return [row for row in cells if "_b16_" not in row["cell"]]

    @property
    def gap(self) -> float:
        """The least mean error of lower rank over the largest of full rank, in one layer."""
        cells = self.one_layer
        lower_rank = [row["mean"] for row in cells if row["rank"] < 8]
        full_rank = [row["mean"] for row in cells if row["rank"] == 8]
        return min(lower_rank) / max(full_rank)

    @property
    def papers(self) -> Counter[str]:
        """How many of the paper's claims that runs or constructions made here judge have each
        verdict."""
        return self._verdicts(PAPERS)

    @property
    def on_published_values(self) -> Counter[str]:
        """How many of those that the paper's published values alone judge have each verdict."""
        return self._verdicts(PUBLISHED)

    @property
    def ours(self) -> Counter[str]:
        """How many claims and checks made here have each verdict."""
        return self._verdicts(OURS) + self._verdicts(CHECK)

    def _verdicts(self, origin: str) -> Counter[str]:
        """How many claims of an origin have each verdict."""
        rows = self._tables("head_rank/rank_claims", origin=origin)
        return Counter(row["verdict"] for row in rows)

    @property
    def models(self) -> list[dict[str, Any]]:
        """Published models, each with H r / d: heads times their dimension over the width."""
        rows = self._tables("head_rank/models")
        return [row | {"ratio": row["heads"] * row["head_dimension"] / row["d"]} for row in rows]


def papers_verdicts(claims: Iterable[dict[str, Any]]) -> str:
    """How many of the paper's claims, which what was made here judges, have each verdict."""
    return count_verdicts(row["verdict"] for row in chosen(claims, origin=PAPERS))
