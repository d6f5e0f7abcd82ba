"""What single runs by the authors' recipe at d = 64 say on the paper's claims, on sets never
trained on; and whether what is published of three layers holds on such sets at all.

A single run has no interval: its verdict is "one run". Runs on the published 100 batches that come
back are judged apart from those on new batches at every step, where nothing can be learned by
heart.
"""

from collections.abc import Callable, Iterator

from ....results.tables import chosen
from ....statistics.claims import at_least
from ....statistics.contrasts import Contrast, Run
from ..settings.cells import TEXT_RATE
from ..settings.titles import OURS, PAPERS
from ..training import runs
from ..training.published_values import BATCH, SIZE_1, STEPS
from ..training.runs import by_rank
from .arm_claims import least_training_loss
from .claim import Evidence, RankClaim, rank_claim
from .judging import ComparedRuns, Contrasts
from .trained_claims import DIFFERENCE, Settings, lower_ranks_against_full, most_heads_of_lower_rank

BY_HEART = 5.0
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


def _of_networks(
    arm: Settings, contrasts_of: Callable[[list[Run]], Iterator[Contrast]]
) -> Contrasts:
    """Contrasts of the runs by the recipe, on the batches of an arm."""

    def contrasts(rows: list[Run]) -> Iterator[Contrast]:
        yield from contrasts_of(chosen(rows, **RECIPE, **arm))

    return contrasts


def _three_layers(
    contrasts_of: Callable[[list[Run]], Iterator[Contrast]],
) -> Callable[[list[Run]], Iterator[Contrast]]:
    return lambda rows: contrasts_of(chosen(rows, layers=3))


def one_layer_against_three(rows: list[Run]) -> Iterator[Contrast]:
    """Each lower rank of each width by itself."""
    for width in runs.values(rows, "width"):
        shallow = by_rank(chosen(rows, layers=1, width=width))
        deep = by_rank(chosen(rows, layers=3, width=width))
        for rank, group in shallow.items():
            yield Contrast(f"w={width}, r={rank}", [(group, deep.get(rank, []))])


def each_cell_against_itself(rows: list[Run]) -> Iterator[Contrast]:
    """For two measures of each run."""
    for cell in runs.cells_of(rows):
        yield Contrast(runs.cell_words(cell[0]), [(cell, cell)], at_least)


def _on_new_sets(arm: Settings, words: str, suffix: str) -> tuple[RankClaim, ...]:
    """The paper's claims on three layers, of runs on the batches of an arm."""
    return (
        rank_claim(
            f"full rank at three layers{suffix}",
            origin=PAPERS,
            statement=f"Three layers, trained on {words}: every lower rank has a larger error on "
            "new sets than full rank with as many parameters",
            bound=DIFFERENCE,
            judge=ComparedRuns(
                _of_networks(arm, _three_layers(lower_ranks_against_full)), shows_single_runs=True
            ),
        ),
        rank_claim(
            f"more heads at three layers{suffix}",
            origin=PAPERS,
            statement=f"Three layers, trained on {words}: the most heads of lower rank have a "
            "larger error on new sets than the fewest of full rank",
            bound=DIFFERENCE,
            judge=ComparedRuns(
                _of_networks(arm, _three_layers(most_heads_of_lower_rank)), shows_single_runs=True
            ),
        ),
        rank_claim(
            f"depth helps{suffix}",
            origin=PAPERS,
            statement=f"Trained on {words}, three layers of lower rank have a smaller error on new "
            "sets than one of the same rank and width",
            bound=DIFFERENCE,
            judge=ComparedRuns(_of_networks(arm, one_layer_against_three), shows_single_runs=True),
        ),
    )


CLAIMS: tuple[RankClaim, ...] = (
    *_on_new_sets(runs.AS_PUBLISHED, "the same 100 batches in every epoch", ""),
    *_on_new_sets(NEW_BATCHES, "new batches at every step", ", new batches"),
    rank_claim(
        "three layers by heart",
        origin=OURS,
        statement="What is published of three layers is of the sets trained on: the error on new "
        f"sets is over {BY_HEART:g} times the least training loss of an epoch",
        bound="factor of the error on new sets over the training loss",
        judge=ComparedRuns(
            _of_networks(runs.AS_PUBLISHED, _three_layers(each_cell_against_itself)),
            measures=(runs.held_out_error, least_training_loss),
            factor=BY_HEART,
            shows_single_runs=True,
        ),
    ),
)


def one_run_rows(evidence: Evidence) -> list[dict[str, object]]:
    """The row of each claim; "not run" where there is nothing to compare."""
    return [claim.row(evidence) for claim in CLAIMS]
