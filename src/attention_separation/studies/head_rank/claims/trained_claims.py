"""What the paper says of trained transformers, and this reproduction of them, as contrasts of
groups of runs.

A function named for a claim yields its contrasts, of the runs that the claim is on; one that takes
settings returns such a function.
`lower ranks` are those below the model's dimension, `full rank` is that dimension. An encoding is
of the position of a point: none, concatenated to the points, or added to them.
"""

from collections.abc import Iterator, Mapping
from itertools import pairwise

from ....results.tables import chosen
from ....statistics.claims import at_most, within
from ....statistics.contrasts import Contrast, Run
from ..settings.titles import OURS, PAPERS
from ..training import runs
from ..training.runs import by_rank
from .claim import Evidence, rank_claim
from .judging import ComparedRuns, Contrasts, figure_1, two_outcomes_reason, unlearned_reason
from .published_claims import FIVE_LAYERS as FIVE_LAYERS_PUBLISHED

FACTOR = 2.0
"""From how many times an error on it counts as far larger."""

DIFFERENCE_BOUND = "margin, of the difference of mean errors"
EITHER_WAY_BOUND = "margin on either side, of the difference of mean errors"
RATIO_BOUND = "factor between mean errors"
"""What the bounds of claims are."""

RunsByRank = dict[int, list[Run]]

Settings = Mapping[str, object]
"""Values of columns by which runs are chosen."""

CONCATENATED: Settings = {"encoding": "concatenated"}
ADDITIVE_AS_PUBLISHED: Settings = {"encoding": "additive", **runs.PUBLISHED_INITIAL}
ADDITIVE_FROM_SMALL: Settings = {"encoding": "additive", **runs.CONTROL_INITIAL}

ENCODING_SETTINGS = (*runs.SIZE, *runs.TRAINING, "width")
"""Settings that runs of one encoding have in common."""

_PUBLISHED_LAW = runs.initial_words(runs.PUBLISHED_INITIAL)
_SMALL_LAW = runs.initial_words(runs.CONTROL_INITIAL)


# Lower ranks and full rank, Figure 1.


def lower_ranks_against_full(rows: list[Run]) -> Iterator[Contrast]:
    """The contrasts, among runs of one depth, of every lower rank with full rank of the same width,
    which has as many parameters."""
    for width in runs.values(rows, "width"):
        full = _of_full_rank(rows, width)
        for rank, lower in by_rank(chosen(rows, width=width)).items():
            yield Contrast(f"w={width}, r={rank}", [(lower, full)])


def most_heads_of_lower_rank(rows: list[Run]) -> Iterator[Contrast]:
    """The contrasts, among runs of one depth, of every lower rank with its most heads and full rank
    with its fewest."""
    widths = runs.values(rows, "width")
    if not widths:
        return
    full = _of_full_rank(rows, widths[0])
    for rank, lower in by_rank(chosen(rows, width=widths[-1])).items():
        yield Contrast(f"H={lower[0]['total_heads']}, r={rank}", [(lower, full)])


def _of_full_rank(rows: list[Run], width: int) -> list[Run]:
    """The runs of full rank of a width."""
    return [row for row in chosen(rows, width=width) if runs.is_full_rank(row)]


# Numbers of layers, Figure 1.


def five_and_three_layers(rows: list[Run]) -> Iterator[Contrast]:
    """The contrasts of five layers with three at every rank, with the fewest parameters that five
    have."""
    widths = runs.values(chosen(rows, layers=5), "width")
    if not widths:
        return
    deep = chosen(rows, layers=5, width=widths[0])
    shallow = chosen(rows, layers=3, width=widths[0])
    for rank in runs.values(deep, "rank"):
        yield Contrast(f"r={rank}", [(chosen(deep, rank=rank), chosen(shallow, rank=rank))])


def one_and_three_layers(rows: list[Run]) -> Iterator[Contrast]:
    """The contrast of one layer with three, over lower ranks with the most heads that three
    have."""
    widths = runs.values(chosen(rows, layers=3), "width")
    if not widths:
        return
    shallow = by_rank(chosen(rows, layers=1, width=widths[-1]))
    deep = by_rank(chosen(rows, layers=3, width=widths[-1]))
    yield from _over_ranks(f"w={widths[-1]}", shallow, deep)


def _over_ranks(name: str, first: RunsByRank, second: RunsByRank) -> Iterator[Contrast]:
    """The contrast of two sets of runs over all ranks together; none where there are no runs to
    compare."""
    ranks = [rank for rank in first if first[rank] and second.get(rank)]
    if ranks:
        pairs = [(first[rank], second[rank]) for rank in ranks]
        yield Contrast(f"{name}, mean over r={', '.join(map(str, ranks))}", pairs)


# Encodings, Figure 3.


def without_and_with(
    encoding: Settings, *, layers: int | None = None, times_the_width: int = 1
) -> Contrasts:
    """The function that gives, of trained runs, contrasts over lower ranks: runs without an
    encoding against runs with it. Those without are `times_the_width` as wide. There is a contrast
    for each number of layers, or for `layers` alone."""

    def contrasts(rows: list[Run]) -> Iterator[Contrast]:
        """A contrast for each number of layers among some runs."""
        depths = runs.values(chosen(rows, **encoding), "layers")
        for depth in depths:
            if layers is None or depth == layers:
                with_encoding = _with_encoding(rows, depth, encoding)
                without = {
                    rank: _without_encoding(rows, group[0], times_the_width)
                    for rank, group in with_encoding.items()
                }
                yield from _over_ranks(f"L={depth}", without, with_encoding)

    return contrasts


def published_and_small_initial_values(rows: list[Run]) -> Iterator[Contrast]:
    """The contrasts, for each number of layers, of lower ranks with an additive encoding from the
    published initial values, with those from small ones."""
    for layers in runs.values(chosen(rows, encoding="additive"), "layers"):
        published = _with_encoding(rows, layers, ADDITIVE_AS_PUBLISHED)
        small = _with_encoding(rows, layers, ADDITIVE_FROM_SMALL)
        # Of the same size, and trained as those of the published initial values.
        small_trained_alike = {
            rank: runs.like(small.get(rank, []), group[0], ENCODING_SETTINGS)
            for rank, group in published.items()
        }
        yield from _over_ranks(f"L={layers}", published, small_trained_alike)


def _with_encoding(rows: list[Run], layers: int, encoding: Settings) -> RunsByRank:
    """The runs with an encoding, all trained alike, by rank below the points' dimension: at the
    dimension a network without an encoding has heads of full rank."""
    encoded = chosen(rows, regime="fresh", layers=layers, **encoding)
    lower = [row for row in encoded if row["rank"] < row["d"]]
    alike = runs.comparable_rows(lower, ENCODING_SETTINGS)
    return {rank: chosen(alike, rank=rank) for rank in runs.values(alike, "rank")}


def _without_encoding(rows: list[Run], run: Run, times_the_width: int) -> list[Run]:
    """The runs without an encoding at so many times the width that are else like one run."""
    width = times_the_width * run["width"]
    without = chosen(rows, encoding="none", regime="fresh", width=width)
    return runs.like(without, run, (*runs.SIZE, *runs.TRAINING, "layers", "rank"))


# Numbers of points, Figure 4.


def figure_4(evidence: Evidence) -> list[Run]:
    """The runs of Figure 4."""
    return runs.two_layers(evidence.usual_runs)


def more_points_of_lower_rank(rows: list[Run]) -> Iterator[Contrast]:
    """The contrasts of two layers of each lower rank on more points with those on the next smaller
    number of points, above two, where uniform attention makes no error."""
    for rank, group in by_rank(rows).items():
        points = [n for n in runs.values(group, "n") if n > 2]
        for few, many in pairwise(points):
            yield _on_points(group, rank, many, few)


def more_points_of_full_rank(rows: list[Run]) -> Iterator[Contrast]:
    """The contrasts of two layers of full rank on more points with those on the fewest."""
    for rank, group in by_rank(rows, full=True).items():
        fewest, *more = runs.values(group, "n")
        for many in more:
            yield _on_points(group, rank, many, fewest)


def _on_points(group: list[Run], rank: int, many: int, few: int) -> Contrast:
    """The contrast of the runs on many points with those on few."""
    pair = (chosen(group, n=many), chosen(group, n=few))
    return Contrast(f"r={rank}, N={many} against {few}", [pair])


TRAINED_CLAIMS = (
    rank_claim(
        "full rank at one layer",
        origin=PAPERS,
        statement="One layer: every lower rank has a larger error than full rank with as many "
        "parameters",
        bound=DIFFERENCE_BOUND,
        judge=ComparedRuns(lower_ranks_against_full, figure_1(layers=1)),
    ),
    rank_claim(
        "full rank at one layer, factor",
        origin=PAPERS,
        statement=f"One layer: every lower rank has more than {FACTOR:g} times the error of full "
        "rank with as many parameters",
        bound=RATIO_BOUND,
        judge=ComparedRuns(lower_ranks_against_full, figure_1(layers=1), factor=FACTOR),
    ),
    rank_claim(
        "more heads at one layer",
        origin=PAPERS,
        statement="One layer: the most heads of lower rank have a larger error than the fewest of "
        "full rank",
        bound=DIFFERENCE_BOUND,
        judge=ComparedRuns(most_heads_of_lower_rank, figure_1(layers=1)),
    ),
    rank_claim(
        "more heads at one layer, factor",
        origin=PAPERS,
        statement=f"One layer: the most heads of lower rank have more than {FACTOR:g} times the "
        "error of the fewest of full rank",
        bound=RATIO_BOUND,
        judge=ComparedRuns(most_heads_of_lower_rank, figure_1(layers=1), factor=FACTOR),
    ),
    rank_claim(
        "full rank at three layers",
        origin=PAPERS,
        statement="Three layers: every lower rank has a larger error than full rank with as many "
        "parameters",
        bound=DIFFERENCE_BOUND,
        judge=ComparedRuns(lower_ranks_against_full, figure_1(layers=3), unfit=two_outcomes_reason),
    ),
    rank_claim(
        "more heads at three layers",
        origin=PAPERS,
        statement="Three layers: the most heads of lower rank have a larger error than the fewest "
        "of full rank",
        bound=DIFFERENCE_BOUND,
        judge=ComparedRuns(most_heads_of_lower_rank, figure_1(layers=3), unfit=two_outcomes_reason),
    ),
    rank_claim(
        "depth helps",
        origin=PAPERS,
        statement="Three layers of lower rank have a smaller error than one, on average over the "
        "ranks, with the most heads",
        bound=DIFFERENCE_BOUND,
        judge=ComparedRuns(one_and_three_layers, figure_1()),
    ),
    rank_claim(
        "five layers",
        origin=PAPERS,
        statement="Five layers with d^2 parameters per layer have a larger error than three, at "
        "every rank",
        bound=DIFFERENCE_BOUND,
        judge=ComparedRuns(five_and_three_layers, figure_1()),
        substitute=FIVE_LAYERS_PUBLISHED,
    ),
    rank_claim(
        "concatenated, three layers",
        origin=PAPERS,
        statement="Concatenated encodings lower the error of lower ranks at three layers, on "
        "average",
        bound=DIFFERENCE_BOUND,
        judge=ComparedRuns(without_and_with(CONCATENATED, layers=3)),
    ),
    rank_claim(
        "concatenated, one layer",
        origin=PAPERS,
        statement="Concatenated encodings do not lower the error of lower ranks at one layer, on "
        "average",
        bound=DIFFERENCE_BOUND,
        judge=ComparedRuns(without_and_with(CONCATENATED, layers=1), claimed=at_most),
    ),
    # The control of about as many attention parameters is not in the paper.
    rank_claim(
        "concatenated, three layers, matched",
        origin=OURS,
        statement="Concatenated encodings lower the error of lower ranks at three layers beside "
        "networks without an encoding that have about as many attention parameters, too, on "
        "average",
        bound=DIFFERENCE_BOUND,
        judge=ComparedRuns(without_and_with(CONCATENATED, layers=3, times_the_width=4)),
    ),
    rank_claim(
        "concatenated, one layer, matched",
        origin=OURS,
        statement="Concatenated encodings do not lower the error of lower ranks at one layer "
        "beside networks without an encoding that have about as many attention parameters, on "
        "average",
        bound=DIFFERENCE_BOUND,
        judge=ComparedRuns(
            without_and_with(CONCATENATED, layers=1, times_the_width=4), claimed=at_most
        ),
    ),
    rank_claim(
        "additive",
        origin=PAPERS,
        statement=f"Additive encodings, from the published initial values {_PUBLISHED_LAW}, do not "
        "lower the error of lower ranks, on average",
        bound=DIFFERENCE_BOUND,
        judge=ComparedRuns(without_and_with(ADDITIVE_AS_PUBLISHED), claimed=at_most),
    ),
    # Other initial values are not in the paper.
    rank_claim(
        "additive, control",
        origin=OURS,
        statement=f"Additive encodings from initial values {_SMALL_LAW} neither lower nor raise "
        "the error of lower ranks, on average",
        bound=EITHER_WAY_BOUND,
        judge=ComparedRuns(without_and_with(ADDITIVE_FROM_SMALL), claimed=within),
    ),
    rank_claim(
        "additive, initial values",
        origin=OURS,
        statement="With additive encodings lower ranks have a larger error from the published "
        f"initial values {_PUBLISHED_LAW} than from {_SMALL_LAW}, on average",
        bound=DIFFERENCE_BOUND,
        judge=ComparedRuns(published_and_small_initial_values),
    ),
    rank_claim(
        "more points, lower rank",
        origin=PAPERS,
        statement="Two layers of lower rank: the error grows from each number of points to the "
        "next",
        bound=DIFFERENCE_BOUND,
        judge=ComparedRuns(
            more_points_of_lower_rank, figure_4, at_full_width=True, unfit=unlearned_reason
        ),
    ),
    rank_claim(
        "more points, lower rank, over rank 0",
        origin=OURS,
        statement="Two layers of lower rank: the error over that of uniform attention (rank 0) "
        "grows from each number of points to the next",
        bound="margin, of the difference of mean errors over rank 0",
        judge=ComparedRuns(
            more_points_of_lower_rank,
            figure_4,
            measures=(runs.over_rank_0, runs.over_rank_0),
            at_full_width=True,
            unfit=unlearned_reason,
        ),
    ),
    # Not over rank 0: where the target is learned, that ratio falls only because rank 0 gets worse.
    rank_claim(
        "more points, full rank",
        origin=PAPERS,
        statement="Two layers of full rank: the error does not grow with the number of points",
        bound=DIFFERENCE_BOUND,
        judge=ComparedRuns(
            more_points_of_full_rank,
            figure_4,
            claimed=at_most,
            at_full_width=True,
            unfit=unlearned_reason,
        ),
    ),
)
