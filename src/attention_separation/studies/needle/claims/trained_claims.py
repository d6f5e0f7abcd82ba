"""Claims on trained networks: that none passes its line, and what comes near it.

A *line* is the best accuracy of a kernel, computed; a *bound* is one that no layer of the kernel
passes. The *ladder* is the kernels whose lines rise one above the other. A *cell* is networks of
one setting, its runs; a *control* is a cell that was trained otherwise.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from itertools import pairwise
from operator import attrgetter

from ....needle.attention_sink import right_sink, sink_accuracy
from ....results.claims import JudgedClaim, claim_by_rule
from ....statistics.claims import Comparison, Estimate, within
from ....statistics.means import ClaimedMean, Mean, compare_means
from ..settings.exact import AnotherX, Entries
from . import runs
from .runs import ARM_WORDS, LADDER, Rows, cell_words, cells_of, mean_accuracy, mean_of_cell


class Kind(StrEnum):
    """What a claim is judged on: computed numbers, or trained networks."""

    EXACT = "exact"
    TRAINED = "trained"


Limits = Mapping[tuple[str, float, int], float]
"""Accuracies of the lines, by kernel, mu and n."""

KERNELS_WITH_BOUND = ("uniform", "linear")
"""Kernels whose limit is a bound, where the query is given."""


@dataclass(frozen=True)
class Evidence:
    """What claims on the needle are judged on.

    Attributes
    ----------
    critical, limits, cells : rows of the tables of critical n, of accuracy limits, and of trained
        networks
    data, another_x : the data without noise, and the other X, of N10
    level : nominal chance of a false verdict over all claims on trained networks
    """

    critical: Rows
    data: Entries
    another_x: AnotherX
    limits: Rows = ()
    cells: Rows = ()
    level: float = 1.0

    @cached_property
    def accuracy_limits(self) -> Limits:
        """Accuracies of the limits, by kernel, mu and n."""
        return {(row["kernel"], row["mu"], row["n"]): row["accuracy"] for row in self.limits}

    @cached_property
    def networks(self) -> Rows:
        """Trained networks that are no control."""
        return [row for row in self.cells if not row["control"]]

    @cached_property
    def controls(self) -> Rows:
        """Networks that were trained otherwise."""
        return [row for row in self.cells if row["control"]]


def needle_claim(
    name: str,
    *,
    kind: Kind,
    statement: str,
    rule: str,
    comparisons: Callable[[Evidence], Iterable[Comparison]],
) -> JudgedClaim[Evidence]:
    """A claim on the needle: the value alone says how far a comparison is from agreeing."""
    slack = attrgetter("slack_of_value")
    return claim_by_rule(name, kind, statement, rule, comparisons, slack)


MOST_ABOVE_LIMIT = 0.02
"""By which a mean may be above what nothing passes: its error must be smaller."""

MOST_BELOW_LINE = 0.03
"""By which it may be below its line."""

JUDGED_FROM = 0.64
"""The least accuracy of a line that training is held against: below, it has too little to learn
from."""

LARGEST_JUDGED_N = 512
"""The largest n at which training is held against lines."""

SIGNAL = 5.0
"""mu at which kernels are compared with each other."""

LARGE_N = 512
MIDDLE_N = 128
"""Numbers of tokens at which they are."""

LEAST_RATIO = 0.8
MOST_RATIO = 1.25
"""Between which a trained critical n over the exact one must lie."""

LEAST_LEAD_OF_SOFTMAX = 0.2
LEAST_SUCCESS = 0.9
"""By how much softmax must be above linear attention, and what is success."""

MOST_LEAD_OF_SOFTMAX = 0.04
LEAST_LEAD_OF_POWER_2 = 0.05
"""How far feature maps may be below softmax, and must be below x^2."""

SINK_TOLERANCE = 0.2
SINK_ACCURACY_TOLERANCE = 0.01
CARRIED = 4
"""How far a learned sink may be from the right one, and its accuracy from that one's, at so many
times n and that part of it."""

CLAIMS_AT_LEVEL = 8
"""Claims that share the level: all but N11, whose numbers are known for each run."""


def compared_means(
    means: Callable[[Evidence], Iterable[ClaimedMean]],
) -> Callable[[Evidence], list[Comparison]]:
    """The function of the evidence that gives the comparisons of means of runs, at the claim's part
    of the level."""

    def comparisons(evidence: Evidence) -> list[Comparison]:
        """The comparisons of the evidence's means, whose intervals hold at the claim's level."""
        return compare_means(list(means(evidence)), evidence.level / CLAIMS_AT_LEVEL)

    return comparisons


def _networks_less_limits(evidence: Evidence) -> Iterator[ClaimedMean]:
    """The mean accuracy of each cell, but controls, less what nothing passes."""
    return _means_less_limits(evidence.networks, evidence.accuracy_limits)


def _networks_less_lines(evidence: Evidence) -> Iterator[ClaimedMean]:
    """The mean accuracy of each cell of the ladder, but controls, less its line."""
    return _means_less_lines(evidence.networks, evidence.accuracy_limits)


def _controls_less_limits_and_lines(evidence: Evidence) -> Iterator[ClaimedMean]:
    """The mean accuracy of each control less what nothing passes, and less its line."""
    yield from _means_less_limits(evidence.controls, evidence.accuracy_limits)
    yield from _means_less_lines(evidence.controls, evidence.accuracy_limits)


def _means_less_limits(rows: Rows, limits: Limits) -> Iterator[ClaimedMean]:
    """The mean accuracy of each cell less what nothing passes: the likelihood ratio's, and of
    uniform weights and linear attention their bound."""
    for cell in cells_of(rows):
        run = cell[0]
        words = cell_words(run)
        mean = mean_accuracy(cell)
        best = limits.get(("bayes", run["mu"], run["n"]))
        if best is not None:
            yield ClaimedMean(
                f"mean accuracy − likelihood ratio, {words}", mean - best, most=MOST_ABOVE_LIMIT
            )
        if run["arm"] == "query_given" and run["kernel"] in KERNELS_WITH_BOUND:
            bound = limits.get((run["kernel"], run["mu"], run["n"]))
            if bound is not None:
                yield ClaimedMean(
                    f"mean accuracy − bound, {words}", mean - bound, most=MOST_ABOVE_LIMIT
                )


def _means_less_lines(rows: Rows, limits: Limits) -> Iterator[ClaimedMean]:
    """The mean accuracy of each cell of the ladder less its line, where training is held against
    it."""
    for cell in cells_of(rows, arm="query_given", features=None):
        run = cell[0]
        limit = limits.get((run["kernel"], run["mu"], run["n"]), 0.0)
        if run["kernel"] in LADDER and run["n"] <= LARGEST_JUDGED_N and limit >= JUDGED_FROM:
            name = f"mean accuracy − line, {cell_words(run)}"
            yield ClaimedMean(name, mean_accuracy(cell) - limit, least=-MOST_BELOW_LINE)


def _softmax_and_linear(evidence: Evidence) -> Iterator[ClaimedMean]:
    """The mean accuracy of softmax less that of linear attention, and that of softmax, at
    LARGE_N."""
    softmax = runs.query_given(evidence.networks, "exp", SIGNAL, LARGE_N)
    linear = runs.query_given(evidence.networks, "linear", SIGNAL, LARGE_N)
    if softmax and linear:
        yield ClaimedMean("softmax − linear", softmax - linear, least=LEAST_LEAD_OF_SOFTMAX)
        yield ClaimedMean("softmax", softmax, least=LEAST_SUCCESS)


def _ladder_rises(evidence: Evidence) -> Iterator[ClaimedMean]:
    """The mean accuracy of each kernel of the ladder less that of the one before, at each mu and
    n."""
    rows = evidence.networks
    points = sorted({(row["mu"], row["n"]) for row in rows if row["arm"] == "query_given"})
    for mu, n in points:
        for low, high in _ladder_steps(mu, n):
            below = runs.query_given(rows, low, mu, n)
            above = runs.query_given(rows, high, mu, n)
            if below and above:
                name = f"{high} − {low}, μ = {mu:g}, n = {n}"
                yield ClaimedMean(name, above - below, least=0.0)


def _ladder_steps(mu: float, n: int) -> list[tuple[str, str]]:
    """The neighbours on the ladder of which one is claimed to do better than the other."""
    steps = list(pairwise(LADDER))
    if n == MIDDLE_N:
        return steps[:-1]
    if n == LARGE_N:
        return steps if mu >= SIGNAL else steps[-1:]
    return []


def _features_beside_kernels(evidence: Evidence) -> Iterator[ClaimedMean]:
    """Mean accuracies of the feature map elu + 1 against those of softmax and the square, and of
    many features against few."""

    def mean_at(**cell: object) -> Mean | None:
        """The mean accuracy of the cell with these values at SIGNAL and MIDDLE_N; None if there is
        none."""
        return mean_of_cell(evidence.networks, mu=SIGNAL, n=MIDDLE_N, **cell)

    softmax = mean_at(arm="query_learned", kernel="exp")
    elu = mean_at(arm="query_learned", kernel="elu_plus_one", features=12)
    if softmax and elu:
        yield ClaimedMean(
            f"exp − elu, {ARM_WORDS['query_learned']}", softmax - elu, most=MOST_LEAD_OF_SOFTMAX
        )
    few = mean_at(arm="query_given", kernel="elu_plus_one", features=8)
    many = mean_at(arm="query_given", kernel="elu_plus_one", features=32)
    power = runs.query_given(evidence.networks, "power_2", SIGNAL, MIDDLE_N)
    if few and power:
        yield ClaimedMean(
            f"power_2 − elu, {ARM_WORDS['query_given']}", power - few, least=LEAST_LEAD_OF_POWER_2
        )
    if few and many:
        yield ClaimedMean(f"32 − 8 features, {ARM_WORDS['query_given']}", many - few, least=0.0)


def _no_attention_less_linear(evidence: Evidence) -> Iterator[ClaimedMean]:
    """The mean accuracy of the first paper's network without attention less that with linear
    attention, at each mu."""
    rows = evidence.networks
    for without in cells_of(rows, arm="self_attention", kernel=None, n=LARGE_N):
        mu = without[0]["mu"]
        linear = mean_of_cell(
            rows, arm="self_attention", kernel="linear", divided_by="n", mu=mu, n=LARGE_N
        )
        if linear:
            gap = mean_accuracy(without) - linear
            yield ClaimedMean(f"no attention − linear, μ = {mu:g}", gap, most=MOST_BELOW_LINE)


def _sinks_less_right(evidence: Evidence) -> Iterator[Comparison]:
    """Each run's learned logit of the sink less the right one, and the accuracies of the two at
    fewer and more tokens."""
    for run in evidence.cells:
        if run["sink"] is None:
            continue
        mu = run["mu"]
        n = run["n"]
        name = f"run {run['run']}, {cell_words(run)}"
        right = right_sink(mu, n)
        yield within(
            f"logit − right, {name}", Estimate.exactly(run["sink"] - right), SINK_TOLERANCE
        )
        for other_n in (max(n // CARRIED, 1), n * CARRIED):
            learned = sink_accuracy(mu, other_n, run["sink"], run["scale"])
            computed = sink_accuracy(mu, other_n, right)
            gap = Estimate.within(learned.value - computed.value, learned.error + computed.error)
            yield within(
                f"accuracy at {other_n} tokens − computed, {name}", gap, SINK_ACCURACY_TOLERANCE
            )


def _crossing_ratios(evidence: Evidence) -> Iterator[Comparison]:
    """The critical n of trained networks over the exact one, of each kernel and mu; the interval is
    that of the curve moved by its errors."""
    level = evidence.level / CLAIMS_AT_LEVEL
    exact = {(row["kernel"], row["mu"]): row["n_critical"] for row in evidence.critical}
    crossings = runs.trained_crossings(evidence.networks)
    known = [crossed for crossed in crossings if (crossed.kernel, crossed.mu) in exact]
    for kernel, mu, crossing in known:
        exact_n = exact[kernel, mu]
        yield Comparison(
            f"{kernel}, μ = {mu:g}",
            crossing.interval(level).over(exact_n),
            least=LEAST_RATIO,
            most=MOST_RATIO,
            far=crossing.interval(level / len(known)).over(exact_n),
        )


N1 = needle_claim(
    "N1",
    kind=Kind.TRAINED,
    statement="No trained network passes what is exact: uniform weights or linear attention its "
    "bound, where the query is given, any kernel the likelihood ratio",
    rule=f"mean accuracy − limit at most {MOST_ABOVE_LIMIT:g}",
    comparisons=compared_means(_networks_less_limits),
)
N2 = needle_claim(
    "N2",
    kind=Kind.TRAINED,
    statement=f"Training reaches the lines of {', '.join(LADDER)} where the query is given, up to "
    f"n = {LARGEST_JUDGED_N}, wherever the line is {JUDGED_FROM:g} or more",
    rule=f"limit − mean accuracy at most {MOST_BELOW_LINE:g}",
    comparisons=compared_means(_networks_less_lines),
)
N3 = needle_claim(
    "N3",
    kind=Kind.TRAINED,
    statement=f"Trained softmax succeeds where trained linear attention does not: μ = {SIGNAL:g}, "
    f"n = {LARGE_N}, the query given",
    rule=f"softmax − linear at least {LEAST_LEAD_OF_SOFTMAX:g}, "
    f"and softmax at least {LEAST_SUCCESS:g}",
    comparisons=compared_means(_softmax_and_linear),
)
N4 = needle_claim(
    "N4",
    kind=Kind.TRAINED,
    statement=f"Trained, more degree does better: uniform < linear < power_2 < power_4 at n = "
    f"{MIDDLE_N}, and "
    f"at n = {LARGE_N} with μ = {SIGNAL:g}; power_4 < exp at n = {LARGE_N}; the query given",
    rule="each step above 0",
    comparisons=compared_means(_ladder_rises),
)
N7 = needle_claim(
    "N7",
    kind=Kind.TRAINED,
    statement="Trained networks are lost at the critical n that is computed, where they cross an "
    "accuracy of 0.75 within the grid; the query given",
    rule=f"trained n over exact n from {LEAST_RATIO:g} to {MOST_RATIO:g}, interpolated in log n",
    comparisons=_crossing_ratios,
)
N8 = needle_claim(
    "N8",
    kind=Kind.TRAINED,
    statement="Feature maps, elu + 1, come close to softmax where the query is learned, with 12 "
    "features, "
    "and fall behind power_2 where the query is given, with 8; there 32 features do better than 8: "
    f"μ = {SIGNAL:g}, n = {MIDDLE_N}",
    rule=f"exp − elu at most {MOST_LEAD_OF_SOFTMAX:g}; "
    f"power_2 − elu at least {LEAST_LEAD_OF_POWER_2:g}; rise above 0",
    comparisons=compared_means(_features_beside_kernels),
)
N9 = needle_claim(
    "N9",
    kind=Kind.TRAINED,
    statement="In the first paper's network, every token a query, trained linear attention does "
    "what no "
    "attention does, rows divided by n, not by their sums, neurons standardised, with a bias for "
    "each, and pooled by the largest, not summed, and learned weights of the outputs: "
    f"n = {LARGE_N}",
    rule=f"no attention − linear at most {MOST_BELOW_LINE:g}",
    comparisons=compared_means(_no_attention_less_linear),
)
CONTROL = needle_claim(
    "control",
    kind=Kind.TRAINED,
    statement="Neither another learning rate nor leaving out the standardisation of outputs "
    "changes a verdict",
    rule=f"mean − likelihood ratio at most {MOST_ABOVE_LIMIT:g}, "
    f"line − mean at most {MOST_BELOW_LINE:g}",
    comparisons=compared_means(_controls_less_limits_and_lines),
)
N11 = needle_claim(
    "N11",
    kind=Kind.TRAINED,
    statement="A sink that is learned becomes the right one in every run, beside scores μz and "
    "beside scores "
    "whose scale is learned with it; carried to other n it does what is computed of the right one",
    rule=f"logit within {SINK_TOLERANCE:g} of log n + μ²/2; its accuracy at n/{CARRIED} and "
    f"{CARRIED}n, computed, within {SINK_ACCURACY_TOLERANCE:g} of that of the sink that is right "
    "at n",
    comparisons=_sinks_less_right,
)
CLAIMS_ON_NETWORKS = (N1, N2, N3, N4, N7, N8, N9, CONTROL, N11)
"""Those on trained networks."""
