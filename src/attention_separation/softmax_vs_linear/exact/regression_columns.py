"""One sign column against the softmax-regression data, given its number of pluses.

A score exceeds tau if and only if sum_i w_i (y_i - tau) > 0, with w the entries u of A x over log n
under the linear kernel and n^u under the exponential one. Given p pluses and q minuses this is a
sum of independent terms (1 - tau) w and -(1 + tau) w: it needs no normaliser. Below, "sum" means
this sum over all coordinates but one or two, whose terms are the offsets.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from attention_separation.attention.sign_columns import TIE_TOLERANCE, likely_heads

from ..models.regression import LOWER, SPECIAL, UPPER

COUNTS_AT_A_TIME = 16
"""Pairs of counts at a time: so few that their arrays stay in a core's cache."""


class Below(NamedTuple):
    """P(sum + offset <= 0), (counts, offsets), and its estimated error."""

    probability: np.ndarray
    error: float


class Both(NamedTuple):
    """The same of both sums and of each: P(linear and exponential sum + offset <= 0)."""

    both: np.ndarray
    linear: np.ndarray
    exponential: np.ndarray
    error: float


def weights(kernel: str, n: int, u: np.ndarray) -> np.ndarray:
    """Weights up to a factor, from the entries u of A x over log n."""
    return u if kernel == "linear" else float(n) ** (u - (LOWER + UPPER) / 2)


@dataclass(frozen=True)
class TwoPointSums:
    """Entries LOWER or UPPER, each with probability 1/2: exact sums over how many are UPPER."""

    n: int
    tau: float

    @property
    def entry(self) -> tuple[np.ndarray, np.ndarray]:
        """Values of one entry and their probabilities, (2,) each."""
        return np.array([LOWER, UPPER]), np.array([0.5, 0.5])

    def below(
        self, kernel: str, pluses: np.ndarray, minuses: np.ndarray, offsets: np.ndarray
    ) -> Below:
        """P(sum + offset <= 0) for each pair of counts (K,) and each offset (S,)."""
        low, high = self._weights(kernel)
        surely = low * ((1 - self.tau) * pluses - (1 + self.tau) * minuses)[:, None] + offsets
        fewest = (surely - TIE_TOLERANCE * self.n) / ((1 + self.tau) * (high - low))
        slope = (1 - self.tau) / (1 + self.tau)
        return Below(_enough_heads(pluses, minuses, slope, fewest), 0.0)

    def both(
        self, pluses: np.ndarray, minuses: np.ndarray, linear: np.ndarray, exponential: np.ndarray
    ) -> Both:
        """The joint law for offsets `linear` and `exponential`, (S,) each, of the two sums.

        Either sum is at most 0 from some number of UPPER among the minuses on, which grows alike
        with those among the pluses: of the two events one implies the other.
        """
        lin = self.below("linear", pluses, minuses, linear).probability
        exp = self.below("exp", pluses, minuses, exponential).probability
        return Both(np.minimum(lin, exp), lin, exp, 0.0)

    def zero_given_data(self, kernel: str, dataset: int) -> tuple[np.ndarray, np.ndarray]:
        """P(a column leaves a network zero) given how many entries are UPPER; their shares."""
        ordinary = self.n - dataset
        upper, share = likely_heads(ordinary)
        lower = ordinary - upper
        offsets = SPECIAL * (np.array([-1, 1]) - self.tau) if dataset else np.zeros(1)
        low, high = self._weights(kernel)
        # Zero where twice the weight of the pluses is at most this: where the minuses among the
        # LOWER are enough for the pluses among the UPPER.
        most = ((1 + self.tau) * (upper * high + lower * low))[:, None] - offsets
        fewest = lower[:, None] - (most + TIE_TOLERANCE * self.n) / (2 * low)
        return _enough_heads(upper, lower, high / low, fewest).mean(axis=1), share

    def _weights(self, kernel: str) -> np.ndarray:
        return weights(kernel, self.n, np.array([LOWER, UPPER]))


def _enough_heads(
    first: np.ndarray, second: np.ndarray, slope: float, fewest: np.ndarray
) -> np.ndarray:
    """P(heads of `second` fair coins >= slope * heads of `first` ones + fewest), (K, S).

    first, second : (K,)
    fewest : (K, S)
    """
    excess = ((slope * first - second) / 2)[:, None] + fewest
    # By Hoeffding's inequality, all but 1e-21 of a law lies this close to its mean.
    reach = 5 * np.sqrt(slope**2 * first + second)
    result = np.where(excess < 0, 1.0, 0.0)
    is_open = np.flatnonzero(np.abs(excess).min(axis=1) <= reach)
    for start in range(0, len(is_open), COUNTS_AT_A_TIME):
        rows = is_open[start : start + COUNTS_AT_A_TIME]
        heads, share = _heads(first[rows])
        others, other_share = _heads(second[rows])
        count, width = other_share.shape
        at_least = np.zeros((count, width + 1))
        np.cumsum(other_share[:, ::-1], axis=1, out=at_least[:, -2::-1])
        needed = (slope * heads)[:, None] + (fewest[rows] - others[:, :1])[:, :, None]
        index = np.ceil(needed).clip(0, width).astype(np.int64)
        index += (np.arange(count) * (width + 1))[:, None, None]
        result[rows] = np.einsum("ksh,kh->ks", at_least.take(index), share)
    return result


def _heads(coins: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Numbers of heads and their probabilities, (K, width) each: all that are likely."""
    laws = [likely_heads(count) for count in coins.tolist()]
    shares = np.zeros((len(laws), max(len(share) for _, share in laws)))
    for row, (_, share) in zip(shares, laws, strict=True):
        row[: len(share)] = share
    least = np.array([numbers[0] for numbers, _ in laws])
    return least[:, None] + np.arange(shares.shape[1]), shares
