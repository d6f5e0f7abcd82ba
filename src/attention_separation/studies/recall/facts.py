"""Facts of pairs that a layer recalls."""

import math
from collections.abc import Mapping
from typing import Any

from ...pages.rendering import Tables, one


class Recall:
    """Pairs that a layer recalls: `docs/recall/`."""

    def __init__(self, tables: Tables):
        self._tables = tables

    def capacity(self, layer: str, d: int) -> Mapping[str, Any]:
        """The row of a layer's largest n."""
        return one(self._tables("recall/recall_capacity"), layer=layer, d=d)

    def words_of(self, layer: str, d: int) -> str:
        """A layer's largest n in words: of what is simulated with the n that it lies between."""
        row = self.capacity(layer, d)
        largest = row["largest_n"]
        if largest is None:
            return f"{row['low']:,.0f} or more"
        if math.isinf(largest):
            return "10¹² or more"
        if row["low"] == row["high"]:
            return f"{largest:,.0f}"
        return f"about {largest:,.0f}"

    def bounds_text(self, layer: str, d: int) -> str:
        """The bounds on how many pairs a layer holds, in brackets; empty where that is computed, or
        has no upper bound."""
        row = self.capacity(layer, d)
        if row["low"] == row["high"] or row["high"] is None:
            return ""
        return f" ({row['low']:,.0f} to {row['high']:,.0f})"

    def latest(self, layer: str, d: int) -> float:
        """The accuracy of the latest pair of a long sequence."""
        rows = self._tables("recall/recall_lines", part="line", layer=layer, d=d, age=0)
        return float(one(rows)["accuracy"])

    def oldest(self, layer: str, d: int) -> float:
        """The accuracy of the oldest pair of a long sequence."""
        rows = self._tables("recall/recall_lines", part="line", layer=layer, d=d)
        by_age = {row["age"]: row["accuracy"] for row in rows if row["age"] is not None}
        return float(by_age[max(by_age)])

    def varied(self, layer: str, d: int, cosine: float = 1.0, rewrites: int = 0) -> float:
        """The accuracy with noisy queries, or of keys that were written so often before."""
        rows = self._tables("recall/recall_lines", part="varied", layer=layer, d=d)
        return float(one(rows, cosine=cosine, rewrites=rewrites)["accuracy"])
