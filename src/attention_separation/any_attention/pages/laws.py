"""What docs/kernels.md says of each law, and how they do at other data."""

from collections.abc import Iterable

import pyarrow as pa

from attention_separation.pages.prose import markdown_table
from attention_separation.statistics.verdict_words import count_verdicts

from ..laws.law_table import COUNTS
from ..laws.predictions import WORDS
from ..laws.verdicts import NUMBER

ELSEWHERE = "laws_elsewhere"
"""The table's name under docs/."""


def laws_text(laws: pa.Table, elsewhere: pa.Table) -> str:
    """The laws in Markdown, with their conditions and error terms, and how many claims agree."""
    of_law: dict[str, list[dict]] = {}
    for row in laws.to_pylist():
        of_law.setdefault(row["law"], []).append(row)
    here = []
    for law, rows in of_law.items():
        says, needs, error = (rows[0][name] for name in ("statement", "condition", "error_term"))
        here.append([law, says, needs, error, count_verdicts(row["verdict"] for row in rows)])
    of_data: dict[str, list[dict]] = {}
    for row in elsewhere.to_pylist():
        of_data.setdefault(row["data"], []).append(row)
    there = []
    for data, rows in of_data.items():
        numbers = [row for row in rows if row["kind"] == NUMBER]
        others = [row for row in rows if row["kind"] != NUMBER]
        there.append([data, _counted(numbers), _counted(others)])
    return (
        "## Laws\n\nWeights are random signs, V = I, and X = I or all ones if nothing else is "
        "said. A claim is not applicable where its law's conditions are not met. A number agrees "
        "if it is no further from the exact value than its law's error term.\n\n"
        + "\n\n".join(WORDS)
        + "\n\n"
        + markdown_table(["law", "says", "needs", "error term", "at these data"], here)
        + "\nThe same laws at other data, all else as above; `classes` is K and `at_least` the "
        f"least m. Counts of each law are in [{ELSEWHERE}.csv](kernels/{ELSEWHERE}.csv).\n\n"
        + markdown_table(["data", "numbers", "statements and identities"], there).rstrip()
    )


def _counted(rows: Iterable[dict]) -> str:
    return count_verdicts(word for row in rows for word in COUNTS for _ in range(row[word]))
