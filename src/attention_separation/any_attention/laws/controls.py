"""Laws of P itself: the mixture's staircase, and its floor, the P of no attention."""

from collections.abc import Callable, Iterator

from attention_separation.any_attention.exact.layers import LAYERS, Layer
from attention_separation.any_attention.exact.limits import as_none_from
from attention_separation.any_attention.laws import judged, predictions
from attention_separation.any_attention.laws.judged import PLACES, measured_probabilities, stacked
from attention_separation.any_attention.laws.mixture import control, floor, law_holds
from attention_separation.any_attention.laws.verdicts import NUMBER, STATEMENT, Claim, Law
from attention_separation.attention.kernels import KERNELS
from attention_separation.datasets.data import Data

EQUAL = 1e-12
"""Probabilities closer than this, relative, are the same."""

OF_LAST, LARGE = 0.005, 2000
"""Tolerance of a largest n, relative, from the second on."""

MIDDLE = (2000, 20_000, 10**6)

AS_NONE = (
    "linear", "power_2", "taylor_1", "taylor_2", "elu_plus_one", "relu_features",
    "relu2_features", "exp_features", "focused_3", "efficient", "one_plus_cosine", "softplus",
    "sigmoid_log_n",
)  # fmt: skip
SCORES = ("linear", "power_2", "power_3", "taylor_1", "taylor_2", "softplus", "sigmoid_log_n")


def _none(data: Data) -> Iterator[Claim]:
    for layer in LAYERS:
        kind = STATEMENT if layer.model == "cross_attention" else NUMBER
        yield from _probabilities("none", layer, data, control, kind)


def _as_none(data: Data) -> Iterator[Claim]:
    for layer in judged.SELF:
        for name in AS_NONE:
            yield from _probabilities(name, layer, data, control, STATEMENT)


def _from_when(data: Data) -> Iterator[Claim]:
    pairs = [judged.LINEAR, *(judged.POWERS[p] for p in (2, 3, 4, 8))]
    pairs += [judged.TAYLORS[2], judged.TAYLORS[4], judged.EXPONENTIALS[4.0]]
    for layer in judged.SELF:
        for kernel, family in pairs:
            predicted = predictions.as_none_from(family, layer, data)
            measured = as_none_from(kernel, layer, data)
            large = predicted >= LARGE
            yield Claim(
                kernel.name, layer, "as none from n", predicted, measured,
                OF_LAST if large else 2.0 * data.classes, None, law_holds(layer, data),
                absolute=not large,
            )  # fmt: skip


def _cross_floor(data: Data) -> Iterator[Claim]:
    for layer in judged.CROSS:
        for name in SCORES:
            yield from _probabilities(name, layer, data, floor, STATEMENT)


def _probabilities(
    name: str, layer: Layer, data: Data, law: Callable[[int, Layer, Data], float], kind: str
) -> Iterator[Claim]:
    sizes = stacked(data, *MIDDLE)
    found = measured_probabilities(KERNELS[name], layer, data, sizes)
    for n, measured in zip(sizes, found, strict=True):
        predicted = law(data.m(n), layer, data)
        holds = law_holds(layer, data)
        yield Claim(name, layer, "P", predicted, measured, EQUAL, n, holds, kind)


def _staircase(data: Data) -> Iterator[Claim]:
    sizes = stacked(data, *MIDDLE[1:])
    pairs = [judged.POWERS[p] for p in (4, 6, 8)] + [judged.TAYLORS[8]]
    for layer in LAYERS:
        for kernel, family in (*pairs, *judged.EXPONENTIALS.values()):
            found = measured_probabilities(kernel, layer, data, sizes)
            for n, measured in zip(sizes, found, strict=True):
                predicted = predictions.best_probability(family, layer, data, n)
                holds = law_holds(layer, data)
                yield Claim(kernel.name, layer, "P", predicted, measured, EQUAL, n, holds)


FLOORS = (
    Law(
        "mixture",
        "A kernel's best P is that of rows of no attention in which one token has the share f = R "
        f"/ (R + n (K - 1 + rho) / K), a staircase in f: {PLACES}, at n from 20,000.",
        EQUAL,
        "Below, shifts of order 1/n move a step; and where f is at a step P is on either side.",
        _staircase,
    ),
    Law(
        "no attention",
        f"Weights 1/n have the floor in self-attention and P = 0 in cross-attention: {PLACES}.",
        EQUAL,
        "Where levels of the class signs interleave with the last coordinate's.",
        _none,
    ),
    Law(
        "as good as none",
        "The kernels named here have exactly the P of no attention in self-attention: "
        f"{PLACES}, at n = 2,000, 20,000 and 10^6.",
        EQUAL,
        "Powers and Taylor sums of higher degree have it from a larger n on: x^8 with X = I not at "
        "20,000. Not e^(10 cos) and the Hedgehogs with X = I, which shift levels by order 1. With "
        "more classes n has to be larger, from 40 on above 2,000.",
        _as_none,
    ),
    Law(
        "as none from n on",
        "A function of scores has more than the P of no attention in self-attention up to the n at "
        "which D1's special token, a1 + b, lifts a level of the class signs over the next one, "
        "about n = K / (2 b) (R (a1 + b - level) - R_0 (a0 + b - level)), and exactly that P "
        f"beyond: {PLACES}.",
        OF_LAST,
        "Below 2,000 the tolerance is two steps of K. Feature maps whose special row tells classes "
        "apart otherwise than ordinary rows are not covered.",
        _from_when,
    ),
    Law(
        "cross floor",
        "The functions of scores named here, louder on D1 by a bounded factor, have the cross "
        "floor in cross-attention: with random signs, V = X = I, at n = 2,000, 20,000 and 10^6.",
        EQUAL,
        "Powers of higher degree have it from a larger n on. Feature maps may differ from it: "
        "Hedgehog does at 10^6.",
        _cross_floor,
    ),
)
