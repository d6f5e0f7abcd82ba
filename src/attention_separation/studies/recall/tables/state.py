"""How many numbers a layer keeps: what an engineer pays for recall."""

import math
import re
from typing import NamedTuple

from ....recall.layers import Layer, Scores

MATRIX = "a matrix"
KEYS = "keys and values"

SQRT_D = "_sqrt_d"


class State(NamedTuple):
    """Numbers kept for each coordinate of a value, and what they are: a matrix of features, or all
    keys and values that are seen, of which the keys are kept beside."""

    numbers: float
    kept: str


def state_of(layer: Layer, d: int, n: float) -> State:
    """How many numbers a layer keeps of n pairs of keys in R^d, and what they are."""
    if not isinstance(layer, Scores):
        return State(float(d), MATRIX)
    features = features_of(layer.kernel.name, d)
    if features is not None and not math.isfinite(layer.window):
        return State(float(features), MATRIX)
    return State(float(min(n, layer.window)), KEYS)


def features_of(kernel: str, d: int) -> int | None:
    """The number of features in R^d of a kernel that is an inner product of features; None for a
    kernel that is none, or has infinitely many."""
    name = kernel.removesuffix(SQRT_D)
    if name in ("linear", "elu_plus_one"):
        return d
    if name == "uniform":
        return 1
    found = re.fullmatch(r"(power|taylor)_(\d+)", name)
    if found is None:
        return None
    family, degree = found[1], int(found[2])
    if family == "power":
        return math.comb(d + degree - 1, degree)
    return math.comb(d + degree, degree)
