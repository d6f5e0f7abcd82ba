"""What single runs by the authors' recipe at d = 64 say on the paper's claims, on sets never
trained on; and whether what is published of three layers holds on such sets at all.

A single run has no interval: its verdict is "one run". Runs on the published 100 batches that come
back are judged apart from those on new batches at every step, where nothing can be learned by
heart.
"""

from collections.abc import Iterator

from ....results.claims import claim_rows
from ....results.tables import Row, chosen
from ....statistics.contrasts import Contrast, Run
from ..settings.cells import TEXT_RATE
from ..settings.titles import OURS, PAPERS
from ..training import runs
from ..training.published_values import BATCH, SIZE_1, STEPS
from ..training.runs import by_rank
from .arm_claims import each_cell_against_itself, least_training_loss, runs_of_arm
from .claim import Evidence, RankClaim, rank_claim
from .judging import ComparedRuns, Contrasts
from .trained_claims import (
    DIFFERENCE_BOUND,
    Settings,
    lower_ranks_against_full,
    most_heads_of_lower_rank,
)

BY_HEART_FACTOR = 5.0
"""Error on new sets over training loss from which a run has learned its sets by heart: chosen
before any run of three layers by this recipe was looked at."""

NEW_BATCHES = {"regime": "fresh", "schedule": "per_epoch"}

RECIPE: Settings = {
    **SIZE_1,
    "encoding": "none",
    "batch": BATCH,
    "steps": STEPS["rank_fig1"],
    "lr": TEXT_RATE,
    "stop_after": None,
}
"""Of Figure 1's runs by the published configurations."""


THREE_LAYERS: Settings = {"layers": 3}


def one_layer_against_three(rows: list[Run]) -> Iterator[Contrast]:
    """The contrasts of one layer with three, at each lower rank of each width."""
    for width in runs.values(rows, "width"):
        shallow = by_rank(chosen(rows, layers=1, width=width))
        deep = by_rank(chosen(rows, layers=3, width=width))
        for rank, group in shallow.items():
            yield Contrast(f"w={width}, r={rank}", [(group, deep.get(rank, []))])


def _compared(contrasts: Contrasts, arm: Settings, layers: Settings) -> ComparedRuns:
    """The judge by some contrasts of the runs by the recipe, on the batches of an arm and of some
    layers."""
    selection = runs_of_arm({**RECIPE, **arm, **layers})
    return ComparedRuns(contrasts, selection, shows_single_runs=True)


def _on_new_sets(arm: Settings, words: str, suffix: str) -> tuple[RankClaim, ...]:
    """The paper's claims on three layers, of runs on the batches of an arm."""
    return (
        rank_claim(
            f"full rank at three layers{suffix}",
            origin=PAPERS,
            statement=f"Three layers, trained on {words}: every lower rank has a larger error on "
            "new sets than full rank with as many parameters",
            bound=DIFFERENCE_BOUND,
            judge=_compared(lower_ranks_against_full, arm, THREE_LAYERS),
        ),
        rank_claim(
            f"more heads at three layers{suffix}",
            origin=PAPERS,
            statement=f"Three layers, trained on {words}: the most heads of lower rank have a "
            "larger error on new sets than the fewest of full rank",
            bound=DIFFERENCE_BOUND,
            judge=_compared(most_heads_of_lower_rank, arm, THREE_LAYERS),
        ),
        rank_claim(
            f"depth helps{suffix}",
            origin=PAPERS,
            statement=f"Trained on {words}, three layers of lower rank have a smaller error on new "
            "sets than one of the same rank and width",
            bound=DIFFERENCE_BOUND,
            judge=_compared(one_layer_against_three, arm, {}),
        ),
    )


ONE_RUN_CLAIMS: tuple[RankClaim, ...] = (
    *_on_new_sets(runs.AS_PUBLISHED, "the same 100 batches in every epoch", ""),
    *_on_new_sets(NEW_BATCHES, "new batches at every step", ", new batches"),
    rank_claim(
        "three layers by heart",
        origin=OURS,
        statement="What is published of three layers is of the sets trained on: the error on new "
        f"sets is over {BY_HEART_FACTOR:g} times the least training loss of an epoch",
        bound="factor of the error on new sets over the training loss",
        judge=ComparedRuns(
            each_cell_against_itself,
            runs_of_arm({**RECIPE, **runs.AS_PUBLISHED, **THREE_LAYERS}),
            measures=(runs.held_out_error, least_training_loss),
            factor=BY_HEART_FACTOR,
            shows_single_runs=True,
        ),
    ),
)


def one_run_rows(evidence: Evidence) -> list[Row]:
    """The row of each claim; "not run" where there is nothing to compare."""
    return claim_rows(ONE_RUN_CLAIMS, evidence)
