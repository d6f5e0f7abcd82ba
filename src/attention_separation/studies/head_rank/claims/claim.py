"""A claim of this study: whose it is, what it is judged on, and its row of the table of claims.

A judgement on trained transformers or on computed numbers also says on which d and N it rests,
whose intervals it has, or why what was run cannot judge the claim: that is a `Finding`.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from ....results.claims import JudgedClaim
from ....results.tables import Row, chosen, schema
from ....statistics.claims import Comparison, Estimate, Judgement, Verdict, judge
from ....statistics.contrasts import Run
from ..settings.titles import CHECK, OURS, PAPERS, PUBLISHED
from ..training import runs
from ..training.cell_table import USUAL

ORIGINS = (PAPERS, PUBLISHED, OURS, CHECK)
"""Whose claims, in the order of their table."""

SCHEMA = schema(
    claim=str,
    origin=str,
    statement=str,
    sizes=str,
    verdict=str,
    comparisons=int,
    deciding_case=str,
    measured=float,
    low=float,
    high=float,
    bound=float,
    bound_description=str,
    interval=str,
    reason=str,
)
"""One row per claim. `sizes`: the d and N of what is compared. `measured` with its interval is that
of the comparison, named `deciding_case`, that is the furthest from agreeing of those with the
claim's verdict; null where nothing was compared, and an end of the interval where there is none.
`bound_description` says what the bound is, and of what; `interval`, whose it is, where it is one of
means over runs. `reason`: why what was run does not judge the claim."""


@dataclass(frozen=True)
class Evidence:
    """What the claims of this study are judged on: runs and rows of tables, and its settings.

    Attributes
    ----------
    margin : how far apart two mean errors must be to count as different
    level : chance that an interval of a claim misses, over all comparisons of the claim
    seed : of what is simulated of learned heads
    runs : of all trained cells, as `training.runs.read_runs` reads them
    votes, features, temperatures : of `constructions.vote`, of its errors, and of `features` and
        `temperature`
    needed_heads, found_heads, pluralities, trained_layers : of `theory.bound_table.NEEDED`, of
        `theory.found_table`, `theory.plurality_table` and `theory.layers_table`
    """

    margin: float
    level: float
    seed: int
    runs: list[Run] = field(default_factory=list)
    votes: list[Row] = field(default_factory=list)
    features: list[Row] = field(default_factory=list)
    temperatures: list[Row] = field(default_factory=list)
    needed_heads: list[Row] = field(default_factory=list)
    found_heads: list[Row] = field(default_factory=list)
    pluralities: list[Row] = field(default_factory=list)
    trained_layers: list[Row] = field(default_factory=list)

    @cached_property
    def usual_runs(self) -> list[Run]:
        """The runs of networks like the paper's, with biases and RMSNorm."""
        return chosen(self.runs, **USUAL)

    @cached_property
    def learned_heads(self) -> list[Run]:
        """The runs of one head of full rank at one layer, each with the error of -cI beside it."""
        return runs.with_fact_1(runs.single_heads(self.usual_runs, layers=1), self.seed)


@dataclass(frozen=True)
class Finding(Judgement):
    """A judgement with the rest of the claim's row: `sizes`, `interval` and `reason` of SCHEMA, and
    a statement in place of the claim's where it names sizes that were run."""

    sizes: str = ""
    interval: str | None = None
    reason: str | None = None
    statement: str | None = None

    def columns(self) -> Row:
        """The finding's columns of the table of claims."""
        columns = super().columns()
        columns |= {"sizes": self.sizes, "interval": self.interval, "reason": self.reason}
        if self.statement is not None:
            columns["statement"] = self.statement
        if self.deciding is not None:
            columns["measured"] = columns["value"]
            # Where a range has two ends, they differ in sign alone.
            columns["bound"] = columns["least"] if columns["most"] is None else columns["most"]
        return columns


RankClaim = JudgedClaim[Evidence]
"""A claim of this study, whose `judge` returns a Finding."""


def rank_claim(
    name: str,
    *,
    origin: str,
    statement: str,
    bound: str,
    judge: Callable[[Evidence], Finding],
    substitute: RankClaim | None = None,
) -> RankClaim:
    """A claim of this study, from one of ORIGINS; `bound` says what its bound is, and of what."""
    columns = {"origin": origin, "bound_description": bound}
    return JudgedClaim(name, statement, judge, columns, substitute)


def finding_of(
    comparisons: Iterable[Comparison],
    sizes: str,
    interval: str | None = None,
    reason: str | None = None,
) -> Finding:
    """The finding that comparisons lead to; "not run" where there are none."""
    return Finding(**vars(judge(comparisons)), sizes=sizes, interval=interval, reason=reason)


def finding_of_worst(worst: Comparison, comparisons: int, sizes: str) -> Finding:
    """The finding where the worst of so many comparisons of known numbers decides: it has no
    interval."""
    return Finding(worst.verdict, comparisons, _without_interval(worst), sizes)


def not_judged(
    comparisons: int, sizes: str, reason: str, numbers: Sequence[Comparison] = ()
) -> Finding:
    """The finding where what was run cannot judge the claim: with the number, but no interval, of
    the comparison that is the furthest from agreeing, if there are `numbers`."""
    worst = _furthest_from_agreeing(numbers) if numbers else None
    return Finding(Verdict.NOT_JUDGED, comparisons, worst, sizes, reason=reason)


def of_one_run(numbers: Sequence[Comparison], sizes: str) -> Finding:
    """The finding on single runs, with the number that is the furthest from agreeing: how many are
    as claimed is the reason, for none has an interval."""
    count = len(numbers)
    as_claimed = sum(number.verdict == Verdict.AGREES for number in numbers)
    reason = f"one run each, without interval: {as_claimed} of {count} are as claimed"
    worst = _furthest_from_agreeing(numbers)
    return Finding(Verdict.ONE_RUN, count, worst, sizes, reason=reason)


def _furthest_from_agreeing(numbers: Sequence[Comparison]) -> Comparison:
    """The comparison that is the furthest from agreeing, without an interval."""
    return _without_interval(min(numbers, key=lambda number: number.slack))


def _without_interval(comparison: Comparison) -> Comparison:
    """The comparison with its value alone: the ends of the interval are NaN."""
    measured = Estimate.within(comparison.measured.value, math.nan)
    return replace(comparison, measured=measured)
