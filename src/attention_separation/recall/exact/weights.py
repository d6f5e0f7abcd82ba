"""The weights that a kernel of the score gives to the query's own key and to any other."""

import math
from dataclasses import dataclass

import numpy as np
from scipy.stats import poisson

from ...attention.kernel import Kernel, KernelInputs
from .sphere import Cosines

CHANCE_IGNORED = 1e-8
"""Chance of a sum that is not reckoned with."""


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
        """The mean of h^2, the squared weight of another key."""
        return float(self.shares @ self.values**2)

    def rare_sum(self, other_keys: float) -> float:
        """The largest sum, but for chances below CHANCE_IGNORED, of weights so large that among so
        many other keys one or fewer is expected."""
        sizes = np.abs(self.values)
        by_size = np.argsort(-sizes, kind="stable")
        expected = other_keys * self.shares[by_size].cumsum()
        is_rare = expected <= 1
        if not is_rare.any():
            return 0.0
        counts = poisson.isf(CHANCE_IGNORED, expected[is_rare])
        return float(np.max(sizes[by_size][is_rare] * counts))

    def usual_size(self, share: float) -> float:
        """The size below which this share of the weights lies, of those that are not 0; 0 where all
        are 0."""
        is_some = self.values != 0
        if not is_some.any():
            return 0.0
        sizes = np.abs(self.values[is_some])
        by_size = np.argsort(sizes)
        share_below = self.shares[is_some][by_size].cumsum()
        place = int(np.searchsorted(share_below, share * share_below[-1]))
        return float(sizes[by_size][place])

    def share_below(self, size: float) -> float:
        """The probability of a weight below a size."""
        return float(self.shares[np.abs(self.values) < size].sum())

    @property
    def largest(self) -> float:
        """The largest size of another key's weight."""
        return float(np.abs(self.values).max())


def weight_law(
    kernel: Kernel,
    d: int,
    tokens: int,
    cosine: float,
    rule: Cosines,
    failure_probability: float = 0.0,
) -> WeightLaw:
    """The law of a kernel's weights for keys and queries of norm sqrt d, at the nodes of a rule.

    Parameters
    ----------
    tokens : n of the kernels that know it
    cosine : of the query and its own key
    failure_probability : of another key with a larger weight than those kept

    Raises ValueError where the kernel has no weight of a score.
    """
    scores = d * np.append(rule.values, cosine)
    weights = weights_of_scores(kernel, scores, tokens, d)
    own_weight = weights[-1]
    values = weights[:-1]
    is_kept = _is_likely(values, rule.shares, failure_probability)
    values = values[is_kept]
    shares = rule.shares[is_kept]
    scale = max(float(np.abs(values).max()), abs(float(own_weight))) or 1.0
    return WeightLaw(float(own_weight / scale), values / scale, shares / shares.sum())


def _is_likely(values: np.ndarray, shares: np.ndarray, failure_probability: float) -> np.ndarray:
    """Whether each weight, (M,), is kept: the largest ones are not, as far as they come together
    with less than that probability."""
    by_size = np.argsort(-np.abs(values), kind="stable")
    is_likely = np.ones(len(values), dtype=bool)
    is_likely[by_size] = shares[by_size].cumsum() > failure_probability
    return is_likely


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
            raise ValueError(f"kernel={kernel.name!r}: {error}") from error.__cause__
    is_finite = np.isfinite(weights)
    if not is_finite.all():
        sign = "negative" if (scores[~is_finite] < 0).all() else "all"
        raise ValueError(
            f"kernel={kernel.name!r} has no finite weights of {sign} scores, and those of random "
            f"keys lie between -{d} and {d}; allowed: kernels with weights of all of them"
        )
    return np.asarray(weights, dtype=float)


def has_either_sign(law: WeightLaw) -> bool:
    """Whether some weights are negative: then a row's sum may be negative too."""
    return bool(law.values.min() < 0 or math.copysign(1, law.own) < 0)
