"""One sign column against the softmax-regression data, given its number of pluses.

A score exceeds tau if and only if sum_i w_i (y_i - tau) > 0, with w the entries u of A x over log n
under the linear kernel and n^u under the exponential one. Given p pluses and q minuses this is a
sum of independent terms (1 - tau) w and -(1 + tau) w: it needs no normaliser. Below, "sum" means
this sum over all coordinates but one or two, whose terms are the offsets.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from attention_separation.softmax_vs_linear.fair_coins import likely_heads
from attention_separation.softmax_vs_linear.models.regression import LOWER, SPECIAL, UPPER
from attention_separation.softmax_vs_linear.success import TIE_TOLERANCE


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
        return Below(self._summed(pluses, minuses, {kernel: offsets}), 0.0)

    def both(
        self, pluses: np.ndarray, minuses: np.ndarray, linear: np.ndarray, exponential: np.ndarray
    ) -> Both:
        """The joint law for offsets `linear` and `exponential`, (S,) each, of the two sums."""
        offsets = {"linear": linear, "exp": exponential}
        lin, exp = (self._summed(pluses, minuses, {k: offsets[k]}) for k in offsets)
        return Both(self._summed(pluses, minuses, offsets), lin, exp, 0.0)

    def zero_given_data(self, kernel: str, dataset: int) -> tuple[np.ndarray, np.ndarray]:
        """P(a column leaves a network zero) given how many entries are UPPER; their shares."""
        ordinary = self.n - dataset
        counts, share = likely_heads(ordinary)
        offsets = SPECIAL * (np.array([-1, 1]) - self.tau) if dataset else np.zeros(1)
        low, high = weights(kernel, self.n, np.array([LOWER, UPPER]))
        zero = []
        for upper in counts.tolist():
            of_high, high_share = likely_heads(upper)
            of_low, low_share = likely_heads(ordinary - upper)
            at_most = np.append(0.0, np.cumsum(low_share))
            total = (1 + self.tau) * (upper * high + (ordinary - upper) * low)
            room = total - offsets - 2 * high * of_high[:, None] + TIE_TOLERANCE * self.n
            most = np.clip(np.floor(room / (2 * low)) - of_low[0] + 1, 0, len(of_low))
            zero.append((high_share @ at_most[most.astype(np.int64)]).mean())
        return np.array(zero), share

    def _summed(
        self, pluses: np.ndarray, minuses: np.ndarray, offsets: dict[str, np.ndarray]
    ) -> np.ndarray:
        result = []
        for p, q in zip(pluses.tolist(), minuses.tolist(), strict=True):
            high, share = likely_heads(p)
            low, low_share = likely_heads(q)
            at_least = np.append(np.cumsum(low_share[::-1])[::-1], 0.0)
            fewest = [self._fewest(k, p, q, high, x) for k, x in offsets.items()]
            needed = np.clip(np.maximum.reduce(fewest) - low[0], 0, len(low))
            result.append(share @ at_least[needed.astype(np.int64)])
        return np.array(result)

    def _fewest(
        self, kernel: str, p: int, q: int, high: np.ndarray, offsets: np.ndarray
    ) -> np.ndarray:
        """Fewest UPPER among the minuses for sum + offset <= 0, given those among the pluses."""
        low, step = weights(kernel, self.n, np.array([LOWER, UPPER]))
        step -= low
        plus = (1 - self.tau) * (p * low + step * high[:, None])
        excess = plus - (1 + self.tau) * q * low + offsets - TIE_TOLERANCE * self.n
        return np.ceil(excess / ((1 + self.tau) * step))
