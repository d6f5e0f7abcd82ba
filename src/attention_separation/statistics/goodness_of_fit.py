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
from scipy.special import gammaln, xlog1py, xlogy


@dataclass(frozen=True)
class PanelPoints:
    """The P points of a panel: counts (P,) int64, references and their errors (P,) float64."""

    successes: np.ndarray
    trials: np.ndarray
    reference: np.ndarray
    error: np.ndarray

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
        """The smallest and the largest probability of each point, (P,) each, under the null
        hypothesis."""
        low = np.clip(self.reference - self.error, 0, 1)
        high = np.clip(self.reference + self.error, 0, 1)
        return low, high


NEGLIGIBLE_MASS = 1e-30
"""Binomial probabilities below this are left out."""

SUM_REACH, SUM_REACH_AT_LEAST = 12, 60
"""Standard deviations, and counts, beyond which a sum of binomials is negligible."""


def sum_law(trials: np.ndarray, probabilities: np.ndarray) -> tuple[int, np.ndarray]:
    """The law of a sum of binomials: its first value, and the probabilities (S,) of this and the
    values that follow; trials and probabilities are (P,).

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
    """The law of a binomial: its first value that is not negligible, and the probabilities (S,) of
    this and the values that follow."""
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
    places = np.nonzero(law > NEGLIGIBLE_MASS)[0]
    first = places[0]
    law = law[first : places[-1] + 1]
    return int(values[first]), law / law.sum()


LEAST_VARIANCE = 1.0
"""Counts squared; see above."""

CELLS = 1 << 13
"""Multiples of a step, from 0 on, that the law of T is computed on: a little less than the observed
T."""

HOEFFDING_DEVIATIONS = 6.0
"""Standard deviations, at most, by which rounding to such multiples is allowed for."""

TAIL_ROUNDING = 1e-12
"""Added to p-values, for that of floats."""


def shape_p_value(panel: PanelPoints) -> float:
    """P(T >= its observed value) under the null hypothesis, or a little more.

    The terms of T are rounded to multiples of a step, up or down at random, so that means are kept:
    the law of their sum can be computed. The step is so small that the observed T is CELLS steps
    and `most_rounding` more, by which rounding moves the sum at most. So it is at least CELLS steps
    where T is at least its observed value.

    A deviation that the null hypothesis rules out has p = 0.
    """
    low, high = panel.bounds
    if np.any((panel.successes > 0) & (high == 0)):
        return 0.0
    if np.any((panel.successes < panel.trials) & (low == 1)):
        return 0.0
    observed = float(np.sum(_deviations(panel) ** 2 / _variances(panel)))
    if observed == 0:
        return 1.0
    # Each of P terms moves by a variable of mean zero within one step. So by Hoeffding's inequality
    # their sum moves further with probability at most exp(-HOEFFDING_DEVIATIONS^2 / 2), whatever it
    # is.
    most_rounding = HOEFFDING_DEVIATIONS * math.sqrt(len(panel.trials)) / 2
    step = observed / (CELLS + most_rounding)
    laws = np.array([_rounded_law(law, step) for law in _laws_of_terms(panel)])
    probability_below = float(_law_of_sum(laws).sum())
    return min(1.0, max(1 - probability_below, 0.0) + TAIL_ROUNDING)


def _variances(panel: PanelPoints) -> np.ndarray:
    """The variances v_i of the points' counts, (P,)."""
    binomial = panel.trials * panel.reference * (1 - panel.reference)
    return np.maximum(binomial, LEAST_VARIANCE)


def _deviations(panel: PanelPoints) -> np.ndarray:
    """Deviations d_i of the counts, (P,), from what is expected."""
    low, high = panel.bounds
    above = panel.successes - panel.trials * high
    below = panel.trials * low - panel.successes
    return np.maximum(np.maximum(above, below), 0.0)


@dataclass(frozen=True)
class Law:
    """Values (V,) other than 0, and their probabilities (V,); what these lack to 1 is that of 0."""

    values: np.ndarray
    probabilities: np.ndarray


def _laws_of_terms(panel: PanelPoints) -> list[Law]:
    """For each point a law of d_i^2 / v_i, or of a number that is at least as large."""
    low, high = panel.bounds
    variances = _variances(panel)
    laws = []
    for k, trials in enumerate(panel.trials.tolist()):
        law = _law_of_term(
            trials, low=float(low[k]), high=float(high[k]), variance=float(variances[k])
        )
        laws.append(law)
    return laws


def _law_of_term(trials: int, low: float, high: float, variance: float) -> Law:
    """A law of d_i^2 / v_i, or of a number at least as large, of a point whose rate is between
    `low` and `high`.

    Counts above the range of the null hypothesis are likeliest under its highest rate, those below
    under its lowest: with each side's probabilities from its own end, and no more than 1 in all, no
    bound is exceeded less often than under a rate between.
    """
    above = _law_of_deviation(trials, high, sign=1)
    below = _law_of_deviation(trials, low, sign=-1)
    deviations = np.concatenate([above.values, below.values])
    probabilities = np.concatenate([above.probabilities, below.probabilities])
    if low < high:
        descending = np.argsort(-deviations, kind="stable")
        deviations = deviations[descending]
        at_least = np.minimum(np.cumsum(probabilities[descending]), 1.0)
        probabilities = np.diff(at_least, prepend=0.0)
    return Law(deviations**2 / variance, probabilities)


def _law_of_deviation(trials: int, rate: float, sign: int) -> Law:
    """The law of how far a binomial count lies above its mean (`sign` +1) or below it (-1)."""
    first, probabilities = binomial_law(trials, rate)
    counts = first + np.arange(len(probabilities))
    deviations = sign * (counts - trials * rate)
    is_on_side = deviations > 0
    return Law(deviations[is_on_side], probabilities[is_on_side])


def _rounded_law(law: Law, step: float) -> np.ndarray:
    """Probabilities (CELLS,) of 0, 1, 2, ... steps: a law whose values are rounded to steps.

    The probability of a value between two multiples is split so that its mean is kept.
    """
    steps = np.minimum(law.values / step, CELLS)
    whole_steps = np.minimum(steps.astype(np.int64), CELLS - 1)
    share_above = steps - whole_steps
    rounded = np.zeros(CELLS + 1)
    np.add.at(rounded, whole_steps, law.probabilities * (1 - share_above))
    np.add.at(rounded, whole_steps + 1, law.probabilities * share_above)
    rounded[0] += max(1 - float(law.probabilities.sum()), 0.0)
    return rounded[:CELLS]


def _law_of_sum(laws: np.ndarray) -> np.ndarray:
    """Probabilities (CELLS,) that a sum is 0, 1, 2, ... steps, from those of its terms (P, CELLS).

    No term is negative: a sum of CELLS steps or more stays so, and is left out.
    """
    # Laws are convolved in pairs; of an odd number the last waits.
    while len(laws) > 1:
        paired = len(laws) // 2 * 2
        spectra = np.fft.rfft(laws[:paired], 2 * CELLS)
        sums = np.fft.irfft(spectra[::2] * spectra[1::2], 2 * CELLS)[:, :CELLS]
        laws = np.concatenate([np.maximum(sums, 0.0), laws[paired:]])
    law: np.ndarray = laws[0]
    return law
