"""A claim on trained transformers: its words, its contrasts, and its row; or why runs that are
there cannot judge it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from attention_separation.pages.prose import joined
from attention_separation.statistics.claims import Claim, judge
from attention_separation.statistics.contrasts import Contrast, Measure

from ..training.runs import (
    chosen,
    held_out_error,
    is_full_rank,
    naming_dead,
    over_rank_0,
    single_runs,
    sizes,
    two_ends,
    two_layers,
    values,
)
from .outcomes import OURS, PAPERS, row_of, unjudged

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

THEIRS = {"whose": PAPERS, "bound_is": "margin, of the difference of mean errors"}
FAR_LARGER = THEIRS | {"bound_is": "factor between mean errors"}
OURS_TOO = THEIRS | {"whose": OURS}
EITHER_SIDE = OURS_TOO | {"bound_is": "margin on either side, of the difference of mean errors"}
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
    measures: tuple[Measure, Measure] = (held_out_error, held_out_error)
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
    if reason := single_runs([group for each in found for group in each.groups]):
        single = [
            each.claimed(each.name, each.without_interval(claim.measures, is_ratio), bound)
            for each in found
        ]
        return row_of(claim, size, unjudged(len(found), single)) | {"reason": reason}
    compared = [
        each.claimed(
            naming_dead(each.name, each.runs),
            each.estimate(claim.measures, is_ratio, level / len(found)),
            bound,
        )
        for each in found
    ]
    interval = joined(list(dict.fromkeys(each.interval for each in found))) if found else None
    return row_of(claim, size, judge(compared)) | {"interval": interval}


def _sizes(claim: TrainedClaim, rows: list[dict]) -> str:
    """The sizes of the runs; with their width, where it should be the dimension and is not."""
    found = sizes(rows)
    if claim.at_full_width and any(row["width"] != row["d"] for row in rows):
        widths = "/".join(map(str, values(rows, "width")))
        found += f", w={widths} where the paper has w=d"
    return found


def unlike_training(found: list[Contrast]) -> str:
    """In what the training of compared groups differs; empty where it does not."""
    for each in found:
        for pair in each.pairs:
            for name, words in _TRAINED.items():
                first, second = (
                    "/".join(f"{value:,}" for value in values(group, name)) for group in pair
                )
                if first != second:
                    return f"trained with {first} against {second} {words} ({each.name})"
    return ""


def two_outcomes(rows: list[dict], found: list[Contrast]) -> str:
    """Whether three layers of full rank end in two ways, so that a mean over runs is of neither."""
    del rows
    return two_ends([row for each in found for row in each.runs])


def unlearned(rows: list[dict], found: list[Contrast]) -> str:
    """Why runs of two layers cannot show what lower ranks lack on more points: they are narrower
    than the paper's, w = d, and full rank does not learn even the fewest."""
    del found
    own = [row for row in two_layers(rows) if row["n"] > 2]
    if all(row["width"] == row["d"] for row in own):
        return ""
    full = [row for row in own if is_full_rank(row)]
    if not full:
        return "w is not d, and no runs of full rank show that such networks learn"
    n = min(values(full, "n"))
    shares = [over_rank_0(row) for row in chosen(full, n=n)]
    share = sum(shares) / len(shares)
    if share < LEARNED:
        return ""
    return (
        f"w is not d, and full rank is not learned: {share:.2f} of rank 0's error at N={n}, where "
        f"less than {LEARNED:g} is asked"
    )
