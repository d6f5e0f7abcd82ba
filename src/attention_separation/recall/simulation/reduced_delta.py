"""The delta rule by two numbers a step, whatever d is: the reduced law.

Backwards from the query u = q, a write of the key k adds beta decay^age c v to the output, where
c = <k, u>, and u becomes u - beta c k. Of keys later than the query's own, u is known by
a = <q, u> and b = |u - a q|; of earlier ones by |u| alone. Signs of values are those of keys.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ...statistics.fourier import half_integers, square_wave
from ...statistics.seeding import blocks, stream


@dataclass
class TwoNumbers:
    """What is known of u while keys are later than the query's own.

    Attributes
    ----------
    along : (T,) a = <q, u>, of either sign
    across : (T,) b = |u - a q|
    """

    along: np.ndarray
    across: np.ndarray

    def after_write(self, beta: float, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        """The product c = <k, u>, (T,), of a key k with the coordinates `first` along q and
        `second` along u - a q; the two numbers become those after its write."""
        c = self.along * first + self.across * second
        rest = np.maximum(1 - first**2 - second**2, 0.0)
        self.along = self.along - beta * c * first
        self.across = np.sqrt((self.across - beta * c * second) ** 2 + (beta * c) ** 2 * rest)
        return c

    def squares(self) -> np.ndarray:
        """The squared length of u in each trial, |u|^2, (T,)."""
        return self.along**2 + self.across**2


def after_own_write(
    beta: float, cosine: float, state: TwoNumbers, sideways: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The product c = <k, u> with the query's own key k, and |u| after its write, (T,) each;
    `sideways` is a coordinate of a uniform unit vector of R^(d - 1), (T,)."""
    c = cosine * state.along + np.sqrt(1 - cosine**2) * state.across * sideways
    squares = state.squares() - beta * (2 - beta) * c**2
    return c, np.sqrt(np.maximum(squares, 0.0))


def coordinates(
    generator: np.random.Generator, d: int, count: int, trials: int
) -> list[np.ndarray]:
    """The first `count` coordinates of uniform unit vectors of R^d, at most d of them, (T,)
    each."""
    normals = generator.standard_normal((count, trials))
    squares = 2 * generator.standard_gamma((d - count) / 2, trials)
    for row in normals:
        squares += row**2
    return list(normals / np.sqrt(squares))


class FewWeightsError(ValueError):
    """A sum of so few weights that its law has atoms."""


SPREADS = 8.0
"""Standard deviations of a sum of signs beyond which it hardly ever is: 10^-15."""

SMOOTH = 1e-5
"""Mean size of a characteristic function below which the sum is smooth."""


def mean_sign_given_weights(own: np.ndarray, others: np.ndarray) -> np.ndarray:
    """E sign(own + sum of s_j others_j) over fair signs s_j, (T,), of weights own (T,) and others
    (n - 1, T): a square wave's Fourier series over the sum's characteristic function, a product of
    cosines. FewWeightsError where that does not fall."""
    spreads = np.sqrt(np.sum(others**2, axis=0))
    is_open = np.abs(own) < SPREADS * spreads
    signs = np.sign(own)
    if not is_open.any():
        return signs
    own, others, spreads = own[is_open], others[:, is_open], spreads[is_open]
    step = 2 * np.pi / (np.abs(own) + SPREADS * spreads)
    count = math.ceil(SPREADS / float(np.min(step * spreads)))
    series = np.zeros(len(own))
    for multiple, weight in zip(half_integers(count), square_wave(count), strict=True):
        frequencies = multiple * step
        cosines = np.cos(frequencies * others).prod(axis=0)
        series += weight * np.sin(frequencies * own) * cosines
    if np.abs(cosines).mean() > SMOOTH:
        raise FewWeightsError(f"{len(others)} weights; allowed: so many that their sum is smooth")
    signs[is_open] = series
    return signs


@dataclass(frozen=True)
class DeltaTrials:
    """Trials of a delta rule on n random pairs.

    age : of the query's own key; None for ages that take all n values equally often
    """

    beta: float
    decay: float
    d: int
    n: int
    age: int | None
    cosine: float = 1.0

    def right(self, trials: int, seed: int) -> float:
        """The number of trials in which the value is recalled, a tie counted half."""
        point = self.point()
        right = 0.0
        for block, size in blocks(trials):
            generator = stream(seed, "recall", "delta", point, str(block))
            outputs = self.outputs(generator, self.ages(generator, size))
            right += float((outputs > 0).sum() + (outputs == 0).sum() / 2)
        return right

    def point(self) -> str:
        """Its parameters in a stream's name."""
        point = f"beta={self.beta!r} decay={self.decay!r} d={self.d} n={self.n}"
        return point + f" age={self.age} cosine={self.cosine!r}"

    def ages(self, generator: np.random.Generator, size: int) -> np.ndarray:
        """The age of the query's own key in each trial, (T,), rising."""
        if self.age is not None:
            return np.full(size, self.age)
        places = (np.arange(size) + generator.random(size)) / size
        return np.minimum((places * self.n).astype(int), self.n - 1)

    def given_keys(self, trials: int, seed: int) -> np.ndarray:
        """The probability that the value is recalled, given the keys of each trial, (T,): signs of
        values are summed over and not drawn. ValueError for pairs of no one age, FewWeightsError
        where few keys matter."""
        if self.age is None:
            raise ValueError("age=None; allowed: an age, for all trials have the same writes")
        parts = []
        for block, size in blocks(trials):
            generator = stream(seed, "recall", "delta given keys", self.point(), str(block))
            ages = np.full(size, self.age)
            weights = np.array([weights for _, weights in self.writes(generator, ages)])
            others = np.delete(weights, self.age, axis=0)
            parts.append((1 + mean_sign_given_weights(weights[self.age], others)) / 2)
        return np.concatenate(parts)

    def outputs(self, generator: np.random.Generator, ages: np.ndarray) -> np.ndarray:
        """The value's sign times the output, v_J o, in each trial, (T,), for rising ages (T,) of
        the query's own key."""
        outputs = np.zeros(len(ages))
        for part, weights in self.writes(generator, ages):
            outputs[part] += weights
        return outputs

    def writes(
        self, generator: np.random.Generator, ages: np.ndarray
    ) -> Iterator[tuple[slice, np.ndarray]]:
        """What each write adds to v_J o, from the latest on: the trials that it is of, and their
        numbers. Trials of one age share each write; those of several are two or three parts."""
        trials = len(ages)
        state = TwoNumbers(np.ones(trials), np.zeros(trials))
        lengths = np.zeros(trials)
        for age in range(self.n):
            own_start = int(np.searchsorted(ages, age, side="left"))
            own_end = int(np.searchsorted(ages, age, side="right"))
            factor = self.beta * self.decay**age
            if own_start > 0:
                (first,) = coordinates(generator, self.d, 1, own_start)
                yield slice(own_start), factor * lengths[:own_start] * first
                shrinking = 1 - self.beta * (2 - self.beta) * first**2
                lengths[:own_start] *= np.sqrt(np.maximum(shrinking, 0.0))
            if own_end > own_start:
                (sideways,) = coordinates(generator, self.d - 1, 1, own_end - own_start)
                present = TwoNumbers(
                    state.along[: own_end - own_start], state.across[: own_end - own_start]
                )
                c, length = after_own_write(self.beta, self.cosine, present, sideways)
                yield slice(own_start, own_end), factor * c
                lengths[own_start:own_end] = length
                # Those that stay are the trials whose own key is earlier still.
                state = TwoNumbers(
                    state.along[own_end - own_start :], state.across[own_end - own_start :]
                )
            if own_end < trials:
                first, second = coordinates(generator, self.d, 2, trials - own_end)
                yield slice(own_end, trials), factor * state.after_write(self.beta, first, second)
