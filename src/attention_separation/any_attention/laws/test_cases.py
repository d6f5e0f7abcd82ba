"""X"""

import math

from attention_separation.attention.kernel import Kernel
from attention_separation.attention.kernels import KERNELS, power, taylor
from attention_separation.datasets.dataset import Data

from ..exact.layers import LAYERS, Layer
from ..exact.values import best_probabilities
from . import loudness
from .loudness import Family, of_rows, of_scores

Pair = tuple[Kernel, Family]

POWERS: dict[int, Pair] = {
    p: (KERNELS.get(f"power_{p}", power(p)), of_scores(loudness.power(p)))
    for p in (2, 3, 4, 6, 8, 10, 12)
}
TAYLORS: dict[int, Pair] = {
    p: (KERNELS.get(f"taylor_{p}", taylor(p)), of_scores(loudness.taylor(p))) for p in range(1, 9)
}
LINEAR: Pair = KERNELS["linear"], of_scores(loudness.power(1))
SIGMOID: Pair = KERNELS["sigmoid_log_n"], of_scores(loudness.sigmoid(1.0))
EXPONENTIALS: dict[float, Pair] = {
    temperature: (KERNELS[name], of_scores(loudness.exponential(temperature)))
    for name, temperature in (("exp", 1.0), ("exp_half", 2.0), ("exp_quarter", 4.0))
}

IDENTITY = tuple(layer for layer in LAYERS if layer.attention_x == "identity")
SELF = tuple(layer for layer in LAYERS if layer.model == "self_attention")
CROSS = tuple(layer for layer in LAYERS if layer.model == "cross_attention")


def by_rows(name: str) -> Pair:
    """A kernel with no closed form."""
    return KERNELS[name], of_rows(KERNELS[name])


def usual_softmax(layer: Layer, data: Data) -> Pair:
    """e^(x / sqrt d)."""
    temperature = math.sqrt(layer.d(data.classes))
    return KERNELS["exp_sqrt_d"], of_scores(loudness.exponential(temperature))


def stacked(data: Data, *sizes: int) -> list[int]:
    """The multiples of K up to numbers of tokens: of those only that are large enough for one."""
    return [size - size % data.classes for size in sizes if size >= 2 * data.classes]


def measured_probabilities(
    kernel: Kernel, layer: Layer, data: Data, sizes: list[int]
) -> list[float]:
    """P at the kernel's own best threshold; NaN where it is not resolved."""
    return best_probabilities(kernel, layer, data, sizes).tolist()
