"""Feature maps phi: a kernel phi(q) . phi(k) sees vectors, not scores. Logarithms of phi >= 0.

Every map commutes with permuting coordinates, so that tokens of one type have equal weights.
"""

import numpy as np

from .seen import Seen


def log_softmax(z: np.ndarray) -> np.ndarray:
    """Over the last axis."""
    return z - np.logaddexp.reduce(z, axis=-1, keepdims=True)


def log_elu_plus_one(z: np.ndarray) -> np.ndarray:
    """z + 1 where z > 0, else e^z."""
    return np.where(z > 0, np.log1p(np.maximum(z, 0.0)), np.minimum(z, 0.0))


def log_relu(z: np.ndarray) -> np.ndarray:
    with np.errstate(divide="ignore"):
        return np.log(np.maximum(z, 0.0))


def log_relu_squared(z: np.ndarray) -> np.ndarray:
    return 2 * log_relu(z)


def log_exp(z: np.ndarray) -> np.ndarray:
    """[e^z, e^-z]."""
    return np.concatenate([z, -z], axis=-1)


def log_hedgehog(z: np.ndarray) -> np.ndarray:
    """[softmax z, softmax -z], two softmaxes."""
    return np.concatenate([log_softmax(z), log_softmax(-z)], axis=-1)


def log_hedgehog_fla(z: np.ndarray) -> np.ndarray:
    """One softmax of the 2 d numbers [2 z, -2 z]."""
    return log_softmax(np.concatenate([2 * z, -2 * z], axis=-1))


def log_focused(z: np.ndarray, p: int = 3) -> np.ndarray:
    """z_+^p, scaled to the length of z_+ = max(z, 0)."""
    log_z = log_relu(z)
    lengths = [
        np.logaddexp.reduce(2 * k * log_z, axis=-1, keepdims=True) / 2 for k in (1, p)
    ]  # fmt: skip
    return p * log_z + (lengths[0] - lengths[1])


FEATURE_MAPS = {
    "elu_plus_one": log_elu_plus_one,
    "relu_features": log_relu,
    "relu2_features": log_relu_squared,
    "exp_features": log_exp,
    "hedgehog": log_hedgehog,
    "hedgehog_fla": log_hedgehog_fla,
    "focused_3": log_focused,
    "softmax_features": log_softmax,
}
"""log phi by the kernel's name: (..., d) -> (..., features)."""


def efficient(seen: Seen) -> np.ndarray:
    """Efficient Attention: softmax of q over coordinates, times softmax of k over positions.

    The latter is over all n tokens, so keys count by their multiplicities, which must not depend on
    the query: they are those of the first row. Rows sum to 1.
    """
    counts = seen.multiplicities[..., 0, :, None]
    with np.errstate(divide="ignore"):
        total = np.logaddexp.reduce(seen.keys + np.log(counts), axis=-2, keepdims=True)
    log_k = seen.keys - total
    log_q = log_softmax(seen.queries)
    logs = log_q[..., :, None, :] + log_k[..., None, :, :]
    return np.exp(np.logaddexp.reduce(logs, axis=-1))
