"""Exact probabilities of cross-attention, Figure 7."""

from attention_separation.softmax_vs_linear import attention_exact
from attention_separation.softmax_vs_linear.cross_attention import rows
from attention_separation.softmax_vs_linear.point import Point
from attention_separation.softmax_vs_linear.reference import Reference


def references(points: list[Point]) -> list[Reference]:
    """P(E_success) and the probabilities of its four events, exactly, at each point."""
    return attention_exact.references(points, rows)
