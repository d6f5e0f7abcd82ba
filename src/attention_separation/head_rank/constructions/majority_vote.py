"""Theorem 7: two self-masked layers of rank-1 heads that put the nearest of two points to the vote.

The paper's proof is not in its main text; this is a construction of the size that the theorem
states, with encodings of d_e = 2 coordinates: label and counter. Tokens are [x_1; 1; 0],
[x_2; -1; 0] and [y; 0; 0]. Head h of layer 1 has a random direction g: y attends to the x_i with
the larger <x_i, g><g, y> and adds 1/H of that label to its counter. In layer 2 y attends to the
point whose label has the sign of the counter, coordinate by coordinate. A large factor there,
undone by the output matrix, drowns y itself, which the skip connection keeps.

A head votes for the nearer point where <x_1 - x_2, g> and <y, g> have the sign that <x_1 - x_2, y>
has: with probability 1/2 + phi / pi, sin(phi) = |cos| of the angle of x_1 - x_2 and y.
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import bdtr

from .heads import Attend, hardmax
from .sphere import angle_rule, density_at_zero


@dataclass(frozen=True)
class MaskedLayer:
    """The heads {(M_h, V_h)} of a self-masked layer (Definition 6), each matrix (H, D, D).

    A point attends to every other point, not to itself.
    """

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


DROWNING = 1e4
"""C: the output is x_i + y / C."""


def checked_odd(heads: int) -> int:
    """The number of heads, if a vote of so many cannot tie.

    Raises
    ------
    ValueError
        Unless it is odd and positive.
    """
    if heads < 1 or heads % 2 == 0:
        raise ValueError(f"{heads} heads; allowed: odd numbers, a vote of an even number can tie")
    return heads


def transformer(g: np.ndarray, temperature: float = 1.0, drowning: float = DROWNING) -> TwoLayers:
    """The transformer with the directions g (H, d), H odd; both layers have max(H, d) heads.

    All M and V have rank 1, or 0 in the heads that fill a layer up. For softmax attention the
    `temperature` multiplies every M.
    """
    heads, d = checked_odd(len(g)), g.shape[1]
    count, size, label, counter = max(heads, d), d + 2, d, d + 1
    m1, v1, m2, v2 = np.zeros((4, count, size, size))
    m1[:heads, :d, :d] = temperature * g[:, :, None] * g[:, None, :]
    v1[:heads, counter, label] = 1 / heads
    m2[:d, label, counter] = temperature
    v2[np.arange(d), np.arange(d), np.arange(d)] = drowning
    encoding = np.array([[1.0, -1.0, 0.0], [0.0, 0.0, 0.0]])
    output = np.eye(d, size) / drowning
    return TwoLayers(encoding, MaskedLayer(m1, v1), MaskedLayer(m2, v2), output)


def votes_for_first(x: np.ndarray, y: np.ndarray, g: np.ndarray) -> np.ndarray:
    """How heads vote: (..., H) bool, for X (..., d, 2), y (..., d) and directions g (..., H, d).

    True where <x_1 - x_2, g><g, y> is positive.
    """
    difference = (x[..., 0] - x[..., 1])[..., None]
    return ((g @ difference) * (g @ y[..., None]))[..., 0] > 0


def wrong_probability(d: int, heads: int) -> float:
    """P(the vote picks the farther point), over random g_h, x_1, x_2 and y; H odd.

    Given the angle the number of right votes is binomial; the angle of x_1 - x_2 and y is that of a
    uniform point and a fixed direction, on the sphere as on D_2.
    """
    checked_odd(heads)
    phi, weights = angle_rule(d, [(0.0, min(1.0, math.pi / (2 * math.sqrt(heads))))])
    right = np.minimum(0.5 + np.abs(phi) / math.pi, 1.0)
    return float(weights @ bdtr((heads - 1) // 2, heads, right))


def error(d: int, heads: int) -> float:
    """E||f - x_winner||^2: 2 P(wrong), since ||x_1 - x_2||^2 has mean 2 and no part in the vote."""
    return 2 * wrong_probability(d, heads)


def error_law(d: int, heads: float) -> float:
    """The law of the error for many heads: 2 f_d(0) sqrt(pi / 2H), about sqrt(d / H)."""
    return 2 * density_at_zero(d) * math.sqrt(math.pi / (2 * heads))


def heads_needed(d: int, epsilon: float) -> int:
    """The smallest odd H whose error is at most epsilon < 1; the error falls with H."""
    few, many = -1, 1
    while error(d, many) > epsilon:
        few, many = many, 2 * many + 1
    while many - few > 2:
        middle = (few + many) // 2 | 1
        few, many = (few, middle) if error(d, middle) <= epsilon else (middle, many)
    return many
