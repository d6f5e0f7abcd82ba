"""Counts of successes beside the probabilities that they are held against; laws of their sums."""

from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln, xlog1py, xlogy


@dataclass(frozen=True)
class PanelPoints:
    """The P points of a panel: counts (P,) int64, references and their errors (P,) float64."""

    successes: np.ndarray
    trials: np.ndarray
    reference: np.ndarray
    error: np.ndarray

    def __post_init__(self) -> None:
        counts, probabilities = (self.successes, self.trials), (self.reference, self.error)
        if len({len(column) for column in (*counts, *probabilities)}) != 1:
            raise ValueError("counts and references of different lengths")
        if not len(self.trials):
            raise ValueError("no points to judge")
        for column in probabilities:
            if not np.all(np.isfinite(column) & (column >= 0) & (column <= 1)):
                raise ValueError("a reference or its error is no number between 0 and 1")
        if np.any(self.trials < 1) or np.any(self.successes < 0):
            raise ValueError("a point has no trials, or fewer than no successes")
        if np.any(self.successes > self.trials):
            raise ValueError("a point has more successes than trials")

    @property
    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """Smallest and largest probability of each point under the null hypothesis."""
        low, high = self.reference - self.error, self.reference + self.error
        return np.clip(low, 0, 1), np.clip(high, 0, 1)


NEGLIGIBLE = 1e-30
"""Binomial probabilities below this are left out."""

REACH, REACH_AT_LEAST = 12, 60
"""Standard deviations, and counts, beyond which a sum of binomials is negligible."""


def sum_law(trials: np.ndarray, probabilities: np.ndarray) -> tuple[int, np.ndarray]:
    """First value and probabilities of a sum of binomials; trials and probabilities are (P,).

    The convolution is circular: outside its window the sum's probability is negligible, so nothing
    is folded back.
    """
    variance = float(np.sum(trials * probabilities * (1 - probabilities)))
    reach = int(REACH * np.sqrt(variance)) + REACH_AT_LEAST
    size = 1 << (2 * reach).bit_length()
    product, first = np.ones(size // 2 + 1, dtype=complex), 0
    for count, probability in zip(trials.tolist(), probabilities.tolist(), strict=True):
        start, part = binomial_law(count, probability)
        first += start
        folded = np.zeros(size)
        np.add.at(folded, np.arange(len(part)) % size, part)
        product *= np.fft.rfft(folded)
    law = np.clip(np.fft.irfft(product, size), 0.0, 1.0)
    start = int(np.sum(trials * probabilities)) - size // 2
    return start, np.roll(law, first - start)


def binomial_law(trials: int, probability: float) -> tuple[int, np.ndarray]:
    """First value and probabilities of a binomial."""
    spread = REACH * np.sqrt(trials * probability * (1 - probability)) + REACH_AT_LEAST
    middle = trials * probability
    values = np.arange(max(int(middle - spread), 0), min(int(middle + spread) + 1, trials) + 1)
    log = (
        gammaln(trials + 1) - gammaln(values + 1) - gammaln(trials - values + 1)
        + xlogy(values, probability) + xlog1py(trials - values, -probability)
    )  # fmt: skip
    law = np.exp(log)
    kept = np.nonzero(law > NEGLIGIBLE)[0]
    law = law[kept[0] : kept[-1] + 1]
    return int(values[kept[0]]), law / law.sum()
