"""The full-rank head of Facts 1 and 3, and what turns scores into weights."""

import numpy as np


def softmax(scores: np.ndarray) -> np.ndarray:
    """sm of each column of scores (..., N, M)."""
    weights = np.exp(scores - scores.max(axis=-2, keepdims=True))
    return weights / weights.sum(axis=-2, keepdims=True)


def hardmax(scores: np.ndarray) -> np.ndarray:
    """hm of each column of scores (..., N, M): 1 at the largest, the first of equals, else 0."""
    winner = np.argmax(scores, axis=-2)[..., None, :]
    return (np.arange(scores.shape[-2])[:, None] == winner).astype(float)


def full_rank_head(
    x: np.ndarray, y: np.ndarray, temperature: float | None, bias: np.ndarray | float = 0.0
) -> np.ndarray:
    """Facts 1 and 3: X sm(c (X^T y + bias)), one head with V = I and K Q^T = cI; (..., d).

    `temperature` is c, None the hardmax head. The bias comes from a concatenated encoding:
    bias = -b/2 gives Equation 8 in the limit, the text's +b does not.
    """
    scores = (np.swapaxes(x, -1, -2) @ y[..., None])[..., 0] + bias
    scores = scores[..., None]
    weights = hardmax(scores) if temperature is None else softmax(temperature * scores)
    return (x @ weights)[..., 0]
