"""What the kept runs of more layers at the paper's size say, of encodings and of more points too:
single runs, each with the published value of its cell in brackets."""

from collections.abc import Iterator
from itertools import pairwise

from attention_separation.pages.prose import from_to, joined

from ..claims import published_values
from ..claims.runs import PUBLISHED_INITIAL, chosen, errors_by_rank, initial_words, listed, values
from ..constructions.farthest_point import least_error
from .kept_runs import Kept

LESS = 0.9
"""Times another error below which an error is called less; the other is more, then."""

ZERO = 0.999
"""Error from which a network is said to predict zero, which has 1; and as far above it."""

UNTRAINED = "no run trained with this recipe: all end at predicting zero"

_LAYERS = {3: "Three", 5: "Five"}


def more_layers_findings(kept: Kept) -> list[str]:
    """What the kept runs of more layers than one say; nothing where there are none."""
    found = [sentence for rows in kept.values() for sentence in _of_scale(rows)]
    if found:
        steps = [f"{published_values.STEPS[name]:,}" for name in ("rank_fig1", "rank_fig3")]
        found[-1] += (
            " In brackets: published, as read off the figures. Less: under "
            f"{LESS:g} times, of single runs, whose spread over seeds is not known at this size. "
            f"The published runs have {joined(steps, 'or')} steps of {published_values.BATCH} "
            "sets, which come back: which of these lowers their errors is not tested here."
        )
    return found


def _of_scale(rows: list[dict]) -> Iterator[str]:
    for layers in _LAYERS:
        if own := chosen(rows, layers=layers, encoding="none"):
            yield _deeper(own, chosen(rows, layers=1, encoding="none"), layers)
    # Of full rank the published encodings are not compared.
    encoded = [
        row
        for row in chosen(rows, layers=3, width=published_values.WIDTH_3)
        if row["rank"] < row["d"]
    ]
    if len(values(encoded, "encoding")) > 1:
        yield _encodings(encoded)
    two = chosen(rows, layers=2, encoding="none")
    if len(values(two, "n")) > 1:
        yield _points(two)


def _deeper(rows: list[dict], one_layer: list[dict], layers: int) -> str:
    """Layers beside one, by width."""
    said, falls, times = [], [], []
    for width in values(rows, "width"):
        own = chosen(rows, width=width)
        ours, theirs = errors_by_rank(own), published_values.figure_1(layers, width)
        hard = published_values.HARD_IN_WORDS * ((layers, width) == published_values.HARD)
        said.append(
            f"w = {width}{hard}, {listed(own, 'steps')} steps, {_warm_up(own)}: "
            f"{_beside(own, theirs)}{_beside_one_layer(own, chosen(one_layer, width=width))}"
        )
        # Beside the same ranks: the published values of five layers do not fall at each.
        falls += [of[many] < of[few] for few, many in pairwise(ours) for of in (ours, theirs)]
        times += [(rank, error / theirs[rank]) for rank, error in ours.items()]
    d = rows[0]["d"]
    spans = [
        f"{words} {from_to(f'{min(of):.2g}', f'{max(of):.2g}')}"
        for words, of in (
            ("full rank", [factor for rank, factor in times if rank == d]),
            ("lower ranks", [factor for rank, factor in times if rank < d]),
        )
        if of
    ]
    answer = f"{', '.join(spans)} times the published errors"
    if _predict_zero(rows):
        answer = UNTRAINED
    elif falls and all(falls):
        answer = f"errors fall from each rank to the next, as published; {answer}"
    return f"**{_LAYERS[layers]} layers: {answer}.** {'; '.join(said)}."


def _beside_one_layer(own: list[dict], rows: list[dict]) -> str:
    """Where more layers have less than one, and more, and how that one was trained."""
    if not rows or _predict_zero(own):
        return ""
    ours, one = errors_by_rank(own), errors_by_rank(rows)
    return (
        f"; beside one layer after {listed(rows, 'steps')} steps, {_warm_up(rows)}, less "
        f"{_at(_less(ours, one))}, more {_at(_less(one, ours))}"
    )


def _warm_up(rows: list[dict]) -> str:
    shares = joined([f"{100 * share:g} %" for share in values(rows, "warm_up")], "or")
    return f"{shares} of them warm-up"


def _encodings(rows: list[dict]) -> str:
    """Positional encodings beside none, at ranks below the points' dimension."""
    none = chosen(rows, encoding="none")
    answers = []
    said = [f"none: {_beside(none, published_values.figure_3(3, 'none'))}"]
    for name, own in _encoded(rows).items():
        encoding = own[0]["encoding"]
        is_theirs = encoding != "additive" or chosen(own, **PUBLISHED_INITIAL)
        theirs = published_values.figure_3(3, encoding) if is_theirs else {}
        answers.append(f"{name}: {_beside_none(own, none)}")
        said.append(f"{name}: {_beside(own, theirs)}")
    return (
        f"**Positional encodings at three layers, w = {published_values.WIDTH_3}, beside none: "
        f"{'; '.join(answers)}.** After {listed(rows, 'steps')} steps, {_warm_up(rows)}: "
        f"{'; '.join(said)}."
    )


def _beside_none(own: list[dict], none: list[dict]) -> str:
    """What an encoding does to the errors."""
    if _predict_zero(own):
        return UNTRAINED
    ours, theirs = errors_by_rank(own), errors_by_rank(none)
    if not ours.keys() & theirs.keys():
        return "not compared"
    changes = [
        f"{word} {_at(ranks)}"
        for word, ranks in (("less", _less(ours, theirs)), ("more", _less(theirs, ours)))
        if ranks
    ]
    return ", ".join(changes) or "neither less nor more"


def _predict_zero(rows: list[dict]) -> bool:
    return all(abs((row["test_error"] or 0) - 1) < 1 - ZERO for row in rows)


def _encoded(rows: list[dict]) -> dict[str, list[dict]]:
    """The runs of each encoding, additive ones by their initial values."""
    found: dict[str, list[dict]] = {}
    for row in rows:
        if row["encoding"] == "additive":
            found.setdefault(f"additive from {initial_words(row)}", []).append(row)
        elif row["encoding"] != "none":
            found.setdefault(row["encoding"], []).append(row)
    return found


def _points(rows: list[dict]) -> str:
    """Two layers on several numbers of points; those trained for other steps are not compared."""
    numbers, d = values(rows, "n"), rows[0]["d"]
    of_number = {n: chosen(rows, n=n) for n in numbers}
    errors = {n: errors_by_rank(own) for n, own in of_number.items()}
    steps = {n: listed(own, "steps") for n, own in of_number.items()}
    alike, grows, apart = [], [], []
    for few, many in pairwise(numbers):
        ours, theirs = ({r: e for r, e in errors[n].items() if r < d} for n in (many, few))
        both = ours.keys() & theirs.keys()
        if both and steps[few] == steps[many]:
            alike.append(f"{few} to {many}")
            grows += [theirs[rank] < ours[rank] for rank in both]
        elif both:
            where = _at(_less(ours, theirs))
            apart.append(f"; N = {many}, with other steps than N = {few}, has less {where}")
    said = [
        f"N = {n}, {steps[n]} steps, {_warm_up(own)} (rank 0: {least_error(d, n):.3g}): "
        f"{_beside(own, published_values.figure_4(n))}"
        for n, own in of_number.items()
    ]
    answer = ""
    if alike:
        does = "grow" if all(grows) else "do not grow at each rank"
        answer = f": below full rank errors {does} from N = {joined(alike)}"
    return (
        f"**Number of points{answer}{''.join(apart)}.** Two layers with w = {rows[0]['width']}, "
        f"where the paper has {published_values.WIDTH_4}: {'; '.join(said)}."
    )


def _beside(rows: list[dict], theirs: dict[int, float]) -> str:
    """The error of each rank, with the published one where there is one."""
    return ", ".join(
        f"r = {rank}: {error:.3g}{' dead' * any(row['dead'] for row in chosen(rows, rank=rank))}"
        + (f" ({_as_read(theirs[rank])})" if rank in theirs else "")
        for rank, error in errors_by_rank(rows).items()
    )


def _as_read(value: float) -> str:
    # What was read as 0.000 is no zero.
    return f"{value:.3g}" if value else "0.000"


def _at(ranks: list[int]) -> str:
    return f"at r = {joined([*map(str, ranks)])}" if ranks else "at none of these ranks"


def _less(errors: dict[int, float], others: dict[int, float]) -> list[int]:
    both = sorted(errors.keys() & others.keys())
    return [rank for rank in both if errors[rank] < LESS * others[rank]]
