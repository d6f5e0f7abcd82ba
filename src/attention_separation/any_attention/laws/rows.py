"""Laws of what is done to a row: all of it to one token, or no division by its sum."""

import math
from collections.abc import Iterator

import numpy as np

from attention_separation.attention.distinct_rows import SPECIAL
from attention_separation.attention.kernel import Kernel
from attention_separation.attention.kernels import KERNELS, entmax
from attention_separation.attention.threshold_curves import LARGEST_N
from attention_separation.datasets.dataset import Data

from ..exact.layers import LAYERS, Layer
from ..exact.limits import exp_probabilities, last_multiple
from ..exact.values import score_columns
from .controls import EQUAL, SAME_P
from .loudness import CROSS, LogWeight, loudness, power, sigmas, sigmoid
from .mixture import floor, largest_probability, law_holds
from .predictions import keeps_order
from .test_cases import measured_probabilities, stacked
from .verdicts import IDENTITY, Law, Prediction, statement

SIZES = (2000, 10**6, 10**12)
ENTMAXES = {
    1.25: KERNELS["entmax_125"],
    **{
        alpha: Kernel(f"entmax_{alpha:g}", "", "row", entmax(alpha)) for alpha in (1.1, 1.05)
    },
}  # fmt: skip
UNDIVIDED = (
    (KERNELS["linear_unnormalised"], power(1)),
    (KERNELS["sigmoid_unnormalised"], sigmoid(1.0)),
    (KERNELS["relu2_over_n"], power(2)),
)


def last_n_of_others(alpha: float, layer: Layer, data: Data) -> float:
    """The largest multiple of K at which alpha-entmax leaves a token beside the special one in its
    row of D1: their scores then differ by less than 1 / (alpha - 1). Infinite from 10^12 on."""
    row = sigmas(layer, data, data.a1)[0]
    by_log_n = (alpha - 1) * (row.special - max(row.own, row.rest))
    if by_log_n * math.log(LARGEST_N) <= 1:
        return math.inf
    return math.exp(1 / by_log_n) // data.classes * data.classes


def _entmaxes(data: Data) -> Iterator[Prediction]:
    for layer in LAYERS:
        for alpha, kernel in ENTMAXES.items():
            predicted = last_n_of_others(alpha, layer, data)
            measured = last_multiple(lambda n, of=(kernel, layer): _others(*of, data, n),
                                     data)  # fmt: skip
            if predicted == 0:
                some = not math.isnan(measured)
                yield statement(kernel.name, layer, "a share below 1 at some n", False, some)
            elif math.isinf(predicted):
                still = math.isinf(measured)
                yield statement(kernel.name, layer, "a share below 1 still", True, still)
            else:
                yield Prediction(
                    kernel.name, layer, "last n of a share below 1", predicted, measured, 0.0
                )


def _others(kernel: Kernel, layer: Layer, data: Data, n: np.ndarray) -> np.ndarray:
    """Whether other tokens than the special one have a weight in its row of D1, (P,). A share may
    round to 1 before they have none."""
    weights = score_columns(kernel, layer, data, n.tolist()).rows[1].weights[:, 0]
    return (np.delete(weights, SPECIAL, axis=1) > 0).any(axis=1)


def of_hardmax(m: int, layer: Layer, data: Data) -> float:
    """P where the special token has all of its row. In cross-attention it has that on D0 too: what
    is left are columns that see a plus in D1's marked class, and in another one of D0's not."""
    if layer.model != CROSS:
        return largest_probability(m)
    return (1 - 1 / data.classes) * (0.75**m - 0.625**m)


def _hardmax(data: Data) -> Iterator[Prediction]:
    sizes = stacked(data, *SIZES)
    for layer in LAYERS:
        # Without a0 all of D0's tokens tie in cross-attention.
        holds = law_holds(layer, data) and (data.a0 > 0 or layer.model != CROSS)
        measured = measured_probabilities(KERNELS["hardmax"], layer, data, sizes)
        of_exp = exp_probabilities(layer, data, tuple(sizes)).tolist()
        for n, found, exp in zip(sizes, measured, of_exp, strict=True):
            predicted = of_hardmax(data.m(n), layer, data)
            yield Prediction("hardmax", layer, "P", predicted, found, EQUAL, n, holds)
            separates, is_self = _above(found, exp / 2), layer.model != CROSS
            yield statement("hardmax", layer, "separates", is_self, separates, n, holds)


def _above(found: float, other: float) -> float:
    """Whether the one is above the other, NaN where it is not resolved."""
    return math.nan if math.isnan(found - other) else float(found > other)


def _undivided(data: Data) -> Iterator[Prediction]:
    sizes = stacked(data, *SIZES)
    for layer in LAYERS:
        of_exp = exp_probabilities(layer, data, tuple(sizes)).tolist()
        for kernel, log_weight in UNDIVIDED:
            measured = measured_probabilities(kernel, layer, data, sizes)
            each = is_carried(log_weight, layer, data, np.array(sizes)).tolist()
            for n, found, exp, holds in zip(sizes, measured, of_exp, each, strict=True):
                yield from _of_undivided(kernel.name, layer, data, n, found, exp, holds)


def is_carried(log_weight: LogWeight, layer: Layer, data: Data, sizes: np.ndarray) -> np.ndarray:
    """Whether the condition of "not divided" is met at numbers of tokens, (P,)."""
    log_n, met = np.log(sizes), law_holds(layer, data)
    if layer.attention_x == "ones":
        of_d1, of_d0 = (
            np.max([log_weight(np.full(len(sizes), row.rest), log_n) for row in rows], axis=0)
            for rows in (sigmas(layer, data, data.a1), sigmas(layer, data, data.a0))
        )
        met = met and data.c > data.b
        return met & ((data.c - data.b) * np.exp(of_d1 - of_d0) > data.c + data.b)
    found, value = loudness(log_weight, layer, data, sizes), data.b + data.c
    heard = data.classes * np.exp(found.on_d1)
    if layer.model == CROSS:
        return met & (heard < sizes)
    met = met and data.a1 >= value
    few = heard * (data.a1 + value) < 2 * data.b * sizes
    return met & few & keeps_order(found, layer, data, data.c)


def _of_undivided(
    name: str, layer: Layer, data: Data, n: int, found: float, exp: float, holds: bool
) -> Iterator[Prediction]:
    m = data.m(n)
    if layer.attention_x == "ones":
        yield Prediction(name, layer, "P", 1 - 2.0**-m, found, EQUAL, n, holds)
        yield statement(name, layer, "P is above that of exp", True, _above(found, exp), n, holds)
    else:
        yield Prediction(name, layer, "P", floor(m, layer, data), found, EQUAL, n, holds, IDENTITY)


ROW_LAWS = (
    Law(
        "all to one token",
        "alpha-entmax gives the special token all of its row on D1 from the n on at which its "
        "score is 1 / (alpha - 1) above the next one, (sigma* - sigma) log n. Long before, at a "
        "share above 1 - 1e-15, float64 has a share of 1.",
        "None: it is so at all data.",
        "None: the same multiple of K.",
        _entmaxes,
    ),
    Law(
        "hardmax",
        "Hardmax has P = 1 - (3/4)^m in self-attention, and in cross-attention, where D0's special "
        "token has all of its row as well, (1 - 1/K) ((3/4)^m - (5/8)^m), at n = 2,000, 10^6 and "
        "10^12.",
        "In cross-attention a0 > 0: with a0 = 0 all of D0's tokens tie.",
        SAME_P,
        _hardmax,
    ),
    Law(
        "not divided",
        f"{', '.join(kernel.name for kernel, _ in UNDIVIDED)}, not divided by the row's sum: P = "
        "1 - 2^-m, above exp's, with X all ones, where the special row's sum is the larger one and "
        "the last coordinate carries it; the floor, as if they were divided, with X = I: at n = "
        "2,000, 10^6 and 10^12.",
        "With X all ones the largest sum of D1's rows is more than (c + b) / (c - b) times that of "
        "D0's. With X = I R lifts no level over the next one, 2 b n > K R (a1 + b + c), in cross-"
        "attention n > K R; and states of one level keep their order, a1 >= b + c and a1 > (a0 + b "
        "+ c) R_0 - (b + c) rho.",
        SAME_P,
        _undivided,
    ),
)
