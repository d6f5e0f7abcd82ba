"""Layers of the second paper as Equations 1 and 2 and Fact 3 define them.

Points X (..., d, N) are attended, queries Y (..., d, M) attend; columns are vectors.
"""

from collections.abc import Callable, Sequence

import numpy as np

from attention_separation.studies.head_rank.constructions.full_rank_head import softmax

Attend = Callable[[np.ndarray], np.ndarray]


def attention_layer(
    x: np.ndarray, y: np.ndarray, k: np.ndarray, q: np.ndarray, v: np.ndarray, o: np.ndarray,
    attend: Attend = softmax,
) -> np.ndarray:  # fmt: skip
    """Equation 1: the sum over heads of O V^T X sm(X^T K Q^T Y).

    Parameters
    ----------
    x, y : points (..., d, N) and queries (..., d, M)
    k, q, v, o : the heads' matrices, each (H, d, r)
    attend : softmax, or hardmax, its limit for K -> cK with c to infinity

    Returns
    -------
    (..., d, M)
    """
    points = np.swapaxes(x, -1, -2)
    return sum(
        o_h @ (v_h.T @ x) @ attend(points @ k_h @ (q_h.T @ y))
        for k_h, q_h, v_h, o_h in zip(k, q, v, o, strict=True)
    )


def generalised_layer(
    x: np.ndarray, y: np.ndarray, k: np.ndarray, v: np.ndarray,
    phi: Sequence[Callable[[np.ndarray, np.ndarray], np.ndarray]],
) -> np.ndarray:  # fmt: skip
    """Equation 2: the sum over heads of V X phi(K^T X, y).

    Parameters
    ----------
    x, y : points (..., d, N) and one query (..., d)
    k, v : (H, d, r), and (H, d, d) of any rank
    phi : H maps of (..., r, N) and (..., d) to weights (..., N), each nonnegative, of sum 1

    Returns
    -------
    (..., d)
    """
    return sum(
        (v_h @ x @ phi_h(k_h.T @ x, y)[..., None])[..., 0]
        for k_h, v_h, phi_h in zip(k, v, phi, strict=True)
    )


def concatenated(x: np.ndarray, y: np.ndarray, bias: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The encoding of Fact 3: x_i -> [x_i; bias_i], y -> [y; 1]; (..., d + 1, N) and (..., d + 1).

    With K Q^T the identity of d + 1 dimensions the scores are X^T y + bias.
    """
    shape = np.broadcast_shapes(x[..., :1, :].shape, np.asarray(bias)[..., None, :].shape)
    last = np.broadcast_to(np.asarray(bias)[..., None, :], shape)
    return (
        np.concatenate([x, last], axis=-2),
        np.concatenate([y, np.ones_like(y[..., :1])], axis=-1),
    )
