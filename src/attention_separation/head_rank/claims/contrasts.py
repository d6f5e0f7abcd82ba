"""Contrasts of groups of trained runs: which runs are alike, and which interval a difference of
groups has."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from attention_separation.statistics.claims import Comparison, Estimate, at_least
from attention_separation.statistics.means import (
    Pairs,
    difference_of_means,
    paired_difference_of_means,
    ratio_of_means,
)

from .runs import chosen, values

Measure = Callable[[dict], float]
Claimed = Callable[[str, Estimate, float], Comparison]
"""`at_least`, `at_most` or `within`."""

SIZE = ("d", "n", "feed_forward")
TRAINING = ("batch", "steps", "lr", "schedule", "warm_up")
STREAMS = ("initial_stream", "data_stream", "held_out_stream")
"""Columns: what a cell is the size of, how it is trained, and what its runs are drawn from."""

PAIRED, WITHIN_RUNS, WELCH = "Student's, seed by seed", "Student's, within runs", "Welch's"


@dataclass(frozen=True)
class Contrast:
    """Pairs of groups of runs: the first's mean less the second's, averaged over the pairs, or the
    first's over the second's. `claimed` says how it is claimed to stand to the bound."""

    name: str
    pairs: list[tuple[list[dict], list[dict]]]
    claimed: Claimed = at_least

    @property
    def groups(self) -> list[list[dict]]:
        """All groups of runs."""
        return [group for pair in self.pairs for group in pair]

    @property
    def runs(self) -> list[dict]:
        """All runs; one that is in two groups, twice."""
        return [row for group in self.groups for row in group]

    @property
    def interval(self) -> str:
        """Whose interval it has. Runs of one seed are compared with each other where they share a
        stream: where all groups have the same seeds, and in each pair the runs of a seed the
        initial values, the training data or the held-out sets."""
        if all(first is second for first, second in self.pairs):
            return WITHIN_RUNS
        seeds = {tuple(values(group, "run")) for group in self.groups}
        same_seeds = len(seeds) == 1 and all(len(group) == len(*seeds) for group in self.groups)
        shares_stream = same_seeds and all(
            any(first[name] == second[name] for name in STREAMS)
            for pair in self.pairs
            for first, second in zip(*map(_by_seed, pair), strict=True)
        )
        return PAIRED if shares_stream else WELCH

    def measured(self, measures: tuple[Measure, Measure]) -> Pairs:
        """What is measured of the first groups' runs and of the second's, by seed."""
        return [
            tuple([measure(row) for row in _by_seed(group)]
                  for measure, group in zip(measures, pair, strict=True))
            for pair in self.pairs
        ]  # fmt: skip

    def estimate(self, measures: tuple[Measure, Measure], is_ratio: bool, level: float) -> Estimate:
        """The difference, or the ratio, with its interval.

        Raises
        ------
        ValueError
            If a group has fewer than two runs.
        """
        pairs = self.measured(measures)
        difference = difference_of_means if self.interval == WELCH else paired_difference_of_means
        return ratio_of_means(pairs, level, difference) if is_ratio else difference(pairs, level)

    def without_interval(self, measures: tuple[Measure, Measure], is_ratio: bool) -> Estimate:
        """The same of single runs too, as if it were known."""
        first, second = (
            sum(sum(group) / len(group) for group in side) / len(self.pairs)
            for side in zip(*self.measured(measures), strict=True)
        )
        return Estimate.exactly(first / second if is_ratio else first - second)


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
