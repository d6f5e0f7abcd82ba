"""Whether a kernel separates at numbers of tokens n.

P is the probability that a kernel's network alone separates D1 from D0, at the best threshold. A
kernel *separates* at n if its P is above half of exp's and exp's is above 1/2; or, with a *level*,
if its P is at least that. Where float64 does not tell P, it tells *bounds*: what P is at least and
at most. A *verdict* is 1 where a kernel separates, 0 where it does not, and NaN, undecided, where
the bounds of P do not say.
"""

from functools import lru_cache

import numpy as np

from ..attention.kernel import Kernel
from ..attention.kernels import KERNELS
from ..datasets.dataset import Data
from .layers import Layer
from .values import probability_bounds

LEAST_OF_EXP = 0.5
"""Where exp's own P is no larger, nothing is measured against it."""

Bounds = tuple[np.ndarray, np.ndarray]
"""What a best P is at least and at most, (P,) each."""


def separates(
    kernel: Kernel,
    layer: Layer,
    data: Data,
    n: np.ndarray,
    weight: np.ndarray | float = 0.0,
    level: float | None = None,
) -> np.ndarray:
    """Whether a kernel separates at each n, (P,); False where float64 does not tell its best P."""
    return separation(kernel, layer, data, n, weight, level, by_bounds=False) == 1


def separation(
    kernel: Kernel,
    layer: Layer,
    data: Data,
    n: np.ndarray,
    weight: np.ndarray | float = 0.0,
    level: float | None = None,
    *,
    by_bounds: bool = True,
) -> np.ndarray:
    """The verdict on a kernel at each n, (P,).

    by_bounds : whether there is one too where float64 does not tell the best P, and all that it may
        be has one answer
    """
    sizes = tuple(n.tolist())
    # What a function of somebody's gives may change: nothing of it is remembered.
    if np.any(weight) or KERNELS.get(kernel.name) is not kernel:
        bounds = probability_bounds(kernel, layer, data, sizes, weight)
    else:
        bounds = remembered_bounds(kernel, layer, data, sizes)
    if not by_bounds:
        probability = known_probability(bounds)
        bounds = (probability, probability)
    return verdicts(bounds, layer, data, sizes, level)


def verdicts(
    bounds: Bounds, layer: Layer, data: Data, n: tuple[int, ...], level: float | None = None
) -> np.ndarray:
    """The verdict at each n, (P,), from the bounds of the best P there."""
    least, most = bounds
    if level is not None:
        surely_separates = least >= level
        surely_fails = most < level
    else:
        least_of_exp, most_of_exp = remembered_bounds(KERNELS["exp"], layer, data, n)
        surely_separates = (least > most_of_exp / 2) & (least_of_exp > LEAST_OF_EXP)
        surely_fails = (most <= least_of_exp / 2) | (most_of_exp <= LEAST_OF_EXP)
    verdict = np.full(surely_separates.shape, np.nan)
    verdict[surely_fails] = 0.0
    verdict[surely_separates] = 1.0
    return verdict


def exp_probabilities(layer: Layer, data: Data, n: tuple[int, ...]) -> np.ndarray:
    """P of exp at its best threshold, at each n, (P,): all kernels are measured against it."""
    return known_probability(remembered_bounds(KERNELS["exp"], layer, data, n))


def known_probability(bounds: Bounds) -> np.ndarray:
    """The best P, (P,), where its bounds are equal; NaN where they differ."""
    least, most = bounds
    return np.where(least == most, least, np.nan)


@lru_cache(maxsize=1024)
def remembered_bounds(kernel: Kernel, layer: Layer, data: Data, n: tuple[int, ...]) -> Bounds:
    """The bounds of the best P of a built-in kernel at each n, remembered, since several questions
    ask for the same ones."""
    sizes, places = np.unique(n, return_inverse=True)
    least, most = probability_bounds(kernel, layer, data, sizes.tolist())
    return least[places], most[places]
