"""The row of a claim: its verdict, and the numbers of the comparison that decides it; or why runs
that are there cannot judge it. Of a claim on trained transformers also its words and contrasts."""

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from ...results.tables import schema
from ...settings.words import joined
from ...statistics.claims import NOT_JUDGED, Claim, Comparison, Estimate, Judgement, at_least, judge
from ...statistics.contrasts import Claimed, Contrast, Measure
from ..training import runs

PAPERS = "the paper's"
PUBLISHED = "the paper's, judged on its published values alone"
OURS = "this reproduction's"
CHECK = "a check"
"""Whose claim: the paper's, as its text or figures say it, judged on runs or constructions made
here; such a one that nothing made here can judge; one that is made here; or what only a mistake of
the code can fail, which is counted with none of them."""

ORIGINS = (PAPERS, PUBLISHED, OURS, CHECK)
"""In the order in which they are said."""

SCHEMA = schema(
    claim=str, origin=str, statement=str, sizes=str, verdict=str, comparisons=int,
    deciding_case=str, measured=float, low=float, high=float, bound=float, bound_description=str,
    interval=str, reason=str,
)  # fmt: skip
"""One row per claim. `sizes`: the d and N of what is compared. `measured` with its interval is that
of the comparison, named `deciding_case`, that is the furthest from agreeing of those with the
claim's verdict; null where nothing was compared, and an end of the interval where there is none.
`bound_description` says what the bound is, and of what; `interval`, whose it is, where it is one of
means over runs. `reason`: why what was run does not judge the claim."""


def claim(name: str, origin: str, statement: str, bound_description: str) -> Claim:
    """A claim, whose it is, and what its bound is."""
    return Claim(name, statement, {"origin": origin, "bound_description": bound_description})


def row_of(claimed: Claim, of: str, judgement: Judgement) -> dict[str, object]:
    """The row of a claim `of` some sizes; where a range has two ends, they differ in sign alone."""
    row = claimed.row(judgement) | {"sizes": of}
    if judgement.deciding is None:
        return row
    bound = row["least"] if row["most"] is None else row["most"]
    return row | {"measured": row["value"], "bound": bound}


def alone(
    name: str, value: float, bound: float, count: int, claimed: Claimed = at_least
) -> Judgement:
    """The judgement on a number that is known, and is the worst of so many: without an interval."""
    verdict = claimed(name, Estimate.exactly(value), bound).verdict
    return Judgement(verdict, count, claimed(name, Estimate.within(value, math.nan), bound))


def unjudged(count: int, comparisons: Iterable[Comparison] = ()) -> Judgement:
    """The judgement on what was run and does not judge the claim: with the number, but no interval,
    of the comparison that is the furthest from agreeing."""
    worst = min(comparisons, key=lambda each: each.slack, default=None)
    if worst is not None:
        worst = replace(worst, measured=Estimate.within(worst.measured.value, math.nan))
    return Judgement(NOT_JUDGED, count, worst)


LEARNED = 0.5
"""Share of the error of uniform attention below which full rank counts as learned."""

_TRAINED = {
    "steps": "steps", "batch": "sets per batch", "lr": "as its rate",
    "warm_up": "of the steps as warm-up",
}  # fmt: skip

Unfit = Callable[[list[dict], list[Contrast]], str]
"""Of all runs and a claim's contrasts: why these cannot judge it; empty where they can."""

Contrasts = Callable[[list[dict]], Iterator[Contrast]]
"""Of all runs, what a claim is judged on."""

THEIRS = {"origin": PAPERS, "bound_description": "margin, of the difference of mean errors"}
FAR_LARGER = THEIRS | {"bound_description": "factor between mean errors"}
OURS_TOO = THEIRS | {"origin": OURS}
EITHER_SIDE = OURS_TOO | {
    "bound_description": "margin on either side, of the difference of mean errors"
}
"""Columns of claims."""


@dataclass(frozen=True)
class TrainedClaim(Claim):
    """A claim on trained transformers: its name, its words and the contrasts it stands for.

    What is compared is the mean of a measure over runs, of the first groups and of the second: by
    its difference, whose bound is the margin, or by its ratio, whose bound is the `factor`.
    `at_full_width`: the paper's runs have w = d. `unfit`: when runs cannot judge this claim,
    whatever their errors.
    """

    contrasts: Contrasts
    measures: tuple[Measure, Measure] = (runs.held_out_error, runs.held_out_error)
    factor: float | None = None
    at_full_width: bool = False
    unfit: Unfit = lambda rows, found: ""


def judge_claim(
    claim: TrainedClaim, rows: list[dict], margin: float, level: float
) -> dict[str, object]:
    """The row of a claim on trained transformers."""
    # A grid may have a group without the one that it is to be compared with.
    found = [each for each in claim.contrasts(rows) if all(each.groups)]
    is_ratio = claim.factor is not None
    bound = claim.factor if is_ratio else margin
    size = _sizes(claim, [row for each in found for row in each.runs])
    if reason := (claim.unfit(rows, found) if found else "") or unlike_training(found):
        return row_of(claim, size, unjudged(len(found))) | {"reason": reason}
    if reason := runs.single_runs([group for each in found for group in each.groups]):
        single = [
            each.claimed(each.name, each.without_interval(claim.measures, is_ratio), bound)
            for each in found
        ]
        return row_of(claim, size, unjudged(len(found), single)) | {"reason": reason}
    compared = [
        each.claimed(
            runs.naming_dead(each.name, each.runs),
            each.estimate(claim.measures, is_ratio, level / len(found)),
            bound,
        )
        for each in found
    ]
    interval = joined(list(dict.fromkeys(each.interval for each in found))) if found else None
    return row_of(claim, size, judge(compared)) | {"interval": interval}


def _sizes(claim: TrainedClaim, rows: list[dict]) -> str:
    """The sizes of the runs; with their width, where it should be the dimension and is not."""
    found = runs.sizes(rows)
    if claim.at_full_width and any(row["width"] != row["d"] for row in rows):
        widths = "/".join(map(str, runs.values(rows, "width")))
        found += f", w={widths} where the paper has w=d"
    return found


def unlike_training(found: list[Contrast]) -> str:
    """In what the training of compared groups differs; empty where it does not."""
    for each in found:
        for pair in each.pairs:
            for name, words in _TRAINED.items():
                first, second = (
                    "/".join(f"{value:,}" for value in runs.values(group, name)) for group in pair
                )
                if first != second:
                    return f"trained with {first} against {second} {words} ({each.name})"
    return ""


def two_outcomes(rows: list[dict], found: list[Contrast]) -> str:
    """Whether three layers of full rank end in two ways, so that a mean over runs is of neither."""
    del rows
    return runs.bimodal_reason([row for each in found for row in each.runs])


def unlearned(rows: list[dict], found: list[Contrast]) -> str:
    """Why runs of two layers cannot show what lower ranks lack on more points: they are narrower
    than the paper's, w = d, and full rank does not learn even the fewest."""
    del found
    own = [row for row in runs.two_layers(rows) if row["n"] > 2]
    if all(row["width"] == row["d"] for row in own):
        return ""
    full = [row for row in own if runs.is_full_rank(row)]
    if not full:
        return "w is not d, and no runs of full rank show that such networks learn"
    n = min(runs.values(full, "n"))
    shares = [runs.over_rank_0(row) for row in runs.chosen(full, n=n)]
    share = sum(shares) / len(shares)
    if share < LEARNED:
        return ""
    return (
        f"w is not d, and full rank is not learned: {share:.2f} of rank 0's error at N={n}, where "
        f"less than {LEARNED:g} is asked"
    )
