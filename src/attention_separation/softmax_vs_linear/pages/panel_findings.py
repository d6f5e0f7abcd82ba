"""What the tables on panels say, in sentences: every number is read from a table."""

import re
from collections import Counter
from collections.abc import Collection

import pyarrow as pa

from attention_separation.pages.prose import counted, from_to, is_or_are, joined, rounded_up
from attention_separation.statistics.verdict_words import AGREES, DIFFERS, UNDECIDED

from ..audits.whp import ALL, ALL_FOUR, DELTA
from ..models.contest import PAPERS, event_words
from ..settings.panels import MARK

LIKELY, UNLIKELY = 0.9, 0.1
"""Probabilities of success that are called so."""

FALL = 0.01
"""A smaller fall of a success rate is not worth a sentence."""

MOST_NAMED = 3
"""Undecided panels that a sentence names."""

STILL = 0.005
"""A choice that moves no panel by as much on average moves nothing that a figure shows."""

FIGURE = re.compile(r"fig(\d+)[a-z]")
"""Panels by their figure in the paper."""


def success_findings(exact: list[pa.Table]) -> list[str]:
    """At how many points success is likely, as good as even, and unlikely."""
    p = probabilities_of_success(exact)
    if not p:
        return []
    likely, even = (sum(x >= least for x in p) for least in (LIKELY, 0.5))
    unlikely = sum(x <= UNLIKELY for x in p)
    return [
        f"**The answer in numbers.** F_exp tells D1 from D0, and F_lin is zero on both, with a "
        f"probability (exact, in softmax regression a reference value) of at least {LIKELY:g} at "
        f"{likely:,} of the {len(p):,} points shown, of at least 0.5 at {even:,} and of at most "
        f"{UNLIKELY:g} at {unlikely:,}; its median is {p[len(p) // 2]:.3f}. How many there are of "
        f"each is a matter of the grids."
    ]


def probabilities_of_success(exact: list[pa.Table]) -> list[float]:
    """P(success) at all points of panels with the paper's contest, in order."""
    own = filter(_has_papers_contest, exact)
    return sorted(value for table in own for value in table["p_exact"].to_pylist())


def _has_papers_contest(table: pa.Table) -> bool:
    """Whether a panel's success is the paper's: of F_exp and F_lin others say nothing, or less."""
    event = f"prob_{PAPERS.events[0]}"
    return event in table.column_names and not table[event].null_count


def verdict_findings(verdicts: pa.Table) -> list[str]:
    """How many panels agree, with what and in what sense; what bias and what shape would have been
    found; and how many trials would decide the undecided."""
    rows = verdicts.to_pylist()
    found = [row["verdict"] for row in rows]
    agree, open_, differ = (found.count(word) for word in (AGREES, UNDECIDED, DIFFERS))
    points = sum(row["points"] for row in rows)
    margins = [row["margin"] for row in rows]
    biases = [row["detectable_bias"] for row in rows]
    shapes = [row["detectable_shape"] for row in rows]
    sentences = [
        f"**Simulation against exact and reference values.** Of {len(rows)} panels with "
        f"{points:,} points, {agree} {'agrees' if agree == 1 else 'agree'}, {open_} "
        f"{is_or_are(open_)} undecided and {differ} {'differs' if differ == 1 else 'differ'}; "
        f"{_held_against(rows)}. To agree is that no point, sum or shape of the panel is rejected, "
        f"and that the interval of its mean difference lies within ±{_per_cent(margins)} "
        f"percentage points; a mean bias of {_per_cent(biases)} percentage points would have been "
        f"found about nine times in ten"
    ]
    if None in shapes:
        sentences[0] += "."
    else:
        sentences[0] += (
            f", and so would errors of +x and -x in turn along a panel, cut off at rates 0 and 1, "
            f"x {_per_cent(shapes)}."
        )
    undecided = [row for row in rows if row["verdict"] == UNDECIDED and row["trials_to_decide"]]
    if undecided:
        named = [
            f"{row['panel']} ({row['trials_to_decide']:,} trials per point instead of "
            f"{row['trials']:,})"
            for row in undecided[:MOST_NAMED]
        ]
        if len(undecided) > MOST_NAMED:
            named.append(f"{len(undecided) - MOST_NAMED} more")
        sentences[0] += f" More trials would decide {' and '.join(named)}."
    return sentences


def _held_against(rows: list[dict]) -> str:
    """How many panels have exact values, and how many reference values; their estimated error."""
    errors = [row["largest_p_error"] for row in rows if row["largest_p_error"] > 0]
    exact = len(rows) - len(errors)
    parts = []
    if exact:
        parts.append(f"{exact} {is_or_are(exact)} held against exact values")
    if errors:
        held = "" if exact else f"{is_or_are(len(errors))} held "
        parts.append(
            f"{len(errors)} {held}against reference values with an estimated error of at most "
            f"{rounded_up(max(errors))}"
        )
    return " and ".join(parts)


def _per_cent(values: list[float]) -> str:
    """The range of some numbers in per cent, with a digit after the point."""
    return from_to(*(f"{100 * end(values):.1f}" for end in (min, max)))


def reconstruction_findings(verdicts: pa.Table) -> list[str]:
    """What the paper's text does not state, and of which panels."""
    rows = verdicts.to_pylist()
    panels: dict[str, list[str]] = {}
    for row in rows:
        for item in row["reconstructed"].replace("; ", ", ").split(", "):
            panels.setdefault(item, []).append(row["panel"])
    panels.pop("", None)
    if not panels:
        return []
    items: dict[tuple[str, ...], list[str]] = {}
    for item, own in panels.items():
        items.setdefault(tuple(own), []).append(item)
    names = [row["panel"] for row in rows]
    parts = [
        f"{', '.join(own)} ({_runs(panels_of, names)})"
        for panels_of, own in sorted(items.items(), key=lambda pair: -len(pair[0]))
    ]
    return [
        f"**Reconstructed.** What the paper's text does not state, or has lost, and is read or "
        f"chosen here: {'; '.join(parts)}."
    ]


def _runs(chosen: tuple[str, ...], names: list[str]) -> str:
    """Names out of a list, neighbours as one range."""
    if len(chosen) == len(names):
        return "all panels"
    places = [names.index(name) for name in chosen]
    starts = [k for k, place in enumerate(places) if not k or place != places[k - 1] + 1]
    ends = [*(start - 1 for start in starts[1:]), len(places) - 1]
    parts = []
    for first, last in zip(starts, ends, strict=True):
        apart = [f"{chosen[first]} to {chosen[last]}"]
        parts += apart if last > first + 1 else chosen[first : last + 1]
    return ", ".join(parts)


def width_findings(exact: list[pa.Table], marked: Collection[str] = ()) -> list[str]:
    """Panels that sweep m and whose P(E_success) falls again: from where to what; the threshold of
    those in `marked` is reconstructed."""
    parts = []
    for table in filter(_has_papers_contest, exact):
        rows = sorted(table.to_pylist(), key=lambda row: row["value"])
        if rows[0]["parameter"] != "m":
            continue
        best, last = max(rows, key=lambda row: row["p_exact"]), rows[-1]
        if best["p_exact"] - last["p_exact"] > FALL:
            star = MARK * (best["panel"] in marked)
            parts.append(
                f"{best['panel']}{star} from {best['p_exact']:.2f} at m = {best['value']:g} to "
                f"{last['p_exact']:.2f} at m = {last['value']:g}"
            )
    if not parts:
        return []
    return [
        "**At the panels' own threshold, wider is not always better.** With more sign columns "
        "F_exp is positive on D1 more often, but so are networks that should be zero: from its "
        "best m on, the computed success rate falls "
        f"in {', '.join(parts)}."
        + (f" ({MARK} its threshold is reconstructed.)" if MARK in "".join(parts) else "")
    ]


def whp_findings(whp: pa.Table) -> list[str]:
    """At how many points each event, and the paper's four together, are with high probability, and
    where no network is that should be zero."""
    rows = whp.to_pylist()
    points, good, open_ = Counter(), Counter(), Counter()
    for row in rows:
        if row["event"] not in (ALL_FOUR, ALL):
            event = event_words(row["event"])
            points[event] += row["points"]
            good[event] += row["points_whp"]
            open_[event] += row["points_undecided"]
    parts = ", ".join(
        f"{event} at {good[event]:,} of {points[event]:,}"
        + (f" ({open_[event]:,} undecided)" if open_[event] else "")
        for event in points
    )
    text = (
        f"**In the figures.** Points at which an event fails at most δ/n (δ = {DELTA:g} where a "
        f"panel has none), the error of its probability included: {parts}."
    )
    panels = list(dict.fromkeys(row["panel"] for row in rows))
    of_paper = {row["panel"] for row in rows if row["event"] in PAPERS.events}
    together = [row for row in rows if row["event"] == ALL_FOUR and row["panel"] in of_paper]
    if together:
        where = tuple(row["panel"] for row in together if row["points_whp"])
        count = counted(sum(row["points_whp"] for row in together), "point")
        unknown = sum(row["points_undecided"] for row in together)
        undecided = f" ({unknown:,} undecided)" if unknown else ""
        four = "All four" if of_paper == {*panels} else "All four of the paper's contest"
        of = f", all in {_runs(where, panels)}" if where else ""
        text += f" {four} at once: {count}{undecided}{of}."
    figures: dict[str, list[dict]] = {}
    for row in rows:
        if (figure := FIGURE.fullmatch(row["panel"])) and row["event"].endswith("_zero"):
            figures.setdefault(figure[1], []).append(row)
    never = {
        name: sum({row["panel"]: row["points"] for row in own}.values())
        for name, own in figures.items()
        if not any(row["points_whp"] or row["points_undecided"] for row in own)
    }
    if any(never.values()):
        text += (
            f" In {'Figure' if len(never) == 1 else 'Figures'} {joined([*never])} no network that "
            f"should be zero is so with high probability at any of "
            f"{counted(sum(never.values()), 'point')}."
        )
    return [text]


def choice_findings(choices: pa.Table, most: int = 3) -> list[str]:
    """The choices that move some panel most; those that are bounds stand apart."""
    every = [row for row in choices.to_pylist() if row["mean_change"] is not None]
    rows = [row for row in every if row["signed_change"] is not None]
    best: dict[str, dict] = {}
    for row in rows:
        if row["mean_change"] > best.get(row["choice"], {"mean_change": -1})["mean_change"]:
            best[row["choice"]] = row
    ranked = sorted(best.values(), key=lambda row: row["mean_change"], reverse=True)[:most]
    parts = "; ".join(
        f"{row['choice']} ({row['alternative']} for {row['default']}: {row['mean_change']:.2f} on "
        f"average over {row['panel']})"
        for row in ranked
    )
    still = [row for row in best.values() if row["mean_change"] < STILL]
    measured = {(row["choice"], row["alternative"]) for row in rows}
    names = {row["choice"] for row in still}
    single = max((row["largest_change"] for row in rows if row["choice"] in names), default=0.0)
    bounds = [row for row in every if row["signed_change"] is None]
    apart = ""
    if bounds:
        most_of = max(bounds, key=lambda row: row["mean_change"])
        apart = (
            f" Not ranked, for it is a bound: {most_of['choice']} ({most_of['alternative']}: at "
            f"most {most_of['mean_change']:.2f} on average over {most_of['panel']})."
        )
    return [
        f"**Open choices.** Of {len(measured)} alternatives that were measured, for {len(best)} of "
        f"the text's gaps, those that move a success rate most: {parts}. {len(still)} of these "
        f"{len(best)} choices move no panel by {STILL:g} or more on average, and single points by "
        f"{single:.2f} at most. Another alternative than those measured may move more.{apart}"
    ]
