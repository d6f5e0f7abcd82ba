"""The row of a claim: its verdict, and the numbers of the comparison that decides it."""

from collections.abc import Iterable

from ...results.tables import schema
from ...statistics.claims import Claim, Comparison, judge

EXACT, TRAINED = KINDS = ("exact", "trained")
"""What a claim is judged on: computed numbers, or trained networks."""

SCHEMA = schema(
    claim=str, kind=str, statement=str, rule=str, verdict=str, comparisons=int, deciding_case=str,
    value=float, low=float, high=float, least=float, most=float,
)  # fmt: skip
"""One row per claim: `value`, between `low` and `high`, is that of the comparison, named
`deciding_case`, that is the furthest from agreeing of those with the claim's verdict; it must lie
between `least` and `most`, null where there is no such end."""


def claim(name: str, kind: str, statement: str, rule: str) -> Claim:
    """What is claimed, and by which rule it is judged."""
    return Claim(name, statement, {"kind": kind, "rule": rule})


def judged(found: Claim, comparisons: Iterable[Comparison]) -> dict[str, object]:
    """The row of a claim; the value alone says how far a comparison is from agreeing."""
    return found.row(judge(comparisons, lambda comparison: comparison.slack_of_value))
