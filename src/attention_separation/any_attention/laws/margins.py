"""Laws of the margin, and of the least weight g on the special token's coordinate."""

from collections.abc import Iterator

from attention_separation.any_attention.exact.layers import LAYERS, Layer
from attention_separation.any_attention.exact.limits import least_weights
from attention_separation.any_attention.exact.values import best_probabilities, separate
from attention_separation.any_attention.laws import judged, predictions
from attention_separation.any_attention.laws.judged import ELU, LINEAR, POWERS, stacked
from attention_separation.any_attention.laws.mixture import law_holds
from attention_separation.any_attention.laws.verdicts import Claim, Law
from attention_separation.attention.kernels import KERNELS, Kernel
from attention_separation.datasets.data import Data

OF_MARGINS = 1e-5
OF_WEIGHTS, OF_ELU = 0.005, 0.01
STEADY = 0.1
"""How far the ratio of two margins of exp is from 1."""


def _margins_of(kernel: Kernel, layer: Layer, data: Data, sizes: list[int]) -> list[float]:
    """The largest 2 eps at which half of a kernel's own P is left, NaN where not resolved."""
    of_exp = best_probabilities(KERNELS["exp"], layer, data, sizes)
    found = separate(kernel, layer, data, sizes, of_exp)
    return [
        float(margin) if resolved else float("nan")
        for margin, resolved in zip(found.margin, found.resolved, strict=True)
    ]


def _margins(data: Data) -> Iterator[Claim]:
    (n,) = stacked(data, 10**8)
    for layer in LAYERS:
        for kernel, family in (LINEAR, POWERS[2], POWERS[4]):
            (found,) = _margins_of(kernel, layer, data, [n])
            yield Claim(
                kernel.name, layer, "n x 2 eps", predictions.margin(family, layer, data, n),
                n * found, OF_MARGINS, n, law_holds(layer, data),
            )  # fmt: skip


def _margins_of_exp(data: Data) -> Iterator[Claim]:
    sizes = stacked(data, 10**6, 10**9)
    for layer in LAYERS:
        early, late = _margins_of(KERNELS["exp"], layer, data, sizes)
        holds = law_holds(layer, data)
        yield Claim(
            "exp", layer, "2 eps over that at 10^6", 1.0, late / early, STEADY, sizes[1], holds
        )


def _weights(data: Data) -> Iterator[Claim]:
    for layer in judged.IDENTITY:
        usual = judged.usual_softmax(layer, data)
        for kernel, family in (LINEAR, POWERS[2], POWERS[4], ELU, usual):
            for n in stacked(data, 2000, 200_000):
                yield Claim(
                    kernel.name, layer, "g",
                    predictions.least_weight(family, layer, data, n),
                    float(least_weights(kernel, layer, data, [n])[0]),
                    OF_ELU if family is ELU[1] else OF_WEIGHTS,
                    n, law_holds(layer, data),
                )  # fmt: skip


MARGIN_LAWS = (
    Law(
        "margin",
        "Where R is bounded, at n = 10^8: n times the largest 2 eps at half of the "
        "kernel's own P is K / (K - 1 + rho) (a1 R - a0 R_0 + (R - R_0) (b - level)), and (R - R_0)"
        " (2 - level) in cross-attention, with random signs, V = I, X = I or all ones, in units of "
        "sqrt(log n).",
        OF_MARGINS,
        "With another X a margin need not fall with n at all; and R has to be far below n.",
        _margins,
    ),
    Law(
        "margin of exp",
        "The margin of exp does not shrink with n: its share of the special token is nearly 1, "
        "with random signs, V = I and X = I or all ones.",
        STEADY,
        "It follows the level J, which jumps as m grows.",
        _margins_of_exp,
    ),
    Law(
        "weight budget",
        "With X = I + g e_1 e_1^T a kernel separates from the g on that solves n = C R(g), "
        "at n = 2,000 and 200,000, with random signs and V = I.",
        OF_WEIGHTS,
        "elu + 1 in self-attention, whose special row tells classes apart otherwise than ordinary "
        "rows: 1 % at 20 classes, 3 % at 7. In cross-attention 1 % at 40 classes: a threshold may "
        "then lie between what D0's special row lifts and what it does not.",
        _weights,
    ),
)
