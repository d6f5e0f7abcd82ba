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

    def latest(self, layer: str, d: int) -> Mapping[str, Any]:
        """The row of the accuracy of the latest pair of a long sequence."""
        return self._by_age(layer, d)[0]

    def oldest(self, layer: str, d: int) -> Mapping[str, Any]:
        """The row of the accuracy of the oldest pair of a long sequence."""
        by_age = self._by_age(layer, d)
        return by_age[max(by_age)]

    def _by_age(self, layer: str, d: int) -> dict[int, Mapping[str, Any]]:
        """The rows of a layer against age; given keys where there is such a row."""
        rows = []
        for part in ("line", "given keys"):
            rows += self._tables("recall/recall_lines", part=part, layer=layer, d=d)
        return {row["age"]: row for row in rows if row["age"] is not None}

    def varied(self, layer: str, d: int, rewrites: int = 0) -> Mapping[str, Any]:
        """The row of the accuracy of keys that were written so often before."""
        rows = self._tables("recall/recall_lines", part="varied", layer=layer, d=d)
        return one(rows, cosine=1.0, rewrites=rewrites)

    @staticmethod
    def with_error(row: Mapping[str, Any]) -> str:
        """An accuracy, with its error, rounded up, where it is simulated and draws differ."""
        if row["method"].startswith("exact") or row["error"] == 0:
            return f"{row['accuracy']:.3f}"
        places = 3 if row["error"] >= 0.001 else 4
        error = math.ceil(row["error"] * 10**places) / 10**places
        return f"{row['accuracy']:.{places}f} ± {error:.{places}f}"
