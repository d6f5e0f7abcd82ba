"""Laws of reach: up to which n a kernel separates, and from which parameter or weight on."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import product

import numpy as np

from ....any_attention import least_values, reach_search, verdicts
from ....any_attention.layers import LAYERS, Layer
from ....attention.kernel import Kernel
from ....attention.kernels import KERNELS, taylor
from ....attention.threshold_curves import LARGEST_N
from ....datasets.dataset import Data
from . import law, predictions
from .mixture import (
    CROSS,
    SELF,
    SELF_ONES,
    THRESHOLD_ROUNDING,
    Mixture,
    largest_probability,
    weight_ratios,
)
from .predictions import (
    Shift,
    bracket,
    brackets,
    critical_biases,
    critical_temperatures,
    least_degrees,
    stacked,
)

POWER_KERNELS = tuple(KERNELS[f"power_{p}"] for p in (2, 3, 4, 6, 8, 10, 12))
TAYLOR_KERNELS = tuple(KERNELS.get(f"taylor_{p}", taylor(p)) for p in range(1, 9))
EXP_KERNELS = tuple(KERNELS[name] for name in ("exp_half", "exp_quarter", "exp_sqrt_d"))

NEEDING_A_WEIGHT = (
    "linear", "power_2", "power_4", "taylor_2", "exp_quarter", "exp_sqrt_d", "elu_plus_one",
    "exp_features",
)  # fmt: skip
BOUNDED_KERNELS = (
    "elu_plus_one", "relu_features", "relu2_features", "exp_features", "hedgehog", "hedgehog_fla",
    "focused_3", "efficient", "cosine_softmax_10", "one_plus_cosine",
)  # fmt: skip
BOUNDED_AT_ANY_WEIGHT = (
    "hedgehog", "hedgehog_fla", "one_plus_cosine", "cosine_softmax_10", "sigmoid_log_n",
)  # fmt: skip

TOKENS_OF_PARAMETERS = (200, 2000, 20_000, 10**6, 10**9)
"""Beyond, float64 does not resolve P at all parameters that are tried."""

LeastValues = Callable[..., np.ndarray]
"""(layer, data, numbers of tokens, shift or `separates`) -> the least value of a parameter at which
a kernel separates, at each number of tokens."""

LEAST_WEIGHTS: dict[str, LeastValues] = {
    name: partial(predictions.least_weights, KERNELS[name]) for name in NEEDING_A_WEIGHT
}
NEEDED_GAPS: dict[str, LeastValues] = {
    f"{alpha:g}-entmax of x/T": partial(predictions.needed_gaps, alpha)
    for alpha in (1.25, 1.5, 2.0)
}
LEAST_SUBTRACTIONS: dict[str, LeastValues] = {
    name: partial(predictions.least_subtractions, KERNELS[name])
    for name in ("exp_sqrt_d", "linear")
}
"""By the kernel's name."""

TRIED_WEIGHTS = np.geomspace(1e-2, 1e13, 31)
"""g at which kernels of bounded weight ratio are tried."""

WHOLE_LEVEL = (
    "Where e is not 0, whole levels are not enough: (1 - p)^m - (1 - p - q)^m is below half of "
    "exp's P at every J. p = P(Sigma > J) / E and q = P(Sigma = J) / E, E = 2, in cross-attention "
    "1."
)


def largest_n_claim(kernel: Kernel, layer: Layer, data: Data) -> law.Prediction:
    """The prediction of the largest n at which a kernel separates, beside that of exact values: 0
    says that there is none, inf that it separates at the largest n of all."""
    expected = bracket(partial(predictions.largest_n, kernel, layer, data))
    largest_of_all = LARGEST_N - LARGEST_N % data.classes
    return law.bracket_claim(
        kernel.name,
        layer,
        law.QUANTITY_LAST_N,
        expected,
        measured=measured_n(kernel, layer, data),
        n=largest_of_all if math.isinf(expected.predicted) else None,
        step=data.classes,
    )


def measured_n(kernel: Kernel, layer: Layer, data: Data) -> float:
    """The largest n at which a kernel separates by exact values: 0 where it does at none that is
    tried, NaN where float64 does not resolve it."""
    reach = reach_search.reach(kernel, layer, data, by_bounds=False)
    if reach.undecided_beyond:
        return math.nan
    return 0.0 if math.isnan(reach.last) else reach.last


def _largest_n_claims(
    kernels_and_layers: Sequence[tuple[Kernel, Layer]], data: Data
) -> Iterator[law.Prediction]:
    """The claim of the largest n at which each kernel separates, in its layer."""
    for kernel, layer in kernels_and_layers:
        yield largest_n_claim(kernel, layer, data)


EXP_BY_LAYER = [(kernel, layer) for layer, kernel in product(LAYERS, EXP_KERNELS)]


def _least_value_claims(
    quantity: str,
    least_by_kernel: Mapping[str, LeastValues],
    data: Data,
    layers: Sequence[Layer] = LAYERS,
    tokens: Sequence[int] = TOKENS_OF_PARAMETERS,
    exact: LeastValues | None = None,
) -> Iterator[law.Prediction]:
    """The claims that the least value of a parameter at each n is what the law predicts. The exact
    values come from `exact`, or from the law's own function with exact verdicts."""
    sizes = stacked(data, *tokens)
    for layer, (kernel, least) in product(layers, least_by_kernel.items()):
        measure = exact or partial(least, separates=verdicts.separates)
        measured = measure(layer, data, sizes).tolist()
        expected = brackets(partial(least, layer, data, sizes))
        for k, n in enumerate(sizes):
            yield law.bracket_claim(kernel, layer, quantity, expected[k], measured[k], n)


_claims_with_ones = partial(_least_value_claims, layers=[SELF_ONES], tokens=(2000, 10**6))


def _claims_of_bounded_kernels(data: Data) -> Iterator[law.Prediction]:
    """The claims that bounded feature maps do not separate at large n."""
    sizes = np.array(stacked(data, 10**6, 10**9, 10**12))
    for layer, name in product(LAYERS, BOUNDED_KERNELS):
        kernel = KERNELS[name]
        measured = verdicts.separation(kernel, layer, data, sizes, by_bounds=False)
        may_separate = predictions.separates_at(kernel, layer, data, sizes, shift=Shift.UP)
        for k, n in enumerate(sizes.tolist()):
            holds = not may_separate[k] and stays_below(kernel, layer, data, n)
            yield law.statement_claim(name, layer, "separates", False, measured[k], n, holds)


def _claims_at_some_weight(data: Data) -> Iterator[law.Prediction]:
    """The claims whether kernels of bounded R separate at one of TRIED_WEIGHTS."""
    sizes = stacked(data, 2000, 200_000, 10**7)
    n_of_all = np.repeat(sizes, len(TRIED_WEIGHTS))
    weights = np.tile(TRIED_WEIGHTS, len(sizes))

    def at_some_weight(separates: np.ndarray) -> np.ndarray:
        """Whether, for each n, one of several bools is true that are given for each n and
        weight."""
        return np.any(separates.reshape(len(sizes), -1), axis=1)

    for layer, name in product((SELF, CROSS), BOUNDED_AT_ANY_WEIGHT):
        kernel = KERNELS[name]
        by_law = partial(predictions.separates_at, kernel, layer, data, n_of_all, weights)
        low, predicted, high = [at_some_weight(by_law(shift)) for shift in Shift]
        exact = verdicts.separates(kernel, layer, data, n_of_all, weights)
        measured = at_some_weight(exact)
        for k, n in enumerate(sizes):
            is_sharp = low[k] == predicted[k] == high[k]
            is_below = predicted[k] or stays_below(kernel, layer, data, n)
            yield law.statement_claim(
                name,
                layer,
                "separates at some g",
                predicted[k],
                measured[k],
                n,
                holds=bool(is_sharp and is_below),
            )


def stays_below(kernel: Kernel, layer: Layer, data: Data, n: int) -> bool:
    """Whether a kernel whose special row weighs classes otherwise than ordinary rows do, so that
    its levels move by order 1, has less than half of exp's P by that."""
    ratios = weight_ratios(kernel, layer, data, np.array([n]))
    if np.abs(ratios.same - ratios.own) < THRESHOLD_ROUNDING:
        return True
    m = data.m(n)
    return Mixture(layer, data).of_whole_levels(m) < largest_probability(m) / 2


REACH_LAWS = (
    law.Law(
        "polynomials",
        "x^p separates up to n = C r^p. r is the special token's score on itself over its score "
        "on another class, on D1. In cross-attention it is n = C r^p - (C + 1) r_0^p, r_0 the same "
        "on D0.",
        partial(_largest_n_claims, [*product(POWER_KERNELS, LAYERS)]),
        law.SMALL_ERROR,
        law.ERROR_OF_N,
    ),
    law.Law(
        "Taylor sums",
        "Taylor's sum of e^x to degree p separates up to the last n that meets the criterion. R is "
        "the ratio of its values at the same two scores.",
        partial(_largest_n_claims, [*product(TAYLOR_KERNELS, LAYERS)]),
        law.SMALL_ERROR,
        law.ERROR_OF_N,
    ),
    law.Law(
        "exponentials",
        "e^(x/T) has R = n^(gamma_1 / T). It separates at all large n where T is at most gamma_1. "
        "Else it separates up to the last n that meets the criterion, in self-attention "
        "n = C^(1 / (1 - gamma_1 / T)). The usual e^(x / sqrt d) is one of them, with d = K + 2, "
        "in cross-attention K + 1.",
        partial(_largest_n_claims, EXP_BY_LAYER),
        law.SMALL_ERROR,
        law.ERROR_OF_N,
    ),
    law.Law(
        "critical temperature",
        "e^(x/T) separates at n up to a temperature T*, whose limit is gamma_1. In self-attention "
        "it is gamma_1 log n / (log n - log C). Compared at n = 200 to 10^9.",
        partial(
            _least_value_claims,
            "T*",
            {"e^(x/T)": critical_temperatures},
            exact=least_values.critical_temperatures,
        ),
    ),
    law.Law(
        "least degree",
        "x^p separates at n from a real degree p on. In self-attention it is log(n / C) / log r, "
        "r as for polynomials.",
        partial(_least_value_claims, "least p", {"x^p": least_degrees}),
    ),
    law.Law(
        "critical bias",
        "sigmoid(x - beta log n), divided by the row's sum, separates at n from a bias beta on. It "
        "is about 1 + sigma_0 - log C / log n. sigma_0 log n is the score of an ordinary token on "
        "another class.",
        partial(_least_value_claims, "least beta", {"sigmoid(x - beta log n)": critical_biases}),
    ),
    law.Law(
        "gap of scores",
        "With X all ones the special token's score over T is a gap of gamma_1 log n / T above all "
        "others. alpha-entmax of x/T separates from a gap of (f_c^(alpha - 1) - ((1 - f_c) / (n - "
        "1))^(alpha - 1)) / (alpha - 1) on, whatever n at most f_c^(alpha - 1) / (alpha - 1). For "
        "softmax it is log(f_c (n - 1) / (1 - f_c)), and grows like log n.",
        partial(_claims_with_ones, "gap", NEEDED_GAPS),
    ),
    law.Law(
        "minus the mean",
        "With X all ones f - lambda/n, f a kernel's rows, separates at n from a lambda on, where "
        "1 - lambda is (f - 1/n) / (f_c - 1/n). It is (1 - lambda) times the kernel of rows "
        "(f - lambda/n) / (1 - lambda).",
        partial(_claims_with_ones, "1 / (1 - lambda)", LEAST_SUBTRACTIONS),
    ),
)

BOUNDED_LAWS = (
    law.Law(
        "bounded feature maps",
        f"{', '.join(BOUNDED_KERNELS)} separate at none of n = 10^6, 10^9 and 10^12.",
        _claims_of_bounded_kernels,
        f"n is beyond the criterion, also with R more by its error term. {WHOLE_LEVEL}",
        law.ERROR_OF_R,
    ),
    law.Law(
        "no weight helps",
        f"{', '.join(BOUNDED_AT_ANY_WEIGHT)} have a bounded R, whatever the weight g in X = I + g "
        "e_1 e_1^T. They separate at some g up to the n at which the best g meets the criterion, "
        "and at none beyond. Tried at 31 weights g up to 10^13.",
        _claims_at_some_weight,
        f"{law.NO_CHANGE} {WHOLE_LEVEL}",
        law.ERROR_OF_R,
    ),
)

WEIGHT_LAW = law.Law(
    "weight budget",
    "With X = I + g e_1 e_1^T a kernel separates from the first g on that meets the criterion. g "
    "grows like n^(1/p) for x^p and for Taylor's sum to degree p, and is bounded for e^(x/T). For "
    "element-wise exp 1 + g is about log(n/C)^2 / (a1^2 log n), in cross-attention without a1.",
    partial(
        _least_value_claims,
        law.QUANTITY_WEIGHT,
        LEAST_WEIGHTS,
        layers=(SELF, CROSS),
        tokens=(2000, 200_000, 10**10),
    ),
)
