"""Agrees, differs or undecided: simulated success rates held against reference probabilities.

The null hypothesis of a point is |p - p_reference| <= its error. One family of tests has a
family-wise level (Holm): of each point its own binomial test, and of each panel that of the sum of
its successes, which finds a bias, and that of its shape (goodness_of_fit), which finds errors that
cancel in the sum. A panel differs if any of its tests rejects. One that does not agrees only if the
simultaneous interval of its mean difference lies within the margin: "not rejected" is not enough.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import bdtr, bdtrc, expit, ndtr, ndtri

from .bisection import bracket, whole_between
from .claims import Verdict
from .goodness_of_fit import PanelPoints, shape_p_value, sum_law

MOST_TRIALS = 10**15

PANEL_TESTS = 2
"""Of the sum and of the shape, beside those of the points."""


def point_p_values(panel: PanelPoints) -> np.ndarray:
    """The exact two-sided binomial p-value of each point, (P,): twice the smaller tail, each at the
    probability within the null hypothesis's bounds that makes it largest."""
    low, high = panel.bounds
    counts = panel.successes
    at_least = np.where(counts == 0, 1.0, bdtrc(np.maximum(counts, 1) - 1, panel.trials, high))
    at_most = bdtr(counts, panel.trials, low)
    return np.minimum(1.0, 2 * np.minimum(at_least, at_most))


def pooled_p_value(panel: PanelPoints) -> float:
    """The two-sided p-value of the sum of a panel's successes, a sum of binomials of different
    probabilities: twice the smaller tail, each at the bounds that make it largest."""
    low, high = panel.bounds
    total = panel.successes.sum()
    first, law = sum_law(panel.trials, low)
    sums = first + np.arange(len(law))
    at_most = law[sums <= total].sum()
    if np.any(panel.error > 0):
        first, law = sum_law(panel.trials, high)
        sums = first + np.arange(len(law))
    at_least = law[sums >= total].sum()
    return float(min(1.0, 2 * min(at_least, at_most)))


def holm(p_values: np.ndarray) -> np.ndarray:
    """The p-values of a family of tests adjusted by Holm's method, in the order given: a test whose
    adjusted value is at or below a level is rejected at that family-wise level."""
    order = np.argsort(p_values, kind="stable")
    factors = np.arange(len(p_values), 0, -1)
    adjusted = np.empty(len(p_values))
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(p_values[order] * factors))
    return adjusted


@dataclass(frozen=True)
class PanelVerdict:
    """What was found of one panel."""

    verdict: str
    mean_p_hat: float
    mean_p_exact: float
    difference_low: float
    difference_high: float
    """Simultaneous interval of the mean of p - p_reference."""
    margin: float
    point_p: np.ndarray
    """Adjusted, as the next two: at or below the level means rejected."""
    pooled_p: float
    shape_p: float
    trials_to_decide: int | None
    """Trials per point that would decide an undecided panel; None where none would."""
    detectable_bias: float
    """Mean bias of the panel's rate that the test of the sum finds with probability 0.9."""


def judge(panels: list[PanelPoints], margins: list[float], level: float) -> list[PanelVerdict]:
    """The verdict on each panel, all at one family-wise level; a panel's points must have equal
    trials."""
    p_values_by_panel = [_panel_p_values(panel) for panel in panels]
    p_values = np.concatenate(p_values_by_panel)
    ends = np.cumsum([len(panel_p_values) for panel_p_values in p_values_by_panel])
    adjusted = np.split(holm(p_values), ends[:-1])
    return [
        _judge_panel(
            panel,
            adjusted_p,
            margin,
            level=level,
            alpha=level / len(panels),
            smallest=level / len(p_values),
        )
        for panel, adjusted_p, margin in zip(panels, adjusted, margins, strict=True)
    ]


def _panel_p_values(panel: PanelPoints) -> np.ndarray:
    """The p-values of a panel's points, of its sum and of its shape, (P + PANEL_TESTS,)."""
    p_values_of_whole = [pooled_p_value(panel), shape_p_value(panel)]
    return np.concatenate([point_p_values(panel), p_values_of_whole])


def _judge_panel(
    panel: PanelPoints,
    adjusted: np.ndarray,
    margin: float,
    level: float,
    alpha: float,
    smallest: float,
) -> PanelVerdict:
    """The verdict on one panel, with all numbers that it rests on.

    adjusted : its p-values, as `_panel_p_values` has them, adjusted for all panels' tests
    alpha : level of the interval of its mean difference
    smallest : p-value from which on any test rejects, without adjustment
    """
    if len(np.unique(panel.trials)) != 1:
        raise ValueError("the points of a panel have different numbers of trials")
    total = int(panel.trials.sum())
    successes = int(panel.successes.sum())
    mean_reference = float(panel.reference.mean())
    error = float(panel.error.mean())
    lowest, highest = mean_rate_interval(panel.successes, panel.trials, alpha)
    low = lowest - mean_reference - error
    high = highest - mean_reference + error
    if np.any(adjusted <= level):
        verdict = Verdict.DIFFERS
    elif -margin <= low and high <= margin:
        verdict = Verdict.AGREES
    else:
        verdict = Verdict.UNDECIDED
    trials_to_decide = None
    if verdict == Verdict.UNDECIDED:
        trials_to_decide = _trials_to_decide(panel, margin, alpha)
    *point_p, pooled_p, shape_p = adjusted.tolist()
    return PanelVerdict(
        verdict=verdict,
        mean_p_hat=successes / total,
        mean_p_exact=mean_reference,
        difference_low=low,
        difference_high=high,
        margin=margin,
        point_p=np.array(point_p),
        pooled_p=pooled_p,
        shape_p=shape_p,
        trials_to_decide=trials_to_decide,
        detectable_bias=_detectable_bias(panel, smallest),
    )


def _trials_to_decide(panel: PanelPoints, margin: float, alpha: float) -> int | None:
    """The least number of trials per point, to a hundredth, at which a panel whose references are
    right would agree nine times in ten; None if MOST_TRIALS are not enough."""
    enough = 1
    while not _would_agree(panel, margin, alpha, enough):
        enough *= 2
        if enough > MOST_TRIALS:
            return None

    def are_too_few(trials: int) -> bool:
        return not _would_agree(panel, margin, alpha, trials)

    def between(few: int, many: int) -> int | None:
        """The whole number midway; None if the two differ by a hundredth or less."""
        is_close = many - few <= many // 100
        return None if is_close else whole_between(few, many)

    _, least_enough = bracket(enough // 2, enough, are_too_few, between)
    return least_enough


def _would_agree(panel: PanelPoints, margin: float, alpha: float, trials: int) -> bool:
    """Whether a panel of so many trials per point agrees if its rate is the references' mean plus
    or minus its 5 % quantile: whether the interval of the difference then lies within the
    margin."""
    counts = np.full(len(panel.reference), trials)
    expected = np.rint(panel.reference * trials).astype(np.int64)
    variance = float(np.mean(panel.reference * (1 - panel.reference)))
    deviation = float(-ndtri(0.05)) * math.sqrt(variance / (len(counts) * trials))
    low, high = mean_rate_interval(expected, counts, alpha)
    rate = float(expected.mean()) / trials
    return deviation + max(high - rate, rate - low) + float(panel.error.mean()) <= margin


MISSED = 0.1
"""Chance that the test of the sum misses the bias that is called detectable."""


def _detectable_bias(panel: PanelPoints, smallest: float) -> float:
    """The bias of a panel's mean rate that the test of its sum finds with probability 0.9, about.

    `smallest` : p-value from which on the test rejects

    The sum's quantiles are normal ones, of its standard deviation with and without the bias, and
    the one that rejects has the next term of Cornish and Fisher: laws of few successes, or of few
    others, have a long tail. Half a count more, for sums are whole numbers.
    """
    p = panel.reference
    variances = panel.trials * p * (1 - p)
    variance = float(variances.sum())
    # Of a sum of rare events; of no variance it is that of the first event.
    skewness_times_deviation = 1.0
    if variance:
        skewness_times_deviation = abs(float(variances @ (1 - 2 * p))) / variance
    z = float(-ndtri(smallest / 2))
    rejected = z * math.sqrt(variance) + (z * z - 1) / 6 * skewness_times_deviation + 0.5
    # With the bias the variance is larger by so much for each count.
    gain = abs(float(panel.trials @ (1 - 2 * p))) / float(panel.trials.sum())
    z_missed = float(-ndtri(MISSED))
    half = z_missed * z_missed * gain / 2
    beyond = half + math.sqrt(half * half + z_missed**2 * (variance + gain * rejected))
    return float((rejected + beyond) / panel.trials.sum() + panel.error.mean())


RELATIVE = 1e-12
"""To this the tilts are found, in units of a limit's own shift."""


def mean_rate_interval(
    successes: np.ndarray, trials: np.ndarray, alpha: float
) -> tuple[float, float]:
    """The lower and the upper limit of the mean rate of all trials, each missed with probability
    alpha / 2.

    From the sum of all successes, whose law depends on all rates. Here it runs along one curve
    through them: the rates smoothed, (k + 1/2) / (n + 1), all logits shifted by the same theta (an
    exponential tilt). The limits are the means at the two tilts under which a sum as far off as the
    observed one has probability alpha / 2. Tails are the saddlepoint approximation of Lugannani and
    Rice (1980) with Daniels' correction (1987) for lattices: the saddlepoint under a tilt theta is
    theta_hat - theta, where theta_hat is the tilt whose mean is the sum. Sums of no successes, or
    of nothing else, have exact probabilities.

    Parameters
    ----------
    successes, trials : (P,) counts; points of more trials weigh more in the mean
    alpha : probability, about, that the interval misses the mean
    """
    total = int(successes.sum())
    missed = int(trials.sum()) - total
    logits = np.log((successes + 0.5) / (trials - successes + 0.5))
    low = 0.0
    high = 1.0
    if missed:
        high = _upper_limit(logits, trials, total, alpha / 2)
    if total:
        low = 1 - _upper_limit(-logits, trials, missed, alpha / 2)
    return low, high


def _upper_limit(logits: np.ndarray, trials: np.ndarray, total: int, tail: float) -> float:
    """The mean rate at the tilt theta, a number added to all logits, at which a sum of at most
    `total` successes has probability `tail`."""

    def mean_sum(theta: float) -> float:
        """The mean number of successes."""
        return float(trials @ expit(logits + theta))

    def log_no_success(theta: float) -> float:
        """The logarithm of the probability of no success."""
        return float(-trials @ np.logaddexp(0, logits + theta))

    if total == 0:
        tilt = _root(lambda theta: log_no_success(theta) - math.log(tail), 1.0)
        return mean_sum(tilt) / float(trials.sum())
    observed_tilt = _root(lambda theta: total - mean_sum(theta), 1.0)
    rates = expit(logits + observed_tilt)
    spread = math.sqrt(trials @ (rates * (1 - rates)))
    normal_shift = -float(ndtri(tail)) / spread
    shift = _root(
        lambda shift: _at_most(rates, trials, spread, shift) - tail,
        step=normal_shift,
        least=normal_shift / 4,
    )
    return mean_sum(observed_tilt + shift) / float(trials.sum())


def _at_most(rates: np.ndarray, trials: np.ndarray, spread: float, shift: float) -> float:
    """P(S <= m) of the sum S of all successes, by the saddlepoint approximation: m is the mean of S
    under `rates`, `spread` its standard deviation there, and S has the rates whose logits are those
    of `rates` plus `shift`.

    In terms of the rates the exponent is a sum of small numbers, which loses nothing to rounding
    however many the trials are.
    """
    exponent = trials @ (np.log1p(rates * math.expm1(shift)) - rates * shift)
    w = -math.sqrt(2 * exponent)
    u = math.expm1(-shift) * spread
    return float(ndtr(w)) + math.exp(-exponent) / math.sqrt(2 * math.pi) * (1 / w - 1 / u)


def _root(falling: Callable[[float], float], step: float, least: float | None = None) -> float:
    """The zero of a falling function, to RELATIVE steps; `least`, if given, lies below the zero."""
    low = -step if least is None else least
    while least is None and falling(low) < 0:
        low *= 2
    high = step
    while falling(high) > 0:
        high *= 2
    # To import it takes longer than most jobs that load this module.
    from scipy.optimize import brentq

    return float(brentq(falling, low, high, xtol=RELATIVE * step, rtol=1e-15))
