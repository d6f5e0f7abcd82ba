"""Contrasts of groups of runs, and which interval the difference of groups has."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from .claims import Estimate
from .means import Pairs, difference_of_means, paired_difference_of_means, ratio_of_means

Run = dict[str, Any]
"""A row of a table: `run` is its seed, and columns that end in STREAM say what it is drawn from."""

STREAM = "_stream"

Measure = Callable[[Run], float]

PAIRED = "Student's, seed by seed"
WITHIN_RUNS = "Student's, within runs"
WELCH = "Welch's"
"""Whose interval a difference of groups has."""


@dataclass(frozen=True)
class Contrast:
    """Pairs of groups of runs: the first's mean less the second's, averaged over the pairs, or the
    first's over the second's."""

    name: str
    pairs: Sequence[tuple[list[Run], list[Run]]]

    @property
    def groups(self) -> list[list[Run]]:
        """All groups of runs of all pairs, one after another."""
        return [group for pair in self.pairs for group in pair]

    @property
    def runs(self) -> list[Run]:
        """All runs of all groups; one that is in two groups stands there twice."""
        return [run for group in self.groups for run in group]

    @property
    def interval(self) -> str:
        """Which interval the difference of the groups has: PAIRED if runs of one seed share random
        numbers and so are compared with each other, WITHIN_RUNS if both groups are the same runs,
        else WELCH.

        Runs of one seed share random numbers if all groups have the same seeds, each once, and in
        each pair the two runs of a seed have a stream in common."""
        if all(first is second for first, second in self.pairs):
            return WITHIN_RUNS
        if not self._has_equal_seeds():
            return WELCH
        shares_streams = all(_shares_streams(first, second) for first, second in self.pairs)
        return PAIRED if shares_streams else WELCH

    def _has_equal_seeds(self) -> bool:
        """Whether all groups have the same seeds, each once."""
        seeds_by_group = [_sorted_seeds(group) for group in self.groups]
        seeds = seeds_by_group[0]
        is_each_once = len({*seeds}) == len(seeds)
        return is_each_once and all(other == seeds for other in seeds_by_group)

    def measured(self, measures: tuple[Measure, Measure]) -> Pairs:
        """For each pair of groups, the first measure of each run of the first group and the second
        measure of each run of the second, in order of seeds."""
        measure_first, measure_second = measures
        pairs = []
        for first, second in self.pairs:
            values_of_first = [measure_first(run) for run in _by_seed(first)]
            values_of_second = [measure_second(run) for run in _by_seed(second)]
            pairs.append((values_of_first, values_of_second))
        return pairs

    def estimate(self, measures: tuple[Measure, Measure], is_ratio: bool, level: float) -> Estimate:
        """The difference, or the ratio, of the first groups' mean and the second groups', with its
        interval; ValueError if a group has fewer than two runs."""
        pairs = self.measured(measures)
        difference = difference_of_means if self.interval == WELCH else paired_difference_of_means
        if is_ratio:
            return ratio_of_means(pairs, level, difference)
        return difference(pairs, level)

    def without_interval(self, measures: tuple[Measure, Measure], is_ratio: bool) -> Estimate:
        """The difference, or the ratio, of the first groups' mean and the second groups', without
        an interval: groups of a single run have one too."""
        pairs = self.measured(measures)
        first = sum(sum(group) / len(group) for group, _ in pairs) / len(pairs)
        second = sum(sum(group) / len(group) for _, group in pairs) / len(pairs)
        if is_ratio:
            return Estimate.exactly(first / second)
        return Estimate.exactly(first - second)


def _shares_streams(first: list[Run], second: list[Run]) -> bool:
    """Whether the runs of each seed in two groups of the same seeds have a stream in common."""
    for run, other in zip(_by_seed(first), _by_seed(second), strict=True):
        streams = [name for name in run if name.endswith(STREAM)]
        if not any(run[name] == other[name] for name in streams):
            return False
    return True


def _by_seed(group: list[Run]) -> list[Run]:
    """The runs of a group in order of their seeds."""
    return sorted(group, key=lambda run: run["run"])


def _sorted_seeds(group: list[Run]) -> list[int]:
    return [run["run"] for run in _by_seed(group)]
