"""What the paper says of trained transformers, and this reproduction of them, as contrasts of
groups of runs."""

from collections.abc import Iterator
from itertools import pairwise

from ...statistics.claims import at_least, at_most, within
from ...statistics.contrasts import Claimed, Contrast
from ..training import runs
from ..training.cell_table import USUAL
from ..training.runs import by_rank, chosen, plain
from . import judging

FACTOR = 2.0
"""From how many times an error on it counts as far larger."""

_THEIRS, _SMALL = map(runs.initial_words, (runs.PUBLISHED_INITIAL, runs.CONTROL_INITIAL))


def against_full_rank(layers: int, most_heads: bool = False) -> judging.Contrasts:
    """Every lower rank against full rank: with as many parameters, or the most heads of the one
    against the fewest of the other."""

    def contrasts(rows: list[dict]) -> Iterator[Contrast]:
        rows = chosen(plain(rows), layers=layers)
        widths = runs.values(rows, "width")
        beside = {width: width for width in widths}
        if most_heads and widths:
            beside = {widths[-1]: widths[0]}
        for width, width_of_full in beside.items():
            full = [row for row in chosen(rows, width=width_of_full) if runs.is_full_rank(row)]
            for rank, lower in by_rank(chosen(rows, width=width)).items():
                name = f"H={lower[0]['total_heads']}" if most_heads else f"w={width}"
                yield Contrast(f"{name}, r={rank}", [(lower, full)])

    return contrasts


def five_and_three_layers(rows: list[dict]) -> Iterator[Contrast]:
    """At every rank, with the fewest parameters that five layers have."""
    deep, less = (chosen(plain(rows), layers=layers) for layers in (5, 3))
    for width in runs.values(deep, "width")[:1]:
        for rank in runs.values(chosen(deep, width=width), "rank"):
            pair = tuple(chosen(own, width=width, rank=rank) for own in (deep, less))
            yield Contrast(f"r={rank}", [pair])


def _over_ranks(
    name: str, first: dict[int, list[dict]], second: dict[int, list[dict]],
    claimed: Claimed = at_least,
) -> Iterator[Contrast]:  # fmt: skip
    """One contrast of all ranks together; none where there are no runs to compare."""
    ranks = [rank for rank in first if first[rank] and second.get(rank)]
    if ranks:
        pairs = [(first[rank], second[rank]) for rank in ranks]
        yield Contrast(f"{name}, mean over r={', '.join(map(str, ranks))}", pairs, claimed)


def one_and_three_layers(rows: list[dict]) -> Iterator[Contrast]:
    """Lower ranks with the most heads that three layers have."""
    shallow, deep = (chosen(plain(rows), layers=layers) for layers in (1, 3))
    for width in runs.values(deep, "width")[-1:]:
        groups = (by_rank(chosen(own, width=width)) for own in (shallow, deep))
        yield from _over_ranks(f"w={width}", *groups)


def _with_encoding(rows: list[dict], layers: int, **encoding: object) -> dict[int, list[dict]]:
    """Per rank below the points' dimension, runs with an encoding, all of them alike: at the
    dimension a network without an encoding has heads of full rank."""
    own = chosen(rows, regime="fresh", layers=layers, **encoding)
    own = runs.comparable_rows(
        [row for row in own if row["rank"] < row["d"]], (*runs.SIZE, *runs.TRAINING, "width")
    )
    return {rank: chosen(own, rank=rank) for rank in runs.values(own, "rank")}


def with_encoding(
    claimed: Claimed, only: int | None = None, times: int = 1, **encoding: object
) -> judging.Contrasts:
    """Of each number of layers, or of one, lower ranks without an encoding, at so many times the
    width, and with one."""

    def contrasts(rows: list[dict]) -> Iterator[Contrast]:
        for layers in runs.values(chosen(rows, **encoding), "layers"):
            if only in (None, layers):
                groups = _with_encoding(rows, layers, **encoding)
                without = {rank: _without(rows, own[0], times) for rank, own in groups.items()}
                yield from _over_ranks(f"L={layers}", without, groups, claimed)

    return contrasts


def _without(rows: list[dict], run: dict, times: int) -> list[dict]:
    """Runs like one, without an encoding at so many times the width."""
    own = chosen(rows, encoding="none", regime="fresh", width=times * run["width"])
    return runs.like(own, run, (*runs.SIZE, *runs.TRAINING, "layers", "rank"))


def initial_values(rows: list[dict]) -> Iterator[Contrast]:
    """Of each number of layers, lower ranks with an additive encoding of the published initial
    values, and of the control's."""
    for layers in runs.values(chosen(rows, encoding="additive"), "layers"):
        theirs, control = (
            _with_encoding(rows, layers, encoding="additive", **initial)
            for initial in (runs.PUBLISHED_INITIAL, runs.CONTROL_INITIAL)
        )
        beside = {
            rank: runs.like(control.get(rank, []), own[0], (*runs.SIZE, *runs.TRAINING, "width"))
            for rank, own in theirs.items()
        }
        yield from _over_ranks(f"L={layers}", theirs, beside)


def more_points(full: bool) -> judging.Contrasts:
    """Two layers on more points against fewer: of full rank against the fewest, of each rank below
    against the next smaller number, of more than two, where uniform attention makes no error."""

    def contrasts(rows: list[dict]) -> Iterator[Contrast]:
        for rank, own in by_rank(runs.two_layers(rows), full).items():
            points = runs.values(own, "n")
            steps = pairwise(n for n in points if n > 2)
            for few, many in ((points[0], n) for n in points[1:]) if full else steps:
                pair = (chosen(own, n=many), chosen(own, n=few))
                name = f"r={rank}, N={many} against {few}"
                yield Contrast(name, [pair], at_most if full else at_least)

    return contrasts


CLAIMS = (
    *(
        judging.TrainedClaim(
            name + suffix, f"One layer: {lower} {larger} {full}", columns,
            against_full_rank(1, most_heads), factor=factor,
        )
        for name, lower, full, most_heads in (
            ("full rank at one layer",
             "every lower rank has", "full rank with as many parameters", False),
            ("more heads at one layer",
             "the most heads of lower rank have", "the fewest of full rank", True),
        )
        for suffix, larger, columns, factor in (
            ("", "a larger error than", judging.THEIRS, None),
            (", factor", f"more than {FACTOR:g} times the error of", judging.FAR_LARGER, FACTOR),
        )
    ),
    judging.TrainedClaim(
        "full rank at three layers",
        "Three layers: every lower rank has a larger error than full rank with as many parameters",
        judging.THEIRS, against_full_rank(3), unfit=judging.two_outcomes,
    ),
    judging.TrainedClaim(
        "more heads at three layers",
        "Three layers: the most heads of lower rank have a larger error than the fewest of full "
        "rank",
        judging.THEIRS, against_full_rank(3, most_heads=True), unfit=judging.two_outcomes,
    ),
    judging.TrainedClaim(
        "depth helps",
        "Three layers of lower rank have a smaller error than one, on average over the ranks, with "
        "the most heads",
        judging.THEIRS, one_and_three_layers,
    ),
    judging.TrainedClaim(
        "five layers",
        "Five layers with d^2 parameters per layer have a larger error than three, at every rank",
        judging.THEIRS, five_and_three_layers,
    ),
    judging.TrainedClaim(
        "concatenated, three layers",
        "Concatenated encodings lower the error of lower ranks at three layers, on average",
        judging.THEIRS, with_encoding(at_least, 3, encoding="concatenated"),
    ),
    judging.TrainedClaim(
        "concatenated, one layer",
        "Concatenated encodings do not lower the error of lower ranks at one layer, on average",
        judging.THEIRS, with_encoding(at_most, 1, encoding="concatenated"),
    ),
    # The control of about as many attention parameters is not in the paper.
    judging.TrainedClaim(
        "concatenated, three layers, matched",
        "Concatenated encodings lower the error of lower ranks at three layers beside networks "
        "without an encoding that have about as many attention parameters, too, on average",
        judging.OURS_TOO, with_encoding(at_least, 3, 4, encoding="concatenated"),
    ),
    judging.TrainedClaim(
        "concatenated, one layer, matched",
        "Concatenated encodings do not lower the error of lower ranks at one layer beside networks "
        "without an encoding that have about as many attention parameters, on average",
        judging.OURS_TOO, with_encoding(at_most, 1, 4, encoding="concatenated"),
    ),
    judging.TrainedClaim(
        "additive",
        f"Additive encodings, from the published initial values {_THEIRS}, do not lower the error "
        "of lower ranks, on average",
        judging.THEIRS, with_encoding(at_most, encoding="additive", **runs.PUBLISHED_INITIAL),
    ),
    # Other initial values are not in the paper.
    judging.TrainedClaim(
        "additive, control",
        f"Additive encodings from initial values {_SMALL} neither lower nor raise the error of "
        "lower ranks, on average",
        judging.EITHER_SIDE, with_encoding(within, encoding="additive", **runs.CONTROL_INITIAL),
    ),
    judging.TrainedClaim(
        "additive, initial values",
        "With additive encodings lower ranks have a larger error from the published initial values "
        f"{_THEIRS} than from {_SMALL}, on average",
        judging.OURS_TOO, initial_values,
    ),
    judging.TrainedClaim(
        "more points, lower rank",
        "Two layers of lower rank: the error grows from each number of points to the next",
        judging.THEIRS, more_points(full=False), at_full_width=True, unfit=judging.unlearned,
    ),
    judging.TrainedClaim(
        "more points, lower rank, over rank 0",
        "Two layers of lower rank: the error over that of uniform attention (rank 0) grows from "
        "each number of points to the next",
        judging.OURS_TOO
        | {"bound_description": "margin, of the difference of mean errors over rank 0"},
        more_points(full=False), measures=(runs.over_rank_0, runs.over_rank_0), at_full_width=True,
        unfit=judging.unlearned,
    ),
    # Not over rank 0: where the target is learned, that ratio falls only because rank 0 gets worse.
    judging.TrainedClaim(
        "more points, full rank",
        "Two layers of full rank: the error does not grow with the number of points",
        judging.THEIRS, more_points(full=True), at_full_width=True, unfit=judging.unlearned,
    ),
)  # fmt: skip


_CELL = (*runs.SIZE, "layers", "width", "rank", "encoding", "additive_mean", "batch", "steps", "lr")


def against(arm: dict, other: dict, claimed: Claimed = within) -> judging.Contrasts:
    """Each cell of an arm against the same cell of another; by default the claim is that they do as
    well."""

    def contrasts(rows: list[dict]) -> Iterator[Contrast]:
        for own in runs.cells_of(rows, **arm):
            beside = runs.like(chosen(rows, **other), own[0], _CELL)
            yield Contrast(runs.cell_words(own[0]), [(own, beside)], claimed)

    return contrasts


def reported_loss(run: dict) -> float:
    """The least training loss of an epoch that a run reports."""
    return 1.0 if run["min_train"] is None else run["min_train"]


def training_loss(name: str, arm: dict, schedule: str) -> judging.TrainedClaim:
    """What training on the same batches again reports, with one of the schedules: of each run its
    own."""
    return judging.TrainedClaim(
        name,
        f"Trained on the same batches again, with {schedule}, the error on new data exceeds the "
        "least training loss of an epoch by no more than the margin",
        judging.OURS_TOO
        | {"bound_description": "margin, of the mean excess over the training loss"},
        lambda rows: (
            Contrast(runs.cell_words(own[0]), [(own, own)], at_most)
            for own in runs.cells_of(rows, **arm)
        ),
        (runs.held_out_error, reported_loss),
    )


BATCH_CLAIMS = (
    training_loss("training loss is error", runs.AS_PUBLISHED, "the published schedule per epoch"),
    training_loss("training loss is error, per step", runs.REPEATED, "a schedule per step"),
    judging.TrainedClaim(
        "repeated batches",
        "Trained on the same batches again, with the same schedule per step, the error on new data "
        "is what training on new batches leads to, in every cell",
        judging.EITHER_SIDE, against(runs.REPEATED, runs.FRESH),
    ),
    judging.TrainedClaim(
        "schedule",
        "On the same batches, the published schedule per epoch leads to the error on new data that "
        "one per step leads to, in every cell",
        judging.EITHER_SIDE, against(runs.AS_PUBLISHED, runs.REPEATED),
    ),
)  # fmt: skip

VARIANT_CLAIMS = tuple(
    judging.TrainedClaim(
        f"{name}, {of.lower()}", f"{of}: {words}, at every rank",
        columns | {"origin": judging.PAPERS},
        against(variant | {"layers": layers}, runs.FRESH | USUAL, claimed),
    )
    for name, variant, columns, claimed, words in (
        ("biases", {"biases": False}, judging.EITHER_SIDE, within,
         "without biases networks have the error of those with them"),
        ("LayerNorm", {"layer_norm": True}, judging.THEIRS, at_least,
         "with LayerNorm, which centres, the error is larger than with RMSNorm"),
    )
    for layers, of in ((1, "One layer"), (3, "Three layers"))
)  # fmt: skip
"""On networks beside the paper's; all other claims are on networks like the paper's alone."""
