"""The weights that a kernel of the score gives to the query's own key and to any other."""

import math
from dataclasses import dataclass

import numpy as np

from ...attention.kernel import Kernel, KernelInputs
from .sphere import cosines


@dataclass(frozen=True)
class WeightLaw:
    """Weights over one common scale, which the sign of an output does not see.

    Attributes
    ----------
    own : weight of the query's own key
    values : (M,) weights of another key, at the nodes of a rule
    shares : (M,) of the rule
    """

    own: float
    values: np.ndarray
    shares: np.ndarray

    @property
    def mean_square(self) -> float:
        """E h^2 of another key."""
        return float(self.shares @ self.values**2)

    @property
    def largest(self) -> float:
        """The largest size of another key's weight."""
        return float(np.abs(self.values).max())


def weight_law(kernel: Kernel, d: int, tokens: int, cosine: float, nodes: int) -> WeightLaw:
    """The weights of a kernel of scores of keys and queries of norm sqrt d, at so many nodes.

    Parameters
    ----------
    tokens : n of the kernels that know it
    cosine : of the query and its own key

    Raises ValueError where the kernel has no weight of a score.
    """
    rule = cosines(d, nodes)
    scores = d * np.append(rule.values, cosine)
    weights = weights_of_scores(kernel, scores, tokens, d)
    scale = np.abs(weights).max() or 1.0
    return WeightLaw(float(weights[-1] / scale), weights[:-1] / scale, rule.shares)


def weights_of_scores(kernel: Kernel, scores: np.ndarray, n: int, d: int) -> np.ndarray:
    """Weights (T,) of scores (T,) of either sign, over any common positive factor; ValueError where
    one is no finite number."""
    seen = KernelInputs(
        scores=scores[None],
        queries=None,
        keys=None,
        multiplicities=np.ones((1, len(scores))),
        n=n,
        d=d,
    )
    with np.errstate(all="ignore"):
        try:
            if kernel.signed is not None:
                weights = kernel.signed(seen)[0]
            elif kernel.logarithmic:
                logs = kernel.weigh(seen)[0]
                weights = np.exp(logs - np.max(logs, where=~np.isnan(logs), initial=-np.inf))
            else:
                weights = kernel.weigh(seen)[0]
        except ArithmeticError as error:
            raise ValueError(f"kernel={kernel.name!r}: {error}") from error
    is_finite = np.isfinite(weights)
    if not is_finite.all():
        sign = "negative" if (scores[~is_finite] < 0).all() else "all"
        raise ValueError(
            f"kernel={kernel.name!r} has no finite weights of {sign} scores, and those of random "
            f"keys lie between -{d} and {d}; allowed: kernels with weights of all of them"
        )
    return np.asarray(weights, dtype=float)


def has_either_sign(law: WeightLaw) -> bool:
    """Whether some weights are negative: then what a row is divided by may be negative too."""
    return bool(law.values.min() < 0 or math.copysign(1, law.own) < 0)
