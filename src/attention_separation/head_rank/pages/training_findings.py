"""What the runs of trained transformers say, and the published values: every number is read from a
table."""

import math

from attention_separation.pages.prose import counted, joined, mean_with_interval
from attention_separation.statistics.means import Estimate

from ..claims import published_values
from ..claims.comparisons import Comparison, plain
from ..claims.outcomes import above
from ..claims.runs import (
    CONTROL_INITIAL,
    PUBLISHED_INITIAL,
    chosen,
    held_out_error,
    initial_words,
    is_full_rank,
    naming_dead,
    values,
)
from ..claims.trained_claims import additive, initial_values
from ..constructions.farthest_point import least_error
from ..settings.section import MATCHED
from .gap_words import LEVEL, gap_words, over_runs

NEAR = 0.05
"""Share of the error of uniform attention by which another hardly beats it."""


WORSE = 1.25
"""From how many times its error on another counts as worse."""


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
    best, worst = (pick(low, key=_mean) for pick in (min, max))
    times = _mean(best) / max(map(_mean, full))
    lead = (
        f"the best of lower rank has {times:.2g} times the error of the worst of full rank"
        if times > 1
        else "the best of lower rank has no larger error than the worst of full rank"
    )
    return [
        f"**At one layer {lead}**, at d = {d} and N = {n} after {rows[0]['steps']:,} steps. Full "
        f"rank has {' and '.join(map(_of_cell, full))}; of the lower ranks, with {widths} times "
        f"d/r heads, the best cell has {_of_cell(best)}, the worst {_of_cell(worst)}. These are "
        f"held-out errors, {over_runs(cells)}. Predicting zero has 1, and uniform attention "
        f"(rank 0, the best −a xᵢ + b Σⱼ xⱼ) has {least_error(d, n):.3f}."
    ]


def depth_findings(runs: list[dict]) -> list[str]:
    """Three layers of full rank, where they end clearly worse than one."""
    rows = [row for row in plain(runs) if is_full_rank(row)]
    parts, pairs = [], []
    for width in values(rows, "width"):
        one, three = (chosen(rows, width=width, layers=layers) for layers in (1, 3))
        if one and three and _mean(three) > WORSE * _mean(one):
            pairs.append((one[0]["steps"], three[0]["steps"]))
            listed = ", ".join(f"{error:.3f}" for error in sorted(map(held_out_error, three)))
            ends = f" (runs {listed})" if len(three) > 1 else ""
            parts.append(
                f"with {counted(width, 'head')} per layer at {_mean(three):.3f}{ends} "
                f"where one layer has {_mean(one):.3f}"
            )
    if not parts:
        return []
    few, many = pairs[0]
    # After other steps a network is no better or worse for its layers.
    lead, apart = "train badly", ""
    if few != many:
        lead, apart = "end above one", f", and one layer had {few:,}"
    return [
        f"**Three layers of full rank {lead} here**, at d = {rows[0]['d']} and "
        f"N = {rows[0]['n']}. They end {', and '.join(parts)}. With {many:,} steps{apart}, "
        f"nothing is said of what three layers of full rank can do."
    ]


def additive_findings(runs: list[dict], level: float = LEVEL) -> list[str]:
    """How much additive encodings change the errors of lower ranks, by their initial values."""
    theirs, small = map(initial_words, (PUBLISHED_INITIAL, CONTROL_INITIAL))
    # Of networks without an encoding less those with it: the change is the other way round.
    parts = {
        f"from {theirs}, as published": (additive(PUBLISHED_INITIAL, above), -1),
        f"from {small}": (additive(CONTROL_INITIAL, above), -1),
        f"from {theirs} rather than {small}": (initial_values, 1),
    }
    found = {words: ([each for each in of(runs) if each.is_complete()], sign)
             for words, (of, sign) in parts.items()}  # fmt: skip
    every = [each for own, _ in found.values() for each in own]
    if not every:
        return []
    share = level / len(every)
    changes = "; ".join(
        f"{' and '.join(_changed(each, share, sign) for each in own)} {words}"
        for words, (own, sign) in found.items()
        if own
    )
    *_, (beside, _) = found.values()
    surely = beside and all(_difference(each, share, 1).low > 0 for each in beside)
    lead = f" do worse from {theirs}, as published, than from {small}.** They" if surely else "**"
    row = every[0].runs[0]
    several = all(min(map(len, each.groups)) > 1 for each in every)
    ends = f"intervals are simultaneous at level {level:g}"
    ends += "" if several else ", and single runs have none"
    return [
        f"**Additive encodings{lead} change the mean error of lower ranks at d = {row['d']} and "
        f"N = {row['n']} by {changes}; {ends}. Columns of initial values {theirs} have a norm of "
        f"about √(2d) = {math.sqrt(2 * row['d']):.2g}, beside points of norm 1."
    ]


def _difference(comparison: Comparison, level: float, sign: int) -> Estimate:
    """A difference, or that the other way round; of single runs without an interval."""
    if min(map(len, comparison.groups)) < 2:
        pairs = comparison.measured(held_out_error)
        gaps = [sum(first) / len(first) - sum(second) / len(second) for first, second in pairs]
        return Estimate.within(sign * sum(gaps) / len(gaps), math.nan)
    gap = comparison.difference(held_out_error, level)
    return gap if sign > 0 else Estimate(-gap.value, -gap.high, -gap.low)


def _changed(comparison: Comparison, level: float, sign: int) -> str:
    change = gap_words(_difference(comparison, level, sign))
    return f"{change} [{naming_dead(comparison.name, comparison.runs)}]"


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
    none, encoded = (published_values.figure_3(1, name) for name in ("none", "concatenated"))
    falls = [none[rank] - encoded[rank] for rank in none if rank < d]
    return [
        f"**Rank 0 at the paper's size.** At d = {d} and N = {n} uniform attention has "
        f"{least_error(d, n):.3f}. Of the {len(found)} values below full rank that are read off "
        f"the paper's Figures 1, 3 and 4, {sum(map(len, above.values()))} are no smaller than its "
        f"error at their N: {named}. {near} more are smaller by {100 * NEAR:g} % at most. They are "
        f"least training losses.",
        "**Concatenated encodings at one layer** fail to help by the paper's text. In its Figure 3 "
        f"they have a smaller value at every rank below {d}, by {min(falls):.2f} to "
        f"{max(falls):.2f}, from networks with about {MATCHED} times the attention parameters.",
    ]


def _mean(rows: list[dict]) -> float:
    return sum(map(held_out_error, rows)) / len(rows)


def _of_cell(rows: list[dict]) -> str:
    """Mean error of a cell's runs, and which cell it is."""
    errors = [held_out_error(row) for row in rows]
    mean = mean_with_interval(errors) if len(rows) > 1 else f"{errors[0]:.3f}"
    name = f"{counted(rows[0]['total_heads'], 'head')} of rank {rows[0]['rank']}"
    return f"{mean} with {naming_dead(name, rows)}"
