"""The words of verdicts, and how many there are of each."""

from collections import Counter
from collections.abc import Iterable

AGREES, DIFFERS, UNDECIDED = VERDICTS = ("agrees", "differs", "undecided")
NOT_RUN = "not run"
NOT_JUDGED = "not judged"
"""Of what was run, and says nothing on the claim."""
NOT_APPLICABLE = "not applicable"
"""Of a claim whose conditions are not met."""

OF_SEVERAL = {AGREES: "agree", DIFFERS: "differ"}
"""Those that are said otherwise of several."""


def count_verdicts(verdicts: Iterable[str]) -> str:
    """How many there are of each, as "5 agree, 1 undecided"; any other words stand last."""
    counts = Counter(verdicts)
    words = dict.fromkeys([*VERDICTS, *counts])
    return ", ".join(
        f"{counts[word]} {OF_SEVERAL.get(word, word)}" for word in words if counts[word]
    )
