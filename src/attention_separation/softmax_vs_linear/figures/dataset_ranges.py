"""What the datasets' definitions ask of their parameters: the paper's sweeps leave it."""

from collections.abc import Iterable

from ..models import MODELS
from ..models.attention_model import AttentionModel
from ..settings.panels import Panel

Parameters = tuple[float | None, float | None, float | None, float | None]
"""a0, a1, b and c; None where a model has none."""


def meets_definition(model: str, parameters: Parameters) -> bool:
    """Whether the definition of a model's datasets allows the parameters; regression has none."""
    return MODELS[model].allows(*parameters)


def note_on_definition(of: Iterable[tuple[str, Parameters]]) -> str:
    """At how many points of attention the parameters leave the definition, in a sentence; empty
    where none do."""
    judged = [point for point in of if isinstance(MODELS[point[0]], AttentionModel)]
    outside = [model for model, parameters in judged if not meets_definition(model, parameters)]
    if not outside:
        return ""
    asked = [MODELS[name].range_words for name in MODELS if name in {*outside}]
    return (
        f"{len(outside):,} of the {len(judged):,} points of attention leave what the datasets' "
        f"definition asks: {'; in cross-attention '.join(asked)}."
    )


def parameters_of(panels: Iterable[Panel]) -> list[tuple[str, Parameters]]:
    """The models and parameters of the points of some panels."""
    return [
        (panel.model, (point.a0, point.a1, point.b, point.c))
        for panel in panels
        for point in panel.points()
    ]
