"""How runs of trained transformers judge a claim: by contrasts of groups of runs, where these can
be compared at all.

A contrast is of the mean of a measure, such as the held-out error, over a first group of runs and
over a second. Runs cannot judge a claim where the groups were trained unlike each other, where a
group is a single run, or for the claim's own reason.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain

from ....messages.words import joined
from ....results.tables import chosen
from ....statistics.claims import Comparison
from ....statistics.contrasts import Contrast, Measure, Run
from ..training import runs
from .claim import Evidence, Finding, finding_of, not_judged, of_one_run

LEARNED = 0.5
"""Share of the error of uniform attention below which full rank counts as learned."""

TRAINING_WORDS = {
    "steps": "steps",
    "batch": "sets per batch",
    "lr": "as its rate",
    "warm_up": "of the steps as warm-up",
}
"""Settings in which the training of compared groups may not differ."""

Contrasts = Callable[[list[Run]], Iterator[Contrast]]
"""Of all runs, what a claim is judged on."""

Unfit = Callable[[list[Run], list[Contrast]], str]
"""Of all runs and a claim's contrasts: why these cannot judge it; empty where they can."""


def no_reason(rows: list[Run], contrasts: list[Contrast]) -> str:
    """Of claims that any runs can judge."""
    return ""


@dataclass(frozen=True)
class ComparedRuns:
    """The judge of a claim on trained transformers.

    Attributes
    ----------
    contrasts : the groups of runs that the claim compares
    measures : what is measured of a run of the first groups, and of the second
    factor : bound of the ratio of the two means; None: their difference is held against the margin
    at_full_width : the paper's runs have w = d, and the sizes say where these have not
    unfit : the claim's own reason why runs cannot judge it
    includes_variants : compares networks beside the paper's, without biases or with LayerNorm
    shows_single_runs : of single runs it says "one run" and how they stand to the bound; else they
        do not judge the claim
    """

    contrasts: Contrasts
    measures: tuple[Measure, Measure] = (runs.held_out_error, runs.held_out_error)
    factor: float | None = None
    at_full_width: bool = False
    unfit: Unfit = no_reason
    includes_variants: bool = False
    shows_single_runs: bool = False

    def __call__(self, evidence: Evidence) -> Finding:
        """What the runs say of the claim: "not run" where no groups can be compared, and not judged
        where the groups are unfit, or a group is a single run and these are not shown. Else
        intervals judge it."""
        rows = evidence.runs if self.includes_variants else evidence.usual_runs
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
        numbers = [self._of_single_runs(contrast, margin) for contrast in contrasts]
        if self.shows_single_runs:
            return of_one_run(numbers, self._sizes(contrasts))
        return not_judged(len(contrasts), self._sizes(contrasts), reason, numbers)

    def _judged_by_intervals(
        self, contrasts: list[Contrast], margin: float, level: float
    ) -> Finding:
        """The finding where every mean has an interval; all of them miss with chance `level`."""
        level_of_each = level / len(contrasts)
        comparisons = [self._comparison(contrast, margin, level_of_each) for contrast in contrasts]
        intervals = dict.fromkeys(contrast.interval for contrast in contrasts)
        return finding_of(comparisons, self._sizes(contrasts), interval=joined(list(intervals)))

    def _bound(self, margin: float) -> float:
        return margin if self.factor is None else self.factor

    def _comparison(self, contrast: Contrast, margin: float, level: float) -> Comparison:
        """The comparison of runs, with an interval at the level."""
        name = runs.naming_dead(contrast.name, contrast.runs)
        estimate = contrast.estimate(self.measures, is_ratio=self.factor is not None, level=level)
        return contrast.claimed(name, estimate, self._bound(margin))

    def _of_single_runs(self, contrast: Contrast, margin: float) -> Comparison:
        """The comparison of groups of which some are single runs, as if their means were known."""
        estimate = contrast.without_interval(self.measures, is_ratio=self.factor is not None)
        return contrast.claimed(contrast.name, estimate, self._bound(margin))

    def _sizes(self, contrasts: list[Contrast]) -> str:
        """The sizes of the runs; with their width, where it should be the dimension and is not."""
        rows = _runs_of(contrasts)
        sizes = runs.sizes(rows)
        if self.at_full_width and any(row["width"] != row["d"] for row in rows):
            widths = "/".join(map(str, runs.values(rows, "width")))
            sizes += f", w={widths} where the paper has w=d"
        return sizes


def difference_in_training(contrasts: list[Contrast]) -> str:
    """In what the training of compared groups differs; empty where it does not."""
    for contrast in contrasts:
        for first_runs, second_runs in contrast.pairs:
            for setting, words in TRAINING_WORDS.items():
                first = _values_in_words(first_runs, setting)
                second = _values_in_words(second_runs, setting)
                if first != second:
                    return f"trained with {first} against {second} {words} ({contrast.name})"
    return ""


def _runs_of(contrasts: list[Contrast]) -> list[Run]:
    return list(chain.from_iterable(contrast.runs for contrast in contrasts))


def _values_in_words(group: list[Run], setting: str) -> str:
    return "/".join(f"{value:,}" for value in runs.values(group, setting))


def two_outcomes_reason(rows: list[Run], contrasts: list[Contrast]) -> str:
    """The cell of three layers of full rank whose runs end so far apart that a mean over them is of
    neither end; empty where there is none."""
    return runs.bimodal_reason(_runs_of(contrasts))


def unlearned_reason(rows: list[Run], contrasts: list[Contrast]) -> str:
    """Why runs of two layers cannot show what lower ranks lack on more points: they are narrower
    than the paper's, w = d, and full rank does not learn even the fewest. Empty where they can."""
    two_layers = [row for row in runs.two_layers(rows) if row["n"] > 2]
    if all(row["width"] == row["d"] for row in two_layers):
        return ""
    full_rank = [row for row in two_layers if runs.is_full_rank(row)]
    if not full_rank:
        return "w is not d, and no runs of full rank show that such networks learn"
    fewest = min(runs.values(full_rank, "n"))
    errors_over_rank_0 = [runs.over_rank_0(row) for row in chosen(full_rank, n=fewest)]
    mean = sum(errors_over_rank_0) / len(errors_over_rank_0)
    if mean < LEARNED:
        return ""
    return (
        f"w is not d, and full rank is not learned: {mean:.2f} of rank 0's error at N={fewest}, "
        f"where less than {LEARNED:g} is asked"
    )
