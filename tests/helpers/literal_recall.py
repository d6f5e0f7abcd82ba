"""Recall by its definition, trial by trial: random keys, every write, one query.

A trial draws n keys, uniform on the unit sphere, and fair signs, writes them in r + 1 passes with
fresh signs each time, and asks with key J, or with a vector at a cosine to it.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Trial:
    """keys (N, d) and values (N,) in the order of writes, the query (d,), and the value that
    counts."""

    keys: np.ndarray
    values: np.ndarray
    query: np.ndarray
    wanted: float


def unit(vector: np.ndarray) -> np.ndarray:
    return vector / math.sqrt(vector @ vector)


def draw(
    rng: np.random.Generator,
    n: int,
    d: int,
    age: int | None = None,
    cosine: float = 1.0,
    rewrites: int = 0,
) -> Trial:
    """One trial; any age where none is given."""
    once = rng.standard_normal((n, d))
    once /= np.sqrt((once**2).sum(axis=1, keepdims=True))
    age = int(rng.integers(n)) if age is None else age
    own = once[n - 1 - age]
    query = own
    if cosine != 1:
        other = rng.standard_normal(d)
        query = cosine * own + math.sqrt(1 - cosine**2) * unit(other - (other @ own) * own)
    values = rng.choice([-1.0, 1.0], n * (rewrites + 1))
    return Trial(
        np.tile(once, (rewrites + 1, 1)), values, query, values[n * rewrites + n - 1 - age]
    )


def of_scores(
    h: Callable[[np.ndarray], np.ndarray], decay: float = 1.0, window: float = math.inf
) -> Callable[[Trial], float]:
    """sum over writes of decay^age h(d <q, k>) v, ages below the window."""

    def output(trial: Trial) -> float:
        ages = np.arange(len(trial.keys))[::-1]
        weights = decay**ages * h(len(trial.query) * (trial.keys @ trial.query))
        return float((weights * trial.values)[ages < window].sum())

    return output


def of_delta(beta: float, decay: float = 1.0) -> Callable[[Trial], float]:
    """S = decay (S - beta (S k) k') + beta v k' at each write; then S q."""

    def output(trial: Trial) -> float:
        state = np.zeros(len(trial.query))
        for key, value in zip(trial.keys, trial.values, strict=True):
            state = decay * (state - beta * (state @ key) * key) + beta * value * key
        return float(state @ trial.query)

    return output


def of_least_squares(trial: Trial) -> float:
    """V' K (K' K)^-1 q."""
    keys = trial.keys
    return float(trial.values @ keys @ np.linalg.solve(keys.T @ keys, trial.query))


def is_right(output: float, wanted: float) -> float:
    """1 where the sign is the value's, 1/2 at a tie."""
    if output == 0:
        return 0.5
    return float((output > 0) == (wanted > 0))


def count_right(
    output: Callable[[Trial], float], trials: int, seed: int, n: int, d: int, **more
) -> float:
    """How many of so many trials are right."""
    rng = np.random.default_rng([seed, n, d])
    right = 0.0
    for _ in range(trials):
        trial = draw(rng, n, d, **more)
        right += is_right(output(trial), trial.wanted)
    return right


def signed_sums(rewrites: int) -> float:
    """The accuracy of the sum of a value and so many earlier ones, every case of signs counted."""
    right = 0.0
    for case in range(2**rewrites):
        earlier = sum(1 if case >> bit & 1 else -1 for bit in range(rewrites))
        right += is_right(1 + earlier, 1)
    return right / 2**rewrites
