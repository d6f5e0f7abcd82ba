"""The row of a claim: its verdict, and the numbers of the comparison that decides it."""

from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa

from attention_separation.results.tables import finite_or_null
from attention_separation.statistics.means import Estimate
from attention_separation.statistics.verdict_words import (
    DIFFERS,
    NOT_JUDGED,
    NOT_RUN,
    combine_verdicts,
)

PAPERS = "the paper's"
PUBLISHED = "the paper's, judged on its published values alone"
OURS = "this reproduction's"
CHECK = "a check"
"""Whose claim: the paper's, as its text or figures say it, judged on runs or constructions made
here; such a one that nothing made here can judge; one that is made here; or what only a mistake of
the code can fail, which is counted with none of them."""

CLAIMED = (PAPERS, PUBLISHED, OURS)
WHOSE = (*CLAIMED, CHECK)
"""In the order in which they are said."""

SCHEMA = pa.schema(
    [
        ("claim", pa.string()),
        ("whose", pa.string()),
        ("statement", pa.string()),
        ("sizes", pa.string()),
        ("verdict", pa.string()),
        ("comparisons", pa.int64()),
        ("decided_at", pa.string()),
        ("measured", pa.float64()),
        ("low", pa.float64()),
        ("high", pa.float64()),
        ("bound", pa.float64()),
        ("bound_is", pa.string()),
        ("interval", pa.string()),
        ("reason", pa.string()),
    ]
)
"""One row per claim. `sizes`: the d and N of what is compared. `measured` with its interval is that
of the comparison, named `decided_at`, that is the furthest from agreeing of those with the claim's
verdict; null where nothing was compared, and an end of the interval where there is none. `bound_is`
says what the bound is, and of what; `interval`, whose it is, where it is one of means over runs.
`reason`: why what was run does not judge the claim."""


@dataclass(frozen=True)
class Outcome:
    """A comparison with its verdict, and how far it is from agreeing: more is better."""

    name: str
    verdict: str
    measured: Estimate
    slack: float


def above(name: str, measured: Estimate, bound: float) -> Outcome:
    """Of a comparison that claims a number above the bound."""
    verdict = measured.exceeds(bound)
    # One that differs is as far from agreeing as its nearer end.
    end = measured.high if verdict == DIFFERS else measured.low
    return Outcome(name, verdict, measured, end - bound)


def below(name: str, measured: Estimate, bound: float) -> Outcome:
    """Of a comparison that claims a number below the bound."""
    verdict = measured.stays_below(bound)
    end = measured.low if verdict == DIFFERS else measured.high
    return Outcome(name, verdict, measured, bound - end)


def within(name: str, measured: Estimate, bound: float) -> Outcome:
    """Of a comparison that claims a number of a size below the bound."""
    verdict = measured.stays_within(bound)
    ends = abs(measured.low), abs(measured.high)
    return Outcome(name, verdict, measured, bound - (min if verdict == DIFFERS else max)(ends))


def decide(outcomes: Sequence[Outcome], bound: float) -> dict[str, object]:
    """The verdict on all, and the numbers of the one that decides it."""
    if not outcomes:
        return {"verdict": NOT_RUN, "comparisons": 0}
    verdict = combine_verdicts([outcome.verdict for outcome in outcomes])
    deciding = [outcome for outcome in outcomes if outcome.verdict == verdict]
    worst = min(deciding, key=lambda outcome: outcome.slack)
    return {
        "verdict": verdict,
        "comparisons": len(outcomes),
        "decided_at": worst.name,
        "measured": worst.measured.value,
        "low": finite_or_null(worst.measured.low),
        "high": finite_or_null(worst.measured.high),
        "bound": bound,
    }


def unjudged(
    reason: str, comparisons: int, outcomes: Sequence[Outcome] = (), bound: float | None = None
) -> dict[str, object]:
    """The verdict on what was run and does not judge the claim; with the number, but no interval,
    of the comparison that is the furthest from agreeing."""
    row = {"verdict": NOT_JUDGED, "comparisons": comparisons, "reason": reason}
    if not outcomes:
        return row
    worst = min(outcomes, key=lambda outcome: outcome.slack)
    return row | {"decided_at": worst.name, "measured": worst.measured.value, "bound": bound}


def in_words(row: dict) -> str:
    """A row's deciding comparison and the bound, and why it is not judged; empty where there is
    neither."""
    words = comparison_in_words(row)
    if words and row["bound"] is not None:
        words += f"; bound {row['bound']:.3g}, {row['bound_is']}"
    return words


def comparison_in_words(row: dict) -> str:
    """A row's sizes, why it is not judged, and its deciding comparison with the interval; empty
    where there are none."""
    parts = [row["reason"]] if row["reason"] else []
    if row["measured"] is not None:
        interval = ""
        if row["low"] is not None:
            high = "or more" if row["high"] is None else f"to {row['high']:.3g}"
            interval = f" ({row['low']:.3g} {high})"
        parts.append(f"{row['decided_at']}: {row['measured']:.3g}{interval}")
    return "; ".join([row["sizes"], *parts]) if parts else ""
