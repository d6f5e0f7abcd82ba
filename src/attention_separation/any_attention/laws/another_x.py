"""The law that speaks against the others: with another X linear attention keeps its margin.

X = e_d e_d^T + g e_1 e_k^T, read by y = e_k, which is no sign vector. Every query weighs the keys
of class k like the others, but for the special one: its first coordinate asks for class k.
"""

from collections.abc import Iterator

import numpy as np

from attention_separation.any_attention.exact.layers import Layer
from attention_separation.any_attention.laws.judged import stacked
from attention_separation.any_attention.laws.verdicts import Claim, Law
from attention_separation.attention.kernels import KERNELS
from attention_separation.attention.seen import Seen
from attention_separation.datasets.data import Data
from attention_separation.datasets.dataset import Tokens
from attention_separation.datasets.self_attention import tokens

WEIGHT = 1.0
"""g."""

ANOTHER = Layer("self_attention", "another", "Self-attention, X = e_d e_d^T + g e_1 e_k^T")

OF_SCORES = 1e-12
SIZES = (200, 2_000, 20_000)


def predicted_margin(data: Data) -> float:
    """The special row's share of class k on D1 less that on D0, times b: whatever n is."""

    def score(a: float) -> float:
        asked = data.c**2 + WEIGHT * a * data.b
        return data.b * asked / (asked + (data.classes - 1) * data.c**2)

    return score(data.a1) - score(data.a0)


def measured_margin(data: Data, n: int) -> float:
    """The largest score over all tokens on D1 less that on D0, in units of s, literally."""
    of_d0, of_d1 = (_largest_score(data, n, dataset) for dataset in (0, 1))
    return of_d1 - of_d0


def _largest_score(data: Data, n: int, dataset: int) -> float:
    at = Tokens(n, data.classes + 2, data.a0, data.a1, data.b, data.c, ANOTHER.attention_x)
    a = tokens(n, at.d, at.a(dataset), at.b, at.c, 0)
    x = np.zeros((at.d, at.d))
    x[-1, -1], x[0, 1] = 1.0, WEIGHT
    # All tokens but the special one query alike: their last coordinate alone enters.
    queries = a[:2] @ x
    counts = np.ones((len(queries), n), dtype=int)
    seen = Seen(queries @ a.T, queries, a, counts, n, at.d)
    rows = KERNELS["linear"].attention_weights(seen) @ a
    return float(rows[:, 1].max()) / at.s


def _claims(data: Data) -> Iterator[Claim]:
    predicted = predicted_margin(data)
    for n in stacked(data, *SIZES):
        yield Claim("linear", ANOTHER, "2 eps", predicted, measured_margin(data, n), OF_SCORES, n)


ANOTHER_X = Law(
    "another X",
    "In self-attention with X = e_d e_d^T + g e_1 e_k^T, here g = 1, read by y = e_k, which is no "
    "sign vector, the gap of linear attention between D1 and D0 is b (c^2 + g a b) / (K c^2 + g a "
    "b) at a1 less that at a0, in units of sqrt(log n): the same at every n.",
    OF_SCORES,
    "It holds for every n; at X = I or all ones and random signs the gap shrinks like 1/n.",
    _claims,
)
