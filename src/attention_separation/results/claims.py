"""The table of claims of a study whose claims are judged by one rule each: its columns, what they
mean, and its summary."""

from collections.abc import Callable, Iterable, Iterator
from operator import attrgetter
from pathlib import Path

from ..statistics.claims import Claim, Comparison, Evidence, judge, verdict_lines
from .declaration import Study
from .tables import schema

SCHEMA = schema(
    claim=str, kind=str, statement=str, rule=str, verdict=str, comparisons=int, deciding_case=str,
    value=float, low=float, high=float, least=float, most=float,
)  # fmt: skip
"""One row per claim: `value`, between `low` and `high`, is that of the comparison, named
`deciding_case`, that is the furthest from agreeing of those with the claim's verdict; it must lie
between `least` and `most`, null where there is no such end."""

ABOUT = (
    "A claim agrees if every one of its comparisons does: if the interval from low to high, that "
    "the value is known to, lies between least and most. It differs if one lies outside, and is "
    "undecided otherwise. Computed values have the interval of their numerical error. The value is "
    "that of the comparison that decides: of those with the claim's verdict the one that is "
    "furthest from agreeing."
)


def claim(
    name: str,
    kind: str,
    statement: str,
    rule: str,
    comparisons: Callable[[Evidence], Iterable[Comparison]],
    slack: Callable[[Comparison], float] = attrgetter("slack"),
) -> Claim[Evidence]:
    """A claim on numbers of a kind, by which rule it is judged, and what is compared.

    The comparison with the least slack decides.
    """
    columns = {"kind": kind, "rule": rule}
    return Claim(name, statement, lambda evidence: judge(comparisons(evidence), slack), columns)


def summary(study: Study, folder: Path) -> Iterator[str]:
    """The verdicts of the run in a folder, a line each; ValueError where there are none."""
    rows = study.made_rows(folder, f"{study.name}_claims", SCHEMA)
    yield from verdict_lines(f"{study.title}, claims at the scale {study.section.scale}", rows)
    yield f"{folder}/figures/{study.name}_*.{{svg,png,pdf,csv,parquet}}  the figures"
