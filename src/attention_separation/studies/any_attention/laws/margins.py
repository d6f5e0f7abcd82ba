"""Laws of the margin: the widest gap between the scores of D0 and D1, with another X too."""

import math
from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

import numpy as np

from ....any_attention.layers import LAYERS, Layer
from ....any_attention.values import separate
from ....attention.kernel import Kernel
from ....attention.kernels import KERNELS
from ....datasets.another_x import literal_margin, margin
from ....datasets.dataset import Data
from . import predictions
from .law import LARGEST_ERROR, Law, Prediction
from .mixture import CROSS, Mixture, separation_probability, weight_ratios
from .predictions import stacked

KERNELS_OF_LAW = ("linear", "power_2", "power_4", "exp", "exp_half", "exp_quarter", "exp_sqrt_d")

ERROR_OF_SCORES = 1e-15
"""By rounding, in units of s."""

ERROR_OF_MARGINS = 1e-12
"""Relative."""

WEIGHT_OF_ANOTHER_X = 1.0
"""g of another X."""

ANOTHER = Layer("self_attention", "another", "Self-attention, X = e_d e_d^T + g e_1 e_k^T")

ERROR_WITH_ANOTHER_X = 1e-13
"""Of scores, by rounding, in units of s."""

ERROR_OF_MARGIN = (
    "1e-12, and for the rounding of scores 1e-15 over the margin. If half of P is left without the "
    "columns in which D0's special token lifts the threshold's level, also how far it moves it."
)


def margins_of(kernel: Kernel, layer: Layer, data: Data, sizes: list[int]) -> list[float]:
    """The margin of a kernel at each n: the largest 2 eps at which half of its P is left; NaN where
    not resolved."""
    separation = separate(kernel, layer, data, sizes)
    return np.where(separation.resolved, separation.margin, np.nan).tolist()


class SpecialScores(NamedTuple):
    """Scores of the special row, its token's class sign being plus on D0, in units of s."""

    on_d1: np.ndarray  # (2 K + 2,) of each state, as `Mixture.states` has them
    on_d0: np.ndarray  # (K + 1,) of each level, the special coordinate's sign being plus
    least_on_d0: np.ndarray  # (K + 1,) and both signs being minus


def weight_of_others(law: Mixture, rho: float, n: int) -> float:
    """The weights of an ordinary row without one token of its own class, summed, in units of the
    weight of a token of another class."""
    return n * (law.classes - 1 + rho) / law.classes - rho


def special_scores(law: Mixture, log_d1: float, log_d0: float, rho: float, n: int) -> SpecialScores:
    """The scores of the special rows of D0 and D1 at n tokens, from the logarithms of R and R_0,
    and rho."""
    levels = law.levels(rho)
    other_weights = weight_of_others(law, rho, n)

    def lifted(level: np.ndarray, special: float, sign: int, log_ratio: float) -> np.ndarray:
        """The levels of an ordinary row, lifted by a special token with the value `special` in its
        first coordinate, the sign of its class, and a weight ratio."""
        ratio = math.exp(log_ratio)
        gain = ratio * (special + sign * law.beta - level) - rho * (sign * law.beta - level)
        return level + gain / (ratio + other_weights)

    # With a minus its own class takes from the special row what it gives with a plus.
    minus = levels - 2 * law.beta * (rho - 1) / (law.classes - 1 + rho)
    with_plus = lifted(levels, law.alpha, 1, log_d1)
    with_minus = lifted(minus, law.alpha, -1, log_d1)
    special_d0 = 1.0 if law.layer == CROSS else law.data.a0
    return SpecialScores(
        on_d1=np.append(with_plus, with_minus),
        on_d0=lifted(levels, special_d0, 1, log_d0),
        least_on_d0=lifted(levels, -special_d0, -1, log_d0),
    )


class PredictedMargin(NamedTuple):
    """The largest 2 eps at half of the best P, in units of s; and what it is at most if half may be
    left without the columns in which D0's special token moves the threshold's level up."""

    margin: float
    widest: float


def predicted_margin(kernel: Kernel, layer: Layer, data: Data, n: int) -> PredictedMargin:
    """The margin that the law predicts, and the widest that its error term allows: between what
    D0's special row makes of the threshold's level J and what D1's makes of it."""
    ratios = weight_ratios(kernel, layer, data, np.array([n]))
    log_d1 = float(ratios.log_d1[0])
    rho = float(ratios.own[0])
    m = data.m(n)
    law = Mixture(layer, data)
    classes = law.classes
    scores = special_scores(law, log_d1, float(ratios.log_d0[0]), rho, n)
    ratio = math.exp(log_d1)
    share = ratio / (ratio + weight_of_others(law, rho, n))
    fires = law.firing_chances(share, rho)
    half = np.max(separation_probability(law.above, fires, m)) / 2
    # q of each level J, of the states up to it: of the one with the highest score, the two highest
    # ones, and so on.
    descending = np.argsort(-scores.on_d1)
    is_up_to_level = np.tile(law.sums, 2) <= law.sums[:, None]
    q = np.where(is_up_to_level, law.states, 0.0)[:, descending].cumsum(axis=1)
    # Columns that D0's special token lifts, of which D1's lifts those with both marks plus.
    lost = law.states[: classes + 1, None]
    common = lost * np.maximum(np.arange(classes + 1) - 1, 0)[:, None] / (classes - 1)
    is_threshold = law.is_threshold(law.levels(rho))[:, None]
    p = law.above[:, None]
    is_enough = is_threshold & (separation_probability(p, q, m) >= half)
    without_lost = separation_probability(p + lost, q - common, m)
    is_enough_without = is_threshold & (without_lost >= half)
    gaps = scores.on_d1[descending] - scores.on_d0[:, None]
    margin = gaps[is_enough].max(initial=-math.inf)
    gaps_without = scores.on_d1[descending] - scores.least_on_d0[:, None]
    widest = gaps_without[is_enough_without].max(initial=margin)
    return PredictedMargin(float(margin), float(widest))


def margin_claim(kernel: Kernel, layer: Layer, data: Data, n: int, measured: float) -> Prediction:
    """The claim that a margin is what the law predicts."""
    predicted, widest = predicted_margin(kernel, layer, data, n)
    error = ERROR_OF_MARGINS + (widest - predicted + ERROR_OF_SCORES) / predicted
    ratios = weight_ratios(kernel, layer, data, np.array([n]))
    is_ordered = bool(predictions.keeps_order(ratios, layer, data)[0])
    return Prediction(
        kernel=kernel.name,
        layer=layer,
        quantity="2 eps",
        predicted=predicted,
        measured=measured,
        tolerance=error,
        n=n,
        holds=is_ordered and error <= LARGEST_ERROR,
    )


def _margin_claims(data: Data) -> Iterator[Prediction]:
    """The claims that margins of KERNELS_OF_LAW are what the law predicts."""
    sizes = stacked(data, 10**6, 10**8, 10**10)
    for layer, name in product(LAYERS, KERNELS_OF_LAW):
        kernel = KERNELS[name]
        margins = margins_of(kernel, layer, data, sizes)
        for n, measured in zip(sizes, margins, strict=True):
            yield margin_claim(kernel, layer, data, n, measured)


def _claims_with_another_x(data: Data) -> Iterator[Prediction]:
    """The claims that the margin of linear attention with another X is the same at every n."""
    predicted = margin(data, WEIGHT_OF_ANOTHER_X)
    error = ERROR_WITH_ANOTHER_X / predicted
    for n in stacked(data, 200, 2_000, 20_000):
        measured = literal_margin(data, n, WEIGHT_OF_ANOTHER_X)
        yield Prediction("linear", ANOTHER, "2 eps", predicted, measured, error, n)


MARGIN_LAW = Law(
    "margin",
    "The margin is the widest gap 2 eps between the scores of D0 and D1 that leaves half of the "
    "kernel's own P, in units of sqrt(log n). Where the special token's shares f on D1 and f_0 on "
    "D0 are small, it is f (a1 + b - level) - f_0 (a0 + b - level), and falls like R/n. In "
    "cross-attention it is (f - f_0) (2 - level) there. Where f is near 1 it is a1 + b - level, in "
    "cross-attention 2 - level, whatever n is. Between, states of lower levels are over the "
    "threshold as well.",
    _margin_claims,
    "The error term is at most 10 %, and states of one level are in order. Another X has another "
    "margin, which need not fall.",
    ERROR_OF_MARGIN,
)

ANOTHER_X_LAW = Law(
    "another X",
    "In self-attention with X = e_d e_d^T + g e_1 e_k^T linear attention has the same margin at "
    "every n. It is read by y = e_k, which is no sign vector. In units of sqrt(log n) it is "
    "b (c^2 + g a b) / (K c^2 + g a b) at a1 less that at a0. Compared at g = 1.",
    _claims_with_another_x,
    "None: it is so at all data and every n.",
    "1e-13 over the margin, for the rounding of scores.",
    is_of_mixture=False,
)
