"""Claims on trained networks: that none passes its line, and what comes near it."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import pairwise
from operator import attrgetter

from ....needle.attention_sink import right_sink, sink_accuracy
from ....results import claims
from ....statistics.claims import Comparison, Estimate, within
from ....statistics.means import ClaimedMean, Mean, compare_means
from ..settings.exact import AnotherX, Entries
from . import runs
from .runs import LADDER, QUERIES, Rows, cell_words, cells_of, mean_accuracy, mean_of_cell

EXACT = "exact"
TRAINED = "trained"
"""What a claim is judged on: computed numbers, or trained networks."""

Limits = Mapping[tuple[str, float, int], float]
"""Accuracies of the lines, by kernel, mu and n."""

Curve = Sequence[tuple[int, Mean]]
"""Numbers of tokens, rising, and the mean accuracy of a cell's runs at each."""

BOUNDED = ("uniform", "linear")
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


claim = partial(claims.claim_by_rule, slack=attrgetter("slack_of_value"))
"""Of a claim on the needle the value alone says how far a comparison is from agreeing."""

ABOVE = 0.02
"""By which a mean may be above what nothing passes: its error must be smaller."""

BELOW = 0.03
"""By which it may be below its line."""

JUDGED_FROM = 0.64
"""The least accuracy of a line that training is held against: below, it has too little to learn
from."""

LARGEST = 512
"""The largest n at which training is held against lines."""

SIGNAL = 5.0
"""mu at which kernels are compared with each other."""

LARGE = 512
MIDDLE = 128
"""Numbers of tokens at which they are."""

RATIO = (0.8, 1.25)
"""Between which a trained critical n over the exact one must lie."""

APART = 0.2
SUCCESS = 0.9
"""By how much softmax must be above linear attention, and what is success."""

NEAR = 0.04
BEHIND = 0.05
"""How far feature maps may be below softmax, and must be below x^2."""

NEAR_SINK = 0.2
NEAR_RIGHT = 0.01
CARRIED = 4
"""How far a learned sink may be from the right one, and its accuracy from that one's, at so many
times n and that part of it."""

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
    """The mean accuracy of each cell less what nothing passes: the likelihood ratio's, and of
    uniform weights and linear attention their bound."""
    for cell in cells_of(rows):
        run = cell[0]
        words = cell_words(run)
        mean = mean_accuracy(cell)
        best = limits.get(("bayes", run["mu"], run["n"]))
        if best is not None:
            yield ClaimedMean(f"mean accuracy − likelihood ratio, {words}", mean - best, most=ABOVE)
        if run["arm"] == "query_given" and run["kernel"] in BOUNDED:
            bound = limits.get((run["kernel"], run["mu"], run["n"]))
            if bound is not None:
                yield ClaimedMean(f"mean accuracy − bound, {words}", mean - bound, most=ABOVE)


def _reaching(rows: Rows, limits: Limits) -> Iterator[ClaimedMean]:
    """The mean accuracy of each cell of the ladder less its limit."""
    for cell in cells_of(rows, arm="query_given", features=None):
        run = cell[0]
        limit = limits.get((run["kernel"], run["mu"], run["n"]), 0.0)
        if run["kernel"] in LADDER and run["n"] <= LARGEST and limit >= JUDGED_FROM:
            name = f"mean accuracy − line, {cell_words(run)}"
            yield ClaimedMean(name, mean_accuracy(cell) - limit, least=-BELOW)


def _softmax_and_linear(evidence: Evidence) -> Iterator[ClaimedMean]:
    softmax = runs.query_given(evidence.networks, "exp", SIGNAL, LARGE)
    linear = runs.query_given(evidence.networks, "linear", SIGNAL, LARGE)
    if softmax and linear:
        yield ClaimedMean("softmax − linear", softmax - linear, least=APART)
        yield ClaimedMean("softmax", softmax, least=SUCCESS)


def _ladder(evidence: Evidence) -> Iterator[ClaimedMean]:
    rows = evidence.networks
    points = sorted({(row["mu"], row["n"]) for row in rows if row["arm"] == "query_given"})
    for mu, n in points:
        for low, high in _steps(mu, n):
            below = runs.query_given(rows, low, mu, n)
            above = runs.query_given(rows, high, mu, n)
            if below and above:
                name = f"{high} − {low}, μ = {mu:g}, n = {n}"
                yield ClaimedMean(name, above - below, least=0.0)


def _steps(mu: float, n: int) -> list[tuple[str, str]]:
    """The neighbours on the ladder of which one is claimed to do better than the other."""
    steps = list(pairwise(LADDER))
    if n == MIDDLE:
        return steps[:-1]
    if n == LARGE:
        return steps if mu >= SIGNAL else steps[-1:]
    return []


def _features(evidence: Evidence) -> Iterator[ClaimedMean]:
    def mean_at(**cell: object) -> Mean | None:
        return mean_of_cell(evidence.networks, mu=SIGNAL, n=MIDDLE, **cell)

    softmax = mean_at(arm="query_learned", kernel="exp")
    elu = mean_at(arm="query_learned", kernel="elu_plus_one", features=12)
    if softmax and elu:
        yield ClaimedMean(f"exp − elu, {QUERIES['query_learned']}", softmax - elu, most=NEAR)
    few = mean_at(arm="query_given", kernel="elu_plus_one", features=8)
    many = mean_at(arm="query_given", kernel="elu_plus_one", features=32)
    power = runs.query_given(evidence.networks, "power_2", SIGNAL, MIDDLE)
    if few and power:
        yield ClaimedMean(f"power_2 − elu, {QUERIES['query_given']}", power - few, least=BEHIND)
    if few and many:
        yield ClaimedMean(f"32 − 8 features, {QUERIES['query_given']}", many - few, least=0.0)


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
    for run in evidence.cells:
        if run["sink"] is None:
            continue
        mu = run["mu"]
        n = run["n"]
        name = f"run {run['run']}, {cell_words(run)}"
        right = right_sink(mu, n)
        yield within(f"logit − right, {name}", Estimate.exactly(run["sink"] - right), NEAR_SINK)
        for other_n in (max(n // CARRIED, 1), n * CARRIED):
            learned = sink_accuracy(mu, other_n, run["sink"], run["scale"])
            computed = sink_accuracy(mu, other_n, right)
            gap = Estimate.within(learned.value - computed.value, learned.error + computed.error)
            yield within(f"accuracy at {other_n} tokens − computed, {name}", gap, NEAR_RIGHT)


def _crossings(evidence: Evidence) -> list[Comparison]:
    """Trained over exact critical n; the interval is that of the curve moved by its errors."""
    rows = evidence.networks
    level = evidence.level / PARTS
    exact = {(row["kernel"], row["mu"]): row["n_critical"] for row in evidence.critical}
    known = [point for point in runs.trained_crossings(rows) if point[:2] in exact]
    least, most = RATIO
    comparisons = []
    for kernel, mu, n in known:
        points = runs.curve(rows, kernel, mu)
        exact_n = exact[kernel, mu]
        comparisons.append(
            Comparison(
                f"{kernel}, μ = {mu:g}",
                _crossing_ratio(points, n, exact_n, level),
                least,
                most,
                far=_crossing_ratio(points, n, exact_n, level / len(known)),
            )
        )
    return comparisons


def _crossing_ratio(points: Curve, n: float, exact_n: float, level: float) -> Estimate:
    """The crossing n over the exact one, with the interval of the accuracies beside it."""
    crossing = Estimate(n, _moved(points, level, "low"), _moved(points, level, "high"))
    return crossing.moved(lambda end: end / exact_n)


def _moved(points: Curve, level: float, end: str) -> float:
    """The crossing moved with the two accuracies beside it to the "low" or "high" ends of their
    intervals; it may come to lie beyond them."""
    k = runs.falling_segment([mean.value for _, mean in points])
    if k is None:
        raise ValueError("the accuracies do not fall to 0.75")
    n, high = points[k]
    next_n, low = points[k + 1]
    high_end = getattr(high.interval(level), end)
    low_end = getattr(low.interval(level), end)
    return runs.interpolated(n, high_end, next_n, low_end)


N1 = claim(
    "N1",
    kind=TRAINED,
    statement="No trained network passes what is exact: uniform weights or linear attention its "
    "bound, where the query is given, any kernel the likelihood ratio",
    rule=f"mean accuracy − limit at most {ABOVE:g}",
    comparisons=of_means(_networks_passing),
)
N2 = claim(
    "N2",
    kind=TRAINED,
    statement=f"Training reaches the lines of {', '.join(LADDER)} where the query is given, up to "
    f"n = {LARGEST}, wherever the line is {JUDGED_FROM:g} or more",
    rule=f"limit − mean accuracy at most {BELOW:g}",
    comparisons=of_means(_networks_reaching),
)
N3 = claim(
    "N3",
    kind=TRAINED,
    statement=f"Trained softmax succeeds where trained linear attention does not: μ = {SIGNAL:g}, "
    f"n = {LARGE}, the query given",
    rule=f"softmax − linear at least {APART:g}, and softmax at least {SUCCESS:g}",
    comparisons=of_means(_softmax_and_linear),
)
N4 = claim(
    "N4",
    kind=TRAINED,
    statement=f"Trained, more degree does better: uniform < linear < power_2 < power_4 at n = "
    f"{MIDDLE}, and "
    f"at n = {LARGE} with μ = {SIGNAL:g}; power_4 < exp at n = {LARGE}; the query given",
    rule="each step above 0",
    comparisons=of_means(_ladder),
)
N7 = claim(
    "N7",
    kind=TRAINED,
    statement="Trained networks are lost at the critical n that is computed, where they cross an "
    "accuracy of 0.75 within the grid; the query given",
    rule=f"trained n over exact n from {RATIO[0]:g} to {RATIO[1]:g}, interpolated in log n",
    comparisons=_crossings,
)
N8 = claim(
    "N8",
    kind=TRAINED,
    statement="Feature maps, elu + 1, come close to softmax where the query is learned, with 12 "
    "features, "
    "and fall behind power_2 where the query is given, with 8; there 32 features do better than 8: "
    f"μ = {SIGNAL:g}, n = {MIDDLE}",
    rule=f"exp − elu at most {NEAR:g}; power_2 − elu at least {BEHIND:g}; rise above 0",
    comparisons=of_means(_features),
)
N9 = claim(
    "N9",
    kind=TRAINED,
    statement="In the first paper's network, every token a query, trained linear attention does "
    "what no "
    "attention does, rows divided by n, not by their sums, neurons standardised, with a bias for "
    "each, and pooled by the largest, not summed, and learned weights of the outputs: "
    f"n = {LARGE}",
    rule=f"no attention − linear at most {BELOW:g}",
    comparisons=of_means(_paper_network),
)
CONTROL = claim(
    "control",
    kind=TRAINED,
    statement="Neither another learning rate nor leaving out the standardisation of outputs "
    "changes a verdict",
    rule=f"mean − likelihood ratio at most {ABOVE:g}, line − mean at most {BELOW:g}",
    comparisons=of_means(_controls),
)
N11 = claim(
    "N11",
    kind=TRAINED,
    statement="A sink that is learned becomes the right one in every run, beside scores μz and "
    "beside scores "
    "whose scale is learned with it; carried to other n it does what is computed of the right one",
    rule=f"logit within {NEAR_SINK:g} of log n + μ²/2; its accuracy at n/{CARRIED} and {CARRIED}n, "
    f"computed, within {NEAR_RIGHT:g} of that of the sink that is right at n",
    comparisons=_sinks,
)
CLAIMS = (N1, N2, N3, N4, N7, N8, N9, CONTROL, N11)
"""Those on trained networks."""
