"""Kernels that are simulated: what a query attends to, without any n x n weights.

`attend` gives, for every query, the sum over keys of their weights times their mass, up to a factor
that a row has in common: divided by a row's sum, it is gone. W of FAVOR+ are Gaussian rows,
orthogonal in blocks of d (arXiv 2009.14794).
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

Attend = Callable[[np.ndarray, np.ndarray, np.ndarray, np.ndarray | None], np.ndarray]
"""Queries (T, R, d), keys (T, S, d), mass (T, S, C) and W (T, features, d) of T trials
-> (T, R, C)."""


@dataclass(frozen=True)
class SimulatedKernel:
    """A kernel that is simulated.

    Attributes
    ----------
    name : in tables
    attend : see `Attend`
    in_order : whether it is given all n tokens as they stand, or equal ones once
    features : numbers of random features; the first rows of one W serve them all
    """

    name: str
    attend: Attend
    in_order: bool
    features: tuple[int, ...] = ()


def _attend(of_queries: np.ndarray, of_keys: np.ndarray, mass: np.ndarray) -> np.ndarray:
    return of_queries @ (np.swapaxes(of_keys, -1, -2) @ mass)


def attend_favor(queries, keys, mass, projections) -> np.ndarray:
    """With e^(W x - |x|^2 / 2); what queries and keys have in common goes from one to the other,
    so that no row of weights is all 0."""
    # -|q|^2 / 2 is a factor of the row.
    of_queries = queries @ np.swapaxes(projections, -1, -2)
    of_keys = keys @ np.swapaxes(projections, -1, -2) - (keys**2).sum(axis=-1, keepdims=True) / 2
    largest = of_keys.max(axis=-2, keepdims=True)
    of_keys -= largest
    of_queries += largest
    of_queries -= of_queries.max(axis=-1, keepdims=True)
    return _attend(np.exp(of_queries, out=of_queries), np.exp(of_keys, out=of_keys), mass)


def _turned(x: np.ndarray) -> np.ndarray:
    """relu(x_i) times the cosine and the sine of pi i / 2n."""
    angles = math.pi / (2 * x.shape[-2]) * np.arange(x.shape[-2])[:, None]
    x = np.maximum(x, 0.0)
    return np.concatenate([x * np.cos(angles), x * np.sin(angles)], axis=-1)


def attend_cosformer(queries, keys, mass, projections=None) -> np.ndarray:
    """With cos(x - y) = cos x cos y + sin x sin y."""
    return _attend(_turned(queries), _turned(keys), mass)


def attend_exp(queries, keys, mass, projections=None) -> np.ndarray:
    """With e^(q . k)."""
    scores = queries @ np.swapaxes(keys, -1, -2)
    return np.exp(scores - scores.max(axis=-1, keepdims=True)) @ mass


def attend_linear(queries, keys, mass, projections=None) -> np.ndarray:
    """With q . k."""
    return _attend(queries, keys, mass)


# FAVOR+ stands for exp, and cosFormer is linear attention's sum with a cosine: these two, whose
# exact values are known, go the same ways.
SIMULATED = (
    SimulatedKernel("favor", attend_favor, False, (16, 64, 256, 1024)),
    SimulatedKernel("cosformer", attend_cosformer, True),
    SimulatedKernel("exp", attend_exp, False),
    SimulatedKernel("linear", attend_linear, True),
)


def numbers_of_projections(features: int, d: int) -> int:
    """How many Gaussian numbers a W is made of."""
    return -(-features // d) * d * d


def draw_projections(rng: np.random.Generator, trials: int, features: int, d: int) -> np.ndarray:
    """W of some trials, (trials, features, d); its first rows are a W of fewer features.

    Gaussian vectors are made orthogonal to those before them in their block, and keep their length,
    which does not depend on the directions that come out.
    """
    gaussian = rng.standard_normal((trials, -(-features // d), d, d))
    directions, triangles = np.linalg.qr(gaussian)
    # The factorisation fixes the sign of a coordinate: here a vector keeps its side instead.
    sides = np.sign(np.diagonal(triangles, axis1=-2, axis2=-1))
    lengths = np.sqrt((gaussian**2).sum(axis=-2))
    columns = directions * (sides * lengths)[..., None, :]
    return np.swapaxes(columns, -1, -2).reshape(trials, -1, d)[:, :features]
