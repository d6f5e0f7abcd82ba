"""Laws of P itself: the mixture's staircase, and its floor, the P of uniform attention."""

from collections.abc import Callable, Iterator

import numpy as np

from attention_separation.attention.kernel import Kernel
from attention_separation.attention.kernels import KERNELS
from attention_separation.datasets.dataset import Data

from ..exact.layers import LAYERS, Layer
from ..exact.limits import as_none_from
from . import predictions, test_cases
from .loudness import CROSS
from .mixture import control, floor, law_holds
from .predictions import IS_TEST, OF_LAST, SAME_AT_ENDS, above_none, keeps_order, shifted
from .test_cases import measured_probabilities, stacked
from .verdicts import IDENTITY, NUMBER, Law, Prediction, between

EQUAL = 1e-12
"""Probabilities closer than this, relative, are the same."""

SAME_P = "None: P is the same to 12 digits."

MIDDLE = (2000, 20_000, 10**6)

AS_NONE = (
    "linear", "power_2", "taylor_1", "taylor_2", "elu_plus_one", "relu_features",
    "relu2_features", "exp_features", "focused_3", "efficient", "one_plus_cosine", "softplus",
    "sigmoid_log_n",
)  # fmt: skip
SCORES = ("linear", "power_2", "power_3", "taylor_1", "taylor_2", "softplus", "sigmoid_log_n")


def _none(data: Data) -> Iterator[Prediction]:
    for layer in LAYERS:
        kind = IDENTITY if layer.model == CROSS else NUMBER
        sizes = stacked(data, *MIDDLE)
        holds = [law_holds(layer, data)] * len(sizes)
        yield from _probabilities(KERNELS["uniform"], layer, data, control, holds, kind)


def _as_none(data: Data) -> Iterator[Prediction]:
    sizes = np.array(stacked(data, *MIDDLE))
    for layer in test_cases.SELF:
        for kernel, family in map(test_cases.by_rows, AS_NONE):
            holds = ~above_none(shifted(family, 1), layer, data, sizes) & law_holds(layer, data)
            holds &= keeps_order(family(layer, data, sizes, 0.0), layer, data)
            yield from _probabilities(kernel, layer, data, control, holds.tolist())


def _from_when(data: Data) -> Iterator[Prediction]:
    pairs = [test_cases.LINEAR, *(test_cases.POWERS[p] for p in (2, 3, 4, 8))]
    pairs += [test_cases.TAYLORS[2], test_cases.TAYLORS[4], test_cases.EXPONENTIALS[4.0]]
    for layer in test_cases.SELF:
        for kernel, family in pairs:
            low, predicted, high = (
                predictions.as_none_from(shifted(family, sign), layer, data) for sign in (-1, 0, 1)
            )
            yield between(
                kernel.name, layer, "equal to uniform from n", predicted, (low, high),
                as_none_from(kernel, layer, data), None, law_holds(layer, data), data.classes,
            )  # fmt: skip


def _cross_floor(data: Data) -> Iterator[Prediction]:
    sizes = np.array(stacked(data, *MIDDLE))
    for layer in test_cases.CROSS:
        of_floor = [floor(data.m(n), layer, data) for n in sizes.tolist()]
        for kernel, family in map(test_cases.by_rows, SCORES):
            most = predictions.best_probability(shifted(family, 1), layer, data, sizes)
            holds = (most == of_floor) & law_holds(layer, data)
            yield from _probabilities(kernel, layer, data, floor, holds.tolist())


def _probabilities(
    kernel: Kernel, layer: Layer, data: Data, law: Callable[[int, Layer, Data], float],
    holds: list[bool], kind: str = IDENTITY,
) -> Iterator[Prediction]:  # fmt: skip
    sizes = stacked(data, *MIDDLE)
    found = measured_probabilities(kernel, layer, data, sizes)
    for n, measured, met in zip(sizes, found, holds, strict=True):
        predicted = law(data.m(n), layer, data)
        yield Prediction(kernel.name, layer, "P", predicted, measured, EQUAL, n, met, kind)


def _staircase(data: Data) -> Iterator[Prediction]:
    sizes = stacked(data, *MIDDLE[1:])
    pairs = [test_cases.POWERS[p] for p in (4, 6, 8)] + [test_cases.TAYLORS[8]]
    for layer in LAYERS:
        for kernel, family in (*pairs, *test_cases.EXPONENTIALS.values()):
            found = measured_probabilities(kernel, layer, data, sizes)
            each = (
                predictions.best_probability(shifted(family, k), layer, data, np.array(sizes))
                for k in (-1, 0, 1)
            )
            for n, measured, low, predicted, high in zip(
                sizes, found, *map(list, each), strict=True
            ):
                holds = law_holds(layer, data) and low == predicted == high
                yield Prediction(kernel.name, layer, "P", predicted, measured, EQUAL, n, holds)


FLOORS = (
    Law(
        "mixture",
        "A kernel's best P is that of uniform rows in which one token has the share f = R / "
        "(R + n (K - 1 + rho) / K), a staircase in f, at n from 20,000.",
        SAME_AT_ENDS,
        SAME_P,
        _staircase,
    ),
    Law(
        "uniform attention",
        "Weights 1/n have the floor in self-attention and P = 0 in cross-attention.",
        "None.",
        SAME_P,
        _none,
    ),
    Law(
        "equal to uniform",
        "The kernels named here have exactly the P of uniform attention in self-attention, at n "
        "= 2,000, 20,000 and 10^6.",
        SAME_AT_ENDS,
        SAME_P,
        _as_none,
    ),
    Law(
        "equal to uniform from n on",
        "A function of scores has more than the P of uniform attention in self-attention up to the "
        "n at which D1's special token, a1 + b, lifts a level of the class signs over the next "
        "one, about n = K / (2 b) (R (a1 + b - level) - R_0 (a0 + b - level)), and exactly that P "
        "beyond.",
        IS_TEST,
        OF_LAST,
        _from_when,
    ),
    Law(
        "cross floor",
        "The functions of scores named here, louder on D1 by a bounded factor, have the cross "
        "floor in cross-attention, at n = 2,000, 20,000 and 10^6.",
        SAME_AT_ENDS,
        SAME_P,
        _cross_floor,
    ),
)
