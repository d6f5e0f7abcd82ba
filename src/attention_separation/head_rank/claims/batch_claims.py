"""Claims of this reproduction on training on the same batches again, and on the schedule of the
rate, each at the same of the other: the published configurations have both at once."""

from collections.abc import Iterator

from attention_separation.statistics.claims import at_most, within
from attention_separation.statistics.contrasts import Contrast

from ..training.runs import (
    AS_PUBLISHED,
    FRESH,
    REPEATED,
    SIZE,
    cell_words,
    cells_of,
    chosen,
    held_out_error,
    like,
)
from .judging import EITHER_SIDE, OURS_TOO, Contrasts, TrainedClaim

_CELL = (*SIZE, "layers", "width", "rank", "encoding", "additive_mean", "batch", "steps", "lr")


def against(arm: dict, other: dict) -> Contrasts:
    """Each cell of an arm against the same cell of another; the claim is that they do as well."""

    def contrasts(rows: list[dict]) -> Iterator[Contrast]:
        for own in cells_of(rows, **arm):
            beside = like(chosen(rows, **other), own[0], _CELL)
            yield Contrast(cell_words(own[0]), [(own, beside)], within)

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
        OURS_TOO | {"bound_is": "margin, of the mean excess over the training loss"},
        lambda rows: (
            Contrast(cell_words(own[0]), [(own, own)], at_most) for own in cells_of(rows, **arm)
        ),
        (held_out_error, reported_loss),
    )


CLAIMS = (
    training_loss("training loss is error", AS_PUBLISHED, "the published schedule per epoch"),
    training_loss("training loss is error, per step", REPEATED, "a schedule per step"),
    TrainedClaim(
        "repeated batches",
        "Trained on the same batches again, with the same schedule per step, the error on new data "
        "is what training on new batches leads to, in every cell",
        EITHER_SIDE, against(REPEATED, FRESH),
    ),
    TrainedClaim(
        "schedule",
        "On the same batches, the published schedule per epoch leads to the error on new data that "
        "one per step leads to, in every cell",
        EITHER_SIDE, against(AS_PUBLISHED, REPEATED),
    ),
)  # fmt: skip
