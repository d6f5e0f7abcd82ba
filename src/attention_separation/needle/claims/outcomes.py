"""The row of a claim: its verdict, and the numbers of the comparison that decides it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa

from attention_separation.results.tables import finite_or_null
from attention_separation.statistics.verdict_words import (
    AGREES,
    DIFFERS,
    NOT_RUN,
    UNDECIDED,
    combine_verdicts,
)

EXACT, TRAINED = KINDS = ("exact", "trained")
"""What a claim is judged on: computed numbers, or trained networks."""

SCHEMA = pa.schema(
    [
        ("claim", pa.string()),
        ("kind", pa.string()),
        ("statement", pa.string()),
        ("rule", pa.string()),
        ("verdict", pa.string()),
        ("comparisons", pa.int64()),
        ("decided_at", pa.string()),
        ("value", pa.float64()),
        ("low", pa.float64()),
        ("high", pa.float64()),
        ("least", pa.float64()),
        ("most", pa.float64()),
    ]
)
"""One row per claim: `value`, between `low` and `high`, is that of the comparison, named
`decided_at`, that is the furthest from agreeing of those with the claim's verdict; it must lie
between `least` and `most`, null where there is no such end."""


@dataclass(frozen=True)
class Comparison:
    """A number with the interval that it is known to, and the range that is claimed of it.

    `far` : the wider interval that must lie outside for it to differ, where one of many comparisons
    may by chance; None if it is the same
    """

    name: str
    value: float
    low: float
    high: float
    least: float = -math.inf
    most: float = math.inf
    far: tuple[float, float] | None = None

    @property
    def verdict(self) -> str:
        """Agrees if the interval lies inside the range, differs if outside, else undecided."""
        if self.low >= self.least and self.high <= self.most:
            return AGREES
        low, high = self.far or (self.low, self.high)
        # NaN is neither.
        return DIFFERS if high < self.least or low > self.most else UNDECIDED

    @property
    def slack(self) -> float:
        """How far the value lies inside the range, in units of the range; negative outside."""
        width = self.most - self.least
        inside = min(self.value - self.least, self.most - self.value)
        return inside / width if math.isfinite(width) and width else inside


@dataclass(frozen=True)
class Claim:
    """What is claimed, and by which rule it is judged."""

    name: str
    kind: str
    statement: str
    rule: str

    def row(self, comparisons: Sequence[Comparison]) -> dict[str, object]:
        """The claim's row: all comparisons must agree, and one that differs decides."""
        said = {
            "claim": self.name, "kind": self.kind, "statement": self.statement, "rule": self.rule,
            "comparisons": len(comparisons),
        }  # fmt: skip
        if not comparisons:
            return said | {"verdict": NOT_RUN}
        verdict = combine_verdicts([each.verdict for each in comparisons])
        deciding = [each for each in comparisons if each.verdict == verdict]
        worst = min(deciding, key=lambda each: each.slack)
        numbers = {
            name: finite_or_null(getattr(worst, name))
            for name in ("value", "low", "high", "least", "most")
        }
        return said | {"verdict": verdict, "decided_at": worst.name} | numbers


def in_words(row: dict) -> str:
    """The comparison that decides on a claim; empty where nothing was compared."""
    if row["value"] is None:
        return ""
    return f"{row['decided_at']}: {row['value']:.5g}"
