"""The weights that a kernel of the score gives to the query's own key and to any other."""

import math
from dataclasses import dataclass

import numpy as np
from scipy.stats import poisson

from ...attention.kernel import Kernel, KernelInputs
from .sphere import Cosines, cosines, even_cosines

RARE = 1e-8
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
        """E h^2 of another key."""
        return float(self.shares @ self.values**2)

    def rare_sum(self, others: float) -> float:
        """What those weights come to, at most, of which so many others have one or fewer."""
        sizes = np.abs(self.values)
        by_size = np.argsort(-sizes, kind="stable")
        expected = others * self.shares[by_size].cumsum()
        is_rare = expected <= 1
        if not is_rare.any():
            return 0.0
        counts = poisson.isf(RARE, expected[is_rare])
        return float(np.max(sizes[by_size][is_rare] * counts))

    def usual_size(self, share: float) -> float:
        """The size that this share of the weights is below, of those that are not 0; 0 where all
        are."""
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
    kernel: Kernel, d: int, tokens: int, cosine: float, rule: Cosines, never: float = 0.0
) -> WeightLaw:
    """The weights of a kernel of scores of keys and queries of norm sqrt d, at the nodes of a rule.

    Parameters
    ----------
    tokens : n of the kernels that know it
    cosine : of the query and its own key
    never : the probability with which another key may have a larger weight than those kept

    Raises ValueError where the kernel has no weight of a score.
    """
    scores = d * np.append(rule.values, cosine)
    weights = weights_of_scores(kernel, scores, tokens, d)
    own = weights[-1]
    values = weights[:-1]
    is_kept = _is_likely(values, rule.shares, never)
    values = values[is_kept]
    shares = rule.shares[is_kept]
    scale = max(float(np.abs(values).max()), abs(float(own))) or 1.0
    return WeightLaw(float(own / scale), values / scale, shares / shares.sum())


def _is_likely(values: np.ndarray, shares: np.ndarray, never: float) -> np.ndarray:
    """Which weights are not among the largest that come with a probability of `never`, (M,)."""
    by_size = np.argsort(-np.abs(values), kind="stable")
    is_likely = np.ones(len(values), dtype=bool)
    is_likely[by_size] = shares[by_size].cumsum() > never
    return is_likely


@dataclass(frozen=True)
class Roughness:
    """How a kernel's weights run over the cosine, between its jumps.

    Attributes
    ----------
    jumps : angles at which a weight jumps
    nodes : of a rule that has the weights' means
    mismatch : how far these are from those of another rule, relative; 0 where they are close
    """

    jumps: tuple[float, ...]
    nodes: int
    mismatch: float


MOST_JUMPS = 500
STEEPER = 10.0
"""Times the step to the next angle on either side that a jump is."""

HALVINGS = 50
CLOSE = 1e-5
"""Relative difference of means from which on a rule is too coarse; of kernels that jump, from
CLOSE_WITH_JUMPS on: there the rule that it is compared to is rough."""

CLOSE_WITH_JUMPS = 1e-3

LEAST_MEAN = 1e-200
"""Of squares over the largest, below which they are no numbers to compare."""

NODES_TRIED = (64, 128, 256, 512, 1024, 2000)


def roughness(kernel: Kernel, d: int, tokens: int) -> Roughness:
    """That of a kernel; ValueError as of `weight_law`."""
    even = even_cosines(d)
    scores = d * even.values
    weights = weights_of_scores(kernel, scores, tokens, d)
    jumps = _jumps(kernel, d, tokens, weights)
    close = CLOSE_WITH_JUMPS if jumps else CLOSE
    scale = float(np.abs(weights).max()) or 1.0
    top = float(scores[np.abs(weights).argmax()])
    wanted = _means(weights / scale, even.shares)
    mismatch = math.inf
    for nodes in NODES_TRIED:
        rule = cosines(d, nodes, jumps)
        # Beside the largest weight, so that both have one scale.
        values = weights_of_scores(kernel, np.append(d * rule.values, top), tokens, d)
        means = _means(values[:-1] / (abs(float(values[-1])) or 1.0), rule.shares)
        mismatch = float(
            np.max(np.abs(means - wanted) / np.where(wanted > LEAST_MEAN, wanted, 1.0))
        )
        if mismatch < close:
            return Roughness(jumps, nodes, 0.0)
    return Roughness(jumps, nodes, mismatch)


def _means(values: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """E |h| and E h^2, (2,)."""
    with np.errstate(over="ignore"):
        return np.array([shares @ np.abs(values), shares @ np.square(values)])


def _jumps(kernel: Kernel, d: int, tokens: int, weights: np.ndarray) -> tuple[float, ...]:
    """The angles at which weights, at even angles, jump; none where there are too many."""
    even = np.arccos(even_cosines(d).values)
    steps = np.abs(np.diff(weights))
    beside = np.maximum(np.append(steps[1:], 0.0), np.append(0.0, steps[:-1]))
    least = 1e-9 * np.maximum(np.abs(weights[1:]), np.abs(weights[:-1]))
    places = np.flatnonzero((steps > STEEPER * beside) & (steps > least))
    if not 0 < len(places) <= MOST_JUMPS:
        return ()
    left = even[places]
    right = even[places + 1]
    for _ in range(HALVINGS):
        middle = (left + right) / 2
        scores = d * np.cos(np.concatenate([left, middle, right]))
        of_left, of_middle, of_right = np.split(weights_of_scores(kernel, scores, tokens, d), 3)
        is_left = np.abs(of_middle - of_left) < np.abs(of_middle - of_right)
        left = np.where(is_left, middle, left)
        right = np.where(is_left, right, middle)
    return tuple(float(angle) for angle in (left + right) / 2)


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
