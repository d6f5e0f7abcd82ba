"""The mixture law: a separating row is an ordinary row in which one token is louder.

An ordinary row averages all classes, its own one rho times as loud. Of a sign column whose K class
signs sum to Sigma it makes the level b (Sigma + rho - 1) / (K - 1 + rho), the largest over rows: on
D0 the scores are these levels, in steps, and c y_d adds to all of them alike. On D1 the special row
gives its own token the share f, so its score is f (a1 y_1 + b y_k3) + (1 - f) level. With the
threshold just above level J, a column fires on D0 above J, and on D1 also where the special token
lifts a lower level over J. In cross-attention both sizes are 1 and there is no last coordinate.

Left out are shifts of order 1 / n, which order the states of one level: where y_1 is plus, D1's are
the higher ones in self-attention, and in cross-attention those where y_k3 is plus as well.
"""

import math

import numpy as np

from attention_separation.attention.sign_columns import heads
from attention_separation.datasets.dataset import Data

from ..exact.layers import Layer
from .loudness import CROSS, sigmas

ROUNDING = 1e-12
"""A threshold that is 0 but for rounding is 0."""

MOST_NUMBERS = 1 << 18
"""Shares of levels and states worked on at once."""

LEAST_CLASSES = 6
"""With fewer the floor itself may be half of exp's P."""

CONDITION = (
    f"K is at least {LEAST_CLASSES}. exp itself separates at every n: a1 >= 1, with X all ones "
    "a1 (a1 + b + c) >= 1. In self-attention b < c, so that the levels of y_d = + and - lie apart. "
    "There 2 b <= a1 as well, so that the special token alone lifts a column over every level. "
    "What it lifts with y_d = - is below the threshold, a1 + b - c < c + level, or columns of D0 "
    "are above that level too often, with p each: (1 - p)^m < 1 - (3/4)^m."
)
"""When the mixture is what it is derived for."""


def law_holds(layer: Layer, data: Data) -> bool:
    """Whether data meet `CONDITION`."""
    gains = [row.special - max(row.own, row.rest) for row in sigmas(layer, data, data.a1)]
    if data.classes < LEAST_CLASSES or max(gains) < 1 - ROUNDING:
        return False
    if layer.model == CROSS:
        return True
    m, levels = data.m(2 * data.classes), _levels(1.0, _sizes(layer, data), data.classes)
    low = levels <= data.a1 + data.b - 2 * data.c
    often = (1 - _above(layer, data)[low]) ** m < largest_probability(m)
    return bool(data.b < data.c and 2 * data.b <= data.a1 and often.all())


def largest_probability(m: float) -> float:
    """P at f = 1, that of exp: some column has pluses wherever the special token is seen."""
    return 1 - 0.75**m


def probabilities(
    share: np.ndarray, rho: np.ndarray, m: np.ndarray, layer: Layer, data: Data,
    ordered: np.ndarray | bool = True,
) -> np.ndarray:  # fmt: skip
    """P at the best level J, a staircase in the special token's share f, with rho and m of each,
    and whether states of one level are in order, (P,); at f = 0 its limit."""
    above, found = _above(layer, data), np.zeros(len(share))
    ordered = np.broadcast_to(ordered, share.shape)
    step = max(MOST_NUMBERS // (2 * (data.classes + 1) ** 2), 1)
    for start in range(0, len(share), step):
        part = slice(start, start + step)
        fired = _fired(share[part], rho[part], layer, data, ordered[part])
        found[part] = _chance(above, fired, m[part, None]).max(axis=1, initial=0.0)
    return found


def probability(share: float, rho: float, m: int, layer: Layer, data: Data) -> float:
    """The same of one."""
    return float(probabilities(*map(np.atleast_1d, (share, rho, m)), layer, data)[0])


def control(m: int, layer: Layer, data: Data) -> float:
    """P without attention, weights 1/n: only the order within a level is left of a1, and nothing
    in cross-attention, where no value has a1."""
    return 0.0 if layer.model == CROSS else floor(m, layer, data)


def floor(m: int, layer: Layer, data: Data) -> float:
    """P as f -> 0, of every kernel whose special token is but a little louder on D1."""
    return probability(0.0, 1.0, m, layer, data)


def of_whole_levels(m: int, layer: Layer, data: Data) -> float:
    """P where all states of the threshold's level fire on D1: the most that shifts of levels can
    make of the floor which are less than a step, and not of order 1 / n."""
    return float(_chance(_above(layer, data), heads(data.classes) / _bits(layer), m).max())


def leaves_floor(
    on_d1: np.ndarray, on_d0: np.ndarray, rho: np.ndarray, m: np.ndarray, layer: Layer, data: Data
) -> np.ndarray:
    """Whether P is above that of uniform attention in self-attention, where the special token has
    the shares f on D1 and f_0 on D0, (P,). There shifts of order 1 / n order the states of one
    level, and that is all, unless D1's special token lifts a lower level over the threshold, J and
    what D0's adds to it."""
    alpha, beta, _ = sizes = _sizes(layer, data)
    levels, above = _levels(rho, sizes, data.classes), _above(layer, data)
    threshold = levels + on_d0[:, None] * (data.a0 + beta - levels)
    lifted = levels + on_d1[:, None] * (alpha + beta - levels)
    plus, minus = np.split(_weights(layer, data.classes), 2)
    over = np.tril(lifted[:, None, :] > threshold[:, :, None], -1) @ plus

    def best(fired: np.ndarray) -> np.ndarray:
        return _chance(above, fired, m[:, None]).max(axis=1)

    return best(over + plus + minus) > best(plus + minus) * (1 + ROUNDING)


def widest_gap(
    on_d1: float, on_d0: float, rho: float, n: float, layer: Layer, data: Data
) -> tuple[float, float]:
    """The largest 2 eps at half of the best P, in units of s, with R, R_0 and rho: between what
    D0's special row makes of the threshold's level J and what D1's makes of the states up to it,
    the highest ones of which are enough. Then what it is at most if half may be left without the
    columns in which D0's special token moves that level up."""
    (alpha, beta, last), m = _sizes(layer, data), data.m(n)
    levels, above = _levels(rho, (alpha, beta, last), data.classes), _above(layer, data)
    others = n * (data.classes - 1 + rho) / data.classes - rho

    def lifted(of: np.ndarray, special: float, sign: int, heard: float) -> np.ndarray:
        gain = heard * (special + sign * beta - of) - rho * (sign * beta - of)
        return of + gain / (heard + others)

    fired = _fired(on_d1 / (on_d1 + others), rho, layer, data)
    half = np.max(_chance(above, fired, m)) / 2
    # With a minus its own class takes from the special row what it gives with a plus.
    minus = levels - 2 * beta * (rho - 1) / (data.classes - 1 + rho)
    of_d1 = np.append(lifted(levels, alpha, 1, on_d1), lifted(minus, alpha, -1, on_d1))
    size = 1.0 if layer.model == CROSS else data.a0
    of_d0, lowest = (lifted(levels, k * size, k, on_d0)[:, None] for k in (1, -1))
    order, states = np.argsort(-of_d1), np.tile(_sums(data.classes), 2)
    weights = _weights(layer, data.classes)
    fired = np.where(states <= _sums(data.classes)[:, None], weights, 0.0)[:, order].cumsum(axis=1)
    # Columns that D0's special token lifts, of which D1's lifts those with both marks plus.
    lost = weights[: data.classes + 1, None]
    common = lost * np.maximum(np.arange(data.classes + 1) - 1, 0)[:, None] / (data.classes - 1)
    fits = (levels + last > -ROUNDING)[:, None]
    enough = fits & (_chance(above[:, None], fired, m) >= half)
    more = fits & (_chance(above[:, None] + lost, fired - common, m) >= half)
    gap = (of_d1[order] - of_d0)[enough].max(initial=-math.inf)
    wide = (of_d1[order] - lowest)[more].max(initial=gap)
    return float(gap), float(wide)


def _sizes(layer: Layer, data: Data) -> tuple[float, float]:
    """alpha, beta and the last coordinate: sizes of the values."""
    return (1.0, 1.0, 0.0) if layer.model == CROSS else (data.a1, data.b, data.c)


def _sums(classes: int) -> np.ndarray:
    return 2.0 * np.arange(classes + 1) - classes


def _levels(rho: float | np.ndarray, sizes: tuple[float, float, float], classes: int) -> np.ndarray:
    """(..., K + 1) of rho, (...)."""
    rho = np.asarray(rho)[..., None]
    return sizes[1] * (_sums(classes) + rho - 1) / (classes - 1 + rho)


def _bits(layer: Layer) -> int:
    """E: 2 where a last coordinate has to be plus."""
    return 1 if layer.model == CROSS else 2


def _above(layer: Layer, data: Data) -> np.ndarray:
    """p: the chance that a column is above level J on D0, for each J."""
    coins = heads(data.classes)
    return (np.cumsum(coins[::-1])[::-1] - coins) / _bits(layer)


def _fired(
    share: float | np.ndarray, rho: float | np.ndarray, layer: Layer, data: Data,
    ordered: np.ndarray | bool = True,
) -> np.ndarray:  # fmt: skip
    """q: the chance that a column fires on D1 and not on D0, (..., J); 0 where J is no threshold
    above 0."""
    sizes = _sizes(layer, data)
    least = _least_shares(rho, sizes, data.classes, ordered)
    fired = (least <= np.asarray(share)[..., None, None]) @ _weights(layer, data.classes)
    levels = _levels(rho, sizes, data.classes)
    return np.where(levels + sizes[2] > -ROUNDING, fired, 0.0)


def _weights(layer: Layer, classes: int) -> np.ndarray:
    """Chances that y_1 (and y_d) is plus with y_k3 plus at each Sigma, then with y_k3 minus."""
    plus = np.arange(classes + 1) / classes
    coins = heads(classes) / (2 * _bits(layer))
    return np.concatenate([coins * plus, coins * (1 - plus)])


def _least_shares(
    rho: float | np.ndarray, sizes: tuple[float, float, float], classes: int,
    ordered: np.ndarray | bool = True,
) -> np.ndarray:  # fmt: skip
    """The share above which a column of level S fires on D1 over a threshold just above level J,
    (..., J, 2 S) for y_k3 plus and minus; inf where it never does, or S is above J."""
    alpha, beta, last = sizes
    rho, sums = np.asarray(rho)[..., None, None], _sums(classes)
    over = sums[:, None]
    spread = classes - 1 + rho
    level = beta * (sums + rho - 1) / spread
    lower = beta * (sums - rho + 1) / spread
    missing = beta * (over - sums) / spread
    plus = _ratio(missing, alpha + beta - level)
    minus = _ratio(missing + 2 * beta * (rho - 1) / spread, alpha - beta - lower)
    if last > 0:  # Ordinary rows of D1, too, see a1 at their own level.
        minus = np.where((sums == over) & np.asarray(ordered)[..., None, None], 0.0, minus)
    never = sums > over
    return np.concatenate([np.where(never, np.inf, part) for part in (plus, minus)], axis=-1)


def _ratio(above: np.ndarray, below: np.ndarray) -> np.ndarray:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(below > 0, np.maximum(above, 0.0) / below, np.inf)


def _chance(above: np.ndarray, fired: np.ndarray, m: int) -> np.ndarray:
    """(1 - p)^m - (1 - p - q)^m."""
    return (1 - above) ** m - (1 - above - fired) ** m
