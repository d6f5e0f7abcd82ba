"""Laws of the margin: the widest gap between the scores of D0 and D1, with another X too."""

import math
from collections.abc import Iterator
from itertools import product

import numpy as np

from ....any_attention.layers import LAYERS, Layer
from ....any_attention.values import separate
from ....attention.kernel import Kernel
from ....attention.kernels import KERNELS
from ....datasets.another_x import literal_margin, margin
from ....datasets.dataset import Data
from . import mixture, predictions
from .law import LARGEST_ERROR, Law, Prediction
from .mixture import CROSS, Mixture, chance, weight_ratios
from .predictions import stacked

JUDGED = ("linear", "power_2", "power_4", "exp", "exp_half", "exp_quarter", "exp_sqrt_d")

ROUNDING, EQUAL = 1e-15, 1e-12
"""Of a score, in units of s; and of a margin, relative."""

WEIGHT = 1.0
"""g of another X."""

ANOTHER = Layer("self_attention", "another", "Self-attention, X = e_d e_d^T + g e_1 e_k^T")

ROUNDING_WITH_ANOTHER_X = 1e-13
"""Of scores, in units of s."""

ERROR_OF_MARGIN = (
    "1e-12, and for the rounding of scores 1e-15 over the margin. If half of P is left without the "
    "columns in which D0's special token lifts the threshold's level, also how far it moves it."
)


def margins_of(kernel: Kernel, layer: Layer, data: Data, sizes: list[int]) -> list[float]:
    """The largest 2 eps at which half of a kernel's own P is left, NaN where not resolved."""
    separation = separate(kernel, layer, data, sizes)
    return np.where(separation.resolved, separation.margin, np.nan).tolist()


def predicted_margin(kernel: Kernel, layer: Layer, data: Data, n: int) -> tuple[float, float]:
    """The largest 2 eps at half of the best P, in units of s: between what D0's special row makes
    of the threshold's level J and what D1's makes of the states up to it, the highest ones of which
    are enough. Then what it is at most if half may be left without the columns in which D0's
    special token moves that level up."""
    ratios = weight_ratios(kernel, layer, data, np.array([n]))
    ratio_d1 = math.exp(float(ratios.log_d1[0]))
    ratio_d0 = math.exp(float(ratios.log_d0[0]))
    rho = float(ratios.own[0])
    m = data.m(n)
    classes = data.classes
    law = Mixture(layer, data)
    levels = law.levels(rho)
    others = n * (classes - 1 + rho) / classes - rho

    def lifted(level: np.ndarray, special: float, sign: int, ratio: float) -> np.ndarray:
        """The score of the special row: what its token makes of an ordinary row's level, with the
        value `special` in its first coordinate, the sign of its class, and a weight ratio."""
        gain = ratio * (special + sign * law.beta - level) - rho * (sign * law.beta - level)
        return level + gain / (ratio + others)

    fired = law.fired(ratio_d1 / (ratio_d1 + others), rho)
    half = np.max(chance(law.above, fired, m)) / 2
    # With a minus its own class takes from the special row what it gives with a plus.
    minus = levels - 2 * law.beta * (rho - 1) / (classes - 1 + rho)
    scores_with_plus = lifted(levels, law.alpha, 1, ratio_d1)
    scores_with_minus = lifted(minus, law.alpha, -1, ratio_d1)
    scores_d1 = np.append(scores_with_plus, scores_with_minus)
    special_d0 = 1.0 if layer == CROSS else data.a0
    scores_d0 = lifted(levels, special_d0, 1, ratio_d0)[:, None]
    least_d0 = lifted(levels, -special_d0, -1, ratio_d0)[:, None]
    # q of each level J, of the states up to it: of the one with the highest score, the two highest
    # ones, and so on.
    descending = np.argsort(-scores_d1)
    is_up_to_level = np.tile(law.sums, 2) <= law.sums[:, None]
    q = np.where(is_up_to_level, law.states, 0.0)[:, descending].cumsum(axis=1)
    # Columns that D0's special token lifts, of which D1's lifts those with both marks plus.
    lost = law.states[: classes + 1, None]
    common = lost * np.maximum(np.arange(classes + 1) - 1, 0)[:, None] / (classes - 1)
    is_threshold = (levels + law.last > -mixture.ROUNDING)[:, None]
    p = law.above[:, None]
    is_enough = is_threshold & (chance(p, q, m) >= half)
    is_enough_without = is_threshold & (chance(p + lost, q - common, m) >= half)
    gap = (scores_d1[descending] - scores_d0)[is_enough].max(initial=-math.inf)
    widest = (scores_d1[descending] - least_d0)[is_enough_without].max(initial=gap)
    return float(gap), float(widest)


def margin_claim(kernel: Kernel, layer: Layer, data: Data, n: int, measured: float) -> Prediction:
    """That a margin is what the law says."""
    predicted, widest = predicted_margin(kernel, layer, data, n)
    error = EQUAL + (widest - predicted + ROUNDING) / predicted
    ratios = weight_ratios(kernel, layer, data, np.array([n]))
    is_ordered = bool(predictions.keeps_order(ratios, layer, data)[0])
    return Prediction(
        kernel=kernel.name,
        layer=layer,
        quantity="2 eps",
        predicted=predicted,
        measured=measured,
        tolerance=error,
        at=n,
        holds=is_ordered and Mixture(layer, data).applies() and error <= LARGEST_ERROR,
    )


def _margins(data: Data) -> Iterator[Prediction]:
    """That margins of JUDGED are what the law says."""
    sizes = stacked(data, 10**6, 10**8, 10**10)
    for layer, name in product(LAYERS, JUDGED):
        kernel = KERNELS[name]
        margins = margins_of(kernel, layer, data, sizes)
        for n, measured in zip(sizes, margins, strict=True):
            yield margin_claim(kernel, layer, data, n, measured)


def _margins_with_another_x(data: Data) -> Iterator[Prediction]:
    """That the margin of linear attention with another X is the same at every n."""
    predicted = margin(data, WEIGHT)
    error = ROUNDING_WITH_ANOTHER_X / predicted
    for n in stacked(data, 200, 2_000, 20_000):
        measured = literal_margin(data, n, WEIGHT)
        yield Prediction("linear", ANOTHER, "2 eps", predicted, measured, error, n)


MARGIN_LAW = Law(
    "margin",
    "The margin is the widest gap 2 eps between the scores of D0 and D1 that leaves half of the "
    "kernel's own P, in units of sqrt(log n). Where the special token's shares f on D1 and f_0 on "
    "D0 are small, it is f (a1 + b - level) - f_0 (a0 + b - level), and falls like R/n. In "
    "cross-attention it is (f - f_0) (2 - level) there. Where f is near 1 it is a1 + b - level, in "
    "cross-attention 2 - level, whatever n is. Between, states of lower levels are over the "
    "threshold as well.",
    _margins,
    "The error term is at most 10 %, and states of one level are in order. Another X has another "
    "margin, which need not fall.",
    ERROR_OF_MARGIN,
)

ANOTHER_X_LAW = Law(
    "another X",
    "In self-attention with X = e_d e_d^T + g e_1 e_k^T linear attention has the same margin at "
    "every n. It is read by y = e_k, which is no sign vector. In units of sqrt(log n) it is "
    "b (c^2 + g a b) / (K c^2 + g a b) at a1 less that at a0. Compared at g = 1.",
    _margins_with_another_x,
    "None: it is so at all data and every n.",
    "1e-13 over the margin, for the rounding of scores.",
)
