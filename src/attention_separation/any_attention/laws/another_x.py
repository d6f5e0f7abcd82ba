"""The law that speaks against the others: with another X linear attention keeps its margin.

X = e_d e_d^T + g e_1 e_k^T, read by y = e_k, which is no sign vector: `datasets/another_x.py`.
"""

from collections.abc import Iterator

from attention_separation.datasets.another_x import literal_margin, margin
from attention_separation.datasets.dataset import Data

from ..exact.layers import Layer
from .judged import stacked
from .verdicts import Claim, Law

WEIGHT = 1.0
"""g."""

ANOTHER = Layer("self_attention", "another", "Self-attention, X = e_d e_d^T + g e_1 e_k^T")

OF_SCORES = 1e-13
SIZES = (200, 2_000, 20_000)


def _claims(data: Data) -> Iterator[Claim]:
    predicted = margin(data, WEIGHT)
    for n in stacked(data, *SIZES):
        measured = literal_margin(data, n, WEIGHT)
        yield Claim("linear", ANOTHER, "2 eps", predicted, measured, OF_SCORES / predicted, n)


ANOTHER_X = Law(
    "another X",
    "In self-attention with X = e_d e_d^T + g e_1 e_k^T, here g = 1, read by y = e_k, which is no "
    "sign vector, the gap of linear attention between D1 and D0 is b (c^2 + g a b) / (K c^2 + g a "
    "b) at a1 less that at a0, in units of sqrt(log n): the same at every n.",
    "None: it is so at all data and every n.",
    "1e-13, the rounding of scores, beside the gap.",
    _claims,
)
