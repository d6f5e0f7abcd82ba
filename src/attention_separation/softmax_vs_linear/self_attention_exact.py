"""Exact probabilities of self-attention, Figures 4 and 5."""

from attention_separation.softmax_vs_linear import attention_exact
from attention_separation.softmax_vs_linear.point import Point
from attention_separation.softmax_vs_linear.reference import Reference
from attention_separation.softmax_vs_linear.self_attention import token_types

NETWORKS_AT = attention_exact.from_token_types(token_types)
"""The distinct rows of each network, of points together."""


def references(points: list[Point]) -> list[Reference]:
    """P(E_success) and the probabilities of its four events, exactly, at each point."""
    return attention_exact.references(points, NETWORKS_AT)
