"""Comparisons of groups of trained runs: which runs are alike, and which interval a difference of
groups has."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from attention_separation.statistics.means import (
    Estimate,
    Pairs,
    difference_of_means,
    paired_difference_of_means,
    ratio_of_means,
)

from .outcomes import Outcome, above
from .runs import chosen, values

Measure = Callable[[dict], float]

SIZE = ("d", "n", "feed_forward")
TRAINING = ("batch", "steps", "lr", "schedule", "warm_up")
STREAMS = ("initial_stream", "data_stream", "held_out_stream")
"""Columns: what a cell is the size of, how it is trained, and what its runs are drawn from."""

PAIRED, WELCH = "Student's, seed by seed", "Welch's"


@dataclass(frozen=True)
class Comparison:
    """Pairs of groups of runs; `judge` says what is claimed of the first's mean less the second's,
    averaged over the pairs: that it exceeds the bound, or that it does not, or its size."""

    name: str
    pairs: list[tuple[list[dict], list[dict]]]
    judge: Callable[[str, Estimate, float], Outcome] = above

    @property
    def groups(self) -> list[list[dict]]:
        """All groups of runs."""
        return [group for pair in self.pairs for group in pair]

    @property
    def runs(self) -> list[dict]:
        """All runs; one that is in two groups, twice."""
        return [row for group in self.groups for row in group]

    def is_complete(self) -> bool:
        """Whether there are runs of every group."""
        return all(self.groups)

    def is_paired(self) -> bool:
        """Whether runs of one seed share a stream: of all groups, the same seeds, and in each pair
        the initial values, the training data or the held-out sets."""
        seeds = {tuple(values(group, "run")) for group in self.groups}
        same_seeds = len(seeds) == 1 and all(
            len(group) == len(values(group, "run")) for group in self.groups
        )
        return same_seeds and all(
            any(first[name] == second[name] for name in STREAMS)
            for pair in self.pairs
            for first, second in zip(*map(_by_seed, pair), strict=True)
        )

    def measured(self, measure: Measure) -> Pairs:
        """What is compared, as numbers, in the order of the seeds."""
        return [
            tuple([measure(row) for row in _by_seed(group)] for group in pair)
            for pair in self.pairs
        ]

    def difference(self, measure: Measure, level: float) -> Estimate:
        """The first's mean less the second's over the pairs, with its interval.

        Raises
        ------
        ValueError
            If a group has fewer than two runs.
        """
        return self._compare(self.measured(measure), level)

    def ratio(self, measure: Measure, level: float) -> Estimate:
        """The first's mean over the second's, likewise."""
        return ratio_of_means(self.measured(measure), level, self._compare)

    @property
    def interval(self) -> str:
        """Whose interval it is."""
        return PAIRED if self.is_paired() else WELCH

    @property
    def _compare(self) -> Callable[[Pairs, float], Estimate]:
        return paired_difference_of_means if self.is_paired() else difference_of_means


def _by_seed(group: list[dict]) -> list[dict]:
    return sorted(group, key=lambda row: row["run"])


def alike(rows: list[dict], names: tuple[str, ...]) -> list[dict]:
    """The runs with the most frequent values of some settings: others are of another figure."""
    counts = Counter(tuple(row[name] for name in names) for row in rows)
    if not counts:
        return []
    ((most, _),) = counts.most_common(1)
    return chosen(rows, **dict(zip(names, most, strict=True)))


def alike_each(rows: list[dict], apart: str) -> list[dict]:
    """Of each value of a setting, the runs trained as most of its own are: two values may differ in
    how they are trained, which `unlike_training` finds."""
    return [
        row
        for value in values(rows, apart)
        for row in alike(chosen(rows, **{apart: value}), TRAINING)
    ]


def plain(rows: list[dict]) -> list[dict]:
    """Runs of Figure 1: new batches, no encoding, of the size that most runs have and, for each
    number of layers, trained as most are."""
    return alike_each(alike(chosen(rows, encoding="none", regime="fresh"), SIZE), "layers")
