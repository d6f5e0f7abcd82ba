"""FAVOR+ and cosFormer literally: weights of every query over every key. They judge the features
that are attended with."""

import math

import numpy as np


def positive_features(x: np.ndarray, projections: np.ndarray) -> np.ndarray:
    """phi(x) = e^(W x - |x|^2 / 2) / sqrt(features), (..., T, features), of W (..., features, d):
    the mean of phi(q) . phi(k) over Gaussian W is e^(q . k) (arXiv 2009.14794)."""
    squares = (x**2).sum(axis=-1, keepdims=True)
    logs = x @ np.swapaxes(projections, -1, -2) - squares / 2
    return np.exp(logs) / math.sqrt(projections.shape[-2])


def favor_weights(queries: np.ndarray, keys: np.ndarray, projections: np.ndarray) -> np.ndarray:
    """phi(q) . phi(k), (..., R, T), before a row is divided by its sum."""
    of_keys = positive_features(keys, projections)
    return positive_features(queries, projections) @ np.swapaxes(of_keys, -1, -2)


def cosformer_weights(queries: np.ndarray, keys: np.ndarray) -> np.ndarray:
    """relu(q_i) . relu(k_j) cos(pi (i - j) / 2n), (..., n, n), before a row is divided by its sum
    (arXiv 2202.08791, with its M the number of tokens)."""
    n = keys.shape[-2]
    order = np.arange(n)
    apart = order[:, None] - order
    products = np.maximum(queries, 0.0) @ np.swapaxes(np.maximum(keys, 0.0), -1, -2)
    return products * np.cos(math.pi * apart / (2 * n))
