"""Exact probabilities of cross-attention, Figure 7."""

from attention_separation.softmax_vs_linear import attention_exact
from attention_separation.softmax_vs_linear.cross_attention import token_types
from attention_separation.softmax_vs_linear.point import Point
from attention_separation.softmax_vs_linear.reference import Reference

NETWORKS_AT = attention_exact.from_token_types(token_types)
"""The distinct rows of each network, of points together."""


def references(points: list[Point]) -> list[Reference]:
    """P(E_success) and the probabilities of its four events, exactly, at each point."""
    return attention_exact.references(points, NETWORKS_AT)
