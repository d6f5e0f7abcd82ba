"""The row of a claim: its verdict, and the numbers of the comparison that decides it."""

from collections.abc import Iterable, Sequence

import pyarrow as pa

from attention_separation.statistics.claims import Comparison, Judgement, judge
from attention_separation.statistics.verdict_words import NOT_JUDGED

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


def decide(comparisons: Iterable[Comparison]) -> dict[str, object]:
    """The verdict on all, and the numbers of the comparison that decides it."""
    return _with_bound(judge(comparisons).columns())


def unjudged(reason: str, count: int, comparisons: Sequence[Comparison] = ()) -> dict[str, object]:
    """The verdict on what was run and does not judge the claim; with the number, but no interval,
    of the comparison that is the furthest from agreeing."""
    row = {"verdict": NOT_JUDGED, "comparisons": count, "reason": reason}
    if not comparisons:
        return row
    numbers = _with_bound(Judgement("", 0, min(comparisons, key=lambda each: each.slack)).columns())
    return row | {name: numbers[name] for name in ("decided_at", "measured", "bound")}


def _with_bound(row: dict) -> dict[str, object]:
    """One end of the range is the bound; where there are two they differ in sign alone."""
    if "value" not in row:
        return row
    bound = row["least"] if row["most"] is None else row["most"]
    return row | {"measured": row["value"], "bound": bound}


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
