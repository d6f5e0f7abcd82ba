"""What figures show, in sentences: every number is read from the table that a figure draws."""

from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa

from attention_separation.pages.captions import Caption
from attention_separation.pages.prose import counted, rounded_up
from attention_separation.results.tables import numpy_column, select_rows
from attention_separation.statistics.verdict_words import count_verdicts

from ..models.contest import Contest, contests_in_words
from ..settings.panels import KEY, MARK, Panel
from .findings import SAYING

HIGH, LOW = 0.9, 0.1
"""Above, success is likely; below, failure."""

AUDITS = {
    "threshold": (
        "What each network alone can do, at its own best threshold",
        "Exact probability that one network alone is positive on D1 and zero on D0; in softmax "
        "regression for entries of Ax that all are 1.2 log n, but the special one. First: against "
        "its threshold; then over each swept parameter, solid at its own best threshold, dashed at "
        "the panel's own, which all share.",
    ),
    "theta": (
        "One threshold for all networks: success against the threshold",
        "Exact probability of success in {parts} of attention, across the swept parameter and "
        "upwards over theta = τ/√log n, the same for all networks. The line is the panels' own "
        "theta; dots are the middle of the widest interval of best ones.",
    ),
    "choices": (
        "Which open choice moves the figures most",
        "What the paper's text leaves open, and how far each alternative to this reproduction's "
        "reading that was measured moves the success rate, by exact values and in softmax "
        "regression by reference values: a dot is the mean over a panel, its line goes to the "
        "largest change at any point.",
    ),
    "phase": (
        "Beyond the grids: exact probabilities over two parameters",
        "Exact probability of success at {points} of {parts}, no trials. Dots: points of the "
        "paper's panels.",
    ),
}
"""Figures that are of no panels of their own: their titles, and what they show."""

KEY_SENTENCE = f"In the figure, an asterisk is on what is {KEY.removeprefix(f'{MARK} ')}"
SWEEP_NAMES = {"theta": "τ/√log n", "tau": "τ", "delta": "δ"}


def panels_caption(
    title: str,
    table: pa.Table,
    panels: Sequence[Panel],
    verdicts: dict[str, dict],
) -> Caption:
    """The caption of a figure of panels; `table` is its numbers, simulated and exact, `verdicts`
    are rows of the table of verdicts by panel, where there is one."""
    names = list(dict.fromkeys(table["panel"].to_pylist()))
    counts = sorted(set(table["trials"].to_pylist()))
    error = max(table["p_error"].to_pylist())
    exact = (
        "exact values"
        if error == 0
        else f"reference values, with an estimated error of at most {rounded_up(error)}"
    )
    sentences = [
        f"{counted(len(names), 'panel')} with {counted(len(table), 'point')} of "
        f"{' or '.join(f'{count:,}' for count in counts)} trials each. Blue: the share of trials "
        f"that succeed, with 95 % intervals (Clopper-Pearson). Red: {exact}.",
        _agreement(table),
        *contests_in_words({panel.name: panel.contest for panel in panels}),
    ]
    judged = [verdicts[name]["verdict"] for name in names if name in verdicts]
    if judged:
        against = "exact values" if error == 0 else "reference values"
        sentences.append(f"Verdicts, simulation against {against}: {count_verdicts(judged)}.")
    marked = sorted({name for panel in panels for name in panel.reconstructed})
    notes = sorted({note for panel in panels for note in panel.marked_notes})
    if marked or notes:
        said = ", ".join([*(SWEEP_NAMES.get(name, name) for name in marked), *notes])
        sentences.append(f"Reconstructed, for the paper's text does not state it: {said}.")
    parts = [_panel_sentence(name, _rows(table, name), verdicts.get(name)) for name in names]
    return Caption(title, sentences, parts)


def _agreement(table: pa.Table) -> str:
    """How far the simulated points lie from the exact ones, or from reference values."""
    word = "exact" if max(table["p_error"].to_pylist()) == 0 else "reference"
    rate, exact, low, high = (
        numpy_column(table, name) for name in ("p_hat", "p_exact", "ci_low", "ci_high")
    )
    held = int(((low <= exact) & (exact <= high)).sum())
    gap = np.abs(rate - exact)
    worst = table.slice(int(gap.argmax()), 1).to_pylist()[0]
    return (
        f"Of the {counted(len(rate), 'interval')}, {held:,} ({100 * held / len(rate):.1f} %) hold "
        f"the {word} value; the two rates differ by {gap.mean():.3f} on average, and by "
        f"{gap.max():.3f} at most (in {worst['panel']})."
    )


def _panel_sentence(name: str, table: pa.Table, verdict: dict | None) -> str:
    swept = table["parameter"][0].as_py().split(",")
    # A map's second parameter has no column of its own if it is theta.
    ranges = [_range(parameter, table) for parameter in swept]
    exact = numpy_column(table, "p_exact")
    rate = numpy_column(table, "p_hat")
    exactly = "exactly" if max(table["p_error"].to_pylist()) == 0 else "by reference values"
    text = (
        f"**{name}** sweeps {' and '.join(ranges)}, {counted(len(table), 'point')}: success rate "
        f"{_from_to(rate)}, {exactly} {_from_to(exact)}"
    )
    if len(swept) == 1 and exact.max() - exact.min() >= 0.01:
        best, worst = (table["value"][int(at)].as_py() for at in (exact.argmax(), exact.argmin()))
        text += f", best at {best:g} and worst at {worst:g}"
    text += f"; mean {rate.mean():.3f}, {exactly} {exact.mean():.3f}"
    return f"{text}: {verdict['verdict']}." if verdict else f"{text}."


def _range(parameter: str, table: pa.Table) -> str:
    shown = SWEEP_NAMES.get(parameter, parameter)
    alone = table["parameter"][0].as_py() == parameter
    if not alone and parameter not in table.column_names:
        return shown
    values = numpy_column(table, "value" if alone else parameter)
    return f"{shown} from {values.min():g} to {values.max():g}"


def audit_caption(name: str, table: pa.Table, contests: Mapping[str, Contest]) -> Caption:
    """The caption of a figure that is of no panels of its own; `contests` are those to be said, by
    panel or map."""
    title, shown = AUDITS[name]
    of = "map" if "map" in table.column_names else "panel"
    names = table[of].unique().to_pylist()
    sentences = [
        shown.format(points=counted(len(table), "point"), parts=counted(len(names), of)),
        *contests_in_words({each: contests[each] for each in names if each in contests}),
    ]
    if name in SAYING:
        sentences += SAYING[name][1](table)
    if name == "theta":
        marked = table.filter(table["reconstructed"])["panel"].unique().to_pylist()
        sentences += [f"Theta itself is reconstructed in {', '.join(marked)}."] * bool(marked)
    maps = names if of == "map" else []
    parts = [_map_sentence(each, _rows(table, each, of)) for each in maps]
    return Caption(title, [*sentences, KEY_SENTENCE], parts)


def _map_sentence(name: str, table: pa.Table) -> str:
    p = numpy_column(table, "p_exact")
    swept = table["parameter"][0].as_py().split(",")
    ranges = " and ".join(_range(parameter, table) for parameter in swept)
    return (
        f"**{name}**: {ranges}; at least {HIGH:g} at {100 * (p >= HIGH).mean():.0f} % and at most "
        f"{LOW:g} at {100 * (p <= LOW).mean():.0f} % of {counted(len(p), 'point')}, at most "
        f"{p.max():.3f}."
    )


def _rows(table: pa.Table, name: str, column: str = "panel") -> pa.Table:
    return select_rows(table, **{column: name})


def _from_to(values: np.ndarray) -> str:
    return f"{values.min():.3f} to {values.max():.3f}"
