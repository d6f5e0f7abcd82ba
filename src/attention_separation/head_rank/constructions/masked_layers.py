"""Self-masked transformers, Definition 6: a point attends to every other point, not to itself."""

from dataclasses import dataclass

import numpy as np

from .heads import Attend, hardmax


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
