"""How a claim is judged: on runs of trained transformers, by contrasts of groups of runs, where
these can be compared at all; and on computed numbers.

A contrast is of the mean of a measure, such as the held-out error, over a first group of runs and
over a second. Runs cannot judge a claim where the groups were trained unlike each other, where a
group is a single run, or for the claim's own reason. Computed numbers have intervals that hold
together.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain

from scipy.special import ndtri

from ....messages.words import joined
from ....results.tables import Row, chosen
from ....statistics.claims import Comparison, Estimate, at_least
from ....statistics.contrasts import Contrast, Measure, Run
from ....statistics.means import simultaneous_quantile
from ..training import runs
from .claim import Evidence, Finding, finding_of, not_judged, of_one_run

LEARNED_SHARE = 0.5
"""Share of the error of uniform attention below which full rank counts as learned."""

TRAINING_WORDS = {
    "steps": "steps",
    "batch": "sets per batch",
    "lr": "as its rate",
    "warm_up": "of the steps as warm-up",
}
"""Settings in which the training of compared groups may not differ."""

Contrasts = Callable[[list[Run]], Iterable[Contrast]]
"""The groups of runs, of those that a claim is on, that it compares."""

Selection = Callable[[Evidence], list[Run]]
"""The runs that a claim is on."""

Claimed = Callable[[str, Estimate, float], Comparison]
"""`at_least`, `at_most` or `within`: how a number is claimed to stand to its bound."""

Unfit = Callable[[list[Run], list[Contrast]], str]
"""Of the runs that a claim is on and its contrasts: why these cannot judge it; empty where they
can."""


def usual_runs(evidence: Evidence) -> list[Run]:
    """The runs of networks like the paper's."""
    return evidence.usual_runs


def every_run(evidence: Evidence) -> list[Run]:
    """The runs of networks beside the paper's, too: without biases, or with LayerNorm."""
    return evidence.runs


def figure_1(layers: int | None = None) -> Selection:
    """The function of the evidence that gives the runs of Figure 1, of so many layers or of all."""

    def selection(evidence: Evidence) -> list[Run]:
        """The runs of Figure 1 among the evidence's."""
        rows = runs.plain(evidence.usual_runs)
        return rows if layers is None else chosen(rows, layers=layers)

    return selection


def no_reason(rows: list[Run], contrasts: list[Contrast]) -> str:
    """The empty reason, of claims that any runs can judge."""
    return ""


@dataclass(frozen=True)
class ComparedRuns:
    """The judge of a claim on trained transformers.

    Attributes
    ----------
    contrasts : the groups of runs that the claim compares
    selection : the runs that it is on
    claimed : how a contrast is claimed to stand to the bound
    measures : what is measured of a run of the first groups, and of the second
    factor : bound of the ratio of the two means; None: their difference is held against the margin
    at_full_width : the paper's runs have w = d, and the sizes say where these have not
    unfit : the claim's own reason why runs cannot judge it
    shows_single_runs : of single runs it says "one run" and how they stand to the bound; else they
        do not judge the claim
    """

    contrasts: Contrasts
    selection: Selection = usual_runs
    claimed: Claimed = at_least
    measures: tuple[Measure, Measure] = (runs.held_out_error, runs.held_out_error)
    factor: float | None = None
    at_full_width: bool = False
    unfit: Unfit = no_reason
    shows_single_runs: bool = False

    def __call__(self, evidence: Evidence) -> Finding:
        """The finding that the runs lead to: "not run" where no groups can be compared, and not
        judged where the groups are unfit, or a group is a single run and these are not shown. Else
        intervals judge it."""
        rows = self.selection(evidence)
        # A grid may have a group without the one that it is to be compared with.
        contrasts = [contrast for contrast in self.contrasts(rows) if all(contrast.groups)]
        if not contrasts:
            return finding_of([], sizes="")
        unfit_reason = self.unfit(rows, contrasts) or difference_in_training(contrasts)
        if unfit_reason:
            return not_judged(len(contrasts), self._sizes(contrasts), unfit_reason)
        groups = chain.from_iterable(contrast.groups for contrast in contrasts)
        single_runs_reason = runs.single_runs(list(groups))
        if single_runs_reason:
            return self._on_single_runs(contrasts, evidence.margin, single_runs_reason)
        return self._judged_by_intervals(contrasts, evidence.margin, evidence.level)

    def _on_single_runs(self, contrasts: list[Contrast], margin: float, reason: str) -> Finding:
        """The finding where a group is a single run: it has numbers, but no interval."""
        numbers = []
        for contrast in contrasts:
            estimate = contrast.without_interval(self.measures, is_ratio=self.factor is not None)
            numbers.append(self._comparison(contrast.name, estimate, margin))
        sizes = self._sizes(contrasts)
        if self.shows_single_runs:
            return of_one_run(numbers, sizes)
        return not_judged(len(contrasts), sizes, reason, numbers)

    def _judged_by_intervals(
        self, contrasts: list[Contrast], margin: float, level: float
    ) -> Finding:
        """The finding where every mean has an interval; all of them miss with chance `level`."""
        is_ratio = self.factor is not None
        comparisons = []
        for contrast in contrasts:
            name = runs.naming_dead(contrast.name, contrast.runs)
            estimate = contrast.estimate(self.measures, is_ratio, level / len(contrasts))
            comparisons.append(self._comparison(name, estimate, margin))
        intervals = dict.fromkeys(contrast.interval for contrast in contrasts)
        return finding_of(comparisons, self._sizes(contrasts), joined(list(intervals)))

    def _comparison(self, name: str, estimate: Estimate, margin: float) -> Comparison:
        """The comparison of a contrast's estimate with the claim's bound."""
        bound = margin if self.factor is None else self.factor
        return self.claimed(name, estimate, bound)

    def _sizes(self, contrasts: list[Contrast]) -> str:
        """The sizes of the runs; with their width, where it should be the dimension and is not."""
        rows = _runs_of(contrasts)
        sizes = runs.sizes(rows)
        if self.at_full_width and any(row["width"] != row["d"] for row in rows):
            widths = "/".join(map(str, runs.values(rows, "width")))
            sizes += f", w={widths} where the paper has w=d"
        return sizes


def difference_in_training(contrasts: list[Contrast]) -> str:
    """In words, the first setting in which the training of compared groups differs; empty where
    there is none."""
    for contrast in contrasts:
        for first_runs, second_runs in contrast.pairs:
            for setting, words in TRAINING_WORDS.items():
                first = _values_in_words(first_runs, setting)
                second = _values_in_words(second_runs, setting)
                if first != second:
                    return f"trained with {first} against {second} {words} ({contrast.name})"
    return ""


def _runs_of(contrasts: list[Contrast]) -> list[Run]:
    """The runs of all groups of some contrasts."""
    return list(chain.from_iterable(contrast.runs for contrast in contrasts))


def _values_in_words(group: list[Run], setting: str) -> str:
    """The distinct values of a setting of some runs, in words: 100/1,000."""
    return "/".join(f"{value:,}" for value in runs.values(group, setting))


def two_outcomes_reason(rows: list[Run], contrasts: list[Contrast]) -> str:
    """The cell of three layers of full rank whose runs end so far apart that a mean over them is of
    neither end; empty where there is none."""
    return runs.bimodal_reason(_runs_of(contrasts))


def unlearned_reason(rows: list[Run], contrasts: list[Contrast]) -> str:
    """Why runs of two layers cannot show what lower ranks lack on more points: they are narrower
    than the paper's, w = d, and full rank does not learn even the fewest. Empty where they can."""
    on_points = [row for row in rows if row["n"] > 2]
    if all(row["width"] == row["d"] for row in on_points):
        return ""
    full_rank = [row for row in on_points if runs.is_full_rank(row)]
    if not full_rank:
        return "w is not d, and no runs of full rank show that such networks learn"
    fewest = min(runs.values(full_rank, "n"))
    errors_over_rank_0 = [runs.over_rank_0(row) for row in chosen(full_rank, n=fewest)]
    mean = sum(errors_over_rank_0) / len(errors_over_rank_0)
    if mean < LEARNED_SHARE:
        return ""
    return (
        f"w is not d, and full rank is not learned: {mean:.2f} of rank 0's error at N={fewest}, "
        f"where less than {LEARNED_SHARE:g} is asked"
    )


# Computed numbers.

SYMBOLS = {"d": "d", "n": "N", "rank": "r", "heads": "H"}
"""Columns of tables of computed numbers, as comparisons are named by them."""


def row_words(row: Row, *names: str) -> str:
    """A row in short, by some of its columns: d=8, r=4, H=2."""
    return ", ".join(f"{SYMBOLS[name]}={row[name]}" for name in names)


def sizes_of_points(rows: Iterable[Row]) -> str:
    """The d and N of rows, which are on two points where N is not said."""
    return runs.sizes({"n": 2} | row for row in rows)


def error_of(row: Row) -> Estimate:
    """A row's error: exact, or simulated with its 95 % interval."""
    if row.get("error_exact") is not None:
        return Estimate.exactly(row["error_exact"])
    if row.get("ci_low") is not None:
        return Estimate(row["error"], row["ci_low"], row["ci_high"])
    return Estimate.exactly(row["error"])


@dataclass(frozen=True)
class ComparedNumbers:
    """The judge of a claim on numbers that no training makes.

    Attributes
    ----------
    rows : the rows of the evidence's tables that the claim is on
    comparisons : what it compares of them
    """

    rows: Callable[[Evidence], list[Row]]
    comparisons: Callable[[list[Row]], Iterator[Comparison]]

    def __call__(self, evidence: Evidence) -> Finding:
        """The finding on the claim's comparisons; their intervals hold together at the level."""
        rows = self.rows(evidence)
        return finding_together(list(self.comparisons(rows)), rows, evidence.level)


def finding_together(comparisons: list[Comparison], rows: list[Row], level: float) -> Finding:
    """The finding on comparisons of some rows: their 95 % intervals, which are normal, are widened
    so that all hold together at the level."""
    factor = float(simultaneous_quantile(level, max(len(comparisons), 1)) / ndtri(0.975))
    widened = [
        replace(comparison, measured=_widened(comparison.measured, factor))
        for comparison in comparisons
    ]
    return finding_of(widened, sizes_of_points(rows))


def _widened(estimate: Estimate, factor: float) -> Estimate:
    """The estimate with both ends of its interval so many times as far from its value."""
    return estimate.moved(lambda end: estimate.value + factor * (end - estimate.value))
