"""Exact probabilities for the attention models, by summing over the states of a sign column.

Given the classes that the special tokens of D0 and D1 fall in, the columns of y are independent and
alike. A column is worth to the four networks what four flags say: which of them it makes positive.
Its state is the bits of the first, last and marked coordinates and the number of pluses among the
other classes, so the law of the flags is a short sum, and E_success follows from two of its parts.
"""

from collections.abc import Callable
from functools import lru_cache

import numpy as np

from attention_separation.softmax_vs_linear.attention import KERNELS, Kernel
from attention_separation.softmax_vs_linear.distinct import DistinctRows
from attention_separation.softmax_vs_linear.point import Point
from attention_separation.softmax_vs_linear.reference import Reference
from attention_separation.softmax_vs_linear.success import NETWORKS, exceeds

PATTERNS = 1 << len(NETWORKS)
HAS_FLAG = (np.arange(PATTERNS)[:, None] >> np.arange(len(NETWORKS)) & 1).astype(bool)
"""(patterns, 4): which networks a pattern of flags makes positive."""


States = tuple[np.ndarray, np.ndarray, np.ndarray]
"""Flat: what each state of a column is worth to D0 and to D1, and its probability."""

METHOD = "sum over the states of a sign column"


def reference(point: Point, rows: Callable[[Point, int, Kernel], DistinctRows]) -> Reference:
    """Exact probabilities at a point of a model whose distinct rows are `rows`."""
    networks = [rows(point, dataset, KERNELS[kernel]) for kernel, dataset in NETWORKS]
    return probabilities(networks, point.tau, point.s, point.m, point.data, point.signs)


def probabilities(
    networks: list[DistinctRows], tau: float, s: float, m: int, data: str, signs: str
) -> Reference:
    """Exact probabilities over y and the special tokens.

    Parameters
    ----------
    networks : the distinct rows of each of NETWORKS, in that order
    tau, s : threshold, and sqrt(log n)
    m : number of sign columns
    data : "independent" or "same" special tokens in D0 and D1
    signs : y "shared" by the four networks, or "fresh" for each
    """
    d0, d1 = (
        sum(
            exceeds(networks[k].largest_scores(), tau, s).astype(np.int64) << k
            for k, network in enumerate(NETWORKS)
            if network.dataset == dataset
        )
        for dataset in (0, 1)
    )
    same = _law_of_flags(same_class(d0, d1))
    zero = (same @ ~HAS_FLAG) ** m  # the class does not matter to a network alone
    events = np.where([True, False, False, False], 1 - zero, zero)
    if signs == "fresh":
        success = float(events.prod())
    else:
        classes = networks[0].classes
        success = _success(same, m)
        if data == "independent" and classes > 1:
            different = _success(_law_of_flags(different_classes(d0, d1)), m)
            success = (success + (classes - 1) * different) / classes
    return Reference(success, tuple(events.tolist()), 0.0, METHOD)


def _success(law: np.ndarray, m: int) -> float:
    """No column has another flag than the first, less no column has any: over m columns."""
    return float((law[0] + law[1]) ** m - law[0] ** m)


def _law_of_flags(states: States) -> np.ndarray:
    """Law of the flags, (16,), where each dataset's states are flags of its own networks."""
    d0, d1, weights = states
    return np.bincount(d0 + d1, weights=weights, minlength=PATTERNS)


def same_class(d0: np.ndarray, d1: np.ndarray) -> States:
    """The states of a column where the special tokens of D0 and D1 mark the same class.

    d0, d1 : (2, E, 2, K), what each state of a column is worth to either dataset, as
    `DistinctRows.largest_scores` indexes them.
    """
    return _weighted(d0, d1)


def different_classes(d0: np.ndarray, d1: np.ndarray) -> States:
    """The same where they mark two classes: each counts the other's among the unmarked."""
    unmarked = d0.shape[-1] - 1
    pairs = [
        (d0[:, :, own0, own1 : unmarked + own1], d1[:, :, own1, own0 : unmarked + own0])
        for own0 in (0, 1)
        for own1 in (0, 1)
    ]
    return _weighted(*(np.stack(part, axis=2) for part in zip(*pairs, strict=True)))


def _weighted(d0: np.ndarray, d1: np.ndarray) -> States:
    """States whose last axis counts heads of fair coins, and whose others are fair bits."""
    weights = np.broadcast_to(_binomial(d0.shape[-1] - 1) / d0[..., 0].size, d0.shape)
    return d0.ravel(), d1.ravel(), weights.ravel()


@lru_cache(maxsize=1024)
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
