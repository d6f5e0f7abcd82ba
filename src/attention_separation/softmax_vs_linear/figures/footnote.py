"""What stands beneath a figure: the choices that its panels share, and what departs from them."""

import textwrap
from collections.abc import Collection, Iterable, Mapping, Sequence

from ..models.contest import Contest, contests_in_words
from ..settings.panels import KEY, MARK, Panel
from .dataset_ranges import Parameters, note_on_definition

CHARACTERS_PER_INCH = 17

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


def footnote(
    lines: Iterable[str],
    panels: Sequence[Panel],
    contests: Mapping[str, Contest],
    parameters: Iterable[tuple[str, Parameters]],
    inches: float,
) -> str:
    """Lines with what else the panels, contests and parameters ask to be said, as wide as the
    figure."""
    lines = [*lines, *contests_in_words(contests), note_on_definition(parameters)]
    if any(panel.reconstructed or panel.notes for panel in panels):
        lines.append(KEY)
    characters = int(CHARACTERS_PER_INCH * inches)
    return "\n".join(textwrap.fill(line, characters) for line in lines if line)
