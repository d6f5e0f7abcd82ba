"""What stands around a figure's panels: parameters on axes and in titles, and the note beneath."""

from collections.abc import Collection, Iterable, Sequence

from ..models import MODELS
from ..models.contest import contests_in_words
from ..models.model import SWEEPABLE, AttentionModel, MRule
from ..settings.panels import KEY, MARK, Panel

IN_TITLES = ("n", "d", "m", "delta", "a0", "a1", "b", "c", "tau", "theta")


def held_title(
    panel: Panel, m: Iterable[int], per_line: int = 4, without: Collection[str] = ()
) -> str:
    """The numeric parameters that a panel holds fixed, `without` some, as lines of text; an
    asterisk marks reconstructed ones.

    `m` are the sign columns of the points: of a rule that makes one number, that is what is said.
    """
    items = [
        f"{SWEEPABLE[name].symbol} = {_value(panel.fixed[name], m)}"
        + MARK * (name in panel.reconstructed)
        for name in IN_TITLES
        if name in panel.fixed and name not in without
    ]
    starts = range(0, len(items), per_line)
    return "\n".join(",  ".join(items[start : start + per_line]) for start in starts)


def _value(value: object, m: Iterable[int]) -> str:
    if isinstance(value, MRule):
        used = set(m)
        return str(*used) if len(used) == 1 else _rule(value)
    if isinstance(value, str):
        return value.replace("c", SWEEPABLE["c"].symbol)
    return f"{value:g}"


def _rule(rule: MRule) -> str:
    log = {"e": "log", 2: "log₂", 10: "log₁₀"}[rule.base]
    times = "" if rule.times == 1 else f"{rule.times:g} "
    text = f"{times}{log}{'(𝑛/δ)' if rule.log_of == 'n/delta' else ' 𝑛'}"
    text = {"floor": "⌊{}⌋", "ceil": "⌈{}⌉", "nearest": "[{}]"}[rule.round].format(text)
    return text if rule.at_least == 1 else f"max({text}, {rule.at_least})"


def symbol_of(name: str, reconstructed: Collection[str] = ()) -> str:
    """A parameter as text; theta, a fraction, has an asterisk behind brackets."""
    symbol = SWEEPABLE[name].symbol
    if name not in reconstructed:
        return symbol
    return f"({symbol}){MARK}" if name == "theta" else f"{symbol}{MARK}"


def note_on_definition(panels: Iterable[Panel]) -> str:
    """At how many points of attention the parameters leave the definition, in a sentence; empty
    where none do."""
    judged = [
        (MODELS[panel.model], point)
        for panel in panels
        if isinstance(MODELS[panel.model], AttentionModel)
        for point in panel.points()
    ]
    outside = [model for model, p in judged if not model.allows(p.a0, p.a1, p.b, p.c)]
    if not outside:
        return ""
    asked = [model.range_words for model in MODELS.values() if model in outside]
    return (
        f"{len(outside):,} of the {len(judged):,} points of attention leave what the datasets' "
        f"definition asks: {'; in cross-attention '.join(asked)}."
    )


CHOICES = {
    ("law", "uniform"): "𝐴𝑥/log 𝑛 uniform on [1, 1.4]",
    ("law", "two-point"): "𝐴𝑥/log 𝑛 is 1 or 1.4",
    ("law", "low"): "𝐴𝑥/log 𝑛 = 1",
    ("law", "middle"): "𝐴𝑥/log 𝑛 = 1.2",
    ("law", "high"): "𝐴𝑥/log 𝑛 = 1.4",
    ("attention_x", "identity"): "𝑋 the identity",
    ("attention_x", "ones"): "𝑋 all ones",
    ("data", "independent"): "𝐷₀ and 𝐷₁ drawn independently",
    ("data", "same"): "𝐷₀ and 𝐷₁ from the same draw",
    ("signs", "shared"): "one 𝑦 per trial",
    ("signs", "fresh"): "a fresh 𝑦 per network",
}


def choices_in_words(panels: Sequence[Panel], titled: Collection[str] = ()) -> str:
    """The choices that panels make, each once, but for those that `titled` names, of which titles
    speak; what is reconstructed has an asterisk."""
    choices = dict.fromkeys(
        CHOICES[name, value] + MARK * (name in panel.reconstructed)
        for panel in panels
        for name, value in panel.fixed.items()
        if (name, value) in CHOICES and name not in titled
    )
    notes = dict.fromkeys(note for panel in panels for note in panel.notes)
    return "; ".join([*choices, *notes])


def footnote(lines: Iterable[str], panels: Sequence[Panel], names_contests: bool = True) -> str:
    """Lines, with what else is to be said of the panels; of their contests only where asked."""
    contests = {panel.name: panel.contest for panel in panels} if names_contests else {}
    lines = [*lines, *contests_in_words(contests), note_on_definition(panels)]
    if any(panel.reconstructed or panel.notes for panel in panels):
        lines.append(KEY)
    return "\n".join(filter(None, lines))
