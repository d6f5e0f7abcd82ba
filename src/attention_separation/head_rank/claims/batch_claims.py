"""Claims of this reproduction on training on the same batches again, and on the schedule of the
rate, each at the same of the other: the published configurations have both at once."""

from collections.abc import Iterator

from attention_separation.statistics.means import Estimate, mean_gap

from .comparisons import SIZE, Comparison
from .judging import Claim, cell_words, judge_claim, single_runs
from .outcomes import OURS, below, decide, unjudged, within
from .runs import chosen, held_out_error, naming_dead, sizes

FRESH = {"regime": "fresh", "schedule": "per_step"}
REPEATED = {"regime": "repeated", "schedule": "per_step"}
AS_PUBLISHED = {"regime": "repeated", "schedule": "per_epoch"}
"""The arms: between the first two the batches differ alone, between the last two the schedule."""

_CELL = (*SIZE, "layers", "width", "rank", "encoding", "additive_mean", "batch", "steps", "lr")

_SCHEDULES = {
    "per_step": "a schedule per step",
    "per_epoch": "the published schedule per epoch",
}


def cells_of(rows: list[dict], **wanted: object) -> list[list[dict]]:
    """The runs of each cell with some settings."""
    own = chosen(rows, **wanted)
    return [chosen(own, cell=cell) for cell in dict.fromkeys(row["cell"] for row in own)]


def against(rows: list[dict], arm: dict, other: dict) -> Iterator[Comparison]:
    """Each cell of an arm against the same cell of another; the claim is that they do as well."""
    for own in cells_of(rows, **arm):
        same = {name: own[0][name] for name in _CELL}
        yield Comparison(cell_words(own[0]), [(own, chosen(rows, **other, **same))], within)


def training_gap(run: dict) -> float:
    """By how much a run's error on new data exceeds the least training loss that it reports."""
    return held_out_error(run) - (1.0 if run["min_train"] is None else run["min_train"])


def training_loss(
    rows: list[dict], arm: dict[str, str], margin: float, level: float
) -> dict[str, object]:
    """The row on what training on the same batches again reports, with one of the schedules."""
    cells = cells_of(rows, **arm)
    published = arm == AS_PUBLISHED
    row = {
        "claim": f"training loss is error{'' if published else ', per step'}",
        "whose": OURS,
        "statement": f"Trained on the same batches again, with {_SCHEDULES[arm['schedule']]}, the "
        "error on new data exceeds the least training loss of an epoch by no more than the margin",
        "sizes": sizes(row for own in cells for row in own),
        "bound_is": "margin, of the mean excess over the training loss",
    }
    # Of each run its own: both are those of one network.
    gaps = [(naming_dead(cell_words(own[0]), own), [*map(training_gap, own)]) for own in cells]
    if reason := single_runs(cells):
        alone = [below(name, Estimate.within(sum(gap) / len(gap), 0.0), margin)
                 for name, gap in gaps]  # fmt: skip
        return row | unjudged(reason, len(cells), alone, margin)
    outcomes = [below(name, mean_gap(gap, level / len(cells)), margin) for name, gap in gaps]
    return (
        row | {"interval": "Student's, within runs" if cells else None} | decide(outcomes, margin)
    )


CLAIMS = (
    Claim(
        "repeated batches",
        "Trained on the same batches again, with the same schedule per step, the error on new data "
        "is what training on new batches leads to, in every cell",
        lambda rows: against(rows, REPEATED, FRESH),
        whose=OURS,
    ),
    Claim(
        "schedule",
        "On the same batches, the published schedule per epoch leads to the error on new data that "
        "one per step leads to, in every cell",
        lambda rows: against(rows, AS_PUBLISHED, REPEATED),
        whose=OURS,
    ),
)


def batches(rows: list[dict], margin: float, level: float) -> Iterator[dict]:
    """The rows on repeated batches and on schedules."""
    yield training_loss(rows, AS_PUBLISHED, margin, level)
    yield training_loss(rows, REPEATED, margin, level)
    for claim in CLAIMS:
        yield judge_claim(claim, rows, margin, level)
