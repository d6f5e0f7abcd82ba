"""What the table of claims says, in sentences: every number is read from it."""

import pyarrow as pa

from attention_separation.statistics.verdict_words import (
    DIFFERS,
    NOT_JUDGED,
    UNDECIDED,
    count_verdicts,
)

from ..claims.outcomes import CLAIMED, OURS, PAPERS, PUBLISHED, WHOSE, comparison_in_words

COUNTED = {PAPERS: "of the paper's", PUBLISHED: f"of {PUBLISHED}", OURS: f"of {OURS} own"}
"""Whose claims, and how they are counted."""


def claims_findings(table: pa.Table, scale: str) -> list[str]:
    """How many claims agree, and which do not, a line each; the paper's and ours apart."""
    rows = table.to_pylist()
    groups = {whose: [row for row in rows if row["whose"] == whose] for whose in WHOSE}
    counts = "; ".join(
        f"of {len(own)} {COUNTED[whose]}, {count_verdicts(row['verdict'] for row in own)}"
        for whose in CLAIMED
        if (own := groups[whose])
    )
    said = [
        f"**The claims**, at the scale {scale}, by bounds that are this reproduction's: {counts}."
    ]
    for verdict in (DIFFERS, UNDECIDED, NOT_JUDGED):
        said += [
            f"**{verdict.capitalize()}, {whose}:** {_of_claim(row)}."
            for whose, own in groups.items()
            for row in own
            if row["verdict"] == verdict
        ]
    return said


def _of_claim(row: dict) -> str:
    """The statement, with what was measured if it differs, or why it is not judged, else with the
    sizes alone."""
    statement = row["statement"][0].lower() + row["statement"][1:]
    words = row["sizes"] if row["verdict"] == UNDECIDED else comparison_in_words(row)
    return f"{statement} [{words}]" if words else statement
