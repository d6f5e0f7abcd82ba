"""What the paper says of trained transformers, and this reproduction of them, as contrasts of
groups of runs."""

from collections.abc import Iterator
from itertools import pairwise

from attention_separation.statistics.claims import at_least, at_most, within

from .contrasts import SIZE, TRAINING, Claimed, Contrast, alike, alike_each, plain
from .judging import ON_EITHER_SIDE, Contrasts, TrainedClaim, two_outcomes, unlearned
from .outcomes import OURS
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

OF_FACTOR = "factor between mean errors"

_THEIRS, _SMALL = map(initial_words, (PUBLISHED_INITIAL, CONTROL_INITIAL))


def _low_ranks(rows: list[dict]) -> list[int]:
    return values([row for row in rows if not is_full_rank(row)], "rank")


def against_full_rank(layers: int, most_heads: bool = False) -> Contrasts:
    """Every lower rank against full rank: with as many parameters, or the most heads of the one
    against the fewest of the other."""

    def contrasts(rows: list[dict]) -> Iterator[Contrast]:
        rows = chosen(plain(rows), layers=layers)
        widths = values(rows, "width")
        beside = {width: width for width in widths}
        if most_heads and widths:
            beside = {widths[-1]: widths[0]}
        for width, width_of_full in beside.items():
            own = chosen(rows, width=width)
            full = [row for row in chosen(rows, width=width_of_full) if is_full_rank(row)]
            for rank in _low_ranks(own):
                lower = chosen(own, rank=rank)
                name = f"H={lower[0]['total_heads']}" if most_heads else f"w={width}"
                yield Contrast(f"{name}, r={rank}", [(lower, full)])

    return contrasts


def _five_layers(rows: list[dict]) -> Iterator[Contrast]:
    deep, less = (chosen(plain(rows), layers=layers) for layers in (5, 3))
    for width in values(deep, "width")[:1]:
        for rank in values(chosen(deep, width=width), "rank"):
            pair = tuple(chosen(own, width=width, rank=rank) for own in (deep, less))
            yield Contrast(f"r={rank}", [pair])


def _over_ranks(
    name: str, pairs: dict[int, tuple], claimed: Claimed = at_least
) -> Iterator[Contrast]:
    """One contrast of all ranks together; none where there are no runs to compare."""
    found = {rank: pair for rank, pair in pairs.items() if all(pair)}
    if found:
        ranks = ", ".join(map(str, found))
        yield Contrast(f"{name}, mean over r={ranks}", [*found.values()], claimed)


def _depth(rows: list[dict]) -> Iterator[Contrast]:
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


def _concatenated(layers: int, claimed: Claimed, times: int) -> Contrasts:
    def contrasts(rows: list[dict]) -> Iterator[Contrast]:
        groups = _with_encoding(rows, layers, encoding="concatenated")
        pairs = {rank: (_without(rows, own, times), own) for rank, own in groups.items()}
        yield from _over_ranks(f"L={layers}", pairs, claimed)

    return contrasts


def additive(initial: dict[str, float], claimed: Claimed) -> Contrasts:
    """Of each number of layers, lower ranks without an encoding and with an additive one of these
    initial values."""

    def contrasts(rows: list[dict]) -> Iterator[Contrast]:
        for layers in values(chosen(rows, encoding="additive", **initial), "layers"):
            groups = _with_encoding(rows, layers, encoding="additive", **initial)
            pairs = {rank: (_without(rows, own, 1), own) for rank, own in groups.items()}
            yield from _over_ranks(f"L={layers}", pairs, claimed)

    return contrasts


def initial_values(rows: list[dict]) -> Iterator[Contrast]:
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


def neighbours(rows: list[dict]) -> Iterator[Contrast]:
    """Of each rank below full, two layers on each number of points against the next smaller one."""
    for rank, own in of_figure_4(rows, full=False):
        # Of two points uniform attention makes no error.
        for few, many in pairwise(n for n in values(own, "n") if n > 2):
            name = f"r={rank}, N={many} against {few}"
            yield Contrast(name, [(chosen(own, n=many), chosen(own, n=few))])


def _against_fewest(rows: list[dict]) -> Iterator[Contrast]:
    for rank, own in of_figure_4(rows, full=True):
        few, *more = values(own, "n")
        for many in more:
            name = f"r={rank}, N={many} against {few}"
            yield Contrast(name, [(chosen(own, n=many), chosen(own, n=few))], at_most)


def _unlearned(rows: list[dict], found: list[Contrast]) -> str:
    del found
    return unlearned(two_layers(rows))


CLAIMS = (
    TrainedClaim(
        "full rank at one layer",
        "One layer: every lower rank has a larger error than full rank with as many parameters",
        against_full_rank(1),
    ),
    TrainedClaim(
        "full rank at one layer, factor",
        f"One layer: every lower rank has more than {FACTOR:g} times the error of full rank with "
        "as many parameters",
        against_full_rank(1),
        factor=FACTOR,
        bound_is=OF_FACTOR,
    ),
    TrainedClaim(
        "more heads at one layer",
        "One layer: the most heads of lower rank have a larger error than the fewest of full rank",
        against_full_rank(1, most_heads=True),
    ),
    TrainedClaim(
        "more heads at one layer, factor",
        f"One layer: the most heads of lower rank have more than {FACTOR:g} times the error of the "
        "fewest of full rank",
        against_full_rank(1, most_heads=True),
        factor=FACTOR,
        bound_is=OF_FACTOR,
    ),
    TrainedClaim(
        "full rank at three layers",
        "Three layers: every lower rank has a larger error than full rank with as many parameters",
        against_full_rank(3),
        unfit=two_outcomes,
    ),
    TrainedClaim(
        "more heads at three layers",
        "Three layers: the most heads of lower rank have a larger error than the fewest of full "
        "rank",
        against_full_rank(3, most_heads=True),
        unfit=two_outcomes,
    ),
    TrainedClaim(
        "depth helps",
        "Three layers of lower rank have a smaller error than one, on average over the ranks, with "
        "the most heads",
        _depth,
    ),
    TrainedClaim(
        "five layers",
        "Five layers with d^2 parameters per layer have a larger error than three, at every rank",
        _five_layers,
    ),
    TrainedClaim(
        "concatenated, three layers",
        "Concatenated encodings lower the error of lower ranks at three layers, on average",
        _concatenated(3, at_least, 1),
    ),
    TrainedClaim(
        "concatenated, one layer",
        "Concatenated encodings do not lower the error of lower ranks at one layer, on average",
        _concatenated(1, at_most, 1),
    ),
    # The control of about as many attention parameters is not in the paper.
    TrainedClaim(
        "concatenated, three layers, matched",
        "Concatenated encodings lower the error of lower ranks at three layers beside networks "
        "without an encoding that have about as many attention parameters, too, on average",
        _concatenated(3, at_least, 4),
        whose=OURS,
    ),
    TrainedClaim(
        "concatenated, one layer, matched",
        "Concatenated encodings do not lower the error of lower ranks at one layer beside networks "
        "without an encoding that have about as many attention parameters, on average",
        _concatenated(1, at_most, 4),
        whose=OURS,
    ),
    TrainedClaim(
        "additive",
        f"Additive encodings, from the published initial values {_THEIRS}, do not lower the error "
        "of lower ranks, on average",
        additive(PUBLISHED_INITIAL, at_most),
    ),
    # Other initial values are not in the paper.
    TrainedClaim(
        "additive, control",
        f"Additive encodings from initial values {_SMALL} neither lower nor raise the error of "
        "lower ranks, on average",
        additive(CONTROL_INITIAL, within),
        whose=OURS,
        bound_is=ON_EITHER_SIDE,
    ),
    TrainedClaim(
        "additive, initial values",
        "With additive encodings lower ranks have a larger error from the published initial values "
        f"{_THEIRS} than from {_SMALL}, on average",
        initial_values,
        whose=OURS,
    ),
    TrainedClaim(
        "more points, lower rank",
        "Two layers of lower rank: the error grows from each number of points to the next",
        neighbours,
        at_full_width=True,
        unfit=_unlearned,
    ),
    TrainedClaim(
        "more points, lower rank, over rank 0",
        "Two layers of lower rank: the error over that of uniform attention (rank 0) grows from "
        "each number of points to the next",
        neighbours,
        measures=(over_rank_0, over_rank_0),
        whose=OURS,
        bound_is="margin, of the difference of mean errors over rank 0",
        at_full_width=True,
        unfit=_unlearned,
    ),
    # Not over rank 0: where the target is learned, that ratio falls only because rank 0 gets worse.
    TrainedClaim(
        "more points, full rank",
        "Two layers of full rank: the error does not grow with the number of points",
        _against_fewest,
        at_full_width=True,
        unfit=_unlearned,
    ),
)
