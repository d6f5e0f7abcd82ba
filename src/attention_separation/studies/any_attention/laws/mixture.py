"""The mixture law: the best P of a kernel from the share of the special token in its row.

An ordinary row averages all classes, its own one with the weight ratio rho. A sign column whose K
class signs sum to Sigma gives it the level b (Sigma + rho - 1) / (K - 1 + rho), where the sign of
its own class is plus: the largest over rows. c y_d adds to all rows alike. These levels are the
scores on D0.

On D1 the special row is a mixture: its own token with the share f, and an ordinary row. Its score
is f (a1 y_1 + b y_k3) + (1 - f) level, y_k3 being the sign of its class. Let the threshold be just
above level J. Then a column fires on D0 if its level is above J. It fires on D1 also if the special
token lifts a lower level over J. In cross-attention a1 and b are 1, and there is no c.

Left out are shifts of order 1 / n. They order the states of one level: in self-attention those with
y_1 = + are higher on D1, in cross-attention those with y_1 = y_k3 = +.

A weight ratio is what a token weighs against a token of another class in the same row. R is that of
the special token on D1 and R_0 on D0, rho that of an ordinary token's own class. A score is sigma
log n: sigma is sigma* of the special token on itself, and sigma_0 of a token on one of another
class. A function of scores w has R = w(sigma* log n) / w(sigma_0 log n). Any other kernel has its
ratios from the weights in its exact rows.
"""

from dataclasses import dataclass

import numpy as np

from ....any_attention.layers import LAYERS, Layer, token_types
from ....attention.distinct_rows import OWN, REST, SAME, SPECIAL, TokenTypes, distinct_rows
from ....attention.kernel import Kernel, KernelInputs
from ....attention.sign_columns import binomial_half_pmf
from ....datasets.dataset import Data

SELF, SELF_ONES, CROSS = LAYERS

LEAST_CLASSES = 6
"""With fewer the floor itself may be half of exp's P."""

SMALLEST_WEIGHT = 1e-300
"""A weight that float64 has as 0 is no more than this."""

LARGEST_LOG_RATIO = 700.0
"""Beyond it nothing changes, and float64 ends."""

THRESHOLD_ROUNDING = 1e-12
"""A threshold that is 0 but for rounding is 0."""

MOST_MIXED_NUMBERS = 1 << 18
"""Shares of levels and states worked on at once."""


@dataclass(frozen=True)
class Sigmas:
    """Scores over log n in one type of row: on the special token, the own class, another class."""

    special: float | np.ndarray
    own: float
    rest: float


def row_sigmas(
    layer: Layer, data: Data, a: float, weight: float | np.ndarray = 0.0
) -> list[Sigmas]:
    """The sigmas of the special row, whose token has the size a. With X all ones those of an
    ordinary row follow, for there ordinary rows see the special token too. The weight g in X = I +
    g e_1 e_1^T counts in sigma* alone."""
    b, c = data.b, data.c
    if layer == CROSS:
        return [Sigmas(1 + a * (1 + weight), 1.0, 1.0)]
    if layer == SELF:
        return [Sigmas(a * a * (1 + weight) + b * b + c * c, b * b + c * c, c * c)]
    plain = b + c
    special = a + b + c
    return [
        Sigmas(special * special, special * plain, special * plain),
        Sigmas(plain * special, plain * plain, plain * plain),
    ]


def gamma(layer: Layer, data: Data) -> float:
    """gamma_1, the largest difference of the special token's score and that of the rest in a row,
    over log n."""
    return max(float(row.special) - row.rest for row in row_sigmas(layer, data, data.a1))


@dataclass(frozen=True)
class WeightRatios:
    """Weight ratios at P numbers of tokens, each (P,); R and R_0 in the special token's own row,
    with X all ones in the row where they are largest."""

    log_d1: np.ndarray  # log R
    log_d0: np.ndarray  # log R_0
    own: np.ndarray  # rho
    same: np.ndarray  # of its own class in D1's special row; rho for functions of scores
    # h, of D1's special token in an ordinary row with X = I; 1 for functions of scores.
    ordinary: np.ndarray | float = 1.0
    ordered: np.ndarray | bool = True  # whether the states of one level are known to be in order


def weight_ratios(
    kernel: Kernel, layer: Layer, data: Data, n: np.ndarray, weight: float | np.ndarray = 0.0
) -> WeightRatios:
    """The weight ratios of a kernel at numbers of tokens n with weights g of X, (P,)."""
    ratios = ratios_of_scores if kernel.kind == "score" else ratios_of_rows
    return ratios(kernel, layer, data, n, weight)


def log_weight(
    kernel: Kernel, layer: Layer, data: Data, n: np.ndarray, sigma: float | np.ndarray
) -> np.ndarray:
    """log w(sigma log n), (P,), where w is a function of scores; NaN or -inf where w is not above
    0."""
    sizes = np.asarray(n, dtype=float)[:, None, None]
    scores = (sigma * np.log(n))[:, None, None]
    inputs = KernelInputs(
        scores=scores,
        queries=None,
        keys=None,
        multiplicities=np.ones_like(scores),
        n=sizes,
        d=layer.d(data.classes),
    )
    with np.errstate(all="ignore"):
        weights = kernel.weigh(inputs)[:, 0, 0]
        return weights if kernel.logarithmic else np.log(weights)


def ratios_of_scores(
    kernel: Kernel, layer: Layer, data: Data, n: np.ndarray, weight: float | np.ndarray = 0.0
) -> WeightRatios:
    """The weight ratios of a kernel that is a function of scores, in closed form."""

    def log_ratio(above: float | np.ndarray, below: float | np.ndarray) -> np.ndarray:
        log_above = log_weight(kernel, layer, data, n, above)
        log_below = log_weight(kernel, layer, data, n, below)
        return log_above - log_below

    def largest_log_ratio(special: float) -> np.ndarray:
        rows = row_sigmas(layer, data, special, weight)
        return np.max([log_ratio(row.special, row.rest) for row in rows], axis=0)

    ordinary_row = row_sigmas(layer, data, data.a1)[-1]
    with np.errstate(all="ignore"):
        log_own = log_ratio(ordinary_row.own, ordinary_row.rest)
        own = np.exp(np.minimum(log_own, LARGEST_LOG_RATIO))
        return WeightRatios(
            log_d1=largest_log_ratio(data.a1),
            log_d0=largest_log_ratio(data.a0),
            own=own,
            same=own,
        )


def ratios_of_rows(
    kernel: Kernel, layer: Layer, data: Data, n: np.ndarray, weight: float | np.ndarray = 0.0
) -> WeightRatios:
    """The weight ratios of any kernel, by its weights in exact rows."""
    sizes = np.asarray(n).tolist()
    types_d0, types_d1 = token_types(layer, data, sizes, weight)
    weights_d0 = _weights_above_zero(types_d0, kernel)
    weights_d1 = _weights_above_zero(types_d1, kernel)
    special_row = weights_d1[:, 0]
    ordinary_row = weights_d1[:, -1]
    if layer == CROSS:
        own = np.ones(len(ordinary_row))
    else:
        own = ordinary_row[:, OWN] / ordinary_row[:, REST]
    return WeightRatios(
        log_d1=_largest_log_ratio(weights_d1, layer),
        log_d0=_largest_log_ratio(weights_d0, layer),
        own=own,
        same=special_row[:, SAME] / special_row[:, REST],
        ordinary=ordinary_row[:, SPECIAL] / ordinary_row[:, REST],
    )


def _weights_above_zero(types: TokenTypes, kernel: Kernel) -> np.ndarray:
    """The weights (P, R, 4) of a query of each type on a key of each type, where 0 is
    SMALLEST_WEIGHT."""
    return np.maximum(distinct_rows(types, kernel).weights, SMALLEST_WEIGHT)


def _largest_log_ratio(weights: np.ndarray, layer: Layer) -> np.ndarray:
    """log R, (P,), from weights (P, R, 4): by the special row, and with X all ones by the row where
    R is largest."""
    rows = weights if layer == SELF_ONES else weights[:, :1]
    return np.log(rows[..., SPECIAL] / rows[..., REST]).max(axis=1)


class Mixture:
    """The law in one layer at given data. Levels are numbered by J = 0 ... K, the pluses in Sigma.

    Attributes
    ----------
    alpha, beta, last : sizes of a value's first coordinate, of its class's and of the last one
    sums : (K + 1,) Sigma
    chances : (K + 1,) that a column is at level J on D0
    above : (K + 1,) p, the chance that a column is above level J on D0
    states : (2 K + 2,) chances that y_1 and y_d are plus, for each Sigma with y_k3 = +, then with -
    """

    def __init__(self, layer: Layer, data: Data):
        classes = data.classes
        is_cross = layer == CROSS
        self.layer = layer
        self.data = data
        self.classes = classes
        self.alpha = 1.0 if is_cross else data.a1
        self.beta = 1.0 if is_cross else data.b
        self.last = 0.0 if is_cross else data.c
        pluses = np.arange(classes + 1)
        self.sums = 2.0 * pluses - classes
        # A last coordinate has to be plus.
        bits = 1 if is_cross else 2
        coins = binomial_half_pmf(classes)
        self.chances = coins / bits
        self.above = (np.cumsum(coins[::-1])[::-1] - coins) / bits
        with_first = coins / (2 * bits)
        share_of_plus = pluses / classes
        marked_plus = with_first * share_of_plus
        marked_minus = with_first * (1 - share_of_plus)
        self.states = np.concatenate([marked_plus, marked_minus])

    def applies(self) -> bool:
        """Whether the data meet the conditions of all laws of P and of n, which docs/kernels.md
        lists."""
        data = self.data
        rows = row_sigmas(self.layer, data, data.a1)
        largest_gain = max(row.special - max(row.own, row.rest) for row in rows)
        if self.classes < LEAST_CLASSES or largest_gain < 1 - THRESHOLD_ROUNDING:
            return False
        if self.layer == CROSS:
            return True
        if data.b >= data.c or 2 * data.b > data.a1:
            return False
        # Thresholds that D1's special row may pass with a minus in the last coordinate: D0 passes
        # them so often that none of them is the best.
        low = self.levels(1.0) <= data.a1 + data.b - 2 * data.c
        m = data.m(2 * self.classes)
        none_above = (1 - self.above[low]) ** m
        return bool((none_above < largest_probability(m)).all())

    def probabilities(
        self, share: np.ndarray, rho: np.ndarray, m: np.ndarray, ordered: np.ndarray | bool = True
    ) -> np.ndarray:
        """P at the best level J, (P,), for the share f of the special token, rho and m of each
        point, and whether states of one level are in order. At f = 0 it is the limit."""
        best = np.zeros(len(share))
        ordered = np.broadcast_to(ordered, share.shape)
        step = max(MOST_MIXED_NUMBERS // (2 * (self.classes + 1) ** 2), 1)
        for start in range(0, len(share), step):
            part = slice(start, start + step)
            fires = self.firing_chances(share[part], rho[part], ordered[part])
            by_level = separation_probability(self.above, fires, m[part, None])
            best[part] = by_level.max(axis=1, initial=0.0)
        return best

    def probability(self, share: float, rho: float, m: int) -> float:
        """P at the best level J for one share f of the special token, rho and m."""
        shares = np.array([share])
        return float(self.probabilities(shares, np.array([rho]), np.array([m]))[0])

    def floor(self, m: int) -> float:
        """P as the special token's share f goes to 0: that of every kernel whose weight ratio is
        bounded, and larger on D1."""
        return self.probability(0.0, 1.0, m)

    def of_uniform(self, m: int) -> float:
        """P of uniform weights 1/n. Of a1 only the order within a level is left; in
        cross-attention, where no value has a1, nothing is."""
        return 0.0 if self.layer == CROSS else self.floor(m)

    def of_whole_levels(self, m: int) -> float:
        """P where all states of the threshold's level fire on D1: the most that the floor can
        become by shifts of levels that are less than a step, but not of order 1 / n."""
        return float(separation_probability(self.above, self.chances, m).max())

    def levels(self, rho: float | np.ndarray) -> np.ndarray:
        """The K + 1 levels of ordinary rows, (..., K + 1), for each rho, (...)."""
        rho = np.asarray(rho)[..., None]
        return self.beta * (self.sums + rho - 1) / (self.classes - 1 + rho)

    def firing_chances(
        self, share: float | np.ndarray, rho: float | np.ndarray, ordered: np.ndarray | bool = True
    ) -> np.ndarray:
        """The chance q that a column fires on D1 and not on D0, for each level J of the threshold,
        (..., J); 0 where J is no threshold above 0."""
        least_shares = self._least_shares(rho, ordered)
        is_lifted = least_shares <= np.asarray(share)[..., None, None]
        chances = is_lifted @ self.states
        return np.where(self.is_threshold(self.levels(rho)), chances, 0.0)

    def is_threshold(self, levels: np.ndarray) -> np.ndarray:
        """Whether thresholds just above levels are above 0."""
        return levels + self.last > -THRESHOLD_ROUNDING

    def _least_shares(
        self, rho: float | np.ndarray, ordered: np.ndarray | bool = True
    ) -> np.ndarray:
        """The least share f with which a column of level S fires on D1 over a threshold just
        above level J, (..., J, 2 S), for y_k3 plus and minus; inf where it never does, or S is
        above J."""
        alpha = self.alpha
        beta = self.beta
        sums = self.sums
        threshold = sums[:, None]
        rho = np.asarray(rho)[..., None, None]
        spread = self.classes - 1 + rho
        level = beta * (sums + rho - 1) / spread
        lower = beta * (sums - rho + 1) / spread
        missing = beta * (threshold - sums) / spread
        plus = _ratio_or_inf(missing, alpha + beta - level)
        minus = _ratio_or_inf(missing + 2 * beta * (rho - 1) / spread, alpha - beta - lower)
        if self.last > 0:  # Ordinary rows of D1, too, see a1 at their own level.
            fires = (sums == threshold) & np.asarray(ordered)[..., None, None]
            minus = np.where(fires, 0.0, minus)
        shares = np.concatenate([plus, minus], axis=-1)
        is_above = np.tile(sums > threshold, 2)
        return np.where(is_above, np.inf, shares)


def largest_probability(m: float) -> float:
    """P at f = 1, that of exp: the probability that some column has pluses wherever the special
    token is seen."""
    return 1 - 0.75**m


def separation_probability(above: np.ndarray, fires: np.ndarray, m: int | np.ndarray) -> np.ndarray:
    """The probability (1 - p)^m - (1 - p - q)^m that no column fires on D0 and some column fires on
    D1."""
    return (1 - above) ** m - (1 - above - fires) ** m


def _ratio_or_inf(above: np.ndarray, below: np.ndarray) -> np.ndarray:
    """The ratio of two numbers, 0 where the first is negative; inf where the second is not above
    0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(below > 0, np.maximum(above, 0.0) / below, np.inf)
