"""Agrees, differs or undecided: simulated success rates held against reference probabilities.

The null hypothesis of a point is |p - p_reference| <= its error. Points and panels are tested
together at one family-wise level (Holm). A panel that is not rejected agrees only if the
simultaneous interval of its mean difference lies within the margin: "not rejected" is not enough.
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import bdtr, bdtrc, gammaln, ndtri, xlog1py, xlogy

from attention_separation.intervals import clopper_pearson

NEGLIGIBLE = 1e-30
"""Binomial probabilities below this are left out of convolutions."""

REACH, REACH_AT_LEAST = 12, 60
"""Standard deviations, and counts, beyond which a sum of binomials is negligible."""


MOST_TRIALS = 10**15

VARIANCE_SHARE = 0.1
"""Share of an interval's chance to miss that is spent on bounding variances."""

BISECTIONS = 50


@dataclass(frozen=True)
class Measured:
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


def point_p_values(panel: Measured) -> np.ndarray:
    """Exact two-sided binomial p-values, (P,): twice the smaller tail, each at its worst case."""
    low, high = panel.bounds
    at_least = np.where(
        panel.successes == 0, 1.0, bdtrc(np.maximum(panel.successes, 1) - 1, panel.trials, high)
    )
    at_most = bdtr(panel.successes, panel.trials, low)
    return np.minimum(1.0, 2 * np.minimum(at_least, at_most))


def pooled_p_value(panel: Measured) -> float:
    """The same for the sum of all successes, a sum of binomials of different probabilities."""
    low, high = panel.bounds
    total = int(panel.successes.sum())
    start, law = _sum_law(panel.trials, low)
    at_most = law[: max(total - start + 1, 0)].sum()
    if np.any(panel.error > 0):
        start, law = _sum_law(panel.trials, high)
    at_least = law[max(total - start, 0) :].sum()
    return float(min(1.0, 2 * min(at_least, at_most)))


def _sum_law(trials: np.ndarray, probabilities: np.ndarray) -> tuple[int, np.ndarray]:
    """First value and probabilities of a sum of binomials, where they are not negligible.

    The convolution is circular: outside its window the sum's probability is negligible, so nothing
    is folded back.
    """
    variance = float(np.sum(trials * probabilities * (1 - probabilities)))
    reach = int(REACH * np.sqrt(variance)) + REACH_AT_LEAST
    size = 1 << (2 * reach).bit_length()
    product, first = np.ones(size // 2 + 1, dtype=complex), 0
    for count, probability in zip(trials.tolist(), probabilities.tolist(), strict=True):
        start, part = _binomial_part(count, probability)
        first += start
        folded = np.zeros(size)
        np.add.at(folded, np.arange(len(part)) % size, part)
        product *= np.fft.rfft(folded)
    law = np.clip(np.fft.irfft(product, size), 0.0, 1.0)
    start = int(np.sum(trials * probabilities)) - size // 2
    return start, np.roll(law, first - start)


def _binomial_part(count: int, probability: float) -> tuple[int, np.ndarray]:
    """The first value and the probabilities of a binomial's values that are not negligible."""
    spread = REACH * np.sqrt(count * probability * (1 - probability)) + REACH_AT_LEAST
    middle = count * probability
    values = np.arange(max(int(middle - spread), 0), min(int(middle + spread) + 1, count) + 1)
    log = (
        gammaln(count + 1) - gammaln(values + 1) - gammaln(count - values + 1)
        + xlogy(values, probability) + xlog1py(count - values, -probability)
    )  # fmt: skip
    part = np.exp(log)
    kept = np.nonzero(part > NEGLIGIBLE)[0]
    part = part[kept[0] : kept[-1] + 1]
    return int(values[kept[0]]), part / part.sum()


def holm(p_values: np.ndarray) -> np.ndarray:
    """Adjusted p-values of Holm's method: below the level, rejected at that family-wise level."""
    order = np.argsort(p_values, kind="stable")
    factors = np.arange(len(p_values), 0, -1)
    adjusted = np.empty(len(p_values))
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(p_values[order] * factors))
    return adjusted


@dataclass(frozen=True)
class PanelVerdict:
    """What was found of one panel."""

    verdict: str
    mean_rate: float
    mean_reference: float
    low: float
    high: float
    """Simultaneous interval of the mean of p - p_reference."""
    margin: float
    point_p: np.ndarray
    """Adjusted, as pooled_p: at or below the level means rejected."""
    pooled_p: float
    trials_to_decide: int | None
    """Trials per point that would decide an undecided panel; None where none would."""
    detectable_bias: float
    """Mean bias of the panel's rate that the pooled test finds with probability 0.9."""


def judge(panels: list[Measured], margins: list[float], level: float) -> list[PanelVerdict]:
    """Judge all panels at one family-wise level; a panel's points must have equal trials."""
    tests = [np.append(point_p_values(panel), pooled_p_value(panel)) for panel in panels]
    adjusted = np.split(holm(np.concatenate(tests)), np.cumsum([len(t) for t in tests])[:-1])
    smallest = level / sum(len(t) for t in tests)
    return [
        _judge_panel(panel, p, margin, level, level / len(panels), smallest)
        for panel, p, margin in zip(panels, adjusted, margins, strict=True)
    ]


def mean_half_width(successes: np.ndarray, trials: np.ndarray, alpha: float) -> float:
    """Half the width of an interval that misses the mean probability with chance at most alpha.

    Bennett's inequality for the sum of all successes, with the largest variance that simultaneous
    Clopper-Pearson intervals of the points allow; these spend a tenth of alpha.
    """
    low, high = clopper_pearson(successes, trials, 1 - alpha * VARIANCE_SHARE / len(trials))
    likeliest = np.clip(0.5, low, high)
    variance = float(np.sum(trials * likeliest * (1 - likeliest)))
    wanted = math.log(2 / (alpha * (1 - VARIANCE_SHARE)))
    # Bernstein's inequality is the weaker: its deviation is enough, and half of it is not.
    small, large = 0.0, math.sqrt(2 * variance * wanted) + 2 * wanted / 3
    for _ in range(BISECTIONS):
        middle = (small + large) / 2
        ratio = middle / variance
        enough = variance * ((1 + ratio) * math.log1p(ratio) - ratio) >= wanted
        small, large = (small, middle) if enough else (middle, large)
    return large / float(np.sum(trials))


def _judge_panel(
    panel: Measured, adjusted: np.ndarray, margin: float, level: float, alpha: float,
    smallest: float,
) -> PanelVerdict:  # fmt: skip
    if len(np.unique(panel.trials)) != 1:
        raise ValueError("the points of a panel have different numbers of trials")
    total, successes = int(panel.trials.sum()), int(panel.successes.sum())
    mean_reference, error = float(panel.reference.mean()), float(panel.error.mean())
    difference = successes / total - mean_reference
    reach = mean_half_width(panel.successes, panel.trials, alpha) + error
    low, high = difference - reach, difference + reach
    within = -margin <= low and high <= margin
    verdict = "differs" if np.any(adjusted <= level) else "agrees" if within else "undecided"
    return PanelVerdict(
        verdict=verdict,
        mean_rate=successes / total,
        mean_reference=mean_reference,
        low=low,
        high=high,
        margin=margin,
        point_p=adjusted[:-1],
        pooled_p=float(adjusted[-1]),
        trials_to_decide=(
            _trials_to_decide(panel, margin, alpha) if verdict == "undecided" else None
        ),
        detectable_bias=_detectable_bias(panel, smallest),
    )


def _trials_to_decide(panel: Measured, margin: float, alpha: float) -> int | None:
    """Trials per point from which a panel that is right would agree nine times in ten."""
    many = 1
    while not _would_agree(panel, margin, alpha, many):
        many *= 2
        if many > MOST_TRIALS:
            return None
    few = many // 2
    while many - few > max(many // 100, 1):
        middle = (few + many) // 2
        if _would_agree(panel, margin, alpha, middle):
            many = middle
        else:
            few = middle
    return many


def _would_agree(panel: Measured, margin: float, alpha: float, trials: int) -> bool:
    """Whether the interval lies within the margin if the rate is off by its 5 % quantiles."""
    counts = np.full(len(panel.reference), trials)
    expected = np.rint(panel.reference * trials).astype(np.int64)
    variance = float(np.mean(panel.reference * (1 - panel.reference)))
    deviation = float(-ndtri(0.05)) * math.sqrt(variance / (len(counts) * trials))
    reach = mean_half_width(expected, counts, alpha) + float(panel.error.mean())
    return deviation + reach <= margin


def _detectable_bias(panel: Measured, smallest: float) -> float:
    """About the bias of the mean rate that the pooled test rejects with probability 0.9.

    By the normal law; where successes are all but certain or impossible, by the few counts that
    the test and the chance to miss it then take.
    """
    spread = np.sqrt(np.sum(panel.trials * panel.reference * (1 - panel.reference)))
    few = math.log(2 / smallest) - math.log(0.1)
    count = max((-ndtri(smallest / 2) - ndtri(0.1)) * spread, few)
    return float(count / panel.trials.sum() + panel.error.mean())
