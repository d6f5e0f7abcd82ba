"""What the datasets' definitions ask of their parameters: the paper's sweeps leave it."""

from collections.abc import Iterable

from attention_separation.softmax_vs_linear.panels import ExactPanel, points

LARGEST_A0 = 0.1
"""a0 lies below (Definition D.1)."""

LEAST_A1 = {"self_attention": 0.7, "cross_attention": 1.0}
"""a1 is at least so large; in cross-attention by a reconstructed condition."""

SUM_TOLERANCE = 1e-9

WORDS = {
    "self_attention": "a₀ < 0.1, a₁ ≥ 0.7, b + c = 1",
    "cross_attention": "a₀ < 0.1, a₁ ≥ 1 (reconstructed)",
}

Parameters = tuple[float | None, float | None, float | None, float | None]
"""a0, a1, b and c; None where a model has none."""


def meets_definition(model: str, parameters: Parameters) -> bool:
    """Whether the definition of a model's datasets allows the parameters; regression has none."""
    a0, a1, b, c = parameters
    if model not in LEAST_A1:
        return True
    sums = b is None or abs(b + c - 1) < SUM_TOLERANCE
    return a0 < LARGEST_A0 and a1 >= LEAST_A1[model] and sums


def note_on_definition(of: Iterable[tuple[str, Parameters]]) -> str:
    """At how many points of attention the parameters leave the definition, in a sentence; empty
    where none do."""
    judged = [point for point in of if point[0] in LEAST_A1]
    outside = [model for model, parameters in judged if not meets_definition(model, parameters)]
    if not outside:
        return ""
    asked = "; in cross-attention ".join(WORDS[model] for model in WORDS if model in {*outside})
    return (
        f"{len(outside):,} of the {len(judged):,} points of attention leave what the datasets' "
        f"definition asks: {asked}."
    )


def parameters_of(panels: Iterable[ExactPanel]) -> list[tuple[str, Parameters]]:
    """The models and parameters of the points of some panels."""
    return [
        (panel.panel.model, (point.a0, point.a1, point.b, point.c))
        for panel in panels
        for point in points(panel.panel, panel.points)
    ]
