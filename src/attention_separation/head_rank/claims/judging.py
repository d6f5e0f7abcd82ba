"""A claim on trained transformers: its words, its contrasts, and its row; or why runs that are
there cannot judge it."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from attention_separation.pages.prose import joined

from .contrasts import Contrast, Measure
from .outcomes import PAPERS, decide, unjudged
from .runs import chosen, held_out_error, is_full_rank, naming_dead, over_rank_0, sizes, values

APART = 4.0
"""From how many times the least error of a cell's runs on the largest counts as another outcome,
and not as spread."""

LEARNED = 0.5
"""Share of the error of uniform attention below which full rank counts as learned."""

OF_CELL = {"layers": "L", "width": "w", "rank": "r", "n": "N"}
_TRAINED = {
    "steps": "steps",
    "batch": "sets per batch",
    "lr": "as its rate",
    "warm_up": "of the steps as warm-up",
}

Unfit = Callable[[list[dict], list[Contrast]], str]
"""Of all runs and a claim's contrasts: why these cannot judge it; empty where they can."""

Contrasts = Callable[[list[dict]], Iterator[Contrast]]
"""Of all runs, what a claim is judged on."""

OF_ERRORS = "margin, of the difference of mean errors"
ON_EITHER_SIDE = "margin on either side, of the difference of mean errors"


@dataclass(frozen=True)
class TrainedClaim:
    """A claim on trained transformers: its name, its words and the contrasts it stands for.

    What is compared is the mean of a measure over runs, of the first groups and of the second: by
    its difference, whose bound is the margin, or by its ratio, whose bound is the `factor`.
    `at_full_width`: the paper's runs have w = d. `unfit`: when runs cannot judge this claim,
    whatever their errors.
    """

    name: str
    statement: str
    contrasts: Contrasts
    measures: tuple[Measure, Measure] = (held_out_error, held_out_error)
    factor: float | None = None
    whose: str = PAPERS
    bound_is: str = OF_ERRORS
    at_full_width: bool = False
    unfit: Unfit = lambda rows, found: ""


def judge_claim(
    claim: TrainedClaim, rows: list[dict], margin: float, level: float
) -> dict[str, object]:
    """The row of a claim on trained transformers."""
    # A grid may have a group without the one that it is to be compared with.
    found = [each for each in claim.contrasts(rows) if all(each.groups)]
    is_ratio = claim.factor is not None
    bound = claim.factor if is_ratio else margin
    row = {
        "claim": claim.name,
        "whose": claim.whose,
        "statement": claim.statement,
        "sizes": _sizes(claim, [row for each in found for row in each.runs]),
        "bound_is": claim.bound_is,
    }
    if reason := (claim.unfit(rows, found) if found else "") or unlike_training(found):
        return row | unjudged(reason, len(found))
    if reason := single_runs([group for each in found for group in each.groups]):
        alone = [
            each.claimed(each.name, each.without_interval(claim.measures, is_ratio), bound)
            for each in found
        ]
        return row | unjudged(reason, len(found), alone)
    compared = [
        each.claimed(
            naming_dead(each.name, each.runs),
            each.estimate(claim.measures, is_ratio, level / len(found)),
            bound,
        )
        for each in found
    ]
    interval = joined(list(dict.fromkeys(each.interval for each in found))) if found else None
    return row | {"interval": interval} | decide(compared)


def _sizes(claim: TrainedClaim, rows: list[dict]) -> str:
    """The sizes of the runs; with their width, where it should be the dimension and is not."""
    found = sizes(rows)
    if claim.at_full_width and any(row["width"] != row["d"] for row in rows):
        widths = "/".join(map(str, values(rows, "width")))
        found += f", w={widths} where the paper has w=d"
    return found


def cell_words(row: dict, names: Iterable[str] = ("layers", "width", "rank")) -> str:
    """A cell in short: L=1, w=3, r=4."""
    return ", ".join(f"{OF_CELL[name]}={row[name]}" for name in names)


def single_runs(groups: list[list[dict]]) -> str:
    """Which groups have a single run, and so no interval; empty where none has."""
    single = {group[0]["cell"]: group[0] for group in groups if len(group) == 1}
    if not single:
        return ""
    first, *more = single.values()
    others = f" and {len(more)} more" if more else ""
    return f"a single run has no interval ({cell_words(first, OF_CELL)}{others})"


def unlike_training(found: list[Contrast]) -> str:
    """In what the training of compared groups differs; empty where it does not."""
    for each in found:
        for pair in each.pairs:
            for name, words in _TRAINED.items():
                first, second = (
                    "/".join(f"{value:,}" for value in values(group, name)) for group in pair
                )
                if first != second:
                    return f"trained with {first} against {second} {words} ({each.name})"
    return ""


def two_outcomes(rows: list[dict], found: list[Contrast]) -> str:
    """Whether three layers of full rank end in two ways, so that a mean over runs is of neither."""
    del rows
    return two_ends([row for each in found for row in each.runs])


def two_ends(rows: list[dict]) -> str:
    """The cell of three layers of full rank whose runs end far apart, or some of them dead; empty
    where none do."""
    deep = [row for row in rows if row["layers"] == 3 and is_full_rank(row)]
    for cell in dict.fromkeys(row["cell"] for row in deep):
        own = chosen(deep, cell=cell)
        ends = [f([held_out_error(row) for row in own]) for f in (min, max)]
        if any(row["dead"] for row in own) or ends[1] > APART * ends[0]:
            name = naming_dead(cell_words(own[0]), own)
            return f"runs of one cell end at {ends[0]:.3f} and at {ends[1]:.3f}: {name}"
    return ""


def unlearned(rows: list[dict]) -> str:
    """Why runs of several numbers of points, some of full rank, cannot show what lower ranks lack:
    they are narrower than the paper's, w = d, and full rank does not learn even the fewest."""
    own = [row for row in rows if row["n"] > 2]
    if all(row["width"] == row["d"] for row in own):
        return ""
    full = [row for row in own if is_full_rank(row)]
    if not full:
        return "w is not d, and no runs of full rank show that such networks learn"
    n = min(values(full, "n"))
    shares = [over_rank_0(row) for row in chosen(full, n=n)]
    share = sum(shares) / len(shares)
    if share < LEARNED:
        return ""
    return (
        f"w is not d, and full rank is not learned: {share:.2f} of rank 0's error at N={n}, where "
        f"less than {LEARNED:g} is asked"
    )
