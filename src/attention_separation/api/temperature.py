"""A kernel whose scores are divided by a temperature: `at_temperature`."""

import math
from dataclasses import replace

import numpy as np

from attention_separation.attention.kernel import Kernel, Seen
from attention_separation.settings.words import shown

from .comparing import Given
from .given import kernel_of
from .problem import real_number

COLDEST, HOTTEST = 0.001, 10_000.0


def at_temperature(kernel: Given, temperature: float) -> Kernel:
    """The kernel of scores x / T: as given with X / T in place of X, so that a feature map gets
    q / sqrt(T) and k / sqrt(T). At T = 1 the kernel as it is.

    Parameters
    ----------
    kernel : as of `separate`
    temperature : T, from 0.001 to 10^4

    Raises
    ------
    ValueError
        If T is out of range.
    """
    of, t = kernel_of(kernel), real_number(temperature)
    if not COLDEST <= t <= HOTTEST:
        raise ValueError(
            f"temperature={shown(temperature)}; allowed: numbers from {COLDEST:g} to {HOTTEST:g}"
        )
    if t == 1:
        return of
    root = math.sqrt(t)

    def divided(vectors: np.ndarray | None, by: float) -> np.ndarray | None:
        return None if vectors is None else vectors / by

    def weigh(seen: Seen) -> np.ndarray:
        return of.weigh(
            replace(
                seen,
                scores=seen.scores / t,
                queries=divided(seen.queries, root),
                keys=divided(seen.keys, root),
            )
        )

    weigh.divides = of
    return replace(of, name=f"{of.name} at T={t:g}", symbol=f"{of.symbol}, x/{t:g}", weigh=weigh)
