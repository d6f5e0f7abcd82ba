"""Laws of P itself: the mixture's staircase, its floor, and rows with a P in closed form."""

import math
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import product

import numpy as np

from ....any_attention import reach_search, verdicts
from ....any_attention.layers import LAYERS, Layer
from ....any_attention.reach_search import SAME_PROBABILITY
from ....any_attention.values import best_probabilities, score_columns
from ....attention.distinct_rows import SPECIAL
from ....attention.kernel import Kernel
from ....attention.kernels import KERNELS, entmax
from ....attention.threshold_curves import LARGEST_N
from ....datasets.dataset import Data
from . import mixture
from .law import (
    ERROR_OF_N,
    NO_CHANGE,
    SMALL_ERROR,
    ClaimKind,
    Law,
    Prediction,
    bracket_claim,
    statement_claim,
)
from .predictions import (
    Shift,
    best_probability,
    bracket,
    brackets,
    keeps_order,
    shifted_ratios,
    sign_columns,
    stacked,
)

STAIRCASE = ("power_4", "power_6", "power_8", "taylor_8", "exp", "exp_half", "exp_quarter")
EQUAL_TO_UNIFORM = (
    "linear", "power_2", "taylor_1", "taylor_2", "elu_plus_one", "relu_features",
    "relu2_features", "exp_features", "focused_3", "efficient", "one_plus_cosine", "softplus",
    "sigmoid_log_n",
)  # fmt: skip
EQUAL_FROM_N_ON = (
    "linear", "power_2", "power_3", "power_4", "power_8", "taylor_2", "taylor_4", "exp_quarter",
)  # fmt: skip
AT_THE_CROSS_FLOOR = (
    "linear", "power_2", "power_3", "taylor_1", "taylor_2", "softplus", "sigmoid_log_n",
)  # fmt: skip
UNDIVIDED = ("linear_unnormalised", "sigmoid_unnormalised", "relu2_over_n")
ENTMAXES = {
    1.25: KERNELS["entmax_125"],
    1.1: Kernel("entmax_1.1", "", "row", entmax(1.1)),
    1.05: Kernel("entmax_1.05", "", "row", entmax(1.05)),
}

N_OF_PROBABILITIES = (2000, 20_000, 10**6)
FAR_N_OF_PROBABILITIES = (2000, 10**6, 10**12)
AT_SIZES = "Compared at n = 2,000, 20,000 and 10^6."
AT_FAR_SIZES = "Compared at n = 2,000, 10^6 and 10^12."
SAME_P = "None: P is the same to 12 digits."


def _probability_claims(
    name: str,
    layer: Layer,
    data: Data,
    sizes: list[int],
    predicted: Sequence[float],
    holds: Sequence[bool] | np.ndarray | None = None,
    kind: ClaimKind = ClaimKind.NUMBER,
) -> Iterator[Prediction]:
    """The claims that a kernel's P at its best threshold is what is predicted at each n. The law's
    conditions are met where `holds`, and everywhere if it is None."""
    measured = best_probabilities(KERNELS[name], layer, data, sizes).tolist()
    for k, n in enumerate(sizes):
        yield Prediction(
            kernel=name,
            layer=layer,
            quantity="P",
            predicted=predicted[k],
            measured=measured[k],
            tolerance=SAME_PROBABILITY,
            n=n,
            holds=holds is None or bool(holds[k]),
            kind=kind,
        )


def _staircase_claims(data: Data) -> Iterator[Prediction]:
    """The claims that P is what the mixture law says, given R and rho."""
    sizes = stacked(data, *N_OF_PROBABILITIES[1:])
    for layer, name in product(LAYERS, STAIRCASE):
        probabilities_at = partial(
            best_probability, KERNELS[name], layer, data, np.array(sizes), 0.0
        )
        by_size = brackets(probabilities_at)
        predicted = [expected.predicted for expected in by_size]
        is_sharp = [expected.is_sharp for expected in by_size]
        yield from _probability_claims(name, layer, data, sizes, predicted, is_sharp)


def _uniform_claims(data: Data) -> Iterator[Prediction]:
    """The claims that uniform weights have the P of the floor, and 0 in cross-attention."""
    sizes = stacked(data, *N_OF_PROBABILITIES)
    for layer in LAYERS:
        law = mixture.Mixture(layer, data)
        predicted = [law.of_uniform(data.m(n)) for n in sizes]
        kind = ClaimKind.IDENTITY if layer == mixture.CROSS else ClaimKind.NUMBER
        yield from _probability_claims("uniform", layer, data, sizes, predicted, kind=kind)


def _claims_of_equal_to_uniform(data: Data) -> Iterator[Prediction]:
    """The claims that some kernels have exactly the P of uniform weights."""
    sizes = stacked(data, *N_OF_PROBABILITIES)
    for layer, name in product((mixture.SELF, mixture.SELF_ONES), EQUAL_TO_UNIFORM):
        law = mixture.Mixture(layer, data)
        predicted = [law.of_uniform(data.m(n)) for n in sizes]
        differs = differs_from_uniform(KERNELS[name], layer, data, np.array(sizes), Shift.UP)
        yield from _probability_claims(
            name, layer, data, sizes, predicted, ~differs, ClaimKind.IDENTITY
        )


def _claims_of_equal_from_n_on(data: Data) -> Iterator[Prediction]:
    """The claims from which n on some kernels have exactly the P of uniform weights."""
    for layer, name in product((mixture.SELF, mixture.SELF_ONES), EQUAL_FROM_N_ON):
        kernel = KERNELS[name]
        yield bracket_claim(
            name,
            layer,
            "equal to uniform from n",
            bracket(partial(n_equal_to_uniform, kernel, layer, data)),
            measured=reach_search.n_equal_to_uniform(kernel, layer, data),
            step=data.classes,
        )


def n_equal_to_uniform(
    kernel: Kernel, layer: Layer, data: Data, shift: Shift = Shift.NONE
) -> float:
    """The multiple of K from which on a kernel has exactly the P of uniform attention in
    self-attention, and no more; inf where it has more at 10^12 too."""
    differs = partial(differs_from_uniform, kernel, layer, data, shift=shift)
    last = reach_search.last_multiple(differs, data)
    return data.classes + (0.0 if math.isnan(last) else last)


def differs_from_uniform(
    kernel: Kernel, layer: Layer, data: Data, n: np.ndarray, shift: Shift = Shift.NONE
) -> np.ndarray:
    """Whether a kernel has more than the P of uniform attention in self-attention, or may have
    less, (P,). Shifts of order 1 / n order the states of one level, and that is all, unless D1's
    special token lifts a lower level over the threshold: J, and what D0's adds to it."""
    ratios = shifted_ratios(kernel, layer, data, n, shift=shift)
    law = mixture.Mixture(layer, data)
    levels = law.levels(ratios.own)
    m = sign_columns(data, n)[:, None]
    log_others = np.log(n * (data.classes - 1 + ratios.own) / data.classes)
    share_d1 = np.exp(-np.logaddexp(0.0, log_others - ratios.log_d1))[:, None]
    share_d0 = np.exp(-np.logaddexp(0.0, log_others - ratios.log_d0))[:, None]
    threshold = levels + share_d0 * (data.a0 + law.beta - levels)
    lifted = levels + share_d1 * (law.alpha + law.beta - levels)
    # Chances that y_1 and y_d are plus, for each level, with y_k3 plus and minus.
    plus, minus = np.split(law.states, 2)
    over = np.tril(lifted[:, None, :] > threshold[:, :, None], -1) @ plus

    by_level = mixture.separation_probability(law.above, over + plus + minus, m)
    by_order_alone = mixture.separation_probability(law.above, plus + minus, m)
    is_more = by_level.max(axis=1) > by_order_alone.max(axis=1) * (1 + SAME_PROBABILITY)
    return is_more | ~np.broadcast_to(ratios.ordered, n.shape)


def _claims_of_cross_floor(data: Data) -> Iterator[Prediction]:
    """The claims that kernels of bounded R have the P of the floor in cross-attention."""
    sizes = stacked(data, *N_OF_PROBABILITIES)
    law = mixture.Mixture(mixture.CROSS, data)
    floor = [law.floor(data.m(n)) for n in sizes]
    for name in AT_THE_CROSS_FLOOR:
        most = best_probability(KERNELS[name], mixture.CROSS, data, np.array(sizes), shift=Shift.UP)
        yield from _probability_claims(
            name, mixture.CROSS, data, sizes, floor, most == floor, ClaimKind.IDENTITY
        )


def _entmax_claims(data: Data) -> Iterator[Prediction]:
    """The claims up to which n other tokens than the special one have a weight in its row."""
    for layer, (alpha, kernel) in product(LAYERS, ENTMAXES.items()):
        predicted = last_n_of_others(alpha, layer, data)
        measured = reach_search.last_multiple(partial(_has_others, kernel, layer, data), data)
        if predicted == 0:
            quantity = "a share below 1 at some n"
            yield statement_claim(kernel.name, layer, quantity, False, not math.isnan(measured))
        elif math.isinf(predicted):
            quantity = "a share below 1 at the largest n"
            yield statement_claim(kernel.name, layer, quantity, True, math.isinf(measured))
        else:
            quantity = "last n of a share below 1"
            yield Prediction(kernel.name, layer, quantity, predicted, measured, tolerance=0.0)


def last_n_of_others(alpha: float, layer: Layer, data: Data) -> float:
    """The largest multiple of K at which alpha-entmax leaves a token beside the special one in its
    row of D1: their scores then differ by less than 1 / (alpha - 1). Infinite from 10^12 on."""
    row = mixture.row_sigmas(layer, data, data.a1)[0]
    by_log_n = (alpha - 1) * (row.special - max(row.own, row.rest))
    if by_log_n * math.log(LARGEST_N) <= 1:
        return math.inf
    return math.exp(1 / by_log_n) // data.classes * data.classes


def _has_others(kernel: Kernel, layer: Layer, data: Data, n: np.ndarray) -> np.ndarray:
    """Whether other tokens than the special one have a weight in its row of D1, (P,). A share may
    round to 1 before they have none."""
    weights = score_columns(kernel, layer, data, n.tolist()).rows[1].weights[:, 0]
    has_others: np.ndarray = np.any(np.delete(weights, SPECIAL, axis=1) > 0, axis=1)
    return has_others


def _hardmax_claims(data: Data) -> Iterator[Prediction]:
    """The claims of hardmax's P, and that it separates, its P above half of exp's, in
    self-attention alone."""
    sizes = stacked(data, *FAR_N_OF_PROBABILITIES)
    for layer in LAYERS:
        is_self_attention = layer != mixture.CROSS
        # Without a0 all of D0's tokens tie in cross-attention.
        has_no_ties = is_self_attention or data.a0 > 0
        predicted = [of_hardmax(data.m(n), layer, data) for n in sizes]
        half_of_exp = verdicts.exp_probabilities(layer, data, tuple(sizes)) / 2
        holds = [has_no_ties] * len(sizes)
        claims = _probability_claims("hardmax", layer, data, sizes, predicted, holds)
        yield from _with_statements(claims, "separates", is_self_attention, half_of_exp)


def of_hardmax(m: int, layer: Layer, data: Data) -> float:
    """P where the special token has all of its row's weight. In cross-attention it has that on D0
    too: what is left are columns with a plus in D1's marked class, and none in D0's if it is
    another one."""
    if layer != mixture.CROSS:
        return mixture.largest_probability(m)
    return (1 - 1 / data.classes) * (0.75**m - 0.625**m)


def _claims_of_undivided_rows(data: Data) -> Iterator[Prediction]:
    """The claims of P of kernels whose rows are not divided by their sums."""
    sizes = stacked(data, *FAR_N_OF_PROBABILITIES)
    for layer, name in product(LAYERS, UNDIVIDED):
        holds = sums_decide(KERNELS[name], layer, data, np.array(sizes))
        if layer == mixture.SELF_ONES:
            predicted = [1 - 2.0 ** -data.m(n) for n in sizes]
            claims = _probability_claims(name, layer, data, sizes, predicted, holds)
            of_exp = verdicts.exp_probabilities(layer, data, tuple(sizes))
            yield from _with_statements(claims, "P is above that of exp", True, of_exp)
        else:
            law = mixture.Mixture(layer, data)
            floor = [law.floor(data.m(n)) for n in sizes]
            yield from _probability_claims(
                name, layer, data, sizes, floor, holds, ClaimKind.IDENTITY
            )


def sums_decide(kernel: Kernel, layer: Layer, data: Data, sizes: np.ndarray) -> np.ndarray:
    """Whether the condition of the law "rows not divided" is met at each n, (P,)."""
    if layer == mixture.SELF_ONES:
        log_d1 = _log_of_largest_rest(kernel, layer, data, sizes, data.a1)
        log_d0 = _log_of_largest_rest(kernel, layer, data, sizes, data.a0)
        is_lifted: np.ndarray = (data.c - data.b) * np.exp(log_d1 - log_d0) > data.c + data.b
        return is_lifted
    ratios = mixture.weight_ratios(kernel, layer, data, sizes)
    lifting: np.ndarray = data.classes * np.exp(ratios.log_d1)
    if layer == mixture.CROSS:
        return lifting < sizes
    value = data.b + data.c
    lifts_no_level = lifting * (data.a1 + value) < 2 * data.b * sizes
    is_ordered = keeps_order(ratios, layer, data, data.c)
    return lifts_no_level & is_ordered & (data.a1 >= value)


def _log_of_largest_rest(
    kernel: Kernel, layer: Layer, data: Data, sizes: np.ndarray, special: float
) -> np.ndarray:
    """The logarithm of the largest weight on a token of another class, over rows, (P,), where the
    special token has some size."""
    rows = mixture.row_sigmas(layer, data, special)
    logs = [mixture.log_weight(kernel, layer, data, sizes, row.rest) for row in rows]
    return np.max(logs, axis=0)


def _with_statements(
    claims: Iterable[Prediction], statement: str, predicted: bool, other_probabilities: np.ndarray
) -> Iterator[Prediction]:
    """The claims on P, and after each the statement that P is above another probability, or that it
    is not."""
    for claim, other_probability in zip(claims, other_probabilities.tolist(), strict=True):
        yield claim
        is_resolved = not math.isnan(claim.measured - other_probability)
        above = float(claim.measured > other_probability) if is_resolved else math.nan
        yield statement_claim(
            claim.kernel, claim.layer, statement, predicted, above, claim.n, claim.holds
        )


PROBABILITY_LAWS = (
    Law(
        "mixture",
        "At one n the best P is a staircase in f, the same for all kernels with the same rho. In "
        "cross-attention (R - R_0) / (R + n) stands for f. Compared at n = 20,000 and 10^6.",
        _staircase_claims,
        NO_CHANGE,
        SAME_P,
    ),
    Law(
        "uniform attention",
        "Weights 1/n have the P of the floor in self-attention, and P = 0 in cross-attention. "
        f"{AT_SIZES}",
        _uniform_claims,
        "None.",
        SAME_P,
    ),
    Law(
        "equal to uniform",
        f"{', '.join(EQUAL_TO_UNIFORM)} have exactly the P of uniform attention in "
        f"self-attention. {AT_SIZES}",
        _claims_of_equal_to_uniform,
        NO_CHANGE,
        SAME_P,
    ),
    Law(
        "equal to uniform from n on",
        "In self-attention a function of scores has more than the P of uniform attention up to "
        "some n, and exactly that P beyond. There D1's special token no longer lifts a level over "
        "the next one. It is about n = K / (2 b) (R (a1 + b - level) - R_0 (a0 + b - level)).",
        _claims_of_equal_from_n_on,
        SMALL_ERROR,
        ERROR_OF_N,
    ),
    Law(
        "floor in cross-attention",
        f"{', '.join(AT_THE_CROSS_FLOOR)} have the P of the floor in cross-attention. Their R is "
        f"bounded, and above R_0. {AT_SIZES}",
        _claims_of_cross_floor,
        NO_CHANGE,
        SAME_P,
    ),
)

ROW_LAWS = (
    Law(
        "all weight on one token",
        "alpha-entmax gives the special token all of its row on D1 from some n on. From there its "
        "score sigma* log n is at least 1 / (alpha - 1) above the next one. In float64 its share "
        "is 1 long before, from 1 - 1e-15 on.",
        _entmax_claims,
        "None: it is so at all data.",
        "None: the same multiple of K.",
        is_of_mixture=False,
    ),
    Law(
        "hardmax",
        "Hardmax has P = 1 - (3/4)^m in self-attention. In cross-attention D0's special token has "
        "all of its row too, and P is (1 - 1/K) ((3/4)^m - (5/8)^m). It separates in "
        f"self-attention alone. {AT_FAR_SIZES}",
        _hardmax_claims,
        "In cross-attention a0 > 0: with a0 = 0 all of D0's tokens tie.",
        SAME_P,
    ),
    Law(
        "rows not divided",
        f"{', '.join(UNDIVIDED)} are not divided by the row's sum. With X all ones P is 1 - "
        "2^-m, above exp's: the special row has the larger sum, and the last coordinate carries "
        f"it. With X = I they have the P of the floor, as if divided. {AT_FAR_SIZES}",
        _claims_of_undivided_rows,
        "With X all ones the largest sum of D1's rows is more than (c + b) / (c - b) times that of "
        "D0's. With X = I R lifts no level over the next one: 2 b n > K R (a1 + b + c), in "
        "cross-attention n > K R. In self-attention with X = I states of one level keep their "
        "order: a1 >= b + c and a1 > (a0 + b + c) R_0 - (b + c) rho.",
        SAME_P,
    ),
)
