"""What the paper says of trained transformers, and this reproduction of them, as comparisons of
groups of runs."""

from collections.abc import Callable, Iterator
from itertools import pairwise

from .comparisons import SIZE, TRAINING, Comparison, alike, alike_each, plain
from .judging import Claim, two_outcomes, unlearned
from .outcomes import OURS, above, below, within
from .runs import (
    CONTROL_INITIAL,
    PUBLISHED_INITIAL,
    chosen,
    initial_words,
    is_full_rank,
    over_rank_0,
    values,
)

FACTOR = 2.0
"""From how many times an error on it counts as far larger."""

_THEIRS, _SMALL = map(initial_words, (PUBLISHED_INITIAL, CONTROL_INITIAL))

Comparisons = Callable[[list[dict]], Iterator[Comparison]]


def _low_ranks(rows: list[dict]) -> list[int]:
    return values([row for row in rows if not is_full_rank(row)], "rank")


def _full_rank_needed(layers: int) -> Comparisons:
    def comparisons(rows: list[dict]) -> Iterator[Comparison]:
        rows = chosen(plain(rows), layers=layers)
        for width in values(rows, "width"):
            own = chosen(rows, width=width)
            full = [row for row in own if is_full_rank(row)]
            for rank in _low_ranks(own):
                yield Comparison(f"w={width}, r={rank}", [(chosen(own, rank=rank), full)])

    return comparisons


def _more_heads(layers: int) -> Comparisons:
    def comparisons(rows: list[dict]) -> Iterator[Comparison]:
        rows = chosen(plain(rows), layers=layers)
        if not rows:
            return
        widths = values(rows, "width")
        full = [row for row in chosen(rows, width=widths[0]) if is_full_rank(row)]
        own = chosen(rows, width=widths[-1])
        for rank in _low_ranks(own):
            heads = chosen(own, rank=rank)
            yield Comparison(f"H={heads[0]['total_heads']}, r={rank}", [(heads, full)])

    return comparisons


def _five_layers(rows: list[dict]) -> Iterator[Comparison]:
    deep, less = (chosen(plain(rows), layers=layers) for layers in (5, 3))
    for width in values(deep, "width")[:1]:
        for rank in values(chosen(deep, width=width), "rank"):
            pair = tuple(chosen(own, width=width, rank=rank) for own in (deep, less))
            yield Comparison(f"r={rank}", [pair])


def _over_ranks(
    name: str, pairs: dict[int, tuple], judge: Callable = above
) -> Iterator[Comparison]:
    """One comparison of all ranks together; none where there are no runs to compare."""
    found = {rank: pair for rank, pair in pairs.items() if all(pair)}
    if found:
        ranks = ", ".join(map(str, found))
        yield Comparison(f"{name}, mean over r={ranks}", [*found.values()], judge)


def _depth(rows: list[dict]) -> Iterator[Comparison]:
    shallow, deep = (chosen(plain(rows), layers=layers) for layers in (1, 3))
    for width in values(deep, "width")[-1:]:
        own, beside = (chosen(group, width=width) for group in (deep, shallow))
        pairs = {
            rank: (chosen(beside, rank=rank), chosen(own, rank=rank)) for rank in _low_ranks(own)
        }
        yield from _over_ranks(f"w={width}", pairs)


def _with_encoding(rows: list[dict], layers: int, **encoding: object) -> dict[int, list[dict]]:
    """Per rank below the points' dimension, runs with an encoding, all of them alike: at the
    dimension a network without an encoding has heads of full rank."""
    own = chosen(rows, regime="fresh", layers=layers, **encoding)
    own = alike([row for row in own if row["rank"] < row["d"]], (*SIZE, *TRAINING, "width"))
    return {rank: chosen(own, rank=rank) for rank in values(own, "rank")}


def _without(rows: list[dict], group: list[dict], times: int) -> list[dict]:
    """Runs like those of a group, without an encoding at so many times the width."""
    same = {name: group[0][name] for name in (*SIZE, *TRAINING, "layers", "rank")}
    width = times * group[0]["width"]
    return chosen(rows, encoding="none", regime="fresh", width=width, **same)


def _concatenated(layers: int, judge: Callable, times: int) -> Comparisons:
    def comparisons(rows: list[dict]) -> Iterator[Comparison]:
        groups = _with_encoding(rows, layers, encoding="concatenated")
        pairs = {rank: (_without(rows, own, times), own) for rank, own in groups.items()}
        yield from _over_ranks(f"L={layers}", pairs, judge)

    return comparisons


def additive(initial: dict[str, float], judge: Callable) -> Comparisons:
    """Of each number of layers, lower ranks without an encoding and with an additive one of these
    initial values."""

    def comparisons(rows: list[dict]) -> Iterator[Comparison]:
        for layers in values(chosen(rows, encoding="additive", **initial), "layers"):
            groups = _with_encoding(rows, layers, encoding="additive", **initial)
            pairs = {rank: (_without(rows, own, 1), own) for rank, own in groups.items()}
            yield from _over_ranks(f"L={layers}", pairs, judge)

    return comparisons


def initial_values(rows: list[dict]) -> Iterator[Comparison]:
    """Of each number of layers, lower ranks with an additive encoding of the published initial
    values, and of the control's."""
    for layers in values(chosen(rows, encoding="additive"), "layers"):
        theirs, control = (
            _with_encoding(rows, layers, encoding="additive", **initial)
            for initial in (PUBLISHED_INITIAL, CONTROL_INITIAL)
        )
        same = (*SIZE, *TRAINING, "width")
        pairs = {
            rank: (own, chosen(control.get(rank, []), **{name: own[0][name] for name in same}))
            for rank, own in theirs.items()
        }
        yield from _over_ranks(f"L={layers}", pairs)


def two_layers(rows: list[dict]) -> list[dict]:
    """Runs of Figure 4: of the size that most have, and for each N trained as most are."""
    own = chosen(rows, encoding="none", regime="fresh", layers=2)
    return alike_each(alike(own, ("d", "feed_forward", "width")), "n")


def of_figure_4(rows: list[dict], full: bool) -> Iterator[tuple[int, list[dict]]]:
    """Runs of two layers by rank: all of full rank, or all of lower ones."""
    rows = two_layers(rows)
    for rank in values([row for row in rows if is_full_rank(row) == full], "rank"):
        yield rank, chosen(rows, rank=rank)


def neighbours(rows: list[dict]) -> Iterator[Comparison]:
    """Of each rank below full, two layers on each number of points against the next smaller one."""
    for rank, own in of_figure_4(rows, full=False):
        # Of two points uniform attention makes no error.
        for few, many in pairwise(n for n in values(own, "n") if n > 2):
            name = f"r={rank}, N={many} against {few}"
            yield Comparison(name, [(chosen(own, n=many), chosen(own, n=few))])


def _against_fewest(rows: list[dict]) -> Iterator[Comparison]:
    for rank, own in of_figure_4(rows, full=True):
        few, *more = values(own, "n")
        for many in more:
            name = f"r={rank}, N={many} against {few}"
            yield Comparison(name, [(chosen(own, n=many), chosen(own, n=few))], below)


def _unlearned(rows: list[dict], found: list[Comparison]) -> str:
    del found
    return unlearned(two_layers(rows))


CLAIMS = (
    Claim(
        "full rank at one layer",
        "One layer: every lower rank has a larger error than full rank with as many parameters",
        _full_rank_needed(1),
    ),
    Claim(
        "full rank at one layer, factor",
        f"One layer: every lower rank has more than {FACTOR:g} times the error of full rank with "
        "as many parameters",
        _full_rank_needed(1),
        factor=FACTOR,
    ),
    Claim(
        "more heads at one layer",
        "One layer: the most heads of lower rank have a larger error than the fewest of full rank",
        _more_heads(1),
    ),
    Claim(
        "more heads at one layer, factor",
        f"One layer: the most heads of lower rank have more than {FACTOR:g} times the error of the "
        "fewest of full rank",
        _more_heads(1),
        factor=FACTOR,
    ),
    Claim(
        "full rank at three layers",
        "Three layers: every lower rank has a larger error than full rank with as many parameters",
        _full_rank_needed(3),
        unfit=two_outcomes,
    ),
    Claim(
        "more heads at three layers",
        "Three layers: the most heads of lower rank have a larger error than the fewest of full "
        "rank",
        _more_heads(3),
        unfit=two_outcomes,
    ),
    Claim(
        "depth helps",
        "Three layers of lower rank have a smaller error than one, on average over the ranks, with "
        "the most heads",
        _depth,
    ),
    Claim(
        "five layers",
        "Five layers with d^2 parameters per layer have a larger error than three, at every rank",
        _five_layers,
    ),
    Claim(
        "concatenated, three layers",
        "Concatenated encodings lower the error of lower ranks at three layers, on average",
        _concatenated(3, above, 1),
    ),
    Claim(
        "concatenated, one layer",
        "Concatenated encodings do not lower the error of lower ranks at one layer, on average",
        _concatenated(1, below, 1),
    ),
    # The control of about as many attention parameters is not in the paper.
    Claim(
        "concatenated, three layers, matched",
        "Concatenated encodings lower the error of lower ranks at three layers beside networks "
        "without an encoding that have about as many attention parameters, too, on average",
        _concatenated(3, above, 4),
        whose=OURS,
    ),
    Claim(
        "concatenated, one layer, matched",
        "Concatenated encodings do not lower the error of lower ranks at one layer beside networks "
        "without an encoding that have about as many attention parameters, on average",
        _concatenated(1, below, 4),
        whose=OURS,
    ),
    Claim(
        "additive",
        f"Additive encodings, from the published initial values {_THEIRS}, do not lower the error "
        "of lower ranks, on average",
        additive(PUBLISHED_INITIAL, below),
    ),
    # Other initial values are not in the paper.
    Claim(
        "additive, control",
        f"Additive encodings from initial values {_SMALL} neither lower nor raise the error of "
        "lower ranks, on average",
        additive(CONTROL_INITIAL, within),
        whose=OURS,
    ),
    Claim(
        "additive, initial values",
        "With additive encodings lower ranks have a larger error from the published initial values "
        f"{_THEIRS} than from {_SMALL}, on average",
        initial_values,
        whose=OURS,
    ),
    Claim(
        "more points, lower rank",
        "Two layers of lower rank: the error grows from each number of points to the next",
        neighbours,
        at_full_width=True,
        unfit=_unlearned,
    ),
    Claim(
        "more points, lower rank, over rank 0",
        "Two layers of lower rank: the error over that of uniform attention (rank 0) grows from "
        "each number of points to the next",
        neighbours,
        measure=over_rank_0,
        whose=OURS,
        at_full_width=True,
        unfit=_unlearned,
    ),
    # Not over rank 0: where the target is learned, that ratio falls only because rank 0 gets worse.
    Claim(
        "more points, full rank",
        "Two layers of full rank: the error does not grow with the number of points",
        _against_fewest,
        at_full_width=True,
        unfit=_unlearned,
    ),
)
