"""Facts of heads of a trained model."""

import math
from collections import Counter
from collections.abc import Mapping
from statistics import mean, median
from typing import Any

from .rendering import Tables, one


class HeadModel:
    """Heads of a trained model: `docs/head_model/`."""

    LONGEST = 8192
    FINDS = 0.3
    """Mean weight on a target from which on a head is said to find it."""

    def __init__(self, tables: Tables):
        self._tables = tables

    def errors(self, filler: str, n: int) -> Mapping[str, Any]:
        """How wrong forecasts of the longest context from one of n tokens were."""
        return one(self._tables("head_model/heads_errors"), filler=filler, n=n, at=self.LONGEST)

    @property
    def texts(self) -> int:
        """How many pieces of natural text there are."""
        rows = self._tables("head_model/heads", n=1024)
        return len({(row["text"], row["segment"]) for row in rows if row["text"] != "random"})

    @property
    def heads(self) -> list[tuple[int, int]]:
        """Layer and head of those that are measured on most texts at the longest context."""
        rows = self.far_rows(at=10**6)
        counts = Counter((row["layer"], row["head"]) for row in rows)
        return sorted(place for place, count in counts.items() if 2 * count > self.texts)

    def far_rows(self, **wanted: object) -> list[dict[str, Any]]:
        """What heads on natural text of the longest context foretell."""
        rows = self._tables("head_model/heads_far", n=self.LONGEST, **wanted)
        return [row for row in rows if row["text"] != "random"]

    def far(self, head: tuple[int, int], at: int, column: str) -> float:
        """The median over texts of a column of what a head foretells of so many tokens."""
        rows = self.far_rows(layer=head[0], head=head[1], at=at)
        return median(row[column] for row in rows)

    def reach(self, head: tuple[int, int]) -> str:
        """The median reach of a head on texts, in millions, with the medians of its ends."""
        reach = self.far(head, 10**6, "reach")
        if reach == 0:
            return "below 0.004"
        low = self.far(head, 10**6, "reach_low")
        high = self.far(head, 10**6, "reach_high")
        return f"{reach / 1e6:.2g} ({low / 1e6:.2g} to {high / 1e6:.3g})"

    def far_change(self, head: tuple[int, int]) -> float:
        """By how many logits new tokens up to 10⁶ would change a head's weight."""
        share = self.far(head, 10**6, "share")
        foretold = self.far(head, 10**6, "foretold")
        return math.log(foretold / (1 - foretold)) - math.log(share / (1 - share))

    def near(self, head: tuple[int, int], n: int, column: str) -> float | None:
        """The median over texts of a column of what a head on n tokens foretells of the longest
        context; None if it is measured on none."""
        rows = self._tables("head_model/heads", layer=head[0], head=head[1], n=n, at=self.LONGEST)
        known = [row[column] for row in rows if row["text"] != "random"]
        return median(known) if known else None

    def finders(self, target: str, n: int = 2048) -> list[dict[str, Any]]:
        """Heads that find a kind of target in natural text, the surest first: the mean of their
        weights over texts, and over the depths of a needle."""
        shares: dict[tuple[int, int], list[float]] = {}
        for row in self._tables("head_model/heads_targets", target=target, filler="text", n=n):
            shares.setdefault((row["layer"], row["head"]), []).append(row["share"])
        rows = [
            {"layer": layer, "head": head, "share": mean(values)}
            for (layer, head), values in shares.items()
        ]
        finders = [row for row in rows if row["share"] >= self.FINDS]
        return sorted(finders, key=lambda row: -row["share"])
