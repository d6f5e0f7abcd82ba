"""Fourier inversion of all studies: the mean sign of a random sum X, from phi, its characteristic
function. It is 2 / pi times the integral of Im phi(omega) d omega / omega.

On the frequencies (j + 1/2) step the integral is a square wave's Fourier series, the sum of Im phi
times `square_wave`: right wherever |X| is below 2 pi / step. Of sums of very different sizes it is
taken in equal steps of log omega, by `over_log_frequencies`. Where phi does not fall, as of sums
that have atoms, the mean sign is taken of the sum with a small normal number added, of three sizes,
and extrapolated to none: `Frequencies` does.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

SPREADS_OF_PERIOD = 12.0
"""Standard deviations of the noise that the frequencies tell apart."""

MARGIN = 1.5
"""What the size of the sum is taken to be, over that."""

LEAST = 0.02
"""Standard deviation of the least normal number, over the scale of the sum."""

DEVIATION_MULTIPLES = np.array([1.0, 2.0, 4.0])
"""Of the normal numbers, over the least."""

OF_ROUGH_LAWS = 3.0
"""Times the difference of two extrapolations: where a law is rough at 0, as the root of a distance,
what is missed is twice and a half that difference."""

LEAST_STEP = 1e-7
"""Between two of the normal numbers, below which nothing is told from rounding."""

SHRINKING = 0.6
"""Times the step before from which on steps hardly shrink: of smooth laws it is a quarter."""

MOST_TAIL_RATIO = 0.98

LAST_FREQUENCY = 8.5
"""The highest frequency, over one over the least normal number's deviation."""

FALLEN = 1e-17
"""Size of a characteristic function from which on it is left out."""

PROBED = 4
"""Of so many frequencies one is looked at first: closer than a peak of any sum is wide."""

FEWEST_FREQUENCIES = 48
"""Frequencies, at least."""


STAGES = (1 / 64, 1 / 16, 1 / 4, 1.0)
"""Shares of the frequencies that are looked at one after another."""

FEWEST_PROBED, MOST_PROBED = 8, 100


def half_integers(count: int) -> np.ndarray:
    """The first frequencies in units of their step, 1/2, 3/2, ..., (count,)."""
    return np.arange(count) + 0.5


def square_wave(count: int) -> np.ndarray:
    """Weights (count,) whose sum with Im phi at the first frequencies (j + 1/2) step is the mean
    sign: a square wave's Fourier series."""
    return 2 / np.pi / half_integers(count)


def over_log_frequencies(imaginary: np.ndarray, step: float) -> float:
    """The integral of Im phi d omega / omega, of Im phi (K,) at frequencies with equal steps of log
    omega, the first so low that below it Im phi falls as omega: there its integral is its value.
    """
    return float(imaginary.sum() * step + imaginary[0] * (1 - step / 2))


SizeAt = Callable[[np.ndarray], np.ndarray]
"""|phi| at frequencies (K,)."""


class MeanSign(NamedTuple):
    """E sign X, (...), a sign of 0 counted 0, and its error (...), estimated by extrapolations."""

    value: np.ndarray
    error: np.ndarray


@dataclass(frozen=True)
class Frequencies:
    """Frequencies for a sum of a part of known size and of noise.

    Attributes
    ----------
    size : the largest size of the part that is no noise
    spread : standard deviation of the noise
    least_size : the least size of that part, where several sums are asked for
    """

    size: float
    spread: float
    least_size: float

    @property
    def least_deviation(self) -> float:
        """Standard deviation of the smallest of the three normal numbers that are added."""
        return LEAST * max(self.least_size, self.spread)

    @cached_property
    def values(self) -> np.ndarray:
        """The K frequencies, (K,): midpoints of equal steps from 0."""
        step = 2 * np.pi / (MARGIN * (self.size + SPREADS_OF_PERIOD * self.spread))
        count = max(
            int(np.ceil(LAST_FREQUENCY / (self.least_deviation * step))), FEWEST_FREQUENCIES
        )
        return step * half_integers(count)

    def needed(self, size_at: SizeAt) -> np.ndarray:
        """The first of the frequencies, (K,), up to where |phi| stays negligible; all of them if it
        never does. Right for any sum, also one on a lattice, whose |phi| comes back."""
        probed = self.values[::PROBED]
        last = _last_large(probed, size_at)
        if last >= len(probed) // 2:
            return self.values
        return self._up_to_fall(last, PROBED)

    def needed_off_lattice(self, size_at: SizeAt) -> np.ndarray:
        """The first of the frequencies, (K,), up to where |phi| is negligible, for a sum whose
        |phi| does not come back: few frequencies are searched first, which costs least."""
        for share in STAGES:
            stage = self.values[: int(share * len(self.values))]
            step = max(PROBED, len(stage) // MOST_PROBED)
            probed = stage[::step]
            if len(probed) < FEWEST_PROBED:
                continue
            last = _last_large(probed, size_at)
            if last < len(probed) // 2:
                return self._up_to_fall(last, step)
        return self.values

    def _up_to_fall(self, last: int, step: int) -> np.ndarray:
        """The first of the frequencies, (K,), where |phi| was computed at every `step`-th: all
        before the second of these after place `last`, the last at which |phi| was not
        negligible."""
        return self.values[: max(step * (last + 2), FEWEST_FREQUENCIES)]

    def mean_sign(self, transform: np.ndarray) -> MeanSign:
        """The mean sign of sums X, (...), and its error.

        `transform` : Im E exp(i omega X), (..., K), at the first K of these frequencies; beyond
            them it is negligible, or they are all
        """
        count = transform.shape[-1]
        terms = transform * square_wave(count)
        if count < len(self.values):
            value = terms.sum(axis=-1)
            return MeanSign(value, np.zeros_like(value))
        deviations = DEVIATION_MULTIPLES * self.least_deviation
        tapers = np.exp(-np.square(np.multiply.outer(self.values, deviations)) / 2)
        least, middle, most = np.moveaxis(terms @ tapers, -1, 0)
        # A mean sign moves with the square of the deviation.
        value = (4 * least - middle) / 3
        coarser = (4 * middle - most) / 3
        error = OF_ROUGH_LAWS * np.abs(value - coarser)
        return MeanSign(value, np.maximum(error, _missed(least - middle, middle - most)))


def _missed(last_step: np.ndarray, step_before: np.ndarray) -> np.ndarray:
    """The error (...) of an extrapolation whose steps, from one normal number to the next smaller
    one, hardly shrink: the sum of all further steps if they shrink in the same ratio; else 0."""
    is_seen = np.abs(last_step) > LEAST_STEP
    ratio = np.abs(last_step) / np.where(is_seen, np.maximum(np.abs(step_before), LEAST_STEP), 1.0)
    ratio = np.minimum(ratio, MOST_TAIL_RATIO)
    missed = np.abs(last_step) * ratio / (1 - ratio)
    return np.asarray(np.where(is_seen & (ratio > SHRINKING), missed, 0.0))


def _last_large(frequencies: np.ndarray, size_at: SizeAt) -> int:
    """The place of the last frequency at which |phi| is not negligible; 0 if there is none."""
    places = np.flatnonzero(size_at(frequencies) > FALLEN)
    return int(places[-1]) if len(places) else 0
