"""Exact probabilities for the attention models, by summing over the states of a sign column.

Given the classes that the special tokens of D0 and D1 fall in, the columns of y are independent and
alike. A column is worth to the four networks what four flags say: which of them it makes positive.
Its state is the bits of the first, last and marked coordinates and the number of pluses among the
other classes, so the law of the flags is a short sum, and E_success follows from two of its parts.
"""

from dataclasses import dataclass

import numpy as np

from attention_separation.softmax_vs_linear.distinct import DistinctRows
from attention_separation.softmax_vs_linear.success import NETWORKS, exceeds

PATTERNS = 1 << len(NETWORKS)
HAS_FLAG = (np.arange(PATTERNS)[:, None] >> np.arange(len(NETWORKS)) & 1).astype(bool)
"""(patterns, 4): which networks a pattern of flags makes positive."""


@dataclass(frozen=True)
class Probabilities:
    """P(E_success) and the probabilities of EVENTS, in their order."""

    success: float
    events: tuple[float, float, float, float]


def probabilities(
    networks: list[DistinctRows], tau: float, s: float, m: int, data: str, signs: str
) -> Probabilities:
    """Exact probabilities over y and the special tokens.

    Parameters
    ----------
    networks : the distinct rows of each of NETWORKS, in that order
    tau, s : threshold, and sqrt(log n)
    m : number of sign columns
    data : "independent" or "same" special tokens in D0 and D1
    signs : y "shared" by the four networks, or "fresh" for each
    """
    flags = [
        sum(
            exceeds(networks[k].largest_scores(), tau, s).astype(np.int64) << k
            for k, network in enumerate(NETWORKS)
            if network.dataset == dataset
        )
        for dataset in (0, 1)
    ]
    same = _same_class(flags)
    zero = (same @ ~HAS_FLAG) ** m  # the class does not matter to a network alone
    events = np.where([True, False, False, False], 1 - zero, zero)
    if signs == "fresh":
        success = float(events.prod())
    else:
        classes = networks[0].classes
        success = _success(same, m)
        if data == "independent" and classes > 1:
            success = (success + (classes - 1) * _success(_different_classes(flags), m)) / classes
    return Probabilities(success, tuple(events.tolist()))


def _success(law: np.ndarray, m: int) -> float:
    """No column has another flag than the first, less no column has any: over m columns."""
    return float((law[0] + law[1]) ** m - law[0] ** m)


def _same_class(flags: list[np.ndarray]) -> np.ndarray:
    """Law of the flags, (16,), where both special tokens mark the same class."""
    d0, d1 = flags
    return _law(d0 + d1, d0.shape[-1] - 1)


def _different_classes(flags: list[np.ndarray]) -> np.ndarray:
    """Law of the flags where they mark two classes: each counts the other's among the unmarked."""
    d0, d1 = flags
    together = [
        d0[:, :, own0, own1 : d0.shape[-1] - 1 + own1]
        + d1[:, :, own1, own0 : d1.shape[-1] - 1 + own0]
        for own0 in (0, 1)
        for own1 in (0, 1)
    ]
    return _law(np.stack(together, axis=2), d0.shape[-1] - 2)


def _law(flags: np.ndarray, coins: int) -> np.ndarray:
    """Law of flags (..., coins + 1) whose last axis counts heads and whose others are fair bits."""
    bits = flags[..., 0].size
    weights = np.broadcast_to(_binomial(coins) / bits, flags.shape)
    return np.bincount(flags.ravel(), weights=weights.ravel(), minlength=PATTERNS)


def _binomial(coins: int) -> np.ndarray:
    """Probabilities of 0..coins heads of fair coins, each to a relative error of about 1e-16 coins.

    Ratios of neighbours are multiplied up from the middle, where the probability is largest.
    """
    middle = coins // 2
    up = np.arange(middle, coins)
    rising = np.cumprod((coins - up) / (up + 1.0))
    down = np.arange(middle, 0, -1)
    falling = np.cumprod(down / (coins - down + 1.0))
    unscaled = np.concatenate([falling[::-1], [1.0], rising])
    return unscaled / unscaled.sum()
