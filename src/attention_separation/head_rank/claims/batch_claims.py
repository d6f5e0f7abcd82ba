"""Claims of this reproduction on training on the same batches again, and on the schedule of the
rate, each at the same of the other: the published configurations have both at once."""

from collections.abc import Iterator

from attention_separation.statistics.claims import at_most, within

from .contrasts import SIZE, Contrast
from .judging import ON_EITHER_SIDE, Contrasts, TrainedClaim, cell_words
from .outcomes import OURS
from .runs import chosen, held_out_error

FRESH = {"regime": "fresh", "schedule": "per_step"}
REPEATED = {"regime": "repeated", "schedule": "per_step"}
AS_PUBLISHED = {"regime": "repeated", "schedule": "per_epoch"}
"""The arms: between the first two the batches differ alone, between the last two the schedule."""

_CELL = (*SIZE, "layers", "width", "rank", "encoding", "additive_mean", "batch", "steps", "lr")


def cells_of(rows: list[dict], **wanted: object) -> list[list[dict]]:
    """The runs of each cell with some settings."""
    own = chosen(rows, **wanted)
    return [chosen(own, cell=cell) for cell in dict.fromkeys(row["cell"] for row in own)]


def against(arm: dict, other: dict) -> Contrasts:
    """Each cell of an arm against the same cell of another; the claim is that they do as well."""

    def contrasts(rows: list[dict]) -> Iterator[Contrast]:
        for own in cells_of(rows, **arm):
            same = {name: own[0][name] for name in _CELL}
            yield Contrast(cell_words(own[0]), [(own, chosen(rows, **other, **same))], within)

    return contrasts


def reported_loss(run: dict) -> float:
    """The least training loss of an epoch that a run reports."""
    return 1.0 if run["min_train"] is None else run["min_train"]


def training_loss(name: str, arm: dict, schedule: str) -> TrainedClaim:
    """What training on the same batches again reports, with one of the schedules: of each run its
    own."""
    return TrainedClaim(
        name,
        f"Trained on the same batches again, with {schedule}, the error on new data exceeds the "
        "least training loss of an epoch by no more than the margin",
        lambda rows: (
            Contrast(cell_words(own[0]), [(own, own)], at_most) for own in cells_of(rows, **arm)
        ),
        (held_out_error, reported_loss),
        whose=OURS,
        bound_is="margin, of the mean excess over the training loss",
    )


CLAIMS = (
    training_loss("training loss is error", AS_PUBLISHED, "the published schedule per epoch"),
    training_loss("training loss is error, per step", REPEATED, "a schedule per step"),
    TrainedClaim(
        "repeated batches",
        "Trained on the same batches again, with the same schedule per step, the error on new data "
        "is what training on new batches leads to, in every cell",
        against(REPEATED, FRESH),
        whose=OURS,
        bound_is=ON_EITHER_SIDE,
    ),
    TrainedClaim(
        "schedule",
        "On the same batches, the published schedule per epoch leads to the error on new data that "
        "one per step leads to, in every cell",
        against(AS_PUBLISHED, REPEATED),
        whose=OURS,
        bound_is=ON_EITHER_SIDE,
    ),
)
