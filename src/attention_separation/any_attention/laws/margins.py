"""Laws of the margin: the widest gap between the scores of D0 and D1, with another X too."""

import math
from collections.abc import Iterator
from itertools import product

import numpy as np

from ...attention.kernel import Kernel
from ...attention.kernels import KERNELS
from ...datasets.another_x import literal_margin, margin
from ...datasets.dataset import Data
from ..exact.layers import LAYERS, Layer
from ..exact.values import separate
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
    found = separate(kernel, layer, data, sizes)
    return np.where(found.resolved, found.margin, np.nan).tolist()


def predicted_margin(kernel: Kernel, layer: Layer, data: Data, n: int) -> tuple[float, float]:
    """The largest 2 eps at half of the best P, in units of s: between what D0's special row makes
    of the threshold's level J and what D1's makes of the states up to it, the highest ones of which
    are enough. Then what it is at most if half may be left without the columns in which D0's
    special token moves that level up."""
    found = weight_ratios(kernel, layer, data, np.array([n]))
    on_d1, on_d0 = (math.exp(float(part[0])) for part in (found.log_d1, found.log_d0))
    rho, m, classes, law = float(found.own[0]), data.m(n), data.classes, Mixture(layer, data)
    levels, others = law.levels(rho), n * (classes - 1 + rho) / classes - rho

    def lifted(of: np.ndarray, special: float, sign: int, ratio: float) -> np.ndarray:
        gain = ratio * (special + sign * law.beta - of) - rho * (sign * law.beta - of)
        return of + gain / (ratio + others)

    half = np.max(chance(law.above, law.fired(on_d1 / (on_d1 + others), rho), m)) / 2
    # With a minus its own class takes from the special row what it gives with a plus.
    minus = levels - 2 * law.beta * (rho - 1) / (classes - 1 + rho)
    of_d1 = np.append(lifted(levels, law.alpha, 1, on_d1), lifted(minus, law.alpha, -1, on_d1))
    size = 1.0 if layer == CROSS else data.a0
    of_d0, lowest = (lifted(levels, k * size, k, on_d0)[:, None] for k in (1, -1))
    order, fires = np.argsort(-of_d1), np.tile(law.sums, 2) <= law.sums[:, None]
    fired = np.where(fires, law.states, 0.0)[:, order].cumsum(axis=1)
    # Columns that D0's special token lifts, of which D1's lifts those with both marks plus.
    lost = law.states[: classes + 1, None]
    common = lost * np.maximum(np.arange(classes + 1) - 1, 0)[:, None] / (classes - 1)
    fits = (levels + law.last > -mixture.ROUNDING)[:, None]
    enough = fits & (chance(law.above[:, None], fired, m) >= half)
    more = fits & (chance(law.above[:, None] + lost, fired - common, m) >= half)
    gap = (of_d1[order] - of_d0)[enough].max(initial=-math.inf)
    wide = (of_d1[order] - lowest)[more].max(initial=gap)
    return float(gap), float(wide)


def margin_claim(kernel: Kernel, layer: Layer, data: Data, n: int, found: float) -> Prediction:
    """That a margin is what the law says."""
    predicted, wide = predicted_margin(kernel, layer, data, n)
    error = EQUAL + (wide - predicted + ROUNDING) / predicted
    ratios = weight_ratios(kernel, layer, data, np.array([n]))
    ordered = bool(predictions.keeps_order(ratios, layer, data)[0])
    holds = ordered and Mixture(layer, data).applies() and error <= LARGEST_ERROR
    return Prediction(kernel.name, layer, "2 eps", predicted, found, error, n, holds)


def _margins(data: Data) -> Iterator[Prediction]:
    sizes = stacked(data, 10**6, 10**8, 10**10)
    for layer, name in product(LAYERS, JUDGED):
        kernel = KERNELS[name]
        for n, found in zip(sizes, margins_of(kernel, layer, data, sizes), strict=True):
            yield margin_claim(kernel, layer, data, n, found)


def _margins_with_another_x(data: Data) -> Iterator[Prediction]:
    predicted = margin(data, WEIGHT)
    for n in stacked(data, 200, 2_000, 20_000):
        found, error = literal_margin(data, n, WEIGHT), ROUNDING_WITH_ANOTHER_X / predicted
        yield Prediction("linear", ANOTHER, "2 eps", predicted, found, error, n)


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
