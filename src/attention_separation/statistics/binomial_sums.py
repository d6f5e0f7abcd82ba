"""Laws of binomials and of their sums, where they are not negligible."""

import numpy as np
from scipy.special import gammaln, xlog1py, xlogy

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
