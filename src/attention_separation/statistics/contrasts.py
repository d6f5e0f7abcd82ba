"""Contrasts of groups of runs, and which interval the difference of groups has."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from .claims import Comparison, Estimate, at_least
from .means import Pairs, difference_of_means, paired_difference_of_means, ratio_of_means

Run = dict[str, Any]
"""A row of a table: `run` is its seed, and columns that end in STREAM say what it is drawn from."""

STREAM = "_stream"

Measure = Callable[[Run], float]
Claimed = Callable[[str, Estimate, float], Comparison]
"""`at_least`, `at_most` or `within`."""

PAIRED, WITHIN_RUNS, WELCH = "Student's, seed by seed", "Student's, within runs", "Welch's"


@dataclass(frozen=True)
class Contrast:
    """Pairs of groups of runs: the first's mean less the second's, averaged over the pairs, or the
    first's over the second's. `claimed` says how it is claimed to stand to the bound."""

    name: str
    pairs: Sequence[tuple[list[Run], list[Run]]]
    claimed: Claimed = at_least

    @property
    def groups(self) -> list[list[Run]]:
        """All groups of runs."""
        return [group for pair in self.pairs for group in pair]

    @property
    def runs(self) -> list[Run]:
        """All runs; one that is in two groups, twice."""
        return [run for group in self.groups for run in group]

    @property
    def interval(self) -> str:
        """Whose interval it has. Runs of one seed are compared with each other where they share a
        stream: where all groups have the same seeds, each once, and the runs of a seed in each pair
        one of the streams."""
        if all(first is second for first, second in self.pairs):
            return WITHIN_RUNS
        seeds = {tuple(sorted(run["run"] for run in group)) for group in self.groups}
        same_seeds = len(seeds) == 1 and all(len({*own}) == len(own) for own in seeds)
        shares_stream = same_seeds and all(
            any(run[name] == other[name] for name in run if name.endswith(STREAM))
            for pair in self.pairs
            for run, other in zip(*map(_by_seed, pair), strict=True)
        )
        return PAIRED if shares_stream else WELCH

    def measured(self, measures: tuple[Measure, Measure]) -> Pairs:
        """What is measured of the first groups' runs and of the second's, by seed."""
        return [
            tuple([measure(run) for run in _by_seed(group)]
                  for measure, group in zip(measures, pair, strict=True))
            for pair in self.pairs
        ]  # fmt: skip

    def estimate(self, measures: tuple[Measure, Measure], is_ratio: bool, level: float) -> Estimate:
        """The difference, or the ratio, with its interval; ValueError if a group has fewer than two
        runs."""
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


def _by_seed(group: list[Run]) -> list[Run]:
    return sorted(group, key=lambda run: run["run"])
