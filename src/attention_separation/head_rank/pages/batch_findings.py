"""What runs on the same batches again say, beside runs on new ones, and what the schedule of the
rate does: every number is read from a table."""

from attention_separation.pages.prose import counted, from_to, mean_with_interval
from attention_separation.statistics.means import Estimate, mean_gap

from ..claims import published_values
from ..claims.batch_claims import AS_PUBLISHED, FRESH, REPEATED, against, cells_of, training_gap
from ..claims.comparisons import Comparison
from ..claims.judging import OF_CELL, cell_words
from ..claims.runs import held_out_error, naming_dead, values
from ..settings.cells import EPOCH
from .gap_words import LEVEL, gap_words


def fresh_findings(runs: list[dict], level: float = LEVEL) -> list[str]:
    """What training on the same batches again reports and does, and what the schedule does."""
    rows = [
        row for row in runs if row["min_train"] is not None and row["test_error"] is not None
    ]  # fmt: skip
    return [
        *_reported(rows, level),
        *_difference(
            rows, REPEATED, FRESH, level, "Repetition alone",
            "the same batches again against new ones, both with one schedule per step",
        ),
        *_difference(
            rows, AS_PUBLISHED, REPEATED, level, "The schedule alone",
            "the published one per epoch against one per step, both on the same batches again",
        ),
    ]  # fmt: skip


def _reported(rows: list[dict], level: float) -> list[str]:
    """The least training loss of the published recipe, and of repetition alone, beside errors."""
    found = _surest_gap(rows, AS_PUBLISHED, level)
    if not found:
        return []
    gap, own, count = found
    sure = gap.low > 0
    lead = "less" if sure else "in no cell surely less"
    epochs = " or ".join(f"{count:,}" for count in published_values.EPOCHS)
    row = own[0]
    reported, tested = (
        mean_with_interval([run[name] for run in own]) for name in ("min_train", "test_error")
    )
    said = (
        f"**Repeated batches: the least training loss is {lead} than the error on new data.** "
        f"In the published configurations the same {published_values.BATCHES} batches of "
        f"{published_values.BATCH} sets come back in each of {epochs} epochs, with a schedule per "
        f"epoch, and the figures show that loss; here {EPOCH} batches of {row['batch']} sets come "
        f"back {row['steps'] // EPOCH:,} times. Of {counted(count, 'cell')} trained so, it is "
        f"{'surest' if sure else 'surest, though not sure,'} at {_where(row)}: {reported} reported "
        f"for {tested}, means over {naming_dead(f'{len(own)} runs', own)} with 95 % intervals, "
        f"{gap_words(gap)} less (simultaneous over the cells at level {level:g}). That is the "
        f"surest cell's mean, not the largest gap."
    )
    more = _surest_gap(rows, REPEATED, level)
    if more:
        gap, own, _ = more
        said += (
            f" With a schedule per step the loss on the same batches is {gap_words(gap)} less, at "
            f"{cell_words(own[0])}."
        )
    return [said]


def _surest_gap(
    rows: list[dict], arm: dict[str, str], level: float
) -> tuple[Estimate, list[dict], int] | None:
    """Of an arm's cells of several runs, the one that most surely reports too little: the gap, its
    runs, and of how many; the largest may be due to a single run."""
    cells = [own for own in cells_of(rows, **arm) if len(own) > 1]
    if not cells:
        return None
    gaps = [mean_gap([*map(training_gap, own)], level / len(cells)) for own in cells]
    gap, own = max(zip(gaps, cells, strict=True), key=lambda pair: pair[0].low)
    return gap, own, len(cells)


def _difference(
    rows: list[dict], arm: dict, other: dict, level: float, lead: str, words: str
) -> list[str]:
    """How the errors on new data of two arms differ, where that is surest."""
    found = [
        each for each in against(rows, arm, other)
        if each.is_complete() and min(map(len, each.groups)) > 1
    ]  # fmt: skip
    if not found:
        return []
    gaps = [each.difference(held_out_error, level / len(found)) for each in found]
    gap, surest = max(zip(gaps, found, strict=True), key=lambda pair: _sureness(pair[0]))
    first, second = (
        mean_with_interval([held_out_error(run) for run in group]) for group in surest.groups
    )
    rises = sum(each.low > 0 for each in gaps)
    falls = sum(each.high < 0 for each in gaps)
    changes = [f"surely raises the error on new data in {rises}"] * bool(rises)
    changes += [f"surely lowers it in {falls}" if rises else
                f"surely lowers the error on new data in {falls}"] * bool(falls)  # fmt: skip
    change = " and ".join(changes) or "surely changes the error on new data in none"
    name = naming_dead(_where(surest.runs[0]), surest.runs)
    return [
        f"**{lead} {change} of {counted(len(found), 'cell')}** ({words}). "
        f"{_by_layers(found, gaps)} It is surest at {name}: "
        f"{first} against {second}, a difference of {gap_words(gap)}, simultaneous over the cells "
        f"at level {level:g}."
    ]


def _by_layers(found: list[Comparison], gaps: list[Estimate]) -> str:
    """How the means of the cells change at each number of layers, and how many runs are dead."""
    said = []
    for layers in values([each.runs[0] for each in found], "layers"):
        own = [k for k, each in enumerate(found) if each.runs[0]["layers"] == layers]
        changes = [gaps[k].value for k in own]
        sure = sum(gaps[k].low > 0 or gaps[k].high < 0 for k in own)
        dead = [sum(run["dead"] for k in own for run in found[k].pairs[0][side]) for side in (0, 1)]
        runs = sum(len(found[k].pairs[0][0]) for k in own)
        said.append(
            f"at L = {layers} by {from_to(f'{min(changes):.3f}', f'{max(changes):.3f}')}, "
            f"surely in {sure} of {len(own)}"
            + f" ({dead[0]} of {runs} runs dead, against {dead[1]})"
            * any(dead)
        )
    return f"The means of cells change {'; '.join(said)}."


def _sureness(gap: Estimate) -> float:
    return max(gap.low, -gap.high)


def _where(row: dict) -> str:
    return f"d={row['d']}, {cell_words(row, OF_CELL)}"
