"""The row of a claim: its verdict, and the numbers of the comparison that decides it."""

import math
from collections.abc import Iterable
from dataclasses import replace

import pyarrow as pa

from attention_separation.statistics.claims import Claim, Comparison, Estimate, Judgement, at_least
from attention_separation.statistics.verdict_words import NOT_JUDGED

PAPERS = "the paper's"
PUBLISHED = "the paper's, judged on its published values alone"
OURS = "this reproduction's"
CHECK = "a check"
"""Whose claim: the paper's, as its text or figures say it, judged on runs or constructions made
here; such a one that nothing made here can judge; one that is made here; or what only a mistake of
the code can fail, which is counted with none of them."""

WHOSE = (PAPERS, PUBLISHED, OURS, CHECK)
"""In the order in which they are said."""

TEXT, NUMBER = pa.string(), pa.float64()
SCHEMA = pa.schema(
    {
        **dict.fromkeys(("claim", "whose", "statement", "sizes", "verdict"), TEXT),
        "comparisons": pa.int64(), "decided_at": TEXT,
        **dict.fromkeys(("measured", "low", "high", "bound"), NUMBER),
        **dict.fromkeys(("bound_is", "interval", "reason"), TEXT),
    }
)  # fmt: skip
"""One row per claim. `sizes`: the d and N of what is compared. `measured` with its interval is that
of the comparison, named `decided_at`, that is the furthest from agreeing of those with the claim's
verdict; null where nothing was compared, and an end of the interval where there is none. `bound_is`
says what the bound is, and of what; `interval`, whose it is, where it is one of means over runs.
`reason`: why what was run does not judge the claim."""


def claim(name: str, whose: str, statement: str, bound_is: str) -> Claim:
    """A claim, whose it is, and what its bound is."""
    return Claim(name, statement, {"whose": whose, "bound_is": bound_is})


def row_of(claimed: Claim, sizes: str, judgement: Judgement) -> dict[str, object]:
    """The row of a claim. Where a range has two ends, they differ in sign alone."""
    row = claimed.row(judgement) | {"sizes": sizes}
    if judgement.deciding is None:
        return row
    bound = row["least"] if row["most"] is None else row["most"]
    return row | {"measured": row["value"], "bound": bound}


def alone(name: str, value: float, least: float, count: int) -> Judgement:
    """The judgement on a number that is known, and is the worst of so many: without an interval."""
    verdict = at_least(name, Estimate.exactly(value), least).verdict
    return Judgement(verdict, count, at_least(name, Estimate.within(value, math.nan), least))


def unjudged(count: int, comparisons: Iterable[Comparison] = ()) -> Judgement:
    """The judgement on what was run and does not judge the claim: with the number, but no interval,
    of the comparison that is the furthest from agreeing."""
    worst = min(comparisons, key=lambda each: each.slack, default=None)
    if worst is not None:
        worst = replace(worst, measured=Estimate.within(worst.measured.value, math.nan))
    return Judgement(NOT_JUDGED, count, worst)
