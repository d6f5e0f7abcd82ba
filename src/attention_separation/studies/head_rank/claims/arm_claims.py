"""Claims that compare arms of training, cell by cell: new batches or the same again, schedules of
the learning rate, and networks beside the paper's.

An arm is a set of settings; its cells are compared with the cells of another arm that are of the
same size, layers, width, rank and encoding.
"""

from collections.abc import Iterator

from ....results.tables import chosen
from ....statistics.claims import at_most, within
from ....statistics.contrasts import Contrast, Run
from ..settings.titles import OURS, PAPERS
from ..training import runs
from ..training.cell_table import USUAL
from .claim import Evidence, RankClaim, rank_claim
from .judging import ComparedRuns, Contrasts, Selection, every_run
from .trained_claims import DIFFERENCE_BOUND, EITHER_WAY_BOUND, Settings

_CELL = (*runs.SIZE, "layers", "width", "rank", "encoding", "additive_mean", "batch", "steps", "lr")
"""Settings that cells of two arms share."""


def arm_against(arm: Settings, other: Settings) -> Contrasts:
    """The function of runs that gives a contrast of each cell of an arm with the same cell of
    another."""

    def contrasts(rows: list[Run]) -> Iterator[Contrast]:
        """A contrast for each cell of the arm among some runs."""
        for cell in runs.cells_of(rows, **arm):
            same_cell = runs.like(chosen(rows, **other), cell[0], _CELL)
            yield Contrast(runs.cell_words(cell[0]), [(cell, same_cell)])

    return contrasts


def runs_of_arm(arm: Settings) -> Selection:
    """The function of the evidence that gives the runs of an arm, of networks like the paper's."""

    def selection(evidence: Evidence) -> list[Run]:
        return chosen(evidence.usual_runs, **arm)

    return selection


def each_cell_against_itself(rows: list[Run]) -> Iterator[Contrast]:
    """The runs of each cell beside themselves, for two measures of each run."""
    for cell in runs.cells_of(rows):
        yield Contrast(runs.cell_words(cell[0]), [(cell, cell)])


def least_training_loss(run: Run) -> float:
    """The least training loss of an epoch that a run reports; 1 where it reports none."""
    loss: float | None = run["min_train"]
    return 1.0 if loss is None else loss


def _training_loss_claim(name: str, arm: Settings, schedule: str) -> RankClaim:
    """The claim that the error on new data is hardly above the training loss, for training on the
    same batches again with one of the schedules."""
    return rank_claim(
        name,
        origin=OURS,
        statement=f"Trained on the same batches again, with {schedule}, the error on new data "
        "exceeds the least training loss of an epoch by no more than the margin",
        bound="margin, of the mean excess over the training loss",
        judge=ComparedRuns(
            each_cell_against_itself,
            runs_of_arm(arm),
            claimed=at_most,
            measures=(runs.held_out_error, least_training_loss),
        ),
    )


BATCH_CLAIMS = (
    _training_loss_claim(
        "training loss is error", runs.AS_PUBLISHED, "the published schedule per epoch"
    ),
    _training_loss_claim("training loss is error, per step", runs.REPEATED, "a schedule per step"),
    rank_claim(
        "repeated batches",
        origin=OURS,
        statement="Trained on the same batches again, with the same schedule per step, the error "
        "on new data is what training on new batches leads to, in every cell",
        bound=EITHER_WAY_BOUND,
        judge=ComparedRuns(arm_against(runs.REPEATED, runs.FRESH), claimed=within),
    ),
    rank_claim(
        "schedule",
        origin=OURS,
        statement="On the same batches, the published schedule per epoch leads to the error on new "
        "data that one per step leads to, in every cell",
        bound=EITHER_WAY_BOUND,
        judge=ComparedRuns(arm_against(runs.AS_PUBLISHED, runs.REPEATED), claimed=within),
    ),
)


AS_THE_PAPERS: Settings = {**runs.FRESH, **USUAL}
"""Networks like the paper's, on new batches."""


def _without_biases(layers: int, layers_in_words: str) -> RankClaim:
    """The claim that networks of so many layers do without biases what they do with them."""
    without: Settings = {"biases": False, "layers": layers}
    return rank_claim(
        f"biases, {layers_in_words.lower()}",
        origin=PAPERS,
        statement=f"{layers_in_words}: without biases networks have the error of those with them, "
        "at every rank",
        bound=EITHER_WAY_BOUND,
        judge=ComparedRuns(arm_against(without, AS_THE_PAPERS), every_run, claimed=within),
    )


def _with_layer_norm(layers: int, layers_in_words: str) -> RankClaim:
    """The claim that networks of so many layers have a larger error with LayerNorm."""
    with_layer_norm: Settings = {"layer_norm": True, "layers": layers}
    return rank_claim(
        f"LayerNorm, {layers_in_words.lower()}",
        origin=PAPERS,
        statement=f"{layers_in_words}: with LayerNorm, which centres, the error is larger than "
        "with RMSNorm, at every rank",
        bound=DIFFERENCE_BOUND,
        judge=ComparedRuns(arm_against(with_layer_norm, AS_THE_PAPERS), every_run),
    )


VARIANT_CLAIMS = (
    _without_biases(1, "One layer"),
    _without_biases(3, "Three layers"),
    _with_layer_norm(1, "One layer"),
    _with_layer_norm(3, "Three layers"),
)
"""All other claims are on networks like the paper's alone."""
