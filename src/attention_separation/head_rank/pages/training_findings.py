"""What the runs of trained transformers say, and the published values: every number is read from a
table."""

import math
from itertools import pairwise

from attention_separation.head_rank.claims import published_values
from attention_separation.head_rank.claims.runs import (
    chosen,
    held_out_error,
    is_full_rank,
    naming_dead,
    over_rank_0,
    values,
)
from attention_separation.head_rank.claims.trained_claims import (
    Comparison,
    Measure,
    additive,
    neighbours,
    of_figure_4,
    plain,
)
from attention_separation.head_rank.constructions.uniform_attention import least_error
from attention_separation.head_rank.settings.cells import EPOCH
from attention_separation.pages.prose import counted, joined, mean_with_interval
from attention_separation.statistics.group_means import difference_of_means, mean_gap
from attention_separation.statistics.means import mean_of

LEVEL = 0.05
"""Of intervals of differences, where the claims' own level is not given."""

NEAR = 0.05
"""Share of the error of uniform attention by which another hardly beats it."""


def rank_findings(runs: list[dict]) -> list[str]:
    """Errors of Figure 1's runs at one layer: full rank, the lower ones, and rank 0."""
    rows = chosen(plain(runs), layers=1)
    cells = [chosen(rows, cell=cell) for cell in dict.fromkeys(row["cell"] for row in rows)]
    full = [own for own in cells if is_full_rank(own[0])]
    low = [own for own in cells if not is_full_rank(own[0])]
    if not full or not low:
        return []
    d, n = full[0][0]["d"], full[0][0]["n"]
    widths = joined([str(width) for width in sorted({own[0]["width"] for own in low})], "or")
    best, worst = (_of_cell(pick(low, key=_mean)) for pick in (min, max))
    return [
        f"**Rank at one layer**, at d = {d} and N = {n}, as mean held-out errors over "
        f"{len(values(rows, 'run'))} runs with 95 % intervals. Full rank has "
        f"{' and '.join(map(_of_cell, full))}; of the lower ranks with w = {widths} the best "
        f"cell has {best}, the worst {worst}. Predicting zero has 1, and uniform attention "
        f"(rank 0, the best −a xᵢ + b Σⱼ xⱼ) has {least_error(d, n):.3f}."
    ]


def depth_findings(runs: list[dict]) -> list[str]:
    """Three layers of full rank, where they end worse than one."""
    rows = [row for row in plain(runs) if is_full_rank(row)]
    parts = []
    for width in values(rows, "width"):
        one, three = (chosen(rows, width=width, layers=layers) for layers in (1, 3))
        if one and three and _mean(three) > _mean(one):
            listed = ", ".join(f"{error:.3f}" for error in sorted(map(held_out_error, three)))
            parts.append(
                f"with {counted(width, 'head')} per layer at {_mean(three):.3f} (runs {listed}) "
                f"where one layer has {_mean(one):.3f}"
            )
    if not parts:
        return []
    return [
        f"**Three layers of full rank train badly here**, at d = {rows[0]['d']} and "
        f"N = {rows[0]['n']}. They end {', and '.join(parts)}. With {rows[0]['steps']:,} steps "
        f"nothing is said of what three layers of full rank can do."
    ]


def additive_findings(runs: list[dict], level: float = LEVEL) -> list[str]:
    """How much additive encodings change the errors of lower ranks."""
    found = [each for each in additive(runs) if all(map(all, each.pairs))]
    if not found:
        return []
    parts, raised = [], []
    for each in found:
        # Of networks without an encoding less those with it.
        gap = difference_of_means(_measured(each, held_out_error), level / len(found))
        parts.append(f"{-gap.value:.3f} ({-gap.high:.3f} to {-gap.low:.3f}) [{each.name}]")
        raised.append(gap.high < 0)
    d = found[0].pairs[0][0][0]["d"]
    change = "raise" if all(raised) else "change"
    return [
        f"**Additive encodings** {change} the mean error of lower ranks at d = {d} by "
        f"{' and '.join(parts)}, simultaneous at level {level:g}. Their initial values are the "
        f"original's, normal of mean −1: columns of norm about √(2d) = {math.sqrt(2 * d):.2g} "
        f"beside points of norm 1, which may decide it."
    ]


def _measured(comparison: Comparison, measure: Measure) -> list[tuple]:
    """What is compared, as numbers."""
    return [tuple([measure(row) for row in group] for group in pair) for pair in comparison.pairs]


def published_findings() -> list[str]:
    """The paper's values below full rank beside the error of uniform attention."""
    found = published_values.below_full_rank()
    d, n = published_values.SIZE_1["d"], published_values.SIZE_1["n"]
    share = {(name, rank): value / least_error(d, count) for name, rank, count, value in found}
    above: dict[str, list[str]] = {}
    for (name, rank), times in share.items():
        if times >= 1:
            above.setdefault(name, []).append(str(rank))
    named = "; ".join(f"r = {' and '.join(ranks)} at {name}" for name, ranks in above.items())
    near = sum(1 - NEAR <= times < 1 for times in share.values())
    return [
        f"**Rank 0 at the paper's size.** At d = {d} and N = {n} uniform attention has "
        f"{least_error(d, n):.3f}. Of the {len(found)} values below full rank that are read off "
        f"the paper's Figures 1, 3 and 4, {sum(map(len, above.values()))} are no smaller than its "
        f"error at their N: {named}. {near} more are smaller by {100 * NEAR:g} % at most. They are "
        f"least training losses."
    ]


def _mean(rows: list[dict]) -> float:
    return sum(map(held_out_error, rows)) / len(rows)


def _of_cell(rows: list[dict]) -> str:
    """Mean error of a cell's runs, and which cell it is."""
    mean = mean_with_interval([held_out_error(row) for row in rows])
    name = f"{counted(rows[0]['total_heads'], 'head')} of rank {rows[0]['rank']}"
    return f"{mean} with {naming_dead(name, rows)}"


def points_findings(runs: list[dict], level: float = LEVEL) -> list[str]:
    """Figure 4's errors over that of uniform attention, and where they fall as N grows."""
    # Of two points uniform attention makes no error.
    rows = [row for row in runs if row["n"] > 2]
    lower, full = (list(of_figure_4(rows, full)) for full in (False, True))
    found = [each for each in neighbours(rows) if all(each.pairs[0])]
    if not found:
        return []
    own = lower[0][1]
    d, numbers = own[0]["d"], values(own, "n")
    rank_0 = ", ".join(f"{least_error(d, n):.3f} at N = {n}" for n in numbers)
    listed = [
        f"{'full ' * (group[0]['rank'] == d)}rank {rank}: {', '.join(_over(group))}"
        for rank, group in [*lower, *full]
    ]
    widths = values(own, "width")
    apart = " where the paper has w = d" * (widths != [d])
    return [
        f"**Number of points**, at d = {d} with two layers and w = {', '.join(map(str, widths))}"
        f"{apart}, as mean held-out errors over that of uniform attention (rank 0: {rank_0}), with "
        f"95 % intervals over {len(values(own, 'run'))} runs. "
        f"{'; '.join(listed).capitalize()}. {_least_step(found, level)} {_published_steps()}"
    ]


def _over(rows: list[dict]) -> list[str]:
    """Means over rank 0 for each number of points; the runs, where one of them is dead."""
    said = []
    for n in values(rows, "n"):
        group = chosen(rows, n=n)
        own = [over_rank_0(row) for row in group]
        mean = mean_of(own)
        reach = mean.high - mean.value
        text = f"{mean.value:.2f}"
        if any(row["dead"] for row in group):
            text = f"runs at {'/'.join(f'{value:.2f}' for value in sorted(own))}"
        elif len(own) > 1:
            digits = max(2, -math.floor(math.log10(reach))) if reach else 2
            text = f"{mean.value:.{digits}f} ± {reach:.{digits}f}"
        said.append(naming_dead(text, group))
    return said


def _least_step(found: list[Comparison], level: float) -> str:
    """The step in the number of points that raises the error over rank 0 the least."""
    steps = [
        (difference_of_means(_measured(each, over_rank_0), level / len(found)), each.pairs[0])
        for each in found
    ]
    step, (many, few) = min(steps, key=lambda pair: pair[0].value)
    if step.value >= 0:
        return "Below full rank its mean grows at every step."
    return (
        f"Below full rank it does not grow at every step: from N = {few[0]['n']} to "
        f"{many[0]['n']} at rank {many[0]['rank']} it falls by {-step.value:.3f} "
        f"({-step.high:.3f} to {-step.low:.3f}, simultaneous over {len(found)} steps at level "
        f"{level:g})."
    )


def _published_steps() -> str:
    """Whether the paper's own values over rank 0 grow with the number of points."""
    d = published_values.SIZE_4["d"]
    shares = [
        [value / least_error(d, n) for value in published_values.FIGURE_4[n][:-1]]
        for n in sorted(published_values.FIGURE_4)
    ]
    steps = [more > few for pair in pairwise(shares) for few, more in zip(*pair, strict=True)]
    where = "every step" if all(steps) else f"{sum(steps)} of {len(steps)} steps"
    return f"The paper's own values over rank 0, at d = {d}, grow at {where}."


def fresh_findings(runs: list[dict], level: float = LEVEL) -> list[str]:
    """What training on the same batches again reports, beside the error on new data."""
    rows = [
        row for row in chosen(runs, regime="repeated")
        if row["min_train"] is not None and row["test_error"] is not None
    ]  # fmt: skip
    cells = [chosen(rows, cell=cell) for cell in dict.fromkeys(row["cell"] for row in rows)]
    cells = [own for own in cells if len(own) > 1]
    if not cells:
        return []
    gaps = [
        mean_gap([row["test_error"] - row["min_train"] for row in own], level / len(cells))
        for own in cells
    ]
    # The surest, not the largest: that one may be due to a single run.
    gap, own = max(zip(gaps, cells, strict=True), key=lambda pair: pair[0].low)
    row = own[0]
    how = "most surely" if gap.low > 0 else "not surely in any, most nearly so,"
    reported, tested = (
        mean_with_interval([run[name] for run in own]) for name in ("min_train", "test_error")
    )
    epochs = " or ".join(f"{count:,}" for count in published_values.EPOCHS)
    same = {key: row[key] for key in ("layers", "width", "rank", "n", "d", "batch", "steps")}
    fresh = [held_out_error(run) for run in chosen(runs, regime="fresh", **same)]
    words = ""
    if len(fresh) > 1:
        words = f" Runs on new batches, with a schedule per step, have {mean_with_interval(fresh)}."
    return [
        f"**Repeated batches.** In the published configurations the same "
        f"{published_values.BATCHES} batches of {published_values.BATCH} sets come back in each of "
        f"{epochs} epochs, and the figures show the least training loss; here {EPOCH} batches of "
        f"{row['batch']} sets come back {row['steps'] // EPOCH:,} times. Of {len(cells)} cells "
        f"trained so, with the published schedule per epoch, that loss is {how} below the error on "
        f"new data at d = {row['d']}, N = {row['n']}, L = {row['layers']}, w = {row['width']}, "
        f"r = {row['rank']}: {reported} for {tested}, means over "
        f"{naming_dead(f'{len(own)} runs', own)} with 95 % intervals, a difference of "
        f"{gap.value:.3f} ({gap.low:.3f} to {gap.high:.3f}, simultaneous over the cells at level "
        f"{level:g}).{words}"
    ]
