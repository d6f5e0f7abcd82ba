"""The row of a claim, and claims on trained networks: that none passes its line, and what comes
near it."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import pairwise

from ...results.tables import schema
from ...statistics.claims import Claim, Comparison, Estimate, Judgement, judge, within
from ...statistics.means import ClaimedMean, Mean, compare_means
from ..exact.sink import right_sink, sink_accuracy
from ..settings.exact import AnotherX, Entries
from . import runs
from .runs import LADDER, QUERIES, Rows, cell_words, cells_of, mean_accuracy, mean_of_cell

EXACT, TRAINED = KINDS = ("exact", "trained")
"""What a claim is judged on: computed numbers, or trained networks."""

SCHEMA = schema(
    claim=str, kind=str, statement=str, rule=str, verdict=str, comparisons=int, deciding_case=str,
    value=float, low=float, high=float, least=float, most=float,
)  # fmt: skip
"""One row per claim: `value`, between `low` and `high`, is that of the comparison, named
`deciding_case`, that is the furthest from agreeing of those with the claim's verdict; it must lie
between `least` and `most`, null where there is no such end."""


Limits = Mapping[tuple[str, float, int], float]
"""Accuracies of the lines, by kernel, mu and n."""


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


NeedleClaim = Claim[Evidence]


def claim(
    name: str,
    kind: str,
    statement: str,
    rule: str,
    comparisons: Callable[[Evidence], Iterable[Comparison]],
) -> NeedleClaim:
    """A claim of one of KINDS, by which rule it is judged, and what is compared; the value alone
    says how far a comparison is from agreeing."""

    def judged(evidence: Evidence) -> Judgement:
        return judge(comparisons(evidence), lambda comparison: comparison.slack_of_value)

    return Claim(name, statement, judged, {"kind": kind, "rule": rule})


ABOVE = 0.02
"""By which a mean may be above what nothing passes: its error must be smaller."""

BELOW = 0.03
"""By which it may be below its line."""

JUDGED_FROM = 0.64
"""The least accuracy of a line that training is held against: below, it has too little to learn
from."""

LARGEST = 512
"""The largest n at which training is held against lines."""

SIGNAL, LARGE, MIDDLE = 5.0, 512, 128
RATIO = (0.8, 1.25)
APART, SUCCESS = 0.2, 0.9
NEAR, BEHIND = 0.04, 0.05
NEAR_SINK, NEAR_RIGHT, CARRIED = 0.2, 0.01, 4


PARTS = 8
"""Claims that share the level: all but N11, whose numbers are known for each run."""


def of_means(
    means: Callable[[Evidence], Iterable[ClaimedMean]],
) -> Callable[[Evidence], list[Comparison]]:
    """The comparisons of means of runs, at the claim's part of the level."""

    def comparisons(evidence: Evidence) -> list[Comparison]:
        return compare_means(list(means(evidence)), evidence.level / PARTS)

    return comparisons


def _networks_passing(evidence: Evidence) -> Iterator[ClaimedMean]:
    return _passing(evidence.networks, evidence.accuracy_limits)


def _networks_reaching(evidence: Evidence) -> Iterator[ClaimedMean]:
    return _reaching(evidence.networks, evidence.accuracy_limits)


def _controls(evidence: Evidence) -> Iterator[ClaimedMean]:
    yield from _passing(evidence.controls, evidence.accuracy_limits)
    yield from _reaching(evidence.controls, evidence.accuracy_limits)


def _passing(rows: Rows, limits: Limits) -> Iterator[ClaimedMean]:
    for cell in cells_of(rows):
        row, mean = cell[0], mean_accuracy(cell)
        bounded = row["arm"] == "query_given" and row["kernel"] in ("uniform", "linear")
        for kernel in ("bayes", *([row["kernel"]] if bounded else [])):
            limit = limits.get((kernel, row["mu"], row["n"]))
            if limit is not None:
                against = "likelihood ratio" if kernel == "bayes" else "bound"
                name = f"mean accuracy − {against}, {cell_words(row)}"
                yield ClaimedMean(name, mean - limit, most=ABOVE)


def _reaching(rows: Rows, limits: Limits) -> Iterator[ClaimedMean]:
    for cell in cells_of(rows, arm="query_given", features=None):
        row = cell[0]
        limit = limits.get((row["kernel"], row["mu"], row["n"]), 0.0)
        if row["kernel"] in LADDER and row["n"] <= LARGEST and limit >= JUDGED_FROM:
            name = f"mean accuracy − line, {cell_words(row)}"
            yield ClaimedMean(name, mean_accuracy(cell) - limit, least=-BELOW)


def _softmax_and_linear(evidence: Evidence) -> Iterator[ClaimedMean]:
    rows = evidence.networks
    softmax, linear = (
        runs.query_given(rows, kernel, SIGNAL, LARGE) for kernel in ("exp", "linear")
    )
    if softmax and linear:
        yield ClaimedMean("softmax − linear", softmax - linear, least=APART)
        yield ClaimedMean("softmax", softmax, least=SUCCESS)


def _ladder(evidence: Evidence) -> Iterator[ClaimedMean]:
    rows = evidence.networks
    points = sorted({(row["mu"], row["n"]) for row in rows if row["arm"] == "query_given"})
    for mu, n in points:
        steps = list(pairwise(LADDER))
        if n == LARGE and mu < SIGNAL:
            steps = steps[-1:]
        elif n == MIDDLE:
            steps = steps[:-1]
        elif n != LARGE:
            continue
        for low, high in steps:
            below, above = (runs.query_given(rows, kernel, mu, n) for kernel in (low, high))
            if below and above:
                name = f"{high} − {low}, μ = {mu:g}, n = {n}"
                yield ClaimedMean(name, above - below, least=0.0)


def _features(evidence: Evidence) -> Iterator[ClaimedMean]:
    rows = evidence.networks
    at = partial(mean_of_cell, rows, mu=SIGNAL, n=MIDDLE)
    elu, softmax = partial(at, kernel="elu_plus_one"), at(arm="query_learned", kernel="exp")
    if softmax and (own := elu(arm="query_learned", features=12)):
        yield ClaimedMean(f"exp − elu, {QUERIES['query_learned']}", softmax - own, most=NEAR)
    few, more = (elu(arm="query_given", features=features) for features in (8, 32))
    power = runs.query_given(rows, "power_2", SIGNAL, MIDDLE)
    if few and power:
        yield ClaimedMean(f"power_2 − elu, {QUERIES['query_given']}", power - few, least=BEHIND)
    if few and more:
        yield ClaimedMean(f"32 − 8 features, {QUERIES['query_given']}", more - few, least=0.0)


def _paper_network(evidence: Evidence) -> Iterator[ClaimedMean]:
    rows = evidence.networks
    for without in cells_of(rows, arm="self_attention", kernel=None, n=LARGE):
        mu = without[0]["mu"]
        linear = mean_of_cell(
            rows, arm="self_attention", kernel="linear", divided_by="n", mu=mu, n=LARGE
        )
        if linear:
            gap = mean_accuracy(without) - linear
            yield ClaimedMean(f"no attention − linear, μ = {mu:g}", gap, most=BELOW)


def _sinks(evidence: Evidence) -> Iterator[Comparison]:
    for row in (row for row in evidence.cells if row["sink"] is not None):
        mu, n, name = row["mu"], row["n"], f"run {row['run']}, {cell_words(row)}"
        right = right_sink(mu, n)
        yield within(f"logit − right, {name}", Estimate.exactly(row["sink"] - right), NEAR_SINK)
        for other in (max(n // CARRIED, 1), n * CARRIED):
            found = sink_accuracy(mu, other, row["sink"], row["scale"])
            wanted = sink_accuracy(mu, other, right)
            gap = Estimate.within(found.value - wanted.value, found.error + wanted.error)
            yield within(f"accuracy at {other} tokens − computed, {name}", gap, NEAR_RIGHT)


def _crossings(evidence: Evidence) -> list[Comparison]:
    """Trained over exact critical n; the interval is that of the curve moved by its errors."""
    rows, level = evidence.networks, evidence.level / PARTS
    exact = {(row["kernel"], row["mu"]): row["n_critical"] for row in evidence.critical}
    known = [each for each in runs.trained_crossings(rows) if each[:2] in exact]
    found = []
    for kernel, mu, n in known:
        points = runs.curve(rows, kernel, mu)
        near, far = (
            Estimate(n, _moved(points, at, "low"), _moved(points, at, "high")).moved(
                lambda moved, known_n=exact[kernel, mu]: moved / known_n
            )
            for at in (level, level / len(known))
        )
        found.append(Comparison(f"{kernel}, μ = {mu:g}", near, *RATIO, far))
    return found


def _moved(points: Sequence[tuple[int, Mean]], level: float, end: str) -> float:
    """The crossing moved with the two accuracies beside it to the "low" or "high" ends of their
    intervals; it may come to lie beyond them."""
    at = runs.segment([mean.value for _, mean in points])
    (n, high), (more, low) = points[at : at + 2]
    ends = [getattr(mean.interval(level), end) for mean in (high, low)]
    return runs.interpolated(n, ends[0], more, ends[1])


N1 = claim(
    "N1", TRAINED,
    "No trained network passes what is exact: uniform weights or linear attention its bound, where "
    "the query is given, any kernel the likelihood ratio",
    f"mean accuracy − limit at most {ABOVE:g}",
    of_means(_networks_passing),
)  # fmt: skip
N2 = claim(
    "N2", TRAINED,
    f"Training reaches the lines of {', '.join(LADDER)} where the query is given, up to "
    f"n = {LARGEST}, wherever the line is {JUDGED_FROM:g} or more",
    f"limit − mean accuracy at most {BELOW:g}",
    of_means(_networks_reaching),
)  # fmt: skip
N3 = claim(
    "N3", TRAINED,
    f"Trained softmax succeeds where trained linear attention does not: μ = {SIGNAL:g}, "
    f"n = {LARGE}, the query given",
    f"softmax − linear at least {APART:g}, and softmax at least {SUCCESS:g}",
    of_means(_softmax_and_linear),
)  # fmt: skip
N4 = claim(
    "N4", TRAINED,
    f"Trained, more degree does better: uniform < linear < power_2 < power_4 at n = {MIDDLE}, and "
    f"at n = {LARGE} with μ = {SIGNAL:g}; power_4 < exp at n = {LARGE}; the query given",
    "each step above 0",
    of_means(_ladder),
)  # fmt: skip
N7 = claim(
    "N7", TRAINED,
    "Trained networks are lost at the critical n that is computed, where they cross an accuracy of "
    "0.75 within the grid; the query given",
    f"trained n over exact n from {RATIO[0]:g} to {RATIO[1]:g}, interpolated in log n",
    _crossings,
)  # fmt: skip
N8 = claim(
    "N8", TRAINED,
    "Feature maps, elu + 1, come close to softmax where the query is learned, with 12 features, "
    "and fall behind power_2 where the query is given, with 8; there 32 features do better than 8: "
    f"μ = {SIGNAL:g}, n = {MIDDLE}",
    f"exp − elu at most {NEAR:g}; power_2 − elu at least {BEHIND:g}; rise above 0",
    of_means(_features),
)  # fmt: skip
N9 = claim(
    "N9", TRAINED,
    "In the first paper's network, every token a query, trained linear attention does what no "
    "attention does, rows divided by n, not by their sums, neurons standardised, with a bias for "
    "each, and pooled by the largest, not summed, and learned weights of the outputs: "
    f"n = {LARGE}",
    f"no attention − linear at most {BELOW:g}",
    of_means(_paper_network),
)  # fmt: skip
CONTROL = claim(
    "control", TRAINED,
    "Neither another learning rate nor leaving out the standardisation of outputs changes a "
    "verdict",
    f"mean − likelihood ratio at most {ABOVE:g}, line − mean at most {BELOW:g}",
    of_means(_controls),
)  # fmt: skip
N11 = claim(
    "N11", TRAINED,
    "A sink that is learned becomes the right one in every run, beside scores μz and beside scores "
    "whose scale is learned with it; carried to other n it does what is computed of the right one",
    f"logit within {NEAR_SINK:g} of log n + μ²/2; its accuracy at n/{CARRIED} and {CARRIED}n, "
    f"computed, within {NEAR_RIGHT:g} of that of the sink that is right at n",
    _sinks,
)  # fmt: skip
CLAIMS = (N1, N2, N3, N4, N7, N8, N9, CONTROL, N11)
"""Those on trained networks."""
