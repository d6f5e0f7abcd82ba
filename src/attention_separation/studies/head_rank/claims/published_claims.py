"""Claims that no run here can judge, on values read off the paper's figures.

These are least training losses over five runs. Their intervals say how far two readings may be off,
and nothing of the spread over runs.
"""

from dataclasses import dataclass, replace

from ....statistics.claims import Estimate, at_least, at_most
from ..settings.titles import PUBLISHED
from ..training import published_values
from ..training.published_values import HARD, RANKS, READING_1, SIZE_1
from ..training.runs import sizes
from .claim import Evidence, Finding, finding_of, rank_claim

PUBLISHED_SIZES = sizes([SIZE_1])
"""Of what the paper's figures show."""


def _difference(larger: float, smaller: float) -> Estimate:
    """The difference of two readings, each of which may be off by READING_1 of its value."""
    return Estimate.within(larger - smaller, READING_1 * (larger + smaller))


def _judge_five_layers(evidence: Evidence) -> Finding:
    """The finding on the published errors of five layers less those of three, at each rank."""
    five_layers = published_values.FIGURE_1[5, 1]
    three_layers = published_values.FIGURE_1[3, 1]
    comparisons = [
        at_least(f"r={rank}", _difference(five, three), evidence.margin)
        for rank, five, three in zip(RANKS, five_layers, three_layers, strict=True)
    ]
    return finding_of(comparisons, PUBLISHED_SIZES)


FIVE_LAYERS = rank_claim(
    "five layers",
    origin=PUBLISHED,
    statement="Five layers with d^2 parameters per layer have a larger error than three, at every "
    "rank",
    bound="margin, of the difference of least errors as read",
    judge=_judge_five_layers,
)


@dataclass(frozen=True)
class PublishedModel:
    """A model of Figure 1, with its error as read."""

    layers: int
    width: int
    rank: int
    error: float

    @property
    def attention_parameters(self) -> int:
        """In units of 4 d^2: a layer's matrices have 4 w d^2 numbers, whatever the rank."""
        return self.layers * self.width

    def __str__(self) -> str:
        return f"L={self.layers}, w={self.width}, r={self.rank}"


def _published_models() -> list[PublishedModel]:
    """The models of Figure 1, but for five layers with d^2 parameters, which the paper sets
    apart."""
    models = []
    for (layers, width), errors in published_values.FIGURE_1.items():
        if (layers, width) != HARD:
            for rank, error in zip(RANKS, errors, strict=True):
                models.append(PublishedModel(layers, width, rank, error))
    return models


def _judge_best_below_full_rank(evidence: Evidence) -> Finding:
    """The finding on the least published error below full rank against the largest of full rank."""
    full_rank = max(RANKS)
    models = _published_models()
    lower = [model for model in models if model.rank < full_rank]
    full = [model for model in models if model.rank == full_rank]
    best = min(lower, key=lambda model: model.error)
    worst = max(full, key=lambda model: model.error)
    percent = 100 * abs(1 - best.error / worst.error)
    order = "smaller" if best.error < worst.error else "larger"
    name = (
        f"{best} against {worst}: {best.error:g} against {worst.error:g} as read, "
        f"+-{100 * READING_1:g} % of each, least of five runs of unknown spread; "
        f"{percent:.0f} % {order}, difference"
    )
    comparison = at_most(name, _difference(worst.error, best.error), 0.0)
    times = best.attention_parameters // worst.attention_parameters
    statement = BEST_BELOW_FULL_RANK.statement.format(times=times)
    return replace(finding_of([comparison], PUBLISHED_SIZES), statement=statement)


BEST_BELOW_FULL_RANK = rank_claim(
    "best below full rank",
    origin=PUBLISHED,
    statement="But for five layers with d^2 parameters per layer, the best model below full rank, "
    "with {times} times the attention parameters (80 in the text), has no smaller error than the "
    "worst of full rank",
    bound="no difference, of least errors as read; how far runs spread is not known",
    judge=_judge_best_below_full_rank,
)
