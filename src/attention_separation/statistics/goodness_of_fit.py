"""A panel's counts beside the probabilities that they are held against, and the goodness of fit of
its shape: whether its points scatter about their references as they should, whatever their mean.

T = sum_i d_i^2 / v_i over the points, d_i = |k_i - n_i p_i| less n_i times the reference's error
where that is positive, v_i = n_i p_i (1 - p_i) but at least one count squared. The law of T under
the null hypothesis |p - reference| <= error is exact where the errors are zero; else each d_i is
replaced by a variable that exceeds any bound at least as often as d_i does under any rate that is
allowed.

Without the least variance a single success where 0.01 are expected would be worth a hundred other
points: the heavy tail hides moderate deviations of all the others, while such a point alone is
what the points' own tests find.
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import bdtr, gammaln, xlog1py, xlogy


@dataclass(frozen=True)
class PanelPoints:
    """The P points of a panel: counts (P,) int64, references and their errors (P,) float64.

    `misread` (P,) is by how many successes each count may be off, whatever the errors' law: 0 where
    counts are known.
    """

    successes: np.ndarray
    trials: np.ndarray
    reference: np.ndarray
    error: np.ndarray
    misread: np.ndarray | int = 0

    def __post_init__(self) -> None:
        columns = (self.successes, self.trials, self.reference, self.error)
        lengths = {len(column) for column in columns}
        if len(lengths) != 1:
            raise ValueError("counts and references of different lengths")
        if not len(self.trials):
            raise ValueError("no points to judge")
        for column in (self.reference, self.error):
            if not np.all(np.isfinite(column) & (column >= 0) & (column <= 1)):
                raise ValueError("a reference or its error is no number between 0 and 1")
        if np.any(self.trials < 1) or np.any(self.successes < 0):
            raise ValueError("a point has no trials, or fewer than no successes")
        if np.any(self.successes > self.trials):
            raise ValueError("a point has more successes than trials")

    @property
    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """Smallest and largest probability of each point under the null hypothesis."""
        low = np.clip(self.reference - self.error, 0, 1)
        high = np.clip(self.reference + self.error, 0, 1)
        return low, high

    @property
    def counts(self) -> tuple[np.ndarray, np.ndarray]:
        """Smallest and largest number of successes that each point may have had."""
        least = np.maximum(self.successes - self.misread, 0)
        most = np.minimum(self.successes + self.misread, self.trials)
        return least, most

    @property
    def slack(self) -> float:
        """The mean error of the rates and of their references together."""
        return float(np.mean(self.error + self.misread / self.trials))


NEGLIGIBLE = 1e-30
"""Binomial probabilities below this are left out."""

SUM_REACH, SUM_REACH_AT_LEAST = 12, 60
"""Standard deviations, and counts, beyond which a sum of binomials is negligible."""


def sum_law(trials: np.ndarray, probabilities: np.ndarray) -> tuple[int, np.ndarray]:
    """First value and probabilities of a sum of binomials; trials and probabilities are (P,).

    The convolution is circular: outside its window the sum's probability is negligible, so nothing
    is folded back.
    """
    variance = float(np.sum(trials * probabilities * (1 - probabilities)))
    reach = int(SUM_REACH * np.sqrt(variance)) + SUM_REACH_AT_LEAST
    size = 1 << (2 * reach).bit_length()
    product = np.ones(size // 2 + 1, dtype=complex)
    first = 0
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
    middle = trials * probability
    reach = SUM_REACH * np.sqrt(middle * (1 - probability)) + SUM_REACH_AT_LEAST
    lowest = max(int(middle - reach), 0)
    highest = min(int(middle + reach) + 1, trials)
    values = np.arange(lowest, highest + 1)
    log = (
        gammaln(trials + 1) - gammaln(values + 1) - gammaln(trials - values + 1)
        + xlogy(values, probability) + xlog1py(trials - values, -probability)
    )  # fmt: skip
    law = np.exp(log)
    kept = np.nonzero(law > NEGLIGIBLE)[0]
    law = law[kept[0] : kept[-1] + 1]
    return int(values[kept[0]]), law / law.sum()


LEAST_VARIANCE = 1.0
"""Counts squared; see above."""

CELLS = 1 << 13
"""Of the grid that the law of T is computed on, below the observed T."""

REACH = 6.0
"""Standard deviations, at most, by which rounding to the grid is allowed for."""

ROUNDING = 1e-12
"""Added to p-values, for that of floats."""


def shape_p_value(panel: PanelPoints) -> float:
    """P(T >= its observed value) under the null hypothesis, or a little more.

    A deviation that the null hypothesis rules out has p = 0.
    """
    low, high = panel.bounds
    least, most = panel.counts
    if np.any((least > 0) & (high == 0)):
        return 0.0
    if np.any((most < panel.trials) & (low == 1)):
        return 0.0
    observed = float(np.sum(_deviations(panel) ** 2 / _variances(panel)))
    if observed == 0:
        return 1.0
    cell = observed / (CELLS + _cells_of_rounding(len(panel.trials)))
    below = _sum_below(_contributions(panel), cell)
    return min(1.0, max(1 - float(below.sum()), 0.0) + ROUNDING)


def log_likelihood(panel: PanelPoints) -> float:
    """Log of the probability of the counts, each up to its misreading; at least 1e-12 a point."""
    least, most = panel.counts
    below = np.where(least > 0, bdtr(least - 1.0, panel.trials, panel.reference), 0)
    shares = bdtr(most, panel.trials, panel.reference) - below
    return float(np.log(np.maximum(shares, 1e-12)).sum())


def _variances(panel: PanelPoints) -> np.ndarray:
    """v_i, (P,)."""
    binomial = panel.trials * panel.reference * (1 - panel.reference)
    return np.maximum(binomial, LEAST_VARIANCE)


def _deviations(panel: PanelPoints) -> np.ndarray:
    """Deviations d_i of the counts, (P,), from what is expected."""
    low, high = panel.bounds
    least, most = panel.counts
    above = least - panel.trials * high
    below = panel.trials * low - most
    return np.maximum(np.maximum(above, below), 0.0)


def _contributions(panel: PanelPoints) -> list[tuple[np.ndarray, np.ndarray]]:
    """Of each point, values of d_i^2 / v_i other than 0, and their probabilities.

    Counts above the range of the null hypothesis are likeliest under its highest rate, those below
    under its lowest: with each side's probabilities from its own end, and no more than 1 in all, no
    bound is exceeded less often than under a rate between.
    """
    low, high = panel.bounds
    variances = _variances(panel)
    contributions = []
    for k, trials in enumerate(panel.trials.tolist()):
        above, above_share = _one_side(trials, float(high[k]), sign=1)
        below, below_share = _one_side(trials, float(low[k]), sign=-1)
        size = np.concatenate([above, below])
        share = np.concatenate([above_share, below_share])
        if low[k] < high[k]:
            descending = np.argsort(-size, kind="stable")
            size = size[descending]
            share_at_least = np.minimum(np.cumsum(share[descending]), 1.0)
            share = np.diff(share_at_least, prepend=0.0)
        contributions.append((size**2 / variances[k], share))
    return contributions


def _one_side(trials: int, rate: float, sign: int) -> tuple[np.ndarray, np.ndarray]:
    """Deviations of a count from its mean to one side, and their probabilities."""
    start, law = binomial_law(trials, rate)
    deviations = sign * (start + np.arange(len(law)) - trials * rate)
    is_on_side = deviations > 0
    return deviations[is_on_side], law[is_on_side]


def _cells_of_rounding(points: int) -> float:
    """Cells by which rounding to the grid moves a sum of so many points, at most.

    Each contribution moves by a variable of mean zero within one cell, so that by Hoeffding's
    inequality the sum moves so far with probability at most exp(-REACH^2 / 2), whatever it is.
    """
    return REACH * math.sqrt(points) / 2


def _sum_below(contributions: list[tuple[np.ndarray, np.ndarray]], cell: float) -> np.ndarray:
    """Probabilities (CELLS,) that the sum is so many cells, where it is below CELLS of them.

    What lies between two cells is split so that means are kept. Contributions are not negative:
    what has reached the end of the grid never comes back, so it may be dropped.
    """
    laws = np.zeros((len(contributions), CELLS + 1))
    for law, (size, share) in zip(laws, contributions, strict=True):
        place = np.minimum(size / cell, CELLS)
        whole = np.minimum(place.astype(np.int64), CELLS - 1)
        np.add.at(law, whole, share * (1 - (place - whole)))
        np.add.at(law, whole + 1, share * (place - whole))
        law[0] += max(1 - float(share.sum()), 0.0)
    laws = laws[:, :CELLS]
    # Laws are added in pairs; of an odd number the last waits.
    while len(laws) > 1:
        paired = len(laws) // 2 * 2
        spectra = np.fft.rfft(laws[:paired], 2 * CELLS)
        sums = np.fft.irfft(spectra[::2] * spectra[1::2], 2 * CELLS)[:, :CELLS]
        laws = np.concatenate([np.maximum(sums, 0.0), laws[paired:]])
    return laws[0]
