"""What stands around a figure's panels: parameters on axes and in titles, and the note beneath.

A panel sweeps one or two parameters and holds the others fixed. *Reconstructed* is what the paper's
text does not state. A *contest* says which networks must be positive, and which zero, for success.
"""

import textwrap
from collections import Counter
from collections.abc import Collection, Iterable, Sequence

from ..models import MODELS
from ..models.contest import contests_in_words
from ..models.model import SWEEPABLE, AttentionModel, MRule
from ..settings.panels import KEY, MARK, Panel

NO_BREAK_SPACE = "\N{NO-BREAK SPACE}"

IN_TITLES = ("n", "d", "m", "delta", "a0", "a1", "b", "c", "tau", "theta")


MOST_OF_LINE = 36
"""Characters of a line of a title."""


def held_title(panel: Panel) -> str:
    """The numeric parameters that a panel holds fixed, with their values, as lines of text."""
    return items_in_lines(held_items(panel).values(), MOST_OF_LINE)


def items_in_lines(items: Iterable[str], characters: int) -> str:
    """Some items with commas between them, in lines of at most so many characters; none of them is
    broken."""
    joined = ",  ".join(item.replace(" ", NO_BREAK_SPACE) for item in items)
    return textwrap.fill(joined, characters).replace(NO_BREAK_SPACE, " ")


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


def note_on_definition(
    panels: Iterable[Panel], mark: str = "", names: Sequence[str] | None = None
) -> str:
    """A note on how many points of attention lie outside the datasets' definition, what it asks
    for, and what of each panel is inside; "" where none lie outside.

    `mark` is the word, such as "Shaded", for how the figure shows them; `names` are the panels', if
    not their own, such as 4f.
    """
    panels = [*panels]
    if names is None:
        names = [panel.name.removeprefix("fig") for panel in panels]
    points = 0
    names_by_inside: dict[str, list[str]] = {}
    outside = Counter[AttentionModel]()
    for panel, name in zip(panels, names, strict=True):
        model = MODELS[panel.model]
        if isinstance(model, AttentionModel):
            flags = are_outside(panel)
            points += len(flags)
            # A model without such a point is not named, nor is a panel that is inside.
            if any(flags):
                outside[model] += sum(flags)
                names_by_inside.setdefault(inside_in_words(panel), []).append(name)
    if not outside:
        return ""
    order = [*MODELS]
    first, *others = sorted(outside, key=lambda model: order.index(model.name))
    ranges = [first.range_words]
    ranges += [f"in {model.words} {model.range_words}" for model in others]
    inside = []
    for words, named in names_by_inside.items():
        inside.append(f"{', '.join(named)}: {words}".replace(" ", NO_BREAK_SPACE))
    place = f"{mark}, outside" if mark else "Outside"
    return (
        f"{place} the datasets' definition: {outside.total():,} of {points:,} points of "
        f"attention. It asks for {'; '.join(ranges)}. Inside: {'; '.join(inside)}."
    )


def inside_in_words(panel: Panel) -> str:
    """Which points of a panel are inside the datasets' definition, in words: the ranges of the
    swept parameters, such as "only c = 0.8", or how many points where they are no such ranges."""
    points = panel.points()
    swept_inside = [
        point.swept
        for point, is_outside in zip(points, are_outside(panel), strict=True)
        if not is_outside
    ]
    if not swept_inside:
        return "none"
    ranges = []
    combinations = 1
    columns = zip(*(point.swept for point in points), strict=True)
    columns_inside = zip(*swept_inside, strict=True)
    for name, values, values_inside in zip(panel.sweep, columns, columns_inside, strict=True):
        distinct_inside = {*values_inside}
        combinations *= len(distinct_inside)
        if distinct_inside != {*values}:
            symbol = SWEEPABLE[name].symbol
            ranges.append(_range_in_words(symbol, sorted(distinct_inside), max(values)))
    if len(swept_inside) < combinations:
        return f"{len(swept_inside)} of {len(points)} points"
    return ", ".join(ranges)


def _range_in_words(symbol: str, values: list[float], last: float) -> str:
    """The range of some sorted values of a parameter, whose grid ends with `last`, in words."""
    if len(values) == 1:
        return f"only {symbol} = {values[0]:g}"
    if values[-1] == last:
        return f"{symbol} ≥ {values[0]:g}"
    return f"{symbol} ≤ {values[-1]:g}"


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
    mark: str = "",
    names: Sequence[str] | None = None,
) -> str:
    """The text beneath a figure: some lines, then what success is in its panels, if
    `names_contests`, which points are outside the definition, with the word for how the figure
    marks them and the panels' names, and what an asterisk means."""
    note = [*lines]
    if names_contests:
        note += contests_in_words({panel.name: panel.contest for panel in panels})
    note.append(note_on_definition(panels, mark, names))
    if any(panel.reconstructed or panel.notes for panel in panels):
        note.append(KEY)
    return "\n".join(line for line in note if line)
