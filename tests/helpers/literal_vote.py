"""Self-masked transformers, Definition 6, and the one of Theorem 7: a vote of rank-1 heads.

The paper's proof is not in its main text; this is a construction of the size that the theorem
states, with encodings of d_e = 2 coordinates: label and counter. Tokens are [x_1; 1; 0],
[x_2; -1; 0] and [y; 0; 0]. Head h of layer 1 has a random direction g: y attends to the x_i with
the larger <x_i, g><g, y> and adds 1/H of that label to its counter. In layer 2 y attends to the
point whose label has the sign of the counter, coordinate by coordinate. A large factor there,
undone by the output matrix, drowns y itself, which the skip connection keeps.
"""

from dataclasses import dataclass

import numpy as np
from literal_heads import Attend

from attention_separation.studies.head_rank.constructions.full_rank_head import hardmax

DROWNING = 1e4
"""C: the output is x_i + y / C."""


@dataclass(frozen=True)
class MaskedLayer:
    """The heads {(M_h, V_h)} of a layer, each matrix (H, D, D)."""

    m: np.ndarray
    v: np.ndarray

    def __call__(self, x: np.ndarray, attend: Attend = hardmax) -> np.ndarray:
        """T_i(X) = x_i + the sum over h of V_h X~_i sm(X~_i^T M_h x_i), for X (..., D, N).

        X~_i is X without its column i; M has the attended point on its left.
        """
        new = []
        for i in range(x.shape[-1]):
            own = x[..., i : i + 1]
            others = np.delete(x, i, axis=-1)
            points = np.swapaxes(others, -1, -2)
            heads = sum(
                v_h @ (others @ attend(points @ (m_h @ own)))
                for m_h, v_h in zip(self.m, self.v, strict=True)
            )
            new.append(own + heads)
        return np.concatenate(new, axis=-1)


@dataclass(frozen=True)
class TwoLayers:
    """Equation 15: T(X) = A T2(T1([X; E])), the encodings E (d_e, N) concatenated to the points."""

    encoding: np.ndarray
    first: MaskedLayer
    second: MaskedLayer
    output: np.ndarray

    def __call__(self, x: np.ndarray, attend: Attend = hardmax) -> np.ndarray:
        """X (..., d, N) to (..., d, N)."""
        shape = (*x.shape[:-2], *self.encoding.shape)
        tokens = np.concatenate([x, np.broadcast_to(self.encoding, shape)], axis=-2)
        return self.output @ self.second(self.first(tokens, attend), attend)


def transformer(g: np.ndarray, temperature: float = 1.0, drowning: float = DROWNING) -> TwoLayers:
    """The transformer with the directions g (H, d), H odd; both layers have max(H, d) heads.

    All M and V have rank 1, or 0 in the heads that fill a layer up. For softmax attention the
    `temperature` multiplies every M.
    """
    heads, d = len(g), g.shape[1]
    count, size, label, counter = max(heads, d), d + 2, d, d + 1
    m1, v1, m2, v2 = np.zeros((4, count, size, size))
    m1[:heads, :d, :d] = temperature * g[:, :, None] * g[:, None, :]
    v1[:heads, counter, label] = 1 / heads
    m2[:d, label, counter] = temperature
    v2[np.arange(d), np.arange(d), np.arange(d)] = drowning
    encoding = np.array([[1.0, -1.0, 0.0], [0.0, 0.0, 0.0]])
    output = np.eye(d, size) / drowning
    return TwoLayers(encoding, MaskedLayer(m1, v1), MaskedLayer(m2, v2), output)
