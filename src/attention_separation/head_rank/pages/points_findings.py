"""What the runs of Figure 4 say of the number of points: every number is read from a table."""

import math
from itertools import pairwise

from attention_separation.pages.prose import counted
from attention_separation.statistics.means import mean_of

from ..claims import published_values
from ..claims.comparisons import Comparison
from ..claims.judging import unlearned, unlike_training
from ..claims.runs import chosen, listed, naming_dead, over_rank_0, values
from ..claims.trained_claims import neighbours, of_figure_4, two_layers
from ..constructions.farthest_point import least_error
from .gap_words import LEVEL, gap_words, over_runs


def points_findings(runs: list[dict], level: float = LEVEL) -> list[str]:
    """Figure 4's errors over that of uniform attention, and where they fall as N grows."""
    # Of two points uniform attention makes no error.
    rows = [row for row in runs if row["n"] > 2]
    lower, full = (list(of_figure_4(rows, full)) for full in (False, True))
    found = [each for each in neighbours(rows) if each.is_complete()]
    if not found:
        return []
    own = [row for _, group in [*lower, *full] for row in group]
    d, numbers = own[0]["d"], values(own, "n")
    rank_0 = ", ".join(f"{least_error(d, n):.3f} at N = {n}" for n in numbers)
    said = [
        f"{'full ' * (group[0]['rank'] == d)}rank {rank}: {', '.join(_over(group))}"
        for rank, group in [*lower, *full]
    ]
    widths = values(own, "width")
    apart = " where the paper has w = d" * (widths != [d])
    return [
        f"**Number of points: {_lead(rows, found)}**, at d = {d} with two layers and "
        f"w = {', '.join(map(str, widths))}{apart}, after {listed(own, 'steps')} steps. "
        f"As mean held-out errors over that of uniform attention (rank 0: {rank_0}), "
        f"{_intervals([group for _, group in [*lower, *full]])}: "
        f"{'; '.join(said)}.{_least_step(found, level)}{_steps(own)} {_published_steps()}"
    ]


def _intervals(ranks: list[list[dict]]) -> str:
    """Over how many runs the means of each rank and number of points are."""
    return over_runs([chosen(own, n=n) for own in ranks for n in values(own, "n")])


def _lead(rows: list[dict], found: list[Comparison]) -> str:
    """What the means show; of nothing that full rank does not learn."""
    if reason := unlearned(two_layers(rows)):
        return reason
    if not _alike(found):
        return "trained with other steps each, so not compared"
    falls = min(_rise(each) for each in _alike(found)) < 0
    does = "does not grow" if falls else "grows"
    alike = " of those trained alike" * (len(_alike(found)) < len(found))
    return f"below full rank the mean error over uniform attention's {does} at every step{alike}"


def _alike(found: list[Comparison]) -> list[Comparison]:
    """Those of runs that are trained alike."""
    return [each for each in found if not unlike_training([each])]


def _rise(comparison: Comparison) -> float:
    ((many, few),) = comparison.measured(over_rank_0)
    return sum(many) / len(many) - sum(few) / len(few)


def _steps(rows: list[dict]) -> str:
    """How long each number of points was trained, where that differs."""
    steps = {n: chosen(rows, n=n)[0]["steps"] for n in values(rows, "n")}
    if len(set(steps.values())) == 1:
        return ""
    each = ", ".join(f"{count:,} at N = {n}" for n, count in steps.items())
    return f" Trained for different steps, which are compared with none: {each}."


def _over(rows: list[dict]) -> list[str]:
    """Means over rank 0 for each number of points; the runs, where some of them are dead."""
    said = []
    for n in values(rows, "n"):
        group = chosen(rows, n=n)
        own = [over_rank_0(row) for row in group]
        mean = mean_of(own)
        reach = mean.high - mean.value
        text = f"{mean.value:.2f}"
        if 0 < sum(row["dead"] for row in group) < len(group):
            text = f"runs at {'/'.join(f'{value:.2f}' for value in sorted(own))}"
        elif len(own) > 1:
            digits = max(2, -math.floor(math.log10(reach))) if reach else 2
            text = f"{mean.value:.{digits}f} ± {reach:.{digits}f}"
        said.append(naming_dead(text, group))
    return said


def _least_step(found: list[Comparison], level: float) -> str:
    """The step in the number of points that raises the error over rank 0 the least; if all raise
    it, the one that does so least surely."""
    steps = _alike(found)
    if not steps:
        return ""
    gaps = {
        k: each.difference(over_rank_0, level / len(steps))
        for k, each in enumerate(steps)
        if min(map(len, each.groups)) > 1
    }
    least = min(range(len(steps)), key=lambda k: _rise(steps[k]))
    rises = _rise(steps[least]) >= 0
    if rises and gaps:
        least = min(gaps, key=lambda k: gaps[k].low)
    elif rises:
        return ""
    ((many, few),) = steps[least].pairs
    where = f"from N = {few[0]['n']} to {many[0]['n']} at rank {many[0]['rank']}"
    over = f"simultaneous over {counted(len(steps), 'step')} at level {level:g}"
    if rises:
        sure = "sure too" if gaps[least].low > 0 else "not sure"
        return f" The least sure rise is {where}: {gap_words(gaps[least])}, {over}; it is {sure}."
    ends = ""
    if least in gaps:
        ends = f" ({-gaps[least].high:.3f} to {-gaps[least].low:.3f}, {over})"
    return f" It falls {where}, by {-_rise(steps[least]):.3f}{ends}."


def _published_steps() -> str:
    """Whether the paper's own values over rank 0 grow with the number of points."""
    d = published_values.SIZE_4["d"]
    shares = [
        [value / least_error(d, n) for value in published_values.FIGURE_4[n][:-1]]
        for n in sorted(published_values.FIGURE_4)
    ]
    steps = [more > few for pair in pairwise(shares) for few, more in zip(*pair, strict=True)]
    where = "every step" if all(steps) else f"{sum(steps)} of {len(steps)} steps"
    return f"The paper's own values below full rank, over rank 0, at d = {d}, grow at {where}."
