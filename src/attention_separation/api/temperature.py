"""A kernel at a temperature, and whether that changes anything: `at_temperature`."""

import contextlib
import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from ..any_attention import least_values
from ..attention.kernel import Kernel, KernelInputs
from ..messages.number_check import number
from ..messages.question import question, warn
from .build import Given, kernel_of


@question
def at_temperature(kernel: Given, temperature: float) -> Kernel:
    """The kernel of scores x / T: as given with X / T in place of X, so that a feature map gets
    q / sqrt(T) and k / sqrt(T). At T = 1 the kernel as it is.

    A warning says so where a temperature has no effect, as on powers of the score, and on functions
    of cosines: `cosine_softmax_P` has another scale.

    Parameters
    ----------
    kernel : as of `separate`
    temperature : T, from 0.001 to 10^4

    Raises
    ------
    ValueError
        If T is out of range.
    """
    usable = kernel_of(kernel)
    low = least_values.COLDEST
    high = least_values.HOTTEST
    allowed = f"numbers from {low:g} to {high:g}"
    t = number("temperature", temperature, allowed, lambda x: low <= x <= high)
    if t == 1:
        return usable
    _say_if_without_effect(usable)
    return _at_temperature(usable, t)


def _at_temperature(kernel: Kernel, temperature: float) -> Kernel:
    """The kernel with its scores divided by a temperature, and a name that says so."""
    signed = kernel.signed
    if signed is not None:
        signed = _OfColderScores(kernel, signed, temperature)
    return replace(
        kernel,
        name=f"{kernel.name} at T={temperature:g}",
        symbol=f"{kernel.symbol}, x/{temperature:g}",
        weigh=_OfColderScores(kernel, kernel.weigh, temperature),
        signed=signed,
    )


@dataclass(frozen=True, eq=False)
class _OfColderScores:
    """A function of the kernel `divides`, of scores over a temperature."""

    divides: Kernel
    weights: Callable[[KernelInputs], np.ndarray]
    temperature: float

    def __call__(self, seen: KernelInputs) -> np.ndarray:
        """The weights with the scores divided by the temperature, and queries and keys by its
        square root."""
        root = math.sqrt(self.temperature)
        at_temperature = replace(
            seen,
            scores=seen.scores / self.temperature,
            queries=None if seen.queries is None else seen.queries / root,
            keys=None if seen.keys is None else seen.keys / root,
        )
        return self.weights(at_temperature)


ALIKE = 1e-9
"""Relative: weights closer than this are the same."""


def _say_if_without_effect(kernel: Kernel) -> None:
    """Warn if a temperature does not change a kernel: if its rows stay the same where all scores
    are halved, or, where rows are not divided by their sum, change by one common factor."""
    effect = ""
    seen = _some_tokens()
    # What it cannot weigh, and what it warns of, is said where it is asked for its weights.
    with contextlib.suppress(ArithmeticError), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        weights = kernel.attention_weights(seen)
        weights_at_2 = _at_temperature(kernel, 2.0).attention_weights(seen)
        is_divided = kernel.normaliser != "none"
        factor = 1.0 if is_divided else float(weights_at_2.sum() / (weights.sum() or 1.0))
        if np.allclose(weights_at_2, factor * weights, rtol=ALIKE, atol=0.0):
            effect = _effect_in_words(is_divided)
    if effect:
        warn(
            f"{kernel.name}: a temperature {effect}; the scale of a cosine and the degree of a "
            "power are in names: cosine_softmax_P, power_P"
        )


def _effect_in_words(is_divided: bool) -> str:
    """What a temperature does to a kernel that it does not change, by whether its rows are divided
    by their sum."""
    if is_divided:
        return "does not change its weights"
    return "multiplies all its weights by one number, which the best threshold follows"


def _some_tokens() -> KernelInputs:
    """A few queries and keys without a negative coordinate, as those of the data are."""
    rng = np.random.default_rng(0)
    queries = rng.random((2, 6))
    keys = rng.random((5, 6))
    counts = np.arange(1, len(keys) + 1)
    scores = queries @ keys.T
    return KernelInputs(
        scores=scores,
        queries=queries,
        keys=keys,
        multiplicities=np.broadcast_to(counts, scores.shape),
        n=int(counts.sum()),
        d=keys.shape[-1],
    )
