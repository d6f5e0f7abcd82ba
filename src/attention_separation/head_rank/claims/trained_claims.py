"""What the paper says of trained transformers, as comparisons of groups of runs."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from attention_separation.head_rank.claims.outcomes import OURS, PAPERS
from attention_separation.head_rank.claims.runs import (
    chosen,
    held_out_error,
    is_full_rank,
    over_rank_0,
    values,
)

Measure = Callable[[dict], float]

FACTOR = 2.0
"""From how many times an error on it counts as far larger."""


@dataclass(frozen=True)
class Comparison:
    """Pairs of groups of runs; `above` claims that the first's mean exceeds the second's by the
    bound, on average over the pairs, else that it does not."""

    name: str
    pairs: list[tuple[list[dict], list[dict]]]
    above: bool = True


@dataclass(frozen=True)
class Claim:
    """A claim on trained transformers: its name, its words and the comparisons it stands for.

    What is compared is the mean of `measure` over runs: by its difference, whose bound is the
    margin, or by its ratio, whose bound is the `factor`. `at_full_width`: the paper's runs have
    w = d.
    """

    name: str
    statement: str
    comparisons: Callable[[list[dict]], Iterator[Comparison]]
    measure: Measure = held_out_error
    factor: float | None = None
    whose: str = PAPERS
    at_full_width: bool = False


RECIPE = ("d", "feed_forward", "batch", "steps", "lr")


def plain(rows: list[dict]) -> list[dict]:
    """Runs of Figure 1: new batches, no encoding, of the N and the recipe that most runs have."""
    return _alike(chosen(rows, encoding="none", regime="fresh"), (*RECIPE, "n"))


def _alike(rows: list[dict], names: tuple[str, ...]) -> list[dict]:
    """The runs with the most frequent values of some settings: others are of another figure."""
    counts = Counter(tuple(row[name] for name in names) for row in rows)
    if not counts:
        return []
    ((most, _),) = counts.most_common(1)
    return chosen(rows, **dict(zip(names, most, strict=True)))


def _low_ranks(rows: list[dict]) -> list[int]:
    return values([row for row in rows if not is_full_rank(row)], "rank")


def _full_rank_needed(layers: int) -> Callable:
    def comparisons(rows: list[dict]) -> Iterator[Comparison]:
        rows = chosen(plain(rows), layers=layers)
        for width in values(rows, "width"):
            own = chosen(rows, width=width)
            full = [row for row in own if is_full_rank(row)]
            for rank in _low_ranks(own):
                yield Comparison(f"w={width}, r={rank}", [(chosen(own, rank=rank), full)])

    return comparisons


def _more_heads(layers: int) -> Callable:
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
    rows = plain(rows)
    own = chosen(rows, width=min(values(rows, "width"))) if rows else []
    for rank in values(own, "rank"):
        deep, less = (chosen(own, rank=rank, layers=layers) for layers in (5, 3))
        yield Comparison(f"r={rank}", [(deep, less)])


def _over_ranks(name: str, pairs: dict[int, tuple], above: bool = True) -> Iterator[Comparison]:
    """One comparison of all ranks together; none where there are no runs to compare."""
    found = {rank: pair for rank, pair in pairs.items() if all(pair)}
    if found:
        ranks = ", ".join(map(str, found))
        yield Comparison(f"{name}, mean over r={ranks}", [*found.values()], above)


def _depth(rows: list[dict]) -> Iterator[Comparison]:
    rows = plain(rows)
    if not rows:
        return
    width = values(rows, "width")[-1]
    shallow, deep = chosen(rows, layers=1, width=width), chosen(rows, layers=3, width=width)
    pairs = {
        rank: (chosen(shallow, rank=rank), chosen(deep, rank=rank)) for rank in _low_ranks(deep)
    }
    yield from _over_ranks(f"w={width}", pairs)


def _encoded(
    rows: list[dict], encoding: str, layers: int, times: int
) -> dict[int, tuple[list[dict], list[dict]]]:
    """Per rank, runs without an encoding at so many times the width, and runs with it."""
    own = chosen(rows, encoding=encoding, regime="fresh", layers=layers)
    pairs = {}
    # Below the points' dimension: at it, a network without an encoding has heads of full rank.
    for rank in values([row for row in own if row["rank"] < row["d"]], "rank"):
        group = chosen(own, rank=rank)
        same = {key: group[0][key] for key in (*RECIPE, "n", "layers")}
        width = times * group[0]["width"]
        wanted = {"encoding": "none", "regime": "fresh", "width": width, "rank": rank}
        pairs[rank] = chosen(rows, **wanted, **same), group
    return pairs


def _concatenated(layers: int, above: bool, times: int) -> Callable:
    def comparisons(rows: list[dict]) -> Iterator[Comparison]:
        yield from _over_ranks(f"L={layers}", _encoded(rows, "concatenated", layers, times), above)

    return comparisons


def additive(rows: list[dict]) -> Iterator[Comparison]:
    """Of each number of layers, lower ranks without an encoding and with an additive one."""
    for layers in values(chosen(rows, encoding="additive"), "layers"):
        yield from _over_ranks(f"L={layers}", _encoded(rows, "additive", layers, 1), above=False)


def of_figure_4(rows: list[dict], full: bool) -> Iterator[tuple[int, list[dict]]]:
    """Runs of two layers by rank: all of full rank, or all of lower ones."""
    rows = _alike(chosen(rows, encoding="none", regime="fresh", layers=2), RECIPE)
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
            yield Comparison(name, [(chosen(own, n=many), chosen(own, n=few))], above=False)


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
    ),
    Claim(
        "more heads at three layers",
        "Three layers: the most heads of lower rank have a larger error than the fewest of full "
        "rank",
        _more_heads(3),
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
        _concatenated(3, True, 1),
    ),
    Claim(
        "concatenated, one layer",
        "Concatenated encodings do not lower the error of lower ranks at one layer, on average",
        _concatenated(1, False, 1),
    ),
    # The control of about as many attention parameters is not in the paper.
    Claim(
        "concatenated, three layers, matched",
        "Concatenated encodings lower the error of lower ranks at three layers beside networks "
        "without an encoding that have about as many attention parameters, too, on average",
        _concatenated(3, True, 4),
        whose=OURS,
    ),
    Claim(
        "concatenated, one layer, matched",
        "Concatenated encodings do not lower the error of lower ranks at one layer beside networks "
        "without an encoding that have about as many attention parameters, on average",
        _concatenated(1, False, 4),
        whose=OURS,
    ),
    Claim(
        "additive",
        "Additive encodings, with the original's initial values, do not lower the error of lower "
        "ranks, on average",
        additive,
    ),
    Claim(
        "more points, lower rank",
        "Two layers of lower rank: the error grows from each number of points to the next",
        neighbours,
        at_full_width=True,
    ),
    Claim(
        "more points, lower rank, over rank 0",
        "Two layers of lower rank: the error over that of uniform attention (rank 0) grows from "
        "each number of points to the next",
        neighbours,
        measure=over_rank_0,
        whose=OURS,
        at_full_width=True,
    ),
    # Not over rank 0: where the target is learned, that ratio falls only because rank 0 gets worse.
    Claim(
        "more points, full rank",
        "Two layers of full rank: the error does not grow with the number of points",
        _against_fewest,
        at_full_width=True,
    ),
)
