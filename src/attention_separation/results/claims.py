"""The one form of a claim: what is claimed, in words, how it is judged, and its rows of a table.

A study has its claims in a tuple, and judges them on its *evidence*: tables of runs and of computed
numbers, and its settings. Most claims are a `JudgedClaim`, which has one row; one that is evaluated
at several settings has a row for each.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from ..statistics.claims import Comparison, Judgement, Verdict, count_verdicts, judge
from .declaration import Study
from .tables import Row, schema

Evidence = TypeVar("Evidence")
EvidenceOfClaim = TypeVar("EvidenceOfClaim", contravariant=True)


class Claim(Protocol[EvidenceOfClaim]):
    """What a table of claims has rows of."""

    def rows(self, evidence: EvidenceOfClaim, /) -> Iterable[Row]:
        """Its rows, judged on some evidence: one for each setting that it is evaluated at."""


def claim_rows(claims: Iterable[Claim[Evidence]], evidence: Evidence) -> list[Row]:
    """The rows of a table of claims, judged on some evidence, claim by claim."""
    rows: list[Row] = []
    for claim in claims:
        rows += claim.rows(evidence)
    return rows


@dataclass(frozen=True)
class JudgedClaim(Generic[Evidence]):
    """A claim with one judgement.

    Attributes
    ----------
    name : column `claim` of its row
    statement : what is claimed
    judge : a study's evidence -> the judgement
    columns : other columns of its row, the same whatever the judgement
    substitute : the claim that has its row in a table where the evidence does not judge this one
    """

    name: str
    statement: str
    judge: Callable[[Evidence], Judgement]
    columns: Mapping[str, object] = field(default_factory=dict)
    substitute: "JudgedClaim[Evidence] | None" = None

    def row(self, evidence: Evidence) -> Row:
        """The row of this claim, judged on some evidence, substituted or not."""
        row = {"claim": self.name, "statement": self.statement, **self.columns}
        row.update(self.judge(evidence).columns())
        return row

    def rows(self, evidence: Evidence) -> list[Row]:
        """This claim's row of a table of claims; its substitute's where the evidence does not judge
        this claim."""
        row = self.row(evidence)
        is_judged = row["verdict"] not in (Verdict.NOT_RUN, Verdict.NOT_JUDGED)
        if self.substitute is None or is_judged:
            return [row]
        return self.substitute.rows(evidence)


SCHEMA = schema(
    claim=str, kind=str, statement=str, rule=str, verdict=str, comparisons=int, deciding_case=str,
    value=float, low=float, high=float, least=float, most=float,
)  # fmt: skip
"""Of a study whose claims are judged by one rule each, one row per claim: `value`, between `low`
and `high`, is that of the comparison, named `deciding_case`, that is the furthest from agreeing of
those with the claim's verdict; it must lie between `least` and `most`, null where there is no such
end."""

ABOUT = (
    "A claim agrees if every one of its comparisons does: if the interval from low to high, that "
    "the value is known to, lies between least and most. It differs if one lies outside, and is "
    "undecided otherwise. Computed values have the interval of their numerical error. The value is "
    "that of the comparison that decides: of those with the claim's verdict the one that is "
    "furthest from agreeing."
)


def claim_by_rule(
    name: str,
    kind: str,
    statement: str,
    rule: str,
    comparisons: Callable[[Evidence], Iterable[Comparison]],
    slack: Callable[[Comparison], float] = attrgetter("slack"),
) -> JudgedClaim[Evidence]:
    """The claim that is judged by one rule: on `comparisons`, which it makes from a study's
    evidence. The one with the least slack decides.

    `kind` : column `kind` of its row, what its numbers are
    `rule` : column `rule` of its row, how it is judged, in words
    """

    def judged(evidence: Evidence) -> Judgement:
        return judge(comparisons(evidence), slack)

    return JudgedClaim(name, statement, judged, {"kind": kind, "rule": rule})


def verdict_lines(title: str, rows: Sequence[Row]) -> Iterator[str]:
    """The lines of a summary of a table of claims: a title with how many claims have each verdict,
    then a line for each row."""
    counts = count_verdicts(row["verdict"] for row in rows)
    yield f"{title}: {counts}"
    for row in rows:
        value = "" if row["value"] is None else f"{row['deciding_case']}: {row['value']:.5g}"
        yield f"{row['verdict']:<10} {row['claim']:<4} {value} ({row['rule']})"


def summary(study: Study, folder: Path) -> Iterator[str]:
    """The lines that `summary` prints of a study's run in a folder: its claims' verdicts, a line
    each, and where its figures are; ValueError where there is no table of claims."""
    rows = study.made_rows(folder, f"{study.name}_claims", SCHEMA)
    yield from verdict_lines(f"{study.title}, claims at the scale {study.section.scale}", rows)
    yield f"{folder}/figures/{study.name}_*.{{svg,png,pdf,csv,parquet}}  the figures"
