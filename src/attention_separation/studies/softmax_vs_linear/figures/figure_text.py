"""What stands around a figure's panels: parameters on axes and in titles, and the note beneath.

A panel sweeps one or two parameters and holds the others fixed. *Reconstructed* is what the paper's
text does not state. A *contest* says which networks must be positive, and which zero, for success.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence

from ..models import MODELS
from ..models.contest import contests_in_words
from ..models.model import SWEEPABLE, AttentionModel, MRule
from ..settings.panels import KEY, MARK, Panel

IN_TITLES = ("n", "d", "m", "delta", "a0", "a1", "b", "c", "tau", "theta")


PER_LINE = 4
"""Parameters in a line of a title."""


def held_title(panel: Panel) -> str:
    """The numeric parameters that a panel holds fixed, with their values, as lines of text."""
    items = [*held_items(panel).values()]
    lines = []
    for start in range(0, len(items), PER_LINE):
        lines.append(",  ".join(items[start : start + PER_LINE]))
    return "\n".join(lines)


def held_items(panel: Panel) -> dict[str, str]:
    """The text, such as "n = 200", of each numeric parameter that a panel holds fixed, by its name;
    an asterisk marks those that are reconstructed."""
    items = {}
    for name in IN_TITLES:
        if name in panel.fixed:
            value = _value_text(panel.fixed[name], panel)
            text = f"{SWEEPABLE[name].symbol} = {value}"
            items[name] = marked(text, name in panel.reconstructed)
    return items


def marked(text: str, is_reconstructed: bool) -> str:
    """A text, with an asterisk at its end if what it names is reconstructed."""
    return f"{text}{MARK}" if is_reconstructed else text


def _value_text(value: MRule | float | str, panel: Panel) -> str:
    """A value that a panel holds fixed, as text; of a rule for m that gives one number at all
    points of the panel, this number."""
    if isinstance(value, MRule):
        counts = {point.m for point in panel.points()}
        return _rule_text(value) if len(counts) > 1 else str(counts.pop())
    if isinstance(value, str):
        return value.replace("c", SWEEPABLE["c"].symbol)
    return f"{value:g}"


def _rule_text(rule: MRule) -> str:
    """A rule for m as a formula, such as "⌊log 𝑛⌋"."""
    log = {"e": "log", 2: "log₂", 10: "log₁₀"}[rule.base]
    times = "" if rule.times == 1 else f"{rule.times:g} "
    argument = "(𝑛/δ)" if rule.log_of == "n/delta" else " 𝑛"
    brackets = {"floor": "⌊{}⌋", "ceil": "⌈{}⌉", "nearest": "[{}]"}[rule.round]
    text = brackets.format(f"{times}{log}{argument}")
    return text if rule.at_least == 1 else f"max({text}, {rule.at_least})"


def symbol_of(name: str, reconstructed: Collection[str] = ()) -> str:
    """The symbol of a parameter, with an asterisk if it is reconstructed; theta, a fraction, stands
    in parentheses before it."""
    symbol = SWEEPABLE[name].symbol
    if name not in reconstructed:
        return symbol
    if name == "theta":
        symbol = f"({symbol})"
    return marked(symbol, is_reconstructed=True)


def are_outside(panel: Panel) -> list[bool]:
    """Whether each point's parameters lie outside the datasets' definition, which limits them in
    models of attention alone."""
    model = MODELS[panel.model]
    points = panel.points()
    if not isinstance(model, AttentionModel):
        return [False] * len(points)
    return [not model.allows(point.a0, point.a1, point.b, point.c) for point in points]


def note_on_definition(panels: Iterable[Panel], is_shaded: bool = False) -> str:
    """A note on how many points of attention lie outside the datasets' definition, and what it asks
    for; "" where none do. `is_shaded` : whether the figure shades them."""
    points = 0
    outside = Counter[AttentionModel]()
    for panel in panels:
        model = MODELS[panel.model]
        if isinstance(model, AttentionModel):
            flags = are_outside(panel)
            points += len(flags)
            # A model without such a point is not named.
            if any(flags):
                outside[model] += sum(flags)
    if not outside:
        return ""
    order = [*MODELS]
    first, *others = sorted(outside, key=lambda model: order.index(model.name))
    ranges = [first.range_words]
    ranges += [f"in {model.words} {model.range_words}" for model in others]
    place = "Shaded, outside" if is_shaded else "Outside"
    return (
        f"{place} the datasets' definition: {outside.total():,} of the {points:,} points of "
        f"attention. It asks for {'; '.join(ranges)}."
    )


WORDS_OF_CHOICES: dict[tuple[str, object], str] = {
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
    """The choices that panels make, in words, each once; an asterisk marks what is reconstructed.
    Parameters in `titled` are left out: the titles name them."""
    choices = []
    notes = []
    for panel in panels:
        for name, value in panel.fixed.items():
            if (name, value) in WORDS_OF_CHOICES and name not in titled:
                choices.append(marked(WORDS_OF_CHOICES[name, value], name in panel.reconstructed))
        notes += panel.notes
    return "; ".join(dict.fromkeys([*choices, *notes]))


def footnote(
    lines: Iterable[str],
    panels: Sequence[Panel],
    names_contests: bool = True,
    is_shaded: bool = False,
) -> str:
    """The text beneath a figure: some lines, then what success is in its panels, if
    `names_contests`, which points are outside the definition, and what an asterisk means."""
    note = [*lines]
    if names_contests:
        note += contests_in_words({panel.name: panel.contest for panel in panels})
    note.append(note_on_definition(panels, is_shaded))
    if any(panel.reconstructed or panel.notes for panel in panels):
        note.append(KEY)
    return "\n".join(line for line in note if line)
