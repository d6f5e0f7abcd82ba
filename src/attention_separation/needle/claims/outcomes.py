"""The row of a claim: its verdict, and the numbers of the comparison that decides it."""

from collections.abc import Iterable

import pyarrow as pa

from attention_separation.statistics.claims import Claim, Comparison, judge

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


def claim(name: str, kind: str, statement: str, rule: str) -> Claim:
    """What is claimed, and by which rule it is judged."""
    return Claim(name, statement, {"kind": kind, "rule": rule})


def judged(found: Claim, comparisons: Iterable[Comparison]) -> dict[str, object]:
    """The row of a claim; the value alone says how far a comparison is from agreeing."""
    return found.row(judge(comparisons, lambda comparison: comparison.slack_of_value))


def in_words(row: dict) -> str:
    """The comparison that decides on a claim; empty where nothing was compared."""
    if row["value"] is None:
        return ""
    return f"{row['decided_at']}: {row['value']:.5g}"
